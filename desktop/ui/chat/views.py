"""Which widget shows a message."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.chat.store import Message, Role
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.call_view import CallView
from desktop.ui.chat.message import MessageView, NoticeView
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.summary_view import SummaryView
from desktop.ui.theme import Theme


def view_of(theme: Theme, message: Message, parent: QWidget) -> MessageView:
    """The widget for a message of whichever role."""
    kinds: dict[Role, Callable[[Theme, Message, QWidget], MessageView]] = {
        Role.USER: QuestionView,
        Role.ASSISTANT: AnswerView,
        Role.NOTICE: NoticeView if message.summary is None else SummaryView,
        Role.TOOL: CallView,
    }
    return kinds[message.role](theme, message, parent)
