"""A stand-in for the desktop's portal of global shortcuts that speaks its D-Bus interface.

Run as `python -m tests.system.hotkey.portal_stand_in MODE`. Modes: `yes`, `no` (the user refuses), `unbound`
(allowed, but without keys), `old` (no registry of applications, and request paths of its own choice). Prints
`ready`, then a JSON line for each call. Lines on stdin: `press`, `press-other`, `rebind WORDS`.
"""
# ruff: noqa: F722, F821, N802 - D-Bus signatures stand where types would, D-Bus names rule

import asyncio
import json
import sys

from dbus_fast import BusType, Message, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.service import ServiceInterface, dbus_method

PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
YES, NO = 0, 1


def say(**fact: object) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


class Desk:
    """What the interfaces share: the bus, who called last, and the session."""

    def __init__(self, bus: MessageBus, mode: str) -> None:
        self.bus, self.mode = bus, mode
        self.sender = ""
        self.session = ""
        self.tasks: set[asyncio.Task[None]] = set()
        bus.add_message_handler(self._note_sender)

    def _note_sender(self, message: Message) -> bool:
        if message.message_type is MessageType.METHOD_CALL:
            self.sender = message.sender or ""
            if message.path == self.session and message.member == "Close":
                say(closed=message.path)
                self.bus.send(Message.new_method_return(message))
                return True
        return False

    def request(self, options: dict[str, Variant]) -> str:
        sender = self.sender.removeprefix(":").replace(".", "_")
        token = options["handle_token"].value
        return f"{PATH}/request/{'own' if self.mode == 'old' else sender}/{token}"

    def respond(self, handle: str, code: int, results: dict[str, Variant]) -> None:
        async def later() -> None:
            await asyncio.sleep(0.02)
            self.signal(handle, "org.freedesktop.portal.Request", "Response", "ua{sv}", [code, results])

        task = asyncio.get_running_loop().create_task(later())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def signal(self, path: str, interface: str, member: str, signature: str, body: list[object]) -> None:
        message = Message(path=path, interface=interface, member=member, signature=signature, body=body)
        message.message_type = MessageType.SIGNAL
        self.bus.send(message)


class Registry(ServiceInterface):
    """org.freedesktop.host.portal.Registry."""

    def __init__(self) -> None:
        super().__init__("org.freedesktop.host.portal.Registry")

    @dbus_method()
    def Register(self, app_id: "s", options: "a{sv}"):
        say(registered=app_id)


class GlobalShortcuts(ServiceInterface):
    """org.freedesktop.portal.GlobalShortcuts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(SHORTCUTS)
        self._desk = desk

    @dbus_method()
    def CreateSession(self, options: "a{sv}") -> "o":
        desk = self._desk
        sender = desk.sender.removeprefix(":").replace(".", "_")
        desk.session = f"{PATH}/session/{sender}/{options['session_handle_token'].value}"
        handle = desk.request(options)
        desk.respond(handle, YES, {"session_handle": Variant("s", desk.session)})
        say(session=desk.session)
        return handle

    @dbus_method()
    def BindShortcuts(
        self, session_handle: "o", shortcuts: "a(sa{sv})", parent_window: "s", options: "a{sv}"
    ) -> "o":
        desk = self._desk
        wanted = [(name, {key: each.value for key, each in more.items()}) for name, more in shortcuts]
        say(bound=wanted, session=session_handle)
        handle = desk.request(options)
        words = "" if desk.mode == "unbound" else "Press Ctrl+Shift+Space"
        desk.respond(handle, NO if desk.mode == "no" else YES, {"shortcuts": _shortcuts(words)})
        return handle


def _shortcuts(words: str) -> Variant:
    named = {"description": Variant("s", "Ask"), "trigger_description": Variant("s", words)}
    return Variant("a(sa{sv})", [["quick-ask", named]])


async def main(mode: str) -> None:
    """Serve until stdin ends."""
    bus = await MessageBus(bus_type=BusType.SESSION).connect()
    desk = Desk(bus, mode)
    if mode != "old":
        bus.export(PATH, Registry())
    bus.export(PATH, GlobalShortcuts(desk))
    await bus.request_name("org.freedesktop.portal.Desktop")
    say(ready=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        verb, _, rest = line.strip().partition(" ")
        if verb == "rebind":
            body = [desk.session, _shortcuts(rest).value]
            desk.signal(PATH, SHORTCUTS, "ShortcutsChanged", "oa(sa{sv})", body)
        else:
            name = "quick-ask" if verb == "press" else "another"
            token = {"activation_token": Variant("s", "leave-7")}
            desk.signal(PATH, SHORTCUTS, "Activated", "osta{sv}", [desk.session, name, 12345, token])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
