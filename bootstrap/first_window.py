"""The window before the rest: a first small set of packages, with which Steward's window opens. It then
starts `dev.py finish`, which sets up everything else behind it and says how far it is.

Only where nothing was ever finished: packages that are there already, in other versions, would be changed
under a running program. A kill leaves either the first set whole, which the next start goes on from, or a
virtual environment that is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TextIO

from bootstrap.computer import need_from_system
from bootstrap.environment import (
    COMPILE_S,
    MAKING,
    PREBUILT_SECONDS,
    SECONDS,
    SETUP_VERSION,
    TOOLS_S,
    Environment,
    install_llama,
    is_ready,
    key,
    only_one,
    packages_folder,
    prove,
    python_version,
    read_stamp,
    ready_wheel,
    works,
    write_launcher,
    write_path,
    write_stamp,
)
from bootstrap.llama import COMPILING, TOOLS, build_options, kept, wheel_name
from bootstrap.locks import locked, only, without
from bootstrap.native import build_native
from bootstrap.plan import Plan, following, spoken
from bootstrap.prebuilt import package_here, prebuilt_name
from bootstrap.programs import ROOT, WINDOWS, Stop, listening, pip, say, step
from bootstrap.telling import UNPACKING, Telling, failure, tell

# What the program imports until its first window has been walked to the end, with what those need; held by a
# test that makes all others absent. pip is the newer one: models that come in packages are fetched by it,
# and it must not be replaced while it does so.
FIRST = frozenset(
    {
        *("pip", "pyside6-essentials", "shiboken6", "qasync"),
        *("typer", "click", "shellingham", "rich", "markdown-it-py", "mdurl", "pygments", "annotated-doc"),
        *("pydantic", "pydantic-core", "annotated-types", "typing-inspection"),
        *("typing-extensions", "structlog", "tomlkit", "filelock", "platformdirs", "psutil"),
        *("httpx", "httpcore", "anyio", "certifi", "h11", "idna", "truststore"),
        *("attrs", "charset-normalizer", "colorama", "jeepney", "pathspec", "tree-sitter"),
    }
)
REST = "rest"  # in the marker of an unfinished set-up: the first set is whole
REST_BYTES = 53_000_000  # of wheels for Linux on x86-64; others are near
FIRST_S, FETCHING_S, UNPACKING_S = 8.0, 5.0, 9.0  # on two quiet cores with a quick line
ENDED = 130  # exit code where the window went away or asked for the end


def opens_first(environment: Environment) -> bool:
    """Whether nothing was ever finished here."""
    return not read_stamp(environment) and not is_ready(environment)


def first_stamp(environment: Environment) -> Path:
    """Says which first set is there, whole."""
    return environment.folder / "steward-first.json"


def has_first(environment: Environment) -> bool:
    try:
        found = json.loads(first_stamp(environment).read_text(encoding="utf-8"))
        is_whole = not environment.unfinished.exists() or environment.unfinished.read_text() == REST
    except (OSError, ValueError):
        return False
    return is_whole and found == first_key(environment)


def first_key(environment: Environment) -> str:
    """Changes when the first set is out of date: another lock, another Python or place."""
    try:
        interpreter = environment.python.stat()
    except OSError:
        return "no interpreter"
    wanted = only(environment.lock.read_text(encoding="utf-8"), FIRST)
    facts = (SETUP_VERSION, ROOT, interpreter.st_size, interpreter.st_mtime_ns, wanted)
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def first_set(environment: Environment) -> Path:
    """The Python of `environment` with what a window needs; a few milliseconds when it is there."""
    if has_first(environment):
        return environment.python
    with only_one() as lock:
        if opens_first(environment) and not has_first(environment):
            need_from_system("run")
            with following(Plan({MAKING: 1.0, "Installing": FIRST_S})) as steps:
                say(f"Preparing Steward's window: {spoken(steps.left_s())} with a quick line.")
                install_first(environment, () if WINDOWS else (lock,))
    return environment.python


def install_first(environment: Environment, keep_open: tuple[int, ...]) -> None:
    """The stamp comes last and whole; until then a kill means a new virtual environment."""
    bundled = bundled_pip()
    step(f"{MAKING} {environment.folder.name}", venv_command(environment, bundled is None))
    environment.unfinished.touch()
    wanted = only(environment.lock.read_text(encoding="utf-8"), FIRST)
    requirements = environment.folder / "steward-requirements.txt"
    requirements.write_text(wanted, encoding="utf-8")
    title = f"Installing the {len(locked(wanted))} packages that the window needs"
    # Bytecode is left to the first import: the window would wait for that of modules which nobody imports.
    words = ["--no-compile", "--no-deps", "--require-hashes", "-r", str(requirements)]
    environ = {"PYTHONPATH": str(bundled)} if bundled is not None else {}
    step(title, pip(environment.python, "install", *words), keep_open, **environ)
    write_path(environment)
    environment.unfinished.unlink()
    draft = first_stamp(environment).with_suffix(".new")
    draft.write_text(json.dumps(first_key(environment)), encoding="utf-8")
    os.replace(draft, first_stamp(environment))


def venv_command(environment: Environment, with_pip: bool) -> list[str | Path]:
    base = getattr(sys, "_base_executable", sys.executable)
    options = [] if with_pip else ["--without-pip"]
    return [base, "-m", "venv", "--clear", *options, environment.folder]


def bundled_pip() -> Path | None:
    """The wheel from which this Python makes pip in new environments: it runs as it is, and unpacking and
    compiling it only to replace it takes longer than everything else that the window waits for."""
    import ensurepip

    folders = [Path(ensurepip.__file__).parent / "_bundled"]
    if system := sysconfig.get_config_var("WHEEL_PKG_DIR"):  # where a distribution keeps such wheels
        folders.insert(0, Path(system))
    return next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)


# -- behind the window ---------------------------------------------------------------------------


def finish(environment: Environment, out: TextIO) -> int:
    """Set up what the first set lacks, telling `out` how far it is; the exit code."""
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        if not is_ready(environment):
            with only_one(lambda: tell(out, {"step": "waiting"})) as lock:
                if not is_ready(environment):
                    finish_now(environment, out, () if WINDOWS else (lock,))
        tell(out, {"done": True})
    except BrokenPipeError:
        # Nobody listens any more; what Python still holds for the pipe must not be an error at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return ENDED
    except (Stop, OSError) as error:
        say(f"\n{error}")
        tell(out, failure(error))
        return 1
    return 0


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    """As by Ctrl+C: what was started is ended, too."""
    raise KeyboardInterrupt


def finish_now(environment: Environment, out: TextIO, keep_open: tuple[int, ...]) -> None:
    if not has_first(environment) or not works(environment.python):
        first_stamp(environment).unlink(missing_ok=True)
        raise Stop("What the window was opened with is out of date or damaged. Quit Steward and start again.")
    with following(rest_plan(environment)) as plan:
        telling = Telling(out, plan, REST_BYTES, packages_folder(environment))
        with listening(telling), temporary_files_in(telling.arriving):
            install_rest(environment, keep_open)
    say("Steward is set up.")


@contextmanager
def temporary_files_in(folder: Path) -> Iterator[None]:
    """What is fetched lies there on its way, and can be measured. At the end the folder is deleted."""
    names = ("TEMP", "TMP") if WINDOWS else ("TMPDIR",)
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, str(folder)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)


def rest_plan(environment: Environment) -> Plan:
    """What is still to be done, with what is in the cache."""
    seconds = {"Installing": FETCHING_S, UNPACKING: UNPACKING_S, **SECONDS}
    del seconds[MAKING]
    options = build_options("")
    package = package_here(options)
    compiled = wheel_name(python_version(environment), options)
    if not kept(compiled) and (package is None or not kept(prebuilt_name(package))):
        seconds[TOOLS] = TOOLS_S
        seconds |= {COMPILING: COMPILE_S / (os.cpu_count() or 1)} if package is None else PREBUILT_SECONDS
    return Plan(seconds)


def install_rest(environment: Environment, keep_open: tuple[int, ...]) -> None:
    """Packages first: where the line is gone, that is said, and nobody is sent to install a compiler."""
    again = ["--ignore-installed"] if environment.unfinished.exists() else []
    environment.unfinished.write_text(REST, encoding="utf-8")
    build_native()
    wanted = without(environment.lock.read_text(encoding="utf-8"), FIRST)
    requirements = environment.folder / "steward-requirements.txt"
    requirements.write_text(wanted, encoding="utf-8")
    # After a kill half a package may be there that pip takes for whole, or cannot uninstall: written over.
    words = ["--no-deps", *again, "--require-hashes", "-r", str(requirements)]
    title = f"Installing {len(locked(wanted))} packages behind the window"
    step(title, pip(environment.python, "install", *words), keep_open)
    write_launcher(environment)
    options = build_options("")
    wheel = ready_wheel(environment, options, keep_open)
    wheel = install_llama(environment, wheel, options, again, keep_open)
    prove(environment)
    environment.unfinished.unlink()
    name = wheel.parent.name
    write_stamp(environment, {"key": key(environment, name), "options": options, "wheel": name})
    first_stamp(environment).unlink()
