"""A desktop's tray and notification service on a session bus, for tests without a desktop.

Run as `python -m tests.fakes.tray_host`: prints `ready`, then one JSON line for each item that registers
and each notification. Ends when the bus does.
"""

import asyncio
import json

from dbus_fast import BusType, PropertyAccess
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal


def tell(**fact: object) -> None:
    print(json.dumps(fact), flush=True)


class Watcher(ServiceInterface):
    """org.kde.StatusNotifierWatcher: who has an icon."""

    def __init__(self) -> None:
        super().__init__("org.kde.StatusNotifierWatcher")
        self._items: list[str] = []

    @dbus_property(access=PropertyAccess.READ)
    def RegisteredStatusNotifierItems(self) -> "as":
        return self._items

    @dbus_property(access=PropertyAccess.READ)
    def IsStatusNotifierHostRegistered(self) -> "b":
        return True

    @dbus_property(access=PropertyAccess.READ)
    def ProtocolVersion(self) -> "i":
        return 0

    @dbus_method()
    def RegisterStatusNotifierItem(self, service: "s") -> None:
        self._items.append(service)
        tell(item=service)
        self.StatusNotifierItemRegistered(service)

    @dbus_method()
    def RegisterStatusNotifierHost(self, service: "s") -> None:
        tell(host=service)

    @dbus_signal()
    def StatusNotifierItemRegistered(self, service) -> "s":
        return service


class Notifications(ServiceInterface):
    """org.freedesktop.Notifications: what would be shown."""

    def __init__(self) -> None:
        super().__init__("org.freedesktop.Notifications")

    @dbus_method()
    def GetCapabilities(self) -> "as":
        return ["body", "actions"]

    @dbus_method()
    def GetServerInformation(self) -> "ssss":
        return ["test", "test", "1", "1.2"]

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
        tell(notification=title, body=body)
        return 7

    @dbus_method()
    def CloseNotification(self, number: "u") -> None:
        tell(closed=number)


async def main() -> None:
    bus = await MessageBus(bus_type=BusType.SESSION).connect()
    services = (
        ("/StatusNotifierWatcher", Watcher(), "org.kde.StatusNotifierWatcher"),
        ("/org/freedesktop/Notifications", Notifications(), "org.freedesktop.Notifications"),
    )
    for path, interface, name in services:
        bus.export(path, interface)
        await bus.request_name(name)
    tell(ready=True)
    await bus.wait_for_disconnect()


if __name__ == "__main__":
    asyncio.run(main())
