"""A back end of llama.cpp for graphics cards, compiled alone.

It is one library, from the same source package as the llama.cpp of the bundle, and fits beside its back ends
for processors; the rest of the bundle is that of the kind cpu. What each kind needs is in cuda.py and
vulkan.py; addon.py packs it for a Steward that is installed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bootstrap.llama import FROM_SOURCE, LLAMA_LOCK, build_tools
from bootstrap.locks import pinned
from bootstrap.package.components import Component
from bootstrap.programs import WINDOWS, Stop, cache_folder, pip, python_with_pip, step

# Of the source all but the back end and ggml-base, which it is linked with, is left out.
TAKEN = ("BUILD_SHARED_LIBS", "GGML_BACKEND_DL")
LEFT_OUT = (
    *("LLAMA_BUILD_COMMON", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_EXAMPLES"),
    *("LLAMA_BUILD_SERVER", "LLAMA_CURL", "GGML_CPU", "GGML_NATIVE"),
)


@dataclass(frozen=True)
class Made:
    """What a build leaves in its folder of the cache."""

    folder: Path
    word: ClassVar[str]  # ggml's: cuda, vulkan

    @property
    def library(self) -> Path:
        """The back end."""
        return self.folder / (f"ggml-{self.word}.dll" if WINDOWS else f"libggml-{self.word}.so")

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The back end first, then what goes along with it."""
        return (self.library,)

    @property
    def components(self) -> tuple[Component, ...]:
        """Whose work the libraries are, by name."""
        text = next(self.folder.glob("llama_cpp_python-*/vendor/llama.cpp/LICENSE"))
        version = f"llama-cpp-python-{llama_version()}"
        return (Component("generic", "llama.cpp", version, "MIT", (text,)),)

    def lay_into(self, libraries: Path) -> None:
        """Into the folder beside the back ends for processors, `libraries`, from which
        desktop/engine/ggml_backends.py loads them."""
        folder = libraries / self.word
        folder.mkdir()
        for library in self.libraries:
            shutil.copyfile(library, folder / library.name)
            (folder / library.name).chmod(0o755)


def options(taken: Sequence[str], left_out: Sequence[str] = (), *special: str) -> tuple[str, ...]:
    """CMake's, for a library that is tuned to no computer."""
    return (
        "-DCMAKE_BUILD_TYPE=Release",
        *(f"-D{name}=ON" for name in (*TAKEN, *taken)),
        *(f"-D{name}=OFF" for name in (*LEFT_OUT, *left_out)),
        *special,
        "-DCMAKE_INSTALL_RPATH=$ORIGIN",
        "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
    )


def place_of(word: str, *parts: str) -> Path:
    """STEWARD_CUDA_FOLDER, or named after llama-cpp-python's version and all that shapes the library."""
    named = os.environ.get(f"STEWARD_{word.upper()}_FOLDER")
    if named:
        return Path(named).absolute()
    shape = "\0".join((LLAMA_LOCK.read_text(), *parts, platform.machine()))
    return cache_folder() / f"{word}-{llama_version()}-{hashlib.sha256(shape.encode()).hexdigest()[:12]}"


def llama_version() -> str:
    """Of llama-cpp-python, whose source package holds llama.cpp."""
    return pinned(LLAMA_LOCK, "llama-cpp-python")


def need_build_tools() -> None:
    """Raises Stop without them. On Windows they come with Visual Studio."""
    for tool in () if WINDOWS else ("cmake", "ninja", "strip"):
        if shutil.which(tool) is None:
            raise Stop(
                f"{tool} is missing. Install it with: sudo apt-get install cmake ninja-build binutils", 3
            )


def fetch_source(folder: Path) -> Path:
    """The source package of llama-cpp-python, unpacked in `folder`; returns the llama.cpp in it."""
    source = folder / f"llama_cpp_python-{llama_version()}"
    if not source.exists():
        draft = folder / "source.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        python = python_with_pip()
        command = [*pip(python, "download"), *FROM_SOURCE, "-d", draft, "-r", LLAMA_LOCK]
        with build_tools(python, without_cmake=True) as tools:
            step("Fetching the source of llama.cpp", command, (), SKBUILD_WHEEL_CMAKE="0", **tools)
        with tarfile.open(draft / f"{source.name}.tar.gz") as archive:
            archive.extractall(draft, filter="data")
        (draft / source.name).rename(source)
        shutil.rmtree(draft)
    return source / "vendor" / "llama.cpp"


def compile_library(made: Made, configuration: Sequence[str], **environment: str) -> None:
    """Only its target, at the lowest priority; its objects stay in the folder. `configuration` is CMake's."""
    source, out = fetch_source(made.folder), made.folder / "build"
    generator = [] if WINDOWS else ["-G", "Ninja"]  # there the usual one finds the compiler by itself
    configure: list[str | Path] = ["cmake", *generator, "-S", source, "-B", out, *configuration]
    step(f"Looking at what {made.word} needs", configure, (), **environment)
    jobs = os.environ.get(f"STEWARD_{made.word.upper()}_JOBS") or str(os.cpu_count() or 1)
    compiling: list[str | Path] = [] if WINDOWS else ["nice", "-n", "19"]
    compiling += ["cmake", "--build", out, "--config", "Release", "--target", f"ggml-{made.word}"]
    step(f"Compiling the back end {made.word}", [*compiling, "-j", jobs], (), **environment)
    draft = made.folder / f"{made.library.name}.new"
    shutil.copyfile(next(out.glob(f"bin/**/{made.library.name}")), draft)
    if not WINDOWS:
        step("Taking out the names for debuggers", ["strip", "--strip-unneeded", draft])
    draft.rename(made.library)
