"""llama.cpp behind the engine's protocol: its C functions, called through ctypes.

Only the owner thread calls in here, except for `Flag`. `llama_cpp` is imported when the first model loads,
and without its package's `__init__`, which would bring numpy, Jinja and a disk cache: 27 MB and 0.4 s
instead of 9 MB and 0.04 s.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import os
import re
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from desktop.engine.backend import BackendError, ContextShape, Decoded, LoadCancelled, Voice
from desktop.engine.requests import Sampling

if TYPE_CHECKING:
    import llama_cpp  # noqa: F401  # what _import_api loads, for tools that read imports

log = structlog.get_logger(__name__)

PENALTY_WINDOW = 64  # tokens that the repeat penalty looks back, llama.cpp's default
_ABORTED = 2  # llama_decode: stopped by the abort callback
_NO_SLOT = 1  # llama_decode: no room in the KV cache
_SENTENCEPIECE = 1  # llama_vocab_type
_CONTROL, _USER_DEFINED = 8, 16  # llama_token_attr
_GPU_KINDS = (1, 2)  # ggml_backend_dev_type: a GPU with its own memory, one that shares the main memory
_LOG_LEVELS = {2: "info", 3: "warning", 4: "error"}  # ggml_log_level; its debug is a line for every tensor


class LlamaBackend:
    """Loads GGUF files. Making one costs nothing; the library is loaded with the first model."""

    def __init__(self) -> None:
        self._api: Any = None

    @property
    def build(self) -> str:
        api = self._library()
        return f"llama.cpp {api.llama_version().decode()} {api.llama_print_system_info().decode()}"

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> LlamaModel:
        """See Backend.load. When the GPU refuses, the processor takes over and `notice` says so."""
        api = self._library()
        if gpu_layers == 0 or not api.llama_supports_gpu_offload():
            return LlamaModel(api, _load_weights(api, path, 0, progress), device="cpu")
        try:
            return LlamaModel(api, _load_weights(api, path, gpu_layers, progress), device=_gpu_name(api))
        except BackendError as error:
            log.warning("GPU refused the model", reason=str(error))
            weights = _load_weights(api, path, 0, progress)
            notice = "The graphics card could not take the model, so the processor computes instead."
            return LlamaModel(api, weights, device="cpu", notice=notice)

    def _library(self) -> Any:
        if self._api is None:
            self._api = _import_api()
            _send_log_lines_to_structlog(self._api)
            _load_cpu_variants(self._api)
            self._api.llama_backend_init()
        return self._api


class LlamaModel:
    """Weights and vocabulary. See LoadedModel."""

    def __init__(self, api: Any, weights: Any, device: str, notice: str = "") -> None:
        self._api = api
        self._weights = weights
        self._vocab = api.llama_model_get_vocab(weights)
        self._pieces: dict[int, bytes] = {}
        self._adds_space = api.llama_vocab_type(self._vocab) == _SENTENCEPIECE
        self.device = device
        self.notice = notice
        self.gpu_layers = 0 if device == "cpu" else api.llama_model_n_layer(weights)

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

    def _spelled(self, attributes: int) -> tuple[str, ...]:
        attribute, text = self._api.llama_vocab_get_attr, self._api.llama_vocab_get_text
        tokens = [t for t in range(self.vocabulary_size) if attribute(self._vocab, t) & attributes]
        texts = (text(self._vocab, token).decode("utf-8", "replace") for token in tokens)
        return tuple(spelled for spelled in texts if spelled.strip())

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
            raise BackendError("the grammar could not be read")
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


def _load_weights(api: Any, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> Any:
    cancelled = False

    def report(fraction: float, _data: object) -> bool:
        nonlocal cancelled
        cancelled = not progress(fraction)
        return not cancelled

    callback = api.llama_progress_callback(report)
    params = api.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    params.progress_callback = callback
    weights = api.llama_model_load_from_file(os.fsencode(path), params)
    if cancelled:
        raise LoadCancelled
    if not weights:
        raise BackendError(f"llama.cpp could not load {path.name}")
    return weights


def _import_api() -> Any:
    """The ctypes declarations of llama-cpp-python, without its package's `__init__`."""
    if "llama_cpp" in sys.modules:
        return importlib.import_module("llama_cpp.llama_cpp")
    found = importlib.util.find_spec("llama_cpp")
    if found is None or found.submodule_search_locations is None:
        raise BackendError("llama-cpp-python is not installed")
    package = types.ModuleType("llama_cpp")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["llama_cpp"] = package
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    finally:
        del sys.modules["llama_cpp"]  # whoever imports it after us gets the whole package


def _send_log_lines_to_structlog(api: Any) -> None:
    """llama.cpp writes to standard error by default, which belongs to the program."""

    def write(level: int, text: bytes, _data: object) -> None:
        line = text.decode("utf-8", "replace").strip()
        if level in _LOG_LEVELS and line.strip("."):
            log.debug("llama.cpp", line=line, severity=_LOG_LEVELS[level])

    # The callback belongs to the library, which outlives every backend: so must this reference.
    api.kept_log_callback = api.llama_log_callback(write)
    api.llama_log_set(api.kept_log_callback, None)


def _library_folder(api: Any) -> Path:
    override = os.environ.get("LLAMA_CPP_LIB_PATH")
    return Path(override) if override else Path(api.__file__).parent / "lib"


def _ggml_function(api: Any, name: str) -> Any:
    """A function of ggml that llama-cpp-python does not declare, or None."""
    folder = _library_folder(api)
    for stem in ("ggml", "ggml-base"):
        for file in (f"lib{stem}.so", f"lib{stem}.dylib", f"{stem}.dll", f"lib{stem}.dll"):
            path = folder / file
            function = getattr(ctypes.CDLL(str(path)), name, None) if path.exists() else None
            if function is not None:
                return function
    return None


def _load_cpu_variants(api: Any) -> None:
    """Portable builds carry one library for each kind of processor and choose at run time."""
    folder = _library_folder(api)
    variants = [file for file in folder.glob("*ggml-cpu-*") if file.suffix in (".so", ".dylib", ".dll")]
    load_all = _ggml_function(api, "ggml_backend_load_all_from_path")
    if variants and load_all is not None:
        load_all.argtypes, load_all.restype = [ctypes.c_char_p], None
        load_all(os.fsencode(folder))


def _gpu_name(api: Any) -> str:
    """What kind of GPU the library found: "cuda", "metal", "vulkan"; its own word for another."""
    count = _ggml_function(api, "ggml_backend_dev_count")
    get = _ggml_function(api, "ggml_backend_dev_get")
    kind = _ggml_function(api, "ggml_backend_dev_type")
    name = _ggml_function(api, "ggml_backend_dev_name")
    if None in (count, get, kind, name):
        return "gpu"
    count.argtypes, count.restype = [], ctypes.c_size_t
    get.argtypes, get.restype = [ctypes.c_size_t], ctypes.c_void_p
    kind.argtypes, kind.restype = [ctypes.c_void_p], ctypes.c_int
    name.argtypes, name.restype = [ctypes.c_void_p], ctypes.c_char_p
    devices = [get(index) for index in range(count())]
    gpus = [name(device).decode() for device in devices if kind(device) in _GPU_KINDS]
    return device_word(gpus[0]) if gpus else "cpu"


def device_word(name: str) -> str:
    """The word for a ggml device name: "CUDA0" is "cuda", "MTL0" and "Metal" are "metal"."""
    word = name.rstrip("0123456789").lower()
    return {"mtl": "metal"}.get(word, word)


def _c_library() -> Any:
    return ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
