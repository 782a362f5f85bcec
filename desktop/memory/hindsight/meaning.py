"""Likeness of two failures in meaning: the third step of the lookup, where search by meaning is on.

Strict, because a wrong fix is worse than none: of the look-alikes in tests/memory/hindsight/cases.py the most
alike has 0.80. A vector takes some 10 ms to make, so a lookup makes few and keeps them; those that it has no
time for are made by later ones.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

SURE = 0.86  # of the cosine
TIME_S = 0.025  # after which a lookup makes no more vectors
KEPT = 512

Vector = Sequence[float]


class Meaning:
    """May be called on any thread."""

    def __init__(
        self, vector: Callable[[str], Vector], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """`vector` gives a text's meaning with length 1, () where that is off."""
        self._vector = vector
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vector] = OrderedDict()

    def likeness(self, message: str, others: Sequence[str]) -> dict[str, float]:
        """Of those of `others` that there was time for, and that surely say the same: the cosine."""
        until = self._clock() + TIME_S
        asked = self._of(message, until)
        found = {}
        for other in others if asked else ():
            vector = self._of(other, until)
            cosine = sum(a * b for a, b in zip(asked, vector, strict=False)) if vector else 0.0
            if cosine >= SURE:
                found[other] = cosine
        return found

    def forget(self) -> None:
        """Nothing that was said stays in memory."""
        with self._lock:
            self._known.clear()

    def _of(self, text: str, until: float) -> Vector:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        made = self._vector(text) if self._clock() < until else ()
        if made:
            with self._lock:
                self._known[text] = made
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return made
