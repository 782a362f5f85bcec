"""A loaded model with all that belongs to it: contexts, KV caches, prompts, measurements."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from desktop.engine.chat_template import ChatTemplate, Segment
from desktop.engine.inference import ContextShape, LoadedModel, TextOrigin
from desktop.engine.kv_cache import KvCache, Parking, PrefixStore, SavedPrefix, Slot
from desktop.engine.lookup import SHORTEST_DRAFT, DecodeCost
from desktop.engine.requests import THINKING, GenerateRequest, Priority

BATCH_TOKENS = 512
SEQUENCES = 5  # at most one generation of each priority is at work, and one conversation may rest
JUDGE_CELLS = 2048
JUDGE_SEQUENCES = 2
SPARE_CELLS = 1024  # so that a quick question need not push out the conversation it interrupts
PREFIX_WORTH_SAVING = 64  # tokens
# Pieces of prompts whose tokens are remembered. A long conversation has hundreds; one that has more than this
# is cut into tokens anew with each question, which takes some milliseconds.
SEGMENTS_KEPT = 768
ANSWERS_KEPT = 768  # of the conversations that rest, a dozen each
TOKENS_KEPT = 250_000  # of either, 4 bytes each: pasted files are pieces too
LONGEST_STEP_S = 0.1  # of computing that nothing interrupts, for the sake of a draft
RATE_MEMORY = 0.7  # how much of the measured rate is kept when a new measurement comes
K = TypeVar("K")


class _KnownTokens(Generic[K]):
    """Tokens of texts, of which those go that were not used for longest. What was put in last stays, whatever
    its length."""

    def __init__(self, most: int, most_tokens: int) -> None:
        # Signed, 4 bytes each: a tuple has a number of 28 bytes and its address for each.
        self._items: OrderedDict[K, array[int]] = OrderedDict()
        self._most = most
        self._most_tokens = most_tokens
        self._tokens = 0

    def get(self, key: K) -> tuple[int, ...] | None:
        found = self._items.get(key)
        if found is None:
            return None
        self._items.move_to_end(key)
        return tuple(found)

    def put(self, key: K, tokens: Sequence[int]) -> None:
        before = self._items.pop(key, ())
        self._items[key] = array("i", tokens)
        self._tokens += len(tokens) - len(before)
        while len(self._items) > 1 and self._is_too_much():
            _key, gone = self._items.popitem(last=False)
            self._tokens -= len(gone)

    def _is_too_much(self) -> bool:
        return len(self._items) > self._most or self._tokens > self._most_tokens


@dataclass(frozen=True)
class Prompt:
    """A prompt in tokens. The first `prefix_tokens` do not depend on what the user said. `is_thinking`: it
    ends inside a thought."""

    tokens: tuple[int, ...]
    prefix_tokens: int
    message_tokens: tuple[int, ...]
    stop: tuple[str, ...] = ()
    is_thinking: bool = False


class PromptBuilder:
    """Renders and tokenizes for one loaded model. Engine thread."""

    def __init__(self, model: LoadedModel, template: ChatTemplate) -> None:
        self._model = model
        self._template = template
        self._segments: _KnownTokens[tuple[str, TextOrigin, bool]] = _KnownTokens(SEGMENTS_KEPT, TOKENS_KEPT)
        self._answers: _KnownTokens[tuple[str, str]] = _KnownTokens(ANSWERS_KEPT, TOKENS_KEPT)

    def build(self, request: GenerateRequest) -> Prompt:
        """The prompt for the next answer; nothing is left out."""
        rendered = self._template.render(request.messages, request.tools, request.may_think)
        counts = [0] * len(request.messages)
        tokens = list(self._begin(rendered.segments))
        prefix: int | None = None
        # The share of the template before a message counts for it: leaving the message out gives that back
        # too.
        waiting = len(tokens)  # template tokens that belong to the next message
        message = 0
        for segment in rendered.segments:
            # Up to the first word that is said in this chat: so far the prompt is the same in every one.
            if prefix is None and _is_conversation(segment, request):
                prefix = len(tokens)
            piece = self._tokens_of(segment, request, at_start=not tokens)
            tokens += piece
            waiting += len(piece)
            if segment.message is not None:
                message = segment.message
                counts[message] += waiting
                waiting = 0
        if counts:
            counts[message] += waiting
        begun = request.answer_start
        # A cut thought goes on behind the tag that the template has written already.
        if rendered.is_thinking and begun:
            begun = begun.removeprefix(THINKING).lstrip("\n")
        tokens += self._written(request, begun)
        is_thinking = rendered.is_thinking and not request.answer_start
        return Prompt(tuple(tokens), prefix or 0, tuple(counts), rendered.stop, is_thinking)

    def remember_answer(self, conversation: str, text: str, tokens: tuple[int, ...]) -> None:
        """The next prompt of `conversation` writes `text` with these tokens: they are in the KV cache."""
        said = b"".join(self._model.piece(token) for token in tokens).decode("utf-8", "replace")
        # Only where the tokens read as the text: what ended at a stop text was cut, and is tokenized anew.
        if said == text and text.strip():
            self._answers.put((conversation, text.strip()), tokens)

    def _written(self, request: GenerateRequest, begun: str) -> tuple[int, ...]:
        """The beginning of an answer that is continued; it stands after everything the template wrote."""
        if not begun:
            return ()
        known = self._answers.get((request.conversation, begun.strip()))
        return known or tuple(self._model.tokenize(begun, TextOrigin.MODEL, False))

    def _begin(self, segments: tuple[Segment, ...]) -> tuple[int, ...]:
        token, text = self._model.begin_token, self._model.begin_text
        if not self._model.adds_begin or token is None:
            return ()
        # Some templates write this token themselves, and two of them confuse a model.
        written = segments and segments[0].trusted and segments[0].text.startswith(text)
        return () if written and text else (token,)

    def _tokens_of(self, segment: Segment, request: GenerateRequest, at_start: bool) -> tuple[int, ...]:
        origin = _origin(segment, request)
        # With the tokens that the model chose: the same words cut otherwise would not be found in the KV
        # cache.
        if origin is TextOrigin.MODEL:
            known = self._answers.get((request.conversation, segment.text.strip()))
            if known is not None:
                return known
        key = (segment.text, origin, at_start)
        tokens = self._segments.get(key)
        if tokens is None:
            tokens = tuple(self._model.tokenize(segment.text, origin, at_start))
            self._segments.put(key, tokens)
        return tokens


def _is_conversation(segment: Segment, request: GenerateRequest) -> bool:
    is_shared = segment.message is not None and segment.message < request.shared_messages
    return (
        segment.message is not None and not is_shared and request.messages[segment.message].role != "system"
    )


def _origin(segment: Segment, request: GenerateRequest) -> TextOrigin:
    if segment.trusted:
        return TextOrigin.TEMPLATE
    if segment.message is not None and request.messages[segment.message].role == "assistant":
        return TextOrigin.MODEL
    return TextOrigin.FOREIGN


@dataclass(frozen=True)
class SessionShape:
    """What was decided before the contexts are made."""

    context_tokens: int
    threads: int
    prefill_threads: int
    parking_bytes: int
    whole_only: bool  # a recurrent model: its state has no parts
    architecture: str


class Session:
    """One loaded model. Everything on the engine's thread but `count_tokens`."""

    def __init__(self, model: LoadedModel, shape: SessionShape, prefixes: PrefixStore) -> None:
        """Raises InferenceError where memory does not suffice for the context."""
        self.model = model
        self.shape = shape
        self.threads, self.prefill_threads = shape.threads, shape.prefill_threads
        self._prefixes = prefixes
        self._chat = self._new_cache(_rounded(shape.context_tokens + SPARE_CELLS), SEQUENCES)
        self._judge: KvCache | None = None
        template = _template(model, shape.architecture)
        # Why a plain one takes the place of the model's own; mostly "".
        self.template_trouble = template.trouble
        self._prompts = PromptBuilder(model, template)
        self.prefill_tokens_per_s = 0.0  # measured; 0 before the first prompt
        self.decode_cost = DecodeCost()
        self.on_decoded: Callable[[float], None] = lambda _seconds: None

    @property
    def context_tokens(self) -> int:
        return self.shape.context_tokens

    @property
    def chunk_tokens(self) -> int:
        return BATCH_TOKENS

    @property
    def can_go_back(self) -> bool:
        """Whether an interrupted chunk leaves the tokens before it in place."""
        return not self.shape.whole_only

    @property
    def longest_draft(self) -> int:
        """Tokens. Stop takes effect between the steps of a batch, and its logits are one of them: longer than
        the shortest only where that is quick.
        """
        row_s = self.decode_cost.token_s * self.model.logits_share
        fitting = int(LONGEST_STEP_S / row_s) - 1 if row_s > 0 else 0
        return max(fitting, SHORTEST_DRAFT)

    def prompt_of(self, request: GenerateRequest) -> Prompt:
        return self._prompts.build(request)

    def count_tokens(self, text: str) -> int:
        """Of a text that is not the template's. On any thread, as long as `close` is not called meanwhile."""
        return len(self.model.tokenize(text, TextOrigin.FOREIGN, at_start=False))

    def remember_answer(self, conversation: str, text: str, tokens: tuple[int, ...]) -> None:
        self._prompts.remember_answer(conversation, text, tokens)

    def cache_for(self, request: GenerateRequest, prompt: Prompt) -> KvCache:
        """The judge has a small context of its own, so that a conversation stays where it is."""
        # A long question to the judge goes where there is room for it, and the conversation waits in memory.
        needed = len(prompt.tokens) + request.sampling.max_tokens
        if request.priority is not Priority.JUDGE or needed > min(JUDGE_CELLS, self.context_tokens):
            return self._chat
        # Made with the first question to the judge: it takes memory that most runs never need.
        if self._judge is None:
            self._judge = self._new_cache(JUDGE_CELLS, JUDGE_SEQUENCES)
        return self._judge

    def open(self, cache: KvCache, request: GenerateRequest, prompt: Prompt, tokens: list[int]) -> Slot:
        def saved(longer_than: int) -> SavedPrefix | None:
            if _is_foreign(request) or not PREFIX_WORTH_SAVING <= prompt.prefix_tokens > longer_than:
                return None
            return self._prefixes.read(prompt.tokens[: prompt.prefix_tokens])

        return cache.open(request.conversation, tokens, saved, request.priority >= Priority.CHAT)

    def stop_at(self, request: GenerateRequest, prompt: Prompt, slot: Slot) -> int | None:
        """The length at which the state of the prefix is to be saved, if that is still ahead."""
        end = prompt.prefix_tokens
        if _is_foreign(request) or end < PREFIX_WORTH_SAVING or len(slot.tokens) >= end:
            return None
        return None if self._prefixes.has(prompt.tokens[:end]) else end

    def reached(self, cache: KvCache, prompt: Prompt, slot: Slot) -> None:
        """`slot` holds the stable prefix and nothing more."""
        self._prefixes.write(prompt.tokens[: prompt.prefix_tokens], cache.save(slot))

    def measured(self, tokens: int, seconds: float, prefill: bool) -> None:
        if prefill and seconds > 0:
            # Smoothed: a chunk that shared the processor with another program says little.
            rate = tokens / seconds
            old = self.prefill_tokens_per_s or rate
            self.prefill_tokens_per_s = RATE_MEMORY * old + (1 - RATE_MEMORY) * rate
        elif not prefill:
            self.on_decoded(seconds)

    def set_threads(self, threads: int, prefill_threads: int) -> None:
        """Compute tokens and prompts with so many threads from now on."""
        self.threads, self.prefill_threads = threads, prefill_threads
        for cache in (self._chat, self._judge):
            if cache is not None:
                cache.context.set_threads(threads, prefill_threads)

    def close(self) -> None:
        """Free contexts and weights; what is being saved is saved first."""
        self._prefixes.close()
        # Contexts before the weights that they point into.
        for cache in (self._judge, self._chat):
            if cache is not None:
                cache.close()
        self.model.close()

    def _new_cache(self, cells: int, sequences: int) -> KvCache:
        shape = ContextShape(cells, sequences, BATCH_TOKENS, self.threads, self.prefill_threads)
        context = self.model.new_context(shape)
        return KvCache(context, sequences, Parking(self.shape.parking_bytes), self.shape.whole_only)


def _is_foreign(request: GenerateRequest) -> bool:
    """Whether another program wrote the instructions: they are not kept on disk, and push out none
    of ours."""
    return request.priority is Priority.API


def _template(model: LoadedModel, architecture: str) -> ChatTemplate:
    template = ChatTemplate(
        model.chat_template, architecture, model.begin_text, model.end_text, model.control_texts
    )
    template.try_out()
    return template


def _rounded(tokens: int) -> int:
    """llama.cpp works with whole blocks of 256 cells."""
    return -(-tokens // 256) * 256
