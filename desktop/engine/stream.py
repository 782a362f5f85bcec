"""An answer on its way from the engine thread to whoever asked."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from desktop.engine.requests import FinishReason, Metrics


@dataclass(frozen=True)
class _End:
    metrics: Metrics
    finish: FinishReason | None
    error: BaseException | None


class Stream:
    """Iterate it for pieces of text (whole characters, never an empty piece) until the answer ends.

    One thread iterates; `cancel` may be called on any. What went wrong in the engine (UserFacing,
    ContextOverflow) is raised here, in the consumer. A cancelled stream simply ends.
    """

    def __init__(self, on_cancel: Callable[[], None]) -> None:
        self._items: queue.SimpleQueue[str | _End] = queue.SimpleQueue()
        self._on_cancel = on_cancel
        self._end: _End | None = None
        self._scores: Mapping[str, float] = {}

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return self._take(None)

    def cancel(self) -> None:
        """Stop the answer within one token or prefill chunk. Harmless when it has ended."""
        self._on_cancel()

    def text(self, timeout_s: float | None = None) -> str:
        """Wait for the whole answer. Raises TimeoutError after `timeout_s` seconds, having cancelled it."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        pieces: list[str] = []
        try:
            while True:
                pieces.append(self._take(deadline))
        except StopIteration:
            return "".join(pieces)

    @property
    def ended(self) -> bool:
        """Whether the consumer has seen the end."""
        return self._end is not None

    @property
    def finish(self) -> FinishReason:
        """Why the answer ended; only after iteration has ended without an error."""
        if self._end is None or self._end.finish is None:
            raise RuntimeError("the stream has not ended, or ended with an error")
        return self._end.finish

    @property
    def metrics(self) -> Metrics:
        """What the request cost; only after iteration has ended, with an error or without."""
        if self._end is None:
            raise RuntimeError("the stream has not ended")
        return self._end.metrics

    @property
    def scores(self) -> Mapping[str, float]:
        """The logit of each label that was asked for; only after iteration has ended."""
        return self._scores

    def put_scores(self, scores: Mapping[str, float]) -> None:
        """Hand over what was asked for instead of an answer. Engine thread, before `end`."""
        self._scores = scores

    def put(self, piece: str) -> None:
        """Hand over text. Engine thread."""
        self._items.put(piece)

    def end(self, finish: FinishReason, metrics: Metrics) -> None:
        """Nothing more will come. Engine thread."""
        self._items.put(_End(metrics, finish, None))

    def fail(self, error: BaseException, metrics: Metrics) -> None:
        """Nothing more will come, because of `error`. Engine thread."""
        self._items.put(_End(metrics, None, error))

    def _take(self, deadline: float | None) -> str:
        if self._end is None:
            item = self._next_item(deadline)
            if isinstance(item, str):
                return item
            self._end = item
        if self._end.error is not None:
            raise self._end.error
        raise StopIteration

    def _next_item(self, deadline: float | None) -> str | _End:
        timeout_s = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        try:
            return self._items.get(timeout=timeout_s)
        except queue.Empty:
            self.cancel()
            raise TimeoutError("the model did not answer in time") from None
