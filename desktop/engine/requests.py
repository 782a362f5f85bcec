"""What is asked of the engine, the answer on its way back, and what it cost.

All values are frozen: they cross threads.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class Priority(IntEnum):
    """Who goes first; the smaller value wins and pre-empts the larger between tokens and prefill chunks."""

    JUDGE = 0
    QUICK_ASK = 1
    CHAT = 2
    API = 3  # another program's question: nobody sits before it
    BACKGROUND = 4


THINKING = "<think>"  # how a thought begins in the text of an answer, whatever the model writes


@dataclass(frozen=True)
class SaidCall:
    """A call of a tool as it was made."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Message:
    """One message. `role` is "system", "user", "assistant", "tool" or one that the template knows.

    With `call` the message is that call: a template that writes calls itself is handed it, for its marks are
    control tokens that no content may become, and `content` says the same for all others. `tool` is whose
    result it is.
    """

    role: str
    content: str
    call: SaidCall | None = None
    tool: str = ""


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen.

    `temperature` 0 takes the likeliest token. `top_k` 0, `top_p` 1, `min_p` 0 and `repeat_penalty` 1 switch
    that filter off. `seed` None means a new one each time. `max_tokens` bounds the answer.
    """

    temperature: float = 0.7
    top_p: float = 0.9
    top_k: int = 40
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int = 1024


@dataclass(frozen=True)
class GenerateRequest:
    """Ask for the next answer of a conversation.

    `conversation` is a key of the caller's choice: requests with the same key share their KV cache. `tools`
    are JSON tool descriptions, or lines of text, for templates that know them. `grammar` is GBNF. The answer
    ends before any `stop` text. `answer_start` is an answer that was cut: the model goes on after it.

    `repeats_context` says that much of the answer probably stands in the messages already (a text that is
    rewritten, a call filled with what was said): then prompt lookup is tried, which changes how soon tokens
    come, not which are chosen.

    `thinks`: a model that can think before it answers may do so. Never where the text is bound to a form
    (`grammar`, `labels`, `weighed`) or goes on after words.

    `shared_messages`: so many of `messages` are the same in every request of the conversation, such as
    examples; the state after them is kept on disk, as that after the system's message always is.

    With `labels` nothing is written: the stream ends at once, and its `scores` have the logit of each label
    (of its first token) as the next text. Differences of logits are differences of log probabilities.

    With `weighed` nothing is written either: `scores` has the logarithm of how likely the model would write
    just this text as its answer, all of its tokens together.
    """

    conversation: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    priority: Priority = Priority.CHAT
    tools: tuple[Mapping[str, Any] | str, ...] = ()
    grammar: str | None = None
    stop: tuple[str, ...] = ()
    answer_start: str = ""
    labels: tuple[str, ...] = ()
    weighed: str = ""
    repeats_context: bool = False
    shared_messages: int = 0
    thinks: bool = False

    @property
    def is_choice(self) -> bool:
        """Whether something is weighed and nothing written."""
        return bool(self.labels or self.weighed)

    @property
    def may_think(self) -> bool:
        """Whether the next thing written may be a thought."""
        is_bound = self.grammar is not None or self.is_choice
        goes_on_in_words = bool(self.answer_start) and not self.answer_start.startswith(THINKING)
        return self.thinks and not is_bound and not goes_on_in_words


class FinishReason(StrEnum):
    """Why an answer ended."""

    STOP = "stop"  # the model was done, or a stop text came
    LENGTH = "length"  # sampling.max_tokens was reached
    CONTEXT_FULL = "context_full"  # no room for another token in the context
    REPEATED = "repeated"  # the model said the same over and over
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Reading:
    """How far the prompt of an answer has been read, in tokens; what the KV cache held is not counted."""

    read: int
    total: int
    is_choice: bool  # labels are weighed, such as the names of tools, and nothing will be written


@dataclass(frozen=True)
class Metrics:
    """What one request cost. Times in seconds; `outcome` is a FinishReason's value or "failed"."""

    queue_s: float = 0.0  # submitted to first step, without loading; includes the time others went first
    load_s: float = 0.0  # this request waited so long for the model to be loaded
    prefill_s: float = 0.0
    decode_s: float = 0.0
    first_token_s: float = 0.0  # submitted to first token
    prompt_tokens: int = 0
    reused_tokens: int = 0  # of the prompt, found in the KV cache
    answer_tokens: int = 0
    looked_up_tokens: int = 0  # of the answer, had from its context by prompt lookup
    threads: int = 0
    device: str = ""
    outcome: str = ""

    @property
    def tokens_per_s(self) -> float:
        """Answer tokens after the first, per second of decoding; 0 where there is nothing to measure."""
        return (
            (self.answer_tokens - 1) / self.decode_s if self.answer_tokens > 1 and self.decode_s > 0 else 0.0
        )


@dataclass(eq=False)
class ContextOverflow(Exception):
    """The prompt leaves no room for an answer. The engine never cuts: the caller decides what to leave out.

    `message_tokens` has one count for each message of the request, its share of the template included.
    """

    prompt_tokens: int
    context_tokens: int
    message_tokens: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"the prompt has {self.prompt_tokens} tokens, the context holds {self.context_tokens}"


@dataclass(frozen=True)
class End:
    """The last thing in a stream: what it cost, and why it ended or what went wrong."""

    metrics: Metrics
    finish: FinishReason | None
    error: BaseException | None


class Stream:
    """Iterate it for pieces of text (whole characters, never an empty piece) until the answer ends.

    One thread iterates; `cancel` may be called on any. What went wrong in the engine (UserFacing,
    ContextOverflow) is raised here, in the consumer. A cancelled stream simply ends.
    """

    def __init__(self, on_cancel: Callable[[], None]) -> None:
        self._items: queue.SimpleQueue[str | End] = queue.SimpleQueue()
        self._on_cancel = on_cancel
        self._end: End | None = None
        # The logit of each label that was asked for, or the logarithm for what was weighed; there after the
        # last piece.
        self.scores: Mapping[str, float] = {}

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

    def put_scores(self, scores: Mapping[str, float]) -> None:
        """Hand over what was asked for instead of an answer. Engine thread, before `end`."""
        self.scores = scores

    def put(self, piece: str) -> None:
        """Hand over text. Engine thread."""
        self._items.put(piece)

    def end(self, finish: FinishReason, metrics: Metrics) -> None:
        """Say that nothing more will come. Engine thread."""
        self._items.put(End(metrics, finish, None))

    def fail(self, error: BaseException, metrics: Metrics) -> None:
        """Say that nothing more will come, because of `error`. Engine thread."""
        self._items.put(End(metrics, None, error))

    def _take(self, deadline: float | None) -> str:
        if self._end is None:
            item = self._next_item(deadline)
            if isinstance(item, str):
                return item
            self._end = item
        if self._end.error is not None:
            raise self._end.error
        raise StopIteration

    def _next_item(self, deadline: float | None) -> str | End:
        timeout_s = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        try:
            return self._items.get(timeout=timeout_s)
        except queue.Empty:
            # Who gave up waiting wants no more of it either.
            self.cancel()
            raise TimeoutError("the model did not answer in time") from None
