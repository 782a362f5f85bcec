"""A model's weights and vocabulary, through llama.cpp's C functions. `llama.py` loads them."""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any

from desktop.engine.backend import BackendError, ContextShape, Voice
from desktop.engine.llama_context import LlamaContext

_SENTENCEPIECE = 1  # llama_vocab_type
_CONTROL, _USER_DEFINED = 8, 16  # llama_token_attr


class LlamaModel:
    """Weights and vocabulary. See LoadedModel."""

    def __init__(self, api: Any, weights: Any, device: str, gpu_layers: int = 0, notice: str = "") -> None:
        self._api = api
        self._weights = weights
        self._vocab = api.llama_model_get_vocab(weights)
        self._pieces: dict[int, bytes] = {}
        self._adds_space = api.llama_vocab_type(self._vocab) == _SENTENCEPIECE
        self.device = device
        self.notice = notice
        layers = api.llama_model_n_layer(weights)
        self.gpu_layers = layers if gpu_layers < 0 else min(gpu_layers, layers)

    @property
    def chat_template(self) -> str | None:
        template = self._api.llama_model_chat_template(self._weights, None)
        return template.decode("utf-8", "replace") if template else None

    @property
    def begin_token(self) -> int | None:
        token = self._api.llama_vocab_bos(self._vocab)
        return token if token >= 0 else None

    @property
    def begin_text(self) -> str:
        return self._text_of(self._api.llama_vocab_bos(self._vocab))

    @property
    def end_text(self) -> str:
        return self._text_of(self._api.llama_vocab_eos(self._vocab))

    @property
    def adds_begin(self) -> bool:
        return bool(self._api.llama_vocab_get_add_bos(self._vocab))

    @property
    def vocabulary_size(self) -> int:
        return int(self._api.llama_vocab_n_tokens(self._vocab))

    def is_control(self, token: int) -> bool:
        """Whether the token steers the model and is no text."""
        return bool(self._api.llama_vocab_is_control(self._vocab, token))

    def _text_of(self, token: int) -> str:
        return self._api.llama_vocab_get_text(self._vocab, token).decode() if token >= 0 else ""

    @property
    def control_texts(self) -> tuple[str, ...]:
        return self._spelled(_CONTROL)

    def _spelled(self, attribute: int) -> tuple[str, ...]:
        return tuple(text for attributes, text in self._steering if attributes & attribute)

    @functools.cached_property
    def _steering(self) -> tuple[tuple[int, str], ...]:
        """Attributes and text of the tokens that are more than words; one look at the whole vocabulary."""
        attributes, text = self._api.llama_vocab_get_attr, self._api.llama_vocab_get_text
        found = ((token, attributes(self._vocab, token)) for token in range(self.vocabulary_size))
        marks = [(token, flags) for token, flags in found if flags & (_CONTROL | _USER_DEFINED)]
        spelled = ((flags, text(self._vocab, token).decode("utf-8", "replace")) for token, flags in marks)
        return tuple((flags, word) for flags, word in spelled if word.strip())

    def tokenize(self, text: str, voice: Voice, at_start: bool) -> list[int]:
        if voice is not Voice.FOREIGN:
            return self._continued(text, voice is Voice.TEMPLATE, at_start)
        # llama.cpp recognizes "user defined" marks even with control tokens off; cut in two they are text.
        tokens: list[int] = []
        start = 0
        for mark in self._marks.finditer(text):
            tokens += self._continued(text[start : mark.start() + 1], False, at_start and start == 0)
            start = mark.start() + 1
        return tokens + self._continued(text[start:], False, at_start and start == 0)

    @functools.cached_property
    def _marks(self) -> re.Pattern[str]:
        marks = [
            re.escape(text) for text in self._spelled(_USER_DEFINED) if not text.isspace() and len(text) > 1
        ]
        return re.compile("|".join(sorted(marks, key=len, reverse=True)) or "(?!)")

    def _continued(self, text: str, special: bool, at_start: bool) -> list[int]:
        if at_start or not self._adds_space:
            return self._tokens(text, special)
        # Such a vocabulary puts a space before whatever it is given; after a line break it has no effect.
        guard = self._tokens("\n", False)
        tokens = self._tokens("\n" + text, special)
        return tokens[len(guard) :] if tokens[: len(guard)] == guard else self._tokens(text, special)

    def _tokens(self, text: str, special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        capacity = len(raw) + 8
        tokens = (ctypes.c_int32 * capacity)()
        count = self._api.llama_tokenize(self._vocab, raw, len(raw), tokens, capacity, False, special)
        if count < 0:
            raise BackendError(f"tokenization of {len(raw)} bytes needs {-count} tokens")
        return tokens[:count]

    def piece(self, token: int) -> bytes:
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._render(token)
        return known

    def _render(self, token: int) -> bytes:
        # Text such as <think> is "user defined" and rendered; true control tokens are not.
        for capacity in (64, 4096):
            buffer = ctypes.create_string_buffer(capacity)
            size = self._api.llama_token_to_piece(self._vocab, token, buffer, capacity, 0, False)
            if size >= 0:
                return buffer.raw[:size]
        return b""

    def is_end(self, token: int) -> bool:
        return bool(self._api.llama_vocab_is_eog(self._vocab, token))

    def new_context(self, shape: ContextShape) -> LlamaContext:
        return LlamaContext(self._api, self._weights, self._vocab, shape)

    def close(self) -> None:
        self._api.llama_model_free(self._weights)
        self._weights = None
        self._pieces.clear()
