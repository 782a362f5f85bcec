"""One message of the transcript and what is known of its place, with or without a widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.chat.store import Message, Role
from desktop.ui.chat.message import Failure, MessageView
from desktop.ui.theme import Theme

GAP, GAP_TO_ANSWER = 32, 16
# An answer brings the row of its actions along, which is most of the gap below it.
GAP_BELOW_ANSWER = 8
LETTER, LINE = 7.5, 23  # about the width of a letter and the height of a line at 100 %


@dataclass(eq=False)
class Item:
    """One message and what is known of its place."""

    message: Message
    height: int
    view: MessageView | None = None
    measured: bool = False
    failure: Failure | None = None


def estimate(message: Message, column: int, theme: Theme) -> int:
    """About the height of a message in a column of this width."""
    if message.role is Role.TOOL:
        return theme.px(LINE)
    width = column * 3 // 4 if message.role is Role.USER else column
    per_line = max(10, width // max(1, theme.px(LETTER)))
    lines = sum(1 + len(line) // per_line for line in message.text.split("\n"))
    return lines * theme.px(LINE) + theme.px(32 if message.role is Role.ASSISTANT else 20)


def gaps_under(items: Sequence[Item], theme: Theme) -> list[int]:
    """The room below each item."""
    following: list[Role | None] = [item.message.role for item in items[1:]]
    pairs = zip(items, [*following, None][: len(items)], strict=True)
    return [theme.px(_gap(item.message.role, after)) for item, after in pairs]


def _gap(role: Role, after: Role | None) -> int:
    if role is Role.USER:
        return GAP_TO_ANSWER if after is Role.ASSISTANT else GAP
    return GAP_BELOW_ANSWER if role is Role.ASSISTANT else GAP_TO_ANSWER
