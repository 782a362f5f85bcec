"""What a model thought before it answered: one line that opens."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop.ui.chat.folding import Folding
from desktop.ui.language import tr
from desktop.ui.theme import Theme

TALLEST = 192


class ThinkingView(Folding):
    """Hidden where there was no thinking."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(
            theme,
            "thinking",
            tr("Show or hide what the model was thinking"),
            tr("What the model was thinking"),
            TALLEST,
            parent,
        )
        self.hide()

    def show_thinking(self, thinking: str, seconds: float | None, going_on: bool) -> None:
        """What there is of it up to now, and how long it took."""
        self.setVisible(bool(thinking))
        self.show_line(tr("Thinking…") if going_on else _words(seconds))
        self.show_text(thinking)


def _words(seconds: float | None) -> str:
    return tr("Thought") if seconds is None else tr("Thought for {seconds} s", seconds=max(1, round(seconds)))
