"""Processor time that a slow or busy computer does not stretch, for tests that must notice a freeze.

The same code takes twice the processor's time on an older computer, and half as much again while another
program uses the other half of a core. So a fixed piece of work is timed right before and right after, and
what the test measured is told in the seconds that it would have taken on the computer at rest that the bounds
were set on. How fast something is says a benchmark; a bound here is far above that, and only another order of
magnitude reaches it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

AT_REST_S = 0.0011  # what `_work` takes on an Intel Xeon of 2.5 GHz, the least of many
_ROUNDS = 3  # of which the quickest counts: whatever else goes on only ever adds to a time
_WORD = re.compile(r"\b[a-z]+\d*\b")


@dataclass
class Spent:
    """What a block took; 0 until it is over."""

    seconds: float = 0.0  # of the processor, as they were
    slowness: float = 1.0  # how much longer everything takes now than at rest

    @property
    def at_rest_s(self) -> float:
        return self.seconds / self.slowness


@contextmanager
def processor_time(clock: Callable[[], float] = time.process_time) -> Iterator[Spent]:
    """Measure a block. `clock` may be time.thread_time, which leaves other threads out."""
    spent = Spent()
    before_s = _work_s()
    begun_s = clock()
    yield spent
    spent.seconds = clock() - begun_s
    # The slower of the two: the computer may have become busy in the midst of it.
    spent.slowness = max(1.0, max(before_s, _work_s()) / AT_REST_S)


def _work_s() -> float:
    return min(seconds_of(_work) for _ in range(_ROUNDS))


def seconds_of(work: Callable[[], object]) -> float:
    """Of this thread's processor, as they are."""
    begun_s = time.thread_time()
    work()
    return time.thread_time() - begun_s


def _work() -> int:
    """Some of everything that tests do: calls, strings, tables, an expression."""
    text = " ".join(f"word{number} of the {number % 7}" for number in range(450))
    counted: dict[str, int] = {}
    for match in _WORD.finditer(text):
        word = match[0]
        counted[word] = counted.get(word, 0) + 1
    return len(sorted(counted, key=lambda word: (counted[word], word)))
