"""One run of the check in the copy: confined, cut off from the network, with a limit of time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop.builder.failures import counts, is_complete
from desktop.builder.job import BUILD_S, TEST_S, BuildState, TestState, TestStatus
from desktop.builder.project_copy import ProjectCopy
from desktop.errors import Cancelled
from desktop.paths import Paths
from desktop.sandbox import environment
from desktop.sandbox.confiner import SHELL, Confiner, in_copy
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits
from desktop.tools.tool import Running

OUTPUT_BYTES = 200_000
MEMORY_BYTES = 4_000_000_000
FILE_BYTES = 500_000_000
STUCK_SHARE = 0.5  # of the limit: then Python is asked where it is
SRC = "src"


@dataclass(frozen=True)
class CheckLimits:
    """Seconds of one run."""

    test_s: float = TEST_S
    build_s: float = BUILD_S


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
        outcome = self._run(line, self._limits.build_s, protected)
        good = outcome.ending is ChildEnding.EXITED and outcome.exit_code == 0
        return BuildState(notes=self._text(outcome), seconds=outcome.duration_s), good

    def test(self, line: str, target: str, least: int = 0) -> TestState:
        """The check. It passes with exit code 0 alone, and only where it changed no test and ran at least
        `least` of them. Raises UserFacing and Cancelled.
        """
        outcome = self._run(line, self._limits.test_s, self._copy.tests)
        output = self._text(outcome)
        found = counts(output)
        status = TestStatus.PASSED if outcome.exit_code == 0 else TestStatus.FAILED
        if outcome.ending is ChildEnding.TIMED_OUT:
            status = TestStatus.TIMED_OUT
        elif outcome.ending is not ChildEnding.EXITED:
            status = TestStatus.FAILED
        # Tests are held read-only; other files that a check replaces are put right for the next try.
        changed = self._copy.changed(but=target)
        self._copy.restore(changed)
        is_sound = is_complete(output, least) and not any(each in self._copy.tests for each in changed)
        if status is TestStatus.PASSED and not is_sound:
            status = TestStatus.CHEATED
        code = outcome.exit_code if outcome.ending is ChildEnding.EXITED else None
        return TestState(status, output, outcome.duration_s, found.passed, found.failed, code)

    def _run(self, line: str, limit_s: float, protected: Iterable[str]) -> ChildResult:
        held = in_copy(
            self._paths,
            self._copy.folder,
            self._copy.temporary,
            self._copy.protect(protected),
            _settings(self._copy),
        )
        words = self._confiner.words(held, (SHELL, "-c", line))
        command = Command(words, self._copy.folder, _environment(self._copy.folder, limit_s))
        limits = Limits(
            time_s=limit_s, output_bytes=OUTPUT_BYTES, memory_bytes=MEMORY_BYTES, file_bytes=FILE_BYTES
        )
        child = Child(command, limits)
        self._running.on_stop(child.cancel)
        outcome = child.run()
        # Stop may have come between two runs, when there was no child to be ended.
        if self._running.stopped.is_set() or outcome.ending is ChildEnding.CANCELLED:
            raise Cancelled
        return outcome

    def _text(self, outcome: ChildResult) -> str:
        """With the copy's folder as the project's: what is shown must make sense to whoever reads it."""
        return outcome.output.text().replace(f"{self._copy.folder}/", "").rstrip()


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
