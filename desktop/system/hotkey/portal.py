"""A hotkey under Wayland: the desktop's portal of global shortcuts, which asks the user and holds the keys.

The interfaces are xdg-desktop-portal's GlobalShortcuts and, for the application id, host.portal.Registry.
A program outside a sandbox says its application id first; old portals do not know that call, and it may fail.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys, Modifier
from desktop.system.session_bus import SessionBus

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
        self._pressed: Callable[[HotkeyPress], None] = lambda _press: None
        self._tell: Callable[[GrabResult], None] = lambda _grabbed: None
        self._turn = 0  # what an earlier `take` still hears about is dropped
        self._is_known = False
        bus.listen(PORTAL, RESPONSE, self._on_response)
        bus.listen(PORTAL, f"{SHORTCUTS}.Activated", self._on_activated)
        bus.listen(PORTAL, f"{SHORTCUTS}.ShortcutsChanged", self._on_changed)

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.release()
        self._pressed, self._tell = pressed, tell
        tell(GrabResult(GrabStatus.ASKING))
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
        # Closing the session is what frees the keys: the portal has no call that unbinds one.
        if self._session:
            self._bus.call(PORTAL, self._session, CLOSE_SESSION, None, (), lambda _reply: None)
            self._session = ""

    # -- asking -------------------------------------------------------------------------------

    def _create_session(self, keys: Keys, turn: int) -> None:
        # Let go or taken anew since: an answer to the older question must bind nothing.
        if turn != self._turn:
            return

        def made(results: dict[str, Any] | None) -> None:
            if results is None or "session_handle" not in results:
                self._tell(GrabResult(GrabStatus.ABSENT, detail="no session"))
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
                self._tell(GrabResult(GrabStatus.REFUSED))
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
                self._tell(GrabResult(GrabStatus.ABSENT, detail=f"{method} failed"))
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
            self._pressed(HotkeyPress(str(token)))

    def _on_changed(self, _path: str, body: tuple[Any, ...]) -> None:
        session, shortcuts = body
        if session == self._session:
            self._tell(_found(shortcuts))


def trigger(keys: Keys) -> str:
    """`keys` as the XDG shortcuts specification writes them: "CTRL+SHIFT+space"."""
    held = [NAMES[modifier] for modifier in Modifier if modifier in keys.modifiers]
    return "+".join([*held, keys.codes.portal])


def _found(shortcuts: list[tuple[str, dict[str, Any]]]) -> GrabResult:
    ours = next((properties for name, properties in shortcuts if name == ID), None)
    if ours is None:
        return GrabResult(GrabStatus.REFUSED)
    described = str(ours.get("trigger_description", ("s", ""))[1])
    return GrabResult(GrabStatus.READY if described else GrabStatus.UNBOUND, described)


def _token() -> str:
    return f"steward_{secrets.token_hex(8)}"
