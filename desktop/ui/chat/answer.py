"""The model's words in the transcript, with what it was thinking, how it ended and what it cost."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.chat.store import Message, MessageStatus
from desktop.chat.used import UsedSource
from desktop.ui.chat.blocks import BlockStack
from desktop.ui.chat.chip_row import ChipRow, used_facts
from desktop.ui.chat.dots import Dots
from desktop.ui.chat.footer import Footer
from desktop.ui.chat.message import Failure, MessageView
from desktop.ui.chat.thinking import ThinkingView
from desktop.ui.error_card import ErrorCard
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme


class AnswerView(MessageView):
    """The model's words over the full column, with what it was thinking and how it ended."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.thinking = ThinkingView(theme, self)
        self.thinking.toggled.connect(self.resized)
        self.blocks = BlockStack(theme, self)
        self.blocks.link_clicked.connect(self.link_clicked)
        self.blocks.resized.connect(self.resized)
        self.dots = Dots(theme, self)
        self.used = ChipRow(theme, "used", tr("Used"), self)
        self.used.opened.connect(self.source_opened)
        self._sources: Callable[[], tuple[UsedSource, ...]] = tuple
        self.footer = Footer(theme, self)
        self.row = self.footer.row
        self._card: ErrorCard | None = None
        self._shows_thinking = True
        self.footer.copy_button.clicked.connect(self.copy)
        self.footer.again_button.clicked.connect(lambda: self.regenerate_wanted.emit(self.message.id))
        self.row.delete_button.clicked.connect(lambda: self.delete_wanted.emit(self.message.id))
        self.row.versions.step_wanted.connect(self._on_step)
        self.row.focus_left.connect(self.show_actions)
        self.footer.continue_button.clicked.connect(lambda: self.continue_wanted.emit(self.message.id))
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        streaming = message.status is MessageStatus.STREAMING
        thinking = message.thinking if self._shows_thinking else ""
        self.thinking.show_thinking(thinking, message.thinking_s, streaming and not message.text)
        self.blocks.set_text(message.text)
        self.dots.setVisible(streaming and not message.text)
        self._show_used()
        self._show_footer()

    def set_shows_thinking(self, shown: bool) -> None:
        """Whether what the model thought can be opened."""
        if shown != self._shows_thinking:
            self._shows_thinking = shown
            self.show_message(self.message)

    def follow_sources(self, sources: Callable[[], tuple[UsedSource, ...]]) -> None:
        """`sources` tells what the answer drew on; it is asked whenever the answer has changed."""
        self._sources = sources
        self._show_used()

    def set_waiting(self, words: str) -> None:
        """What the wait for the first token is about ("Loading model 43 %")."""
        self.dots.set_words(words)

    def show_failure(self, failure: Failure | None) -> None:
        """An error card under what there is of the answer."""
        if self._card is not None:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        if failure is not None:
            self._card = ErrorCard(failure.error, failure.actions, self)
            self._card.setFont(self.theme.font(SMALL_PX))
            for part in (self._card, *self._card.findChildren(QWidget)):
                part.ensurePolished()  # sizes of the style sheet count from here on
            self._card.show()
        self._show_footer()

    def set_last(self, last: bool) -> None:
        super().set_last(last)
        self._show_footer()

    def arrange(self, width: int) -> int:
        px = self.theme.px
        y = 0
        if not self.thinking.isHidden():
            self.thinking.move(0, y)
            y += self.thinking.arrange(width) + px(8)
        self.blocks.move(0, y)
        y += self.blocks.arrange(width)
        if not self.dots.isHidden():
            self.dots.setGeometry(0, y, width, px(24))
            y += px(24)
        if self._card is not None:
            height = self._card.heightForWidth(width)
            height = height if height >= 0 else self._card.sizeHint().height()
            y += px(8) if y else 0
            self._card.setGeometry(0, y, width, height)
            y += height
        if not self.used.isHidden():
            y += self.used.arrange(width, y + px(8)) + px(8)
        y += self.footer.arrange(width, y)
        self.resize(width, y)
        return y

    def has_selection(self) -> bool:
        return self.blocks.has_selection() or self.thinking.has_selection()

    def focus_actions(self) -> bool:
        return self.footer.focus_first()

    def _show_used(self) -> None:
        """Once the answer is there: while it grows, nothing moves under it."""
        if self.message.status is not MessageStatus.STREAMING:
            self.used.show_chips([used_facts(source) for source in self._sources()])

    def _show_footer(self) -> None:
        self.footer.show_state(
            self.message, self._last, failed_with_card=self._card is not None, revisable=self.revisable
        )
        self.show_actions()
