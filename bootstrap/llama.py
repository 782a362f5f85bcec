"""llama.cpp for this computer: compiled once from its pinned source package, then kept."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sysconfig
import tempfile
from pathlib import Path

from bootstrap.computer import need_compiler, processor
from bootstrap.programs import ROOT, Stop, cache_folder, pip, say, step

LLAMA_LOCK = ROOT / "requirements" / "llama.lock"
BUILD_LOCK = ROOT / "requirements" / "build.lock"
# For every pip that meets the source package: what builds it is fetched into an environment of its own, of
# which `--require-hashes` says nothing. Constraints with hashes hold there, too; older pips know one name.
BUILD_TOOLS = {"PIP_CONSTRAINT": str(BUILD_LOCK), "PIP_BUILD_CONSTRAINT": str(BUILD_LOCK)}
# llama.cpp ends the program on processors with AMX: its compiler leaves out most of what sets the tiles up
# (ggml-org/llama.cpp, issue 20824 and pull request 26954). Without the macro AVX-512 computes in its place.
# What of llama.cpp is compiled: not mtmd (pictures), and not what llama_targets.cmake leaves out.
FEWER_TARGETS = "-DLLAVA_BUILD=OFF"
TARGETS = Path(__file__).with_name("llama_targets.cmake")
COMPILING = "Compiling llama.cpp"
NO_AMX = "-DCMAKE_C_FLAGS=-U__AMX_INT8__ -DCMAKE_CXX_FLAGS=-U__AMX_INT8__"


def pinned(lock: Path, name: str) -> str:
    """The version of a package in a lock file."""
    found = re.search(rf"^{re.escape(name)}==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Stop(f"{lock.name} names no version of {name}. Restore it, then start again.")
    return found[1]


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
    command = pip(python, "wheel", "-v", "--no-cache-dir", "--no-deps", "--no-binary", "llama-cpp-python")
    command += ["--require-hashes", "-w", folder, "-r", LLAMA_LOCK]
    # Not among the options that name the wheel: where this checkout lies shapes nothing.
    included = shlex.quote(f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={TARGETS.as_posix()}")
    step(title, command, keep_open, CMAKE_ARGS=f"{included} {native_options(options)}", **BUILD_TOOLS)
