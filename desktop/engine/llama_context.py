"""A KV cache and samplers, through llama.cpp's C functions."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any

from desktop.engine.backend import BackendError, ContextShape, Decoded
from desktop.engine.requests import Sampling

PENALTY_WINDOW = 64  # tokens that the repeat penalty looks back, llama.cpp's default
_ABORTED = 2  # llama_decode: stopped by the abort callback
_NO_SLOT = 1  # llama_decode: no room in the KV cache


class Flag:
    """One byte that stops a computation.

    llama.cpp asks its abort callback at every node of the graph. A Python callback would take the interpreter
    lock each time, so C's `strlen` is the callback and this buffer its argument: "" is 0, go on; "x" is 1,
    stop.
    """

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(2)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._buffer)

    def set(self) -> None:
        self._buffer[0] = b"x"

    def clear(self) -> None:
        self._buffer[0] = b"\0"


class LlamaContext:
    """A KV cache with several sequences. See Context."""

    def __init__(self, api: Any, weights: Any, vocab: Any, shape: ContextShape) -> None:
        self._api = api
        self._vocab = vocab
        self._batch_tokens = shape.batch_tokens
        self._context = api.llama_init_from_model(weights, _context_params(api, shape))
        if not self._context:
            raise BackendError(f"no memory for a context of {shape.cells} tokens")
        self._memory = api.llama_get_memory(self._context)
        self._batch = api.llama_batch_init(shape.batch_tokens, 0, 1)
        self.interrupt = Flag()
        callback = ctypes.cast(_c_library().strlen, api.ggml_abort_callback)
        api.llama_set_abort_callback(self._context, callback, self.interrupt.address)

    def decode(self, tokens: Sequence[int], position: int, sequence: int) -> Decoded:
        batch, count = self._batch, len(tokens)
        assert 0 < count <= self._batch_tokens
        batch.n_tokens = count
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = 0
        batch.logits[count - 1] = 1
        return _decoded(self._api.llama_decode(self._context, batch))

    def sampler(self, sampling: Sampling, grammar: str | None) -> LlamaSampler:
        return LlamaSampler(self._api, self._context, self._vocab, sampling, grammar)

    def logits(self, tokens: Sequence[int]) -> list[float]:
        row = self._api.llama_get_logits_ith(self._context, -1)
        return [float(row[token]) for token in tokens]

    def cut(self, sequence: int, position: int) -> bool:
        if self._api.llama_memory_seq_rm(self._memory, sequence, position, -1):
            return True
        self._api.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return False

    def copy(self, source: int, target: int, end: int) -> bool:
        if self._api.llama_memory_seq_pos_min(self._memory, source) != 0:
            return False  # a recurrent state is one for the whole sequence: it has no first part
        self._api.llama_memory_seq_cp(self._memory, source, target, 0, end)
        return True

    def save(self, sequence: int) -> bytes:
        size = self._api.llama_state_seq_get_size(self._context, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = self._api.llama_state_seq_get_data(self._context, buffer, size, sequence)
        return memoryview(buffer)[:written].tobytes()

    def restore(self, sequence: int, state: bytes) -> bool:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        read = self._api.llama_state_seq_set_data(self._context, buffer, len(state), sequence)
        if read != len(state):
            self._api.llama_memory_seq_rm(self._memory, sequence, -1, -1)
            return False
        return True

    def set_threads(self, threads: int, batch_threads: int) -> None:
        self._api.llama_set_n_threads(self._context, threads, batch_threads)

    def close(self) -> None:
        self._api.llama_batch_free(self._batch)
        self._api.llama_free(self._context)
        self._context = None


class LlamaSampler:
    """A sampler chain of llama.cpp. See Sampler."""

    def __init__(self, api: Any, context: Any, vocab: Any, sampling: Sampling, grammar: str | None) -> None:
        self._api = api
        self._context = context
        self._chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        if grammar is not None:
            self._add_grammar(vocab, grammar)
        for stage in _stages(api, vocab, sampling):
            api.llama_sampler_chain_add(self._chain, stage)

    def _add_grammar(self, vocab: Any, grammar: str) -> None:
        stage = self._api.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
        if not stage:
            self.close()
            raise ValueError("the grammar could not be read")
        self._api.llama_sampler_chain_add(self._chain, stage)

    def sample(self) -> int:
        return int(self._api.llama_sampler_sample(self._chain, self._context, -1))

    def close(self) -> None:
        if self._chain:
            self._api.llama_sampler_free(self._chain)
        self._chain = None


def _stages(api: Any, vocab: Any, sampling: Sampling) -> list[Any]:
    """The filters in order, then the choice."""
    greedy = sampling.temperature <= 0
    keep = 1 if greedy else sampling.top_k
    stages = _penalties(api, vocab, sampling.repeat_penalty, keep)
    if greedy:
        return [*stages, api.llama_sampler_init_greedy()]
    if sampling.top_k > 0:
        stages.append(api.llama_sampler_init_top_k(sampling.top_k))
    if sampling.top_p < 1:
        stages.append(api.llama_sampler_init_top_p(sampling.top_p, 1))
    if sampling.min_p > 0:
        stages.append(api.llama_sampler_init_min_p(sampling.min_p, 1))
    seed = int.from_bytes(os.urandom(4), "little") if sampling.seed is None else sampling.seed & 0xFFFFFFFF
    return [*stages, api.llama_sampler_init_temp(sampling.temperature), api.llama_sampler_init_dist(seed)]


def _penalties(api: Any, vocab: Any, repeat_penalty: float, keep: int) -> list[Any]:
    """Nothing, or the repeat penalty.

    Looking up every token of a large vocabulary takes as long as a layer. A penalty only lowers, and at most
    PENALTY_WINDOW tokens: the best `keep` afterwards are among the best `keep + PENALTY_WINDOW` before.
    """
    if repeat_penalty == 1.0:
        return []
    size = api.llama_vocab_n_tokens(vocab)
    stage = api.llama_sampler_init_penalties(size, PENALTY_WINDOW, repeat_penalty, 0.0, 0.0)
    return [api.llama_sampler_init_top_k(keep + PENALTY_WINDOW), stage] if keep > 0 else [stage]


def _decoded(code: int) -> Decoded:
    if code == 0:
        return Decoded.DONE
    if code == _NO_SLOT:
        return Decoded.NO_SLOT
    if code == _ABORTED:
        return Decoded.INTERRUPTED
    raise BackendError(f"llama_decode failed with code {code}")


def _context_params(api: Any, shape: ContextShape) -> Any:
    params = api.llama_context_default_params()
    params.n_ctx = shape.cells
    params.n_batch = params.n_ubatch = shape.batch_tokens
    params.n_seq_max = shape.sequences
    params.n_threads = shape.threads
    params.n_threads_batch = shape.batch_threads
    params.kv_unified = True
    return params


def _c_library() -> Any:
    return ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
