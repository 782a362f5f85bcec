"""A hotkey on Windows: RegisterHotKey, whose message comes through Qt's event loop.

The thread that handles WM_HOTKEY may bring its window to the front; a low-level keyboard hook may not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QAbstractNativeEventFilter, QCoreApplication

from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys, Modifier

WM_HOTKEY = 0x0312
NO_REPEAT = 0x4000
ALREADY_REGISTERED = 1409
HOTKEY_ID = 1
MASKS = {Modifier.ALT: 1, Modifier.CTRL: 2, Modifier.SHIFT: 4, Modifier.META: 8}


class User32(Protocol):
    """The functions of user32 that are used."""

    def register(self, number: int, modifiers: int, key: int) -> int:
        """0, or the system's error."""
        ...

    def unregister(self, number: int) -> None: ...


class RealUser32:
    """This computer's. Calls belong on the main thread: the message goes to the thread that registered."""

    def __init__(self) -> None:
        # Only Windows has these two names.
        self._user32: Any = getattr(ctypes, "WinDLL")("user32", use_last_error=True)  # noqa: B009
        self._last_error: Any = getattr(ctypes, "get_last_error")  # noqa: B009

    def register(self, number: int, modifiers: int, key: int) -> int:
        if self._user32.RegisterHotKey(None, number, modifiers, key):
            return 0
        return int(self._last_error()) or -1

    def unregister(self, number: int) -> None:
        self._user32.UnregisterHotKey(None, number)


class _Message(ctypes.Structure):
    """The head of a MSG (winuser.h)."""

    _fields_ = (("hwnd", ctypes.c_void_p), ("message", ctypes.c_uint), ("wparam", ctypes.c_size_t))


class WindowsGrabber(QAbstractNativeEventFilter):
    """A `Grabber`. Main thread only."""

    can_rest = True

    def __init__(self, user32: User32) -> None:
        super().__init__()
        self._user32 = user32
        self._held = False
        self._pressed: Callable[[HotkeyPress], None] = lambda _press: None

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.release()
        # Without MOD_NOREPEAT a held key would press again and again.
        modifiers = NO_REPEAT | sum(MASKS[modifier] for modifier in keys.modifiers)
        error = self._user32.register(HOTKEY_ID, modifiers, keys.codes.windows)
        if error:
            grab = GrabStatus.TAKEN if error == ALREADY_REGISTERED else GrabStatus.REFUSED
            tell(GrabResult(grab, detail=f"Windows error {error}"))
            return
        self._held, self._pressed = True, pressed
        application = QCoreApplication.instance()
        assert application is not None
        application.installNativeEventFilter(self)
        tell(GrabResult(GrabStatus.READY))

    def release(self) -> None:
        if not self._held:
            return
        self._held = False
        application = QCoreApplication.instance()
        if application is not None:
            application.removeNativeEventFilter(self)
        self._user32.unregister(HOTKEY_ID)

    def nativeEventFilter(self, kind: Any, message: Any) -> tuple[bool, int]:
        if not bytes(kind).startswith(b"windows_"):
            return False, 0
        head = _Message.from_address(int(message))
        if head.message != WM_HOTKEY or head.wparam != HOTKEY_ID:
            return False, 0
        self._pressed(HotkeyPress())
        return True, 0
