"""Three dots and a few words until the first token is there."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme

STEP_MS = 300


class Dots(QWidget):
    """One dot after the other is darker; all are still where the system asks for less motion."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ""
        self._step = 0
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._on_step)
        self.setObjectName("waiting")
        self.setAccessibleName(tr("Waiting for the answer"))

    def set_words(self, words: str) -> None:
        """What is being waited for; empty for the dots alone."""
        self._words = words
        self.setAccessibleName(words or tr("Waiting for the answer"))
        self.update()

    @property
    def words(self) -> str:
        return self._words

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._theme.reduced_motion:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        px = self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        for number in range(3):
            lit = number == self._step % 3
            painter.setBrush(self._theme.colour("text" if lit else "control_border"))
            painter.drawEllipse(QPointF(px(4) + number * px(10), middle), px(3), px(3))
        painter.setPen(self._theme.colour("secondary"))
        painter.setFont(self._theme.font(SMALL_PX))
        left = px(40)
        room = QRect(left, 0, self.width() - left, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)

    def _on_step(self) -> None:
        self._step += 1
        self.update()
