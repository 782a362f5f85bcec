"""Tiers 0 to 4 for whoever has a command line: read it, look at the disk, and maybe ask the model.

Every thread may call. What goes wrong inside becomes UNKNOWN, which asks, and a line in the log.
"""

from __future__ import annotations

import gc
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog

from desktop.gate.planted_files import (
    LookBudget,
    dashed_name,
    embedded_repository,
    found_secret,
    goes_below,
    matched_secret,
    names_programs,
)
from desktop.gate.projects import Scratch, leads_out, places_named
from desktop.gate.reasons import GateReason
from desktop.gate.request import Request
from desktop.gate.rules import takes_away
from desktop.gate.shell import parser, programs
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.never import HOOK_FILES, OWN_FILES, extent, reason
from desktop.gate.shell.places import GATE, HOME, PATTERN, holds_all, holds_secrets
from desktop.gate.shell.reading import shown
from desktop.gate.shell.simple_command import LOOKS_AT_NAMES, program_name
from desktop.gate.verdict import Effect, Flag, Gate, Step, Verdict, gate_for
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.gate.judge import Consulted, ModelVerdict

log = structlog.get_logger(__name__)

FAILED = GateReason.READING_FAILED.of()


class Consults(Protocol):
    """The judge, as it is used here."""

    def consult(self, command: str, timeout_s: float | None) -> Consulted: ...


@dataclass(frozen=True)
class Judged:
    """A verdict and what the model thinks, which changes nothing of the verdict."""

    verdict: Verdict
    opinion: ModelVerdict | None = None
    judge_timed_out: bool = False


class Commands:
    """Methods may be called on any thread, at the same time."""

    def __init__(
        self,
        classifier: Classifier,
        judge: Consults | None = None,
        around: CommandPlaces | None = None,
    ) -> None:
        """`around` names the profile's own folders, which no command may change or read unasked."""
        self._classifier = classifier
        self._judge = judge
        self._around = around or CommandPlaces.of()
        self._lock = threading.Lock()
        self._scratch = Scratch()

    def verdict(
        self, command: str, shell: str | None = None, folder: str | None = None, root: str | None = None
    ) -> Verdict:
        """Tiers 0 to 3. Never raises, never waits for the model; looks at the disk where `folder` is told.

        `root` is the project that the folder is a part of: what lies in it is not outside.
        """
        started_s = time.perf_counter()
        verdict = self.untimed_verdict(command, shell, folder, root)
        return replace(verdict, ms=(time.perf_counter() - started_s) * 1000)

    def untimed_verdict(
        self, command: str, shell: str | None = None, folder: str | None = None, root: str | None = None
    ) -> Verdict:
        """The same where nobody asks for its time, which would take a copy of it."""
        try:
            with self._lock:
                verdict = self._classifier.classify(command, shell, folder, root)
            return in_context(verdict, folder, self._around, root)
        except Exception:  # a bug here must not let a command through
            log.exception("command could not be classified", characters=len(command))
            # All of it is marked, because nobody knows which part was not understood.
            span = (0, len(command))
            return Verdict(Effect.UNKNOWN, frozenset(), Gate.ASK, FAILED, span, 1, 0.0)

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
        # The model is asked about programs that no table knows, and about nothing else: it cannot overrule a
        # table.
        if self._judge is None or not verdict.unknown_program:
            return Judged(verdict)
        return self._consulted(self._judge, verdict, command, timeout_ms)

    def _consulted(self, judge: Consults, verdict: Verdict, command: str, timeout_ms: int | None) -> Judged:
        try:
            asked = judge.consult(command, None if timeout_ms is None else timeout_ms / 1000)
        except Exception:  # the gate works without any model
            log.exception("the judge failed")
            return Judged(verdict)
        # Said, because it is why the dialog comes late and without the model's opinion.
        if asked.timed_out:
            verdict = replace(verdict, reason=GateReason.MODEL_TIMED_OUT.of(what=verdict.reason))
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
        # Places in /tmp outlive a session, so they belong to the project where there is one.
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
        # Chats of agents are named `agent/session`.
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
            parser.bash()
            parser.powershell()
        gc.collect()
        gc.freeze()


# -- what the disk adds: only ever more severe; a path that cannot be looked at adds nothing -------

MAX_LOOKED_AT = 1_024  # paths, as many as a line may name; each costs some 10 µs


@dataclass(frozen=True)
class CommandPlaces:
    """Where commands run. `own` are the folders of this profile, resolved; `home` stands for `~`."""

    own: tuple[str, ...] = ()
    home: str = ""
    hooks: tuple[str, ...] = ()  # files that hold Steward's entries, or may

    @classmethod
    def of(cls, *own: Path, hooks: Iterable[Path] = ()) -> CommandPlaces:
        real = os.path.realpath
        return cls(
            tuple(real(each) for each in own), os.path.expanduser("~"), tuple(real(each) for each in hooks)
        )

    def is_own(self, path: str) -> bool:
        return any(path == each or path.startswith(each + os.sep) for each in self.own)

    def ruin_of(self, path: str) -> Reason | None:
        """Why `path`, which may hold patterns, is never taken away; None where nothing speaks against it."""
        reached = extent(path)
        if reached is not None:
            return reason(GateReason.IT.of(), reached)
        if self.is_own(path) or any(takes_away(path, each) for each in self.own):
            return OWN_FILES
        if any(takes_away(path, each) for each in self.hooks):
            return HOOK_FILES
        return None


@dataclass(frozen=True)
class _Seen:
    """A path of the line and what it comes to."""

    written: str
    real: str
    is_link: bool  # one of its folders, or itself
    is_file: bool
    has_other_names: bool = False


def in_context(
    verdict: Verdict, folder: str | None, around: CommandPlaces, project: str | None = None
) -> Verdict:
    """The verdict of a command that runs in `folder`, which is absolute, a part of `project`.

    None as the folder: it is not known, and only what is named from the root or from home is looked at.
    """
    verdict = _never(verdict, around)
    if folder is None:
        return verdict
    root = os.path.realpath(folder)
    verdict = _among_secrets(verdict, root, around)
    verdict = _by_settings(verdict, root, os.path.realpath(project or folder), around)
    verdict = _reads_unnamed(verdict, root, around)
    if not (verdict.touched or verdict.looked_at):
        return verdict
    # A folder that is reached by a link has another name than the one by which the line was read.
    is_elsewhere = root != os.path.normpath(folder)
    within = os.path.realpath(project or folder)
    changed = _changes(verdict, root, around, within, is_elsewhere=is_elsewhere)
    return _reads(changed, root, around, is_elsewhere=is_elsewhere)


def _reads_unnamed(verdict: Verdict, root: str, around: CommandPlaces) -> Verdict:
    """Of files that are read without being named only the folder tells that they are secrets."""
    if Flag.SECRET in verdict.flags:
        return verdict
    look = LookBudget(lambda path: around.is_own(path) or holds_secrets(path))
    found = found_secret(verdict.runs, root, around.home, look)
    look.goes_below = goes_below(verdict.runs)
    for path in verdict.looked_at if not found else ():
        if PATTERN.search(path) and "\0" not in path:
            whole = os.path.normpath(os.path.join(root, _at_home(path, around.home)))
            found = found or matched_secret(whole, look)
    if not found:
        return verdict
    return _with_flag(verdict, Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(found)))


SHOW_NO_CONTENTS = LOOKS_AT_NAMES | {"ls", "cd", "pwd", "get-childitem", "get-location", "write-output"}


def _among_secrets(verdict: Verdict, root: str, around: CommandPlaces) -> Verdict:
    """In a folder of secrets `cat *` and `grep -r x` read them, and no word of theirs says so."""
    if not (around.is_own(root) or holds_secrets(os.path.join(root, "x"))):
        return verdict
    if all(step.words and program_name(step.words[0]).lower() in SHOW_NO_CONTENTS for step in verdict.runs):
        return verdict
    return _with_flag(verdict, Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=root))


def _by_settings(verdict: Verdict, root: str, project: str, around: CommandPlaces) -> Verdict:
    """What the files of a folder make of a command that the text alone does not show."""
    for number, step in enumerate(verdict.runs):
        said = _told_by_files(step, verdict, root, project, around.home)
        if said is not None:
            steps = list(verdict.steps)
            if steps:
                steps[number] = replace(step, effect=max(step.effect, Effect.UNKNOWN))
            effect = max(verdict.effect, Effect.UNKNOWN)
            if effect is not verdict.effect:
                gate = Gate.DENY if verdict.never else gate_for(effect, verdict.flags)
                verdict = replace(verdict, effect=effect, gate=gate, reason=said, tier=3)
            verdict = replace(verdict, steps=tuple(steps))
    return verdict


def _told_by_files(step: Step, verdict: Verdict, root: str, project: str, home: str) -> Reason | None:
    """What git and Terraform start is told by files, and some came from elsewhere; names may be options."""
    found = embedded_repository(step, verdict.runs, root, project, home) or names_programs(
        step, verdict.runs, root, home
    )
    if found:
        return GateReason.SETTINGS_MAY_NAME_PROGRAMS.of(text=shown(found))
    dashed = dashed_name(step, verdict.runs, root, home)
    if dashed is None:
        return None
    return GateReason.NAME_IS_AN_OPTION.of(text=shown(dashed[0]), name=shown(dashed[1]))


def _never(verdict: Verdict, around: CommandPlaces) -> Verdict:
    """Links followed, and with the folders of this profile: is something removed that never is?"""
    if verdict.never:
        return verdict
    # A line may name thousands of paths, and each look costs time while an agent waits.
    for path in verdict.removed[:MAX_LOOKED_AT]:
        if "\0" in path or not path.startswith(os.sep):
            continue
        whole = around.home + path[len(HOME) :] if path == HOME or path.startswith(f"{HOME}/") else path
        # The folder's links are followed and the last name's is not: `rm` removes the link itself.
        folder, name = os.path.split(whole)
        why = around.ruin_of(os.path.join(os.path.realpath(folder), name))
        if why:
            return denied(verdict, why)
    return verdict


def denied(verdict: Verdict, reason: Reason) -> Verdict:
    """The verdict of what is never done."""
    return replace(verdict, never=reason, reason=reason, gate=Gate.DENY, tier=3)


def _changes(
    verdict: Verdict, root: str, around: CommandPlaces, project: str, *, is_elsewhere: bool
) -> Verdict:
    for seen in _looked_up(verdict.touched, root, around):
        # By what the agents declare, and by a pattern for those that nobody has written a module for.
        is_gates = around.is_own(seen.real) or seen.real in around.hooks
        is_led = seen.is_link or is_elsewhere
        if is_gates or (is_led and GATE.search(seen.real)):
            verdict = _with_flag(verdict, Flag.GATE, GateReason.BELONGS_TO_GUARD.of(name=seen.written))
        # A link in the project may lead out of it; the text shows only where it stands.
        if is_led and not _is_below(seen.real, project):
            verdict = _with_flag(verdict, Flag.OUTSIDE, GateReason.LEADS_OUT.of(name=seen.written))
        if seen.has_other_names:
            reason = GateReason.HAS_ANOTHER_NAME.of(name=seen.written)
            verdict = _with_flag(verdict, Flag.OUTSIDE, reason)
        # The text says that something is made; only the disk tells that something was there.
        if seen.is_file and verdict.effect is Effect.CREATE:
            reason = GateReason.IS_THERE_ALREADY.of(name=seen.written)
            verdict = replace(verdict, effect=Effect.UPDATE, reason=reason, tier=3)
    return verdict


def _reads(verdict: Verdict, root: str, around: CommandPlaces, *, is_elsewhere: bool) -> Verdict:
    if Flag.SECRET in verdict.flags:
        return verdict
    for seen in _looked_up(verdict.looked_at, root, around):
        # Without a link the name was looked at while the line was read.
        is_led = seen.is_link or is_elsewhere
        # A link to a home folder leads to all that is in it.
        if around.is_own(seen.real) or (is_led and (holds_secrets(seen.real) or _is_home(seen.real, around))):
            return _with_flag(verdict, Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=seen.written))
    return verdict


def _is_home(path: str, around: CommandPlaces) -> bool:
    return path == os.path.realpath(around.home) or holds_all(path)


def _with_flag(verdict: Verdict, flag: Flag, reason: Reason) -> Verdict:
    """The reason changes only where the flag is why it asks."""
    flags = verdict.flags | {flag}
    gate = Gate.DENY if verdict.never else gate_for(verdict.effect, flags)
    said = reason if gate is not verdict.gate else verdict.reason
    return replace(verdict, flags=flags, gate=gate, reason=said, tier=3)


def _looked_up(paths: tuple[str, ...], root: str, around: CommandPlaces) -> Iterator[_Seen]:
    for path in paths[:MAX_LOOKED_AT]:
        if "\0" in path:
            continue
        joined = os.path.join(root, _at_home(path, around.home))
        seen = _look(path, os.path.normpath(joined))
        if seen is not None:
            yield seen
        # Behind a link `..` is the folder above where it leads, and not the one that the text says.
        behind = os.path.realpath(joined) if ".." in path.split("/") else ""
        if behind and behind != os.path.realpath(os.path.normpath(joined)) and os.path.lexists(behind):
            yield _Seen(path, behind, is_link=True, is_file=os.path.isfile(behind))


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _look(written: str, whole: str) -> _Seen | None:
    """None where neither it nor its folder is there."""
    try:
        status = os.lstat(whole)
    except (OSError, ValueError):
        # What will be made lies where its folder's links lead.
        folder = os.path.dirname(whole)
        if not os.path.isdir(folder):
            return None
        real = os.path.join(os.path.realpath(folder), os.path.basename(whole))
        return _Seen(written, real, real != whole, is_file=False)
    real = os.path.realpath(whole)
    is_file = not stat.S_ISDIR(status.st_mode)
    return _Seen(written, real, real != whole, is_file, stat.S_ISREG(status.st_mode) and status.st_nlink > 1)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
