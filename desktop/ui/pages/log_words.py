"""What a record of the audit log says, in the columns of the Log page and the lines of `audit list`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from desktop.gate.audit import AuditRecord, Verified
from desktop.ui.permission.visible import visible

# What a call is about comes before how, as in a sentence.
_FIRST = ("command", "path", "source", "url", "query", "pattern", "title", "text")
KINDS = {"decision": "Decision", "tool": "Tool run", "hook": "Agent's hook"}


def kind_words(kind: str) -> str:
    """A word for the reader; kinds that are not known stand as they are."""
    return KINDS.get(kind, kind.capitalize())


def what_words(record: Mapping[str, Any]) -> str:
    """Who or what acted on what: "run_command: ls -la"."""
    who = " · ".join(str(record[name]) for name in ("agent", "tool") if record.get(name))
    about = record.get("command") or record.get("text") or record.get("parts") or record.get("arguments")
    return ": ".join(part for part in (who, _flat(about)) if part) or _flat(record)


def outcome_words(record: Mapping[str, Any]) -> str:
    """What became of it and why: "allow · it only reads"."""
    result = next((record[name] for name in ("ending", "gate", "choice") if record.get(name)), "")
    why = record.get("reason") or record.get("decision") or ""
    return " · ".join(str(part) for part in (result, why) if part)


def details_of(record: AuditRecord) -> str:
    """Every field on lines of its own."""
    moment = datetime.fromtimestamp(record.at).astimezone()
    head = {
        "number": record.number,
        "at": f"{moment:%Y-%m-%d %H:%M:%S %z}",
        "kind": record.kind,
        **record.record,
        "previous": record.previous,
        "hash": record.hash,
    }
    return "\n".join(f"{name}: {_field(value)}".replace(": \n", ":\n") for name, value in head.items())


def verified_words(verified: Verified) -> str:
    """The result of checking the chain."""
    records = "1 record" if verified.count == 1 else f"{verified.count:,} records"
    if verified.is_whole:
        return f"{records} checked. None was changed, removed or put in later."
    return (
        f"The chain is broken at record {verified.broken_at:,}: {verified.reason}. "
        "From there on the log may have been changed by somebody else; nothing was repaired."
    )


def _flat(value: object) -> str:
    """On one line."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
        return ", ".join(f"{name} {_flat(value[name])}" for name in names)
    if isinstance(value, (list, tuple)):
        return "; ".join(_flat(each) for each in value)
    return " ".join(str(value).split()) if value is not None else ""


def _field(value: object) -> str:
    """What cannot be seen is written out; our own indents are not."""
    if isinstance(value, str):
        lines = [visible(line) for line in value.split("\n")]
        return lines[0] if len(lines) == 1 else "".join(f"\n    {line}" for line in lines)
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "".join(f"\n    {visible(each)}" for each in value) or "none"
    return visible(json.dumps(value, ensure_ascii=False, default=str))
