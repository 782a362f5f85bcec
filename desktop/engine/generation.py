"""One answer in the making: steps of a prompt chunk or a token, from the request to the end of its stream."""

from __future__ import annotations

import time
from typing import Protocol

from desktop.engine.backend import Decoded, Interrupt, LoadedModel, Sampler, Voice
from desktop.engine.kv_cache import KvCache, Slot
from desktop.engine.prompt import Prompt
from desktop.engine.repetition import repeats
from desktop.engine.requests import ContextOverflow, FinishReason, GenerateRequest, Metrics, Priority
from desktop.engine.stream import Stream
from desktop.engine.text import AnswerText

SMALLEST_CHUNK = 32  # tokens
PROTECTED_S = 0.15  # a chunk that was interrupted twice is made so short, and then runs to its end
ROOM_FRACTION = 1 / 8  # of the context must be free for an answer, or the oldest messages have to go


class Workplace(Protocol):
    """What a generation needs from the loaded model's session."""

    @property
    def model(self) -> LoadedModel: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def chunk_tokens(self) -> int: ...

    @property
    def can_go_back(self) -> bool:
        """Whether an interrupted chunk leaves the tokens before it in place."""
        ...

    @property
    def prefill_tokens_per_s(self) -> float: ...

    def prompt_of(self, request: GenerateRequest) -> Prompt: ...

    def cache_for(self, request: GenerateRequest, prompt: Prompt) -> KvCache: ...

    def open(self, cache: KvCache, request: GenerateRequest, prompt: Prompt, tokens: list[int]) -> Slot: ...

    def stop_at(self, prompt: Prompt, slot: Slot) -> int | None:
        """The length at which the state of the prefix shall be saved, if it is still ahead."""
        ...

    def reached(self, cache: KvCache, prompt: Prompt, slot: Slot) -> None:
        """`slot` holds the stable prefix and nothing more."""
        ...

    def measured(self, tokens: int, seconds: float, prefill: bool) -> None: ...

    def remember_answer(self, conversation: str, text: str, tokens: tuple[int, ...]) -> None: ...


class Turnstile(Protocol):
    """Whom the scheduler lets compute."""

    def begin(self, job: Generation, interrupt: Interrupt, yields: bool) -> bool: ...

    def end(self) -> None: ...


class Generation:
    """A job of the scheduler. Engine thread, but for `cancelled`, which the scheduler sets."""

    def __init__(self, request: GenerateRequest, stream: Stream) -> None:
        self.request = request
        self.stream = stream
        self.priority: Priority = request.priority
        self.cancelled = False
        self.load_s = 0.0
        self._submitted_at = time.perf_counter()
        self._started_at = 0.0
        self._first_token_at = 0.0
        self._prefill_s = 0.0
        self._decode_s = 0.0
        self._reused = 0
        self._prompt: Prompt | None = None
        self._tokens: list[int] = []  # the prompt, then the answer
        self._cache: KvCache | None = None
        self._slot: Slot | None = None
        self._sampler: Sampler | None = None
        self._text = AnswerText()
        self._chunk = 0
        self._interruptions = 0

    @property
    def started(self) -> bool:
        return self._slot is not None

    @property
    def context_used(self) -> int:
        """Tokens of prompt and answer so far."""
        return len(self._tokens)

    def step(self, workplace: Workplace, turnstile: Turnstile) -> FinishReason | None:
        """Advance by one chunk or token; the reason when that was the last one. Raises what went wrong."""
        if self.cancelled:
            return FinishReason.CANCELLED
        if self._slot is None or self._slot.lost:
            self._start(workplace)
        assert self._slot is not None
        pending = self._tokens[len(self._slot.tokens) :]
        if len(pending) == 1 and self._answer_tokens:
            return self._decode(workplace, turnstile, pending)
        return self._prefill(workplace, turnstile, pending)

    def metrics(self, outcome: str, threads: int, device: str) -> Metrics:
        """What it cost so far."""
        now = time.perf_counter()
        started = self._started_at or now
        return Metrics(
            queue_s=max(started - self._submitted_at - self.load_s, 0.0),
            load_s=self.load_s,
            prefill_s=self._prefill_s,
            decode_s=self._decode_s,
            first_token_s=self._first_token_at - self._submitted_at if self._first_token_at else 0.0,
            prompt_tokens=self._prompt_tokens,
            reused_tokens=self._reused,
            answer_tokens=self._answer_tokens,
            threads=threads,
            device=device,
            outcome=outcome,
        )

    def finish(self, workplace: Workplace | None) -> None:
        """Give back what it holds, and show what was held back. After the last step, however it ended."""
        rest = self._text.finish()
        if rest:
            self.stream.put(rest)
        if self._sampler is not None:
            self._sampler.close()
            self._sampler = None
        if self._slot is not None and self._cache is not None:
            self._cache.release(self._slot)
            self._slot = None
        if workplace is not None and self._prompt is not None:
            answer = tuple(self._tokens[self._prompt_tokens :])
            workplace.remember_answer(self.request.conversation, self._text.whole, answer)

    @property
    def _prompt_tokens(self) -> int:
        return len(self._prompt.tokens) if self._prompt is not None else 0

    @property
    def _answer_tokens(self) -> int:
        return len(self._tokens) - self._prompt_tokens

    def _start(self, workplace: Workplace) -> None:
        """Take a slot of the KV cache, for the first time or because the one it had was needed elsewhere."""
        if self._prompt is None:
            self._started_at = time.perf_counter()
            self._prompt = workplace.prompt_of(self.request)
            self._tokens = list(self._prompt.tokens)
            self._text = AnswerText((*self.request.stop, *self._prompt.stop))
            self._refuse_overflow(workplace, self._prompt)
        self._cache = workplace.cache_for(self.request, self._prompt)
        self._slot = workplace.open(self._cache, self.request, self._prompt, self._tokens)
        self._chunk = workplace.chunk_tokens
        if self._sampler is None:
            self._reused = len(self._slot.tokens)
            self._sampler = self._cache.context.sampler(self.request.sampling, self.request.grammar)

    def _refuse_overflow(self, workplace: Workplace, prompt: Prompt) -> None:
        wanted = 1 if self.request.labels else self.request.sampling.max_tokens
        room = min(int(workplace.context_tokens * ROOM_FRACTION), wanted)
        if len(prompt.tokens) + room > workplace.context_tokens:
            raise ContextOverflow(len(prompt.tokens), workplace.context_tokens, prompt.message_tokens)

    def _prefill(self, workplace: Workplace, turnstile: Turnstile, pending: list[int]) -> FinishReason | None:
        assert self._slot is not None
        assert self._cache is not None
        assert self._prompt is not None
        protected = self._interruptions >= 2 or not workplace.can_go_back
        size = self._protected_chunk(workplace) if protected else self._chunk
        stop_at = workplace.stop_at(self._prompt, self._slot)
        if stop_at is not None:
            size = min(size, stop_at - len(self._slot.tokens))
        chunk = pending[:size]
        begun = time.perf_counter()
        result = self._compute(turnstile, chunk, yields=not protected)
        if result is None:
            return None
        seconds = time.perf_counter() - begun
        self._prefill_s += seconds
        if result is not Decoded.DONE:
            return self._stopped(result)
        workplace.measured(len(chunk), seconds, prefill=True)
        self._interruptions, self._chunk = 0, workplace.chunk_tokens
        if stop_at is not None and len(self._slot.tokens) == stop_at:
            workplace.reached(self._cache, self._prompt, self._slot)
        return self._take_token(workplace) if len(chunk) == len(pending) else None

    def _decode(self, workplace: Workplace, turnstile: Turnstile, pending: list[int]) -> FinishReason | None:
        begun = time.perf_counter()
        result = self._compute(turnstile, pending, yields=False)
        if result is None:
            return None
        if result is not Decoded.DONE:
            return self._stopped(result)
        finish = self._take_token(workplace)
        seconds = time.perf_counter() - begun
        self._decode_s += seconds
        workplace.measured(1, seconds, prefill=False)
        return finish

    def _compute(self, turnstile: Turnstile, tokens: list[int], yields: bool) -> Decoded | None:
        """None: not now, somebody else is more urgent."""
        assert self._slot is not None
        assert self._cache is not None
        if not turnstile.begin(self, self._cache.context.interrupt, yields):
            return None
        try:
            return self._cache.extend(self._slot, tokens)
        finally:
            turnstile.end()

    def _stopped(self, result: Decoded) -> FinishReason | None:
        if result is Decoded.NO_SLOT:
            return FinishReason.CONTEXT_FULL
        self._interruptions += 1
        self._chunk = max(self._chunk // 2, SMALLEST_CHUNK)
        return None

    def _protected_chunk(self, workplace: Workplace) -> int:
        fitting = int(workplace.prefill_tokens_per_s * PROTECTED_S)
        return max(min(fitting, self._chunk), SMALLEST_CHUNK)

    def _take_token(self, workplace: Workplace) -> FinishReason | None:
        """Sample, show, and tell whether that was the end."""
        if self.request.labels:
            return self._take_scores(workplace)
        assert self._sampler is not None
        token = self._sampler.sample()
        if not self._first_token_at:
            self._first_token_at = time.perf_counter()
        if workplace.model.is_end(token):
            return FinishReason.STOP
        self._tokens.append(token)
        text = self._text.push(workplace.model.piece(token))
        if text:
            self.stream.put(text)
        if self._text.stopped:
            return FinishReason.STOP
        if self._answer_tokens >= self.request.sampling.max_tokens:
            return FinishReason.LENGTH
        if repeats(self._tokens[self._prompt_tokens :]):
            return FinishReason.REPEATED
        return FinishReason.CONTEXT_FULL if len(self._tokens) >= workplace.context_tokens else None

    def _take_scores(self, workplace: Workplace) -> FinishReason:
        assert self._cache is not None
        model, labels = workplace.model, self.request.labels
        first = [model.tokenize(label, Voice.FOREIGN, False)[0] for label in labels]
        self._first_token_at = time.perf_counter()
        scores = self._cache.context.logits(first)
        self.stream.put_scores(dict(zip(labels, scores, strict=True)))
        return FinishReason.STOP
