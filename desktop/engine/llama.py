"""llama.cpp behind the engine's protocol: its C functions, called through ctypes.

Only the owner thread calls in here. `llama_cpp` is imported when the first model loads,
and without its package's `__init__`, which would bring numpy, Jinja and a disk cache: 27 MB and 0.4 s
instead of 9 MB and 0.04 s.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from desktop.engine.addons import AddOns
from desktop.engine.back_ends import (
    CARD_BACK_ENDS,
    BackEnds,
    installed_words,
    load_for_cards,
    load_for_processors,
)
from desktop.engine.backend import BackendError, LoadCancelled
from desktop.engine.llama_model import LlamaModel
from desktop.engine.memory import return_large_blocks
from desktop.engine.trial import Trial
from desktop.models.gguf import read_facts

if TYPE_CHECKING:
    import llama_cpp  # noqa: F401  # what _import_api loads, for tools that read imports

log = structlog.get_logger(__name__)

_KEPT_COMPLAINTS = 20
_LOG_LEVELS = {2: "info", 3: "warning", 4: "error"}  # ggml_log_level; its debug is a line for every tensor


class LlamaBackend:
    """Loads GGUF files. Making one costs nothing; the library is loaded with the first model."""

    def __init__(self, trial: Trial | None = None) -> None:
        """`trial` looks at files before they are loaded here; None: every file is taken."""
        self._trial = trial
        self._api: Any = None
        self._complaints: Iterable[str] = ()
        self._back_ends: BackEnds | None = None

    @property
    def build(self) -> str:
        api = self._library()
        return f"llama.cpp {api.llama_version().decode()} {api.llama_print_system_info().decode()}"

    @property
    def has_gpu(self) -> bool:
        return self._cards().gpu != ""

    @property
    def has_card_back_end(self) -> bool:
        return bool(installed_words(AddOns.here().libraries()) & CARD_BACK_ENDS.keys())

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> LlamaModel:
        """See Backend.load. Raises UserFacing for a file that is refused before llama.cpp sees it.

        When the GPU refuses, the processor takes over and `notice` says so.
        """
        read_facts(path)  # it may have changed since it was installed
        if self._trial is not None:
            self._trial.check(path)
        api = self._library()
        if gpu_layers == 0 or not self.has_gpu:
            unused = self._cards().unused if gpu_layers != 0 else ""
            return LlamaModel(api, _load_weights(api, path, 0, progress), device="cpu", notice=unused)
        try:
            weights = _load_weights(api, path, gpu_layers, progress)
            return LlamaModel(api, weights, device=self._cards().gpu, gpu_layers=gpu_layers)
        except BackendError as error:
            log.warning("GPU refused the model", reason=str(error))
            weights = _load_weights(api, path, 0, progress)
            notice = "The graphics card could not take the model, so the processor computes instead."
            return LlamaModel(api, weights, device="cpu", notice=notice)

    def _library(self) -> Any:
        if self._api is None:
            return_large_blocks()
            self._api = _import_api()
            self._complaints = _send_log_lines_to_structlog(self._api)
            load_for_processors(self._api)
            self._api.llama_backend_init()
        return self._api

    def _cards(self) -> BackEnds:
        """Only asked where a card may take part: its driver is started by it."""
        api = self._library()
        if self._back_ends is None:
            self._back_ends = load_for_cards(api, AddOns.here().libraries(), self._complaints)
        return self._back_ends


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


def _send_log_lines_to_structlog(api: Any) -> Iterable[str]:
    """llama.cpp writes to standard error by default, which belongs to the program. Returns its latest errors,
    which go on coming."""
    complaints: deque[str] = deque(maxlen=_KEPT_COMPLAINTS)

    def write(level: int, text: bytes, _data: object) -> None:
        line = text.decode("utf-8", "replace").strip()
        if level in _LOG_LEVELS and line.strip("."):
            log.debug("llama.cpp", line=line, severity=_LOG_LEVELS[level])
            if _LOG_LEVELS[level] == "error":
                complaints.append(line)

    # The callback belongs to the library, which outlives every backend: so must this reference.
    api.kept_log_callback = api.llama_log_callback(write)
    api.llama_log_set(api.kept_log_callback, None)
    return complaints
