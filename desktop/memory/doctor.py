"""Looks memory through: what is there twice, what contradicts itself, what nobody ever needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop.memory.item import Item, Kind, Status
from desktop.memory.likeness import Likeness
from desktop.memory.store import MemoryStore

LOOKED_AT = 1000  # of the latest notes
UNUSED_S = 90 * 86_400.0


class Trouble(StrEnum):
    """What kind of finding."""

    TWICE = "twice"
    CONTRADICTION = "contradiction"
    NEVER_USED = "never used"
    WAITING = "waiting"  # a suggestion without an answer


@dataclass(frozen=True)
class Finding:
    """Memories that the user may want to look at, and why."""

    trouble: Trouble
    items: tuple[Item, ...]
    says: str


def examine(store: MemoryStore, now: float) -> tuple[Finding, ...]:
    """All findings among the notes. Takes well under a second for a thousand of them."""
    notes = [item for item in store.latest(kinds=(Kind.NOTE,), limit=LOOKED_AT) if item.superseded_by is None]
    return (*_twice(notes), *_contradictions(store, notes), *_unused(notes, now), *_waiting(notes))


def _twice(notes: Sequence[Item]) -> Iterator[Finding]:
    seen: dict[tuple[object, str], list[tuple[Likeness, Item]]] = defaultdict(list)
    for note in notes:
        likeness, place = Likeness(note.text), seen[note.layer, note.scope]
        for other, item in place:
            if likeness.is_like(other):
                yield Finding(Trouble.TWICE, (item, note), "Two notes say nearly the same.")
                break
        place.append((likeness, note))


def _contradictions(store: MemoryStore, notes: Iterable[Item]) -> Iterator[Finding]:
    """Notes on what one has one of, that do not know of each other: after an edit, or a move to another
    layer.
    """
    by_topic: dict[tuple[object, str, str], list[Item]] = defaultdict(list)
    for note in notes:
        topic = store.topic(note.text)
        if topic:
            by_topic[note.layer, note.scope, topic].append(note)
    for (_, _, topic), items in by_topic.items():
        if len(items) > 1:
            yield Finding(Trouble.CONTRADICTION, tuple(items), f"Several notes are about “{topic}”.")


def _unused(notes: Iterable[Item], now: float) -> Iterator[Finding]:
    for note in notes:
        if note.status is Status.KEPT and now - max(note.at, note.used_at or 0.0) > UNUSED_S:
            yield Finding(Trouble.NEVER_USED, (note,), "Not used for 90 days.")


def _waiting(notes: Iterable[Item]) -> Iterator[Finding]:
    waiting = tuple(note for note in notes if note.status is Status.SUGGESTED)
    if waiting:
        yield Finding(Trouble.WAITING, waiting, "Suggestions wait for your answer.")
