"""One run of the check in the copy: confined, cut off from the network, with a limit of time."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.builder.failures import counts, is_complete
from desktop.builder.job import BUILD_S, TEST_S, BuildState, TestState, TestStatus
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.errors import Cancelled
from desktop.paths import Paths
from desktop.sandbox import environment
from desktop.sandbox.confiner import SHELL, Confiner, in_copy
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits
from desktop.tools.tool import Running

OUTPUT_BYTES = 200_000
MEMORY_BYTES = 4_000_000_000
FILE_BYTES = 500_000_000
DISK_BYTES = 4_000_000_000  # a first build of a large project makes half of it
LOOK_S = 0.25  # how often the copy is measured, at least
LOOK_SHARE = 0.05  # of a processor that measuring may take
STUCK_SHARE = 0.5  # of the limit: then Python is asked where it is
LONGEST_LINE = 2_000  # characters: a line is read by patterns, and nobody reads a longer one
SRC = "src"
# What a check was ended for stands below its own words, for whoever reads those: a person or a model.
_ENDED_FOR = {
    ChildEnding.TIMED_OUT: "[ended after {limit_s:.0f} s: it does not come to an end]",
    ChildEnding.TOO_MUCH_OUTPUT: "[ended: it prints without an end]",
    ChildEnding.TOO_MANY_PROCESSES: "[ended: it starts more and more processes]",
    ChildEnding.TOO_MUCH_MEMORY: "[ended: it needs more and more memory]",
    ChildEnding.FILE_TOO_LARGE: "[ended: it writes a file without an end]",
}
_FILLS_DISK = "[ended: it fills the disk]"


@dataclass(frozen=True)
class CheckLimits:
    """Limits of one run: seconds, and bytes that the copy may have on the disk."""

    test_s: float = TEST_S
    build_s: float = BUILD_S
    disk_bytes: int = DISK_BYTES


class CheckRunner:
    """Runs the check of one job. Used by its one thread; Stop ends the run under way."""

    def __init__(
        self,
        confiner: Confiner,
        paths: Paths,
        copy: ProjectCopy,
        running: Running,
        limits: CheckLimits | None = None,
    ) -> None:
        self._confiner = confiner
        self._copy = copy
        self._paths = paths
        self._running = running
        self._limits = limits or CheckLimits()

    def build(self, line: str, protected: Iterable[str]) -> tuple[BuildState, bool]:
        """The build command, and whether it ended well. Raises UserFacing and Cancelled."""
        outcome, text = self._run(line, self._limits.build_s, protected)
        good = outcome.ending is ChildEnding.EXITED and outcome.exit_code == 0
        return BuildState(notes=text, seconds=outcome.duration_s), good

    def test(self, line: str, target: str, least: int = 0, limit_s: float = math.inf) -> TestState:
        """The check. It passes with exit code 0 alone, and only where it changed neither a test nor `target`,
        the file that is worked on, and ran at least `least` tests. `limit_s` shortens its time. Raises
        UserFacing and Cancelled.
        """
        before, made = self._copy.content(target), self._copy.made()
        outcome, output = self._run(line, min(limit_s, self._limits.test_s), self._copy.tests)
        found = counts(output)
        status = TestStatus.PASSED if outcome.exit_code == 0 else TestStatus.FAILED
        if outcome.ending is not ChildEnding.EXITED:
            timed_out = outcome.ending is ChildEnding.TIMED_OUT
            status = TestStatus.TIMED_OUT if timed_out else TestStatus.CUT_OFF
        # Tests are held read-only; what else a check changes or makes is put right for the next run, which
        # is to begin with what the project has.
        changed = self._copy.changed(but=target)
        self._copy.restore(changed)
        self._copy.remove(self._copy.made() - made - {target})
        if self._copy.content(target) != before:
            self._copy.put(target, before)
            changed = (*changed, target)
        is_sound = is_complete(output, least) and not any(each == target or is_test(each) for each in changed)
        if status is TestStatus.PASSED and not is_sound:
            status = TestStatus.CHEATED
        code = outcome.exit_code if outcome.ending is ChildEnding.EXITED else None
        return TestState(status, output, outcome.duration_s, found.passed, found.failed, code, changed)

    def _run(self, line: str, limit_s: float, protected: Iterable[str]) -> tuple[ChildResult, str]:
        """What came of it, and what it said."""
        held = in_copy(
            self._paths,
            self._copy.folder,
            self._copy.temporary,
            self._copy.protect(protected),
            _settings(self._copy),
        )
        words = self._confiner.words(held, (SHELL, "-c", "--", line))
        command = Command(words, self._copy.folder, _environment(self._copy.folder, limit_s))
        limits = Limits(
            time_s=limit_s, output_bytes=OUTPUT_BYTES, memory_bytes=MEMORY_BYTES, file_bytes=FILE_BYTES
        )
        child = Child(command, limits)
        self._running.on_stop(child.cancel)
        with _DiskWatch(self._copy, self._limits.disk_bytes, child.cancel) as watch:
            outcome = child.run()
        if watch.is_full:
            outcome = replace(outcome, ending=ChildEnding.FILE_TOO_LARGE)
        # Stop may have come between two runs, when there was no child to be ended.
        if self._running.stopped.is_set() or outcome.ending is ChildEnding.CANCELLED:
            raise Cancelled
        ended = _FILLS_DISK if watch.is_full else _ENDED_FOR.get(outcome.ending, "")
        text = self._text(outcome)
        return outcome, f"{text}\n{ended.format(limit_s=limit_s)}" if ended else text

    def _text(self, outcome: ChildResult) -> str:
        """With the copy's folder as the project's: what is shown must make sense to whoever reads it."""
        text = outcome.output.text().replace(f"{self._copy.folder}/", "").rstrip()
        return "\n".join(map(_shortened, text.split("\n")))


class _DiskWatch:
    """Measures the copy on a thread of its own while a child runs, and ends the child where that is too much:
    no limit of the system counts what all files of a folder take together.
    """

    def __init__(self, copy: ProjectCopy, most_bytes: int, end: Callable[[], None]) -> None:
        self._copy, self._most_bytes, self._end = copy, most_bytes, end
        self._over = threading.Event()
        self.is_full = False
        self._thread = threading.Thread(target=self._watch, name="disk of a check", daemon=True)

    def __enter__(self) -> _DiskWatch:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        wait_s = LOOK_S
        while not self._over.wait(wait_s):
            begun = time.monotonic()
            if self._copy.size() > self._most_bytes:
                self.is_full = True
                self._end()
                return
            wait_s = max(LOOK_S, (time.monotonic() - begun) / LOOK_SHARE)


def _shortened(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    half = LONGEST_LINE // 2
    return f"{line[:half]} … {line[-half:]}"


def _settings(copy: ProjectCopy) -> tuple[str, ...]:
    """Variables that keep tools in the copy, and from the network that they would wait for."""
    cache = copy.temporary
    return (
        "CARGO_NET_OFFLINE=true",
        "GOPROXY=off",
        "GOFLAGS=-mod=mod",
        f"GOCACHE={cache}/go",
        "npm_config_offline=true",
        "PIP_NO_INDEX=1",
    )


def _environment(folder: Path, limit_s: float) -> Mapping[str, str]:
    sources = [str(each) for each in (folder, folder / SRC) if each.is_dir()]
    stuck_s = max(limit_s * STUCK_SHARE, 1.0)
    return {
        **environment.clean(os.environ),
        # Before what is installed: a package installed from its own folder would be tested as it is there.
        "PYTHONPATH": os.pathsep.join(sources),
        # Two versions of a file within one second have one stamp: a stale one would be run.
        "PYTHONDONTWRITEBYTECODE": "1",
        # A test that hangs says where, before it is ended.
        "PYTEST_ADDOPTS": f"-p no:cacheprovider -o faulthandler_timeout={stuck_s:.0f}",
    }
