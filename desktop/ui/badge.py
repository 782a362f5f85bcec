"""A small frame with an icon and a word."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from desktop.ui.labels import Label, Sign
from desktop.ui.theme import SMALL_PX, Theme

RADIUS = 6


class Badge(QFrame):
    """Says one thing: the icon may have a colour, the word has that of the text. Takes no focus."""

    def __init__(
        self,
        theme: Theme,
        icon: str,
        word: str,
        sentence: str = "",
        colour: str = "secondary",
        name: str = "",
    ) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName(name)
        self.setToolTip(sentence)
        self.setAccessibleName(word)
        self.setAccessibleDescription(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._word = Label(theme, word, SMALL_PX, name=f"{name}_word", parent=self)
        self._word.setWordWrap(False)
        self._word.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(theme, icon, colour), 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._word)
        theme.changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        px = self._theme.px
        self._row.setContentsMargins(px(6), px(3), px(8), px(3))
        self._row.setSpacing(px(4))
        edge = "palette(window-text)" if self._theme.high_contrast else self._theme.tokens.control_border
        self.setStyleSheet(f"Badge {{ border: 1px solid {edge}; border-radius: {px(RADIUS)}px; }}")
