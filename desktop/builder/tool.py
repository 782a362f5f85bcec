"""The loop as a call: through the executor and the gate like any other, with its card and its question.

It is in no model's list of tools: a rule hands a request over that names a check (`requests.py`), and so does
`steward fix`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from desktop.asking import CommandView, NetworkUse
from desktop.builder.builder import Builder, refuse
from desktop.builder.job import (
    LONGEST_MINUTES,
    MOST_ROUNDS,
    CheckJob,
    CheckProgress,
    CheckRecorded,
    Improvement,
    JobOutcome,
    LoopState,
    Round,
    TestState,
    TestStatus,
)
from desktop.builder.proposals import JobRecord, Proposals
from desktop.builder.reasons import BuilderReason
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.verdict import Effect
from desktop.sandbox.confiner import Confiner
from desktop.tools.tool import Plan, Running, Tool, ToolResult, tool

_IMPROVEMENTS = {
    Improvement.RETRY: "corrected",
    Improvement.REFINE: "tried again",
    Improvement.ESCALATE: "rewritten",
}
_STATUSES = {
    TestStatus.PASSED: "the check passes",
    TestStatus.FAILED: "the check fails",
    TestStatus.TIMED_OUT: "the check did not end in time",
    TestStatus.CUT_OFF: "the check was ended, it took too much",
    TestStatus.NOT_BUILT: "it cannot be built",
    TestStatus.CHEATED: "it proves nothing, tests or the file were changed, or tests left out",
    TestStatus.NOT_RUN: "not run, nothing new came",
}
SPARE_S = 60.0  # the job ends itself at its limit; the executor must not give it up before
FILES_BETWEEN = "\n"


class CheckFixing:
    """`make_check_pass` for one folder. Any thread but the main one."""

    def __init__(
        self,
        builder: Builder,
        confiner: Confiner,
        proposals: Proposals,
        reader: Commands,
        bus: Bus,
        folder: Callable[[], Path],
    ) -> None:
        self._builder = builder
        self._confiner = confiner
        self._proposals = proposals
        self._reader = reader
        self._bus = bus
        self._folder = folder
        self._states: dict[str, LoopState] = {}  # of the calls under way

    def tool(self) -> Tool:
        return tool(
            self.make_check_pass,
            Effect.UNKNOWN,
            plan=self._plan,
            untrusted_result=True,
            timeout_s=LONGEST_MINUTES * 60.0 + SPARE_S,
            verb=BuilderReason.VERB,
        )

    def make_check_pass(
        self,
        check: str,
        running: Running,
        files: str = "",
        build: str = "",
        about: str = "",
        function: str = "",
        rounds: int = MOST_ROUNDS,
    ) -> ToolResult:
        """Change one function until a command ends well, in a copy.

        check: the command that has to end with 0
        files: the file that may be changed, one a line
        build: a command before each run of the check
        about: what the function should do
        function: the head of a function that is not there yet
        """
        job = replace(self._job(check, files, build, about, function), rounds=rounds, session=running.call_id)

        def watch(state: LoopState) -> None:
            self._states[running.call_id] = state
            self._bus.publish(CheckProgress(running.call_id, state))

        try:
            outcome = self._builder.run(job, running, watch)
        finally:
            self._states.pop(running.call_id, None)
        # Before it is announced: who hears of it looks it up.
        self._proposals.keep(running.call_id, outcome)
        self._bus.publish(CheckRecorded(running.call_id))
        return ToolResult(told(outcome), exit_code=0 if outcome.passes else 1)

    def state(self, call: str) -> LoopState | None:
        """How far a call under way is: for who comes too late to have heard of it."""
        return self._states.get(call)

    def record(self, call: str) -> JobRecord | None:
        """What is kept of a call."""
        return self._proposals.record(call)

    def apply(self, call: str) -> int:
        """The user has said so: write what the call proposes. Raises UserFacing."""
        change = self._proposals.apply(call)
        self._bus.publish(CheckRecorded(call))
        return change

    def _job(self, check: str, files: str, build: str, about: str, function: str) -> CheckJob:
        named = tuple(each.strip() for each in files.split(FILES_BETWEEN) if each.strip())
        return CheckJob(check.strip(), self._folder(), named, build.strip(), about.strip(), function.strip())

    def _plan(
        self,
        check: str,
        files: str = "",
        build: str = "",
        about: str = "",
        function: str = "",
        rounds: int = MOST_ROUNDS,  # noqa: ARG002 - a plan takes what its tool takes
    ) -> Plan:
        # Before anybody is asked: what is not done anyway needs no yes.
        job = self._job(check, files, build, about, function)
        refuse(job, self._confiner)
        line = f"{job.build}\n{job.check}" if job.build else job.check
        verdict = self._reader.verdict(line, "bash", str(job.folder))
        says = BuilderReason.CHECK_RUNS.of(folder=job.folder)
        if job.build:
            says = BuilderReason.CHECK_AND_BUILD_RUN.of(folder=job.folder, build=job.build)
        flags = tuple(sorted(flag.value for flag in verdict.flags))
        return Plan(
            BuilderReason.ASK_CHECK.of(),
            says,
            # A project's own code may do anything that the copy lets it: reading the line says too little.
            Effect.UNKNOWN,
            verdict.flags,
            parts=verdict.parts or (line,),
            command=line,
            never=verdict.never,
            commands=verdict.commands,
            steps=verdict.steps,
            is_static=verdict.is_static,
            view=CommandView(Effect.UNKNOWN.name, flags, verdict.reason, verdict.span, "bash"),
            network=NetworkUse.CANNOT,
        )


def told(outcome: JobOutcome) -> str:
    """For the conversation and the terminal: how it ended, what a person would look at, and the diff."""
    said = [str(outcome.says), *([str(outcome.next_step)] if outcome.next_step is not None else [])]
    tries = map(try_words, outcome.rounds)
    last = outcome.rounds[-1].failure if outcome.rounds else ""
    shown = outcome.proposal.diff.rstrip() if outcome.proposal is not None else last
    return "\n\n".join(part for part in (" ".join(said), "\n".join(tries), shown) if part)


def try_words(done: Round) -> str:
    """One try in a line: what it was, and how the check ended with it."""
    what = "known fix" if done.from_memory else _IMPROVEMENTS[done.improvement]
    return f"{done.number}. {what}: {done.build.notes or _test_words(done.test)}"


def _test_words(test: TestState) -> str:
    counted = f", {test.passed} of {test.total} tests pass" if test.total else ""
    return f"{_STATUSES[test.status]}{counted} ({test.duration_s:.1f} s)"
