"""The one global hotkey: on, off, other keys, and what became of it in words."""

from __future__ import annotations

import os
import sys

import structlog
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence

from desktop.reasons import Reason
from desktop.system.hotkey.grabber import (
    Grabber,
    GrabResult,
    HotkeyPress,
    HotkeyState,
    NoGrabber,
    not_keys,
    off,
    state_of,
)
from desktop.system.hotkey.keys import Keys

log = structlog.get_logger(__name__)


class GlobalHotkey(QObject):
    """Main thread only. `close` lets go of the keys.

    `problem` is the state when something is wrong, once for the same keys and reason.
    """

    pressed = Signal(object)  # HotkeyPress
    state_changed = Signal(object)  # HotkeyState
    problem = Signal(object)  # HotkeyState

    def __init__(self, grabber: Grabber, command: str, parent: QObject | None = None) -> None:
        """`command` opens Quick-ask from outside, for desktops that bind commands to keys."""
        super().__init__(parent)
        self._grabber = grabber
        self.command = command  # what opens Quick-ask from outside
        self.state = off()
        self._said: set[tuple[str, Reason]] = set()

    def use(self, text: str) -> None:
        """Listen for the keys written as `text`; "" switches the hotkey off.

        Nothing happens when they are the ones that work already.
        """
        if text == self.state.keys and (self.state.works or self.state.is_waiting or not text):
            return
        self._grabber.release()
        keys = Keys.read(text) if text else None
        if keys is None:
            self._set(not_keys(text) if text else off())
        else:
            self._grabber.take(keys, self._on_pressed, lambda grabbed: self._on_told(text, grabbed))

    def rest(self, resting: bool) -> None:
        """Let go of the keys for a while, so that they can be pressed in a field, and take them again.

        A desktop that holds the keys itself would ask the user each time: there they stay.
        """
        keys = Keys.read(self.state.keys)
        if keys is None or not self.state.works or not self._grabber.can_rest:
            return
        self._grabber.release()
        if not resting:
            text = self.state.keys
            self._grabber.take(keys, self._on_pressed, lambda grabbed: self._on_told(text, grabbed))

    def close(self) -> None:
        """Let go of the keys; nothing is said any more."""
        self._grabber.release()
        self.state = off()

    # -- inside -------------------------------------------------------------------------------

    def _on_pressed(self, press: HotkeyPress) -> None:
        self.pressed.emit(press)

    def _on_told(self, text: str, grabbed: GrabResult) -> None:
        log.info("hotkey", hotkey=text, grab=grabbed.grab.value, detail=grabbed.detail)
        self._set(state_of(text, native(text), grabbed, self.command))

    def _set(self, state: HotkeyState) -> None:
        self.state = state
        self.state_changed.emit(state)
        said = (state.keys, state.words)
        # The same notification need not be shown twice.
        if state.is_problem and said not in self._said:
            self._said.add(said)
            self.problem.emit(state)


def native(text: str) -> str:
    """The keys as this system writes them: symbols on macOS."""
    return QKeySequence(text).toString(QKeySequence.SequenceFormat.NativeText) or text


def grabber(app_id: str) -> Grabber:
    """The way to a hotkey that this system has. Main thread, with a QGuiApplication."""
    try:
        return _grabber(app_id)
    except (ImportError, KeyError, OSError, RuntimeError) as error:
        log.info("no way to a hotkey", error=str(error))
        return NoGrabber()


def _grabber(app_id: str) -> Grabber:
    if sys.platform == "win32":
        from desktop.system.hotkey.windows import RealUser32, WindowsGrabber

        return WindowsGrabber(RealUser32())
    if sys.platform == "darwin":
        from desktop.system.hotkey.macos import MacGrabber, RealCarbon

        return MacGrabber(RealCarbon())
    if is_wayland():
        from desktop.system.hotkey.portal import PortalGrabber
        from desktop.system.session_bus import SessionBus

        return PortalGrabber(SessionBus(), app_id)
    if QGuiApplication.platformName() == "xcb":
        from desktop.system.hotkey.x11 import X11Grabber
        from desktop.system.hotkey.xcb import Xcb

        return X11Grabber(Xcb())
    return NoGrabber()


def is_wayland() -> bool:
    """Also where Qt itself runs under XWayland: grabs there do not reach the other windows' keys."""
    return QGuiApplication.platformName().startswith("wayland") or (
        os.environ.get("XDG_SESSION_TYPE") == "wayland" or bool(os.environ.get("WAYLAND_DISPLAY"))
    )
