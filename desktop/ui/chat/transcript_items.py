"""One message of the transcript and what is known of its place, with or without a widget."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from desktop.chat.store import Message, Role
from desktop.ui import theme
from desktop.ui.chat.message import AnswerFailure, MessageView
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.chat.tool_words import called
from desktop.ui.language import tr

GAP, GAP_TO_ANSWER = 32, 16

GAP_BELOW_ANSWER = 0  # the row of its actions is the gap below it, also while it is hidden
GAP_IN_GROUP = 4
LETTER, LINE = 7.5, 23  # about the width of a letter and the height of a line at 100 %


@dataclass(frozen=True)
class Fold:
    """The place of a card among several: `line` stands above them, on the first; the others may be hidden."""

    line: str = ""
    is_open: bool = False
    hidden: bool = False


@dataclass(eq=False)
class TranscriptItem:
    """One message and what is known of its place."""

    message: Message
    height: int
    view: MessageView | None = None
    measured: bool = False
    failure: AnswerFailure | None = None
    fold: Fold = field(default_factory=Fold)
    unfolded: bool = False  # the user has opened the group that it is in
    version: tuple[int, int] = (1, 1)  # shown under it: which one, of how many
    draft: str | None = None  # what stands in its editor while it has no widget

    @property
    def hidden(self) -> bool:
        return self.fold.hidden

    @property
    def room(self) -> int:
        """The height that it takes now."""
        return 0 if self.hidden else self.height


def estimate(message: Message, column: int) -> int:
    """About the height of a message in a column of this width."""
    if message.role is Role.TOOL:
        return theme.px(LINE)
    # An estimate far off would make the scroll bar jump when the real height comes in.
    width = column * 3 // 4 if message.role is Role.USER else column
    per_line = max(10, width // max(1, theme.px(LETTER)))
    lines = sum(1 + len(line) // per_line for line in message.text.split("\n"))
    return lines * theme.px(LINE) + theme.px(32 if message.role is Role.ASSISTANT else 20)


def gaps_under(items: Sequence[TranscriptItem]) -> list[int]:
    """The room below each item; what is hidden has none."""
    gaps = []
    after: Role | None = None
    # From below, because the room under an item depends on what follows it, and hidden ones do not count.
    for item in reversed(items):
        gaps.append(0 if item.hidden else theme.px(_gap(item.message.role, after)))
        after = after if item.hidden else item.message.role
    return gaps[::-1]


def _gap(role: Role, after: Role | None) -> int:
    if role is Role.USER:
        return GAP_TO_ANSWER if after in (Role.ASSISTANT, Role.TOOL) else GAP
    if role is Role.TOOL and after is Role.TOOL:
        return GAP_IN_GROUP
    return GAP_BELOW_ANSWER if role is Role.ASSISTANT else GAP_TO_ANSWER


class Stack:
    """Items in reading order. `tops` and `total` are right after `compute`."""

    def __init__(self) -> None:
        self.items: list[TranscriptItem] = []
        self.tops: list[int] = []
        self.total = 0

    def item(self, message: Message, width: int) -> TranscriptItem:
        """A new item, its height estimated for a column of `width`."""
        return TranscriptItem(message, estimate(message, width))

    def find(self, message_id: int) -> TranscriptItem | None:
        # From the end: it is nearly always the last one.
        return next((item for item in reversed(self.items) if item.message.id == message_id), None)

    @property
    def last(self) -> TranscriptItem | None:
        """The last one that something can be done with."""
        return next((item for item in reversed(self.items) if item.message.role is not Role.NOTICE), None)

    def mark(self) -> Iterable[TranscriptItem]:
        """Settle groups and versions; returns those that need another height."""
        mark_versions(self.items)
        return regroup(self.items)

    def compute(self, margin: int) -> None:
        """Compute where each item begins, from the heights as they are."""
        heights = [item.room for item in self.items]
        gaps = gaps_under(self.items)
        # All of them, also for one that changed: adding up ten thousand numbers takes less than a repaint.
        starts = itertools.accumulate((h + g for h, g in zip(heights, gaps, strict=True)), initial=margin)
        self.tops = list(starts)
        self.total = self.tops.pop() + theme.px(8)

    def top_of(self, item: TranscriptItem) -> int:
        return self.tops[self.items.index(item)]

    def between(self, from_y: int, to_y: int) -> range:
        """The numbers of the items that cross this part."""
        # The tops are in order, so that a conversation of any length is scrolled in the same time.
        first = max(0, bisect.bisect_right(self.tops, from_y) - 1)
        if first < len(self.items) and self.tops[first] + self.items[first].room <= from_y:
            first += 1
        return range(first, bisect.bisect_left(self.tops, to_y))


def regroup(items: Sequence[TranscriptItem]) -> list[TranscriptItem]:
    """Mark which items are hidden behind a group's line; returns those that must be measured again."""
    changed = []
    for run in _runs(items):
        for item, fold in zip(run, _folds_of(run), strict=True):
            if item.fold != fold:
                item.fold = fold
                changed.append(item)
    return changed


def _folds_of(run: Sequence[TranscriptItem]) -> list[Fold]:
    if len(run) == 1:
        return [Fold()]
    # By any of them: a group that the user opened stays open when another card joins it.
    is_open = any(item.unfolded for item in run)
    head = Fold(group_words([item.message for item in run]), is_open)
    return [head, *[Fold(is_open=is_open, hidden=not is_open)] * (len(run) - 1)]


def toggle(items: Sequence[TranscriptItem], head: TranscriptItem) -> None:
    """Open or close the group that `head` stands first of."""
    for run in _runs(items):
        if head in run:
            unfolded = not head.fold.is_open
            for item in run:
                item.unfolded = unfolded


def show_group(item: TranscriptItem) -> None:
    """Give the widget of an item its place in the group."""
    if isinstance(item.view, ToolCard):
        item.view.show_group(item.fold.line, item.fold.is_open)
    if item.view is not None:
        item.view.setVisible(not item.hidden)


def group_words(messages: Sequence[Message]) -> str:
    """ "2 actions: Read notes.txt, Look at the clock"."""
    each = ", ".join(called(message.tool) for message in messages if message.tool is not None)
    return tr("{count} actions: {each}", count=len(messages), each=each)


def _runs(items: Sequence[TranscriptItem]) -> Iterator[list[TranscriptItem]]:
    """Neighbours that belong together; every other item alone."""
    for folds, run in groupby(items, key=lambda item: _folds(item.message)):
        if folds:
            yield list(run)
        else:
            yield from ([item] for item in run)


def _folds(message: Message) -> bool:
    record = message.tool
    if message.role is not Role.TOOL or record is None:
        return False
    # What changed something, was refused or failed stays in sight: there is something to be done about it.
    return record.has_succeeded and not record.changes


def mark_versions(items: Sequence[TranscriptItem]) -> None:
    """Give each item the versions that are to be shown under it: number and count."""
    head: Message | None = None  # where the answer begins that is being gone through
    last: TranscriptItem | None = None
    for item in items:
        role = item.message.role
        if role is Role.USER:
            _mark(last, head)
            head = last = None
            item.version = (item.message.version, item.message.versions)
        else:
            item.version = (1, 1)
            # Notices stand between an answer's parts and belong to none.
            if role is not Role.NOTICE:
                head = head or item.message
                last = item if role is Role.ASSISTANT else last
    _mark(last, head)


def _mark(last: TranscriptItem | None, head: Message | None) -> None:
    if last is not None and head is not None:
        last.version = (head.version, head.versions)
