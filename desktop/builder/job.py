"""What is to be done, how far it has come, and how it ended: values of the loop that makes a check pass.

All values are frozen: they cross threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.events import Event
from desktop.reasons import Reason

MOST_ROUNDS = 3
TEST_S = 60.0
BUILD_S = 120.0
LONGEST_MINUTES = 10.0


class Strategy(StrEnum):
    """What the second and the third try begin with."""

    ROUNDS = "rounds"  # what was tried before, and what it fails with
    FRESH = "fresh"  # nothing of what was tried before


class Improvement(StrEnum):
    """What one try does about the failure."""

    RETRY = "retry"
    REFINE = "refine"
    ESCALATE = "escalate"


class TestStatus(StrEnum):
    """How a run of the check ended."""

    __test__ = False  # for pytest: this is no class of tests

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CUT_OFF = "cut off"  # ended for what it took: output, memory, disk, processes
    NOT_BUILT = "not built"
    CHEATED = "cheated"  # ended with 0, and changed tests or its file, or ran fewer tests
    NOT_RUN = "not run"


class Stage(StrEnum):
    """What is being done at the moment."""

    COPYING = "copying"
    CHECKING = "checking"
    WRITING = "writing"
    BUILDING = "building"
    TESTING = "testing"
    ENDED = "ended"


class JobEnding(StrEnum):
    """Why nothing more is tried."""

    SOLVED = "solved"
    PASSES_ALREADY = "passes already"
    FLAKY = "flaky"
    ESCALATED = "escalated"  # to the person: what was tried did not do
    REPEATED = "repeated"  # the same text or the same failure twice
    OUT_OF_TIME = "out of time"
    STOPPED = "stopped"
    REFUSED = "refused"  # before it began


@dataclass(frozen=True)
class CheckJob:
    """`files` are relative to `folder` or absolute; none: the file is taken from the failure.

    `check` and `build` are lines for a shell, which `folder` is the folder of. `about` says in words what the
    function should do. `function` is the head of one that is not there yet, such as `slug(text)`, to be
    written at the end of the file. `session` is under which name memory keeps what happens.
    """

    check: str
    folder: Path
    files: tuple[str, ...] = ()
    build: str = ""
    about: str = ""
    function: str = ""
    rounds: int = MOST_ROUNDS
    minutes: float = LONGEST_MINUTES
    strategy: Strategy = Strategy.ROUNDS
    session: str = ""


@dataclass(frozen=True)
class BuildState:
    """What the model made last. `output` is the function, `notes` why it was not tested, or what the build
    command said; `tokens` are those of the answer.
    """

    output: str = ""
    notes: str = ""
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class TestState:
    """The last run of the check. Counts are None where the check does not say them. `changed` are files of
    the project that it changed itself; they are put back after each run.
    """

    __test__ = False  # for pytest: this is no class of tests

    status: TestStatus = TestStatus.NOT_RUN
    output: str = ""
    duration_s: float = 0.0
    passed: int | None = None
    failed: int | None = None
    exit_code: int | None = None
    changed: tuple[str, ...] = ()

    @property
    def total(self) -> int | None:
        """How many tests were run."""
        return None if self.passed is None else self.passed + (self.failed or 0)


@dataclass(frozen=True)
class Round:
    """One try: what it did, what came of it, and whether it is the best so far."""

    number: int
    improvement: Improvement
    build: BuildState
    test: TestState
    failure: str = ""
    is_best: bool = False
    from_memory: bool = False  # a fix that had worked before, and no model was asked


@dataclass(frozen=True)
class FaultPlace:
    """The function at fault: lines from 1, both ends included."""

    file: str
    function: str
    first_line: int
    last_line: int


@dataclass(frozen=True)
class LoopState:
    """How far it has come: what a card shows while it runs. `place` is None until it was found."""

    stage: Stage
    iteration: int = 0
    rounds: int = MOST_ROUNDS
    place: FaultPlace | None = None
    done: tuple[Round, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """A file with one function changed, to be applied or not: `before` and `content` are all of it. Of the
    file as it was is `before_sha256`, "" where there was none; `encoding` is what it is written in.
    """

    folder: Path
    file: str
    before: str
    content: str
    before_sha256: str
    diff: str
    solves: bool
    encoding: str = "utf-8"


@dataclass(frozen=True)
class JobOutcome:
    """How it ended. `says` is one sentence, `next_step` what a person would look at now, None where that is
    nothing. `before` and `after` are the check as it was and with the proposal.
    """

    ending: JobEnding
    says: Reason
    next_step: Reason | None = None
    place: FaultPlace | None = None
    proposal: Proposal | None = None
    before: TestState = TestState()
    after: TestState = TestState()
    rounds: tuple[Round, ...] = ()
    seconds: float = 0.0

    @property
    def is_solved(self) -> bool:
        return self.ending is JobEnding.SOLVED

    @property
    def passes(self) -> bool:
        """Whether the check ended with 0, as it was or with the proposal."""
        return self.ending in (JobEnding.SOLVED, JobEnding.PASSES_ALREADY)


@dataclass(frozen=True)
class CheckProgress(Event):
    """How far the call has come. Published on the thread of the job."""

    call_id: str
    state: LoopState


@dataclass(frozen=True)
class CheckRecorded(Event):
    """What came of the call is kept now, or was applied."""

    call_id: str
