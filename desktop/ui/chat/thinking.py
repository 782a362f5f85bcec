"""What a model thought before it answered: one line that opens."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget

from desktop.ui.chat.prose import ProseView
from desktop.ui.theme import SMALL_PX, Theme

TALLEST = 192


class ThinkingView(QWidget):
    """Closed at first. The text is plain and drawn only while it is open."""

    toggled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._thinking = ""
        self.button = QToolButton(self)
        self.button.setObjectName("thinking")
        self.button.setCheckable(True)
        self.button.setFont(theme.font(SMALL_PX))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setToolTip("Show or hide what the model was thinking")
        self.button.toggled.connect(self._on_toggled)
        self._area = QScrollArea(self)
        self._area.setObjectName("thinking_area")
        self._area.setAccessibleName("What the model was thinking")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._text = ProseView(theme, size=SMALL_PX, ink="secondary")
        self._area.setWidget(self._text)
        self._area.hide()
        self.hide()

    def show_thinking(self, thinking: str, seconds: float | None, going_on: bool) -> None:
        """Hidden where there was no thinking."""
        self.setVisible(bool(thinking))
        words = "Thinking…" if going_on else _words(seconds)
        self.button.setText(f"{words} {'⌄' if self.button.isChecked() else '›'}")
        self.button.setAccessibleName(
            f"{words.rstrip('…')}, {'open' if self.button.isChecked() else 'closed'}"
        )
        if thinking != self._thinking:
            self._thinking = thinking
            if self.button.isChecked():
                self._text.set_plain(thinking)

    def arrange(self, width: int) -> int:
        px = self._theme.px
        hint = self.button.sizeHint()
        self.button.setGeometry(-px(6), 0, hint.width(), hint.height())
        height = hint.height()
        if self.button.isChecked():
            text = self._text.arrange(width - px(32))
            shown = min(px(TALLEST), text)
            self._area.setGeometry(px(12), height + px(4), width - px(12), shown)
            height += shown + px(4)
        self.resize(QSize(width, height))
        return height

    def has_selection(self) -> bool:
        return self._text.has_selection()

    def _on_toggled(self, is_open: bool) -> None:
        if is_open:
            self._text.set_plain(self._thinking)
        self._area.setVisible(is_open)
        self.button.setText(self.button.text()[:-1] + ("⌄" if is_open else "›"))
        self.toggled.emit()


def _words(seconds: float | None) -> str:
    return "Thought" if seconds is None else f"Thought for {max(1, round(seconds))} s"
