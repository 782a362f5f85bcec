"""One message of the transcript and what is known of its place, with or without a widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from desktop.chat.store import Message, Role
from desktop.ui.chat.message import Failure, MessageView
from desktop.ui.theme import Theme

GAP, GAP_TO_ANSWER = 32, 16
# An answer brings the row of its actions along, which is most of the gap below it.
GAP_BELOW_ANSWER = 8
GAP_BELOW_ROW = 4  # a question does so too where it has a row of actions
GAP_IN_GROUP = 4
LETTER, LINE = 7.5, 23  # about the width of a letter and the height of a line at 100 %


@dataclass(frozen=True)
class Fold:
    """The place of a card among several: `line` stands above them, on the first; the others may be hidden."""

    line: str = ""
    is_open: bool = False
    hidden: bool = False


@dataclass(eq=False)
class Item:
    """One message and what is known of its place."""

    message: Message
    height: int
    view: MessageView | None = None
    measured: bool = False
    failure: Failure | None = None
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


def estimate(message: Message, column: int, theme: Theme) -> int:
    """About the height of a message in a column of this width."""
    if message.role is Role.TOOL:
        return theme.px(LINE)
    width = column * 3 // 4 if message.role is Role.USER else column
    per_line = max(10, width // max(1, theme.px(LETTER)))
    lines = sum(1 + len(line) // per_line for line in message.text.split("\n"))
    return lines * theme.px(LINE) + theme.px(32 if message.role is Role.ASSISTANT else 20)


def gaps_under(items: Sequence[Item], theme: Theme, rows_under_questions: bool = False) -> list[int]:
    """The room below each item; what is hidden has none."""
    gaps = []
    after: Role | None = None
    for item in reversed(items):
        gaps.append(0 if item.hidden else theme.px(_gap(item.message.role, after, rows_under_questions)))
        after = after if item.hidden else item.message.role
    return gaps[::-1]


def _gap(role: Role, after: Role | None, rows_under_questions: bool) -> int:
    if role is Role.USER and rows_under_questions:
        return GAP_BELOW_ROW
    if role is Role.USER:
        return GAP_TO_ANSWER if after in (Role.ASSISTANT, Role.TOOL) else GAP
    if role is Role.TOOL and after is Role.TOOL:
        return GAP_IN_GROUP
    return GAP_BELOW_ANSWER if role is Role.ASSISTANT else GAP_TO_ANSWER
