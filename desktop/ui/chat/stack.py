"""The items of a transcript one below another: how high each is, where it begins. It makes no widgets."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable

from desktop.chat.store import Message, Role
from desktop.ui.chat.forks import mark_versions
from desktop.ui.chat.grouping import regroup
from desktop.ui.chat.item import Item, estimate, gaps_under
from desktop.ui.theme import Theme


class Stack:
    """In reading order. `tops` and `total` are right after `compute`."""

    def __init__(self, theme: Theme, rows_under_questions: bool) -> None:
        self._theme = theme
        self._rows_under_questions = rows_under_questions
        self.items: list[Item] = []
        self.tops: list[int] = []
        self.total = 0

    def item(self, message: Message, width: int) -> Item:
        """A new item, its height estimated for a column of `width`."""
        return Item(message, estimate(message, width, self._theme))

    def find(self, message_id: int) -> Item | None:
        # From the end: it is nearly always the last one.
        return next((item for item in reversed(self.items) if item.message.id == message_id), None)

    @property
    def last(self) -> Item | None:
        """The last one that something can be done with."""
        return next((item for item in reversed(self.items) if item.message.role is not Role.NOTICE), None)

    def mark(self) -> Iterable[Item]:
        """Settle groups and versions; returns those that need another height."""
        mark_versions(self.items)
        return regroup(self.items)

    def compute(self, margin: int) -> None:
        """Where each item begins, from the heights as they are."""
        heights = [item.room for item in self.items]
        gaps = gaps_under(self.items, self._theme, self._rows_under_questions)
        starts = itertools.accumulate((h + g for h, g in zip(heights, gaps, strict=True)), initial=margin)
        self.tops = list(starts)
        self.total = self.tops.pop() + self._theme.px(8)

    def top_of(self, item: Item) -> int:
        return self.tops[self.items.index(item)]

    def between(self, from_y: int, to_y: int) -> range:
        """The numbers of the items that cross this part."""
        first = max(0, bisect.bisect_right(self.tops, from_y) - 1)
        if first < len(self.items) and self.tops[first] + self.items[first].room <= from_y:
            first += 1
        return range(first, bisect.bisect_left(self.tops, to_y))
