"""`steward grants`: what was allowed beyond one click, and taking it back."""

from __future__ import annotations

import json
import sys
from datetime import datetime

from desktop.errors import UserFacing
from desktop.gate.grants import UNUSED_S, Grant, Grants


def show(grants: Grants, as_json: bool) -> None:
    """Every grant in force, the latest used first, with the numbers that `revoke` takes."""
    found = grants.listed()
    if as_json:
        sys.stdout.write(
            json.dumps([as_record(grant) for grant in found], ensure_ascii=False, indent=2) + "\n"
        )
        return
    if not found:
        sys.stdout.write("Nothing is allowed beyond one click.\n")
    for grant in found:
        sys.stdout.write(_line(grant))


def revoke(grants: Grants, number: int, as_json: bool) -> None:
    """End one grant. Raises UserFacing for a number that is not listed."""
    grant = _listed(grants, number)
    grants.revoke(number)
    _say([grant], as_json)


def revoke_all(grants: Grants, as_json: bool) -> None:
    """End all."""
    found = grants.listed()
    grants.revoke_all()
    _say(found, as_json)


def as_record(grant: Grant) -> dict[str, object]:
    """One grant for scripts; times in seconds since 1970."""
    return {
        "id": grant.id,
        "words": grant.in_words(),
        "scope": grant.scope.value,
        "tool": grant.covers.tool,
        "kind": grant.covers.kind.value,
        "text": grant.covers.text,
        "folder": str(grant.covers.folder),
        "chat": grant.chat,
        "granted_at": grant.granted_at,
        "used_at": grant.used_at,
        "uses": grant.uses,
        "ends_at": grant.used_at + UNUSED_S,
    }


def _listed(grants: Grants, number: int) -> Grant:
    for grant in grants.listed():
        if grant.id == number:
            return grant
    raise UserFacing(
        f"There is no permission number {number} in force.",
        "Nothing was changed.",
        "`steward grants list` shows those that there are.",
        code="grant-unknown",
    )


def _say(ended: list[Grant], as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps({"revoked": [grant.id for grant in ended]}) + "\n")
        return
    if not ended:
        sys.stdout.write("There was nothing to revoke.\n")
    for grant in ended:
        sys.stdout.write(f"Revoked: {grant.in_words()}\n")


def _line(grant: Grant) -> str:
    since = datetime.fromtimestamp(grant.granted_at).astimezone()
    used = "not used" if not grant.uses else f"{grant.uses} use{'s' if grant.uses > 1 else ''}"
    return f"{grant.id:5} {since:%Y-%m-%d %H:%M} {used:8} {grant.in_words()}\n"
