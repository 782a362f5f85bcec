"""A record of the audit log in full, and the result of checking the chain."""

from __future__ import annotations

import json
from datetime import datetime

from desktop.gate.audit import AuditRecord, Verified
from desktop.ui.language import plural, told, tr
from desktop.ui.permission.visible import visible


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
    if verified.is_whole:
        return plural(
            "{count} record checked. None was changed, removed or put in later.",
            "{count:,} records checked. None was changed, removed or put in later.",
            verified.count,
        )
    return tr(
        "The chain is broken at record {broken_at:,}: {reason}. From there on the log may "
        "have been changed by somebody else; nothing was repaired.",
        broken_at=verified.broken_at,
        reason=told(verified.reason),
    )


def _field(value: object) -> str:
    """What cannot be seen is written out; our own indents are not."""
    if isinstance(value, str):
        lines = [visible(line) for line in value.split("\n")]
        return lines[0] if len(lines) == 1 else "".join(f"\n    {line}" for line in lines)
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "".join(f"\n    {visible(each)}" for each in value) or "none"
    return visible(json.dumps(value, ensure_ascii=False, default=str))
