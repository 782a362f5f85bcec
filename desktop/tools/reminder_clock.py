"""The one clock of the reminders: a thread that sleeps until something is due, and tells the bus."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import datetime

import structlog

from desktop.engine.host import Clock
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.tools.reminders import Reminder, ReminderDue, Reminders, RemindersChanged
from desktop.tools.times import local_now

log = structlog.get_logger(__name__)

# A sleeping computer and a clock that is set stop no wait, so that none may be long.
LONGEST_WAIT_S = 30.0


class ReminderClock:
    """Publishes ReminderDue on its own thread. `start` and `close` may be called on any thread."""

    def __init__(
        self,
        reminders: Reminders,
        bus: Bus,
        now: Callable[[], datetime] = local_now,
        clock: Clock | None = None,
        owner: str = "",
    ) -> None:
        self._reminders = reminders
        self._bus = bus
        self._now = now
        self._clock = clock or Clock()
        self._owner = owner or f"{os.getpid()} {time.time_ns()}"
        self._changed = threading.Condition()
        self._is_changed = False
        self._closed = False
        self._started: datetime | None = None
        self._thread = threading.Thread(target=self._run, name="reminders clock", daemon=True)
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin, with what was missed since the last run."""
        self._started = self._now()
        self._reminders.has_clock = True
        self._unsubscribe = self._bus.subscribe(RemindersChanged, lambda _event: self.look())
        self._thread.start()

    def look(self) -> None:
        """Look again at what is set: another process may have changed it."""
        with self._changed:
            self._is_changed = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread. Safe to call before `start`."""
        if self._unsubscribe is None:
            return
        self._unsubscribe()
        self._reminders.has_clock = False
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    # -- its thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed:
            try:
                self._tell(self._reminders.claim(self._owner))
                self._wait(self._pause_s())
            except UserFacing as error:  # the disk is full, or the file is held: the next look may do
                log.error("reminders could not be read", cause=error.cause)
                self._wait(LONGEST_WAIT_S)

    def _tell(self, due: tuple[Reminder, ...]) -> None:
        missed = tuple(each for each in due if self._started is not None and each.due < self._started)
        new = tuple(each for each in due if each not in missed)
        if missed:
            self._bus.publish(ReminderDue(missed, missed=True))
        if new:
            self._bus.publish(ReminderDue(new))

    def _pause_s(self) -> float | None:
        """None as long as nothing is set: then nothing ticks."""
        due = self._reminders.next_due()
        if due is None:
            return None
        left = (due - self._now()).total_seconds()
        # What is due was claimed just now, here or elsewhere; its claim ends after this time.
        return min(left, LONGEST_WAIT_S) if left > 0 else LONGEST_WAIT_S

    def _wait(self, timeout_s: float | None) -> None:
        with self._changed:
            if not self._is_changed and not self._closed:
                self._clock.wait(self._changed, timeout_s)
            self._is_changed = False
