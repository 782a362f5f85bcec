"""What lets llama.cpp compute on NVIDIA's cards: its CUDA back end, compiled alone, and CUDA's own libraries.

The back end comes from the same source package as the llama.cpp of the bundle and fits beside its back ends
for processors. It goes into a bundle of the kind cuda, and into an add-on for a Steward that is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from importlib.metadata import distributions
from io import BytesIO
from pathlib import Path

from bootstrap.llama import LLAMA_LOCK
from bootstrap.package.components import Component, of_distribution
from bootstrap.package.contents import CUDA_LIBRARIES
from bootstrap.package.papers import MANIFEST, licence_texts, sha256
from bootstrap.programs import ROOT, Stop, cache_folder, pip, step

CUDA_LOCK = ROOT / "requirements" / "cuda.lock"  # CUDA's libraries, as NVIDIA publishes them for programs
LIBRARY = "libggml-cuda.so"
FOLDER = "cuda"
LICENCES = "THIRD_PARTY_LICENSES"
USUAL_ARCHITECTURES = "75;80;86;89;90;120"
# Of the source all but the back end and ggml-base, which it is linked with, is left out. Without the driver's
# calls for virtual memory the library can be loaded, and say what is missing, where there is no driver.
LEFT_OUT = (
    *("LLAMA_BUILD_COMMON", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_EXAMPLES"),
    *("LLAMA_BUILD_SERVER", "LLAMA_CURL", "GGML_CPU", "GGML_NATIVE", "GGML_CUDA_NCCL"),
)
TAKEN = ("BUILD_SHARED_LIBS", "GGML_BACKEND_DL", "GGML_CUDA", "GGML_CUDA_NO_VMM")
# As good as the highest for libraries of a card, which are packed already, and much faster.
XZ = ("xz", "--threads=2", "--block-size=64MiB", "-2", "--stdout")


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
        """CMake's."""
        return (
            "-DCMAKE_BUILD_TYPE=Release",
            *(f"-D{name}=ON" for name in TAKEN),
            *(f"-D{name}=OFF" for name in LEFT_OUT),
            f"-DGGML_CUDA_FA={'ON' if self.flash_attention else 'OFF'}",
            f"-DCMAKE_CUDA_ARCHITECTURES={self.architectures}",
            "-DCMAKE_INSTALL_RPATH=$ORIGIN",
            "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
        )


@dataclass(frozen=True)
class Made:
    """Folders in the cache: what was compiled, and the unpacked packages of CUDA_LOCK."""

    folder: Path

    @property
    def runtime(self) -> Path:
        return self.folder / "runtime"

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The back end, and the libraries of CUDA that it needs."""
        theirs = (path for pattern in CUDA_LIBRARIES for path in self.runtime.glob(f"nvidia/*/lib/{pattern}"))
        return (self.folder / LIBRARY, *sorted(theirs))

    @property
    def components(self) -> tuple[Component, ...]:
        """Whose work the libraries are: NVIDIA's, and llama.cpp's."""
        found = [of_distribution(each) for each in distributions(path=[str(self.runtime)])]
        text = next(self.folder.glob("llama_cpp_python-*/vendor/llama.cpp/LICENSE"))
        found.append(Component("generic", "llama.cpp", f"llama-cpp-python-{llama_version()}", "MIT", (text,)))
        return tuple(sorted(found, key=lambda one: one.name))

    def lay_into(self, folder: Path) -> None:
        """The folder beside the back ends for processors from which desktop/engine/back_ends.py loads it."""
        folder.mkdir()
        for library in self.libraries:
            shutil.copyfile(library, folder / library.name)
            (folder / library.name).chmod(0o755)


def build(choice: Choice | None = None) -> Made:
    """From the cache, else compiled now; objects of a build that was broken off are used again."""
    wanted = choice or Choice.wanted()
    made = Made(place_of(wanted))
    if not (made.folder / LIBRARY).exists():
        toolkit = toolkit_folder()
        fetch_runtime(made.runtime)
        compile_library(made, wanted, toolkit, fetch_source(made.folder))
    return made


def place_of(choice: Choice) -> Path:
    """STEWARD_CUDA_FOLDER, or named after llama-cpp-python's version and all that shapes the library."""
    if "STEWARD_CUDA_FOLDER" in os.environ:
        return Path(os.environ["STEWARD_CUDA_FOLDER"]).absolute()
    parts = (LLAMA_LOCK.read_text(), CUDA_LOCK.read_text(), *choice.options, platform.machine())
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    return cache_folder() / f"cuda-{llama_version()}-{digest}"


def llama_version() -> str:
    """Of llama-cpp-python, whose source package holds llama.cpp."""
    return pinned(LLAMA_LOCK, "llama-cpp-python")


def pinned(lock: Path, name: str) -> str:
    """The version of a package in a lock file."""
    found = re.search(rf"^{re.escape(name)}==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise Stop(f"{lock.name} names no version of {name}.")
    return found[1]


def toolkit_folder() -> Path:
    """Where nvcc and its headers lie. Raises Stop without one of CUDA_LOCK's generation."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            raise Stop(f"{tool} is missing. Install it with: sudo apt-get install cmake ninja-build", 3)
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
        step("Fetching the libraries of CUDA", pip(Path(sys.executable), "install", *words))
        for library in draft.glob("nvidia/*/lib/lib*.so.*"):
            library.with_name(f"{library.name.partition('.so.')[0]}.so").symlink_to(library.name)
        draft.rename(folder)


def fetch_source(folder: Path) -> Path:
    """The source package of llama-cpp-python, unpacked in `folder`; returns the llama.cpp in it."""
    source = folder / f"llama_cpp_python-{llama_version()}"
    if not source.exists():
        draft = folder / "source.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        words: list[str | Path] = ["--no-deps", "--no-binary", "llama-cpp-python", "--require-hashes"]
        words += ["-d", draft, "-r", LLAMA_LOCK]
        step("Fetching the source of llama.cpp", pip(Path(sys.executable), "download", *words))
        with tarfile.open(draft / f"{source.name}.tar.gz") as archive:
            archive.extractall(draft, filter="data")
        (draft / source.name).rename(source)
        shutil.rmtree(draft)
    return source / "vendor" / "llama.cpp"


def compile_library(made: Made, choice: Choice, toolkit: Path, source: Path) -> None:
    """Only the target ggml-cuda, at the lowest priority; its objects stay in the folder."""
    nvidia = next(made.runtime.glob("nvidia/*/include")).parent
    out = made.folder / "build"
    nvcc, headers = str(toolkit / "bin" / "nvcc"), str(nvidia / "include")
    configure: list[str | Path] = ["cmake", "-G", "Ninja", "-S", source, "-B", out, *choice.options]
    configure += [f"-DCMAKE_LIBRARY_PATH={nvidia / 'lib'}", f"-DCUDAToolkit_ROOT={toolkit}"]
    step("Looking at the CUDA Toolkit", configure, CUDACXX=nvcc, CPATH=headers)
    jobs = os.environ.get("STEWARD_CUDA_JOBS") or str(os.cpu_count() or 1)
    compiling: list[str | Path] = ["nice", "-n", "19", "cmake", "--build", out, "--target", "ggml-cuda"]
    step("Compiling the CUDA back end", [*compiling, "-j", jobs], CUDACXX=nvcc, CPATH=headers)
    draft = made.folder / f"{LIBRARY}.new"
    shutil.copyfile(out / "bin" / LIBRARY, draft)
    step("Taking out the names for debuggers", ["strip", "--strip-unneeded", draft])
    draft.rename(made.folder / LIBRARY)


def addon(made: Made, out: Path, version: str, epoch_s: int) -> Path:
    """The back end alone, for `steward addons add`. The same build gives the same bytes."""
    if shutil.which(XZ[0]) is None:
        raise Stop("xz is missing. Install it with: sudo apt-get install xz-utils", 3)
    target = out / f"steward-cuda-addon-{version}-{sys.platform}-{platform.machine()}.tar.xz"
    out.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.new")
    texts = "".join(licence_texts(made.components)).encode()
    told = addon_manifest(made, version, texts)
    with draft.open("wb") as file, subprocess.Popen(XZ, stdin=subprocess.PIPE, stdout=file) as packing:
        assert packing.stdin is not None  # a pipe was asked for
        with tarfile.open(fileobj=packing.stdin, mode="w|", format=tarfile.USTAR_FORMAT) as archive:
            _put(archive, MANIFEST, told, epoch_s)
            _put(archive, LICENCES, texts, epoch_s)
            for library in made.libraries:
                _put(archive, library.name, library, epoch_s)
    if packing.returncode:
        raise Stop(f"xz ended with {packing.returncode}: {draft} is not whole.")
    draft.rename(target)
    return target


def addon_manifest(made: Made, version: str, texts: bytes) -> bytes:
    """What desktop/engine/addons.py reads, and whose work is inside."""
    files = {LICENCES: {"sha256": hashlib.sha256(texts).hexdigest(), "size_bytes": len(texts)}}
    files |= {
        path.name: {"sha256": sha256(path), "size_bytes": path.stat().st_size} for path in made.libraries
    }
    told = {
        "program": "steward-addon",
        "name": "cuda",
        "version": version,
        "llama_cpp_python": llama_version(),
        "system": f"{sys.platform}-{platform.machine()}",
        "library": LIBRARY,
        "components": [
            {"name": one.name, "version": one.version, "licence": one.licence} for one in made.components
        ],
        "files": files,
    }
    return json.dumps(told, indent=1, sort_keys=True).encode()


def _put(archive: tarfile.TarFile, name: str, content: bytes | Path, epoch_s: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = epoch_s, 0o644
    if isinstance(content, bytes):
        entry.size = len(content)
        archive.addfile(entry, BytesIO(content))
    else:
        entry.size, entry.mode = content.stat().st_size, 0o755
        with content.open("rb") as file:
            archive.addfile(entry, file)
