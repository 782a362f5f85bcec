"""The user marks a part of the screen: a still picture of it, darkened, on which a frame is drawn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from desktop.ui.language import tr, tr_noop
from desktop.ui.widgets.layout import named

SMALLEST_PX = 8  # less is a click that slipped
SHADE = QColor(0, 0, 0, 110)
STEP_PX = 10
HINT = tr_noop("Drag a frame around what Steward may see. Esc cancels.")


class RegionPicker(QWidget):
    """Covers all screens until a frame is drawn or Esc is pressed, then calls `done` once.

    By keyboard: arrows move the cursor, Space sets the first corner and then the second.
    """

    def __init__(self, picture: QPixmap, done: Callable[[QRect | None], None]) -> None:
        # A picture and no hole to look through: what moves on would not be what was marked.
        super().__init__(None, Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        named(self, "region_picker", tr("Select a part of the screen"))
        self.setAccessibleDescription(tr(HINT))
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._picture = picture
        self._done: Callable[[QRect | None], None] | None = done
        self._start: QPoint | None = None
        self._end = QPoint()
        area = QRect()
        for screen in QGuiApplication.screens():
            # One window over all screens, so that a frame may reach from one to the next.
            area = area.united(screen.geometry())
        self.setGeometry(area)

    @property
    def frame(self) -> QRect:
        """What is marked now, in this widget's coordinates."""
        if self._start is None:
            return QRect()
        left, right = sorted((self._start.x(), self._end.x()))
        top, bottom = sorted((self._start.y(), self._end.y()))
        return QRect(left, top, right - left, bottom - top)

    def open(self) -> RegionPicker:
        """Show it over everything; the cursor of the keyboard begins in the middle.

        Returns itself: whoever asked holds it, or it is gone before anything can be marked.
        """
        # Where the pointer is unknown, as to who works by keyboard alone.
        self._end = self.rect().center()
        self.show()
        self.raise_()
        self.activateWindow()
        self.setFocus()
        return self

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(self.rect(), self._picture)
        painter.fillRect(self.rect(), SHADE)
        if frame := self.frame:
            # Undarkened, so that what is marked looks as it will be seen.
            painter.drawPixmap(frame, self._picture, self._in_picture(frame))
            painter.setPen(QPen(QColor("white"), 2))
            painter.drawRect(frame)
        self._draw_hint(painter)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._start, self._end = event.position().toPoint(), event.position().toPoint()
        else:
            self._finish(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._end = event.position().toPoint()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._end = event.position().toPoint()
        self._take()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: QPoint(-STEP_PX, 0),
            Qt.Key.Key_Right: QPoint(STEP_PX, 0),
            Qt.Key.Key_Up: QPoint(0, -STEP_PX),
            Qt.Key.Key_Down: QPoint(0, STEP_PX),
        }
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape:
            self._finish(None)
        elif key in moves:
            self._end += moves[key]
            self.cursor().setPos(self.mapToGlobal(self._end))
            self.update()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return) and self._start is None:
            self._start = QPoint(self._end)
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
            self._take()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._finish(None)

    # -- inside -------------------------------------------------------------------------------

    def _take(self) -> None:
        frame = self.frame
        # A click is no frame; the next drag begins anew.
        if min(frame.width(), frame.height()) < SMALLEST_PX:
            self._start = None
            self.update()
            return
        self._finish(self._in_picture(frame))

    def _finish(self, frame: QRect | None) -> None:
        # Taken first: closing hides the window, which comes here again.
        done, self._done = self._done, None
        if done is not None:
            done(frame)
            self.close()

    def _in_picture(self, frame: QRect) -> QRect:
        """The rectangle in the picture's own pixels, which may be finer."""
        across = self._picture.width() / max(self.width(), 1)
        down = self._picture.height() / max(self.height(), 1)
        return QRect(
            round(frame.x() * across),
            round(frame.y() * down),
            round(frame.width() * across),
            round(frame.height() * down),
        )

    def _draw_hint(self, painter: QPainter) -> None:
        # In the middle of the whole area the words might stand across two screens.
        screen = QGuiApplication.primaryScreen().geometry().translated(-self.geometry().topLeft())
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        painter.setFont(font)
        words = painter.fontMetrics().boundingRect(tr(HINT)).adjusted(-16, -10, 16, 10)
        words.moveCenter(QPoint(screen.center().x(), screen.top() + 60))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 200))
        painter.drawRoundedRect(words, 8, 8)
        painter.setPen(QColor("white"))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, tr(HINT))
