"""The session bus for a few calls and signals, read whenever Qt says that there is something to read.

Qt's own D-Bus module cannot send the lists of structures that the portal of hotkeys takes, nor the unsigned
number that a notification begins with, so the messages are made by jeepney. Nothing here waits for an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from PySide6.QtCore import QObject, QSocketNotifier, Slot

log = structlog.get_logger(__name__)

Answered = Callable[[tuple[Any, ...] | None], None]
Heard = Callable[[str, tuple[Any, ...]], None]  # the object's path, what the signal carries


class SessionBus(QObject):
    """For a few calls and signals. Main thread only. Raises what jeepney raises where there is no bus."""

    def __init__(self) -> None:
        super().__init__()
        from jeepney.io.blocking import open_dbus_connection

        self._connection: Any = open_dbus_connection("SESSION")
        self._replies: dict[int, Answered] = {}
        self._listeners: dict[str, Heard] = {}  # by interface.member
        # Qt's own loop waits for the bus: no thread, and nothing to lock.
        self._socket = QSocketNotifier(self._connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._socket.activated.connect(self._on_readable)

    @property
    def name(self) -> str:
        """Our unique name on the bus."""
        return str(self._connection.unique_name)

    def call(
        self,
        service: str,
        path: str,
        method: str,
        signature: str | None,
        body: tuple[Any, ...],
        done: Answered,
    ) -> None:
        """`method` is interface and name; `done` gets the reply, or None where the call failed."""
        from jeepney import DBusAddress, new_method_call

        interface, _, name = method.rpartition(".")
        address = DBusAddress(path, bus_name=service, interface=interface)
        self._send(new_method_call(address, name, signature, body), done)

    def listen(self, service: str, signal: str, heard: Heard) -> None:
        """Call `heard` for every `signal` (interface and name) of `service`."""
        from jeepney import MatchRule, message_bus

        interface, _, name = signal.rpartition(".")
        self._listeners[signal] = heard
        rule = MatchRule(type="signal", sender=service, interface=interface, member=name)
        self._send(message_bus.AddMatch(rule), lambda _reply: None)

    @property
    def is_closed(self) -> bool:
        return self._connection is None

    def close(self) -> None:
        """End the connection; nobody hears any more. Safe to call twice."""
        if self._connection is not None:
            self._socket.setEnabled(False)
            self._connection.close()
            self._connection = None

    # -- inside -------------------------------------------------------------------------------

    def _send(self, message: Any, done: Answered) -> None:
        if self._connection is None:
            done(None)
            return
        # Chosen here and noted before it is sent, so that no reply can come to nobody.
        serial = next(self._connection.outgoing_serial)
        self._replies[serial] = done
        try:
            self._connection.send(message, serial=serial)
        except OSError as error:
            self._lost(error)

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
        kind = message.header.message_type
        if kind is MessageType.signal:
            name = f"{fields.get(HeaderFields.interface, '')}.{fields.get(HeaderFields.member, '')}"
            heard = self._listeners.get(name)
            if heard is not None:
                heard(fields.get(HeaderFields.path, ""), message.body)
            return
        done = self._replies.pop(fields.get(HeaderFields.reply_serial, 0), None)
        if kind is MessageType.error:
            log.info("session bus", error=fields.get(HeaderFields.error_name))
        if done is not None:
            done(None if kind is MessageType.error else message.body)

    def _lost(self, error: OSError) -> None:
        log.info("session bus lost", error=str(error))
        self.close()
        waiting, self._replies = self._replies, {}
        for done in waiting.values():
            done(None)
