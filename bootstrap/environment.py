"""The virtual environments: what belongs in each, making one, and knowing in a blink that it is complete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap.computer import need_from_system
from bootstrap.llama import COMPILING, LLAMA_LOCK, TOOLS, build_options, kept, llama_wheel, wheel_name
from bootstrap.locks import locked
from bootstrap.native import build_native
from bootstrap.plan import Plan, current, following, spoken
from bootstrap.prebuilt import Unusable, forget, package_here, prebuilt_name, prebuilt_wheel, trial
from bootstrap.programs import ROOT, WINDOWS, cache_folder, pip, say, step

SETUP_VERSION = 1  # raise it when what an older dev.py set up is no longer good enough
OLDEST_PYTHON = (3, 11)
REQUIREMENTS = ROOT / "requirements"
FORCE = "--force-reinstall"
QT_PACKAGES = frozenset({"pyside6-essentials", "shiboken6", "qasync", "pytest-qt"})


@dataclass(frozen=True)
class Environment:
    """A virtual environment and what belongs in it."""

    folder: Path
    lock: Path
    proof: str = "import llama_cpp, PySide6.QtWidgets, qasync"  # has to run when all is installed
    whole: Environment | None = None  # the one that this is, less `left_out`
    left_out: frozenset[str] = frozenset()

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if WINDOWS else "bin/python")

    @property
    def stamp(self) -> Path:
        """Written last; says which set-up was finished."""
        return self.folder / "steward-setup.json"

    @property
    def unfinished(self) -> Path:
        """There while packages are installed: a kill may leave half a package that pip takes for whole."""
        return self.folder / "steward-unfinished"


RUN = Environment(ROOT / ".venv", REQUIREMENTS / "run.lock")
DEV = Environment(ROOT / ".venv", REQUIREMENTS / "dev.lock")
WITHOUT_QT = Environment(
    ROOT / ".venv-noqt", REQUIREMENTS / "dev.lock", "import llama_cpp, httpx", DEV, QT_PACKAGES
)


def set_up(environment: Environment) -> Path:
    """The Python of `environment` with everything installed; a few milliseconds when it already is."""
    if environment.whole is not None:
        set_up(environment.whole)
    if is_ready(environment):
        build_native()
        return environment.python
    with only_one() as lock:
        build_native()
        if not is_ready(environment):
            started = time.monotonic()
            need_from_system("run")
            build(environment, () if WINDOWS else (lock,))
            say(f"Set up in {time.monotonic() - started:.0f} s.")
    return environment.python


def is_ready(environment: Environment) -> bool:
    done = read_stamp(environment)
    if not done or environment.unfinished.exists():
        return False
    accepted = (RUN, DEV) if environment == RUN else (environment,)  # what development needs covers running
    return done.get("key") in {
        key(each, wheel) for each in accepted for wheel in good_wheels(each, done.get("options", ""))
    }


def good_wheels(environment: Environment, earlier_options: str) -> tuple[str, ...]:
    """The names of the wheels of llama.cpp that an environment may have, the best first: the one compiled for
    this processor, and as long as that is not there, the prebuilt one."""
    options = build_options(earlier_options)
    try:
        compiled = wheel_name(python_version(environment), options)
    except OSError:
        return ()
    package = package_here(options)
    return (compiled,) if package is None or kept(compiled) else (compiled, prebuilt_name(package))


def read_stamp(environment: Environment) -> dict[str, str]:
    try:
        stamp = json.loads(environment.stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def key(environment: Environment, wheel: str) -> str:
    """Changes when a finished set-up is out of date: other locks, another Python, processor or place, or
    another `wheel` of llama.cpp."""
    try:
        interpreter = environment.python.stat()
    except OSError:
        return "no interpreter"
    facts = (SETUP_VERSION, ROOT, environment.lock.name, interpreter.st_size, interpreter.st_mtime_ns, wheel)
    digest = hashlib.sha256(repr(facts).encode())
    digest.update(environment.lock.read_bytes() + LLAMA_LOCK.read_bytes())
    return digest.hexdigest()


def python_version(environment: Environment) -> str:
    """Of the environment, not of the Python that runs dev.py."""
    config = (environment.folder / "pyvenv.cfg").read_text(encoding="utf-8")
    found = re.search(r"^version(?:_info)? *= *(\d+\.\d+)", config, re.MULTILINE)
    return found[1] if found else "unknown"


def say_waiting() -> None:
    say("Another dev.py is setting things up; waiting for it to end.")


@contextlib.contextmanager
def only_one(on_wait: Callable[[], None] = say_waiting, work: str = "setup") -> Iterator[int]:
    """Hold the user's lock for one kind of work, of the set-up unless another is named.

    What pip starts inherits it, so a killed dev.py leaves no second pip.
    """
    cache_folder().mkdir(parents=True, exist_ok=True)
    handle = os.open(cache_folder() / f"{work}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(handle):
            on_wait()
            while not try_lock(handle):
                time.sleep(0.5)
        yield handle
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# Seconds of the processor that they took on an EPYC: by the clock too, where it is quiet and the line quick.
MAKING = "Making the virtual environment"
SECONDS = {
    MAKING: 5.0,
    "Installing llama.cpp": 2.0,
    "Trying what was installed": 2.0,
}
LINK_SECONDS = {MAKING: 0.5, "Trying what was installed": 2.0}
PACKAGE_S = 0.3  # each of the packages
PREBUILT_SECONDS = {"Fetching llama.cpp's libraries": 2.0, "Fetching llama-cpp-python": 5.0}
TOOLS_S = 2.0
COMPILE_S = 240.0  # of one core


def plan(environment: Environment, options: str) -> Plan:
    """What making or completing this environment takes, with what is in the cache."""
    if environment.whole is not None:
        return Plan(LINK_SECONDS)
    seconds = dict(SECONDS)
    if environment.python.exists() and not environment.unfinished.exists():
        del seconds[MAKING]
    count = len(locked(environment.lock.read_text(encoding="utf-8")))
    seconds[f"Installing {count} packages"] = PACKAGE_S * count
    package = package_here(options)
    # Of the Python that makes the environment, which that one will have.
    compiled = wheel_name(f"{sys.version_info.major}.{sys.version_info.minor}", options)
    if not kept(compiled) and (package is None or not kept(prebuilt_name(package))):
        seconds[TOOLS] = TOOLS_S
        seconds |= {COMPILING: COMPILE_S / (os.cpu_count() or 1)} if package is None else PREBUILT_SECONDS
    return Plan(seconds)


def build(environment: Environment, keep_open: tuple[int, ...]) -> None:
    """Make or complete the environment, with one estimate over all its steps."""
    options = build_options(read_stamp(environment).get("options", ""))
    with following(plan(environment, options)) as steps:
        say(f"Setting Steward up: {spoken(steps.left_s())} with a quick line.")
        build_steps(environment, keep_open)


def build_steps(environment: Environment, keep_open: tuple[int, ...]) -> None:
    """The stamp comes last and whole: the next run repairs after a kill."""
    if environment.whole is not None:
        link_environment(environment, environment.whole)
        return
    before = read_stamp(environment)
    make_venv(environment)
    options = build_options(before.get("options", ""))
    wheel = ready_wheel(environment, options, keep_open)
    environment.unfinished.touch()
    install_packages(environment, keep_open)
    write_launcher(environment)
    force = [FORCE] if before.get("wheel", wheel.parent.name) != wheel.parent.name else []
    wheel = install_llama(environment, wheel, options, force, keep_open)
    prove(environment)
    environment.unfinished.unlink()
    name = wheel.parent.name
    write_stamp(environment, {"key": key(environment, name), "options": options, "wheel": name})


def link_environment(environment: Environment, whole: Environment) -> None:
    """Its packages are those of `whole`, installed and compiled once: the same files under a second name."""
    from importlib.metadata import distributions  # half of what every start would load

    make_empty(environment, "--without-pip")
    environment.unfinished.touch()
    names = {plain(name) for name in locked(environment.lock.read_text(encoding="utf-8"))}
    names = (names | {"llama-cpp-python", "pip"}) - environment.left_out
    theirs, ours = packages_folder(whole), packages_folder(environment)
    for package in distributions(path=[str(theirs)]):
        if plain(package.metadata["Name"]) in names:
            for file in package.files or ():
                link(theirs / file, ours / file)
    for command in environment.python.parent.iterdir():
        start_with(environment, whole, command)
    write_launcher(environment)
    prove(environment)
    environment.unfinished.unlink()
    stamp = read_stamp(whole)
    write_stamp(environment, {**stamp, "key": key(environment, stamp["wheel"])})


def plain(name: str) -> str:
    """A package's name as all spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def link(file: Path, name: Path) -> None:
    """Give a file a second name, or copy it where the file system has but one for each. A list of what was
    installed may name bytecode that was never written."""
    name.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, name)
    except FileNotFoundError:
        return
    except OSError:
        shutil.copy2(file, name)


def start_with(environment: Environment, whole: Environment, command: Path) -> None:
    """A script names the interpreter that it is for."""
    if command.is_symlink() or not command.is_file():
        return
    text = command.read_bytes()
    ours = text.replace(os.fsencode(whole.python), os.fsencode(environment.python))
    if text.startswith(b"#!") and ours != text:
        draft = command.with_suffix(".new")
        draft.write_bytes(ours)
        shutil.copymode(command, draft)
        os.replace(draft, command)  # what is written into it would be written into the other too


def ready_wheel(environment: Environment, options: str, keep_open: tuple[int, ...]) -> Path:
    """The wheel of llama.cpp that is there soonest: compiled before, else prebuilt, else compiled now."""
    compiled = wheel_name(python_version(environment), options)
    package = package_here(options)
    if package is not None and not kept(compiled):
        try:
            return prebuilt_wheel(environment.python, package, keep_open)
        except Unusable as reason:
            say_unusable(reason)
    return llama_wheel(environment.python, compiled, options, keep_open)


def install_llama(
    environment: Environment, wheel: Path, options: str, force: Sequence[str], keep_open: tuple[int, ...]
) -> Path:
    """Install `wheel`; where it is the prebuilt one and fails its trial, the one that is compiled then.
    Returns the one that stays. `force`: see `install_wheel`."""
    install_wheel(environment, wheel, force, keep_open)
    package = package_here(options)
    if package is None or wheel.parent.name != prebuilt_name(package):
        return wheel
    try:
        trial(environment.python)
    except Unusable as reason:
        say_unusable(reason)
        forget(package)
        compiled = wheel_name(python_version(environment), options)
        wheel = llama_wheel(environment.python, compiled, options, keep_open)
        install_wheel(environment, wheel, [FORCE], keep_open)
    return wheel


def say_unusable(reason: Unusable) -> None:
    say(f"The prebuilt llama.cpp cannot be used here, so it is compiled. The reason: {reason}")
    current().add(COMPILING, COMPILE_S / (os.cpu_count() or 1))


def make_venv(environment: Environment) -> None:
    """Adopt the virtual environment that is there, or make a new one where it is missing or damaged."""
    if environment.unfinished.exists():
        say("The last set-up was interrupted, so the virtual environment is made anew.")
    elif works(environment.python):
        return
    make_empty(environment)


def make_empty(environment: Environment, *options: str) -> None:
    base = getattr(sys, "_base_executable", sys.executable)  # dev.py may run inside the environment itself
    title = f"{MAKING} {environment.folder.name}"
    step(title, [base, "-m", "venv", "--clear", *options, environment.folder])


def works(python: Path) -> bool:
    """Whether this interpreter starts, is new enough and has pip: its base may be gone or replaced."""
    question = f"import sys, pip; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        return subprocess.run([python, "-c", question], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def install_packages(environment: Environment, keep_open: tuple[int, ...]) -> None:
    wanted = environment.lock.read_text(encoding="utf-8")
    requirements = environment.folder / "steward-requirements.txt"
    requirements.write_text(wanted, encoding="utf-8")
    title = f"Installing {len(locked(wanted))} packages into {environment.folder.name}: a minute or two"
    step(title, pip(environment.python, "install", "--require-hashes", "-r", requirements), keep_open)


def install_wheel(
    environment: Environment, wheel: Path, force: Sequence[str], keep_open: tuple[int, ...]
) -> None:
    """`force`: the option of pip that installs it also over the same version, which may have been compiled
    for another processor or with other options."""
    command = pip(environment.python, "install", "--no-index", "--no-deps", *force, wheel)
    step("Installing llama.cpp", command, keep_open)


def packages_folder(environment: Environment) -> Path:
    """Where pip installs to."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([environment.python, "-c", where], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


def write_path(environment: Environment) -> None:
    """Let the environment find the package where it stands: no import hook, hence the fastest start."""
    (packages_folder(environment) / "steward.pth").write_text(f"{ROOT}\n", encoding="utf-8")


def write_launcher(environment: Environment) -> None:
    """The package, and the command `steward` beside the interpreter."""
    write_path(environment)
    if WINDOWS:
        launcher, text = "steward.cmd", f'@"{environment.python}" -P -m desktop %*\n'
    else:
        launcher, text = "steward", f'#!/bin/sh\nexec "{environment.python}" -P -m desktop "$@"\n'
    path = environment.python.with_name(launcher)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def prove(environment: Environment) -> None:
    """Import what is hardest to get right, so that a broken set-up is found here and not by the user."""
    step("Trying what was installed", [environment.python, "-c", environment.proof])


def write_stamp(environment: Environment, stamp: dict[str, str]) -> None:
    draft = environment.stamp.with_suffix(".new")
    draft.write_text(json.dumps(stamp), encoding="utf-8")
    os.replace(draft, environment.stamp)
