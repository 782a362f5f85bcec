"""Who goes next, and who stops for whom.

Jobs advance in steps: a chunk of a prompt or one token. The most urgent goes first, among equals the
eldest, to its end. A step that computes a chunk is interrupted when somebody more urgent comes; every step
is, when its own job is cancelled. The interrupt is raised under the same lock that says who is computing, so
it never hits the next job.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from desktop.engine.inference import Interrupt
from desktop.engine.requests import Priority


class Job(Protocol):
    """What the scheduler looks at."""

    priority: Priority

    @property
    def started(self) -> bool:
        """Whether it holds a part of the KV cache."""
        ...

    cancelled: bool


J = TypeVar("J", bound=Job)


@dataclass(frozen=True)
class _Computing(Generic[J]):
    job: J
    interrupt: Interrupt
    yields: bool


class Clock:
    """Seconds that only ever grow, and waiting."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        """Wait until notified or `timeout_s` seconds have passed; the condition is held."""
        condition.wait(timeout_s)


class Scheduler(Generic[J]):
    """The queue of jobs. `next`, `begin`, `end` and `remove` belong to the engine thread, the rest to any."""

    def __init__(self, admit: Callable[[J], bool], clock: Clock) -> None:
        """`admit` tells whether a job may run now; called under the lock, so it must be quick."""
        self._admit = admit
        self._clock = clock
        self.version = 0  # changes whenever somebody may have to be looked at anew
        self._news = False
        self._closed = False
        self._changed = threading.Condition()
        self._jobs: list[J] = []
        self._computing: _Computing[J] | None = None

    def submit(self, job: J) -> bool:
        """Add a job; a less urgent prompt that is being computed stops for it. False: closed, not added."""
        with self._changed:
            if self._closed:
                return False
            self._jobs.append(job)
            now = self._computing
            # Only a prompt yields: a token is done sooner than it could be interrupted.
            if now is not None and now.yields and job.priority < now.job.priority:
                now.interrupt.set()
        self.wake()
        return True

    def close(self) -> tuple[J, ...]:
        """Take no more jobs; those that are left."""
        with self._changed:
            self._closed = True
            return tuple(self._jobs)

    def cancel(self, job: J) -> None:
        """Mark `job` and stop its computation; its next step will end it."""
        with self._changed:
            job.cancelled = True
            if self._computing is not None and self._computing.job is job:
                self._computing.interrupt.set()
        self.wake()

    def wake(self) -> None:
        """Make `rest` return, now or when it is next called."""
        with self._changed:
            self.version += 1
            self._news = True
            self._changed.notify_all()

    def rest(self, timeout_s: float | None) -> None:
        """Wait for `wake`, or for `timeout_s` seconds."""
        with self._changed:
            if not self._news:
                self._clock.wait(self._changed, timeout_s)
            self._news = False

    def next(self) -> J | None:
        """The most urgent job that is admitted; cancelled ones first, they only have to be told."""
        with self._changed:
            # They only have to be told, whatever goes on.
            for job in self._jobs:
                if job.cancelled:
                    return job
            # The first of equals is the eldest: the list is in order of arrival.
            return min(filter(self._admit, self._jobs), key=lambda job: job.priority, default=None)

    def begin(self, job: J, interrupt: Interrupt, yields: bool) -> bool:
        """Called before computing. False: don't; it is cancelled, or `yields` and somebody is more urgent."""
        with self._changed:
            # Under the lock of `submit` and `cancel`, so that no interrupt is lost between the question and
            # the work.
            if job.cancelled or (yields and self._outranked(job)):
                self.version += 1
                return False
            interrupt.clear()
            self._computing = _Computing(job, interrupt, yields)
            return True

    def end(self) -> None:
        """Called after computing."""
        with self._changed:
            if self._computing is not None:
                self._computing.interrupt.clear()
            self._computing = None

    def remove(self, job: J) -> None:
        with self._changed:
            self._jobs.remove(job)

    @property
    def jobs(self) -> tuple[J, ...]:
        with self._changed:
            return tuple(self._jobs)

    def _outranked(self, job: J) -> bool:
        return any(other.priority < job.priority and self._admit(other) for other in self._jobs)
