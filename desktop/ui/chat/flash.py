"""A message that was jumped to is shown by a ring that fades away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.ui.theme import Theme

SHOWN_MS, FADE_MS, STEP_MS = 900, 480, 40


class Flash(QWidget):
    """Lies over `over`, lets the mouse through and ends by itself; with reduced motion it does not fade."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("flash")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self._strength = 1.0
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self._on_time)
        over.installEventFilter(self)
        self.setGeometry(over.rect())
        self.show()
        self.raise_()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        px = self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._strength)
        painter.setPen(QPen(self._theme.colour("focus"), px(2)))
        half = px(2) / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), px(8), px(8))
        painter.end()

    def _on_time(self) -> None:
        step = STEP_MS / FADE_MS
        if self._theme.reduced_motion or self._strength <= step:
            self.deleteLater()
            self.hide()
            return
        self._strength -= step
        self._timer.start(STEP_MS)
        self.update()


def flash(theme: Theme, view: QWidget) -> None:
    """Show `view` as the one that was meant."""
    for old in view.findChildren(Flash):
        old.hide()
        old.deleteLater()
    Flash(theme, view)
