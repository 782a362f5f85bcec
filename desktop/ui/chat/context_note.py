"""What is offered before the context is full: nothing has been left out yet."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QWidget

from desktop.ui.buttons import IconButton
from desktop.ui.labels import Label, Sign
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme

NARROW = 480


class ContextNote(QFrame):
    """One line above the text with a button; gone until there is something to say. Main thread only."""

    summarise_wanted = Signal()
    dismissed = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("context_note")
        self._sign = Sign(theme, "warning", "warning", SMALL_PX)
        self.label = Label(theme, "", SMALL_PX, name="context_note_words")
        self.button = IconButton(
            theme,
            "",
            tr("Have the model summarise the older messages; they stay in the chat"),
            "context_note_summarise",
            self.summarise_wanted.emit,
            label=tr("Summarise older messages"),
        )
        self.button.setProperty("link", True)
        self.cross = IconButton(
            theme, "close", tr("Hide this note"), "context_note_hide", self._hide, size=24
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(6), 0, 0, 0)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        self._words = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._words.addWidget(self.label, 1)
        self._words.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(self._words, 1)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.hide()

    def heightForWidth(self, width: int) -> int:
        """In a narrow window the button stands under the words."""
        narrow = width < self._theme.px(NARROW)
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if direction != self._words.direction():
            self._words.setDirection(direction)
        return super().heightForWidth(width)

    def show_words(self, words: str, can_summarise: bool = True) -> None:
        """Empty words take it away."""
        changed = words != self.label.text() or self.isHidden() == bool(words)
        self.label.setText(words)
        self.setAccessibleName(words)
        self.button.setVisible(can_summarise)
        self.setVisible(bool(words))
        if changed:
            self.height_changed.emit()

    def set_working(self, working: bool) -> None:
        """The model is summarising."""
        self.button.setEnabled(not working)
        self.button.setText(tr("Summarising…") if working else tr("Summarise older messages"))
        self.button.restyle()

    def _hide(self) -> None:
        self.show_words("")
        self.dismissed.emit()
