"""A frame around what belongs together."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.ui.theme import Theme


class Card(QFrame):
    """A rounded surface with a border; its `column` takes what lies on it. Follows the theme."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._theme = theme
        self.column = QVBoxLayout(self)
        theme.changed.connect(self._restyle_card)
        self._restyle_card()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, radius = self._theme, self._theme.px(8)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("hairline" if not theme.high_contrast else "text"), 1))
        painter.setBrush(theme.colour("surface_1"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _restyle_card(self) -> None:
        px = self._theme.px
        self.column.setContentsMargins(px(16), px(12), px(16), px(12))
        self.column.setSpacing(px(4))
        self.update()
