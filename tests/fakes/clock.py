"""Time that passes when a test says so."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from desktop.engine.scheduler import Clock


@dataclass
class SetTime:
    """The time as a test has set it, in seconds; for what only asks for it."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class FakeClock(Clock):
    """Waiting ends when time is advanced far enough, or when notified."""

    def __init__(self) -> None:
        self._now = 0.0
        self._waiting: threading.Condition | None = None
        self._waited = threading.Event()
        self.timeouts: list[float | None] = []

    def now(self) -> float:
        return self._now

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        self.timeouts.append(timeout_s)
        self._waiting = condition
        self._waited.set()
        condition.wait()

    def advance(self, seconds: float) -> None:
        """Let time pass, once somebody waits for it."""
        assert self._waited.wait(10), "nobody waits for time to pass"
        self._waited.clear()
        self._now += seconds
        condition = self._waiting
        assert condition is not None
        with condition:
            condition.notify_all()
