"""How long one line may be looked at. What a first line loads once is not counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

BUDGET_S = 0.05  # of this thread's own time, so that a busy machine asks no more than an idle one
_loading_s = [0.0]


@contextmanager
def loading() -> Iterator[None]:
    """Tables or code are read in meanwhile, once for all lines. One thread at a time is counted rightly."""
    started_s, before_s = time.thread_time(), _loading_s[0]
    try:
        yield
    finally:
        _loading_s[0] = before_s + time.thread_time() - started_s  # what was loaded within is part of it


class Budget:
    """Begins when it is made. Used by one thread."""

    def __init__(self) -> None:
        self._started_s = time.thread_time()
        self._loaded_s = _loading_s[0]

    def is_spent(self) -> bool:
        """Whether the line has had its time."""
        loaded_s = _loading_s[0] - self._loaded_s
        return time.thread_time() - self._started_s - loaded_s > BUDGET_S
