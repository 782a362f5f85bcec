"""A check box whose box grows with the text and can be seen in every theme."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.theme import SMALL_PX

BOX_PX, GAP_PX = 18, 10


class CheckBox(QCheckBox):
    """Follows the theme; words in the colour called `ink`. Main thread only."""

    def __init__(self, text: str, name: str, ink: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._ink = ink
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.current().changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        px, metrics = theme.px, self.fontMetrics()
        width = px(BOX_PX) + px(GAP_PX) + metrics.horizontalAdvance(self.text()) + px(4)
        return QSize(width, max(px(BOX_PX) + 2, metrics.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = theme.px(BOX_PX)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        box = QRectF(self.width() - side if mirrored else 0, (self.height() - side) / 2, side, side)
        self._paint_box(painter, box)
        painter.setPen(theme.colour(self._ink))
        words = self.rect().adjusted(
            0 if mirrored else side + theme.px(GAP_PX), 0, -(side + theme.px(GAP_PX)) if mirrored else 0, 0
        )
        align = Qt.AlignmentFlag.AlignVCenter | (
            Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        )
        painter.drawText(words, align | Qt.TextFlag.TextShowMnemonic, self.text())
        painter.end()

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        """Filled with a tick, or an empty frame: told by shape, not by colour alone."""
        on = self.isChecked()
        inner = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.colour("accent" if on else "control_border"), 1))
        painter.setBrush(theme.colour("accent") if on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(inner, theme.px(4), theme.px(4))
        if on:
            margin = theme.px(2)
            area = box.toRect().adjusted(margin, margin, -margin, -margin)
            theme.icon("check", "on_accent").paint(painter, area)

    def _restyle(self) -> None:
        self.setFont(theme.font(SMALL_PX))
        self.updateGeometry()
        self.update()
