"""Where the versions of a message are shown: a question bears its own; an answer that called tools begins
with the first call and bears its versions under its last words."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.chat.store import Message, Role
from desktop.ui.chat.item import Item


def mark_versions(items: Sequence[Item]) -> None:
    """Give each item the versions that are to be shown under it: number and count."""
    head: Message | None = None  # where the answer begins that is being gone through
    last: Item | None = None
    for item in items:
        role = item.message.role
        if role is Role.USER:
            _mark(last, head)
            head = last = None
            item.version = (item.message.version, item.message.versions)
        else:
            item.version = (1, 1)
            if role is not Role.NOTICE:
                head = head or item.message
                last = item if role is Role.ASSISTANT else last
    _mark(last, head)


def _mark(last: Item | None, head: Message | None) -> None:
    if last is not None and head is not None:
        last.version = (head.version, head.versions)
