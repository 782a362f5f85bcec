"""Makes notes of what was done, without a model: what is usual, what failed, and what worked after it.

Only rows of `memory_events` go in: arguments and errors of calls. What was recalled, prompts and answers are
in no row, so that memory never feeds on itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from desktop.database import Connection, Database, Row
from desktop.memory.capture import EventKind, StoredEvent
from desktop.memory.hindsight.fixes import same_goal
from desktop.memory.hindsight.signature import normalised_error
from desktop.memory.item import Item, Layer, MemoryKind, MemorySource, NewItem
from desktop.memory.store import MemoryStore, View

GROUP = 10  # new events of a group before it is distilled again
LOOKED_AT = 300  # of its latest events
KEPT_EVENTS = 10_000
AFTER = 5  # calls after a failure that may have reached its goal
SHOWN = 3
LONGEST = 120  # characters of one call in a note


@dataclass(frozen=True)
class Group:
    """Events that belong together: one tool in one project, under one tag."""

    tool: str
    project: str
    tag: str

    @property
    def origin(self) -> str:
        """The origin by which the note of the group is found again."""
        return f"{self.tool} {self.tag}".strip()


class Distiller:
    """All methods may be called on any thread; called on the notes thread after each batch."""

    def __init__(self, database: Database, store: MemoryStore) -> None:
        self._database = database
        self._store = store

    def distil_due(self) -> int:
        """Write the notes of every group with ten events that no note has yet; returns how many."""
        due = self._database.read(_due)
        for group in due:
            self._write(group)
        # Only after their notes are written.
        if due:
            self._database.write(_prune)
        return len(due)

    def _write(self, group: Group) -> None:
        events = self._database.read(lambda c: _events(c, group))
        text = markdown(group, events)
        found = self._note_of(group)
        if found is None:
            self._store.add(_note(group, text))
        # A rewrite makes whoever has assembled it assemble anew, so nothing is written where nothing changed.
        elif found.text != text:
            self._store.rewrite(found.id, text)
        last = events[-1].id
        self._database.write(lambda c: _mark(c, group, last))

    def _note_of(self, group: Group) -> Item | None:
        view = View(((_layer(group), group.project),))
        notes = self._store.latest(view, kinds=(MemoryKind.DIGEST,), limit=500)
        return next((note for note in notes if note.origin == group.origin), None)


def markdown(group: Group, events: Sequence[StoredEvent]) -> str:
    """The note of a group's events, the oldest first."""
    failed = [event for event in events if not event.ok]
    place = f" in {PurePath(group.project).name}" if group.project else ""
    tag = f" ({group.tag})" if group.tag else ""
    head = (
        f"**{group.tool}**{tag}{place}: {len(events)} calls, {len(failed)} failed, last {_day(events[-1].at)}"
    )
    return "\n".join((head, *_usual(events), *_failures(events, failed)))


def call_in_words(event: StoredEvent) -> str:
    """A call on one line: the command itself, or the arguments."""
    values = event.arguments
    text = str(values["command"]) if "command" in values else ", ".join(f"{k}={v}" for k, v in values.items())
    flat = " ".join(text.split()).replace("`", "'")
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST].rstrip()} …"


def _usual(events: Sequence[StoredEvent]) -> Iterable[str]:
    counts = Counter(call_in_words(event) for event in events if event.ok)
    often = [f"`{call}` ({count})" for call, count in counts.most_common(SHOWN) if count > 1 and call]
    if often:
        yield f"- often: {', '.join(often)}"


def _failures(events: Sequence[StoredEvent], failed: Sequence[StoredEvent]) -> Iterable[str]:
    by_error: dict[str, list[StoredEvent]] = {}
    for event in failed:
        # Without paths and numbers: ten files that are missing are one kind of failure.
        by_error.setdefault(normalised_error(event.error), []).append(event)
    most = sorted(by_error.values(), key=lambda group: (-len(group), -group[-1].at))
    for group in most[:SHOWN]:
        latest = group[-1]
        error = " ".join(latest.error.split())[:LONGEST] or "no reason given"
        after = next((word for event in reversed(group) if (word := _worked_after(event, events))), "")
        then = f"; what worked after: `{after}`" if after else ""
        times = f" ({len(group)} times)" if len(group) > 1 else ""
        yield f"- failed: `{call_in_words(latest)}`{times}: {error}{then}"


def _worked_after(failed: StoredEvent, events: Sequence[StoredEvent]) -> str:
    """The next call of the same session that went well and has the goal of the one that failed."""
    later = [e for e in events if e.id > failed.id and e.session == failed.session][:AFTER]
    for event in later:
        said = call_in_words(event)
        if event.ok and said != call_in_words(failed) and same_goal(failed.arguments, event.arguments):
            return said
    return ""


def _layer(group: Group) -> Layer:
    return Layer.PROJECT if group.project else Layer.AGENT


def _note(group: Group, text: str) -> NewItem:
    return NewItem(
        text, _layer(group), group.project, MemoryKind.DIGEST, MemorySource.TOOL, origin=group.origin
    )


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d}"


def _due(connection: Connection) -> list[Group]:
    rows = connection.execute(
        "SELECT tool, project, tag FROM memory_events WHERE distilled = 0"
        " GROUP BY tool, project, tag HAVING count(*) >= ?",
        (GROUP,),
    )
    return [Group(row["tool"], row["project"], row["tag"]) for row in rows.fetchall()]


def _events(connection: Connection, group: Group) -> list[StoredEvent]:
    rows = connection.execute(
        "SELECT * FROM memory_events WHERE tool = ? AND project = ? AND tag = ? ORDER BY id DESC LIMIT ?",
        (group.tool, group.project, group.tag, LOOKED_AT),
    ).fetchall()
    return [_event(row) for row in reversed(rows)]


def _event(row: Row) -> StoredEvent:
    return StoredEvent(
        id=row["id"],
        at=row["at"],
        what=EventKind(row["what"]),
        tool=row["tool"],
        arguments=json.loads(row["arguments"]),
        ok=bool(row["ok"]),
        seconds=row["seconds"],
        tag=row["tag"],
        error=row["error"],
        session=row["session"],
        project=row["project"],
    )


def _mark(connection: Connection, group: Group, last_id: int) -> None:
    connection.execute(
        "UPDATE memory_events SET distilled = 1 WHERE tool = ? AND project = ? AND tag = ? AND id <= ?",
        (group.tool, group.project, group.tag, last_id),
    )


def _prune(connection: Connection) -> None:
    """Events are the raw material; their notes stay."""
    connection.execute(
        "DELETE FROM memory_events WHERE id <= (SELECT max(id) FROM memory_events) - ?", (KEPT_EVENTS,)
    )
