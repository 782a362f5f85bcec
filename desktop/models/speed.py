"""How fast a model would be on this computer, from what was measured with another one here.

The method, in words: writing a token reads every weight once and lets the threads meet in every layer, so
its time is taken as `bytes x a + layers x b`. Two measured models of clearly different size give both
factors; one gives `a`, and `b` is a constant. Reading a prompt is computing on the same weights, so its
rate is taken as inversely proportional to the bytes. Both are estimates, and are shown with ≈.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop.paths import write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

LAYER_S = 50e-6  # ten meetings of the threads in a layer, some microseconds each
TYPICAL_LAYERS = 28
CLEARLY_LARGER = 3.0
SHORT_QUESTION_TOKENS = 40  # what a short question adds to what the model has already read
COMPUTERS_KEPT = 8


@dataclass(frozen=True)
class Measured:
    """One model's speed on this computer. Rates in tokens per second, `at` in seconds since 1970."""

    model_id: str
    size_bytes: int
    layers: int
    prompt_tokens_per_s: float
    tokens_per_s: float
    at: float


@dataclass(frozen=True)
class Estimate:
    """What to expect. `is_measured`: with this very model, here."""

    tokens_per_s: float
    first_token_s: float
    is_measured: bool


@dataclass(frozen=True)
class Speeds:
    """All that was measured on this computer with this llama.cpp."""

    measured: tuple[Measured, ...] = ()

    def estimate(self, model_id: str, size_bytes: int, layers: int = 0) -> Estimate | None:
        """For a model of that size; None where nothing was measured yet. `layers` 0: not known."""
        own = next((each for each in self.measured if each.model_id == model_id), None)
        if own is not None:
            return _estimate(own.tokens_per_s, own.prompt_tokens_per_s, is_measured=True)
        if not self.measured or size_bytes <= 0:
            return None
        nearest = min(self.measured, key=lambda each: _ratio(each.size_bytes, size_bytes))
        byte_s, layer_s = self._factors(nearest)
        token_s = size_bytes * byte_s + (layers or TYPICAL_LAYERS) * layer_s
        prompt_rate = nearest.prompt_tokens_per_s * nearest.size_bytes / size_bytes
        return _estimate(1 / token_s, prompt_rate, is_measured=False)

    def _factors(self, nearest: Measured) -> tuple[float, float]:
        """Seconds for a byte and for a layer."""
        for other in self.measured:
            found = _solved(nearest, other)
            if found is not None:
                return found
        token_s = 1 / nearest.tokens_per_s
        layers_s = min(nearest.layers * LAYER_S, token_s / 2)
        return (token_s - layers_s) / nearest.size_bytes, layers_s / max(nearest.layers, 1)


class SpeedFile:
    """The measurements on disk, apart for each computer and llama.cpp (`key`). Any thread."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key

    def read(self) -> Speeds:
        """What is known; a damaged file is nothing."""
        rows = self._all().get(self._key, {})
        return Speeds(tuple(_rows(rows.values() if isinstance(rows, dict) else ())))

    def write(self, measured: Measured) -> None:
        """Keep it; one of the same model goes. A disk that refuses costs a measurement."""
        everything = self._all()
        mine = everything.pop(self._key, {})
        mine = mine if isinstance(mine, dict) else {}
        everything[self._key] = {**mine, measured.model_id: asdict(measured)}
        kept = dict(list(everything.items())[-COMPUTERS_KEPT:])
        try:
            write_atomically(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:
            log.warning("the speed could not be saved", reason=str(error))

    def forget(self, model_id: str) -> None:
        """This model is to be measured again."""
        everything = self._all()
        if isinstance(everything.get(self._key), dict) and everything[self._key].pop(model_id, None):
            write_atomically(self._path, json.dumps(everything, indent=1).encode())

    def _all(self) -> dict[str, Any]:
        return read_object(self._path, "The measured speed of the models")


def _rows(rows: Iterable[Any]) -> Iterable[Measured]:
    for row in rows:
        try:
            found = Measured(**row)
            if min(found.size_bytes, found.prompt_tokens_per_s, found.tokens_per_s) > 0:
                yield found
        except TypeError:  # written by another version
            continue


def _solved(one: Measured, other: Measured) -> tuple[float, float] | None:
    """Both factors from two models, where that gives sensible ones."""
    if _ratio(one.size_bytes, other.size_bytes) < CLEARLY_LARGER:
        return None
    determinant = one.size_bytes * other.layers - other.size_bytes * one.layers
    if not determinant:
        return None
    first, second = 1 / one.tokens_per_s, 1 / other.tokens_per_s
    byte_s = (first * other.layers - second * one.layers) / determinant
    layer_s = (one.size_bytes * second - other.size_bytes * first) / determinant
    return (byte_s, layer_s) if byte_s > 0 and layer_s >= 0 else None


def _ratio(one: float, other: float) -> float:
    return max(one, other) / max(min(one, other), 1)


def _estimate(rate: float, prompt_rate: float, is_measured: bool) -> Estimate:
    return Estimate(rate, SHORT_QUESTION_TOKENS / prompt_rate + 1 / rate, is_measured)
