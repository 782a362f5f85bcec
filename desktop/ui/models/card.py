"""A frame around what belongs together."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.ui import theme


class Card(QFrame):
    """A rounded surface with a border; its `column` takes what lies on it. Follows the theme."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.column = QVBoxLayout(self)
        theme.current().changed.connect(self._restyle_card)
        self._restyle_card()

    def paintEvent(self, _event: QPaintEvent) -> None:
        radius = theme.px(8)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("hairline" if not theme.current().high_contrast else "text"), 1))
        painter.setBrush(theme.colour("surface_1"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _restyle_card(self) -> None:
        self.column.setContentsMargins(theme.px(16), theme.px(12), theme.px(16), theme.px(12))
        self.column.setSpacing(theme.px(4))
        self.update()
