"""How long one line may be looked at. What a first line loads once is not counted, nor what the program's
own memory costs."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

BUDGET_S = 0.05  # of this thread's own time, so that a busy machine asks no more than an idle one
ALL_GENERATIONS = 2  # of the collector: the only collection whose length is that of the program's memory


class _NotCounted(threading.local):
    """Of one thread's time, what no line answers for."""

    total_s = 0.0
    collects_since_s = 0.0


_not_counted = _NotCounted()


@contextmanager
def loading() -> Iterator[None]:
    """Tables or code are read in meanwhile, once for all lines."""
    started_s, before_s = time.thread_time(), _not_counted.total_s
    try:
        yield
    finally:
        took_s = time.thread_time() - started_s  # what was loaded within is part of it
        _not_counted.total_s = before_s + took_s


def _on_collection(phase: str, facts: Mapping[str, int]) -> None:
    """Whichever line makes the next object collects for the whole program."""
    if facts["generation"] < ALL_GENERATIONS:
        return
    if phase == "start":
        _not_counted.collects_since_s = time.thread_time()
    else:
        _not_counted.total_s += time.thread_time() - _not_counted.collects_since_s


gc.callbacks.append(_on_collection)


class Budget:
    """Begins when it is made. Used by one thread."""

    def __init__(self) -> None:
        self._begun_s = time.perf_counter()
        self._started_s = time.thread_time()
        self._not_counted_s = _not_counted.total_s

    def is_spent(self) -> bool:
        """Whether the line has had its time."""
        # No thread computes longer than time passes. Its own time is asked of the kernel, which is dear.
        if time.perf_counter() - self._begun_s <= BUDGET_S:
            return False
        not_counted_s = _not_counted.total_s - self._not_counted_s
        return time.thread_time() - self._started_s - not_counted_s > BUDGET_S
