"""`dev.py bench first_start`: from a fresh clone and an empty home to the first window and the first answer.

The clone is of what is committed here. Its home is a new folder, so no cache of pip, npm or a compiled
llama.cpp is met; system packages are those of this computer. README's command starts on a virtual desktop,
and two clocks stop: when its window is there, and when everything is set up behind it. A second start
follows, then a question in a terminal, which fetches the recommended model; in the window it would come
beside the set-up, after a click. Needs a network.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from tests.bench.machine import machine
from tests.flows.desktop_session import DesktopSession, desktop_session, stop

ROOT = Path(__file__).resolve().parents[2]
WINDOW = "Steward"
QUESTION = "What is the capital of France? Answer with one word."
LONGEST_S = 1800
TARGETS = {"window_s": 60, "answer_s": 180}


@dataclass(frozen=True)
class Part:
    """One command: seconds by the clock, of the processor, and what it said last."""

    clock_s: float
    processor_s: float
    said: str


def measure(folder: Path) -> dict[str, object]:
    clone, home = folder / "steward", folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    # The system's own Python, as somebody has it who has never seen this: not the environment of the bench.
    python = shutil.which("python3", path=_outside(os.environ["PATH"])) or sys.executable
    command = [python, str(clone / "dev.py"), "run"]
    with desktop_session() as session:
        environ = _fresh(session.environment, home)
        stamp = clone / ".venv" / "steward-setup.json"
        first, set_up_s = _until_window(session, command, environ, stamp)
        second, _ = _until_window(session, command, environ, stamp)
        answer = _until_end([*command, "ask", QUESTION], environ)
    return {
        "bench": "first_start",
        "machine": machine(),
        "first_window": asdict(first),
        "second_window": asdict(second),
        "question": asdict(answer),
        "window_s": first.clock_s,
        "set_up_s": set_up_s,
        "answer_s": round(set_up_s + answer.clock_s, 1),
        "targets": TARGETS,
    }


def _outside(path: str) -> str:
    """PATH without the folder of this environment."""
    own = str(Path(sys.executable).parent)
    return os.pathsep.join(each for each in path.split(os.pathsep) if each != own)


def _fresh(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """The session's, with a home in which nothing was kept."""
    kept = {k: v for k, v in environment.items() if not k.startswith("XDG_") or k == "XDG_RUNTIME_DIR"}
    return {**kept, "HOME": str(home), "PATH": _outside(environment["PATH"]), "CMAKE_ARGS": ""}


def _until_window(
    session: DesktopSession, command: list[str], environ: dict[str, str], stamp: Path
) -> tuple[Part, float]:
    """Start, wait for a window and for the `stamp` of a finished set-up, end the program; the window, whose
    seconds of the processor are those up to the end, and when the set-up was finished.
    """
    begun, spent = time.monotonic(), _processor_s()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=said, text=True)
        try:
            clock_s = _seconds_until(lambda: bool(session.windows(WINDOW)), process, said) - begun
            set_up_s = _seconds_until(stamp.exists, process, said) - begun
        finally:
            stop(process)
        said.seek(0)
        told = re.findall(r"^Steward is set up.*$", said.read(), re.MULTILINE)
    # Known when the program has ended: its end is counted too, a few hundredths.
    window = Part(round(clock_s, 1), round(_processor_s() - spent, 1), "".join(told))
    return window, round(set_up_s, 1)


def _seconds_until(is_so: Callable[[], bool], process: subprocess.Popen[str], said: IO[str]) -> float:
    """The moment, on the monotonic clock. Raises SystemExit where the program ends before, or after long."""
    begun = time.monotonic()
    while not is_so():
        if process.poll() is not None or time.monotonic() - begun > LONGEST_S:
            said.seek(0)
            raise SystemExit(f"It did not come so far. What was said last:\n{said.read()[-2000:]}")
        time.sleep(0.1)
    return time.monotonic()


def _until_end(command: list[str], environ: dict[str, str]) -> Part:
    begun, spent = time.monotonic(), _processor_s()
    done = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S
    )
    if done.returncode:
        raise SystemExit(f"No answer came. What was said last:\n{done.stderr[-2000:]}")
    return Part(
        round(time.monotonic() - begun, 1), round(_processor_s() - spent, 1), done.stdout.strip()[:200]
    )


def _processor_s() -> float:
    """Of all children that have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep clone and home below this folder")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True)
        result = measure(options.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
            result = measure(Path(folder))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
