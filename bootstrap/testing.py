"""The verb `test`: pytest in lanes, one more than a small computer has cores.

The first lane runs everything below the rooms that draw where no Qt is installed, the second the rooms that
need Qt, and any more do first the one and then the other. All that run the same share it, a file of tests at
a time (tests/claims.py), and who is through helps the others. At the end the first lane runs with Qt what has
not passed without it. Each lane has a screen and a session bus of its own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from bootstrap.computer import VIRTUAL_SCREEN, need_from_system
from bootstrap.environment import DEV, WITHOUT_QT, set_up
from bootstrap.package.build import package
from bootstrap.programs import ROOT, Stop, cache_folder, call, say

ARTEFACTS = ROOT / "test-artefacts"
LEFT_OUT = {"--quick": ("children", "model", "pictures", "setup", "slow"), "--full": ()}
USUALLY_LEFT_OUT = ("pictures", "slow")
LONGEST_SLOW_TEST_S = 2400  # then one hangs, on a loaded computer too; others have pyproject.toml's limit
INTERRUPTED = 130  # the exit code of what the user has broken off
# A run that reads its tests as it comes to them cannot tell how much of the whole is done.
PROGRESS = ("-o", "console_output_style=count")
MODEL = "qwen2.5-coder-1.5b"  # that the slow part talks to (tests/flows/real_model.py)
MOST_CORES = 4  # for each of which there is a lane; more wait for the longest file


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
    if own == ["--full"] and "STEWARD_TEST_PROFILE" not in os.environ:
        os.environ["STEWARD_TEST_PROFILE"] = str(fetch_model())
    if own == ["--quick"] or extra:
        if extra:
            say("The run without Qt is left out when pytest arguments are given.")
        return all_rooms(left_out, extra, "tests.xml")
    code = all_lanes(left_out)
    return (acceptance() or code) if own == ["--full"] else code


def fetch_model() -> Path:
    """The profile, beside what else is kept for other runs, that has the model of the slow part. Without it
    the tests that talk with the model would be skipped, and the whole be called passed."""
    profile = cache_folder() / "test-profile"
    say("The model that the slow part talks with, fetched once.")
    if call([set_up(DEV), "-m", "desktop", "--profile", profile, "models", "get", MODEL]):
        told = "The model of the slow part could not be fetched; nothing was tested. Try again, or name a"
        raise Stop(f"{told} profile that has it in STEWARD_TEST_PROFILE.")
    return profile


def all_lanes(left_out: Sequence[str]) -> int:
    """What the other lanes say is shown when all are through."""
    python = set_up(DEV)
    without_qt = set_up(WITHOUT_QT)
    need_from_system(*system_groups())
    below, drawing = Share(), Share()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as beside:
        os.environ |= {"STEWARD_PASSED_WITHOUT_QT": f"{folder}/passed", "STEWARD_CLAIMS": f"{folder}/claims"}
        lanes = []
        for number in range(2, lane_count() + 1):
            runs = [
                (drawing, rooms_with_qt(python, left_out, number)),
                (below, rooms_without_qt(without_qt, number)),
            ]
            lane = Lane(runs if number == 2 else runs[::-1], ARTEFACTS / f"tests-{number}.log")
            lanes.append(beside.enter_context(lane))
        say("Without Qt, everything below the rooms that draw.")
        code = run(below, rooms_without_qt(without_qt, 1))
        below.wait()
        say("\nWith Qt, all that has not passed without, and a share of the rooms that draw.")
        rest = ["--rooms-below"] if drawing.is_over else []
        code = (
            call([*on_screen(python, left_out, "tests.xml"), "-p", "tests.lanes", *PROGRESS, *rest]) or code
        )
        codes = [code, *(lane.wait() for lane in lanes)]
    for lane in lanes:
        say(f"\nBeside it ({lane.log.name}):")
        sys.stdout.write(lane.log.read_text(encoding="utf-8", errors="replace"))
        sys.stdout.flush()
    return next((each for each in codes if each), 0)


def lane_count() -> int:
    """One more than cores: while a test waits for a disk, a clock or an answer, another has its core."""
    return min(os.cpu_count() or 1, MOST_CORES) + 1


def run(share: Share, command: Sequence[str | Path]) -> int:
    with share.taken():
        return call(command)


class Share:
    """What several runs of pytest do together. Any thread.

    A run ends when every file of tests has been taken; so once one has ended, no further one is begun.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._over = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to take; what was taken may still be running."""
        with self._changed:
            return self._over

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Around a run: whether there is anything left for it."""
        with self._changed:
            is_needed = not self._over
            self._running += is_needed
        try:
            yield is_needed
        finally:
            with self._changed:
                self._over = True
                self._running -= is_needed
                self._changed.notify_all()

    def wait(self) -> None:
        """Until all runs have ended."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running)


class Lane:
    """Runs, one after the other, those commands of which the share is not over; the output goes to `log`.

    It is left when all are through, or ends what it runs when what is beside it breaks off.
    """

    def __init__(self, runs: Sequence[tuple[Share, Sequence[str | Path]]], log: Path) -> None:
        self.log = log
        self._runs = runs
        self._running: subprocess.Popen[bytes] | None = None
        self._broken_off = threading.Event()
        self._thread = threading.Thread(target=self._run, name=log.stem)
        self._code = 0

    def __enter__(self) -> Lane:
        self._thread.start()
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            self._broken_off.set()
            if (running := self._running) is not None:
                running.terminate()
        self._thread.join()

    def wait(self) -> int:
        """Its exit code: the first that is none of success."""
        self._thread.join()
        return self._code

    def _run(self) -> None:
        with self.log.open("wb") as output:
            for share, command in self._runs:
                with share.taken() as is_needed:
                    code = self._call(command, output) if is_needed else 0
                    self._code = self._code or code

    def _call(self, command: Sequence[str | Path], output: IO[bytes]) -> int:
        if self._broken_off.is_set():
            return INTERRUPTED
        self._running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        if self._broken_off.is_set():  # between the start and the name
            self._running.terminate()
        return self._running.wait()


def all_rooms(left_out: Sequence[str], extra: Sequence[str], report: str) -> int:
    """In one run, with Qt."""
    python = set_up(DEV)
    need_from_system(*system_groups())
    return call([*on_screen(python, left_out, report), *extra])


def system_groups() -> tuple[str, ...]:
    """Groups of system.toml that the tests want on this machine."""
    return ("screen", "tests", "neighbours") if os.environ.get("CI") else ("screen", "tests")


def acceptance() -> int:
    """The acceptance checks, each with the tests that hold it, which the other runs only look for."""
    say("\nThe acceptance checks, each with its tests.")
    os.environ["STEWARD_ACCEPTANCE"] = "1"
    return all_rooms([], ["tests/acceptance"], "tests-acceptance.xml")


def rooms_without_qt(python: Path, lane: int) -> list[str | Path]:
    """Everything below the rooms that draw, where no Qt is installed; what is slow runs with Qt."""
    command = pytest([python], ["slow", "desktop"], f"tests-without-qt-{lane}.xml")
    return [*command, "-p", "tests.without_qt", *PROGRESS, "-o", f"cache_dir=.pytest_cache/without_qt_{lane}"]


def rooms_with_qt(python: Path, left_out: Sequence[str], lane: int) -> list[str | Path]:
    """The rooms that draw, which need not wait for what passes without Qt."""
    command = on_screen(python, left_out, f"tests-{lane}.xml")
    return [
        *command,
        "-p",
        "tests.lanes",
        "--rooms-with-qt",
        *PROGRESS,
        "-o",
        f"cache_dir=.pytest_cache/with_qt_{lane}",
    ]


def on_screen(python: Path, left_out: Sequence[str], report: str) -> list[str | Path]:
    """pytest on a virtual screen, where there is one."""
    if shutil.which(VIRTUAL_SCREEN[0]):
        return pytest([*VIRTUAL_SCREEN, python], left_out, report)
    return pytest([python], [*left_out, "desktop"], report)


def clear_away(folder: str) -> subprocess.Popen[bytes]:
    """In a process of its own, which goes on: beside busy programs a hundred thousand files take minutes."""
    code = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"
    return subprocess.Popen(
        [sys.executable, "-S", "-c", code, folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def pytest(python: Sequence[str | Path], left_out: Sequence[str], report: str) -> list[str | Path]:
    """Its command line. Its exit code is taken as it is: 5, nothing was collected, is a failure too."""
    ARTEFACTS.mkdir(exist_ok=True)
    os.chdir(ROOT)
    os.environ.setdefault("STEWARD_TEST_MODELS", str(cache_folder() / "models"))
    os.environ["STEWARD_TEST_ARTEFACTS"] = str(ARTEFACTS)
    expression = " and ".join(f"not {marker}" for marker in left_out)
    # Runs that share pytest's own folder clear it away under each other, which ends one of them.
    folder = tempfile.mkdtemp(prefix="tests-")
    atexit.register(clear_away, folder)
    options = [f"--basetemp={folder}/run", f"--junitxml={ARTEFACTS / report}"]
    if "slow" not in left_out:
        options += ["-o", f"faulthandler_timeout={LONGEST_SLOW_TEST_S}"]
    return [*python, "-m", "pytest", "-p", "tests.bytecode", "-m", expression, *options]
