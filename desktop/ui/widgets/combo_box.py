"""A box to choose from, with the arrow of our own icons: a style sheet takes the system's away."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from desktop.ui import theme

ARROW_PX = 14


class ComboBox(QComboBox):
    """Follows the theme. Main thread only."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setToolTip(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = theme.px(ARROW_PX)
        margin = theme.px(8)
        # In a script from the right the arrow stands at the left.
        left = margin if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else None
        x = self.width() - side - margin if left is None else left
        painter = QPainter(self)
        theme.icon("chevron-down").paint(painter, QRect(x, (self.height() - side) // 2, side, side))
        painter.end()
