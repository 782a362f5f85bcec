"""How long a set-up still takes.

Each step has the seconds that it takes on two quiet cores with a quick line. What the finished ones took in
truth corrects those that are to come, and a step that knows how far it is corrects itself.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

SLOWEST, QUICKEST = 20.0, 0.2  # how far from what was expected a computer is believed to be
OVERDUE = 0.2  # a step that takes longer than expected: what is left of it, of what it took


class Plan:
    """The steps of one set-up, by the beginnings of their titles. Used by one thread."""

    def __init__(self, seconds: Mapping[str, float], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = dict(seconds)
        self._done_expected_s = self._done_s = 0.0
        self._running = ""
        self._begun = 0.0

    def add(self, title: str, seconds: float) -> None:
        """A step that nobody expected."""
        self._left[title] = seconds

    def begin(self, title: str) -> None:
        self._running = next((known for known in self._left if title.startswith(known)), "")
        self._begun = self._clock()

    def end(self) -> None:
        """Of the running step. One that is not of the plan says nothing about the others."""
        if self._running:
            self._done_expected_s += self._left.pop(self._running)
            self._done_s += self._clock() - self._begun
            self._running = ""

    @property
    def running(self) -> str:
        """The step that runs, by the beginning of its title; "" for none of the plan."""
        return self._running

    @property
    def is_measured(self) -> bool:
        """Whether a step has ended here: until then `left_s` is what another computer took."""
        return self._done_expected_s > 0

    def left_s(self, share_done: float | None = None) -> float:
        """Until the last step ends; `share_done` is how far the running step says it is."""
        pace = self._pace()
        later = sum(seconds for title, seconds in self._left.items() if title != self._running)
        return pace * later + self._left_of_running_s(pace, share_done)

    def _left_of_running_s(self, pace: float, share_done: float | None) -> float:
        if not self._running:
            return 0.0
        spent = self._clock() - self._begun
        if share_done:
            return spent * (1 - share_done) / share_done
        return max(pace * self._left[self._running] - spent, OVERDUE * spent)

    def _pace(self) -> float:
        """How much slower this computer is than the one of the expected seconds."""
        if not self._done_expected_s:
            return 1.0
        return min(max(self._done_s / self._done_expected_s, QUICKEST), SLOWEST)


_plans: list[Plan] = []


@contextlib.contextmanager
def following(plan: Plan) -> Iterator[Plan]:
    """Until this ends, every step is one of `plan`."""
    _plans.append(plan)
    try:
        yield plan
    finally:
        _plans.pop()


def current() -> Plan:
    """The plan that is followed; without one, an empty one."""
    return _plans[-1] if _plans else Plan({})


def spoken(seconds: float) -> str:
    """As people say it, no more exact than it is known; "" for next to nothing."""
    if seconds < 1:
        return ""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} s"
    return f"about {max(round(seconds / 60), 2)} minutes"
