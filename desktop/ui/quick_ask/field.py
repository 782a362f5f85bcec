"""Where the question is typed: one line that grows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.ui.chat.composer import ComposerText
from desktop.ui.language import later, tr

FIELD_PX = 18.0
ASK, FOLLOW_UP = later("Ask Steward…"), later("Ask a follow-up…")
MOST_LINES = 6


class QuickField(ComposerText):
    """The chat's text field with the keys of Quick-ask. Main thread only."""

    window_pressed = Signal()
    copy_pressed = Signal()
    new_pressed = Signal()
    moved = Signal(int)  # up or down among the suggestions

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("quick_ask_text")
        self.setAccessibleName(tr("Question to Steward"))
        self.setPlaceholderText(tr(ASK))
        self.setStyleSheet("border: none; background: transparent")
        self.setProperty("ring_on_parent", False)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # Hebrew stands at the right
        self.document().setDefaultTextOption(option)
        self.steps = False  # whether arrows choose among suggestions

    def tallest(self) -> int:
        """The height of as many lines as are shown at most."""
        return MOST_LINES * self.fontMetrics().lineSpacing() + 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            super().keyPressEvent(event)
            event.accept()  # also an Esc that the text has no use for: the window must not hide of it
            return
        command = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if command and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.window_pressed.emit()
        elif command and event.key() == Qt.Key.Key_N:
            self.new_pressed.emit()
        elif event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_pressed.emit()
        elif self.steps and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)
