"""A small bar that is filled as far as something is used; the number stands beside it in words."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from desktop.ui import theme

HEIGHT_PX, OUTLINED_PX = 4, 6


def paint_meter(painter: QPainter, left: int, middle: int, width: int, share: float, ink: str) -> None:
    """Paint it from `left`, around the line `middle`; `ink` names the colour of what is filled.

    High contrast has one colour for both parts: there the whole is told by its outline.
    """
    outlined = theme.current().high_contrast
    height = theme.px(OUTLINED_PX if outlined else HEIGHT_PX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    whole = QRectF(left, middle - height // 2, width, height)
    if outlined:
        painter.setPen(QPen(theme.colour("text"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        whole.adjust(0.5, 0.5, -0.5, -0.5)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("hairline"))
    painter.drawRoundedRect(whole, height / 2, height / 2)
    if share > 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(ink))
        filled = QRectF(left, whole.top(), max(height, round(width * min(share, 1.0))), whole.height())
        painter.drawRoundedRect(filled, height / 2, height / 2)
