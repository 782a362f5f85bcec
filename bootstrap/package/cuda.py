"""What lets llama.cpp compute on NVIDIA's cards: its CUDA back end, compiled alone, and CUDA's libraries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from bootstrap.locks import pinned
from bootstrap.package import back_end
from bootstrap.package.back_end import need_build_tools
from bootstrap.package.components import Component, of_distribution
from bootstrap.package.contents import CUDA_LIBRARIES
from bootstrap.programs import ROOT, Stop, pip, python_with_pip, step

CUDA_LOCK = ROOT / "requirements" / "cuda.lock"  # CUDA's libraries, as NVIDIA publishes them for programs
USUAL_ARCHITECTURES = "75;80;86;89;90;120"


@dataclass(frozen=True)
class Choice:
    """For which cards, and with the kernels of flash attention, half of the compile."""

    architectures: str
    flash_attention: bool

    @classmethod
    def wanted(cls) -> Choice:
        """STEWARD_CUDA_ARCHITECTURES=90 and STEWARD_CUDA_FA=OFF make a quick build, to try."""
        words = os.environ.get("STEWARD_CUDA_ARCHITECTURES", USUAL_ARCHITECTURES)
        return cls(words, os.environ.get("STEWARD_CUDA_FA", "ON") != "OFF")

    @property
    def options(self) -> tuple[str, ...]:
        """CMake's. Without the driver's calls for virtual memory the library can be loaded, and say what is
        missing, where there is no driver."""
        return back_end.options(
            ("GGML_CUDA", "GGML_CUDA_NO_VMM"),
            ("GGML_CUDA_NCCL",),
            f"-DGGML_CUDA_FA={'ON' if self.flash_attention else 'OFF'}",
            f"-DCMAKE_CUDA_ARCHITECTURES={self.architectures}",
        )


@dataclass(frozen=True)
class Made(back_end.Made):
    """The back end, and the unpacked packages of CUDA_LOCK beside it."""

    word = "cuda"

    @property
    def runtime(self) -> Path:
        return self.folder / "runtime"

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The back end, and the libraries of CUDA that it needs."""
        theirs = (path for pattern in CUDA_LIBRARIES for path in self.runtime.glob(f"nvidia/*/lib/{pattern}"))
        return (self.library, *sorted(theirs))

    @property
    def components(self) -> tuple[Component, ...]:
        """NVIDIA's work, and llama.cpp's."""
        theirs = [of_distribution(each) for each in distributions(path=[str(self.runtime)])]
        return tuple(sorted((*theirs, *super().components), key=lambda one: one.name))


def build(choice: Choice | None = None) -> Made:
    """From the cache, else compiled now; objects of a build that was broken off are used again."""
    wanted = choice or Choice.wanted()
    made = Made(place_of(wanted))
    if not made.library.exists():
        toolkit = toolkit_folder()
        fetch_runtime(made.runtime)
        nvidia = next(made.runtime.glob("nvidia/*/include")).parent
        folders = (f"-DCMAKE_LIBRARY_PATH={nvidia / 'lib'}", f"-DCUDAToolkit_ROOT={toolkit}")
        nvcc, headers = str(toolkit / "bin" / "nvcc"), str(nvidia / "include")
        back_end.compile_library(made, (*wanted.options, *folders), CUDACXX=nvcc, CPATH=headers)
    return made


def place_of(choice: Choice) -> Path:
    """Its folder in the cache."""
    return back_end.place_of("cuda", CUDA_LOCK.read_text(), *choice.options)


def toolkit_folder() -> Path:
    """Where nvcc and its headers lie. Raises Stop without one of CUDA_LOCK's generation."""
    need_build_tools()
    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc")
    if nvcc is None:
        raise Stop("nvcc is missing. Install NVIDIA's CUDA Toolkit, then start again.", 3)
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    need_generation(told)
    dry = subprocess.run([nvcc, "--dryrun", "x.cu"], capture_output=True, text=True, check=False)
    top = re.search(r"^#\$ TOP=(\S+)", dry.stderr, re.MULTILINE)
    return Path(top[1]).resolve() if top else Path(nvcc).resolve().parents[1]


def need_generation(told: str) -> None:
    """`told` is what `nvcc --version` prints. Raises Stop where it is not that of the runtime libraries."""
    version = re.search(r"release (\d+)\.", told)
    wanted = pinned(CUDA_LOCK, "nvidia-cuda-runtime").partition(".")[0]
    if version is None or version[1] != wanted:
        raise Stop(f"nvcc is not of CUDA {wanted}, which {CUDA_LOCK.name} has the libraries of.", 3)


def fetch_runtime(folder: Path) -> None:
    """CUDA's libraries and headers, with hashes; the plain names are for the linker."""
    if not folder.exists():
        draft = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        words: list[str | Path] = ["--no-deps", "--require-hashes", "--target", draft, "-r", CUDA_LOCK]
        step("Fetching the libraries of CUDA", pip(python_with_pip(), "install", *words))
        for library in draft.glob("nvidia/*/lib/lib*.so.*"):
            library.with_name(f"{library.name.partition('.so.')[0]}.so").symlink_to(library.name)
        draft.rename(folder)
