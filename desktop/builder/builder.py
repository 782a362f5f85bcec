"""The loop: one check that fails, one function, at most three tries, and an honest end.

    outcome = Builder(parts).run(job, running, watch)

Everything is tried in a throw-away copy. Nothing here changes a file of the user's: what comes out is a
proposal (`proposals.py` applies it).
"""

from __future__ import annotations

import difflib
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from desktop.builder import faults, prompts
from desktop.builder.check import CheckLimits, CheckRunner, essence, first_failure
from desktop.builder.experience import NOTHING_KNOWN, Experience, Failed, KnownFix
from desktop.builder.job import (
    MOST_ROUNDS,
    BuildState,
    CheckJob,
    FaultPlace,
    Improvement,
    JobEnding,
    JobOutcome,
    LoopState,
    Proposal,
    Round,
    Stage,
    Strategy,
    TestState,
    TestStatus,
)
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.builder.prompts import examples_of
from desktop.builder.reasons import BuilderReason
from desktop.builder.spans import language_of
from desktop.engine.requests import ContextOverflow, GenerateRequest, Stream
from desktop.errors import Cancelled, UserFacing
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.sandbox.confiner import Confiner
from desktop.tools.tool import Running

IMPROVEMENTS = (Improvement.RETRY, Improvement.REFINE, Improvement.ESCALATE)
ASKS_A_ROUND = 2  # where an answer is not worth a test; a test is what a round is counted by
# Of the check as it was, after a pass: only whether it passes now is asked, not how it hangs.
CONTROL_S, CONTROL_SHARE = 10.0, 3.0  # at least so long, and so many times as long as the pass took
SAME_TEXT = "same text"
NOT_FOUND = 127  # a shell's exit code for a command that is not there
# A function that ends the program with 0 would make any check pass.
_ENDS_PROGRAM = re.compile(
    r"\b(?:_exit|sys\.exit|process\.exit|os\.Exit|process::exit|quick_exit|SystemExit)\b|(?<![\w.])(?:exit|quit)\s*\("
)


class Model(Protocol):
    """What the loop needs of the engine."""

    def submit(self, request: GenerateRequest) -> Stream: ...


@dataclass(frozen=True)
class BuilderParts:
    """What every job works with. Without `experience` nothing is remembered."""

    model: Model
    confiner: Confiner
    paths: Paths
    experience: Experience | None = None
    limits: CheckLimits = field(default_factory=CheckLimits)
    clock: Callable[[], float] = time.monotonic


class Builder:
    """Any thread, but never the main one: `run` blocks for minutes."""

    def __init__(self, parts: BuilderParts) -> None:
        self._parts = parts

    def run(
        self, job: CheckJob, running: Running, watch: Callable[[LoopState], None] = lambda _state: None
    ) -> JobOutcome:
        """Do it; `watch` is told of every step, on this thread. `running` is how it is stopped.

        Raises UserFacing for what it does not do, before anything is run where that can be known.
        """
        refuse(job, self._parts.confiner)
        begun = self._parts.clock()
        # In the cache: what a kill leaves behind there goes with the cache, and is in no backup.
        with ProjectCopy(job.folder, self._parts.paths.cache / "builder") as copy:
            work = _Work(self._parts, job, running, watch, copy, begun)
            outcome = work.outcome()
        return replace(outcome, seconds=self._parts.clock() - begun)


def refuse(job: CheckJob, confiner: Confiner) -> None:
    """Say what this loop does not do, before it begins. Raises UserFacing."""
    if not job.check.strip():
        raise UserFacing(BuilderReason.NO_CHECK.of())
    if not job.folder.is_dir():
        raise UserFacing(BuilderReason.NO_SUCH_FOLDER.of(folder=job.folder))
    faults.refuse_file(job)
    why = confiner.why_not_project()
    if why is not None:
        raise UserFacing(BuilderReason.CANNOT_CONFINE.of(why=why))


@dataclass(frozen=True)
class _Best:
    """The best function so far, or value in the place of `target`; the first one is the original."""

    target: _Target
    function: str
    content: str
    test: TestState
    failure: str
    is_original: bool = True

    def is_beaten_by(self, test: TestState) -> bool:
        """A try that passes as many tests is taken: it is nearer to what the model will say next."""
        if test.status is TestStatus.PASSED:
            return True
        if test.status is not TestStatus.FAILED or test.passed is None:
            return False
        return test.passed >= (self.test.passed or 0) and (test.failed or 0) <= (
            self.test.failed or test.failed or 0
        )


class _Work:
    """One job under way, on one thread."""

    def __init__(
        self,
        parts: BuilderParts,
        job: CheckJob,
        running: Running,
        watch: Callable[[LoopState], None],
        copy: ProjectCopy,
        begun: float,
    ) -> None:
        self._parts, self._job, self._running, self._copy = parts, job, running, copy
        self._watch = watch
        self._until = begun + job.minutes * 60.0
        self._check = CheckRunner(parts.confiner, parts.paths, copy, running, parts.limits)
        # Whoever asks for more: loops without an end are what such tools elsewhere are known for.
        self._rounds = max(1, min(job.rounds, MOST_ROUNDS))
        self._state = LoopState(Stage.COPYING, rounds=self._rounds)
        self._file = ""
        self._before = TestState()
        self._least = 0
        self.content: str | None = None  # of the file, where the copy has a function more

    def outcome(self) -> JobOutcome:
        """Raises UserFacing."""
        try:
            return self._outcome()
        except Cancelled:
            return self._ended(JobEnding.STOPPED, BuilderReason.STOPPED.of())

    def _outcome(self) -> JobOutcome:
        self._show(stage=Stage.CHECKING)
        self._file = faults.named_file(self._job, self._copy)
        self._begin_function()
        early = self._look_at_check()
        if early is not None:
            return early
        fault = faults.find(self._before.output, self._job, self._copy, self._file)
        if fault is None:
            return self._ended(
                JobEnding.ESCALATED,
                BuilderReason.NOTHING_FOUND.of(),
                BuilderReason.LOOK_FOR_PLACE.of() if self._file else BuilderReason.NAME_FILE.of(),
            )
        self._refuse_rewritten(fault.file)
        return _Tries(self, fault).outcome()

    def _begin_function(self) -> None:
        """Put the head of a function that is to be written into the copy."""
        language = language_of(self._file)
        if not self._job.function or language is None:
            return
        content = self._copy.read(self._file) if self._file in self._copy.files else ""
        self.content = content
        self._copy.write(self._file, faults.begun(content, self._job.function, language))

    # -- before anything is tried ------------------------------------------------------------------

    def _look_at_check(self) -> JobOutcome | None:
        """The check twice as it stands; an end where there is nothing to mend, or nothing to go by."""
        first = self._tested()
        if first.exit_code == NOT_FOUND:
            raise UserFacing(
                BuilderReason.CHECK_NOT_FOUND.of(check=self._job.check, said=_last_line(first.output))
            )
        # A check that hangs would hang for another minute, and has said all that it can say.
        second = first if first.status in (TestStatus.TIMED_OUT, TestStatus.CUT_OFF) else self._tested()
        self._before = first
        # Not the words of the failure: a test with random input fails in other words each time.
        if (first.status, first.passed, first.failed) != (second.status, second.passed, second.failed):
            return self._ended(
                JobEnding.FLAKY,
                BuilderReason.FLAKY.of(check=self._job.check),
                BuilderReason.LOOK_AT_FLAKY.of(),
            )
        self._refuse_rewritten(self._file)
        if first.status is TestStatus.PASSED:
            return self._ended(
                JobEnding.PASSES_ALREADY, BuilderReason.PASSES_ALREADY.of(check=self._job.check)
            )
        self._least = first.total or 0
        return None

    def _refuse_rewritten(self, file: str) -> None:
        """Where the check itself writes to what it checks, its passing says nothing of what is proposed."""
        rewritten = [each for each in self._before.changed if each == file or is_test(each)]
        if rewritten:
            raise UserFacing(BuilderReason.CHECK_REWRITES.of(check=self._job.check, file=rewritten[0]))

    def _tested(self, limit_s: float = math.inf) -> TestState:
        """The build, where there is one, then the check, which may have its own limit or a shorter one."""
        if self._job.build:
            self._show(stage=Stage.BUILDING)
            built, good = self._check.build(self._job.build, self._copy.tests)
            if not good:
                return TestState(TestStatus.NOT_BUILT, built.notes, built.seconds)
        self._show(stage=Stage.TESTING)
        return self._check.test(self._job.check, self._file, self._least, limit_s)

    # -- for the tries ---------------------------------------------------------------------------------

    def _show(self, **changed: Any) -> None:
        self._state = replace(self._state, **changed)
        self._watch(self._state)

    def _ended(
        self,
        ending: JobEnding,
        says: Reason,
        next_step: Reason | None = None,
        proposal: Proposal | None = None,
        after: TestState | None = None,
    ) -> JobOutcome:
        self._show(stage=Stage.ENDED)
        return JobOutcome(
            ending,
            says,
            next_step,
            self._state.place,
            proposal,
            self._before,
            after or self._before,
            self._state.done,
        )


class _Target:
    """A function, or a value that it uses, and what was tried in its place."""

    def __init__(self, fault: faults.Fault, content: str) -> None:
        self.fault = fault
        self.old = fault.span.text(content).rstrip("\n")
        self.tried = [self.old]
        self.asked: Counter[prompts.Ask] = Counter()

    def was_tried(self, text: str) -> bool:
        return any(prompts.same_code(text, each, self.fault.language) for each in self.tried)


class _Tries:
    """The rounds on one function, and on the values that it uses."""

    def __init__(self, work: _Work, fault: faults.Fault) -> None:
        self._work, self._fault = work, fault
        self._parts, self._job, self._copy = work._parts, work._job, work._copy
        work._file = fault.file
        self._content = self._copy.read(fault.file)
        self._function = _Target(fault, self._content)
        self._target = self._function  # of the try under way
        self._others = [_Target(each, self._content) for each in fault.others]
        failure = first_failure(work._before.output)
        self._original = _Best(self._function, self._function.old, self._content, work._before, failure)
        self._best = self._original
        self._failures: list[str] = []
        self._repeats = 0
        self._examples = examples_of(fault, self._job.check, self._copy)
        self._work_on(self._function)
        self._failed = Failed(fault.file, fault.span.name, self._function.old, failure)

    def outcome(self) -> JobOutcome:
        known = self._known()
        notes = self._parts.experience.notes(self._job, self._failed) if self._parts.experience else ""
        for number in range(1, self._work._rounds + 1):
            if self._parts.clock() > self._work._until:
                return self._given_up(JobEnding.OUT_OF_TIME)
            done = self._round(number, known, notes)
            self._work._show(done=(*self._work._state.done, done))
            if self._parts.experience is not None:
                self._parts.experience.tried(self._job, self._failed, done)
            if done.test.status is TestStatus.PASSED:
                return self._solved(done) if self._fails_without() else self._by_chance()
            if self._is_stuck(done):
                return self._given_up(JobEnding.REPEATED)
            known = self._known_now(done)
        return self._given_up(JobEnding.ESCALATED)

    # -- one round --------------------------------------------------------------------------------------

    def _round(self, number: int, known: KnownFix, notes: str) -> Round:
        improvement = IMPROVEMENTS[number - 1]
        self._work._show(stage=Stage.WRITING, iteration=number)
        # What mended this very function before costs a run of the check, where a try costs the model as well.
        self._work_on(self._function)
        if known.function and not self._function.was_tried(known.function):
            build = BuildState(known.function)
            return replace(self._judged(number, improvement, build), from_memory=True)
        build = self._written(number, known, notes)
        if build.notes:
            return Round(number, improvement, build, TestState())
        return self._judged(number, improvement, build)

    def _written(self, number: int, known: KnownFix, notes: str) -> BuildState:
        """What the model makes of it; `notes` of the state where that is not worth a test.

        Half of the first answers of a small model are the faulty function once more. That costs no run of
        the check, so it is asked again in the same round, and then without the old body. Before that comes a
        value that the function uses: a model that finds nothing in the function may be right.
        """
        if number == MOST_ROUNDS and self._others:
            build = self._answered_for(self._others.pop(0), known, notes)
            if not build.notes:
                return build
            self._work_on(self._function)
        build = self._answered(self._ask(number), known, notes)
        if build.notes == SAME_TEXT and self._others:
            build = _added(build, self._answered_for(self._others.pop(0), known, notes))
            if build.notes:
                self._work_on(self._function)
        for _ in range(ASKS_A_ROUND - 1):
            if not build.notes or self._parts.clock() > self._work._until:
                break
            build = _added(build, self._answered(self._anew(), known, notes))
        return build

    def _answered_for(self, value: _Target, known: KnownFix, notes: str) -> BuildState:
        self._work_on(value)
        return self._answered(prompts.Ask.MEND, known, notes)

    def _work_on(self, target: _Target) -> None:
        self._target = target
        span = target.fault.span
        self._work._show(place=FaultPlace(target.fault.file, span.name, span.first_line, span.last_line))

    def _answered(self, ask: prompts.Ask, known: KnownFix, notes: str) -> BuildState:
        begun = self._parts.clock()
        stream = self._parts.model.submit(self._request(ask, known, notes))
        self._work._running.on_stop(stream.cancel)
        try:
            pieces = []
            for piece in stream:
                pieces.append(piece)
                # A model that writes on and on must not outlast the job.
                if self._parts.clock() > self._work._until:
                    stream.cancel()
        except ContextOverflow as error:
            raise UserFacing(
                BuilderReason.TOO_LONG.of(function=self._fault.span.name, file=self._fault.file)
            ) from error
        # A stream that was cancelled simply ends: half a function would look like a bad answer.
        if self._work._running.stopped.is_set():
            raise Cancelled
        answer = "".join(pieces)
        function = prompts.taken(answer, self._target.fault, self._target.old)
        build = BuildState(function or answer, "", stream.metrics.answer_tokens, self._parts.clock() - begun)
        return replace(build, notes=self._why_untested(function))

    def _request(self, ask: prompts.Ask, known: KnownFix, notes: str) -> GenerateRequest:
        target = self._target
        attempt = None
        if ask is prompts.Ask.REFINE:
            attempt = prompts.Attempt(prompts.plain(self._best.function), self._best.failure)
        brief = prompts.Brief(
            target.fault,
            prompts.plain(target.old),
            prompts.around(self._content, target.fault.span, target.fault.language),
            self._job.check,
            self._original.failure,
            self._job.about,
            self._examples,
            known.hints,
            notes,
        )
        asked = target.asked[ask]
        target.asked[ask] += 1
        return prompts.request(brief, ask, attempt, asked, f"fix {self._job.session}")

    def _ask(self, number: int) -> prompts.Ask:
        """First the function is shown, last its body is not. Between them the best try so far is refined,
        where there is one that is better than nothing and each try may know of those before it.
        """
        if number == 1:
            return prompts.Ask.MEND
        is_refined = number == 2 and self._job.strategy is Strategy.ROUNDS and self._has_better()
        return prompts.Ask.REFINE if is_refined else self._anew()

    def _has_better(self) -> bool:
        return not self._best.is_original and self._best.target is self._function

    def _anew(self) -> prompts.Ask:
        """Of a table that nobody sees nothing could be known: it is shown again."""
        return prompts.Ask.MEND if self._target.fault.is_value else prompts.Ask.ANEW

    def _why_untested(self, function: str | None) -> str:
        """A word for the state, in English for logs and events; "" where it is to be tested."""
        if function is None:
            return "no function"
        if _ENDS_PROGRAM.search(function) and not _ENDS_PROGRAM.search(self._target.old):
            return "ends the program"
        if self._target.was_tried(function):
            return SAME_TEXT
        try:
            function.encode(self._copy.encoding(self._fault.file))
        except UnicodeEncodeError:
            return "letters that the file cannot have"
        return ""

    def _judged(self, number: int, improvement: Improvement, build: BuildState) -> Round:
        """Put the function into the copy, and run the check."""
        content = self._target.fault.span.replaced(self._content, build.output)
        self._target.tried.append(build.output)
        self._copy.write(self._fault.file, content)
        try:
            test = self._work._tested()
        finally:
            # Each try begins from the original: what is proposed is one change and never a pile of them.
            self._copy.write(self._fault.file, self._content)
        failure = "" if test.status is TestStatus.PASSED else first_failure(test.output)
        is_best = self._best.is_beaten_by(test)
        if is_best:
            self._best = _Best(self._target, build.output, content, test, failure, is_original=False)
        return Round(number, improvement, build, test, failure, is_best)

    def _is_stuck(self, done: Round) -> bool:
        """The same text or the same failure a second time: nothing new is to be expected, unless there is a
        value that was not asked for yet.
        """
        if done.build.notes == SAME_TEXT:
            self._repeats += 1
            return self._repeats > 1 and self._job.strategy is Strategy.ROUNDS and not self._others
        same = essence(done.failure)
        again = bool(same) and same in self._failures and not done.build.notes
        self._failures.append(same)
        return again and self._job.strategy is Strategy.ROUNDS and not self._others

    def _fails_without(self) -> bool:
        """Whether the check still does not pass with the user's own function: one that passes by chance, or
        that counts its runs, says nothing of what was tried.
        """
        limit_s = max(self._best.test.duration_s * CONTROL_SHARE, CONTROL_S)
        return self._work._tested(limit_s).status is not TestStatus.PASSED

    def _by_chance(self) -> JobOutcome:
        says = BuilderReason.PASSES_BY_CHANCE.of(check=self._job.check)
        return self._work._ended(JobEnding.FLAKY, says, BuilderReason.LOOK_AT_FLAKY.of())

    # -- memory --------------------------------------------------------------------------------------------

    def _known(self) -> KnownFix:
        experience = self._parts.experience
        return experience.known(self._job, self._failed) if experience is not None else NOTHING_KNOWN

    def _known_now(self, done: Round) -> KnownFix:
        """What is known of the failure that a try ended with."""
        experience = self._parts.experience
        if experience is None or not done.failure:
            return NOTHING_KNOWN
        failed = replace(self._failed, function=done.build.output, failure=done.failure)
        return experience.known(self._job, failed)

    # -- the end ---------------------------------------------------------------------------------------------

    def _solved(self, done: Round) -> JobOutcome:
        # A fix is looked up by the function that fails, and put in its place: a table has no place there.
        if self._parts.experience is not None and self._target is self._function:
            self._parts.experience.solved(self._job, self._failed, done.build.output)
        says = BuilderReason.SOLVED.of(
            function=self._target.fault.span.name, file=self._fault.file, count=done.number
        )
        return self._work._ended(JobEnding.SOLVED, says, None, self._proposal(solves=True), self._best.test)

    def _given_up(self, ending: JobEnding) -> JobOutcome:
        nearer = self._is_nearer()
        count = len(self._work._state.done)
        says = {
            JobEnding.ESCALATED: BuilderReason.TRIED.of(count=count),
            JobEnding.REPEATED: BuilderReason.REPEATED.of(count=count),
            JobEnding.OUT_OF_TIME: BuilderReason.OUT_OF_TIME.of(count=count),
        }[ending]
        if nearer:
            test, before = self._best.test, self._work._before
            says = BuilderReason.TRIED_NEARER.of(
                count=count, passed=test.passed or 0, total=test.total or 0, before=before.passed or 0
            )
        self._work_on(self._best.target)
        place = self._work._state.place
        assert place is not None
        next_step = BuilderReason.LOOK_AT_FUNCTION.of(
            function=place.function, file=place.file, line=place.first_line
        )
        proposal = self._proposal(solves=False) if nearer else None
        return self._work._ended(ending, says, next_step, proposal, self._best.test)

    def _is_nearer(self) -> bool:
        """Whether the best passes more tests than the original, and fails at none that passed before."""
        test, before = self._best.test, self._work._before
        if self._best.is_original or test.passed is None:
            return False
        return test.passed > (before.passed or 0) and (test.total or 0) >= self._work._least

    def _proposal(self, solves: bool) -> Proposal:
        path = Path(self._fault.file)
        content = self._content if self._work.content is None else self._work.content
        lines = difflib.unified_diff(
            content.splitlines(keepends=True),
            self._best.content.splitlines(keepends=True),
            f"a/{path.as_posix()}",
            f"b/{path.as_posix()}",
        )
        return Proposal(
            self._copy.project,
            self._fault.file,
            content,
            self._best.content,
            self._copy.digest(self._fault.file),
            "".join(line if line.endswith("\n") else f"{line}\n" for line in lines),
            solves,
            self._copy.encoding(self._fault.file),
        )


def _added(build: BuildState, again: BuildState) -> BuildState:
    """The later answer, at the cost of both."""
    return replace(again, tokens=build.tokens + again.tokens, seconds=build.seconds + again.seconds)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].rstrip(".") if lines else ""
