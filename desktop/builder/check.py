"""One run of the check in the copy, confined, without network, with a limit of time; and what it said."""

from __future__ import annotations

import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

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


# -- what a failed check said ------------------------------------------------------------------

# What a failed check said: how many tests passed, the first failure, and the places that it names.
#
# Read from the words of common test programs and compilers; what is not understood is left out, never
# guessed. Pure functions.

LONGEST_FAILURE = 1_200  # characters: all that a small model is told of it
_ENDINGS = r"py|jsx?|mjs|cjs|tsx?|mts|go|rs|c|h"
_PLACE = re.compile(
    rf"""
    (?<![\w./\\@+-])  # begun anywhere in a word, a long one would be read once for each of its letters
    (?P<path> (?:[A-Za-z]:)? [\w./\\@+-]{{1,400}} \. (?:{_ENDINGS}) )
    (?: " , \s line \s (?P<quoted>\d+) | : (?P<colon>\d+) | \( (?P<round>\d+) , )
    """,
    re.VERBOSE,
)
_COUNTS = (  # passed, failed
    (re.compile(r"(?m)^test result: \w+\. (\d+) passed; (\d+) failed"), "both"),  # cargo, several times
    (re.compile(r"\b(\d+) (?:passed|passing)\b"), "passed"),  # pytest, jest, vitest, mocha
    (re.compile(r"\b(\d+) (?:failed|failing|errors?)\b(?! generated)"), "failed"),
    (re.compile(r"(?m)^(?:#|ℹ) pass (\d+)"), "passed"),  # node --test
    (re.compile(r"(?m)^(?:#|ℹ) fail (\d+)"), "failed"),
    (re.compile(r"(?m)^\s*--- PASS: "), "each passed"),  # go test -v
    (re.compile(r"(?m)^\s*--- FAIL: "), "each failed"),
)
_SAYS_ALL = re.compile(r"(?m)^(?:PASS|ok[ \t]+\S.*)$")
_UNITTEST = re.compile(r"(?m)^Ran (\d+) tests? in ")
_UNITTEST_BAD = re.compile(r"(?m)^FAILED \((.*)\)$")
_PYTEST_BLOCK = re.compile(r"(?m)^_{3,} (?P<name>.*?) _{3,}$")
_PYTEST_END = re.compile(r"(?m)^(?:_{3,} .* _{3,}|={3,} .* ={3,})$")
_UNITTEST_BLOCK = re.compile(r"(?ms)^={20,}\n(?P<block>(?:FAIL|ERROR): .*?)(?=^={20,}$|^-{20,}\nRan )")
_BEGINS = re.compile(
    r"(?im)^.*(?:\berror\b|\bpanic(?:ked)?\b|assert|--- FAIL|not ok|✖|✗|\bfail(?:ed|ure)?\b|expected"
    r"|exception|segmentation|Timeout \().*$"
)
_DIFFERS = (
    re.compile(r"0x[0-9a-f]+"),
    re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds)\b"),
    re.compile(r"/[^\s:'\"]*/"),
    re.compile(r"(?<=:)\d+\b|(?<=line )\d+"),
)


@dataclass(frozen=True)
class FailurePlace:
    """A line of a file that the output names; `file` is relative to the project, with slashes."""

    file: str
    line: int


@dataclass(frozen=True)
class Counts:
    """How many tests passed and failed; None where the output does not say."""

    passed: int | None = None
    failed: int | None = None


def counts(output: str) -> Counts:
    """How many tests passed and failed."""
    ran = _UNITTEST.search(output)
    if ran is not None:
        bad = _UNITTEST_BAD.search(output)
        numbers = re.findall(r"(?:failures|errors)=(\d+)", bad[1]) if bad else []
        failed = sum(map(int, numbers))
        return Counts(int(ran[1]) - failed, failed)
    found: dict[str, int] = {}
    for pattern, what in _COUNTS:
        for match in pattern.finditer(_summary(output) if what in ("passed", "failed") else output):
            _count(found, what, match)
        # Its last line is that of the examples in comments, of which a project seldom has any.
        if what == "both" and found:
            break
    if not found:
        return Counts()
    return Counts(found.get("passed", 0), found.get("failed", 0))


def is_complete(output: str, least: int) -> bool:
    """Whether at least so many tests were run. Go's program names tests only where one fails; that it came
    to its end it says all the same, which a program that was ended in the middle does not.
    """
    found = counts(output)
    if found.passed is None:
        return not least or _SAYS_ALL.search(output) is not None
    return found.passed + (found.failed or 0) >= least


def _count(found: dict[str, int], what: str, match: re.Match[str]) -> None:
    if what == "both":
        found["passed"] = found.get("passed", 0) + int(match[1])
        found["failed"] = found.get("failed", 0) + int(match[2])
    elif what.startswith("each"):
        name = what.removeprefix("each ")
        found[name] = found.get(name, 0) + 1
    elif match.groups():
        found[what] = int(match[1])  # of several lines the last one counts


def _summary(output: str) -> str:
    """The last lines: a test may print "3 passed" itself, before the program that runs it does."""
    lines = output.rstrip().splitlines()[-12:]
    # pytest's own last line says all of it; a line of a test above must not add to that.
    whole = [each for each in lines if re.search(r"\b\d+ (?:passed|failed|errors?)\b.* in [\d.:]+", each)]
    return whole[-1] if whole else "\n".join(lines)


def first_failure(output: str) -> str:
    """The first thing that went wrong, in the check's own words; at most `LONGEST_FAILURE` characters."""
    return _shortened_text(_first_block(output).strip("\n"))


def _first_block(output: str) -> str:
    # One failure and not all: a small model that is told of three mends none.
    block = _PYTEST_BLOCK.search(output)
    if block is not None:
        end = _PYTEST_END.search(output, block.end())
        return output[block.start() : end.start() if end else len(output)]
    unittest = _UNITTEST_BLOCK.search(output)
    if unittest is not None:
        return unittest["block"]
    begins = _BEGINS.search(output)
    return output[begins.start() :] if begins else output


def _shortened_text(text: str) -> str:
    """What was expected and what came stands at the end, where it began at the beginning."""
    if len(text) <= LONGEST_FAILURE:
        return text
    head, tail = LONGEST_FAILURE // 3, LONGEST_FAILURE * 2 // 3 - 5
    return f"{text[:head]}\n...\n{text[-tail:]}"


def places(output: str, folder: Path) -> tuple[FailurePlace, ...]:
    """The lines of files in `folder` that the first failure names, in its order; then those of the rest."""
    found = [*_places(_first_block(output), folder), *_places(output, folder)]
    return tuple(dict.fromkeys(found))


def _places(text: str, folder: Path) -> list[FailurePlace]:
    found = []
    for match in _PLACE.finditer(text):
        path = Path(match["path"].replace("\\", "/"))
        line = match["quoted"] or match["colon"] or match["round"]
        inside = _inside(path, folder)
        if inside:
            found.append(FailurePlace(inside, int(line)))
    return found


def _inside(path: Path, folder: Path) -> str:
    """Relative to the folder; "" for what is no file in it."""
    # A traceback also names the library, and a test's words may name anything.
    whole = path if path.is_absolute() else folder / path
    if not whole.is_relative_to(folder) or ".." in whole.parts or not whole.is_file():
        return ""
    return whole.relative_to(folder).as_posix()


def essence(failure: str) -> str:
    """A failure without what differs from run to run: two with the same essence are the same."""
    for pattern in _DIFFERS:
        failure = pattern.sub("", failure)
    return " ".join(failure.split())
