"""Builds the bundle of one kind in an environment of its own, then its installer.

The same source and lock files give the same files: the time is that of the last commit, the order is sorted.
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
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap.computer import need_compiler
from bootstrap.environment import only_one
from bootstrap.llama import FROM_SOURCE, LLAMA_LOCK, build_tools
from bootstrap.locks import locked, without
from bootstrap.package import addon, contents, cuda, deb, icons, icu_data, search_paths, vulkan
from bootstrap.package.back_end import Made as BackEnd
from bootstrap.package.components import Built, components
from bootstrap.package.papers import MANIFEST, Made, write_papers
from bootstrap.programs import ROOT, Stop, cache_folder, pip, python_with_pip, say, step

RUN_LOCK = ROOT / "requirements" / "run.lock"
PACKAGE_LOCK = ROOT / "requirements" / "package.lock"
OUT = ROOT / "dist"
WORK = ROOT / "build" / "package"
# One library for each kind of processor, chosen at the start; nothing is tuned to the computer that builds.
PORTABLE = "-DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DLLAVA_BUILD=OFF"
METAL = "-DGGML_METAL=ON -DGGML_METAL_EMBED_LIBRARY=ON"
KINDS = {"cpu": PORTABLE, "cuda": PORTABLE, "vulkan": PORTABLE, "metal": f"{PORTABLE} {METAL}"}
# Compiled alone: one more library in a folder beside those, left alone where there is no driver.
BACK_ENDS: dict[str, Callable[[], BackEnd]] = {"cuda": cuda.build, "vulkan": vulkan.build}
WINDOWS, LINUX = sys.platform == "win32", sys.platform == "linux"


def say_waiting() -> None:
    say("Another bundle is being built; waiting for it to end.")


@dataclass(frozen=True)
class Place:
    """Where the bundle is built: Python's environment, and the folder of its packages."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if WINDOWS else "bin/python")

    @property
    def site(self) -> Path:
        lib = self.folder / "Lib" if WINDOWS else next(iter((self.folder / "lib").glob("python3*")))
        return lib / "site-packages"


def package(words: Sequence[str]) -> int:
    """The verb. Raises Stop with what is wrong."""
    if list(words[1:]) == ["--addon"] and words[0] in BACK_ENDS:
        tell_addon(pack_addon(words[0]))
        return 0
    kind, wheel = _asked(words)
    if (kind == "metal") != (sys.platform == "darwin"):
        raise Stop(f"A bundle of the kind {kind} is not built on this system.", 2)
    began = time.monotonic()
    # Another checkout's build would clear the environment and the half-made wheel, which lie in the cache.
    with only_one(say_waiting, "package"):
        bundle = build(kind, wheel or portable_wheel(kind))
    made = [deb.build(bundle, OUT, version(), epoch_s())] if LINUX else []
    if LINUX and kind in BACK_ENDS:
        made.append(pack_addon(kind))
    tell(bundle, made, time.monotonic() - began)
    return 0


def _asked(words: Sequence[str]) -> tuple[str, Path | None]:
    """The kind, and the wheel of llama.cpp that was made elsewhere."""
    if len(words) in (1, 3) and words[0] in KINDS and list(words[1:2]) in ([], ["--llama"]):
        return words[0], Path(words[2]).resolve() if len(words) == 3 else None
    kinds = ", ".join(KINDS)
    choices = f"--llama WHEEL for one made elsewhere, or (of {', '.join(BACK_ENDS)}) --addon"
    raise Stop(f"package needs one of these kinds: {kinds}; then {choices}", 2)


def pack_addon(kind: str) -> Path:
    """The back end of this kind alone, in dist/."""
    return addon.pack(BACK_ENDS[kind](), OUT, version(), epoch_s())


def build(kind: str, wheel: Path) -> Path:
    """The folder dist/steward, whole: program, hook client, papers."""
    if LINUX:
        need_compiler()
        need_tool("strip")
        need_tool("objdump")  # PyInstaller reads libraries with it
    place = environment(wheel)
    freeze(place)
    bundle = OUT / "steward"
    if LINUX:
        strip(bundle)
    if kind in BACK_ENDS:
        BACK_ENDS[kind]().lay_into(bundle / "_internal" / "llama_cpp" / "lib")
    hook_client(bundle, place)
    lay_papers(bundle, place, kind)
    return bundle


def environment(wheel: Path) -> Place:
    """A clean environment with the locked packages, llama.cpp and PyInstaller; kept while it fits."""
    place = Place(cache_folder() / "package" / "environment")
    parts = (RUN_LOCK.read_bytes(), PACKAGE_LOCK.read_bytes(), wheel.read_bytes(), sys.version.encode())
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    stamp = place.folder / "steward-package"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return place
    base = getattr(sys, "_base_executable", sys.executable)
    step("Making the environment that builds", [base, "-m", "venv", "--clear", place.folder])
    install(place, wheel)
    stamp.write_text(digest, encoding="utf-8")
    return place


def install(place: Place, wheel: Path) -> None:
    needed = place.folder / "requirements.txt"
    # Its llama.cpp is the portable one, and what only that package's own start needs stays out of the bundle.
    needed.write_text(without(RUN_LOCK.read_text(encoding="utf-8"), frozenset({"diskcache"})))
    locks: list[str | Path] = ["--require-hashes", "--no-deps", "-r", needed]
    step(f"Installing {len(locked(needed.read_text()))} packages", pip(place.python, "install", *locks))
    tools: list[str | Path] = ["--require-hashes", "-r", PACKAGE_LOCK]
    step("Installing PyInstaller", pip(place.python, "install", *tools))
    step("Installing llama.cpp", pip(place.python, "install", "--no-index", "--no-deps", wheel))


def portable_wheel(kind: str = "cpu") -> Path:
    """llama.cpp for every processor: compiled once, which takes half an hour on two cores, then kept."""
    text, options = LLAMA_LOCK.read_text(encoding="utf-8"), KINDS[kind]
    digest = hashlib.sha256(f"{text} {options} {platform.machine()}".encode()).hexdigest()[:12]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    folder = cache_folder() / "wheels-portable" / f"{python}-{digest}"
    for wheel in folder.glob("*.whl"):
        return wheel
    draft = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    python_here = python_with_pip()
    command = [
        *pip(python_here, "wheel", "-v", "--no-cache-dir"),
        *FROM_SOURCE,
        "-w",
        draft,
        "-r",
        LLAMA_LOCK,
    ]
    with build_tools(python_here) as tools:
        step("Compiling llama.cpp for all processors", command, (), CMAKE_ARGS=options, **tools)
    os.replace(draft, folder)
    return next(folder.glob("*.whl"))


def need_tool(name: str) -> str:
    """Where this tool of binutils is. Raises Stop."""
    found = shutil.which(name)
    if found is None:
        raise Stop(f"{name} is missing. Install it with: sudo apt-get install binutils", 3)
    return found


def freeze(place: Place) -> None:
    command: list[str | Path] = [
        place.python,
        "-m",
        "PyInstaller",
        "--noconfirm",
        "--clean",
        "--log-level",
        "WARN",
    ]
    command += ["--distpath", OUT, "--workpath", WORK, ROOT / "packaging" / "steward.spec"]
    environ = {"SOURCE_DATE_EPOCH": str(epoch_s()), "PYTHONHASHSEED": "0", **icon()}
    step("Building the bundle", command, (), **environ)


def icon() -> dict[str, str]:
    """The variable that packaging/steward.spec reads; Linux has its pictures beside the program."""
    if LINUX:
        return {}
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / ("steward.ico" if WINDOWS else "steward.icns")
    file.write_bytes(icons.ico() if WINDOWS else icons.icns())
    return {"STEWARD_ICON": str(file)}


def strip(bundle: Path) -> None:
    """Take out the names for debuggers, data of ICU that nobody asks for, and folders of this computer that
    the loader would look into."""
    inside = bundle / "_internal"
    tool = need_tool("strip")
    for path in sorted(inside.rglob("*.so*")):
        if path.is_symlink():
            continue
        if contents.is_stripped(path.relative_to(inside).as_posix()):
            subprocess.run([tool, "--strip-unneeded", path], check=True)
        if path.name.startswith(icu_data.NAME):
            icu_data.clear(path)
        search_paths.forget(path)


def hook_client(bundle: Path, place: Place) -> None:
    """Linked statically, with the compiler that the environment brings: it starts on any such system."""
    folder = bundle / "_internal" / "resources" / "hook_client"
    script = ROOT / "packaging" / "hook_client" / "build.py"
    step("Building the hook client", [place.python, script, "--here", "--out", folder])


def lay_papers(bundle: Path, place: Place, kind: str) -> None:
    """Licences, bill of materials and manifest, from what PyInstaller wrote down."""
    facts = "import json, platform, sys; print(json.dumps([sys.base_prefix, platform.python_version()]))"
    told = subprocess.run([place.python, "-c", facts], capture_output=True, text=True, check=True)
    prefix, python_version = json.loads(told.stdout)
    built = Built.read(WORK / "steward")
    found = components(built, place.site, Path(prefix), python_version)
    if kind in BACK_ENDS:
        found += BACK_ENDS[kind]().components
    system = f"{sys.platform}-{platform.machine()}"
    write_papers(bundle, Made(version(), kind, system, epoch_s(), found))


def version() -> str:
    """Of the program, read without importing it."""
    text = (ROOT / "desktop" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise Stop("desktop/__init__.py names no version.")
    return found[1]


def epoch_s() -> int:
    """The time that all files get: SOURCE_DATE_EPOCH, else that of the last commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    asked: list[str | Path] = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Stop("This folder is no git checkout: set SOURCE_DATE_EPOCH to the time of its source.")
    return int(done.stdout)


def tell(bundle: Path, packages: Sequence[Path], seconds: float) -> None:
    """How large it is and what takes the space."""
    files = json.loads((bundle / MANIFEST).read_text(encoding="utf-8"))["files"]
    say(f"\n{bundle.relative_to(ROOT)}: {sum(sizes(files).values()) / 1e6:.0f} MB in {len(files)} files")
    for name, size in sorted(sizes(files).items(), key=lambda row: -row[1])[:12]:
        say(f"  {size / 1e6:6.1f} MB  {name}")
    for package in packages:
        say(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.0f} MB")
    say(f"Built in {seconds:.0f} s. Try it with: {bundle.relative_to(ROOT)}/steward selftest")


def tell_addon(made: Path) -> None:
    say(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.0f} MB")
    say("Try it with: steward addons add FILE")


def sizes(files: dict[str, dict[str, object]]) -> dict[str, int]:
    """Bytes of each part of a manifest: a package, or a library at the top."""
    found: dict[str, int] = {}
    for name, entry in files.items():
        part = name.removeprefix("_internal/").split("/")[0]
        found[part] = found.get(part, 0) + int(str(entry["size_bytes"]))
    return found
