"""llama.cpp for this computer: compiled once from its pinned source package, then kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bootstrap.computer import need_compiler, processor
from bootstrap.locks import pinned, without
from bootstrap.programs import ROOT, cache_folder, pip, say, step

LLAMA_LOCK = ROOT / "requirements" / "llama.lock"
BUILD_LOCK = ROOT / "requirements" / "build.lock"
TOOLS = "Fetching what builds it"
FROM_SOURCE = ("--no-deps", "--require-hashes", "--no-build-isolation", "--no-binary", "llama-cpp-python")
CMAKE = frozenset({"cmake", "ninja"})
# llama.cpp ends the program on processors with AMX: its compiler leaves out most of what sets the tiles up
# (ggml-org/llama.cpp, issue 20824 and pull request 26954). Without the macro AVX-512 computes in its place.
# What of llama.cpp is compiled: not mtmd (pictures), and not what llama_targets.cmake leaves out.
FEWER_TARGETS = "-DLLAVA_BUILD=OFF"
TARGETS = Path(__file__).with_name("llama_targets.cmake")
COMPILING = "Compiling llama.cpp"
NO_AMX = "-DCMAKE_C_FLAGS=-U__AMX_INT8__ -DCMAKE_CXX_FLAGS=-U__AMX_INT8__"


def build_options(earlier: str) -> str:
    """CMake's (for CUDA, say): from CMAKE_ARGS, and kept for later runs that do not set it."""
    return os.environ.get("CMAKE_ARGS", earlier)


def native_options(options: str) -> str:
    """CMake's for the processor at hand, with what its compiler must leave out."""
    no_amx = NO_AMX if "amx" in processor() else ""
    # The options of whoever sets up come last, and win.
    return " ".join(part for part in (FEWER_TARGETS, no_amx, options) if part)


def wheel_name(python_version: str, options: str) -> str:
    """Names the compiled wheel after all that shapes it: version, Python, system, processor and options."""
    version = pinned(LLAMA_LOCK, "llama-cpp-python")
    digest = hashlib.sha256(f"{processor()} {native_options(options)}".encode()).hexdigest()[:12]
    return f"{version}-cp{python_version.replace('.', '')}-{sysconfig.get_platform()}-{digest}"


def kept(name: str) -> Path | None:
    """The wheel called `name` in the cache."""
    return next((cache_folder() / "wheels" / name).glob("*.whl"), None)


def llama_wheel(python: Path, name: str, options: str, keep_open: tuple[int, ...]) -> Path:
    """The wheel called `name`: from the cache, else compiled now. The caller holds the set-up lock."""
    if wheel := kept(name):
        return wheel
    need_compiler()
    draft = new_draft()
    compile_into(draft, python, options, keep_open)
    return keep(draft, name)


def new_draft() -> Path:
    """An empty folder for a wheel to be; what a killed set-up left in its own is deleted."""
    wheels = cache_folder() / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    for left_over in wheels.glob("building-*"):
        shutil.rmtree(left_over)
    return Path(tempfile.mkdtemp(dir=wheels, prefix="building-"))


def keep(draft: Path, name: str) -> Path:
    """Put the wheel in `draft` into the cache, whole or not at all."""
    folder = cache_folder() / "wheels" / name
    os.replace(draft, folder)
    return next(folder.glob("*.whl"))


def compile_into(folder: Path, python: Path, options: str, keep_open: tuple[int, ...]) -> None:
    cores = os.cpu_count() or 1
    say("llama.cpp has to be compiled for this computer, once; later set-ups use the result.")
    title = f"{COMPILING}: about {max(1, round(4 / cores))} minutes on {cores} cores"
    # pip's own cache does not know for which processor and with which options a wheel was compiled.
    command = [*pip(python, "wheel", "-v", "--no-cache-dir"), *FROM_SOURCE, "-w", folder, "-r", LLAMA_LOCK]
    # Not among the options that name the wheel: where this checkout lies shapes nothing.
    included = shlex.quote(f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={TARGETS.as_posix()}")
    with build_tools(python, keep_open) as tools:
        step(title, command, keep_open, CMAKE_ARGS=f"{included} {native_options(options)}", **tools)


@contextlib.contextmanager
def build_tools(
    python: Path, keep_open: tuple[int, ...] = (), without_cmake: bool = False
) -> Iterator[dict[str, str]]:
    """The environment in which pip finds what builds the source package, each held to its hash.

    Left to itself, pip fetches them into an environment of its own, of which `--require-hashes` says nothing;
    constraints with hashes end the build with some pips (23.2 asks for `==` in the package's own list).
    """
    with tempfile.TemporaryDirectory(prefix="steward-build-") as folder:
        lock, tools = Path(folder) / "lock", Path(folder) / "tools"
        names = CMAKE if without_cmake else frozenset[str]()
        lock.write_text(without(BUILD_LOCK.read_text(encoding="utf-8"), names), encoding="utf-8")
        words: list[str | Path] = [
            "--require-hashes",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--target",
            tools,
            "-r",
            lock,
        ]
        step(TOOLS, pip(python, "install", *words), keep_open)
        path = os.pathsep.join([str(tools / "bin"), os.environ.get("PATH", os.defpath)])
        yield {"PYTHONPATH": str(tools), "PATH": path}
