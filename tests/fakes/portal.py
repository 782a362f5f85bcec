"""A stand-in for the desktop's portal that speaks its D-Bus interface.

Run as `python -m tests.fakes.portal PICTURE CODE`: prints `ready`, then one JSON line for each request, which
it answers with a copy of PICTURE and the response CODE (0 yes, 1 no).
"""

import asyncio
import json
import shutil
import sys
from pathlib import Path

from dbus_fast import BusType, Message, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.service import ServiceInterface, dbus_method


class Screenshot(ServiceInterface):
    """org.freedesktop.portal.Screenshot."""

    def __init__(self, bus: MessageBus, picture: Path, code: int) -> None:
        super().__init__("org.freedesktop.portal.Screenshot")
        self._bus = bus
        self._picture = picture
        self._code = code
        self._tasks: set[asyncio.Task[None]] = set()

    @dbus_method()
    def Screenshot(self, parent_window: "s", options: "a{sv}") -> "o":
        values = {name: value.value for name, value in options.items()}
        print(json.dumps(values), flush=True)
        # The caller is the only other one on this private bus who listens under its own name.
        handle = f"/org/freedesktop/portal/desktop/request/other/{values['handle_token']}"
        task = asyncio.get_running_loop().create_task(self._respond(handle))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return handle

    async def _respond(self, handle: str) -> None:
        await asyncio.sleep(0.1)
        shot = self._picture.with_name("shot.png")
        shutil.copy(self._picture, shot)
        results = {"uri": Variant("s", shot.as_uri())} if self._code == 0 else {}
        await self._bus.send(
            Message(
                message_type=MessageType.SIGNAL,
                path=handle,
                interface="org.freedesktop.portal.Request",
                member="Response",
                signature="ua{sv}",
                body=[self._code, results],
            )
        )


async def main(picture: Path, code: int) -> None:
    """Serve until the bus ends."""
    bus = await MessageBus(bus_type=BusType.SESSION).connect()
    bus.export("/org/freedesktop/portal/desktop", Screenshot(bus, picture, code))
    await bus.request_name("org.freedesktop.portal.Desktop")
    print("ready", flush=True)
    await bus.wait_for_disconnect()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
