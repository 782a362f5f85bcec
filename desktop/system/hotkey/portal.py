"""A hotkey under Wayland: the desktop's portal of global shortcuts, which asks the user and holds the keys.

The interfaces are xdg-desktop-portal's GlobalShortcuts and, for the application id, host.portal.Registry.
A program outside a sandbox says its application id first; old portals do not know that call, and it may fail.

Qt's own D-Bus module cannot send the lists of structures that this portal takes, so the messages are made by
jeepney and read whenever Qt says that there is something to read. Nothing here waits for an answer.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import structlog
from PySide6.QtCore import QObject, QSocketNotifier, Slot

from desktop.system.hotkey.grabber import Grab, Grabbed, Press
from desktop.system.hotkey.keys import Keys, Modifier

log = structlog.get_logger(__name__)
Reply = Callable[[tuple[Any, ...] | None], None]
Heard = Callable[[str, tuple[Any, ...]], None]  # the object's path, what the signal carries


class SessionBus(QObject):
    """For a few calls and signals. Main thread only. Raises what jeepney raises where there is no bus."""

    def __init__(self) -> None:
        super().__init__()
        from jeepney.io.blocking import open_dbus_connection

        self._connection: Any = open_dbus_connection("SESSION")
        self._replies: dict[int, Reply] = {}
        self._listeners: dict[str, Heard] = {}  # by interface.member
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
        done: Reply,
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

    def close(self) -> None:
        """End the connection; nobody hears any more. Safe to call twice."""
        if self._connection is not None:
            self._socket.setEnabled(False)
            self._connection.close()
            self._connection = None

    # -- inside -------------------------------------------------------------------------------

    def _send(self, message: Any, done: Reply) -> None:
        if self._connection is None:
            done(None)
            return
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


PORTAL = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REGISTER = "org.freedesktop.host.portal.Registry.Register"
RESPONSE = "org.freedesktop.portal.Request.Response"
CLOSE_SESSION = "org.freedesktop.portal.Session.Close"
ID = "quick-ask"
DESCRIPTION = "Ask Steward a quick question"
NAMES = {Modifier.CTRL: "CTRL", Modifier.ALT: "ALT", Modifier.SHIFT: "SHIFT", Modifier.META: "LOGO"}
SUCCESS = 0
Response = Callable[[dict[str, Any] | None], None]


class PortalGrabber:
    """A `Grabber`. Main thread only. `app_id` is the installed desktop file's name without its ending."""

    can_rest = False

    def __init__(self, bus: SessionBus, app_id: str) -> None:
        self._bus = bus
        self._app_id = app_id
        self._session = ""
        self._responses: dict[str, Response] = {}  # by the path of the request
        self._pressed: Callable[[Press], None] = lambda _press: None
        self._tell: Callable[[Grabbed], None] = lambda _grabbed: None
        self._turn = 0  # what an earlier `take` still hears about is dropped
        self._is_known = False
        bus.listen(PORTAL, RESPONSE, self._on_response)
        bus.listen(PORTAL, f"{SHORTCUTS}.Activated", self._on_activated)
        bus.listen(PORTAL, f"{SHORTCUTS}.ShortcutsChanged", self._on_changed)

    def take(self, keys: Keys, pressed: Callable[[Press], None], tell: Callable[[Grabbed], None]) -> None:
        self.release()
        self._pressed, self._tell = pressed, tell
        tell(Grabbed(Grab.ASKING))
        turn = self._turn
        if self._is_known:
            self._create_session(keys, turn)
            return
        self._is_known = True  # the portal takes the id of a connection once
        self._bus.call(
            *(PORTAL, PATH, REGISTER, "sa{sv}", (self._app_id, {})),
            lambda _reply: self._create_session(keys, turn),
        )

    def release(self) -> None:
        self._turn += 1
        self._responses.clear()
        if self._session:
            self._bus.call(PORTAL, self._session, CLOSE_SESSION, None, (), lambda _reply: None)
            self._session = ""

    # -- asking -------------------------------------------------------------------------------

    def _create_session(self, keys: Keys, turn: int) -> None:
        if turn != self._turn:
            return

        def made(results: dict[str, Any] | None) -> None:
            if results is None or "session_handle" not in results:
                self._tell(Grabbed(Grab.ABSENT, detail="no session"))
                return
            self._session = str(results["session_handle"])
            self._bind(keys)

        token = _token()
        options = {"session_handle_token": ("s", _token())}
        self._request("CreateSession", "a{sv}", token, lambda given: ({**given, **options},), made)

    def _bind(self, keys: Keys) -> None:
        wanted = [
            (ID, {"description": ("s", DESCRIPTION), "preferred_trigger": ("s", trigger(keys))}),
        ]

        def bound(results: dict[str, Any] | None) -> None:
            if results is None:
                self._tell(Grabbed(Grab.REFUSED))
            else:
                self._tell(_found(results.get("shortcuts", [])))

        self._request(
            "BindShortcuts",
            "oa(sa{sv})sa{sv}",
            _token(),
            lambda given: (self._session, wanted, "", given),
            bound,
        )

    def _request(
        self,
        method: str,
        signature: str,
        token: str,
        body: Callable[[dict[str, Any]], tuple[Any, ...]],
        done: Response,
    ) -> None:
        """A call whose answer comes as a signal: listened for before it is asked."""
        sender = self._bus.name.removeprefix(":").replace(".", "_")
        expected = f"{PATH}/request/{sender}/{token}"
        self._responses[expected] = done
        turn = self._turn

        def replied(reply: tuple[Any, ...] | None) -> None:
            if turn != self._turn:
                return
            if reply is None:
                self._responses.pop(expected, None)
                self._tell(Grabbed(Grab.ABSENT, detail=f"{method} failed"))
            elif reply[0] != expected and expected in self._responses:
                # Portals before 0.9 choose the path themselves.
                self._responses[str(reply[0])] = self._responses.pop(expected)

        given = {"handle_token": ("s", token)}
        self._bus.call(PORTAL, PATH, f"{SHORTCUTS}.{method}", signature, body(given), replied)

    # -- what comes ---------------------------------------------------------------------------

    def _on_response(self, path: str, body: tuple[Any, ...]) -> None:
        done = self._responses.pop(path, None)
        if done is None:
            return
        code, results = body
        done({name: value for name, (_, value) in results.items()} if code == SUCCESS else None)

    def _on_activated(self, _path: str, body: tuple[Any, ...]) -> None:
        session, shortcut, _timestamp, options = body
        if session == self._session and shortcut == ID:
            token = options.get("activation_token", ("s", ""))[1]
            self._pressed(Press(str(token)))

    def _on_changed(self, _path: str, body: tuple[Any, ...]) -> None:
        session, shortcuts = body
        if session == self._session:
            self._tell(_found(shortcuts))


def trigger(keys: Keys) -> str:
    """`keys` as the XDG shortcuts specification writes them: "CTRL+SHIFT+space"."""
    held = [NAMES[modifier] for modifier in Modifier if modifier in keys.modifiers]
    return "+".join([*held, keys.codes.portal])


def _found(shortcuts: list[tuple[str, dict[str, Any]]]) -> Grabbed:
    ours = next((properties for name, properties in shortcuts if name == ID), None)
    if ours is None:
        return Grabbed(Grab.REFUSED)
    described = str(ours.get("trigger_description", ("s", ""))[1])
    return Grabbed(Grab.READY if described else Grab.UNBOUND, described)


def _token() -> str:
    return f"steward_{secrets.token_hex(8)}"
