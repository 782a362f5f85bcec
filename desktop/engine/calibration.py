"""How many threads compute a token fastest on this computer.

More can be slower: the threads wait for each other at every layer, and they spin while they wait, so one core
that is shared with another program holds up all. Measured once for each model, build and processor, in steps
of one token while nobody waits for an answer; stored.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop.engine.backend import Context, ContextShape, Decoded, LoadedModel
from desktop.paths import write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

BUDGET_S = 2.0
ROUNDS = 12  # tokens for each number of threads, where the budget lasts
WARM_UP_ROUNDS = 1
LEAST_ROUNDS = 3
STEADY = 1.25  # the third quartile over the first, at most
CLEARLY = 1.03  # one more thread has to be so much faster
ENTRIES_KEPT = 64
CELLS = 256


@dataclass(frozen=True)
class Calibrated:
    """The best number of threads, and tokens per second for each number that was tried.

    Not `steady`: other programs were busy meanwhile; good enough for now, measured again after the next load.
    """

    threads: int
    tokens_per_s: dict[int, float]
    steady: bool = True


class CalibrationFile:
    """Results on disk, by key. Engine thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, key: str) -> Calibrated | None:
        entry = self._entries().get(key, {})
        try:
            rates = {int(threads): float(rate) for threads, rate in entry["tokens_per_s"].items()}
            return Calibrated(int(entry["threads"]), rates, bool(entry["steady"])) if rates else None
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    def write(self, key: str, result: Calibrated) -> None:
        entries = self._entries()
        entries.pop(key, None)
        entries[key] = asdict(result)
        kept = dict(list(entries.items())[-ENTRIES_KEPT:])
        try:
            write_atomically(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:  # it will be measured again next time
            log.warning("calibration could not be saved", reason=str(error))

    def _entries(self) -> dict[str, Any]:
        return read_object(self._path, "The best number of threads")


class Calibration:
    """Measures in steps of one token. Engine thread."""

    def __init__(
        self, model: LoadedModel, cores: int, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._model = model
        self._candidates = candidates(cores)
        self._clock = clock
        self._seconds: dict[int, list[float]] = {threads: [] for threads in self._candidates}
        self._context: Context | None = None
        self._spent_s = 0.0
        self._steps = 0

    def step(self) -> Calibrated | None:
        """Compute one token; the result when that was enough."""
        begun = self._clock()
        if self._context is None:
            self._context = self._model.new_context(ContextShape(CELLS, 1, 1, 1, 1))
        threads = self._candidates[self._steps % len(self._candidates)]
        self._measure(self._context, threads)
        self._steps += 1
        self._spent_s += self._clock() - begun
        return self._result() if self._enough() else None

    def close(self) -> None:
        """Free the scratch context."""
        if self._context is not None:
            self._context.close()
            self._context = None

    def _measure(self, context: Context, threads: int) -> None:
        context.set_threads(threads, threads)
        context.cut(0, 0)
        begun = self._clock()
        if context.decode([0], 0, 0) is Decoded.DONE and self._steps >= WARM_UP_ROUNDS * len(
            self._candidates
        ):
            self._seconds[threads].append(max(self._clock() - begun, 1e-9))

    def _enough(self) -> bool:
        rounds = self._steps // len(self._candidates) - WARM_UP_ROUNDS
        return rounds >= ROUNDS or (rounds >= LEAST_ROUNDS and self._spent_s >= BUDGET_S)

    def _result(self) -> Calibrated:
        rates = {t: 1 / statistics.median(times) for t, times in self._seconds.items() if times}
        rounded = {threads: round(rate, 3) for threads, rate in rates.items()}
        return Calibrated(best(rates), rounded, all(map(_steady, filter(None, self._seconds.values()))))


def candidates(cores: int) -> tuple[int, ...]:
    """The numbers of threads worth trying: all up to four, then fewer and fewer, and all cores."""
    steps = [n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64) if n < cores]
    return (*steps, cores)


def best(tokens_per_s: dict[int, float]) -> int:
    """The fastest; of two that are close, the one that leaves more room for other programs."""
    top = max(tokens_per_s.values())
    return min(threads for threads, rate in tokens_per_s.items() if rate * CLEARLY >= top)


def _steady(seconds: list[float]) -> bool:
    """Whether most measurements agree."""
    ordered = sorted(seconds)
    return ordered[len(ordered) * 3 // 4] <= STEADY * ordered[len(ordered) // 4]


def calibration_key(model_identity: str, build: str, processor: str, cores: int) -> str:
    """Names what a result is good for."""
    text = "\n".join((model_identity, build, processor, str(cores)))
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
