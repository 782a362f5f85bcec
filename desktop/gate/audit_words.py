"""What a record of the audit log says, in the columns of the Log page and the lines of `audit list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a call is about comes before how, as in a sentence.
_FIRST = ("command", "path", "source", "url", "query", "pattern", "title", "text")
KINDS = {"decision": "Decision", "tool": "Tool run", "hook": "Agent", "log": "Log"}


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
    if record.get("late"):
        result = f"{result}, after it was given up"
    why = record.get("reason") or record.get("decision") or ""
    return " · ".join(str(part) for part in (result, why) if part)


def _flat(value: object) -> str:
    """On one line."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
        return ", ".join(f"{name} {_flat(value[name])}" for name in names)
    if isinstance(value, (list, tuple)):
        return "; ".join(_flat(each) for each in value)
    return " ".join(str(value).split()) if value is not None else ""
