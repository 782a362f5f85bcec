"""One answer in the making: one chunk of prompt or one token a step, until its stream ends."""

from __future__ import annotations

import codecs
import time
from collections.abc import Sequence

from desktop.engine.inference import Decoded, Sampler, TextOrigin
from desktop.engine.kv_cache import KvCache, Slot
from desktop.engine.lookup import PromptLookup
from desktop.engine.requests import (
    THINKING,
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Metrics,
    Priority,
    Reading,
    Stream,
)
from desktop.engine.scheduler import Scheduler
from desktop.engine.session import Prompt, Session

SMALLEST_CHUNK = 32  # tokens
PROTECTED_S = 0.15  # a chunk that was interrupted twice is made so short, and then runs to its end
ROOM_FRACTION = 1 / 8  # of the context must be free for an answer, or the oldest messages have to go

# So much of the same at a time, told by what people ask for: "ten times" and tables of zeros pass.
REPEATED_TOKENS = 512
LONGEST_PERIOD = 96  # tokens of what is repeated: some five lines, then said six times at least
LOOK_EVERY = 32  # tokens
WEIGHED_AT_ONCE = 32  # tokens of a text that is weighed: each has a number for every token of the vocabulary


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
        self._looked_up = 0
        self._prompt: Prompt | None = None
        self._tokens: list[int] = []  # the prompt, then the answer
        self._cache: KvCache | None = None
        self._slot: Slot | None = None
        self._sampler: Sampler | None = None
        self._text = AnswerText()
        self._lookup = PromptLookup() if request.repeats_context else None
        self._weighed: list[int] = []
        self._weight = 0.0  # the logarithm of how likely so much of it is
        self._drafts_again_at = 0  # tokens of prompt and answer
        self._chunk = 0
        self._interruptions = 0

    @property
    def started(self) -> bool:
        return self._slot is not None

    @property
    def context_used(self) -> int:
        """Tokens of prompt and answer so far."""
        return len(self._tokens)

    @property
    def reading(self) -> Reading | None:
        """How far the prompt is read; None before it is begun and once the answer is. Any thread: whoever
        looks may see the state of a moment ago, and of no two numbers from different prompts.
        """
        prompt, slot = self._prompt, self._slot
        if prompt is None or slot is None or self._answer_tokens:
            return None
        read, total = len(slot.tokens) - self._reused, len(prompt.tokens) - self._reused
        return Reading(max(read, 0), total, self.request.is_choice) if total > 0 else None

    def step(self, session: Session, scheduler: Scheduler[Generation]) -> FinishReason | None:
        """Advance by one chunk or token; the reason when that was the last one. Raises what went wrong."""
        if self.cancelled:
            return FinishReason.CANCELLED
        # Its cells may have gone to somebody more urgent: then prompt and answer so far are read again.
        if self._slot is None or self._slot.lost:
            self._start(session)
        assert self._slot is not None
        pending = self._tokens[len(self._slot.tokens) :]
        # One token behind an answer is a step of decoding; everything else is a prompt to be read.
        if len(pending) == 1 and self._answer_tokens:
            return self._decode(session, scheduler, pending)
        if self._weighed and len(self._slot.tokens) >= len(self._tokens) - 1:
            return self._weigh(scheduler)
        return self._prefill(session, scheduler, pending)

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
            looked_up_tokens=self._looked_up,
            threads=threads,
            device=device,
            outcome=outcome,
        )

    def finish(self, session: Session | None) -> None:
        """Give back what it holds, and show what was held back. After the last step, however it ended."""
        # What was held back, because it could have begun a stop text, belongs to the answer after all.
        rest = self._text.finish()
        if rest:
            self.stream.put(rest)
        if self._sampler is not None:
            self._sampler.close()
            self._sampler = None
        if self._slot is not None and self._cache is not None:
            self._cache.release(self._slot)
            self._slot = None
        if session is not None and self._prompt is not None:
            answer = tuple(self._tokens[self._prompt_tokens :])
            session.remember_answer(self.request.conversation, self._text.whole, answer)

    @property
    def _prompt_tokens(self) -> int:
        return len(self._prompt.tokens) if self._prompt is not None else 0

    @property
    def _answer_tokens(self) -> int:
        return len(self._tokens) - self._prompt_tokens

    def _start(self, session: Session) -> None:
        """Take a slot of the KV cache, for the first time or because the one it had was needed elsewhere."""
        if self._prompt is None:
            self._started_at = time.perf_counter()
            self._prompt = session.prompt_of(self.request)
            self._tokens = list(self._prompt.tokens)
            self._text = AnswerText((*self.request.stop, *self._prompt.stop))
            if self.request.weighed:
                self._weighed = session.model.tokenize(self.request.weighed, TextOrigin.FOREIGN, False)
            self._refuse_overflow(session, self._prompt)
            # The template has written the tag, so that the model will not: whoever reads the answer needs it.
            if self._prompt.is_thinking:
                self.stream.put(f"{THINKING}\n")
        self._cache = session.cache_for(self.request, self._prompt)
        self._slot = session.open(self._cache, self.request, self._prompt, self._tokens)
        self._weight = 0.0
        self._chunk = session.chunk_tokens
        if self._sampler is None:
            self._reused = len(self._slot.tokens)
            self._sampler = self._cache.context.sampler(self.request.sampling, self.request.grammar)

    def _refuse_overflow(self, session: Session, prompt: Prompt) -> None:
        # With less room than this an answer breaks off soon after it began.
        wanted = 1 if self.request.labels else self.request.sampling.max_tokens
        room = len(self._weighed) or min(int(session.context_tokens * ROOM_FRACTION), wanted)
        if len(prompt.tokens) + room > session.context_tokens:
            raise ContextOverflow(len(prompt.tokens), session.context_tokens, prompt.message_tokens)

    def _prefill(
        self, session: Session, scheduler: Scheduler[Generation], pending: list[int]
    ) -> FinishReason | None:
        assert self._slot is not None
        assert self._cache is not None
        assert self._prompt is not None
        # Interrupted twice, or with a state that cannot go back, a chunk is made so short that whoever waits
        # hardly notices, and runs to its end. Else a prompt might never be read.
        protected = self._interruptions >= 2 or not session.can_go_back
        size = self._protected_chunk(session) if protected else self._chunk
        # Stop just where the stable prefix ends, so that its state can be saved by itself.
        stop_at = session.stop_at(self.request, self._prompt, self._slot)
        if stop_at is not None:
            size = min(size, stop_at - len(self._slot.tokens))
        # What is weighed is computed with the last token of the prompt, behind which it begins.
        if self._weighed:
            size = min(size, len(pending) - 1)
        chunk = pending[:size]
        begun = time.perf_counter()
        result = self._compute(scheduler, chunk, yields=not protected)
        if result is None:
            return None
        seconds = time.perf_counter() - begun
        self._prefill_s += seconds
        if result is not Decoded.DONE:
            return self._stopped(result)
        session.measured(len(chunk), seconds, prefill=True)
        self._interruptions, self._chunk = 0, session.chunk_tokens
        if stop_at is not None and len(self._slot.tokens) == stop_at:
            session.reached(self._cache, self._prompt, self._slot)
        return self._take_token(session) if len(chunk) == len(pending) else None

    def _decode(
        self, session: Session, scheduler: Scheduler[Generation], pending: list[int]
    ) -> FinishReason | None:
        begun = time.perf_counter()
        draft = self._draft(session)
        # Whoever is more urgent waits for one token, but not for a draft.
        result = self._compute(scheduler, [*pending, *draft], yields=bool(draft), is_draft=bool(draft))
        if result is None:
            return None
        if result is not Decoded.DONE and draft:
            # Interrupted, or there is room for one token and none for several: the next goes alone.
            self._drafts_again_at = len(self._tokens) + 1
            self._decode_s += time.perf_counter() - begun
            return None
        if result is not Decoded.DONE:
            return self._stopped(result)
        if self._lookup is not None:  # else nobody asks what a draft would cost
            session.decode_cost.measured(1 + len(draft), time.perf_counter() - begun)
        finish = self._take_drafted(session, draft) if draft else self._take_token(session)
        seconds = time.perf_counter() - begun
        self._decode_s += seconds
        if not draft:
            session.measured(1, seconds, prefill=False)
        return finish

    def _draft(self, session: Session) -> tuple[int, ...]:
        """Tokens that probably come next and may be computed with the pending one; mostly none."""
        # A recurrent state cannot forget the part of a draft that the answer did not follow.
        if self._lookup is None or not session.can_go_back or len(self._tokens) < self._drafts_again_at:
            return ()
        # Each token of a draft may be kept, and one more comes after them.
        room = min(
            session.context_tokens - len(self._tokens),
            self.request.sampling.max_tokens - self._answer_tokens,
        )
        most = min(room - 1, session.longest_draft)
        return self._lookup.draft(self._tokens, most, session.decode_cost.of)

    def _take_drafted(self, session: Session, draft: tuple[int, ...]) -> FinishReason | None:
        """Sample after the pending token and on as long as the draft is what the sampler chose."""
        assert self._slot is not None
        assert self._cache is not None
        kept = 0
        finish = self._take_token(session, row=0)
        while finish is None and kept < len(draft) and self._tokens[-1] == draft[kept]:
            kept += 1
            finish = self._take_token(session, row=kept)
        self._looked_up += kept
        self._cache.shorten(self._slot, len(draft) - kept)
        return finish

    def _weigh(self, scheduler: Scheduler[Generation]) -> FinishReason | None:
        """Some tokens of the weighed text; the first of them comes behind the last token of the prompt."""
        assert self._slot is not None
        assert self._cache is not None
        begun = time.perf_counter()
        done = len(self._slot.tokens) - (len(self._tokens) - 1)
        tokens = [self._tokens[-1], *self._weighed[:-1]][done : done + WEIGHED_AT_ONCE]
        yields = self._interruptions < 2  # else it might never be read
        result = self._compute(scheduler, tokens, yields, every_row=True)
        self._prefill_s += time.perf_counter() - begun
        if result is None:
            return None
        if result is not Decoded.DONE:
            return self._stopped(result)
        likelihood = self._cache.context.likelihood
        self._weight += sum(likelihood(self._weighed[done + row], row) for row in range(len(tokens)))
        if done + len(tokens) < len(self._weighed):
            return None
        self._first_token_at = time.perf_counter()
        self.stream.put_scores({self.request.weighed: self._weight})
        return FinishReason.STOP

    def _compute(
        self,
        scheduler: Scheduler[Generation],
        tokens: list[int],
        yields: bool,
        every_row: bool = False,
        is_draft: bool = False,
    ) -> Decoded | None:
        """What was decoded; None where somebody more urgent goes first."""
        assert self._slot is not None
        assert self._cache is not None
        if not scheduler.begin(self, self._cache.context.interrupt, yields):
            return None
        try:
            return self._cache.extend(self._slot, tokens, every_row or is_draft, is_draft)
        finally:
            scheduler.end()

    def _stopped(self, result: Decoded) -> FinishReason | None:
        if result is Decoded.NO_SLOT:
            return FinishReason.CONTEXT_FULL
        self._interruptions += 1
        # Smaller after each interruption: the next one costs less.
        self._chunk = max(self._chunk // 2, SMALLEST_CHUNK)
        return None

    def _protected_chunk(self, session: Session) -> int:
        fitting = int(session.prefill_tokens_per_s * PROTECTED_S)
        return max(min(fitting, self._chunk), SMALLEST_CHUNK)

    def _take_token(self, session: Session, row: int = -1) -> FinishReason | None:
        """Sample, show, and tell whether that was the end."""
        if self.request.labels:
            return self._take_scores(session)
        assert self._sampler is not None
        token = self._sampler.sample(row)
        if not self._first_token_at:
            self._first_token_at = time.perf_counter()
        # Before the token is kept: the end of an answer is no part of it, and the next prompt writes it by
        # itself.
        if session.model.is_end(token):
            return FinishReason.STOP
        self._tokens.append(token)
        text = self._text.push(session.model.piece(token))
        if text:
            self.stream.put(text)
        if self._text.stopped:
            return FinishReason.STOP
        if self._answer_tokens >= self.request.sampling.max_tokens:
            return FinishReason.LENGTH
        if repeats(self._tokens[self._prompt_tokens :]):
            return FinishReason.REPEATED
        return FinishReason.CONTEXT_FULL if len(self._tokens) >= session.context_tokens else None

    def _take_scores(self, session: Session) -> FinishReason:
        assert self._cache is not None
        model, labels = session.model, self.request.labels
        first = [model.tokenize(label, TextOrigin.FOREIGN, False)[0] for label in labels]
        self._first_token_at = time.perf_counter()
        scores = self._cache.context.logits(first)
        self.stream.put_scores(dict(zip(labels, scores, strict=True)))
        return FinishReason.STOP


class AnswerText:
    """Collects an answer. `push` gives what may be shown now; `stopped` tells that a stop text came."""

    def __init__(self, stop: tuple[str, ...] = ()) -> None:
        # A token may end in the middle of a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stop = tuple(text for text in stop if text)
        self._held = ""
        self.shown: list[str] = []
        self.stopped = False

    def push(self, piece: bytes) -> str:
        """Add the bytes of one token."""
        return self._release(self._decoder.decode(piece))

    def finish(self) -> str:
        """What was held back, at the end of the answer."""
        if self.stopped:
            return ""
        rest = self._release(self._decoder.decode(b"", final=True))
        held, self._held = self._held, ""
        if held and not self.stopped:
            self.shown.append(held)
            return rest + held
        return rest

    @property
    def whole(self) -> str:
        """All that was shown."""
        return "".join(self.shown)

    def _release(self, text: str) -> str:
        text = self._held + text
        if self._stop:
            text = self._cut(text)
        else:
            self._held = ""
        if text:
            self.shown.append(text)
        return text

    def _cut(self, text: str) -> str:
        places = [place for place in map(text.find, self._stop) if place >= 0]
        if places:
            self.stopped, self._held = True, ""
            return text[: min(places)]
        # The end may be the beginning of a stop text: it waits until the next piece tells.
        keep = max(_overlap(text, stop) for stop in self._stop)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` could begin `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if stop.startswith(text[-size:]):
            return size
    return 0


def repeats(answer: Sequence[int]) -> bool:
    """Whether the last `REPEATED_TOKENS` tokens are one piece of text again and again.

    Looks at every `LOOK_EVERY`th token only; a look costs some ten microseconds.
    """
    if len(answer) % LOOK_EVERY or len(answer) < REPEATED_TOKENS + LONGEST_PERIOD:
        return False
    # Compared with itself, shifted by each period: lists are compared in C up to their first difference.
    tail = list(answer[-REPEATED_TOKENS - LONGEST_PERIOD :])
    last = tail[LONGEST_PERIOD:]
    return any(
        last == tail[LONGEST_PERIOD - period : len(tail) - period] for period in range(1, LONGEST_PERIOD + 1)
    )
