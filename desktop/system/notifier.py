"""Native notifications: with buttons through D-Bus where there is a service for them, else by the tray.

The interface is that of the Desktop Notifications Specification 1.3 (freedesktop.org). Nothing here waits for
the desktop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

import structlog

from desktop.system.session_bus import Answered, SessionBus

log = structlog.get_logger(__name__)

Chosen = Callable[[str], None]
Otherwise = Callable[[], None]
SERVICE = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
OPENED = ""  # the action of a click on the notification itself
DEFAULT = "default"  # the specification's word for the same
NEVER = 0  # it stays until the user takes it away, where the desktop lets it
PASSING_MS = 8000


@dataclass(frozen=True)
class Notification:
    """A notification. `key` names it: one with the same key takes its place. `actions` are key and words.

    One that `stays` is there until it is taken away, where the desktop lets it.
    """

    key: str
    title: str
    text: str
    actions: tuple[tuple[str, str], ...] = ()
    stays: bool = True


class Notifier(Protocol):
    """Native notifications. A desktop may swallow one, so nothing may depend on it. Main thread only."""

    def show(self, notice: Notification, chosen: Callable[[str], None]) -> None:
        """`chosen` is called with the key of an action, or OPENED; desktops without buttons never call it."""
        ...

    def withdraw(self, key: str) -> None:
        """Take it away where the desktop can; there need be none."""
        ...


class PlainNotification(Protocol):
    """A plain notification, like the tray's."""

    def __call__(self, title: str, text: str, /) -> None: ...


class TrayNotifier:
    """A notifier that can do no more than the tray icon. Main thread only."""

    def __init__(self, say: PlainNotification) -> None:
        self._say = say

    def show(self, notice: Notification, chosen: Chosen) -> None:  # noqa: ARG002 - there are no buttons
        self._say(notice.title, notice.text)

    def withdraw(self, key: str) -> None:
        """They go away by themselves."""

    def close(self) -> None:
        """Do nothing: no connection is held."""


class QuietNotifier:
    """A notifier that shows only what is wanted at that moment. Main thread only."""

    def __init__(self, speaker: Notifier, wanted: Callable[[], bool]) -> None:
        self._speaker = speaker
        self._wanted = wanted

    def show(self, notice: Notification, chosen: Chosen) -> None:
        if self._wanted():
            self._speaker.show(notice, chosen)

    def withdraw(self, key: str) -> None:
        self._speaker.withdraw(key)


class BusNotifier:
    """The session bus's notification service. Main thread only; `close` ends the connection."""

    def __init__(self, bus: SessionBus, fallback: TrayNotifier) -> None:
        self._bus = bus
        self._fallback = fallback
        self._abilities: frozenset[str] | None = None
        self._waiting: list[tuple[Notification, Chosen, Otherwise]] = []
        self._said = 0
        self._shown: dict[str, int] = {}
        self._chosen: dict[int, tuple[str, Chosen]] = {}
        bus.listen(SERVICE, f"{SERVICE}.ActionInvoked", self._on_action)
        bus.listen(SERVICE, f"{SERVICE}.NotificationClosed", self._on_gone)

    def show(self, notice: Notification, chosen: Chosen) -> None:
        self._show(notice, chosen, lambda: self._fallback.show(notice, chosen))

    def say(self, title: str, text: str, opened: Callable[[], None], otherwise: Otherwise) -> None:
        """A plain one that goes by itself; `otherwise` where nobody shows it.

        Qt's own, by the tray icon, sends the text as it is, and a desktop would take what others wrote in it
        for its mark-up: a link, or words that look like ours.
        """
        self._said += 1
        notice = Notification(f"said {self._said}", title, text, stays=False)
        self._show(notice, lambda _action: opened(), otherwise)

    def _show(self, notice: Notification, chosen: Chosen, otherwise: Otherwise) -> None:
        self._waiting.append((notice, chosen, otherwise))
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
        return self._bus.is_closed

    def close(self) -> None:
        """End the connection; what is shown stays as the desktop decides."""
        self._bus.close()

    # -- what is sent -------------------------------------------------------------------------

    def _call(self, method: str, signature: str | None, body: tuple[Any, ...], done: Answered) -> None:
        self._bus.call(SERVICE, PATH, f"{SERVICE}.{method}", signature, body, done)

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            self._notify(*each)

    def _notify(self, notice: Notification, chosen: Chosen, otherwise: Otherwise) -> None:
        abilities = self._abilities or frozenset()
        actions: list[str] = []
        # The specification leaves a service free to have no buttons, and to show marks as they are.
        if "actions" in abilities:
            actions = [DEFAULT, "Open", *(word for action in notice.actions for word in action)]
        text = escape(notice.text, quote=False) if "body-markup" in abilities else notice.text
        hints = {"desktop-entry": ("s", "steward"), "urgency": ("y", 1)}
        until_ms = NEVER if notice.stays else PASSING_MS
        body = ("Steward", self._shown.get(notice.key, 0), "", notice.title, text, actions, hints, until_ms)

        def done(reply: tuple[Any, ...] | None) -> None:
            # Also where the bus has gone since: what was to be said must not be lost with it.
            if reply is None:
                otherwise()
                return
            self._shown[notice.key] = reply[0]
            self._chosen[reply[0]] = (notice.key, chosen)

        self._call("Notify", "susssasa{sv}i", body, done)

    # -- what comes ---------------------------------------------------------------------------

    def _on_abilities(self, reply: tuple[Any, ...] | None) -> None:
        # Nobody serves notifications; one may come later, so that each is asked for anew.
        if reply is None:
            waiting, self._waiting = self._waiting, []
            for _notice, _chosen, otherwise in waiting:
                otherwise()
            return
        self._abilities = frozenset(reply[0])
        self._send_waiting()

    def _on_action(self, _path: str, body: tuple[Any, ...]) -> None:
        number, action = body
        _key, chosen = self._chosen.get(number, ("", None))
        if chosen is not None:
            chosen(OPENED if action == DEFAULT else action)

    def _on_gone(self, _path: str, body: tuple[Any, ...]) -> None:
        number = body[0]
        key, _ = self._chosen.pop(number, ("", None))
        # A notice that took the place of an older one keeps its key.
        if self._shown.get(key) == number:
            del self._shown[key]


def notifier(say: PlainNotification) -> BusNotifier | TrayNotifier:
    """The best that this desktop has; `say` where it has no more. Main thread, with a QGuiApplication."""
    # The tray's own balloon is the system's notification on Windows and macOS.
    fallback = TrayNotifier(say)
    if sys.platform != "linux":
        return fallback
    return _on_bus(fallback) or fallback


def _on_bus(fallback: TrayNotifier) -> BusNotifier | None:
    try:
        return BusNotifier(SessionBus(), fallback)
    except (ImportError, KeyError, OSError, RuntimeError) as error:
        log.info("no session bus for notifications", error=str(error))
        return None
