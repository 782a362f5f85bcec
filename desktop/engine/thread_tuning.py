"""How many threads compute: what the user set, else measured once, then watched.

More can be slower: the threads wait for each other at every layer, and they spin while they wait, so one core
that is shared with another program holds up all. The best number is measured once for each model, build and
processor, in steps of one token while nobody waits for an answer, and stored. While answers are computed, the
rate is watched: where it collapses a thread is dropped; that is kept only if it helps, and later the thread
is tried again, at longer and longer intervals.
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

from desktop.engine.inference import Context, ContextShape, Decoded, InferenceError, LoadedModel
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
WINDOW_TOKENS = 16
WINDOW_S = 1.0  # a window is full earlier when its tokens took so long
LEAST_TOKENS = 3
COLLAPSED = 0.6  # of the calibrated rate
HELPED = 1.05  # a change has to make it so much faster
FIRST_RETRY_S = 20.0
LONGEST_RETRY_S = 600.0


@dataclass(frozen=True)
class ThreadRates:
    """The best number of threads, and tokens per second for each number that was tried.

    Not `steady`: other programs were busy meanwhile; good enough for now, measured again after the next load.
    """

    threads: int
    tokens_per_s: dict[int, float]
    steady: bool = True


@dataclass(frozen=True)
class ThreadChange:
    """Compute with so many threads from now on."""

    threads: int
    why: str


class ThreadTuning:
    """The number of threads of one loaded model. Engine thread."""

    def __init__(
        self,
        model: LoadedModel,
        file: CalibrationFile,
        key: str,
        cores: int,
        now: Callable[[], float],
        busy_cores: float = 0.0,
    ) -> None:
        """`busy_cores` are what other programs keep busy at the moment."""
        self._file = file
        self._key = key
        self._now = now
        self._cores = cores
        self._calibration: Calibration | None = None
        self._watch: ThroughputWatch | None = None
        # Nothing is known of this model yet, and a thread on a core that another program has holds up all.
        self.threads = max(cores - round(busy_cores), 1)
        known = file.read(key)
        # Measured while others were busy: good enough to begin with, and measured again.
        if known is None or not known.steady:
            self._calibration = Calibration(model, cores)
        if known is not None:
            self._begin_watch(known)

    @property
    def prefill_threads(self) -> int:
        """Prompts use every core, unless other programs need them."""
        held_back = self._watch is None or self._watch.held_back
        return self.threads if held_back else self._cores

    @property
    def wants_idle_time(self) -> bool:
        """Whether there is something to measure while nobody waits."""
        return self._calibration is not None

    def idle_step(self) -> ThreadChange | None:
        """Measure for the time of one token."""
        assert self._calibration is not None
        try:
            result = self._calibration.step()
        except InferenceError as error:  # no memory to spare: compute with what is known
            log.warning("calibration failed", reason=str(error))
            self.close()
            return None
        if result is None:
            return None
        self.close()
        self._file.write(self._key, result)
        log.info("threads calibrated", threads=result.threads, tokens_per_s=result.tokens_per_s)
        before = self.threads, self.prefill_threads
        self._begin_watch(result)
        changed = (self.threads, self.prefill_threads) != before
        return ThreadChange(self.threads, "measured on this computer") if changed else None

    def decoded(self, seconds: float) -> ThreadChange | None:
        """A token of an answer took so long."""
        change = self._watch.decoded(seconds, self._now()) if self._watch is not None else None
        if change is not None:
            self.threads = change.threads
        return change

    def close(self) -> None:
        """Free what measuring needs."""
        if self._calibration is not None:
            self._calibration.close()
            self._calibration = None

    def _begin_watch(self, calibrated: ThreadRates) -> None:
        self._watch = ThroughputWatch(calibrated)
        self.threads = calibrated.threads


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

    def step(self) -> ThreadRates | None:
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
        # Always the same token at the same place: only the number of threads is another.
        context.cut(0, 0)
        begun = self._clock()
        if context.decode([0], 0, 0) is Decoded.DONE and self._steps >= WARM_UP_ROUNDS * len(
            self._candidates
        ):
            self._seconds[threads].append(max(self._clock() - begun, 1e-9))

    def _enough(self) -> bool:
        rounds = self._steps // len(self._candidates) - WARM_UP_ROUNDS
        return rounds >= ROUNDS or (rounds >= LEAST_ROUNDS and self._spent_s >= BUDGET_S)

    def _result(self) -> ThreadRates:
        rates = {t: 1 / statistics.median(times) for t, times in self._seconds.items() if times}
        rounded = {threads: round(rate, 3) for threads, rate in rates.items()}
        return ThreadRates(best(rates), rounded, all(map(_steady, filter(None, self._seconds.values()))))


def candidates(cores: int) -> tuple[int, ...]:
    """The numbers of threads worth trying: all up to four, then fewer and fewer, and all cores."""
    steps = [n for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64) if n < cores]
    return (*steps, cores)


def best(tokens_per_s: dict[int, float]) -> int:
    """The fastest; of two that are close, the one that leaves more room for other programs."""
    # One thread fewer leaves a core to the desktop and hardly costs speed.
    top = max(tokens_per_s.values())
    return min(threads for threads, rate in tokens_per_s.items() if rate * CLEARLY >= top)


def _steady(seconds: list[float]) -> bool:
    """Whether most measurements agree."""
    ordered = sorted(seconds)
    return ordered[len(ordered) * 3 // 4] <= STEADY * ordered[len(ordered) // 4]


class CalibrationFile:
    """Results on disk, by key. Engine thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, key: str) -> ThreadRates | None:
        entry = self._entries().get(key, {})
        try:
            rates = {int(threads): float(rate) for threads, rate in entry["tokens_per_s"].items()}
            return ThreadRates(int(entry["threads"]), rates, bool(entry["steady"])) if rates else None
        except (TypeError, KeyError, ValueError, AttributeError, OverflowError):
            return None

    def write(self, key: str, result: ThreadRates) -> None:
        entries = self._entries()
        # Written again it moves to the end: the oldest are dropped first.
        entries.pop(key, None)
        entries[key] = asdict(result)
        kept = dict(list(entries.items())[-ENTRIES_KEPT:])
        try:
            write_atomically(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:  # it will be measured again next time
            log.warning("calibration could not be saved", reason=str(error))

    def _entries(self) -> dict[str, Any]:
        return read_object(self._path, "The best number of threads")


def calibration_key(model_identity: str, build: str, processor: str, cores: int) -> str:
    """Names what a result is good for."""
    text = "\n".join((model_identity, build, processor, str(cores)))
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


class ThroughputWatch:
    """Decides about threads while answers are computed. Engine thread."""

    def __init__(self, calibrated: ThreadRates) -> None:
        self.threads = calibrated.threads
        self._calibrated = calibrated
        self._window: list[float] = []
        self._tried_from: tuple[int, float] | None = None  # threads and rate before the latest change
        self._next_change_at = 0.0
        self._retry_s = FIRST_RETRY_S

    def decoded(self, seconds: float, now: float) -> ThreadChange | None:
        """One token took so long; what to change, if anything."""
        self._window.append(seconds)
        if not self._window_full():
            return None
        # The median: a single token that a page fault held up says nothing about the threads.
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

    def _judge_change(self, rate: float, now: float) -> ThreadChange | None:
        assert self._tried_from is not None
        threads_before, rate_before = self._tried_from
        self._tried_from = None
        self._next_change_at = now + self._retry_s
        if rate >= rate_before * HELPED:
            self._retry_s = FIRST_RETRY_S
            return None
        # It was no faster: back to what was, and longer before the next try.
        self._retry_s = min(self._retry_s * 2, LONGEST_RETRY_S)
        return self._change(threads_before, "another number of threads was no faster")

    def _consider(self, rate: float, now: float) -> ThreadChange | None:
        if now < self._next_change_at:
            return None
        # Another program has a core, and all threads wait at every layer for the one that lost it.
        if self.threads > 1 and rate < COLLAPSED * self._expected():
            self._tried_from = (self.threads, rate)
            return self._change(self.threads - 1, "other programs need the processor")
        if self.threads < self._calibrated.threads:
            self._tried_from = (self.threads, rate)
            return self._change(self.threads + 1, "trying to be faster again")
        return None

    def _change(self, threads: int, why: str) -> ThreadChange:
        self.threads = threads
        return ThreadChange(threads, why)

    def _expected(self) -> float:
        rates = self._calibrated.tokens_per_s
        return rates.get(self.threads) or rates[min(rates, key=lambda n: abs(n - self.threads))]
