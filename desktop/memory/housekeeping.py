"""What a person does with memory by hand: forget with a way back, promote after a look, accept, decline.

The Memory page and `steward memory` call these; nothing here happens by itself. `examine` looks for what is
there twice, contradicts itself or was never needed; `markdown` writes all of it for people to read and keep.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.errors import UserFacing
from desktop.memory.context import PROFILE_TOKENS
from desktop.memory.hindsight.fixes import Fix, said
from desktop.memory.item import Item, Layer, MemoryKind, MemorySource, MemoryStatus
from desktop.memory.memory import Memory
from desktop.memory.reasons import MemoryReason
from desktop.memory.statements import ValueKind
from desktop.memory.store import EVERYWHERE, MemoryStore, View
from desktop.memory.text import Likeness
from desktop.reasons import Reason

PAGE = 500
LOOKED_AT = 1000  # of the latest notes
UNUSED_S = 90 * 86_400.0

# To where a memory may be promoted next; what lies beyond this computer only where a shared store is set up.
BROADER = {
    Layer.SESSION: Layer.USER,
    Layer.PROJECT: Layer.USER,
    Layer.USER: Layer.TEAM,
    Layer.TEAM: Layer.ORGANISATION,
    Layer.ORGANISATION: Layer.COMPANY,
}
_TITLES = {MemoryKind.NOTE: "Notes", MemoryKind.DIGEST: "What tools did", MemoryKind.EPISODE: "Conversations"}
_FROM = {
    MemorySource.TOOL: "from a tool",
    MemorySource.WEB: "from a page",
    MemorySource.MODEL: "by the assistant",
}
Count = Callable[[str], int]
Share = Callable[[str, Layer, MemorySource], object]


@dataclass(frozen=True)
class PinnedProfile:
    """What is pinned for every conversation: its tokens, of how many, and which items do not fit."""

    tokens: int
    budget: int
    left_out: frozenset[int]


@dataclass(frozen=True)
class Promotion:
    """What others, or other conversations, would see of a memory; `text` is all of it."""

    item: Item
    layer: Layer
    text: str

    @property
    def is_redacted(self) -> bool:
        return self.text != self.item.text


class Housekeeping:
    """All methods may be called on any thread; they read and write, so not on the main one."""

    def __init__(self, memory: Memory, count: Count, share: Share | None = None) -> None:
        """`count` tells the tokens of a text as the model in use counts them; `share` sends a text to a layer
        beyond this computer.
        """
        self.memory = memory  # what is kept in order
        self._share = share
        self._count = count

    def forget(self, item_id: int) -> tuple[Item, ...]:
        """Delete an item and, of a note, what it replaced and the turns in which it was told.

        It is gone from the file when this returns; what comes back is all that is needed for `restore`.
        Nothing where there is no such item any more.
        """
        store = self.memory.store
        found = store.items((item_id,))
        if not found:
            return ()
        item = found[0]
        gone = self.memory.forgetting.plan_of(item).items if item.kind is MemoryKind.NOTE else (item,)
        # Read before it is deleted: this is all that Undo has.
        whole = store.items(sorted({each.id for each in gone}))
        self.memory.forget([each.id for each in whole])
        return whole

    def restore(self, items: tuple[Item, ...]) -> None:
        """Undo `forget`."""
        self.memory.store.restore(items)

    def pin(self, item_id: int, pinned: bool = True) -> Item:
        """Put it into every context, or no longer. Raises UserFacing for what the user did not write."""
        return self.memory.store.set_status(item_id, MemoryStatus.PINNED if pinned else MemoryStatus.KEPT)

    def accept(self, item_id: int) -> Item:
        """A suggestion becomes a note."""
        return self.memory.store.set_status(item_id, MemoryStatus.KEPT)

    def profile(self) -> PinnedProfile:
        """The profile as the next context of a conversation without a project has it."""
        view = View.of()
        context = self.memory.assembler.assemble("", 10 * PROFILE_TOKENS, view, self._count)
        pinned = self.memory.store.latest(view, statuses=(MemoryStatus.PINNED,), limit=500)
        # What does not fit is named, or the user would wonder why it is not followed.
        left_out = frozenset(item.id for item in pinned) - context.ids
        return PinnedProfile(context.total_tokens, PROFILE_TOKENS, left_out)

    def promotion(self, item_id: int, layer: Layer) -> Promotion:
        """What would be seen in the broader layer: other people's numbers are taken out of it too."""
        item = self.memory.store.get(item_id)
        return Promotion(item, layer, self.memory.cleaner.text(item.text))

    def promote(self, promotion: Promotion) -> Item:
        """After the user's yes to exactly this text. Raises UserFacing where the item has changed since.

        What is shared stays here too, with all of its words: the others get `promotion.text`.
        """
        store, item = self.memory.store, promotion.item
        now = store.get(item.id)
        # The yes was to the words that were shown, and to no others.
        if now.text != item.text:
            raise UserFacing(MemoryReason.MEMORY_CHANGED.of())
        if promotion.layer.is_shared:
            if self._share is not None:
                self._share(promotion.text, promotion.layer, item.source)
            return item
        if promotion.is_redacted:
            store.change(item.id, promotion.text)
        return store.move(item.id, promotion.layer)

    def export(self, path: Path) -> int:
        """Write all of it as Markdown, for its owner alone; returns how many lines. Raises UserFacing."""
        lines = markdown(self.memory.store, self.memory.hindsight.fixes())
        try:
            return _write(path, lines)
        except OSError as error:
            raise UserFacing(
                MemoryReason.MEMORY_EXPORT_FAILED.of(name=path.name, error=error.strerror or str(error))
            ) from error

    @property
    def backups(self) -> tuple[Path, ...]:
        """Copies that may still hold what is forgotten."""
        return self.memory.store.backups()


def may_be_pinned(item: Item) -> bool:
    """Whether it may be pinned: only what the user wrote, and no turn of a conversation."""
    return item.source is MemorySource.USER and item.kind is MemoryKind.NOTE


def broader(item: Item, shared: bool = False) -> Layer | None:
    """Where a note may be promoted to; None where there is nothing broader."""
    layer = BROADER.get(item.layer)
    if layer is None or item.kind is MemoryKind.EPISODE or item.status is MemoryStatus.SUGGESTED:
        return None
    return layer if shared or not layer.is_shared else None


def _write(path: Path, lines: Iterator[str]) -> int:
    """Whole or not at all."""
    # Beside the file, so that the rename stays within one file system.
    part = path.with_name(f"{path.name}.part")
    count = 0
    try:
        with open(part, "w", encoding="utf-8", opener=_private) as file:
            for line in lines:
                file.write(line)
                count += 1
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


class FindingKind(StrEnum):
    """What kind of finding."""

    TWICE = "twice"
    CONTRADICTION = "contradiction"
    NEVER_USED = "never used"
    WAITING = "waiting"  # a suggestion without an answer


@dataclass(frozen=True)
class Finding:
    """Memories that the user may want to look at, and why."""

    trouble: FindingKind
    items: tuple[Item, ...]
    says: Reason


def examine(store: MemoryStore, now: float) -> tuple[Finding, ...]:
    """All findings among the notes. Takes well under a second for a thousand of them."""
    notes = [
        item for item in store.latest(kinds=(MemoryKind.NOTE,), limit=LOOKED_AT) if item.superseded_by is None
    ]
    return (*_twice(notes), *_contradictions(store, notes), *_unused(notes, now), *_waiting(notes))


def _twice(notes: Sequence[Item]) -> Iterator[Finding]:
    seen: dict[tuple[object, str], list[tuple[Likeness, Item]]] = defaultdict(list)
    for note in notes:
        likeness, place = Likeness(note.text), seen[note.layer, note.scope]
        for other, item in place:
            if likeness.is_like(other):
                yield Finding(FindingKind.TWICE, (item, note), MemoryReason.TWICE.of())
                break
        place.append((likeness, note))


def _contradictions(store: MemoryStore, notes: Iterable[Item]) -> Iterator[Finding]:
    """Notes on what one has one of, that do not know of each other: after an edit, or a move to another
    layer.
    """
    alike: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for note in notes:
        for each in store.statements(note.text):
            # "My wife is ill" and "my wife is a teacher" are both so.
            if each.kind is not ValueKind.OTHER:
                alike[each.topic, each.kind, each.detail, note.layer, note.scope].append(note)
    for (topic, *_), items in alike.items():
        if len(items) > 1:
            yield Finding(FindingKind.CONTRADICTION, tuple(items), MemoryReason.CONTRADICTION.of(topic=topic))


def _unused(notes: Iterable[Item], now: float) -> Iterator[Finding]:
    for note in notes:
        if note.status is MemoryStatus.KEPT and now - max(note.at, note.used_at or 0.0) > UNUSED_S:
            yield Finding(FindingKind.NEVER_USED, (note,), MemoryReason.NEVER_USED.of())


def _waiting(notes: Iterable[Item]) -> Iterator[Finding]:
    waiting = tuple(note for note in notes if note.status is MemoryStatus.SUGGESTED)
    if waiting:
        yield Finding(FindingKind.WAITING, waiting, MemoryReason.WAITING.of())


def markdown(store: MemoryStore, fixes: Iterable[Fix] = (), episodes: bool = True) -> Iterator[str]:
    """Line by line, so that much of it needs no memory; each line ends with a newline."""
    yield "# What Steward remembers\n"
    for kind in (MemoryKind.NOTE, MemoryKind.DIGEST, *((MemoryKind.EPISODE,) if episodes else ())):
        yield from _section(kind, _all(store, kind))
    lines = [
        f"- `{said(fix.before)}` → `{said(fix.after)}` ({fix.in_words()}): {fix.message}\n" for fix in fixes
    ]
    if lines:
        yield "\n## What worked after a failure\n\n"
        yield from lines


def _section(kind: MemoryKind, items: Iterable[Item]) -> Iterator[str]:
    place: tuple[Layer, str] | None = None
    titled = False
    for item in items:
        if not titled:
            yield f"\n## {_TITLES[kind]}\n"
            titled = True
        if (item.layer, item.scope) != place:
            place = (item.layer, item.scope)
            yield f"\n### {item.layer.value.capitalize()}{f': {item.scope}' if item.scope else ''}\n\n"
        yield f"- {_line(item)}\n"


def _line(item: Item) -> str:
    """The day, who said it, the text on one line or indented, and what else there is to say."""
    text = item.as_said.replace("\n", "\n  ")
    more = [_FROM.get(item.source, ""), item.origin, "pinned" if item.status is MemoryStatus.PINNED else ""]
    if item.superseded_by is not None:
        more.append("replaced since")
    if item.status is MemoryStatus.SUGGESTED:
        more.append("a suggestion")
    said_too = ", ".join(each for each in more if each)
    return f"{item.date} {text}{f' ({said_too})' if said_too else ''}"


def _all(store: MemoryStore, kind: MemoryKind) -> Iterator[Item]:
    """Every item of a kind, by pages, the newest first."""
    before: int | None = None
    while page := store.latest(EVERYWHERE, (kind,), limit=PAGE, before_id=before):
        yield from page
        before = page[-1].id
