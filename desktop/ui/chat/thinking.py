"""What a model thought before it answered: one line that opens."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop.ui.chat.folding import Folding
from desktop.ui.theme import Theme

TALLEST = 192


class ThinkingView(Folding):
    """Hidden where there was no thinking."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(
            theme,
            "thinking",
            "Show or hide what the model was thinking",
            "What the model was thinking",
            TALLEST,
            parent,
        )
        self.hide()

    def show_thinking(self, thinking: str, seconds: float | None, going_on: bool) -> None:
        """What there is of it up to now, and how long it took."""
        self.setVisible(bool(thinking))
        self.show_line("Thinking…" if going_on else _words(seconds))
        self.show_text(thinking)


def _words(seconds: float | None) -> str:
    return "Thought" if seconds is None else f"Thought for {max(1, round(seconds))} s"
