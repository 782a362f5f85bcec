"""The verb `test`: pytest in two lanes, one for each core of a small computer.

The first lane runs everything below the rooms that draw where no Qt is installed, then with Qt what has not
passed there, and helps with the rest. The second runs the rooms that need Qt from the beginning. Each has a
screen and a session bus of its own, and takes one file of tests after the other (tests/lanes.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
        os.environ |= {"STEWARD_PASSED_WITHOUT_QT": f"{folder}/passed", "STEWARD_CLAIMS": folder}
        second = [*on_screen(python, left_out, "tests-2.xml"), "-p", "tests.lanes", "--rooms-with-qt"]
        second += ["-o", "cache_dir=.pytest_cache/second"]
        with beside(second, ARTEFACTS / "tests-2.log") as running:
            code = rooms_without_qt(without_qt)
            say("\nWith Qt, all that has not passed without, and half of the rooms that draw.")
            code = call([*on_screen(python, left_out, "tests.xml"), "-p", "tests.lanes"]) or code
            other = running.wait()
    say("\nThe other half, which ran beside.")
    sys.stdout.write((ARTEFACTS / "tests-2.log").read_text(encoding="utf-8", errors="replace"))
    sys.stdout.flush()
    return code or other


@contextmanager
def beside(command: Sequence[str | Path], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run it with its output in a file, and end it when what runs beside it breaks off."""
    with log.open("wb") as output:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield running
        finally:
            if running.poll() is None:
                running.terminate()
            running.wait()


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


def rooms_without_qt(python: Path) -> int:
    """Everything below the rooms that draw, where no Qt is installed; what is slow runs with Qt."""
    say("Without Qt, everything below the rooms that draw.")
    options = ["-p", "tests.without_qt", "-o", "cache_dir=.pytest_cache/without_qt"]
    return call([*pytest([python], ["slow", "desktop"], "tests-without-qt.xml"), *options])


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
