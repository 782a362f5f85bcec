"""Whether windows may be see-through at their edges."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from desktop.system.hotkey.xcb import Xcb


def has_compositor() -> bool:
    """Everywhere but on an X11 screen without a compositing manager. Main thread."""
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        return bool(Xcb().owner("_NET_WM_CM_S0"))
    except OSError:
        return False
