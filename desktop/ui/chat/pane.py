"""The conversation's side of the window: messages or greeting, composer, status line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop.asking import Question
from desktop.ui.buttons import IconButton
from desktop.ui.chat.composer import Composer
from desktop.ui.chat.empty_state import EmptyState
from desktop.ui.chat.status_line import StatusLine
from desktop.ui.chat.transcript import COLUMN, MARGIN, MARGIN_NARROW, NARROW, Transcript
from desktop.ui.language import tr
from desktop.ui.mirroring import is_mirrored, mirror
from desktop.ui.permission.entry import WaitingEntry
from desktop.ui.shortcuts import with_keys
from desktop.ui.theme import Theme


class ConversationPane(QWidget):
    """Places its parts by hand, because the composer stands in the middle of an empty conversation and at
    the lower end of all others. Main thread only.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._empty = True
        self.setObjectName("conversation")
        self.transcript = Transcript(theme, self, revisable=True)
        self.empty = EmptyState(theme, self)
        self.composer = Composer(theme, self)
        self.status = StatusLine(theme, self)
        self.sidebar_button = IconButton(
            theme,
            "sidebar",
            with_keys(tr("Show the list of chats"), "sidebar"),
            "show_sidebar",
            size=32,
            parent=self,
        )
        self.waiting = WaitingEntry(theme, self)
        self.transcript.hide()
        self.composer.height_changed.connect(self.arrange)
        theme.changed.connect(self.arrange)
        self.setTabOrder(self.sidebar_button, self.composer.text)

    @property
    def is_empty(self) -> bool:
        return self._empty

    def show_waiting(self, question: Question | None) -> None:
        """The line that says that a question waits; None takes it away."""
        self.waiting.show_question(question)
        self.arrange()

    def show_empty(self, empty: bool) -> None:
        """The greeting or the messages."""
        self._empty = empty
        self.empty.setVisible(empty)
        self.transcript.setVisible(not empty)
        self.arrange()

    def arrange(self) -> None:
        """Place everything for the present size."""
        px = self._theme.px
        width, height = self.width(), self.height()
        margin = px(MARGIN_NARROW if width < px(NARROW) else MARGIN)
        # The messages leave room for their scroll bar, and everything stands in line with them.
        room = width if self._empty else width - self.transcript.verticalScrollBar().sizeHint().width()
        column = min(px(COLUMN), room - 2 * margin)
        left = (room - column) // 2 + (width - room if is_mirrored(self) else 0)
        status = self.status.row_height
        status_top = height - status - px(6)
        self.status.setGeometry(left - px(6), status_top, column + px(12), status)
        self.sidebar_button.move(px(8), px(8))
        mirror(self, width, self.sidebar_button)
        if self._empty:
            self._arrange_empty(status_top)
        else:
            self._arrange_messages(left, column, status_top)
        self.sidebar_button.raise_()
        self.waiting.setGeometry(left, px(8), column, self.waiting.sizeHint().height())
        self.waiting.raise_()

    def _arrange_empty(self, bottom: int) -> None:
        width = self.width()
        self.empty.setGeometry(0, 0, width, bottom)
        guess = self.composer.height_for(int(width * 0.6), self.height())
        left, top, column = self.empty.arrange(width, bottom, guess)
        height = self.composer.height_for(column, self.height())
        if height != guess:
            left, top, column = self.empty.arrange(width, bottom, height)
        self.composer.setGeometry(left, top, column, height)
        self.composer.raise_()

    def _arrange_messages(self, left: int, column: int, status_top: int) -> None:
        px = self._theme.px
        height = self.composer.height_for(column, self.height())
        top = status_top - px(4) - height
        self.composer.setGeometry(left, top, column, height)
        above = px(44) if not self.sidebar_button.isHidden() and self.width() < px(COLUMN + 120) else 0
        if not self.waiting.isHidden():
            above = self.waiting.sizeHint().height() + px(16)
        self.transcript.setGeometry(QRect(0, above, self.width(), top - px(8) - above))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.arrange()
        return super().event(event)
