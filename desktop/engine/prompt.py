"""From a request to token ids, remembering what has been tokenized before."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

from desktop.engine.chat_template import ChatTemplate, Segment
from desktop.engine.inference import LoadedModel, TextOrigin
from desktop.engine.requests import GenerateRequest

SEGMENTS_KEPT = 4096  # pieces of prompts whose tokens are remembered; a long conversation has hundreds
ANSWERS_KEPT = 1024

K = TypeVar("K")
V = TypeVar("V")


class _Recent(Generic[K, V]):
    """A dictionary that forgets what was not used for longest."""

    def __init__(self, capacity: int) -> None:
        self._items: OrderedDict[K, V] = OrderedDict()
        self._capacity = capacity

    def get(self, key: K) -> V | None:
        if key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key]

    def put(self, key: K, value: V) -> None:
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > self._capacity:
            self._items.popitem(last=False)


@dataclass(frozen=True)
class Prompt:
    """A prompt in tokens. The first `prefix_tokens` do not depend on what the user said."""

    tokens: tuple[int, ...]
    prefix_tokens: int
    message_tokens: tuple[int, ...]
    stop: tuple[str, ...] = ()


class PromptBuilder:
    """Renders and tokenizes for one loaded model. Engine thread."""

    def __init__(self, model: LoadedModel, template: ChatTemplate) -> None:
        self._model = model
        self._template = template
        self._segments: _Recent[tuple[str, TextOrigin, bool], tuple[int, ...]] = _Recent(SEGMENTS_KEPT)
        self._answers: _Recent[tuple[str, str], tuple[int, ...]] = _Recent(ANSWERS_KEPT)

    def build(self, request: GenerateRequest) -> Prompt:
        """The prompt for the next answer; nothing is left out."""
        rendered = self._template.render(request.messages, request.tools)
        counts = [0] * len(request.messages)
        tokens = list(self._begin(rendered.segments))
        prefix: int | None = None
        # The share of the template before a message counts for it: leaving the message out gives that back
        # too.
        waiting = len(tokens)  # template tokens that belong to the next message
        message = 0
        for segment in rendered.segments:
            # Up to the first word of the conversation: so far the prompt is the same in every chat.
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
        tokens += self._written(request)
        return Prompt(tuple(tokens), prefix or 0, tuple(counts), rendered.stop)

    def remember_answer(self, conversation: str, text: str, tokens: tuple[int, ...]) -> None:
        """The next prompt of `conversation` writes `text` with these tokens: they are in the KV cache."""
        said = b"".join(self._model.piece(token) for token in tokens).decode("utf-8", "replace")
        # Only where the tokens read as the text: what ended at a stop text was cut, and is tokenized anew.
        if said == text and text.strip():
            self._answers.put((conversation, text.strip()), tokens)

    def _written(self, request: GenerateRequest) -> tuple[int, ...]:
        """The beginning of an answer that is continued; it stands after everything the template wrote."""
        if not request.answer_start:
            return ()
        known = self._answers.get((request.conversation, request.answer_start.strip()))
        return known or tuple(self._model.tokenize(request.answer_start, TextOrigin.MODEL, False))

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
    return segment.message is not None and request.messages[segment.message].role != "system"


def _origin(segment: Segment, request: GenerateRequest) -> TextOrigin:
    if segment.trusted:
        return TextOrigin.TEMPLATE
    if segment.message is not None and request.messages[segment.message].role == "assistant":
        return TextOrigin.MODEL
    return TextOrigin.FOREIGN
