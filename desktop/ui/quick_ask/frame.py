"""A borderless window with round corners and a shadow, where the screen can show one."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QRegion, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop.ui import theme

RADIUS, SHADOW = 16, 20


class FramedWindow(QWidget):
    """Content belongs into `inner`. Without `composited` the corners are cut and there is no shadow."""

    def __init__(self, composited: bool) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags)
        self._composited = composited
        if composited:
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    @property
    def around(self) -> int:
        """The room for the shadow on each side."""
        return theme.px(SHADOW) if self._composited else 0

    @property
    def inner(self) -> QRect:
        """The visible frame, in the window's coordinates."""
        around = self.around
        return self.rect().adjusted(around, around, -around, -around)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._composited:
            self._paint_shadow(painter)
        inner = QRectF(self.inner).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = theme.px(RADIUS)
        painter.setPen(QPen(theme.colour("control_border"), 1))
        painter.setBrush(theme.colour("background"))
        painter.drawRoundedRect(inner, radius, radius)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._composited:
            self._cut_corners()

    def _paint_shadow(self, painter: QPainter) -> None:
        """Rings that grow fainter; a little lower than the window, as light from above throws it."""
        steps = self.around
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(steps, 0, -2):
            strength = (1 - step / steps) ** 2
            painter.setBrush(QColor(0, 0, 0, round(14 * strength)))
            grown = QRectF(self.inner).adjusted(-step, -step * 0.6, step, step)
            radius = theme.px(RADIUS) + step
            painter.drawRoundedRect(grown, radius, radius)

    def _cut_corners(self) -> None:
        path = QPainterPath()
        radius = theme.px(RADIUS)
        path.addRoundedRect(QRectF(self.rect()), radius, radius)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))
