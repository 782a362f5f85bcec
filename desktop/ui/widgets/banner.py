"""A line over a page or a chat that stays for as long as something is so: a sign, words, and the way out."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label, Sign


class Banner(QFrame):
    """Hidden until it has words; its colour is the style sheet's, by `name`. What else belongs into `row`,
    the way out last, is added by whoever extends it. Main thread only.
    """

    def __init__(self, name: str, sign: Sign, colour: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}_banner")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.words = Label("", SMALL_PX, colour=colour, name=f"{name}_words", parent=self)
        self.row = theme.space(QHBoxLayout(self), 8, (12, 8, 8, 8))
        self.row.addWidget(sign)
        self.row.addWidget(self.words, 1)
        self.hide()

    def show_words(self, words: str) -> None:
        """Empty words take it away."""
        self.words.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))
