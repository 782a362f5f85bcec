"""Where the focus was before our window took it, and back there."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes.util import find_library
from typing import Any, Protocol

import structlog
from PySide6.QtGui import QGuiApplication

from desktop.system.hotkey.xcb import Xcb

log = structlog.get_logger(__name__)

FROM_A_PAGER = 2  # EWMH: the source of a request that the user made, which window managers heed
CURRENT_TIME = 0


class PreviousWindow(Protocol):
    """Main thread only."""

    def remember(self, own: int) -> None:
        """Note who has the focus now, unless it is our window `own`."""
        ...

    def give_back(self) -> None:
        """Give the focus there, once. Called before our window is hidden; harmless when nothing is known."""
        ...

    def bring(self, own: int, activation_token: str) -> None:
        """Help our window `own`, which is shown, to the focus, as far as the system wants help."""
        ...


class NoPreviousWindow:
    """Wayland, where the compositor gives the focus back by itself, and everything unknown."""

    def remember(self, own: int) -> None:
        """Nobody may ask."""

    def give_back(self) -> None:
        """The compositor does it."""

    def bring(self, own: int, activation_token: str) -> None:  # noqa: ARG002 - only one window can be meant
        if activation_token:  # Qt's Wayland plug-in takes it from here when a window asks to be active
            os.environ["XDG_ACTIVATION_TOKEN"] = activation_token


class X11PreviousWindow:
    """Through the window manager, by EWMH."""

    def __init__(self, xcb: Xcb) -> None:
        self._xcb = xcb
        self._window = 0

    def remember(self, own: int) -> None:
        active = self._xcb.root_number("_NET_ACTIVE_WINDOW")
        # Asked again while our window is open: the one before it stays the answer.
        self._window = active if active != own else self._window

    def give_back(self) -> None:
        window, self._window = self._window, 0
        if window:
            self._activate(window)

    def bring(self, own: int, activation_token: str) -> None:  # noqa: ARG002 - X11 has none
        self._activate(own)

    def _activate(self, window: int) -> None:
        self._xcb.tell_manager(window, "_NET_ACTIVE_WINDOW", FROM_A_PAGER, CURRENT_TIME, 0)


class WindowsPreviousWindow:
    """The handler of a hotkey may set the foreground window, and who has it may pass it on."""

    def __init__(self, user32: Any) -> None:
        self._user32 = user32
        self._window = 0

    def remember(self, own: int) -> None:
        active = self._user32.GetForegroundWindow() or 0
        self._window = active if active != own else self._window

    def give_back(self) -> None:
        window, self._window = self._window, 0
        if window:
            self._user32.SetForegroundWindow(window)

    def bring(self, own: int, activation_token: str) -> None:  # noqa: ARG002 - Windows has none
        self._user32.SetForegroundWindow(own)


class MacPreviousWindow:
    """Hiding our program gives the focus to the one before; only while no other window of ours is open."""

    def __init__(self, hide: Any) -> None:
        self._hide = hide

    def remember(self, own: int) -> None:
        """macOS knows."""

    def give_back(self) -> None:
        others = [window for window in QGuiApplication.topLevelWindows() if window.isVisible()]
        if len(others) <= 1:
            self._hide()

    def bring(self, own: int, activation_token: str) -> None:
        """Qt activates the program by itself."""


def previous_window() -> PreviousWindow:
    """What this system has. Main thread, with a QGuiApplication."""
    try:
        return _previous_window()
    except OSError as error:
        log.info("the focus is given back by the desktop alone", error=str(error))
        return NoPreviousWindow()


def _previous_window() -> PreviousWindow:
    if sys.platform == "win32":
        user32: Any = getattr(ctypes, "WinDLL")("user32")  # noqa: B009 - only Windows has it
        user32.GetForegroundWindow.restype = ctypes.c_void_p
        user32.SetForegroundWindow.argtypes = (ctypes.c_void_p,)
        return WindowsPreviousWindow(user32)
    if sys.platform == "darwin":
        return MacPreviousWindow(_hide_application)
    if QGuiApplication.platformName() == "xcb":
        return X11PreviousWindow(Xcb())
    return NoPreviousWindow()


def _hide_application() -> None:
    """`[[NSApplication sharedApplication] hide: nil]`."""
    runtime: Any = ctypes.CDLL(find_library("objc"))
    runtime.objc_getClass.restype = ctypes.c_void_p
    runtime.objc_getClass.argtypes = (ctypes.c_char_p,)
    runtime.sel_registerName.restype = ctypes.c_void_p
    runtime.sel_registerName.argtypes = (ctypes.c_char_p,)
    send = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    message = send(("objc_msgSend", runtime))
    shared = message(
        runtime.objc_getClass(b"NSApplication"), runtime.sel_registerName(b"sharedApplication"), None
    )
    message(shared, runtime.sel_registerName(b"hide:"), None)


def has_compositor() -> bool:
    """Everywhere but on an X11 screen without a compositing manager. Main thread."""
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        return bool(Xcb().owner("_NET_WM_CM_S0"))
    except OSError:
        return False
