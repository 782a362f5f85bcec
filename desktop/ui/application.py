"""The application of a program that lives in the tray, its self-test, and the word on a start that failed."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QEvent, Signal
from PySide6.QtDBus import QDBusConnection
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication, QMessageBox, QSystemTrayIcon

from desktop.errors import UserFacing
from desktop.ui.icons import app_icon
from desktop.ui.language import error_parts, tr
from desktop.ui.theme import Theme


class Application(QApplication):
    """Being asked to quit from outside (the Dock's menu, the end of the login session) is passed on.

    Qt would close the windows one by one and give up at the first that hides instead.
    """

    quit_requested = Signal()

    def __init__(self) -> None:
        super().__init__(["steward"])
        self.setApplicationName("Steward")
        # By this name a Wayland desktop finds the icon of the windows.
        self.setDesktopFileName("steward")
        # The program lives in the tray; with its last window Qt would end it.
        self.setQuitOnLastWindowClosed(False)
        # The end of the session: Qt's own answer would be to close the windows, which only hides them.
        self.commitDataRequest.connect(lambda _manager: self.quit_requested.emit())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Quit:
            self.quit_requested.emit()
            event.ignore()
            return True
        return super().event(event)


PICTURE_PX = 64
PORTAL = "org.freedesktop.portal.Desktop"


@dataclass(frozen=True)
class SelfTestResult:
    """What was found. `works` is None where this desktop lacks what would have been tried."""

    works: bool | None
    says: str


@cache
def _application() -> Application:
    shown = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not shown:
        # Without a display Qt ends the process, and the report with it.
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return Application()


def try_window() -> SelfTestResult:
    """What a bundle can lack of a window: the platform, pictures, and fonts, which are the system's."""
    application = _application()
    Theme(application)
    picture = app_icon().pixmap(PICTURE_PX, PICTURE_PX).toImage()
    middle = PICTURE_PX // 2
    # Without its part for SVG Qt gives an empty picture and no error.
    if picture.isNull() or not any(picture.pixelColor(x, middle).alpha() for x in range(picture.width())):
        return SelfTestResult(False, "icons are not drawn: Qt's part for SVG is missing")
    if not QFontDatabase.families():
        return SelfTestResult(False, "there are no fonts; install fonts-dejavu-core or another family")
    return SelfTestResult(
        True, f"Qt draws on {application.platformName()}, {len(QFontDatabase.families())} font families"
    )


def try_tray() -> SelfTestResult:
    """Whether there is one now."""
    _application()
    if QSystemTrayIcon.isSystemTrayAvailable():
        return SelfTestResult(True, "this desktop has a tray")
    return SelfTestResult(None, "this desktop shows no tray now; Steward then keeps its window")


def try_portal() -> SelfTestResult:
    """Whether the desktop's portal is there; nothing is asked of it."""
    _application()
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return SelfTestResult(None, "there is no session bus")
    # A portal that sleeps is started by the first call to it, so it counts as there.
    names = bus.interface().registeredServiceNames().value()
    activatable = bus.interface().activatableServiceNames().value()
    if PORTAL in (*names, *activatable):
        return SelfTestResult(True, "this desktop has a portal")
    return SelfTestResult(None, "this desktop has no portal")


def box_of(error: UserFacing) -> QMessageBox:
    """The system's own error box with cause, what was not lost, and the one thing to do."""
    cause, not_lost, action = error_parts(error)
    box = QMessageBox(QMessageBox.Icon.Critical, tr("Steward could not start"), cause)
    box.setObjectName("start_error")
    box.setInformativeText("\n".join(part for part in (not_lost, action) if part))
    box.setAccessibleDescription(str(error))
    return box


def show_start_error(error: UserFacing) -> None:
    """Show it and wait until it is closed. There is no event loop of ours (any more)."""
    app = QApplication.instance() or Application()
    box_of(error).exec()
    # The box is gone from the screen before the process is.
    app.processEvents()
