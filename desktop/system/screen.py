"""Pictures of the screen: from Qt where programs may look, from the desktop's portal under Wayland."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap

from desktop.system.main_thread import MainThread
from desktop.system.reasons import SystemReason
from desktop.tools.screen import Picture, refused

PORTAL_S = 30.0

Choose = Callable[[QPixmap, Callable[[QRect | None], None]], object]


class QtScreen(QObject):
    """Implements `tools.screen.Screen`. Made on the main thread.

    `choose` shows a picture of the screen and hands over the frame that the user draws in it, or None. What
    it returns, the widget, is held until then.
    """

    def __init__(self, main_thread: MainThread, choose: Choose, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main_thread = main_thread
        self._choose = choose
        self._shown: object = None

    def grab(self) -> Picture:
        """A picture of the whole screen. Any other thread. Raises UserFacing."""
        if uses_portal():
            return self._from_portal(interactive=False, timeout_s=PORTAL_S)
        return self._main_thread.call(lambda: _as_png(grabbed()))

    def choose(self, timeout_s: float) -> Picture | None:
        """What the user marks. Any other thread. Raises UserFacing."""
        if uses_portal():
            return self._from_portal(interactive=True, timeout_s=timeout_s)
        # The picture is taken before the frame is drawn, so that the frame is not on it.
        marked = _Marked()
        whole = self._main_thread.call(grabbed)
        self._main_thread.call(lambda: self._hold(self._choose(whole, marked.take)))
        frame = marked.wait(timeout_s)
        self._main_thread.call(lambda: self._hold(None))
        return self._main_thread.call(lambda: _as_png(whole.copy(frame))) if frame is not None else None

    def _hold(self, shown: object) -> None:
        """On the main thread, where widgets are made and end."""
        self._shown = shown

    def _from_portal(self, interactive: bool, timeout_s: float) -> Picture:
        from desktop.system.screenshot_portal import ScreenshotPortal  # not every system has D-Bus

        file = ScreenshotPortal(self._main_thread).ask(interactive, timeout_s)
        return self._main_thread.call(lambda: _from_file(file))


class _Marked:
    """The frame, once there is one."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._frame: QRect | None = None

    def take(self, frame: QRect | None) -> None:
        self._frame = frame
        self._over.set()

    def wait(self, timeout_s: float) -> QRect | None:
        self._over.wait(timeout_s)
        return self._frame


def uses_portal() -> bool:
    """Whether the system keeps programs from looking by themselves."""
    return QGuiApplication.platformName().startswith("wayland")


def grabbed() -> QPixmap:
    """Every screen in one picture, in its own pixels. Main thread. Raises UserFacing."""
    screens = QGuiApplication.screens()
    parts = [(screen.geometry(), screen.grabWindow(0)) for screen in screens]
    # One missing screen and all is refused: a picture with a black part would look like what was there.
    if not parts or any(part.isNull() for _, part in parts):
        raise refused(SystemReason.SCREEN_CLOSED_TO_PROGRAMS.of())
    if len(parts) == 1:
        return parts[0][1]
    area = QRect()
    for place, _ in parts:
        area = area.united(place)
    # The sharpest screen decides, so that none loses pixels.
    ratio = max(part.devicePixelRatio() for _, part in parts)
    whole = QPixmap(area.size() * ratio)
    whole.setDevicePixelRatio(ratio)
    whole.fill(Qt.GlobalColor.black)
    painter = QPainter(whole)
    for place, part in parts:
        painter.drawPixmap(QRect(place.topLeft() - area.topLeft(), place.size()), part)
    painter.end()
    return whole


def _as_png(pixmap: QPixmap) -> Picture:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not pixmap.save(buffer, "PNG"):
        raise refused(SystemReason.PICTURE_NOT_ENCODED.of())
    return Picture(bytes(data.data()), pixmap.width(), pixmap.height())


def _from_file(file: Path) -> Picture:
    """The portal leaves the picture in a file, which is ours to remove."""
    try:
        pixmap = QPixmap(str(file))
        if pixmap.isNull():
            raise refused(SystemReason.PICTURE_MISSING.of())
        return _as_png(pixmap)
    finally:
        file.unlink(missing_ok=True)
