"""Which tool cards stand behind one line: what was only looked at, two or more in a row.

What changed something, was refused or failed stays in sight: there is something to be done about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from desktop.chat.store import Message, Role
from desktop.tools.calls import Ending
from desktop.ui.chat.call_view import CallView
from desktop.ui.chat.call_words import called
from desktop.ui.chat.item import Fold, Item
from desktop.ui.language import tr


def regroup(items: Sequence[Item]) -> list[Item]:
    """Mark which items are hidden behind a group's line; returns those that must be measured again."""
    changed = []
    for run in _runs(items):
        for item, fold in zip(run, _folds_of(run), strict=True):
            if item.fold != fold:
                item.fold = fold
                changed.append(item)
    return changed


def _folds_of(run: Sequence[Item]) -> list[Fold]:
    if len(run) == 1:
        return [Fold()]
    is_open = any(item.unfolded for item in run)
    head = Fold(group_words([item.message for item in run]), is_open)
    return [head, *[Fold(is_open=is_open, hidden=not is_open)] * (len(run) - 1)]


def toggle(items: Sequence[Item], head: Item) -> None:
    """Open or close the group that `head` stands first of."""
    for run in _runs(items):
        if head in run:
            unfolded = not head.fold.is_open
            for item in run:
                item.unfolded = unfolded


def show_group(item: Item) -> None:
    """Give the widget of an item its place in the group."""
    if isinstance(item.view, CallView):
        item.view.show_group(item.fold.line, item.fold.is_open)
    if item.view is not None:
        item.view.setVisible(not item.hidden)


def group_words(messages: Sequence[Message]) -> str:
    """ "2 actions: Read notes.txt, Look at the clock"."""
    each = ", ".join(called(message.tool) for message in messages if message.tool is not None)
    return tr("{count} actions: {each}", count=len(messages), each=each)


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
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
    return record.ending is Ending.DONE and not record.changes
