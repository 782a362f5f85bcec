"""llama.cpp behind the engine's protocol: its C functions, called through ctypes.

Only the owner thread calls in here. `llama_cpp` is imported when the first model loads,
and without its package's `__init__`, which would bring numpy, Jinja and a disk cache: 27 MB and 0.4 s
instead of 9 MB and 0.04 s.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import importlib.util
import math
import os
import re
import sys
import types
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from desktop.engine.addons import AddOns
from desktop.engine.ggml_backends import (
    GPU_BACKENDS,
    LoadedBackends,
    installed_words,
    load_for_gpus,
    load_for_processors,
)
from desktop.engine.host import return_large_blocks
from desktop.engine.inference import ContextShape, Decoded, InferenceError, LoadCancelled, TextOrigin
from desktop.engine.reasons import EngineReason
from desktop.engine.requests import Sampling
from desktop.models.gguf import read_facts
from desktop.reasons import Reason

if TYPE_CHECKING:
    import llama_cpp  # noqa: F401  # what _import_api loads, for tools that read imports

log = structlog.get_logger(__name__)

PENALTY_WINDOW = 64  # tokens that the repeat penalty looks back, llama.cpp's default
LIKELIEST = 256  # tokens that a grammar is asked about, before it is asked about the whole vocabulary
LEAST_LIKELIHOOD = -90.0  # the logarithm of the smallest number that samplers can tell from nought
_KEPT_COMPLAINTS = 20
_LOG_LEVELS = {2: "info", 3: "warning", 4: "error"}  # ggml_log_level; its debug is a line for every tensor
_ABORTED = 2  # llama_decode: stopped by the abort callback
_NO_SLOT = 1  # llama_decode: no room in the KV cache
_SENTENCEPIECE = 1  # llama_vocab_type
_CONTROL, _USER_DEFINED = 8, 16  # llama_token_attr


class LlamaBackend:
    """Loads GGUF files. Making one costs nothing; the library is loaded with the first model."""

    def __init__(self, check: Callable[[Path], None] = lambda _path: None) -> None:
        """`check` looks at a file before it is loaded (`TrialLoad.check`), and raises what it refuses."""
        self._check = check
        self._api: Any = None
        self._complaints: Iterable[str] = ()
        self._backends: LoadedBackends | None = None

    @property
    def build(self) -> str:
        api = self.library
        return f"llama.cpp {api.llama_version().decode()} {api.llama_print_system_info().decode()}"

    @property
    def has_gpu(self) -> bool:
        return self._cards().gpu != ""

    @property
    def has_gpu_backend(self) -> bool:
        return bool(installed_words(AddOns.here().libraries()) & GPU_BACKENDS.keys())

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> LlamaModel:
        """See InferenceBackend.load. Raises UserFacing for a file that is refused before llama.cpp sees it.

        When the GPU refuses, the processor takes over and `notice` says so.
        """
        # In a child first, all of it: what passes every check of ours may still end the process in native
        # code, and a head alone can keep its reader busy for hours.
        self._check(path)
        read_facts(path)  # it may have changed since it was installed
        api = self.library
        if gpu_layers == 0 or not self.has_gpu:
            unused = self._cards().unused if gpu_layers != 0 else None
            return LlamaModel(api, _load_weights(api, path, 0, progress), device="cpu", notice=unused)
        try:
            weights = _load_weights(api, path, gpu_layers, progress)
            return LlamaModel(api, weights, device=self._cards().gpu, gpu_layers=gpu_layers)
        except InferenceError as error:
            log.warning("GPU refused the model", reason=str(error))
            weights = _load_weights(api, path, 0, progress)
            return LlamaModel(api, weights, device="cpu", notice=EngineReason.CARD_REFUSED.of())

    @property
    def library(self) -> Any:
        """The declarations of llama.cpp's functions, which is loaded by asking for them."""
        if self._api is None:
            return_large_blocks()
            self._api = _import_api()
            self._complaints = _send_log_lines_to_structlog(self._api)
            load_for_processors(self._api)
            self._api.llama_backend_init()
        return self._api

    def _cards(self) -> LoadedBackends:
        """Only asked where a card may take part: its driver is started by it."""
        api = self.library
        if self._backends is None:
            self._backends = load_for_gpus(api, AddOns.here().libraries(), self._complaints)
        return self._backends


def _load_weights(api: Any, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> Any:
    cancelled = False

    def report(fraction: float, _data: object) -> bool:
        nonlocal cancelled
        cancelled = not progress(fraction)
        return not cancelled

    # In a name of its own: ctypes would free it while the library still calls it.
    callback = api.llama_progress_callback(report)
    params = api.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    # Read, not mapped: for the processor llama.cpp rearranges most weights into memory of its own, and the
    # mapped originals would stay resident beside them (a 1.1 GB file: 1.4 GB resident instead of 2.0).
    params.load_mode = api.LLAMA_LOAD_MODE_NONE
    params.progress_callback = callback
    weights = api.llama_model_load_from_file(os.fsencode(path), params)
    if cancelled:
        raise LoadCancelled
    if not weights:
        raise InferenceError(f"llama.cpp could not load {path.name}")
    return weights


def _import_api() -> Any:
    """The ctypes declarations of llama-cpp-python, without its package's `__init__`."""
    if "llama_cpp" in sys.modules:
        return importlib.import_module("llama_cpp.llama_cpp")
    found = importlib.util.find_spec("llama_cpp")
    if found is None or found.submodule_search_locations is None:
        raise InferenceError("llama-cpp-python is not installed")
    package = types.ModuleType("llama_cpp")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["llama_cpp"] = package
    try:
        with _short_spins():
            return importlib.import_module("llama_cpp.llama_cpp")
    finally:
        del sys.modules["llama_cpp"]  # whoever imports it after us gets the whole package


@contextlib.contextmanager
def _short_spins() -> Iterator[None]:
    """Lets GNU OpenMP's threads sleep soon when they wait for each other; it reads this once, when loaded.

    By default they spin for milliseconds. Beside a busy program that takes the core from the thread they wait
    for: 10 to 30 tokens a second where short spins give 40 to 80, and on a quiet machine the same 160.
    """
    ours = not {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & set(os.environ)
    if ours:
        os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        yield
    finally:
        if ours:
            del os.environ["GOMP_SPINCOUNT"]


def _send_log_lines_to_structlog(api: Any) -> Iterable[str]:
    """llama.cpp writes to standard error by default, which belongs to the program. Returns its latest errors,
    which go on coming."""
    complaints: deque[str] = deque(maxlen=_KEPT_COMPLAINTS)

    def write(level: int, text: bytes, _data: object) -> None:
        line = text.decode("utf-8", "replace").strip()
        # Its progress bar comes as single dots.
        if level in _LOG_LEVELS and line.strip("."):
            log.debug("llama.cpp", line=line, severity=_LOG_LEVELS[level])
            if _LOG_LEVELS[level] == "error":
                complaints.append(line)

    # The callback belongs to the library, which outlives every backend: so must this reference.
    api.kept_log_callback = api.llama_log_callback(write)
    api.llama_log_set(api.kept_log_callback, None)
    return complaints


class LlamaModel:
    """Weights and vocabulary. See LoadedModel."""

    def __init__(
        self, api: Any, weights: Any, device: str, gpu_layers: int = 0, notice: Reason | None = None
    ) -> None:
        self._api = api
        self._weights = weights
        self._vocab = api.llama_model_get_vocab(weights)
        # The same few thousand tokens come again and again, and each look into the library costs
        # microseconds.
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

    def tokenize(self, text: str, origin: TextOrigin, at_start: bool) -> list[int]:
        if origin is not TextOrigin.FOREIGN:
            return self._continued(text, origin is TextOrigin.TEMPLATE, at_start)
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
        # A token stands for one byte at least; some vocabularies add one at either end.
        capacity = len(raw) + 8
        tokens = (ctypes.c_int32 * capacity)()
        count = self._api.llama_tokenize(self._vocab, raw, len(raw), tokens, capacity, False, special)
        if count < 0:
            raise InferenceError(f"tokenization of {len(raw)} bytes needs {-count} tokens")
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

    @property
    def logits_share(self) -> float:
        weights = self.vocabulary_size * self._api.llama_model_n_embd(self._weights)
        return float(min(weights / max(self._api.llama_model_n_params(self._weights), 1), 1))

    def new_context(self, shape: ContextShape) -> LlamaContext:
        return LlamaContext(self._api, self._weights, self._vocab, shape)

    def close(self) -> None:
        self._api.llama_model_free(self._weights)
        self._weights = None
        self._pieces.clear()


class LlamaContext:
    """A KV cache with several sequences. See Context."""

    def __init__(self, api: Any, weights: Any, vocab: Any, shape: ContextShape) -> None:
        self.api = api
        self.vocab = vocab
        self._batch_tokens = shape.batch_tokens
        self._threads = (shape.threads, shape.batch_threads)
        self.handle = api.llama_init_from_model(weights, _context_params(api, shape))
        if not self.handle:
            raise InferenceError(f"no memory for a context of {shape.cells} tokens")
        self._memory = api.llama_get_memory(self.handle)
        self._batch = api.llama_batch_init(shape.batch_tokens, 0, 1)
        self.interrupt = Flag()
        # Asked at every node of the graph, so no Python may run in it; see decision 2.
        callback = ctypes.cast(_c_library().strlen, api.ggml_abort_callback)
        api.llama_set_abort_callback(self.handle, callback, self.interrupt.address)

    def decode(self, tokens: Sequence[int], position: int, sequence: int, every_row: bool = False) -> Decoded:
        batch, count = self._batch, len(tokens)
        assert 0 < count <= self._batch_tokens
        batch.n_tokens = count
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = sequence
            batch.logits[index] = every_row
        # Mostly of the last one alone: a row of logits has a number for every token of the vocabulary.
        batch.logits[count - 1] = 1
        if not every_row:
            return _decoded(self.api.llama_decode(self.handle, batch))
        # A few tokens are a step of an answer, no prompt: llama.cpp would take the threads of prompts, which
        # on a busy computer wait for each other longer than they compute.
        self.api.llama_set_n_threads(self.handle, self._threads[0], self._threads[0])
        try:
            return _decoded(self.api.llama_decode(self.handle, batch))
        finally:
            self.api.llama_set_n_threads(self.handle, *self._threads)

    def sampler(self, sampling: Sampling, grammar: str | None) -> LlamaSampler:
        return LlamaSampler(self, sampling, grammar)

    @functools.cached_property
    def candidates(self) -> Candidates:
        return Candidates(self.api, self.api.llama_vocab_n_tokens(self.vocab))

    def logits(self, tokens: Sequence[int]) -> list[float]:
        row = self.api.llama_get_logits_ith(self.handle, -1)
        return [float(row[token]) for token in tokens]

    def likelihood(self, token: int, row: int) -> float:
        likely = self.candidates.likelihood(self.api.llama_get_logits_ith(self.handle, row), token)
        return math.log(likely) if likely > 0 else LEAST_LIKELIHOOD

    def cut(self, sequence: int, position: int) -> bool:
        if self.api.llama_memory_seq_rm(self._memory, sequence, position, -1):
            return True
        self.api.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return False

    def copy(self, source: int, target: int, end: int) -> bool:
        if self.api.llama_memory_seq_pos_min(self._memory, source) != 0:
            return False  # a recurrent state is one for the whole sequence: it has no first part
        self.api.llama_memory_seq_cp(self._memory, source, target, 0, end)
        return True

    def save(self, sequence: int) -> bytes:
        size = self.api.llama_state_seq_get_size(self.handle, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = self.api.llama_state_seq_get_data(self.handle, buffer, size, sequence)
        return memoryview(buffer)[:written].tobytes()

    def restore(self, sequence: int, state: bytes) -> bool:
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        read = self.api.llama_state_seq_set_data(self.handle, buffer, len(state), sequence)
        if read != len(state):
            self.api.llama_memory_seq_rm(self._memory, sequence, -1, -1)
            return False
        return True

    def set_threads(self, threads: int, batch_threads: int) -> None:
        self._threads = (threads, batch_threads)
        self.api.llama_set_n_threads(self.handle, threads, batch_threads)

    def close(self) -> None:
        self.api.llama_batch_free(self._batch)
        self.api.llama_free(self.handle)
        self.handle = None


def _context_params(api: Any, shape: ContextShape) -> Any:
    params = api.llama_context_default_params()
    params.n_ctx = shape.cells
    params.n_batch = params.n_ubatch = shape.batch_tokens
    params.n_seq_max = shape.sequences
    params.n_threads = shape.threads
    params.n_threads_batch = shape.batch_threads
    # One cache for all sequences: a long conversation may use what the others leave.
    params.kv_unified = True
    return params


def _decoded(code: int) -> Decoded:
    if code == 0:
        return Decoded.DONE
    if code == _NO_SLOT:
        return Decoded.NO_SLOT
    if code == _ABORTED:
        return Decoded.INTERRUPTED
    raise InferenceError(f"llama_decode failed with code {code}")


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


def _c_library() -> Any:
    return ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)


class LlamaSampler:
    """A sampler chain of llama.cpp, and a grammar before it. See Sampler.

    A grammar that looks at every token of the vocabulary takes half as long as computing the token: 75 ms for
    152,000. So it is asked about the likeliest alone. Where as many of them are allowed as the chain would
    keep of all, what it chooses is the same.
    """

    def __init__(self, context: LlamaContext, sampling: Sampling, grammar: str | None) -> None:
        """It works on the logits of `context`. Raises ValueError for a grammar that cannot be read."""
        self._api = api = context.api
        self._context = context
        self._chain = api.llama_sampler_chain_init(api.llama_sampler_chain_default_params())
        for stage in _stages(api, context.vocab, sampling):
            api.llama_sampler_chain_add(self._chain, stage)
        self._grammar = None
        if grammar is not None:
            self._grammar = api.llama_sampler_init_grammar(context.vocab, grammar.encode(), b"root")
            if not self._grammar:
                self.close()
                raise ValueError("the grammar could not be read")
            self._takes_likeliest = sampling.temperature <= 0 and sampling.repeat_penalty == 1.0
            self._kept = _kept(sampling)
            self._candidates = context.candidates

    def sample(self, row: int = -1) -> int:
        if self._grammar is None:
            return int(self._api.llama_sampler_sample(self._chain, self._context.handle, row))
        token = self._allowed(row)
        self._api.llama_sampler_accept(self._grammar, token)
        self._api.llama_sampler_accept(self._chain, token)
        return token

    def _allowed(self, row: int) -> int:
        if self._takes_likeliest:
            # Mostly the likeliest of all is allowed, and found most quickly. This chain remembers nothing.
            token = int(self._api.llama_sampler_sample(self._chain, self._context.handle, row))
            if self._allowed_of(self._candidates.one(token)):
                return token
        logits = self._api.llama_get_logits_ith(self._context.handle, row)
        candidates = self._candidates.likeliest(logits, LIKELIEST + self._kept) if self._kept else None
        if candidates is None or self._allowed_of(candidates) < self._kept:
            candidates = self._candidates.all(logits)
            self._api.llama_sampler_apply(self._grammar, ctypes.byref(candidates))
        candidates.sorted = False  # those that are not allowed are now the least likely
        self._api.llama_sampler_apply(self._chain, ctypes.byref(candidates))
        return int(candidates.data[candidates.selected].id)

    def _allowed_of(self, candidates: Any) -> int:
        """How many of them the grammar allows next; it makes the others impossible."""
        self._api.llama_sampler_apply(self._grammar, ctypes.byref(candidates))
        return sum(candidates.data[at].logit > -math.inf for at in range(candidates.size))

    def close(self) -> None:
        for sampler in (self._chain, self._grammar):
            if sampler:
                self._api.llama_sampler_free(sampler)
        self._chain = self._grammar = None


class Candidates:
    """Tokens with their logits, as samplers want them: one array for all rows and answers."""

    def __init__(self, api: Any, vocabulary_size: int) -> None:
        self._api = api
        self._size = vocabulary_size
        # A token has three numbers of four bytes each: itself, its logit, and what samplers make of that.
        self._fresh = (api.llama_token_data * vocabulary_size)()
        memoryview(self._fresh).cast("B").cast("i")[::3] = memoryview(array("i", range(vocabulary_size)))
        self._data = (api.llama_token_data * vocabulary_size)()
        numbers = memoryview(self._data).cast("B").cast("f")
        self._logits, self._likelihoods = numbers[1::3], numbers[2::3]

    def all(self, logits: Any) -> Any:
        """In the order of the vocabulary; what was handed out before is no longer valid."""
        ctypes.memmove(self._data, self._fresh, ctypes.sizeof(self._data))
        row = (ctypes.c_float * self._size).from_address(ctypes.addressof(logits.contents))
        self._logits[:] = memoryview(row).cast("B").cast("f")
        return self._array(self._data, self._size)

    def likeliest(self, logits: Any, count: int) -> Any:
        """The first so many, likeliest first."""
        candidates = self.all(logits)
        top = self._api.llama_sampler_init_top_k(count)
        self._api.llama_sampler_apply(top, ctypes.byref(candidates))
        self._api.llama_sampler_free(top)
        return candidates

    def likelihood(self, logits: Any, token: int) -> float:
        """How likely it is among all; 0 where that is too little to be told."""
        candidates = self.all(logits)
        # What draws by lot first makes likelihoods of the logits. Which it draws does not matter.
        lot = self._api.llama_sampler_init_dist(0)
        self._api.llama_sampler_apply(lot, ctypes.byref(candidates))
        self._api.llama_sampler_free(lot)
        return float(self._likelihoods[token] / sum(self._likelihoods))

    def one(self, token: int) -> Any:
        """Just this token."""
        return self._array((self._api.llama_token_data * 1)((token, 0.0, 0.0)), 1)

    def _array(self, data: Any, size: int) -> Any:
        # The pointer keeps what it points to alive.
        return self._api.llama_token_data_array(
            ctypes.cast(data, self._api.llama_token_data_p), size, -1, False
        )


ANY_SEED = 0xFFFFFFFF  # llama.cpp takes another one each time instead of this


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
    seed = int.from_bytes(os.urandom(4), "little") if sampling.seed is None else sampling.seed
    dist = api.llama_sampler_init_dist(seed % ANY_SEED)
    return [*stages, api.llama_sampler_init_temp(sampling.temperature), dist]


def _kept(sampling: Sampling) -> int:
    """How many tokens the filters leave at most; 0 for all."""
    keep = 1 if sampling.temperature <= 0 else sampling.top_k
    return keep + (PENALTY_WINDOW if sampling.repeat_penalty != 1.0 else 0) if keep > 0 else 0


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
