"""A notification service on a session bus that speaks the real D-Bus interface, and presses buttons.

Run as `python -m tests.fakes.notification_service ABILITY…`: prints `ready`, then one JSON line for each
call. Each line of stdin is a number and an action to invoke, or `close` and a number.
"""

import asyncio
import json
import sys

from dbus_fast import BusType
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal


def tell(**fact: object) -> None:
    print(json.dumps(fact), flush=True)


class Notifications(ServiceInterface):
    """org.freedesktop.Notifications."""

    def __init__(self, abilities: list[str]) -> None:
        super().__init__("org.freedesktop.Notifications")
        self._abilities = abilities
        self._last = 0

    @dbus_method()
    def GetCapabilities(self) -> "as":
        return self._abilities

    @dbus_method()
    def Notify(
        self,
        app: "s",
        replaces: "u",
        icon: "s",
        title: "s",
        body: "s",
        actions: "as",
        hints: "a{sv}",
        timeout_ms: "i",
    ) -> "u":
        self._last = replaces or self._last + 1
        tell(number=self._last, app=app, title=title, body=body, actions=actions, hints=sorted(hints))
        return self._last

    @dbus_method()
    def CloseNotification(self, number: "u") -> None:
        tell(withdrawn=number)
        self.NotificationClosed(number, 3)

    @dbus_signal()
    def ActionInvoked(self, number, action) -> "us":
        return [number, action]

    @dbus_signal()
    def NotificationClosed(self, number, reason) -> "uu":
        return [number, reason]


async def main(abilities: list[str]) -> None:
    """Serve until stdin ends."""
    bus = await MessageBus(bus_type=BusType.SESSION).connect()
    service = Notifications(abilities)
    bus.export("/org/freedesktop/Notifications", service)
    await bus.request_name("org.freedesktop.Notifications")
    tell(ready=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        first, second = line.split()
        if first == "close":
            service.NotificationClosed(int(second), 2)
        else:
            service.ActionInvoked(int(first), second)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
