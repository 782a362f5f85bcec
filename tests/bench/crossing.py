"""The way of a token to the window: engine thread, pool thread, bus, relay, main thread."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEventLoop

from desktop.engine.requests import Stream
from desktop.events import Bus, Event
from desktop.qt.relay import Relay


@dataclass(frozen=True)
class Piece(Event):
    text: str


@dataclass(frozen=True)
class End(Event):
    pass


def to_the_main_thread(stream: Stream) -> tuple[float, float]:
    """When the first and the last piece arrived in a slot on the main thread, in seconds of perf_counter."""
    app = QCoreApplication.instance() or QCoreApplication([])
    bus, loop, arrived_s = Bus(), QEventLoop(app), list[float]()
    relay = Relay(bus)
    relay.listen(Piece, lambda _piece: arrived_s.append(time.perf_counter()))
    relay.listen(End, lambda _end: loop.quit())
    reader = threading.Thread(target=lambda: [bus.publish(Piece(p)) for p in stream] and bus.publish(End()))
    reader.start()
    loop.exec()
    reader.join()
    relay.close()
    return arrived_s[0], arrived_s[-1]
