"""llama.cpp behind the engine's protocol: its C functions, called through ctypes.

Only the owner thread calls in here. `llama_cpp` is imported when the first model loads,
and without its package's `__init__`, which would bring numpy, Jinja and a disk cache: 27 MB and 0.4 s
instead of 9 MB and 0.04 s.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from desktop.engine.backend import BackendError, LoadCancelled
from desktop.engine.llama_model import LlamaModel
from desktop.models.gguf import read_facts

if TYPE_CHECKING:
    import llama_cpp  # noqa: F401  # what _import_api loads, for tools that read imports

log = structlog.get_logger(__name__)

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

    @property
    def has_gpu(self) -> bool:
        api = self._library()
        return bool(api.llama_supports_gpu_offload()) and _gpu_name(api) != "cpu"

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> LlamaModel:
        """See Backend.load. Raises UserFacing for a file that is refused before llama.cpp sees it.

        When the GPU refuses, the processor takes over and `notice` says so.
        """
        read_facts(path)  # it may have changed since it was installed
        api = self._library()
        if gpu_layers == 0 or not self.has_gpu:
            return LlamaModel(api, _load_weights(api, path, 0, progress), device="cpu")
        try:
            weights = _load_weights(api, path, gpu_layers, progress)
            return LlamaModel(api, weights, device=_gpu_name(api), gpu_layers=gpu_layers)
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


def _load_weights(api: Any, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> Any:
    cancelled = False

    def report(fraction: float, _data: object) -> bool:
        nonlocal cancelled
        cancelled = not progress(fraction)
        return not cancelled

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
