"""`POST /v1/embeddings`: texts as numbers, by the small model that search by meaning uses where it was
fetched.
"""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.server.openai.answers import unknown_model
from desktop.server.openai.errors import ApiError
from desktop.server.openai.fields import Fields, wrong_type

if TYPE_CHECKING:
    from desktop.memory.vectors.minilm import MiniLM

MOST_TEXTS = 2048
AT_ONCE = 8  # texts: some hundred milliseconds, after which a request that was given up ends
KEPT_S = 60.0  # the model's 90 MB are given back so long after the last request, unless memory uses them
KNOWN = frozenset({"model", "input", "encoding_format", "dimensions"})


@dataclass(frozen=True)
class EmbeddingRequest:
    """`as_base64`: the numbers come as little-endian floats in one text, as OpenAI's own packages ask for."""

    model: str
    texts: tuple[str, ...]
    as_base64: bool = False


class Embeddings:
    """Makes the numbers. `answer` blocks, on a held-call thread; the rest on the loop."""

    def __init__(
        self,
        is_fetched: Callable[[], bool],
        embedder: Callable[[], MiniLM],
        is_used_elsewhere: Callable[[], bool],
    ) -> None:
        """`embedder` is asked for only where its weights were fetched: it brings numpy along."""
        self._is_fetched = is_fetched
        self._embedder = embedder
        self._is_used_elsewhere = is_used_elsewhere
        self._timer: asyncio.TimerHandle | None = None

    @property
    def model(self) -> str:
        """The name of the model; "" where it was not fetched."""
        return self._embedder().id if self._is_fetched() else ""

    def read(self, fields: Fields) -> EmbeddingRequest:
        """Raises ApiError for what is wrong, also with the model."""
        model = fields.text("model")
        texts = _texts(fields)
        form = fields.choice("encoding_format", ("float", "base64"), "float")
        if not self._is_fetched():
            raise ApiError(
                "No model for embeddings is here. Switch Better search on on Steward's page Memory: that "
                "fetches one.",
                "model",
                "model_not_found",
                404,
            )
        embedder = self._embedder()
        if model != embedder.id:
            raise unknown_model(model, (embedder.id,))
        # Not cut down to fewer: that works for models that were trained for it alone.
        wanted = fields.integer("dimensions", 1, 100_000)
        if wanted not in (None, embedder.dimensions):
            raise fields.refuse(
                "dimensions",
                f"Unsupported value: {model} has {embedder.dimensions} dimensions.",
                "unsupported_value",
            )
        return EmbeddingRequest(model, texts, form == "base64")

    def answer(self, request: EmbeddingRequest, is_given_up: threading.Event) -> dict[str, Any]:
        """The object that is sent. Raises ApiError where a text is longer than the model reads."""
        embedder = self._embedder()
        counts = [embedder.count(text) for text in request.texts]
        # Cut in silence, the end of a text would never be found, and nobody would know why.
        for at, count in enumerate(counts):
            if count > embedder.longest:
                raise ApiError(
                    f"This model reads {embedder.longest} tokens of a text, but input {at} has {count}. Send "
                    "it in smaller parts.",
                    "input",
                    "context_length_exceeded",
                )
        rows: list[dict[str, Any]] = []
        for start in range(0, len(request.texts), AT_ONCE):
            if is_given_up.is_set():
                break
            made = embedder.texts(request.texts[start : start + AT_ONCE])
            for row in made:
                numbers: Any = row.tolist()
                if request.as_base64:
                    numbers = base64.b64encode(row.astype("<f4").tobytes()).decode()
                rows.append({"object": "embedding", "index": len(rows), "embedding": numbers})
        usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
        return {"object": "list", "data": rows, "model": request.model, "usage": usage}

    def done(self) -> None:
        """A request is over: the weights are given back if no other comes soon."""
        # Begun anew: it counts from the last request.
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(KEPT_S, self._forget)

    def _forget(self) -> None:
        if not self._is_used_elsewhere():
            self._embedder().forget()


def _texts(fields: Fields) -> tuple[str, ...]:
    value = fields.content.get("input")
    texts: Sequence[Any] = (
        [fields.text("input")] if isinstance(value, str) else fields.array("input", MOST_TEXTS)
    )
    if not texts:
        raise fields.refuse("input", "Invalid 'input': it is missing or empty.", "empty_array")
    for at, each in enumerate(texts):
        # Some clients count tokens by themselves and send these, by another model's vocabulary.
        if isinstance(each, int | list):
            raise fields.refuse(
                "input",
                "Invalid 'input': numbers of tokens mean nothing to the model here. Send text.",
                "unsupported_value",
            )
        if not isinstance(each, str):
            raise wrong_type(f"input[{at}]", "a string", each)
        if not each:
            raise fields.refuse("input", f"Invalid 'input[{at}]': it is empty.", "invalid_value")
    return tuple(texts)
