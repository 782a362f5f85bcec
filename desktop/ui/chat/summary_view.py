"""The line that says that older messages were summarised; it opens to the summary, and takes it back."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.chat.store import Message
from desktop.ui.buttons import IconButton
from desktop.ui.chat.folding import Folding
from desktop.ui.chat.message import MessageView
from desktop.ui.labels import Label
from desktop.ui.language import plural, told, tr
from desktop.ui.theme import CAPTION_PX, Theme

TALLEST = 240


class SummaryView(MessageView):
    """Closed at first. The summary is plain text."""

    undo_summary_wanted = Signal(object)  # Summary

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.folding = Folding(
            theme,
            "summary",
            tr("Show or hide what the model reads instead of the older messages"),
            tr("Summary"),
            TALLEST,
            self,
        )
        self.folding.toggled.connect(self.resized)
        self.words = Label(theme, "", CAPTION_PX, colour="secondary", name="summary_words", parent=self)
        self.undo_button = IconButton(
            theme,
            "undo",
            tr("Undo the summary: the model reads the messages themselves again"),
            "summary_undo",
            self._undo,
            label=tr("Undo"),
            parent=self,
        )
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        summary = message.summary
        if summary is None:
            return
        line = plural("Summary of {count} older message", "Summary of {count} older messages", summary.count)
        if summary.is_undone:
            line = tr("{line} · undone", line=line)
        self.folding.show_line(line, "check", "secondary" if summary.is_undone else "success")
        self.folding.show_text(summary.text)
        self.words.show_text("" if summary.is_undone else told(message.text))
        self.undo_button.setVisible(not summary.is_undone)

    def arrange(self, width: int) -> int:
        px = self.theme.px
        size = self.undo_button.sizeHint()
        room = 0 if self.undo_button.isHidden() else size.width() + px(8)
        self.folding.move(0, 0)
        line = self.folding.button.sizeHint().height()
        height = self.folding.arrange(width, room)
        if room:
            left = min(self.folding.button.geometry().right() + px(8), width - size.width())
            self.undo_button.setGeometry(left, (line - size.height()) // 2, size.width(), size.height())
            self.undo_button.raise_()
        if not self.words.isHidden():
            inner = width - px(24)
            tall = self.words.heightForWidth(inner)
            self.words.setGeometry(px(20), height + px(2), inner, tall)
            height += tall + px(4)
        self.resize(width, height)
        return height

    def has_selection(self) -> bool:
        return self.folding.has_selection()

    def _undo(self) -> None:
        self.undo_summary_wanted.emit(self.message.summary)
