"""One thing that was done: what a tool was called with and whether it worked, never what it gave back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop.memory.cleaning import Cleaner

LONGEST_VALUE = 300  # characters of one argument: enough to tell calls apart, too few for a file's content
LONGEST_ERROR = 600
MOST_ARGUMENTS = 20


class What(StrEnum):
    """What kind of event."""

    TOOL = "tool"  # a call of the assistant's own tools
    COMMAND = "command"  # a command line that was judged, also one of a coding agent
    ERROR = "error"


@dataclass(frozen=True)
class TrajectoryEvent:
    """`error` is "" where it went well. `at` in seconds since 1970, 0: now. `project` is a folder or ""."""

    tool: str
    ok: bool
    what: What = What.TOOL
    arguments: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    tags: tuple[str, ...] = ()
    error: str = ""
    error_class: str = ""
    at: float = 0.0
    session: str = ""
    project: str = ""


@dataclass(frozen=True)
class StoredEvent:
    """One row of `memory_events`, cleaned."""

    id: int
    at: float
    what: What
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    seconds: float
    tag: str
    error: str
    session: str
    project: str


def clean_row(event: TrajectoryEvent, cleaner: Cleaner, now: float) -> tuple[object, ...]:
    """The values of a row of `memory_events`, cut short and cleaned; takes well under a millisecond."""
    pairs = list(event.arguments.items())[:MOST_ARGUMENTS]
    arguments = cleaner.value({str(name): _cut(value) for name, value in pairs})
    return (
        event.at or now,
        event.what.value,
        event.tool,
        json.dumps(arguments, ensure_ascii=False, sort_keys=True, default=str),
        int(event.ok),
        event.seconds,
        event.tags[0] if event.tags else "",
        cleaner.text(_shorter(event.error, LONGEST_ERROR)),
        event.error_class,
        event.session,
        event.project,
    )


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return _shorter(value, LONGEST_VALUE)
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return _shorter(json.dumps(value, ensure_ascii=False, default=str), LONGEST_VALUE)


def _shorter(text: str, longest: int) -> str:
    """Cut at white space: half a secret would not be recognised. Without any, nothing of it is kept."""
    if len(text) <= longest:
        return text
    head = text[:longest]
    place = max(head.rfind(space) for space in " \n\t")
    return f"{head[: place + 1].rstrip()} …"
