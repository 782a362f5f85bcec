"""The interface to whatever computes tokens: llama.cpp in `llama.py`, a script in the tests.

Everything here is called on the engine's thread alone, except `Interrupt`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from desktop.engine.requests import Sampling
from desktop.reasons import Reason


class TextOrigin(Enum):
    """Who wrote a text, and so which tokens it may become."""

    TEMPLATE = "template"  # all
    MODEL = "model"  # marks such as <think> that models write; no control tokens
    FOREIGN = "foreign"  # neither


class Decoded(Enum):
    """What became of a batch. After anything but DONE the sequence must be cut back by its owner."""

    DONE = "done"
    NO_SLOT = "no_slot"  # not enough free cells in the KV cache; nothing was changed
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class ContextShape:
    """A KV cache: `cells` tokens shared by `sequences`; batches of at most `batch_tokens`."""

    cells: int
    sequences: int
    batch_tokens: int
    threads: int  # for one token at a time
    batch_threads: int  # for prompts


class InferenceError(Exception):
    """The backend refused: the message is its own, for the log; the engine puts it into a sentence."""


class LoadCancelled(Exception):
    """The progress callback asked to stop loading."""


class Interrupt(Protocol):
    """Stops a running `decode`. `set` may be called on any thread."""

    def set(self) -> None: ...

    def clear(self) -> None: ...


class Sampler(Protocol):
    """Chooses tokens for one answer and remembers those it chose."""

    def sample(self, row: int = -1) -> int:
        """A token from the logits of the context's latest decode: those after its last token or, where it was
        asked for every row, after the token at `row`. Rows are sampled in order, as the text goes on.
        """
        ...

    def close(self) -> None: ...


class Context(Protocol):
    """A KV cache with several sequences of tokens, and the scratch memory to extend them."""

    @property
    def interrupt(self) -> Interrupt: ...

    def decode(self, tokens: Sequence[int], position: int, sequence: int, every_row: bool = False) -> Decoded:
        """Evaluate `tokens` at `position` of `sequence`; the logits after the last one, or after `every_row`,
        are then ready to sample.
        """
        ...

    def sampler(self, sampling: Sampling, grammar: str | None) -> Sampler:
        """A sampler for one answer. Raises ValueError for a grammar that cannot be read."""
        ...

    def logits(self, tokens: Sequence[int]) -> list[float]:
        """How likely each of `tokens` is to come next, after the latest decode: unnormalized, in nats."""
        ...

    def likelihood(self, token: int, row: int) -> float:
        """The logarithm of how likely `token` comes behind the token at `row` of the latest decode, which was
        asked for every row.
        """
        ...

    def cut(self, sequence: int, position: int) -> bool:
        """Forget what `sequence` holds from `position` on. False: only all of it can go, and all has gone."""
        ...

    def copy(self, source: int, target: int, end: int) -> bool:
        """Let the empty `target` share the first `end` tokens of `source`. False: not possible here."""
        ...

    def save(self, sequence: int) -> bytes:
        """The state of a sequence, for `restore` in a context of the same model and build."""
        ...

    def restore(self, sequence: int, state: bytes) -> bool:
        """Fill the empty `sequence`. False: the state does not fit, and the sequence is empty."""
        ...

    def set_threads(self, threads: int, batch_threads: int) -> None: ...

    def close(self) -> None: ...


class LoadedModel(Protocol):
    """Weights and vocabulary in memory."""

    @property
    def device(self) -> str:
        """ "cpu", "cuda", "metal" or "vulkan"."""
        ...

    @property
    def gpu_layers(self) -> int: ...

    @property
    def notice(self) -> Reason | None:
        """What is not as asked, if anything."""
        ...

    @property
    def chat_template(self) -> str | None: ...

    @property
    def begin_text(self) -> str:
        """The text of the token that begins a prompt, or ""."""
        ...

    @property
    def end_text(self) -> str: ...

    @property
    def adds_begin(self) -> bool:
        """Whether a prompt must begin with the begin token."""
        ...

    @property
    def begin_token(self) -> int | None: ...

    @property
    def control_texts(self) -> tuple[str, ...]:
        """How the tokens that steer the model are spelled."""
        ...

    def tokenize(self, text: str, origin: TextOrigin, at_start: bool) -> list[int]:
        """Tokens of `text`, which cannot become a token that `origin` has no right to.

        `at_start`: nothing comes before it; some vocabularies begin a prompt with a space.
        """
        ...

    def piece(self, token: int) -> bytes:
        """What the user sees of a token; control tokens give nothing."""
        ...

    def is_end(self, token: int) -> bool:
        """Whether the token ends an answer."""
        ...

    @property
    def logits_share(self) -> float:
        """How much of computing one token its logits are: one step, which nothing interrupts."""
        ...

    def new_context(self, shape: ContextShape) -> Context:
        """Raises InferenceError where memory does not suffice."""
        ...

    def close(self) -> None:
        """Free the weights; all contexts must be closed."""
        ...


class InferenceBackend(Protocol):
    """Loads models."""

    @property
    def build(self) -> str:
        """Names the exact build: saved states and measurements of another are not used."""
        ...

    @property
    def has_gpu(self) -> bool:
        """Whether this build can compute on a GPU that is here. Starts its driver."""
        ...

    @property
    def has_gpu_backend(self) -> bool:
        """Whether this build has something that asks for a GPU. Loads nothing."""
        ...

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> LoadedModel:
        """Read `path` into memory. `progress` gets 0 to 1 and returns False to stop (LoadCancelled).

        `gpu_layers` -1 means all; with 0 no driver of a card is started. Raises InferenceError.
        """
        ...
