"""Half a second in which nothing can be answered: what was meant for another window answers nothing."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

ARM_MS = 500
_STEPS = 5
# A step that comes this late means that the window stood still: nothing was painted, input piled up.
_STALL_MS = 300

_Type = QEvent.Type
_INPUT = frozenset(
    {
        _Type.KeyPress,
        _Type.KeyRelease,
        _Type.ShortcutOverride,
        _Type.Shortcut,
        _Type.InputMethod,
        _Type.MouseButtonPress,
        _Type.MouseButtonRelease,
        _Type.MouseButtonDblClick,
        _Type.TouchBegin,
        _Type.TouchUpdate,
        _Type.TouchEnd,
        _Type.TabletPress,
        _Type.TabletRelease,
        _Type.ContextMenu,
    }
)
_PRESSES = frozenset({_Type.MouseButtonPress, _Type.MouseButtonDblClick, _Type.TouchBegin, _Type.TabletPress})
# To another question of the queue, which answers nothing.
_STEP_KEYS = frozenset({Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})
_ANSWER_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape})


class Arming(QObject):
    """Swallows keys and clicks of a window until it has been active for half a second.

    It begins again at every showing and every activation. Call `watch` when all children are there.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, arm_ms: int = ARM_MS, free: QWidget | None = None) -> None:
        """What is pressed in `free` answers nothing, and is let through at any time."""
        super().__init__(window)
        self._window = window
        self._free = free
        self._steps = 0
        self._armed = False
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse one may come early
        self._timer.setInterval(arm_ms // _STEPS)
        self._timer.timeout.connect(self._on_step)

    @property
    def armed(self) -> bool:
        return self._armed

    def watch(self) -> None:
        """Stand before the window and every widget in it."""
        for widget in (self._window, *self._window.findChildren(QWidget)):
            if self._free is None or not (widget is self._free or self._free.isAncestorOf(widget)):
                widget.installEventFilter(self)

    def restart(self) -> None:
        """Another question is shown in the same window: half a second for it, too."""
        self.watch()
        self._begin()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window and kind in (_Type.Show, _Type.WindowActivate):
            self._begin()
        elif watched is self._window and kind in (_Type.Hide, _Type.WindowDeactivate):
            self._on_left()
        if kind not in _INPUT or not self._is_stray(event):
            return False
        if kind in _PRESSES and not self._window.isActiveWindow():
            self._window.activateWindow()  # where no window manager does it
        event.accept()  # a key that nobody took would go on to the parent, and a shortcut would fire
        return True

    def _is_stray(self, event: QEvent) -> bool:
        """Too early, the second half of a double click, or a key that has been held down since."""
        if isinstance(event, QKeyEvent) and _is_step(event):
            return False
        if not self._armed or event.type() is _Type.MouseButtonDblClick:
            return True
        return isinstance(event, QKeyEvent) and event.isAutoRepeat() and event.key() in _ANSWER_KEYS

    def _begin(self) -> None:
        self._steps = 0
        self._set(False)
        if self._window.isActiveWindow():
            self._since.start()
            self._timer.start()

    def _on_left(self) -> None:
        # A menu of the window itself may take the activation on some systems.
        if QApplication.activePopupWidget() is None:
            self._timer.stop()
            self._set(False)

    def _on_step(self) -> None:
        stalled = self._since.restart() > _STALL_MS
        self._steps = 0 if stalled else self._steps + 1
        if not self._window.isActiveWindow():
            self._timer.stop()
        elif self._steps >= _STEPS:
            self._timer.stop()
            self._set(True)

    def _set(self, armed: bool) -> None:
        if armed is not self._armed:
            self._armed = armed
            self.changed.emit(armed)


def _is_step(event: QKeyEvent) -> bool:
    return event.key() in _STEP_KEYS and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
