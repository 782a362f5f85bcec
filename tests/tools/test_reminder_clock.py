"""The clock of the reminders: it waits as long as it may, and tells each once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from desktop.database import Database
from desktop.engine.host import Clock
from desktop.events import Bus
from desktop.paths import Paths
from desktop.tools import notes, reminders
from desktop.tools.reminder_clock import LONGEST_WAIT_S, ReminderClock
from desktop.tools.reminders import ReminderDue, Reminders
from desktop.tools.times import local_now

START = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


class Waits(Clock):
    """Hands over each wait as it begins; one ends when it is told to."""

    def __init__(self) -> None:
        self.begun: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._condition = threading.Condition()

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        self._condition = condition
        self.begun.put(timeout_s)
        condition.wait()

    def end(self) -> None:
        with self._condition:
            self._condition.notify_all()


class Desk:
    """A clock whose waits and time are the test's, and what it told."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self.at = START
        self.waits = Waits()
        self.told: queue.SimpleQueue[ReminderDue] = queue.SimpleQueue()
        self.bus = bus
        self.reminders = Reminders(database, bus, lambda: self.at)
        self.clock = ReminderClock(self.reminders, bus, lambda: self.at, self.waits)
        bus.subscribe(ReminderDue, self.told.put)

    def wait(self) -> float | None:
        """How long the clock waits now."""
        return self.waits.begun.get(timeout=10)

    def pass_time(self, **time: float) -> None:
        self.at += timedelta(**time)
        self.waits.end()

    def texts(self) -> tuple[list[str], bool]:
        event = self.told.get(timeout=10)
        return [each.text for each in event.reminders], event.missed


@pytest.fixture
def desk(paths: Paths, bus: Bus) -> Iterator[Desk]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    made = Desk(database, bus)
    yield made
    made.clock.close()
    database.close()


def test_nothing_ticks_while_nothing_is_set(desk: Desk) -> None:
    """It waits without end, and again after the last one is gone."""
    desk.clock.start()
    assert desk.wait() is None
    desk.reminders.set_reminder("milk", "in 20 minutes")
    assert desk.wait() == LONGEST_WAIT_S
    desk.reminders.end(1)
    assert desk.wait() is None


def test_it_sleeps_until_what_is_due_next(desk: Desk) -> None:
    """Never longer than half a minute, because a sleeping computer and a set clock end no wait."""
    desk.clock.start()
    desk.wait()
    desk.reminders.set_reminder("milk", "in 70 seconds")
    assert desk.wait() == 30
    desk.pass_time(seconds=30)
    assert desk.wait() == 30
    desk.pass_time(seconds=30)
    assert desk.wait() == 10
    desk.pass_time(seconds=10)
    assert desk.texts() == (["milk"], False)
    desk.wait()
    desk.reminders.shown([1])
    assert desk.wait() is None


def test_after_sleep_it_is_shown_at_once(desk: Desk) -> None:
    """Eight hours passed while the wait stood still."""
    desk.clock.start()
    desk.wait()
    desk.reminders.set_reminder("milk", "in 2 hours")
    desk.wait()
    desk.pass_time(hours=8)
    assert desk.texts() == (["milk"], False)


def test_a_clock_that_is_put_back_delays_it(desk: Desk) -> None:
    """It is shown when the clock on the wall says so."""
    desk.clock.start()
    desk.wait()
    desk.reminders.set_reminder("milk", "at 9:31 am")
    assert desk.wait() == LONGEST_WAIT_S
    desk.pass_time(hours=-1)
    assert desk.wait() == LONGEST_WAIT_S
    assert desk.told.empty()
    desk.pass_time(hours=1, minutes=1)
    assert desk.texts() == (["milk"], False)


def test_what_was_missed_comes_together_at_the_start(desk: Desk) -> None:
    """What comes due later comes by itself."""
    for text, when in (("milk", "in 1 hour"), ("bread", "in 2 hours"), ("call Anna", "in 5 hours")):
        desk.reminders.set_reminder(text, when)
    desk.at += timedelta(hours=3)
    desk.clock.start()
    assert desk.texts() == (["milk", "bread"], True)
    desk.wait()
    desk.reminders.shown([1, 2])
    desk.wait()
    desk.pass_time(hours=2)
    assert desk.texts() == (["call Anna"], False)


def test_what_nobody_confirmed_comes_again(desk: Desk) -> None:
    """Once its claim has run out; confirmed, it does not."""
    desk.clock.start()
    desk.wait()
    desk.reminders.set_reminder("milk", "in 10 seconds")
    desk.wait()
    desk.pass_time(seconds=10)
    assert desk.texts() == (["milk"], False)
    desk.wait()
    desk.pass_time(seconds=31)
    assert desk.texts() == (["milk"], False)
    desk.wait()
    desk.reminders.shown([1])
    assert desk.wait() is None
    desk.pass_time(seconds=31)
    assert desk.wait() is None
    assert desk.told.empty()


def test_only_a_running_clock_promises_to_show(desk: Desk) -> None:
    """The result of set_reminder says more where nobody is there to show it."""
    assert "while Steward runs" in desk.reminders.set_reminder("milk", "in 1 hour")
    desk.clock.start()
    assert "while Steward runs" not in desk.reminders.set_reminder("bread", "in 1 hour")
    desk.clock.close()
    assert "while Steward runs" in desk.reminders.set_reminder("soap", "in 1 hour")


def test_it_closes_before_it_was_started(desk: Desk) -> None:
    """And twice."""
    desk.clock.close()


def test_on_the_real_clock(paths: Paths, bus: Bus) -> None:
    """Set for a second from now, told a second from now."""
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    held = Reminders(database, bus)
    clock = ReminderClock(held, bus)
    told: queue.SimpleQueue[tuple[datetime, ReminderDue]] = queue.SimpleQueue()
    bus.subscribe(ReminderDue, lambda event: told.put((local_now(), event)))
    clock.start()
    due = local_now() + timedelta(seconds=0.4)
    held.add("milk", due)
    at, event = told.get(timeout=10)
    clock.close()
    database.close()
    assert [each.text for each in event.reminders] == ["milk"]
    assert timedelta() <= at - due < timedelta(seconds=5)
