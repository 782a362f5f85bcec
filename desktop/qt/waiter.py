"""A thread that waits for one answer, and the prompt that several of them may share."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from desktop.asking import SPARE_S, Answer, AskTimedOut, Question
from desktop.errors import Cancelled


class Waiter:
    """One call of `ask`. It ends exactly once, with an answer or an error; any thread may end it."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._answer: Answer | None = None
        self._error: Exception | None = None

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    @property
    def ends_at(self) -> float | None:
        """The moment of the monotonic clock at which an answer would come too late for the agent."""
        deadline = self.question.origin.deadline
        return None if deadline is None else deadline - SPARE_S

    def wait(self) -> Answer:
        """Block until it ends; raises what it ended with."""
        self._ended.wait()
        if self._answer is not None:
            return self._answer
        raise self._error or Cancelled

    def answer(self, answer: Answer) -> None:
        self._end(answer, None)

    def cancel(self) -> None:
        self._end(None, Cancelled())

    def time_out(self) -> None:
        self._end(None, AskTimedOut())

    def _end(self, answer: Answer | None, error: Exception | None) -> None:
        """The first ending counts."""
        with self._lock:
            # An answer, a time-out and a dropped connection may come at the same moment, on three threads.
            if not self._ended.is_set():
                self._answer, self._error = answer, error
                self._ended.set()


@dataclass(eq=False)
class Prompt:
    """A question as the user sees it, with everyone who waits for it. Main thread only."""

    question: Question
    waiters: list[Waiter] = field(default_factory=list)
    left_s: float | None = None
    is_shown: bool = False

    def prune(self, now: float) -> None:
        """Let go of those who ended, and of those whose agent stops listening."""
        for waiter in self.waiters:
            if waiter.ends_at is not None and now >= waiter.ends_at:
                waiter.time_out()
        self.waiters = [waiter for waiter in self.waiters if not waiter.ended]

    def pass_time(self, seconds: float) -> None:
        """Count down; at nothing everyone's time is out."""
        if self.left_s is None:
            return
        self.left_s = max(0.0, self.left_s - seconds)
        if self.left_s == 0:
            for waiter in self.waiters:
                waiter.time_out()

    def seconds_left(self, now: float) -> float | None:
        """Until it ends by itself, whichever clock is first; None if it waits for ever."""
        ends = [waiter.ends_at - now for waiter in self.waiters if waiter.ends_at is not None]
        if ends:
            # The last one counts: as long as somebody listens the prompt stays.
            agent_s = max(0.0, *ends)
            return agent_s if self.left_s is None else min(self.left_s, agent_s)
        return self.left_s
