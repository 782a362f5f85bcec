"""A small frame with an icon and a word."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from desktop.ui import theme
from desktop.ui.labels import Label, Sign
from desktop.ui.theme import SMALL_PX

RADIUS = 6


class Badge(QFrame):
    """Says one thing: the icon may have a colour, the word has that of the text. Takes no focus."""

    def __init__(
        self,
        icon: str,
        word: str,
        sentence: str = "",
        colour: str = "secondary",
        name: str = "",
    ) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setToolTip(sentence)
        self.setAccessibleName(word)
        self.setAccessibleDescription(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._word = Label(word, SMALL_PX, name=f"{name}_word", parent=self)
        self._word.setWordWrap(False)
        self._word.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(icon, colour), 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._word)
        theme.current().changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        self._row.setContentsMargins(theme.px(6), theme.px(3), theme.px(8), theme.px(3))
        self._row.setSpacing(theme.px(4))
        edge = "palette(window-text)" if theme.current().high_contrast else theme.tokens().control_border
        self.setStyleSheet(f"Badge {{ border: 1px solid {edge}; border-radius: {theme.px(RADIUS)}px; }}")
