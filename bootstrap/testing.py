"""The verb `test`: pytest in two lanes, one for each core of a small computer.

The first lane runs everything below the rooms that draw where no Qt is installed, the second the rooms that
need Qt. Whichever is through first helps the other, a file of tests at a time (tests/claims.py). At the end
comes with Qt what has not passed without it. Each lane has a screen and a session bus of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from bootstrap.computer import VIRTUAL_SCREEN, need_from_system
from bootstrap.environment import DEV, WITHOUT_QT, set_up
from bootstrap.package.build import package
from bootstrap.programs import ROOT, Stop, cache_folder, call, say

ARTEFACTS = ROOT / "test-artefacts"
LEFT_OUT = {"--quick": ("children", "model", "pictures", "setup", "slow"), "--full": ()}
USUALLY_LEFT_OUT = ("pictures", "slow")


def test(words: Sequence[str]) -> int:
    """pytest's exit code; that of the lane that failed."""
    place = list(words).index("--") if "--" in words else len(words)
    own, extra = list(words[:place]), list(words[place + 1 :])
    if own not in ([], ["--quick"], ["--full"]):
        told = f"test takes --quick or --full, and pytest's own arguments after --; not: {' '.join(own)}"
        raise Stop(told, 2)
    left_out = LEFT_OUT.get("".join(own), USUALLY_LEFT_OUT)
    if own == ["--full"] and sys.platform == "linux" and "STEWARD_BUNDLE" not in os.environ:
        package(["cpu"])  # the tests of the bundle read and start the last build: it shall be of this source
    if own == ["--quick"] or extra:
        if extra:
            say("The run without Qt is left out when pytest arguments are given.")
        return all_rooms(left_out, extra, "tests.xml")
    code = both_lanes(left_out)
    return (acceptance() or code) if own == ["--full"] else code


def both_lanes(left_out: Sequence[str]) -> int:
    """What the second lane says is shown when both are through."""
    python = set_up(DEV)
    without_qt = set_up(WITHOUT_QT)
    need_from_system("screen", "tests")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"STEWARD_PASSED_WITHOUT_QT": f"{folder}/passed", "STEWARD_CLAIMS": f"{folder}/claims"}
        rooms = [*on_screen(python, left_out, "tests-2.xml"), "-p", "tests.lanes", "--rooms-with-qt"]
        rooms += ["-o", "cache_dir=.pytest_cache/second"]
        with SecondLane(rooms, rooms_without_qt(without_qt, 2), ARTEFACTS / "tests-2.log") as second:
            say("Without Qt, everything below the rooms that draw.")
            code = call(rooms_without_qt(without_qt, 1))
            rest = ["--rooms-below"] if second.help_is_over() else []
            say(
                "\nWith Qt, all that has not passed without"
                + ("." if rest else ", and half of the rooms that draw.")
            )
            code = call([*on_screen(python, left_out, "tests.xml"), "-p", "tests.lanes", *rest]) or code
            other = second.wait()
    say("\nThe other half, which ran beside.")
    sys.stdout.write((ARTEFACTS / "tests-2.log").read_text(encoding="utf-8", errors="replace"))
    sys.stdout.flush()
    return code or other


class SecondLane:
    """Runs `rooms`, then `help_out` where the first lane still has use for it; the output goes to `log`.

    It is left when both are through, or ends what it runs when what is beside it breaks off.
    """

    def __init__(self, rooms: Sequence[str | Path], help_out: Sequence[str | Path], log: Path) -> None:
        self._commands = (rooms, help_out)
        self._log = log
        self._step = threading.Lock()  # held while it helps, and to say that no more help is needed
        self._needed = True
        self._running: subprocess.Popen[bytes] | None = None
        self._broken_off = threading.Event()
        self._thread = threading.Thread(target=self._run, name="second lane")
        self._rooms_done = False
        self._code = 0

    def __enter__(self) -> SecondLane:
        self._thread.start()
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            self._broken_off.set()
            if (running := self._running) is not None:
                running.terminate()
        self._thread.join()

    def help_is_over(self) -> bool:
        """Waits until it does not help any more, nor will; whether the rooms are through then."""
        with self._step:
            self._needed = False
            return self._rooms_done

    def wait(self) -> int:
        """Its exit code: the first that is none of success."""
        self._thread.join()
        return self._code

    def _run(self) -> None:
        rooms, help_out = self._commands
        with self._log.open("wb") as output:
            self._code = self._call(rooms, output)
            with self._step:
                self._rooms_done = True
                if self._needed and not self._broken_off.is_set():
                    self._code = self._call(help_out, output) or self._code

    def _call(self, command: Sequence[str | Path], output: IO[bytes]) -> int:
        self._running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        if self._broken_off.is_set():  # between the start and the name
            self._running.terminate()
        return self._running.wait()


def all_rooms(left_out: Sequence[str], extra: Sequence[str], report: str) -> int:
    """In one run, with Qt."""
    python = set_up(DEV)
    need_from_system("screen", "tests")
    return call([*on_screen(python, left_out, report), *extra])


def acceptance() -> int:
    """The acceptance checks, each with the tests that hold it, which the other runs only look for."""
    say("\nThe acceptance checks, each with its tests.")
    os.environ["STEWARD_ACCEPTANCE"] = "1"
    return all_rooms([], ["tests/acceptance"], "tests-acceptance.xml")


def rooms_without_qt(python: Path, lane: int) -> list[str | Path]:
    """Everything below the rooms that draw, where no Qt is installed; what is slow runs with Qt."""
    command = pytest([python], ["slow", "desktop"], f"tests-without-qt-{lane}.xml")
    return [*command, "-p", "tests.without_qt", "-o", f"cache_dir=.pytest_cache/without_qt_{lane}"]


def on_screen(python: Path, left_out: Sequence[str], report: str) -> list[str | Path]:
    """pytest on a virtual screen, where there is one."""
    if shutil.which(VIRTUAL_SCREEN[0]):
        return pytest([*VIRTUAL_SCREEN, python], left_out, report)
    return pytest([python], [*left_out, "desktop"], report)


def pytest(python: Sequence[str | Path], left_out: Sequence[str], report: str) -> list[str | Path]:
    """Its command line. Its exit code is taken as it is: 5, nothing was collected, is a failure too."""
    ARTEFACTS.mkdir(exist_ok=True)
    os.chdir(ROOT)
    os.environ.setdefault("STEWARD_TEST_MODELS", str(cache_folder() / "models"))
    os.environ["STEWARD_TEST_ARTEFACTS"] = str(ARTEFACTS)
    expression = " and ".join(f"not {marker}" for marker in left_out)
    return [*python, "-m", "pytest", "-m", expression, f"--junitxml={ARTEFACTS / report}"]
