"""The portal: what a program may not do by itself under Wayland, the desktop does for it."""

from __future__ import annotations

import secrets
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusObjectPath

from desktop.system.main_thread import MainThread
from desktop.system.reasons import SystemReason
from desktop.tools.screen import refused

PORTAL = "org.freedesktop.portal.Desktop"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
REQUEST = "org.freedesktop.portal.Request"
ON_RESPONSE: Any = SLOT("_on_response(uint,QVariantMap)")  # its stub says bytes; only text is taken


class ScreenshotPortal(QObject):
    """One picture through the desktop's portal, which asks the user by itself."""

    def __init__(self, main_thread: MainThread) -> None:
        super().__init__()
        # Its slot has to run where Qt delivers what comes from the bus.
        self.moveToThread(main_thread.thread())
        self._main_thread = main_thread
        self._over = threading.Event()
        self._answer: tuple[int, dict[str, Any]] = (2, {})
        self._handles: list[str] = []

    def ask(self, interactive: bool, timeout_s: float) -> Path:
        """The file with the picture. Raises UserFacing, also when the user said no."""
        self._main_thread.call(lambda: self._send(interactive))
        came = self._over.wait(timeout_s)
        self._main_thread.call(self._stop_listening)
        code, results = self._answer
        if not came or code != 0 or "uri" not in results:
            raise refused((SystemReason.SCREEN_NOT_ALLOWED if came else SystemReason.SCREEN_NO_ANSWER).of())
        return Path(unquote(urlsplit(str(results["uri"])).path))

    def _send(self, interactive: bool) -> None:
        bus = QDBusConnection.sessionBus()
        token = f"steward_{secrets.token_hex(8)}"
        sender = bus.baseService().removeprefix(":").replace(".", "_")
        # Listened for before it is asked: a quick answer must not come too early.
        self._listen(f"{PORTAL_PATH}/request/{sender}/{token}")
        message = QDBusMessage.createMethodCall(
            PORTAL, PORTAL_PATH, "org.freedesktop.portal.Screenshot", "Screenshot"
        )
        message.setArguments(["", {"handle_token": token, "interactive": interactive}])
        reply = bus.call(message)
        if reply.type() is QDBusMessage.MessageType.ErrorMessage:
            raise refused(reply.errorMessage() or SystemReason.SCREEN_NO_PORTAL.of())
        # Portals before 0.9 choose the path themselves; the newer ones repeat ours.
        self._listen(_path(reply.arguments()[0]))

    def _listen(self, handle: str) -> None:
        if handle not in self._handles:
            self._handles.append(handle)
            QDBusConnection.sessionBus().connect(PORTAL, handle, REQUEST, "Response", self, ON_RESPONSE)

    def _stop_listening(self) -> None:
        for handle in self._handles:
            QDBusConnection.sessionBus().disconnect(PORTAL, handle, REQUEST, "Response", self, ON_RESPONSE)

    @Slot("uint", "QVariantMap")
    def _on_response(self, code: int, results: dict[str, Any]) -> None:
        self._answer = (code, results)
        self._over.set()


def _path(handle: Any) -> str:
    return handle.path() if isinstance(handle, QDBusObjectPath) else str(handle)
