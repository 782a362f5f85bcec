"""Commands, in a child process with limits, in the workspace, without terminal input or secrets."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from desktop import cancellation
from desktop.asking import AskingReason
from desktop.errors import UserFacing
from desktop.gate import commands as gate
from desktop.gate.command_question import CopyKeeper, CopyOffer, command_question, copy_offer
from desktop.gate.reasons import GateReason
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag, Gate, Verdict
from desktop.sandbox.confinement import Method
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits
from desktop.sandbox.workspace import Workspace
from desktop.settings import Snapshots
from desktop.tools.reasons import ToolReason
from desktop.tools.text import head_tail, size_text
from desktop.tools.tool import Plan, Running, Tool, ToolHint, ToolResult, tool

GRACE_S = 15.0  # the sandbox ends the whole tree by itself before the executor gives up
LONGEST = 2000
NO_OUTPUT = "(no output)"  # what the model reads where a command printed nothing
WINDOWS = os.name == "nt"
POWERSHELL = ("System32", "WindowsPowerShell", "v1.0", "powershell.exe")  # every Windows has it
UTF8 = "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); "  # not the old code page of a pipe

RUN_COMMAND_HINT = ToolHint(
    r"\b(run|runs|execute|shell|terminal|bash|powershell|command|führe?|ausführen|befehl|kommando"
    r"|starte)\b|^\s*\$ ",
    only_said=True,
)


class CommandTool:
    """`run_command` over one workspace. Methods may be called on any thread."""

    def __init__(
        self,
        workspace: Workspace,
        reader: gate.Commands | Classifier,
        confinement: Callable[[], Method],
        limits: Callable[[], Limits] = Limits,
        on_open: Callable[[], None] = lambda: None,
        copies: CommandCopies | None = None,
    ) -> None:
        """`reader` says what a line would do, `limits` what it may use; its time is that of the call.

        `confinement` finds out once how a command that only reads is kept from writing here, and from the
        network; `on_open` is called when one begins that nothing keeps from it. `copies` keeps what a line
        changes, for Undo.
        """
        self._workspace = workspace
        self._reader = gate.Commands(reader) if isinstance(reader, Classifier) else reader
        self._confinement = cache(confinement)
        self._limits = limits
        self._on_open = on_open
        self._copies = copies or CommandCopies(None, lambda: Snapshots.NEVER)

    def tool(self) -> Tool:
        return tool(
            self.run_command,
            Effect.UNKNOWN,
            verb=ToolReason.VERB_RUN_COMMAND,
            plan=self._plan,
            untrusted_result=True,
            grace_s=GRACE_S,
            hint=RUN_COMMAND_HINT,
        )

    def run_command(self, command: str, running: Running) -> ToolResult:
        """Run a shell command that the user names.

        command: the command line
        """
        verdict = self._verdict(command)
        method = self._confinement() if _only_reads(verdict) else Method.NONE
        limits = replace(self._limits(), time_s=running.timeout_s)
        child = Child(Command(_shell(command), self._workspace.root, method=method), limits)
        running.on_stop(child.cancel)
        if method is Method.NONE:
            self._on_open()
        # A way back was promised: without one, this raises and the command does not run.
        with self._copies.kept(verdict, self._workspace.root, running) as changes:
            outcome = child.run()
        return ToolResult(_told(outcome, limits), tuple(changes), _code(outcome))

    def _verdict(self, command: str) -> Verdict:
        return self._reader.verdict(command, "powershell" if WINDOWS else None, str(self._workspace.root))

    def _plan(self, command: str) -> Plan:
        _refuse_unfit(command)
        verdict = self._verdict(command)
        confined = _only_reads(verdict) and self._confinement() is not Method.NONE
        # Where a command cannot be kept from writing, it asks like every other.
        effect = verdict.effect if confined or verdict.effect is not Effect.READ else Effect.UNKNOWN
        verdict = replace(verdict, effect=effect)
        root = self._workspace.root
        shell = "powershell" if WINDOWS else "bash"
        asked = command_question(verdict, root, shell, self._copies.offer(verdict, root))
        return Plan(
            asked.title,
            AskingReason.RUNS_IN_BECAUSE.of(folder=root, why=verdict.reason),
            effect,
            verdict.flags,
            parts=verdict.parts or (command,),
            command=command,
            files=asked.files,
            never=verdict.never,
            commands=verdict.commands,
            steps=verdict.steps,
            touched=verdict.touched,
            is_static=verdict.is_static,
            reversible=asked.reversible,
            to_trash=asked.to_trash,
            view=asked.view,
            network=verdict.network_use(is_cut_off=confined),
            hosts=verdict.hosts,
        )


class CommandCopies:
    """What the command of a call changes, kept before it runs as the user or the setting says."""

    def __init__(self, keeper: CopyKeeper | None, wanted: Callable[[], Snapshots]) -> None:
        self._keeper = keeper
        self._wanted = wanted

    def offer(self, verdict: Verdict, folder: Path) -> CopyOffer:
        return copy_offer(self._keeper, self._wanted(), verdict, folder)

    @contextmanager
    def kept(self, verdict: Verdict, folder: Path, running: Running) -> Iterator[list[int]]:
        """Around the command; in the list are then the entries of the journal that take it back.

        Raises UserFacing where copies are wanted and cannot be kept.
        """
        changes: list[int] = []
        is_wanted = running.keeps_copies or self.offer(verdict, folder) is CopyOffer.KEPT
        if self._keeper is None or not is_wanted:
            yield changes
            return
        self._keeper.take(verdict, folder, running.call_id)
        try:
            # The question said that they would be kept; what stands there now may be a link to elsewhere.
            if running.keeps_copies and not self._keeper.worth(verdict, folder):
                raise UserFacing(GateReason.FILES_TO_KEEP_ARE_GONE.of())
            yield changes
        finally:
            # Also of a call that was given up: what it changed until then can be undone.
            with cancellation.shielded():
                changes += self._keeper.settle(running.call_id)
            for each in changes:
                cancellation.changed(each)


def _only_reads(verdict: Verdict) -> bool:
    return verdict.gate is Gate.ALLOW and Flag.OUTSIDE not in verdict.flags


def _refuse_unfit(command: str) -> None:
    if not command.strip():
        raise UserFacing(ToolReason.COMMAND_EMPTY.of())
    if len(command) > LONGEST:
        raise UserFacing(ToolReason.COMMAND_TOO_LONG.of(limit=LONGEST))


def _shell(command: str) -> tuple[str, ...]:
    if WINDOWS:
        # By its full path: a bare name would be looked for in Steward's own folder first.
        program = Path(os.environ["SYSTEMROOT"], *POWERSHELL)
        return (str(program), "-NoProfile", "-NonInteractive", "-Command", UTF8 + command)
    return (shutil.which("bash") or "/bin/sh", "-c", command)


def _code(outcome: ChildResult) -> int:
    """-1 of one that did not end by itself."""
    return -1 if outcome.exit_code is None else outcome.exit_code


def _told(outcome: ChildResult, limits: Limits) -> str:
    text = outcome.output.text().rstrip()
    said = head_tail(text) if text else NO_OUTPUT
    ending = {
        ChildEnding.TIMED_OUT: f"[stopped after {limits.time_s:.0f} seconds]",
        ChildEnding.CANCELLED: "[stopped by the user]",
        ChildEnding.TOO_MUCH_OUTPUT: f"[stopped: more than {size_text(limits.flood_bytes)} of output]",
        ChildEnding.TOO_MANY_PROCESSES: f"[stopped: more than {limits.processes} processes at the same time]",
        ChildEnding.TOO_MUCH_MEMORY: f"[stopped: more than {size_text(limits.memory_bytes)} of memory]",
        ChildEnding.FILE_TOO_LARGE: f"[stopped: a file grew beyond {size_text(limits.file_bytes)}]",
        ChildEnding.UNWATCHED: "[stopped: it ended the process that watches over it, and all that it had"
        " started was ended]",
    }.get(outcome.ending)
    notes = [ending] if ending else []
    if outcome.ending is ChildEnding.EXITED:
        if outcome.exit_code:
            notes += [f"[exit code {outcome.exit_code}]", *_limits_told(text, limits)]
        if outcome.leftovers:
            notes.append(_ended_with_it(outcome.leftovers))
    return "\n".join((said, " ".join(notes))) if notes else said


def _limits_told(text: str, limits: Limits) -> Iterator[str]:
    """The limits that a program was told of, and has told in the system's words."""
    if os.strerror(errno.EFBIG) in text:
        yield f"[no file may grow beyond {size_text(limits.file_bytes)}]"
    if os.strerror(errno.EMFILE) in text:
        yield f"[no process may have more than {limits.open_files:,} files open]"


def _ended_with_it(count: int) -> str:
    """What ended with the command, so that nobody counts on a server started in the background."""
    if count == 1:
        return "[a process that it had left running was ended]"
    return f"[{count} processes that it had left running were ended]"
