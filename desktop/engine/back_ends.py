"""Which of llama.cpp's back ends there are, and loading those that the start chooses among.

A portable build carries one library for each kind of processor. A back end for graphics cards is one more,
beside them or in an add-on; where it finds no card, the processor computes. CUDA's has a folder of its own:
with its libraries it takes 150 MB of memory once it is loaded, so it is not where there is no driver.
Only the owner thread of the engine loads; reading names is for any thread.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

log = structlog.get_logger(__name__)

LIBRARIES = ("*ggml-*.so", "*ggml-*.dll", "*ggml-*.dylib")
CUDA_FOLDER = "cuda"  # below the folder of llama.cpp's libraries, in a bundle of the kind cuda
TITLES = {"cuda": "CUDA", "vulkan": "Vulkan", "metal": "Metal"}  # what computes on graphics cards
_GPU_KINDS = (1, 2)  # ggml_backend_dev_type: a GPU with its own memory, one that shares the main memory
_DRIVERS = {"linux": "libcuda.so.1", "win32": "nvcuda.dll"}  # NVIDIA's, which CUDA needs
_FAILED = "failed to initialize "  # ggml_cuda_init: failed to initialize CUDA: (reason)


@dataclass(frozen=True)
class BackEnds:
    """What was loaded. `gpu` is the word of the card's back end, "" for none; `unused` says in one sentence
    why the back end that is there cannot be used, "" where there is none or it works."""

    gpu: str = ""
    unused: str = ""


def carried(folder: Path) -> frozenset[str]:
    """From names of files: libggml-cuda.so is cuda, libggml-cpu-haswell.so is cpu. Loads nothing."""
    folders = (folder, folder / CUDA_FOLDER)
    names = [path.name for place in folders for pattern in LIBRARIES for path in place.glob(pattern)]
    words = {name.partition("ggml-")[2].partition(".")[0].partition("-")[0] for name in names}
    return frozenset(words - {"base"})


def load_back_ends(api: Any, added: Sequence[Path], complaints: Iterable[str]) -> BackEnds:
    """Load what lies beside llama.cpp and the libraries of add-ons, once for each `api`. `complaints` are the
    errors that llama.cpp has logged; they are read afterwards."""
    folder = library_folder(api)
    optional = (*folder.glob(f"{CUDA_FOLDER}/*ggml-cuda.*"), *added)
    if not hasattr(api, "kept_back_ends"):
        _load_chosen(api, folder)
        _load_added(api, [library for library in optional if "cuda" not in library.name or has_driver()])
        api.kept_back_ends = True  # loading them again would list every card twice
    there = carried(folder).union(*(carried(library.parent) for library in added)) & TITLES.keys()
    gpu = _gpu_name(api)
    if gpu or not there:
        return BackEnds(gpu)
    unused = why_unused(sorted(there)[0], tuple(complaints), has_driver())
    log.info("no graphics card is used", back_ends=sorted(there), reason=unused)
    return BackEnds("", unused)


def why_unused(word: str, complaints: Sequence[str], driver: bool) -> str:
    """One sentence. `word` is the back end that is there, `driver` whether NVIDIA's answers."""
    title = TITLES[word]
    if word == "cuda" and not driver:
        return "CUDA is installed, but there is no NVIDIA driver, so the processor computes."
    reasons = [line.partition(_FAILED)[2].partition(": ")[2] for line in complaints if _FAILED in line]
    reason = next((reason for reason in reasons if reason), "it found no graphics card")
    return f"{title} is installed, but could not start ({reason}), so the processor computes."


def has_driver() -> bool:
    """Whether NVIDIA's driver is installed: its library can be loaded."""
    name = _DRIVERS.get(sys.platform)
    if name is None:
        return False
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def library_folder(api: Any) -> Path:
    override = os.environ.get("LLAMA_CPP_LIB_PATH")
    return Path(override) if override else Path(api.__file__).parent / "lib"


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


def _load_added(api: Any, libraries: Sequence[Path]) -> None:
    load = _function(api, "ggml_backend_load")
    if load is None:
        return
    load.argtypes, load.restype = [ctypes.c_char_p], ctypes.c_void_p
    for library in libraries:
        if not load(os.fsencode(library)):
            log.warning("a back end could not be loaded", library=str(library))


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
    """A function of ggml that llama-cpp-python does not declare, or None."""
    folder = library_folder(api)
    for stem in ("ggml", "ggml-base"):
        for file in (f"lib{stem}.so", f"lib{stem}.dylib", f"{stem}.dll", f"lib{stem}.dll"):
            path = folder / file
            function = getattr(ctypes.CDLL(str(path)), name, None) if path.exists() else None
            if function is not None:
                return function
    return None
