"""Tiers 0 to 4 for whoever has a command line: read it, look at the disk, and maybe ask the model.

Every thread may call. What goes wrong inside becomes UNKNOWN, which asks, and a line in the log.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import structlog

from desktop.gate.beyond import places_named
from desktop.gate.context import Surroundings, in_context
from desktop.gate.opinion import Opinion
from desktop.gate.request import Request
from desktop.gate.scratch import Scratch, leads_out
from desktop.gate.shell import parse, programs
from desktop.gate.shell.classify import Classifier
from desktop.gate.verdict import Effect, Flag, Gate, Verdict

log = structlog.get_logger(__name__)

FAILED = "Steward failed while reading it; what it does is not known"


@dataclass(frozen=True)
class Consulted:
    """What came of asking the model; no opinion where there is none, or none in time."""

    opinion: Opinion | None = None
    timed_out: bool = False


class Consults(Protocol):
    """The judge, as it is used here."""

    def consult(self, command: str, timeout_s: float | None) -> Consulted: ...


@dataclass(frozen=True)
class Judged:
    """A verdict and what the model thinks, which changes nothing of the verdict."""

    verdict: Verdict
    opinion: Opinion | None = None
    judge_timed_out: bool = False


class Commands:
    """Methods may be called on any thread, at the same time."""

    def __init__(
        self,
        classifier: Classifier,
        judge: Consults | None = None,
        around: Surroundings | None = None,
    ) -> None:
        """`around` names the profile's own folders, which no command may change or read unasked."""
        self._classifier = classifier
        self._judge = judge
        self._around = around or Surroundings.of()
        self._lock = threading.Lock()
        self._scratch = Scratch()

    def verdict(
        self, command: str, shell: str | None = None, folder: str | None = None, root: str | None = None
    ) -> Verdict:
        """Tiers 0 to 3. Never raises, never waits for the model; looks at the disk where `folder` is told.

        `root` is the project that the folder is a part of: what lies in it is not outside.
        """
        started_s = time.perf_counter()
        try:
            with self._lock:
                verdict = self._classifier.classify(command, shell, folder, root)
            verdict = in_context(verdict, folder, self._around, root)
        except Exception:  # a bug here must not let a command through
            log.exception("command could not be classified", characters=len(command))
            span = (0, len(command))
            verdict = Verdict(Effect.UNKNOWN, frozenset(), Gate.ASK, FAILED, span, 1, 0.0)
        return replace(verdict, ms=(time.perf_counter() - started_s) * 1000)

    def guarded(self, verdict: Verdict) -> Verdict:
        """The verdict on what a tool does to files, with what is never taken away."""
        return in_context(verdict, None, self._around)

    def judged(
        self,
        command: str,
        shell: str | None = None,
        folder: str | None = None,
        timeout_ms: int | None = None,
        root: str | None = None,
    ) -> Judged:
        """Also tier 4: the model's opinion, where a plain command's program is in no table.

        May block as long as the settings say, or `timeout_ms`, two seconds at most. Never on the main or the
        server's thread.
        """
        verdict = self.verdict(command, shell, folder, root)
        if self._judge is None or not verdict.unknown_program:
            return Judged(verdict)
        return self._consulted(self._judge, verdict, command, timeout_ms)

    def _consulted(self, judge: Consults, verdict: Verdict, command: str, timeout_ms: int | None) -> Judged:
        try:
            asked = judge.consult(command, None if timeout_ms is None else timeout_ms / 1000)
        except Exception:  # the gate works without any model
            log.exception("the judge failed")
            return Judged(verdict)
        if asked.timed_out:
            verdict = replace(verdict, reason=f"{verdict.reason}, and the model timed out")
        if asked.timed_out or asked.opinion is not None:
            verdict = replace(verdict, tier=4)
        return Judged(verdict, asked.opinion, asked.timed_out)

    def request(
        self,
        verdict: Verdict,
        command: str,
        folder: Path,
        tool: str = "run_command",
        chat: str = "",
        untrusted: tuple[str, ...] = (),
        project: Path | None = None,
    ) -> Request:
        """The verdict as the policy sees it: rules meet each of its commands, grants its exact text."""
        owner = chat if project is None else str(project)
        return Request(
            tool=tool,
            effect=verdict.effect,
            flags=verdict.flags,
            parts=verdict.parts or (command,),
            text=command,
            folder=folder,
            chat=chat,
            runs=True,
            is_static=verdict.is_static,
            commands=verdict.commands,
            unknown_program=verdict.unknown_program,
            never=verdict.never,
            untrusted=tuple(untrusted),
            steps=verdict.steps,
            assigned=verdict.assigned,
            hosts=verdict.hosts,
            project=project,
            touched=verdict.touched,
            taken=self._scratch.taken(owner, verdict.touched),
            scratch=self._places(verdict, folder, project, chat),
        )

    def _places(self, verdict: Verdict, folder: Path, project: Path | None, chat: str) -> tuple[str, ...]:
        """The project's own in /tmp; nothing where what is changed may lie elsewhere than its name says."""
        if project is None or Flag.OUTSIDE not in verdict.flags:
            return ()
        named = [path for step in verdict.steps for path in places_named(step)]
        session = chat.partition("/")[2]
        found = self._scratch.places(str(project), session, folder, (*verdict.touched, *named))
        inside = (str(project), *found)
        changed = (os.path.join(folder, each) for each in verdict.touched if "\0" not in each)
        return () if any(leads_out(each, inside) for each in changed) else found

    def settle(self) -> None:
        """Load every table and program now, and keep them from the garbage collector.

        For a process that lives long: without it the first lines pay for the tables, and a full collection
        walks them for some 30 ms.
        """
        with self._lock:
            self._classifier.load_all()
            programs.load_all()
            parse.bash()
            parse.powershell()
        gc.collect()
        gc.freeze()
