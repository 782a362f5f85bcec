"""Whether a model fits this computer's memory, and how fast it would be here.

Speed is told from what was measured with another model on this computer. The method, in words: writing a
token reads every weight once and lets the threads meet in every layer, so its time is taken as `bytes x a +
layers x b`. Two measured models of clearly different size give both factors; one gives `a`, and `b` is a
constant. Reading a prompt is computing on the same weights, so its rate is taken as inversely proportional to
the bytes. Both are estimates, and are shown with ≈.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from desktop.models.gguf import GgufFacts
from desktop.models.reasons import ModelReason
from desktop.paths import write_atomically
from desktop.reasons import Reason
from desktop.settings import USUAL_CONTEXT_TOKENS
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

# What llama.cpp takes beside weights and KV cache: the output buffer grows with the vocabulary, the compute
# buffer with the width of a layer.
COMPUTE_BYTES = 300 * 1000 * 1000

# What must stay for the desktop and this program.
SYSTEM_BYTES = 1500 * 1000 * 1000
SPARE_BYTES = 300 * 1000 * 1000
LAYER_S = 50e-6  # ten meetings of the threads in a layer, some microseconds each
TYPICAL_LAYERS = 28
CLEARLY_LARGER = 3.0
WORDS_PER_TOKEN = 0.75
SHORT_QUESTION_TOKENS = 40  # what a short question adds to what the model has already read
COMPUTERS_KEPT = 8
# Where nothing was measured: what one core reads of the weights in a second, and what the memory of an
# ordinary computer gives to all of them. The two cores of docs/measurements.md write 24 to 37 tokens a second
# with a model of 1.1 GB, two to three times as many: most people's computers have slower memory.
CORE_BYTES_PER_S = 6e9
MEMORY_BYTES_PER_S = 24e9
PROMPT_RATIO = 4.0  # reading a prompt against writing, on processors without anything special


# An automatic context may take one part in so many of the free memory, the model with it one in two.
KV_SHARE, MODEL_SHARE = 32, 2
MOST_AUTOMATIC_TOKENS = 32_768  # a processor that reads 100 tokens a second needs minutes for as many


class Fit(StrEnum):
    FITS = "fits"
    TIGHT = "tight"
    TOO_LARGE = "too large"

    @property
    def reason(self) -> Reason:
        """The verdict in words, for the picker."""
        return {
            Fit.FITS: ModelReason.FITS,
            Fit.TIGHT: ModelReason.TIGHT,
            Fit.TOO_LARGE: ModelReason.NEEDS_MORE_MEMORY,
        }[self].of()


def ram_needed_bytes(facts: GgufFacts, context_tokens: int) -> int:
    """Memory for the weights, the KV cache of `context_tokens` and llama.cpp's working buffers."""
    context = min(context_tokens, facts.context_tokens or context_tokens)
    return facts.size_bytes + facts.kv_bytes_per_token * context + COMPUTE_BYTES


def fit(ram_needed_bytes: int, ram_total_bytes: int, ram_available_bytes: int) -> Fit:
    """Judge a need against this computer: all its memory, and what is free now."""
    if ram_needed_bytes + SYSTEM_BYTES > ram_total_bytes:
        return Fit.TOO_LARGE
    if ram_needed_bytes + SPARE_BYTES > ram_available_bytes:
        return Fit.TIGHT
    return Fit.FITS


def automatic_context_tokens(facts: GgufFacts, ram_available_bytes: int) -> int:
    """The context to take where nobody named one: doubled as long as that costs little of the memory that is
    free now, and the model was trained for it."""
    trained = facts.context_tokens or MOST_AUTOMATIC_TOKENS
    tokens = min(USUAL_CONTEXT_TOKENS, trained)
    while (larger := tokens * 2) <= min(trained, MOST_AUTOMATIC_TOKENS):
        # By what one token costs in this very model: layers, heads and their lengths differ thirtyfold.
        is_cheap = facts.kv_bytes_per_token * larger * KV_SHARE <= ram_available_bytes
        if not is_cheap or ram_needed_bytes(facts, larger) * MODEL_SHARE > ram_available_bytes:
            break
        tokens = larger
    return tokens


@dataclass(frozen=True)
class MeasuredSpeed:
    """One model's speed on this computer. Rates in tokens per second, `at` in seconds since 1970."""

    model_id: str
    size_bytes: int
    layers: int
    prompt_tokens_per_s: float
    tokens_per_s: float
    at: float


@dataclass(frozen=True)
class SpeedEstimate:
    """What to expect. `is_measured`: with this very model, here."""

    tokens_per_s: float
    first_token_s: float
    is_measured: bool

    @property
    def words_per_s(self) -> float:
        """Words of English in a second; other languages take more tokens for a word."""
        return self.tokens_per_s * WORDS_PER_TOKEN


@dataclass(frozen=True)
class MeasuredSpeeds:
    """All that was measured on this computer with this llama.cpp."""

    measured: tuple[MeasuredSpeed, ...] = ()

    def estimate(self, model_id: str, size_bytes: int, layers: int = 0) -> SpeedEstimate | None:
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

    def _factors(self, nearest: MeasuredSpeed) -> tuple[float, float]:
        """Seconds for a byte and for a layer."""
        for other in self.measured:
            found = _solved(nearest, other)
            if found is not None:
                return found
        token_s = 1 / nearest.tokens_per_s
        # At most half of the time: else a small model would make the bytes cost nothing.
        layers_s = min(nearest.layers * LAYER_S, token_s / 2)
        return (token_s - layers_s) / nearest.size_bytes, layers_s / max(nearest.layers, 1)


class SpeedFile:
    """The measurements on disk, apart for each computer and llama.cpp (`key`). Any thread."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key

    def read(self) -> MeasuredSpeeds:
        """What is known; a damaged file is nothing."""
        rows = self._all().get(self._key, {})
        return MeasuredSpeeds(tuple(_rows(rows.values() if isinstance(rows, dict) else ())))

    def write(self, measured: MeasuredSpeed) -> None:
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

    def _all(self) -> dict[str, Any]:
        return read_object(self._path, "The measured speed of the models")


def assumed_speed(size_bytes: int, cores: int) -> SpeedEstimate:
    """For a model of that size on a computer on which nothing was measured yet: careful, and an estimate."""
    rate = min(cores * CORE_BYTES_PER_S, MEMORY_BYTES_PER_S) / max(size_bytes, 1)
    return _estimate(rate, rate * PROMPT_RATIO, is_measured=False)


def _rows(rows: Iterable[Any]) -> Iterable[MeasuredSpeed]:
    for row in rows:
        try:
            found = MeasuredSpeed(**row)
            # A damaged row must not end in a division by zero.
            if min(found.size_bytes, found.prompt_tokens_per_s, found.tokens_per_s) > 0:
                yield found
        except TypeError:  # written by another version
            continue


def _solved(one: MeasuredSpeed, other: MeasuredSpeed) -> tuple[float, float] | None:
    """Both factors from two models, where that gives sensible ones."""
    if _ratio(one.size_bytes, other.size_bytes) < CLEARLY_LARGER:
        return None
    # Two equations with two unknowns; models of nearly the same size would give noise.
    determinant = one.size_bytes * other.layers - other.size_bytes * one.layers
    if not determinant:
        return None
    first, second = 1 / one.tokens_per_s, 1 / other.tokens_per_s
    byte_s = (first * other.layers - second * one.layers) / determinant
    layer_s = (one.size_bytes * second - other.size_bytes * first) / determinant
    return (byte_s, layer_s) if byte_s > 0 and layer_s >= 0 else None


def _ratio(one: float, other: float) -> float:
    return max(one, other) / max(min(one, other), 1)


def _estimate(rate: float, prompt_rate: float, is_measured: bool) -> SpeedEstimate:
    return SpeedEstimate(rate, SHORT_QUESTION_TOKENS / prompt_rate + 1 / rate, is_measured)
