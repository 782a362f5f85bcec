"""Does the user look? A pointer that rests over a window says nothing: it was there before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

LOOK_MS = 10_000  # for so long after it was moved, the pointer counts

_Type = QEvent.Type
_ACTS = frozenset(
    {
        _Type.KeyPress,
        _Type.MouseButtonPress,
        _Type.Wheel,
        _Type.TouchBegin,
        _Type.TabletPress,
        _Type.TabletMove,
    }
)


class Attention(QObject):
    """Follows one window: it is looked at while it is active, and for a while after anything is done in it.

    Call `watch` when the window's children are there, and again for those that come later.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, look_ms: int = LOOK_MS) -> None:
        super().__init__(window)
        self._window = window
        self._seen = False
        self._last: QPointF | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(look_ms)
        self._timer.timeout.connect(self._tell)

    @property
    def is_there(self) -> bool:
        """Whether somebody looks now."""
        return self._window.isVisible() and (self._window.isActiveWindow() or self._timer.isActive())

    def watch(self) -> None:
        """Hear of everything that happens in the window and in its children."""
        for widget in (self._window, *self._window.findChildren(QWidget)):
            widget.setMouseTracking(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _ACTS or (isinstance(event, QMouseEvent) and self._moved(event)):
            self._timer.start()
            self._tell()
        elif watched is self._window and kind in (
            _Type.WindowActivate,
            _Type.WindowDeactivate,
            _Type.Show,
            _Type.Hide,
        ):
            self._last = None
            if kind is _Type.Hide:
                self._timer.stop()
            QTimer.singleShot(0, self, self._tell)  # the widgets know only then
        return False

    def _moved(self, event: QMouseEvent) -> bool:
        """A window that opens below the pointer is told of a move that was none."""
        if event.type() is not _Type.MouseMove:
            return False
        before, self._last = self._last, event.globalPosition()
        return before is not None and before != self._last

    def _tell(self) -> None:
        if self.is_there is not self._seen:
            self._seen = self.is_there
            self.changed.emit(self._seen)
