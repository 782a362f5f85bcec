"""Messages, and running other programs: with progress, with our own terminal, or in our place."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, TextIO

from bootstrap.plan import Plan, current, spoken

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = sys.platform == "win32"

Words = Sequence["str | Path"]


class Stop(Exception):
    """Ends dev.py with this message and exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def say(text: str) -> None:
    """A message for the person. Never on stdout, which belongs to `steward`."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Listener(Protocol):
    """Who shows in a window how far the running step is."""

    def look(self, title: str, log: Path) -> None:
        """Some times a second, while the step called `title` writes `log`."""


LOOK_S = 0.25  # between two looks of a listener
_listeners: list[Listener] = []


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Until this ends, `listener` hears of every step in place of the terminal's line of progress."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.pop()


def cache_folder() -> Path:
    """Where compiled wheels, test models and logs of this user are kept, outside the tree."""
    if WINDOWS:
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "steward-dev"


def step(title: str, command: Words, keep_open: tuple[int, ...] = (), **environ: str) -> None:
    """Run `command` with its output in a log file and its progress on stderr; Stop with its last lines if it
    fails. `keep_open` are file descriptors that the program inherits."""
    logs = cache_folder() / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / (re.sub(r"[\W\d]+", "-", title.split(":")[0]).strip("-").lower() + ".log")
    say(title)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=keep_open,
        )
    plan = current()
    plan.begin(title)
    if watch(process, title, log, plan) != 0:
        tail = "\n".join("    " + line for line in log.read_text(errors="replace").splitlines()[-25:])
        code = process.returncode
        raise Stop(f"{title}\n  failed with exit code {code}. Its last lines:\n{tail}\n  All of it: {log}")
    plan.end()


def watch(process: subprocess.Popen[bytes], title: str, log: Path, plan: Plan) -> int:
    """Wait for `process`, showing how long all of it still takes and the last line of its log."""
    terminal = sys.stderr.isatty()
    started = time.monotonic()
    listener = _listeners[-1] if _listeners else None
    pause_s = LOOK_S if listener is not None else 0.5 if terminal else 5
    try:
        while True:
            try:
                return process.wait(timeout=pause_s)
            except subprocess.TimeoutExpired:
                if listener is not None:
                    listener.look(title, log)
                    continue
                line, share_done = last_line(log)
                left = spoken(plan.left_s(share_done))
                shown = f"{left} left: {line}" if left else line
                show_progress(time.monotonic() - started, shown, terminal)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        if terminal:
            show_progress(0, "", terminal)


def show_progress(elapsed_s: float, line: str, terminal: bool) -> None:
    """One line, rewritten in place on a terminal; an empty `line` clears it."""
    minutes, seconds = divmod(int(elapsed_s), 60)
    text = f"  {minutes}:{seconds:02} {line}" if line else ""
    width = shutil.get_terminal_size().columns - 1
    if terminal:
        sys.stderr.write(f"\r{text[:width]:<{width}}\r")
        sys.stderr.flush()
    else:
        say(text[:160])


def last_line(log: Path) -> tuple[str, float | None]:
    """What `log` says about where its program is: how many steps of a build are done, and what share of it
    that is; else its last line and None."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 16384))
        text = file.read().decode(errors="replace")
    steps = re.findall(r"^\[(\d+)/(\d+)\]", text, re.MULTILINE)
    if steps:
        done, total = steps[-1]
        return f"{done} of {total}", int(done) / max(int(total), 1)
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "working"), None


def call(command: Words, stdout: TextIO | None = None, **environ: str) -> int:
    """Run `command` with our own stdin and stderr, and our stdout unless another is given; its exit code."""
    process = subprocess.Popen(command, stdout=stdout, env={**os.environ, **environ})
    while True:
        with contextlib.suppress(
            KeyboardInterrupt
        ):  # Ctrl-C reaches the child too; how to end is its decision
            return process.wait()


def hand_over(command: Words) -> int:
    """Become `command` and never return; on Windows, which lacks that, run it: its exit code."""
    if not WINDOWS:
        os.execvp(command[0], [str(word) for word in command])  # noqa: S606 - no shell is wanted here
    return call(command)


def pip(python: Path, *words: str | Path) -> list[str | Path]:
    """The command line of this interpreter's pip. It asks nothing and reads its usual configuration."""
    return [python, "-m", "pip", "--no-input", "--disable-pip-version-check", *words]


def python_with_pip() -> Path:
    """This interpreter; where it has no pip, as Debian's has none, that of an environment made for it."""
    if importlib.util.find_spec("pip") is not None:
        return Path(sys.executable)
    folder = cache_folder() / "package" / "pip"
    python = folder / ("Scripts/python.exe" if WINDOWS else "bin/python")
    step("Making an environment with pip", [sys.executable, "-m", "venv", "--clear", folder])
    return python
