"""Which of llama.cpp's back ends there are, and loading those that the start chooses among.

A portable build carries one library for each kind of processor. A back end for graphics cards is one more, in
a folder of its own or in an add-on; where it finds no card, the processor computes. It is loaded only where
there is a driver: with CUDA's libraries it takes 150 MB of memory, and Vulkan's is linked with the loader of
drivers. Only the owner thread of the engine loads; reading names is for any thread.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from desktop.engine.reasons import EngineReason
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

LIBRARIES = ("*ggml-*.so", "*ggml-*.dll", "*ggml-*.dylib")
_GPU_KINDS = (1, 2)  # ggml_backend_dev_type: a GPU with its own memory, one that shares the main memory
_FAILED = re.compile(r"^ggml_\w+_init: failed to initialize \w+: (.+)")


@dataclass(frozen=True)
class GpuBackend:
    """What computes on graphics cards. `driver` says what kind of driver it needs, `driver_libraries` by
    which library that is known, for each system."""

    title: str
    driver: str = ""
    driver_libraries: Mapping[str, str] = field(default_factory=dict)


# By ggml's word, which names its folder below that of llama.cpp's libraries too. The one for a single vendor
# comes first: on such cards it is the faster one.
GPU_BACKENDS = {
    "cuda": GpuBackend("CUDA", "NVIDIA", {"linux": "libcuda.so.1", "win32": "nvcuda.dll"}),
    "vulkan": GpuBackend("Vulkan", "Vulkan", {"linux": "libvulkan.so.1", "win32": "vulkan-1.dll"}),
    "metal": GpuBackend("Metal"),
}


@dataclass(frozen=True)
class LoadedBackends:
    """What was loaded. `gpu` is the word of the card's back end, "" for none; `unused` says why
    the back end that is there cannot be used, None where there is none or it works."""

    gpu: str = ""
    unused: Reason | None = None


def carried(folder: Path) -> frozenset[str]:
    """From names of files: libggml-cuda.so is cuda, libggml-cpu-haswell.so is cpu. Loads nothing."""
    folders = (folder, *(folder / word for word in GPU_BACKENDS))
    files = [path for place in folders for pattern in LIBRARIES for path in place.glob(pattern)]
    return frozenset({word_of(path) for path in files} - {"base"})


def word_of(library: Path) -> str:
    """The word of a back end by its file."""
    return library.name.partition("ggml-")[2].partition(".")[0].partition("-")[0]


def load_for_processors(api: Any) -> None:
    """Load what lies beside llama.cpp, but for what computes on cards, once for each `api`."""
    if not hasattr(api, "cpu_backends_loaded"):
        _load_chosen(api, library_folder(Path(api.__file__).parent))
        api.cpu_backends_loaded = True


def load_for_gpus(api: Any, added: Sequence[Path], complaints: Iterable[str]) -> LoadedBackends:
    """Load what computes on cards, and the libraries of add-ons, once for each `api`; this starts a driver.
    `complaints` are the errors that llama.cpp has logged; they are read afterwards."""
    folder = library_folder(Path(api.__file__).parent)
    if not hasattr(api, "gpu_backends_loaded"):
        own = [file for word in GPU_BACKENDS for file in folder.glob(f"{word}/*ggml-{word}.*")]
        # What was added came later, and is tried with what the program carries in the same order of kinds.
        _load_first_of_use(api, sorted((*added, *own), key=_rank))
        api.gpu_backends_loaded = True  # loading them again would list every card twice
    words = carried(folder).union(word_of(library) for library in added)
    there = [word for word in GPU_BACKENDS if word in words]
    gpu = _gpu_name(api)
    if gpu or not there:
        return LoadedBackends(gpu)
    unused = why_unused(there[0], tuple(complaints), has_driver(there[0]))
    log.info("no graphics card is used", back_ends=there, reason=str(unused))
    return LoadedBackends("", unused)


def why_unused(word: str, complaints: Sequence[str], driver: bool) -> Reason:
    """`word` is the back end that is there, `driver` whether it has what it needs."""
    title, kind = GPU_BACKENDS[word].title, GPU_BACKENDS[word].driver
    if not driver:
        return EngineReason.NO_DRIVER.of(title=title, kind=kind)
    stated = [found[1] for line in complaints if (found := _FAILED.match(line))]
    reason = next(iter(stated), None) or EngineReason.NO_CARD_FOUND.of()
    return EngineReason.NOT_STARTED.of(title=title, reason=reason)


def has_driver(word: str) -> bool:
    """Whether what this back end needs is installed: its library can be loaded. True for one that needs
    nothing."""
    kind = GPU_BACKENDS.get(word)
    if kind is None or not kind.driver:
        return True
    name = kind.driver_libraries.get(sys.platform)
    if name is None:
        return False
    try:
        # Loading it is the one question that needs no tool of the card's maker.
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def installed_words(added: Iterable[Path]) -> frozenset[str]:
    """The words of those beside llama.cpp and of the libraries of add-ons. Loads nothing."""
    found = importlib.util.find_spec("llama_cpp")
    packages = found.submodule_search_locations if found is not None else None
    folders = [library_folder(Path(package)) for package in packages or ()]
    return frozenset().union(*map(carried, folders), map(word_of, added))


def library_folder(package: Path) -> Path:
    """Where llama.cpp's libraries lie, by the folder of its package."""
    override = os.environ.get("LLAMA_CPP_LIB_PATH")
    return Path(override) if override else package / "lib"


def device_word(name: str) -> str:
    """The word for a ggml device name: "CUDA0" is "cuda", "MTL0" and "Metal" are "metal"."""
    word = name.rstrip("0123456789").lower()
    return {"mtl": "metal"}.get(word, word)


def _load_chosen(api: Any, folder: Path) -> None:
    """Of the libraries for processors the best that runs here; all others that lie beside them."""
    variants = [file for file in folder.glob("*ggml-cpu-*") if file.suffix in (".so", ".dylib", ".dll")]
    load_all = _function(api, "ggml_backend_load_all_from_path")
    if variants and load_all is not None:
        load_all.argtypes, load_all.restype = [ctypes.c_char_p], None
        load_all(os.fsencode(folder))


def _load_first_of_use(api: Any, libraries: Sequence[Path]) -> None:
    """Up to the first that finds a card: another would list the same card once more."""
    load = _function(api, "ggml_backend_load")
    if load is None:
        return
    load.argtypes, load.restype = [ctypes.c_char_p], ctypes.c_void_p
    for library in libraries:
        if _gpu_name(api):
            return
        if has_driver(word_of(library)) and not load(os.fsencode(library)):
            log.warning("a back end could not be loaded", library=str(library))


def _rank(library: Path) -> int:
    """The place of its kind in GPU_BACKENDS."""
    words = [*GPU_BACKENDS]
    return words.index(word_of(library)) if word_of(library) in words else len(words)


def _gpu_name(api: Any) -> str:
    """What kind of GPU was found: "cuda", "metal", "vulkan"; ggml's own word for another; "" for none."""
    count = _function(api, "ggml_backend_dev_count")
    get = _function(api, "ggml_backend_dev_get")
    kind = _function(api, "ggml_backend_dev_type")
    name = _function(api, "ggml_backend_dev_name")
    if None in (count, get, kind, name):
        return "gpu" if api.llama_supports_gpu_offload() else ""
    count.argtypes, count.restype = [], ctypes.c_size_t
    get.argtypes, get.restype = [ctypes.c_size_t], ctypes.c_void_p
    kind.argtypes, kind.restype = [ctypes.c_void_p], ctypes.c_int
    name.argtypes, name.restype = [ctypes.c_void_p], ctypes.c_char_p
    devices = [get(index) for index in range(count())]
    gpus = [name(device).decode() for device in devices if kind(device) in _GPU_KINDS]
    return device_word(gpus[0]) if gpus else ""


def _function(api: Any, name: str) -> Any:
    """A function of ggml that llama-cpp-python does not declare, or None.

    Names with a number come first, by which llama.cpp asks for them: in a wheel the others are copies, and
    what is loaded into a copy it does not see. Prebuilt libraries carry llama.cpp's release in theirs.
    """
    folder = library_folder(Path(api.__file__).parent)
    for stem in ("ggml", "ggml-base"):
        released = sorted(path.name for path in folder.glob(f"lib{stem}.v[0-9]*.so"))
        names = (f"lib{stem}.so.0", f"lib{stem}.0.dylib", *released, f"lib{stem}.so", f"lib{stem}.dylib")
        for name_of_file in (*names, f"{stem}.dll", f"lib{stem}.dll"):
            path = folder / name_of_file
            function = getattr(ctypes.CDLL(str(path)), name, None) if path.exists() else None
            if function is not None:
                return function
    return None
