"""The crossing from core threads to the main thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from desktop.events import Bus, Event
from desktop.qt.relay import Relay


@dataclass(frozen=True)
class Tick(Event):
    number: int


@pytest.fixture
def relay(bus: Bus, qapp: object) -> Iterator[Relay]:
    relay = Relay(bus)
    yield relay
    relay.close()


def test_events_arrive_on_the_main_thread_in_order(bus: Bus, relay: Relay, qtbot: QtBot) -> None:
    """What a worker publishes is delivered on the main thread, all of it, in order."""
    arrived: list[tuple[int, threading.Thread]] = []
    relay.listen(Tick, lambda event: arrived.append((event.number, threading.current_thread())))
    worker = threading.Thread(target=lambda: [bus.publish(Tick(n)) for n in range(1000)])
    worker.start()
    qtbot.waitUntil(lambda: len(arrived) == 1000)
    worker.join()
    assert [number for number, _ in arrived] == list(range(1000))
    assert {thread for _, thread in arrived} == {threading.main_thread()}


def test_nothing_arrives_after_the_end(bus: Bus, relay: Relay, qtbot: QtBot) -> None:
    """An event that was on its way when listening ended is dropped."""
    heard: list[Tick] = []
    other: list[Tick] = []
    end = relay.listen(Tick, heard.append)
    relay.listen(Tick, other.append)
    bus.publish(Tick(1))
    end()
    qtbot.waitUntil(lambda: other == [Tick(1)])
    assert heard == []


def test_what_nobody_wants_does_not_cross(bus: Bus, relay: Relay, qtbot: QtBot) -> None:
    """`when` is asked on the publisher's thread, and a no wakes nobody."""
    heard: list[int] = []
    askers: set[threading.Thread] = set()

    def is_third(event: Tick) -> bool:
        askers.add(threading.current_thread())
        return event.number % 3 == 0

    relay.listen(Tick, lambda event: heard.append(event.number), when=is_third)
    crossings = QSignalSpy(relay._arrived)
    worker = threading.Thread(target=lambda: [bus.publish(Tick(n)) for n in range(9)])
    worker.start()
    qtbot.waitUntil(lambda: heard == [0, 3, 6])
    worker.join()
    assert crossings.count() == 3
    assert askers == {worker}
