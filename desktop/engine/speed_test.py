"""How fast the loaded model is on this computer: a prompt is read and some tokens are written.

At most twenty seconds, after everybody else, and ended by `cancel`. Nobody waits for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    GenerateRequest,
    Message,
    Metrics,
    Priority,
    Sampling,
    Stream,
)
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.models.fit import MeasuredSpeed, SpeedFile

log = structlog.get_logger(__name__)

LIMIT_S = 20.0
PROMPT_WORDS = 160  # some 200 tokens
ANSWER_TOKENS = 48
LEAST_TOKENS = 8  # fewer say nothing
ENDING_S = 5.0  # a cancelled answer ends within one piece of a prompt


@dataclass(frozen=True)
class SpeedMeasured(Event):
    """Pickers may show other estimates now."""

    measured: MeasuredSpeed


class SpeedTest:
    """One at a time. `run` blocks: call it on a pool thread; `cancel` may be called on any."""

    def __init__(
        self, engine: Engine, file: SpeedFile, bus: Bus, clock: Callable[[], float] = time.time
    ) -> None:
        self._engine = engine
        self._file = file
        self._bus = bus
        self._clock = clock
        self._alone = threading.Lock()
        self._cancelled = threading.Event()
        self._stream: Stream | None = None

    def run_once(self) -> MeasuredSpeed | None:
        """Measure unless this model was measured here before."""
        model = self._engine.model
        if model is None or any(each.model_id == model.id for each in self._file.read().measured):
            return None
        return self.run()

    def run(self) -> MeasuredSpeed | None:
        """Measure and keep it; None where that was cancelled, too short, or the model refused."""
        if not self._alone.acquire(blocking=False):
            return None
        try:
            self._cancelled.clear()
            measured = self._measure()
        except (UserFacing, ContextOverflow, TimeoutError) as error:  # or too busy
            log.info("the speed was not measured", reason=str(error))
            return None
        finally:
            self._stream = None
            self._alone.release()
        if measured is not None:
            self._file.write(measured)
            log.info("speed measured", model=measured.model_id, tokens_per_s=round(measured.tokens_per_s, 1))
            self._bus.publish(SpeedMeasured(measured))
        return measured

    def cancel(self) -> None:
        """End it within a moment, keeping nothing."""
        self._cancelled.set()
        stream = self._stream
        if stream is not None:
            stream.cancel()

    # -- inside -------------------------------------------------------------------------------

    def _measure(self) -> MeasuredSpeed | None:
        model = self._engine.model
        if model is None:
            return None
        self._ask(1, "Hello", None)  # loads the model, which is not what is measured
        metrics = self._ask(ANSWER_TOKENS, _prompt(self._clock()), LIMIT_S)
        # What was found in the KV cache was not read.
        read = metrics.prompt_tokens - metrics.reused_tokens
        if (
            self._cancelled.is_set()
            or metrics.answer_tokens < LEAST_TOKENS
            or not metrics.prefill_s
            or read < 1
        ):
            return None
        rate = read / metrics.prefill_s
        layers = model.facts.layer_count
        return MeasuredSpeed(
            model.id, model.size_bytes, layers, round(rate, 2), round(metrics.tokens_per_s, 2), self._clock()
        )

    def _ask(self, tokens: int, text: str, limit_s: float | None) -> Metrics:
        request = GenerateRequest(
            conversation="speed test",
            messages=(Message("user", text),),
            sampling=Sampling(temperature=0.0, max_tokens=tokens),
            priority=Priority.BACKGROUND,
        )
        self._stream = stream = self._engine.submit(request)
        if self._cancelled.is_set():  # meanwhile
            stream.cancel()
        try:
            stream.text(limit_s)
        except TimeoutError:  # what was written until then counts
            stream.text(ENDING_S)
        return stream.metrics


def _prompt(nonce: float) -> str:
    """A prompt that is in no KV cache, and has a long answer for sure."""
    words = " ".join(str(number * 37 % 1000) for number in range(PROMPT_WORDS // 4))
    return f"{nonce:.3f} {words}. Now count from 1 to 100 in words, one number after the other."
