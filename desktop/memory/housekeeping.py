"""What a person does with memory by hand: forget with a way back, promote after a look, accept, decline.

The Memory page calls these; nothing here happens by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import UserFacing
from desktop.memory.assemble import PROFILE_TOKENS
from desktop.memory.export import markdown
from desktop.memory.item import Item, Kind, Layer, Source, Status
from desktop.memory.layers import View
from desktop.memory.memory import Memory

Count = Callable[[str], int]
Share = Callable[[str, Layer, Source], object]

# To where a memory may be promoted next; what lies beyond this computer only where a shared store is set up.
BROADER = {
    Layer.SESSION: Layer.USER,
    Layer.PROJECT: Layer.USER,
    Layer.USER: Layer.TEAM,
    Layer.TEAM: Layer.ORGANISATION,
    Layer.ORGANISATION: Layer.COMPANY,
}


@dataclass(frozen=True)
class Profile:
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
        self._memory = memory
        self._share = share
        self._count = count

    def forget(self, item_id: int) -> tuple[Item, ...]:
        """Delete an item and, of a note, what it replaced and the turns in which it was told.

        It is gone from the file when this returns; what comes back is all that is needed for `restore`.
        Nothing where there is no such item any more.
        """
        store = self._memory.store
        found = store.items((item_id,))
        if not found:
            return ()
        item = found[0]
        gone = self._memory.all_that_say(item) if item.kind is Kind.NOTE else (item,)
        whole = store.items(sorted({each.id for each in gone}))
        self._memory.forget([each.id for each in whole])
        return whole

    def restore(self, items: tuple[Item, ...]) -> None:
        """Undo `forget`."""
        self._memory.store.restore(items)

    def pin(self, item_id: int, pinned: bool = True) -> Item:
        """Put it into every context, or no longer. Raises UserFacing for what the user did not write."""
        return self._memory.store.set_status(item_id, Status.PINNED if pinned else Status.KEPT)

    def accept(self, item_id: int) -> Item:
        """A suggestion becomes a note."""
        return self._memory.store.set_status(item_id, Status.KEPT)

    def profile(self) -> Profile:
        """As it stands in the next context of a conversation without a project."""
        view = View.of()
        context = self._memory.assembler.assemble("", 10 * PROFILE_TOKENS, view, self._count)
        pinned = self._memory.store.latest(view, statuses=(Status.PINNED,), limit=500)
        left_out = frozenset(item.id for item in pinned) - context.ids
        return Profile(context.total_tokens, PROFILE_TOKENS, left_out)

    def promotion(self, item_id: int, layer: Layer) -> Promotion:
        """What would be seen in the broader layer: other people's numbers are taken out of it too."""
        item = self._memory.store.get(item_id)
        return Promotion(item, layer, self._memory.cleaner.text(item.text))

    def promote(self, promotion: Promotion) -> Item:
        """After the user's yes to exactly this text. Raises UserFacing where the item has changed since.

        What is shared stays here too, with all of its words: the others get `promotion.text`.
        """
        store, item = self._memory.store, promotion.item
        now = store.get(item.id)
        if now.text != item.text:
            raise UserFacing(
                "This memory has changed since you looked at it.",
                "It is kept as it is.",
                "Look at it again and promote it then.",
                code="memory-changed",
            )
        if promotion.layer.is_shared:
            if self._share is not None:
                self._share(promotion.text, promotion.layer, item.source)
            return item
        if promotion.is_redacted:
            store.change(item.id, promotion.text)
        return store.move(item.id, promotion.layer)

    def export(self, path: Path) -> int:
        """Write all of it as Markdown, for its owner alone; returns how many lines. Raises UserFacing."""
        lines = markdown(self._memory.store, self._memory.hindsight.fixes())
        try:
            return _write(path, lines)
        except OSError as error:
            raise UserFacing(
                f"The file {path.name} could not be written: {error.strerror or error}.",
                "Nothing that is remembered was lost.",
                "Choose another place.",
                code="memory-export-failed",
            ) from error

    @property
    def backups(self) -> tuple[Path, ...]:
        """Copies that may still hold what is forgotten."""
        return self._memory.store.backups()


def may_be_pinned(item: Item) -> bool:
    """Only what the user wrote, and no turn of a conversation."""
    return item.source is Source.USER and item.kind is Kind.NOTE


def broader(item: Item, shared: bool = False) -> Layer | None:
    """Where a note may be promoted to; None where there is nothing broader."""
    layer = BROADER.get(item.layer)
    if layer is None or item.kind is Kind.EPISODE or item.status is Status.SUGGESTED:
        return None
    return layer if shared or not layer.is_shared else None


def _write(path: Path, lines: Iterator[str]) -> int:
    """Whole or not at all."""
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
