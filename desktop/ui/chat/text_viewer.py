"""A window that shows one text as it is: an attachment, what a tool gave back, a summary."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.ui.labels import Label, button
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme

LONGEST_SHOWN = 500_000  # characters; what is beyond is said, and copied all the same


class TextViewer(QDialog):
    """Plain text, read-only, never interpreted. Not modal; main thread only."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setObjectName("text_viewer")
        self.title = Label(theme, "", bold=True, name="text_viewer_title")
        self.words = Label(theme, "", SMALL_PX, colour="secondary", name="text_viewer_words")
        self.box = QPlainTextEdit()
        self.box.setObjectName("text_viewer_text")
        self.box.setReadOnly(True)
        self.box.setTabChangesFocus(True)
        copy = button(tr("Copy"), "text_viewer_copy", described=tr("Copy the whole text"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        close = button(tr("Close"), "text_viewer_close")
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(copy)
        row.addWidget(close)
        outer = QVBoxLayout(self)
        margin = theme.px(16)
        outer.setContentsMargins(margin, margin, margin, margin)
        for part in (self.title, self.words):
            outer.addWidget(part)
        outer.addWidget(self.box, 1)
        outer.addLayout(row)
        self.resize(theme.px(680), theme.px(520))

    def show_text(self, title: str, text: str, words: str = "") -> None:
        """Show `text` under `title`; `words` say what it is."""
        self._text = text
        self.setWindowTitle(title)
        self.title.setText(title)
        if len(text) > LONGEST_SHOWN:
            count = len(text) - LONGEST_SHOWN
            more = tr("{count:,} characters at the end are not shown; Copy takes all of it.", count=count)
            words = f"{words} {more}".strip()
        self.words.show_text(words)
        self.box.setPlainText(text[:LONGEST_SHOWN])
        self.box.setAccessibleName(title)
        self.show()
        self.raise_()
        self.activateWindow()
        self.box.setFocus()
