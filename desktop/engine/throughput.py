"""Watches how fast tokens come, and uses fewer threads while other programs need the cores.

When a core is shared, all threads wait for it at every layer: two threads can then be slower than one. So
when the rate collapses a thread is dropped; that is kept only if it helps; later the thread is tried again,
at longer and longer intervals.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from desktop.engine.calibration import Calibrated

WINDOW_TOKENS = 16
WINDOW_S = 1.0  # a window is full earlier when its tokens took so long
LEAST_TOKENS = 3
COLLAPSED = 0.6  # of the calibrated rate
HELPED = 1.05  # a change has to make it so much faster
FIRST_RETRY_S = 20.0
LONGEST_RETRY_S = 600.0


@dataclass(frozen=True)
class Change:
    """Compute with so many threads from now on."""

    threads: int
    why: str


class ThroughputWatch:
    """Decides about threads while answers are computed. Engine thread."""

    def __init__(self, calibrated: Calibrated) -> None:
        self.threads = calibrated.threads
        self._calibrated = calibrated
        self._window: list[float] = []
        self._tried_from: tuple[int, float] | None = None  # threads and rate before the latest change
        self._next_change_at = 0.0
        self._retry_s = FIRST_RETRY_S

    def decoded(self, seconds: float, now: float) -> Change | None:
        """One token took so long; what to change, if anything."""
        self._window.append(seconds)
        if not self._window_full():
            return None
        rate = 1 / max(statistics.median(self._window), 1e-9)
        self._window.clear()
        if self._tried_from is not None:
            return self._judge_change(rate, now)
        return self._consider(rate, now)

    def _window_full(self) -> bool:
        count = len(self._window)
        return count >= WINDOW_TOKENS or (count >= LEAST_TOKENS and sum(self._window) >= WINDOW_S)

    @property
    def held_back(self) -> bool:
        """Whether fewer threads compute than would be best on a quiet computer."""
        return self.threads < self._calibrated.threads

    def _judge_change(self, rate: float, now: float) -> Change | None:
        assert self._tried_from is not None
        threads_before, rate_before = self._tried_from
        self._tried_from = None
        self._next_change_at = now + self._retry_s
        if rate >= rate_before * HELPED:
            self._retry_s = FIRST_RETRY_S
            return None
        self._retry_s = min(self._retry_s * 2, LONGEST_RETRY_S)
        return self._change(threads_before, "another number of threads was no faster")

    def _consider(self, rate: float, now: float) -> Change | None:
        if now < self._next_change_at:
            return None
        if self.threads > 1 and rate < COLLAPSED * self._expected():
            self._tried_from = (self.threads, rate)
            return self._change(self.threads - 1, "other programs need the processor")
        if self.threads < self._calibrated.threads:
            self._tried_from = (self.threads, rate)
            return self._change(self.threads + 1, "trying to be faster again")
        return None

    def _change(self, threads: int, why: str) -> Change:
        self.threads = threads
        return Change(threads, why)

    def _expected(self) -> float:
        rates = self._calibrated.tokens_per_s
        return rates.get(self.threads) or rates[min(rates, key=lambda n: abs(n - self.threads))]
