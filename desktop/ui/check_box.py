"""A check box whose square and tick are drawn in the colours of the theme, at every size of text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QWidget

from desktop.ui.theme import BODY_PX, Theme

SIDE, GAP, RADIUS = 18, 8, 4


class CheckBox(QCheckBox):
    """The platform's own square is a grey that cannot be seen on a dark ground. Follows the theme."""

    def __init__(self, theme: Theme, words: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(words.replace("&", ""))
        theme.changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        self.setFont(self._theme.font(BODY_PX))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text())
        side = self._theme.px(SIDE)
        return QSize(
            side + self._theme.px(GAP) + words.width(), max(side, words.height()) + self._theme.px(6)
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_square(painter)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        shown = Qt.TextFlag.TextShowMnemonic
        if not self.style().styleHint(QStyle.StyleHint.SH_UnderlineShortcut, option, self):
            shown = Qt.TextFlag.TextHideMnemonic
        painter.setPen(self._theme.colour("text"))
        where = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        gap = self._theme.px(SIDE) + self._theme.px(GAP)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        room = self.rect().adjusted(0, 0, -gap, 0) if mirrored else self.rect().adjusted(gap, 0, 0, 0)
        painter.drawText(room, where | shown, self.text())

    def hitButton(self, _pos: QPoint) -> bool:
        """The words belong to it as much as the square."""
        return True

    def _square(self) -> QRect:
        side = self._theme.px(SIDE)
        top = (self.height() - side) // 2
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        return QRect(self.width() - side if mirrored else 0, top, side, side)

    def _draw_square(self, painter: QPainter) -> None:
        ticked = self.isChecked()
        square = self._square()
        painter.setPen(QPen(self._theme.colour("accent" if ticked else "control_border"), 1.5))
        if ticked:
            painter.setBrush(self._theme.colour("accent"))
        inner = square.toRectF().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inner, self._theme.px(RADIUS), self._theme.px(RADIUS))
        if ticked:
            inset = self._theme.px(2)
            self._theme.icon("check", "on_accent").paint(
                painter, square.adjusted(inset, inset, -inset, -inset)
            )
