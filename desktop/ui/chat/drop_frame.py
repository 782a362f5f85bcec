"""Says where files may be dropped while they are dragged over the chat."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.ui.language import tr
from desktop.ui.theme import Theme

RADIUS, MARGIN, LINE = 12, 10, 2
VEIL = 0.9  # how much of the messages it covers


class DropFrame(QWidget):
    """A dashed frame over a widget, with "Drop to attach" in it. Never in the way of what is dropped."""

    def __init__(self, theme: Theme, area: QWidget) -> None:
        super().__init__(area)
        self._theme = theme
        self.setObjectName("drop_frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.words)
        self.hide()

    @property
    def words(self) -> str:
        return tr("Drop to attach")

    def show_over(self, shown: bool) -> None:
        """Over all of the area as it is now, or away."""
        area = self.parentWidget()
        if shown and area is not None:
            self.setGeometry(area.rect())
            self.raise_()
        self.setVisible(shown)

    def paintEvent(self, _event: QPaintEvent) -> None:
        px = self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(px(MARGIN), px(MARGIN), -px(MARGIN), -px(MARGIN))
        veil = self._theme.colour("background")
        veil.setAlphaF(VEIL)
        painter.setBrush(veil)
        painter.setPen(QPen(self._theme.colour("accent"), px(LINE), Qt.PenStyle.DashLine))
        painter.drawRoundedRect(frame, px(RADIUS), px(RADIUS))
        painter.setPen(self._theme.colour("text"))
        painter.setFont(self._theme.font())
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, self.words)
