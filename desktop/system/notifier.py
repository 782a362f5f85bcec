"""Native notifications: with buttons through D-Bus where there is a service for them, else by the tray.

The interface is that of the Desktop Notifications Specification 1.3 (freedesktop.org). Qt's own D-Bus module
cannot send the unsigned number that `Notify` begins with, so the messages are made by jeepney, and Qt only
says when there is something to read. Nothing here waits for the desktop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import Any, Protocol

import structlog
from PySide6.QtCore import QObject, QSocketNotifier, Slot

from desktop.tools.reminders import OPENED, Notice, Notifier

log = structlog.get_logger(__name__)

Chosen = Callable[[str], None]
SERVICE = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
DEFAULT = "default"  # the specification's word for a click on the notification itself
NEVER = 0  # it stays until the user takes it away, where the desktop lets it


class Say(Protocol):
    """A plain notification, like the tray's."""

    def __call__(self, title: str, text: str, /) -> None: ...


class TrayNotifier:
    """A `tools.reminders.Notifier` that can do no more than the tray icon. Main thread only."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def show(self, notice: Notice, chosen: Chosen) -> None:  # noqa: ARG002 - there are no buttons
        self._say(notice.title, notice.text)

    def withdraw(self, key: str) -> None:
        """They go away by themselves."""

    def close(self) -> None:
        """Nothing is held."""


class QuietNotifier:
    """A `tools.reminders.Notifier` that shows only what is wanted at that moment. Main thread only."""

    def __init__(self, speaker: Notifier, wanted: Callable[[], bool]) -> None:
        self._speaker = speaker
        self._wanted = wanted

    def show(self, notice: Notice, chosen: Chosen) -> None:
        if self._wanted():
            self._speaker.show(notice, chosen)

    def withdraw(self, key: str) -> None:
        self._speaker.withdraw(key)


class BusNotifier(QObject):
    """The session bus's notification service. Main thread only; `close` ends the connection."""

    def __init__(self, connection: Any, fallback: TrayNotifier, app: str = "Steward") -> None:
        super().__init__()
        self._connection = connection
        self._fallback = fallback
        self._app = app
        self._replies: dict[int, Callable[[Any], None]] = {}
        self._abilities: frozenset[str] | None = None
        self._waiting: list[tuple[Notice, Chosen]] = []
        self._shown: dict[str, int] = {}
        self._chosen: dict[int, tuple[str, Chosen]] = {}
        self._socket = QSocketNotifier(connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._socket.activated.connect(self._on_readable)
        self._listen()

    def show(self, notice: Notice, chosen: Chosen) -> None:
        if self._connection is None:
            self._fallback.show(notice, chosen)
            return
        self._waiting.append((notice, chosen))
        if self._abilities is None and len(self._waiting) == 1:
            self._call("GetCapabilities", None, (), self._on_abilities)
        elif self._abilities is not None:
            self._send_waiting()

    def withdraw(self, key: str) -> None:
        number = self._shown.pop(key, None)
        if number is not None:
            self._chosen.pop(number, None)
            self._call("CloseNotification", "u", (number,), lambda _reply: None)

    def is_shown(self, key: str) -> bool:
        """Whether the desktop has said that it shows it, and not that it is gone."""
        return key in self._shown

    @property
    def is_closed(self) -> bool:
        return self._connection is None

    def close(self) -> None:
        """End the connection; what is shown stays as the desktop decides."""
        if self._connection is not None:
            self._socket.setEnabled(False)
            self._connection.close()
            self._connection = None

    # -- what is sent -------------------------------------------------------------------------

    def _listen(self) -> None:
        from jeepney import MatchRule, message_bus

        rule = MatchRule(type="signal", sender=SERVICE, interface=SERVICE, path=PATH)
        self._send(message_bus.AddMatch(rule), lambda _reply: None)

    def _call(
        self, method: str, signature: str | None, body: tuple[Any, ...], done: Callable[[Any], None]
    ) -> None:
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(PATH, bus_name=SERVICE, interface=SERVICE)
        self._send(new_method_call(address, method, signature, body), done)

    def _send(self, message: Any, done: Callable[[Any], None]) -> None:
        if self._connection is None:
            return
        serial = next(self._connection.outgoing_serial)
        self._replies[serial] = done
        try:
            self._connection.send(message, serial=serial)
        except OSError as error:
            self._lost(error)

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for notice, chosen in waiting:
            self._notify(notice, chosen)

    def _notify(self, notice: Notice, chosen: Chosen) -> None:
        abilities = self._abilities or frozenset()
        actions: list[str] = []
        if "actions" in abilities:
            actions = [DEFAULT, "Open", *(word for action in notice.actions for word in action)]
        text = escape(notice.text, quote=False) if "body-markup" in abilities else notice.text
        hints = {"desktop-entry": ("s", "steward"), "urgency": ("y", 1)}
        body = (self._app, self._shown.get(notice.key, 0), "", notice.title, text, actions, hints, NEVER)

        def done(reply: Any) -> None:
            if reply is None:
                self._fallback.show(notice, chosen)
                return
            self._shown[notice.key] = reply[0]
            self._chosen[reply[0]] = (notice.key, chosen)

        self._call("Notify", "susssasa{sv}i", body, done)

    # -- what comes ---------------------------------------------------------------------------

    @Slot()
    def _on_readable(self) -> None:
        """Read all that is there, and no more."""
        while self._connection is not None:
            try:
                message = self._connection.receive(timeout=0)
            except TimeoutError:
                return
            except OSError as error:
                self._lost(error)
                return
            self._take(message)

    def _take(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType

        fields = message.header.fields
        if message.header.message_type is MessageType.signal:
            self._on_signal(fields.get(HeaderFields.member, ""), message.body)
            return
        done = self._replies.pop(fields.get(HeaderFields.reply_serial, 0), None)
        is_error = message.header.message_type is MessageType.error
        if is_error:
            log.info("notification service", error=fields.get(HeaderFields.error_name))
        if done is not None:
            done(None if is_error else message.body)

    def _on_abilities(self, reply: Any) -> None:
        if reply is None:  # nobody serves notifications; one may come later
            waiting, self._waiting = self._waiting, []
            for notice, chosen in waiting:
                self._fallback.show(notice, chosen)
            return
        self._abilities = frozenset(reply[0])
        self._send_waiting()

    def _on_signal(self, name: str, body: Any) -> None:
        if name == "ActionInvoked":
            number, action = body
            key, chosen = self._chosen.get(number, ("", None))
            if chosen is not None:
                chosen(OPENED if action == DEFAULT else action)
        elif name == "NotificationClosed":
            key, _ = self._chosen.pop(body[0], ("", None))
            if self._shown.get(key) == body[0]:
                del self._shown[key]

    def _lost(self, error: OSError) -> None:
        log.info("session bus lost", error=str(error))
        self.close()
        waiting, self._waiting = self._waiting, []
        for notice, chosen in waiting:
            self._fallback.show(notice, chosen)


def notifier(say: Say) -> BusNotifier | TrayNotifier:
    """The best that this desktop has; `say` where it has no more. Main thread, with a QGuiApplication."""
    fallback = TrayNotifier(say)
    if sys.platform != "linux":
        return fallback
    return _on_bus(fallback) or fallback


def _on_bus(fallback: TrayNotifier) -> BusNotifier | None:
    try:
        from jeepney.io.blocking import open_dbus_connection

        return BusNotifier(open_dbus_connection("SESSION"), fallback)
    except (ImportError, KeyError, OSError, RuntimeError) as error:
        log.info("no session bus for notifications", error=str(error))
        return None
