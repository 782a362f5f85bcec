"""What `steward selftest` tries on the screen. Main thread; one application serves all three."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache

from PySide6.QtDBus import QDBusConnection
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QSystemTrayIcon

from desktop.ui.application import Application
from desktop.ui.icons import app_icon
from desktop.ui.theme import Theme

PICTURE_PX = 64
PORTAL = "org.freedesktop.portal.Desktop"


@dataclass(frozen=True)
class Seen:
    """What was found. `works` is None where this desktop lacks what would have been tried."""

    works: bool | None
    says: str


@cache
def _application() -> Application:
    shown = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not shown:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return Application()


def window() -> Seen:
    """What a bundle can lack of a window: the platform, pictures, and fonts, which are the system's."""
    application = _application()
    Theme(application)
    picture = app_icon().pixmap(PICTURE_PX, PICTURE_PX).toImage()
    middle = PICTURE_PX // 2
    if picture.isNull() or not any(picture.pixelColor(x, middle).alpha() for x in range(picture.width())):
        return Seen(False, "icons are not drawn: Qt's part for SVG is missing")
    if not QFontDatabase.families():
        return Seen(False, "there are no fonts; install fonts-dejavu-core or another family")
    return Seen(
        True, f"Qt draws on {application.platformName()}, {len(QFontDatabase.families())} font families"
    )


def tray() -> Seen:
    """Whether there is one now."""
    _application()
    if QSystemTrayIcon.isSystemTrayAvailable():
        return Seen(True, "this desktop has a tray")
    return Seen(None, "this desktop shows no tray now; Steward then keeps its window")


def portal() -> Seen:
    """Whether the desktop's portal is there; nothing is asked of it."""
    _application()
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return Seen(None, "there is no session bus")
    names = bus.interface().registeredServiceNames().value()
    activatable = bus.interface().activatableServiceNames().value()
    if PORTAL in (*names, *activatable):
        return Seen(True, "this desktop has a portal")
    return Seen(None, "this desktop has no portal")
