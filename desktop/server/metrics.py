"""Figures about the running gate, in the text form that Prometheus reads (exposition format 0.0.4)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# A verdict takes a fraction of a millisecond, a person minutes.
QUICK_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5)
HELD_S = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 600.0)

Labels = tuple[tuple[str, str], ...]


def labels(**words: object) -> Labels:
    return tuple((name, str(value)) for name, value in words.items())


class Histogram:
    """How long something took. Not locked: whoever holds it locks."""

    def __init__(self, bounds_s: Sequence[float]) -> None:
        self._bounds_s = bounds_s
        self._counts = [0] * (len(bounds_s) + 1)
        self._sum_s = 0.0

    def observe(self, seconds: float) -> None:
        # Each in its own bucket; Prometheus wants sums, which are made when somebody asks.
        self._counts[bisect_left(self._bounds_s, seconds)] += 1
        self._sum_s += seconds

    def samples(self, name: str, of: Labels) -> Iterator[str]:
        """The lines of a histogram: cumulative buckets, sum and count."""
        total = 0
        for bound_s, count in zip((*map(str, self._bounds_s), "+Inf"), self._counts, strict=True):
            total += count
            yield sample(f"{name}_bucket", (*of, ("le", bound_s)), total)
        yield sample(f"{name}_sum", of, self._sum_s)
        yield sample(f"{name}_count", of, total)


@dataclass(frozen=True)
class MetricReading:
    """One figure that is looked up when somebody asks. `kind` is counter or gauge."""

    name: str
    kind: str
    help_text: str
    value: float
    of: Labels = ()

    def lines(self) -> Iterator[str]:
        yield from header(self.name, self.kind, self.help_text)
        yield sample(self.name, self.of, self.value)


class Metrics:
    """Counts verdicts and answers. All methods may be called on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By the values of their labels alone: names are put to them when somebody asks.
        self._verdicts: Counter[tuple[str, ...]] = Counter()
        self._hooks: Counter[tuple[str, ...]] = Counter()
        self._requests: Counter[tuple[str, ...]] = Counter()
        self._verdict_s = Histogram(QUICK_S)
        self._quick_s: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(QUICK_S))
        self._held_s = Histogram(HELD_S)

    def verdict(self, source: str, classed: str, tier: int, seconds: float) -> None:
        """A command line was classified; `source` is hook or api, `seconds` the classifying alone."""
        with self._lock:
            self._verdicts[source, classed, str(tier)] += 1
            self._verdict_s.observe(seconds)

    def hook(self, agent: str, classed: str, tier: int, choice: str, by: str) -> None:
        """A hook was answered."""
        with self._lock:
            self._verdicts["hook", classed, str(tier)] += 1
            self._hooks[agent, choice, by] += 1

    def answered(self, route: str, status: int, seconds: float, held: bool) -> None:
        """A request was answered; `held` when it waited for the judge or for a person."""
        with self._lock:
            self._requests[route, str(status)] += 1
            if held:
                self._held_s.observe(seconds)
            else:
                self._quick_s[route].observe(seconds)

    def text(self, readings: Iterable[MetricReading] = ()) -> str:
        """Everything, with the figures that others keep."""
        with self._lock:
            # Made whole inside the lock, so that sums and counts belong together.
            lines = [*self._lines()]
        for reading in readings:
            lines += reading.lines()
        return "\n".join(lines) + "\n"

    def _lines(self) -> Iterator[str]:
        names = ("source", "class", "tier")
        yield from _counted("steward_verdicts_total", "Verdicts by class and tier.", names, self._verdicts)
        names = ("agent", "choice", "by")
        help_text = "Answered hooks by choice and who decided."
        yield from _counted("steward_hooks_total", help_text, names, self._hooks)
        yield from _counted(
            "steward_requests_total", "Answered requests.", ("route", "status"), self._requests
        )
        yield from header("steward_verdict_seconds", "histogram", "Classifying one command line for the API.")
        yield from self._verdict_s.samples("steward_verdict_seconds", ())
        yield from header("steward_request_seconds", "histogram", "Requests that waited for nobody.")
        for route, histogram in self._quick_s.items():
            yield from histogram.samples("steward_request_seconds", labels(route=route))
        yield from header("steward_held_seconds", "histogram", "Requests that waited for somebody.")
        yield from self._held_s.samples("steward_held_seconds", ())


def _counted(
    name: str, help_text: str, names: tuple[str, ...], counts: Mapping[tuple[str, ...], int]
) -> Iterator[str]:
    yield from header(name, "counter", help_text)
    for values, count in sorted(counts.items()):
        yield sample(name, tuple(zip(names, values, strict=True)), count)


def header(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def sample(name: str, of: Labels, value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(word)}"' for key, word in of)
    return f"{name}{{{inside}}} {value:.10g}" if inside else f"{name} {value:.10g}"


def _escaped(word: str) -> str:
    return word.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
