"""Commands, in a child process with limits, in the workspace, without terminal input or secrets."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from desktop.asking import AskingReason, CommandView
from desktop.errors import UserFacing
from desktop.gate import commands as gate
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag, Gate, Verdict
from desktop.sandbox.confinement import Method
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits
from desktop.sandbox.workspace import Workspace
from desktop.tools.reasons import ToolReason
from desktop.tools.text import head_tail, size_text
from desktop.tools.tool import Plan, Running, Tool, ToolHint, ToolResult, tool

GRACE_S = 15.0  # the sandbox ends the whole tree by itself before the executor gives up
LONGEST = 2000
WINDOWS = os.name == "nt"
POWERSHELL = ("System32", "WindowsPowerShell", "v1.0", "powershell.exe")  # every Windows has it
UTF8 = "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); "  # not the old code page of a pipe


RUN_COMMAND_HINT = ToolHint(
    r"\b(run|runs|execute|shell|terminal|bash|powershell|command|führe?|ausführen|befehl|kommando"
    r"|starte)\b|^\s*\$ ",
    only_said=True,
)


class Commands:
    """`run_command` over one workspace. Methods may be called on any thread."""

    def __init__(
        self,
        workspace: Workspace,
        reader: gate.Commands | Classifier,
        confinement: Callable[[], Method],
        limits: Callable[[], Limits] = Limits,
        on_open: Callable[[], None] = lambda: None,
    ) -> None:
        """`reader` says what a line would do, `limits` what it may use; its time is that of the call.

        `confinement` finds out once how a command that only reads is kept from writing here, and from the
        network; `on_open` is called when one begins that nothing keeps from it.
        """
        self._workspace = workspace
        self._reader = gate.Commands(reader) if isinstance(reader, Classifier) else reader
        self._confinement = cache(confinement)
        self._limits = limits
        self._on_open = on_open

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
        method = self._confinement() if self._only_reads(command) else Method.NONE
        started = Command(_shell(command), self._workspace.root, method=method)
        limits = replace(self._limits(), time_s=running.timeout_s)
        child = Child(started, limits)
        running.on_stop(child.cancel)
        if method is Method.NONE:
            self._on_open()
        outcome = child.run()
        return ToolResult(_told(outcome, limits), exit_code=_code(outcome))

    def _only_reads(self, command: str) -> bool:
        verdict = self._verdict(command)
        return verdict.gate is Gate.ALLOW and Flag.OUTSIDE not in verdict.flags

    def _verdict(self, command: str) -> Verdict:
        return self._reader.verdict(command, "powershell" if WINDOWS else None, str(self._workspace.root))

    def _plan(self, command: str) -> Plan:
        _refuse_unfit(command)
        verdict = self._verdict(command)
        confined = self._only_reads(command) and self._confinement() is not Method.NONE
        # Where a command cannot be kept from writing, it asks like every other.
        effect = verdict.effect if confined or verdict.effect is not Effect.READ else Effect.UNKNOWN
        return Plan(
            ToolReason.ASK_COMMAND.of(),
            AskingReason.RUNS_IN_BECAUSE.of(folder=self._workspace.root, why=verdict.reason),
            effect,
            verdict.flags,
            parts=verdict.parts or (command,),
            command=command,
            never=verdict.never,
            commands=verdict.commands,
            steps=verdict.steps,
            touched=verdict.touched,
            is_static=verdict.is_static,
            reversible=None if confined else False,
            view=_view(verdict, effect),
            network=verdict.network_use(is_cut_off=confined),
            hosts=verdict.hosts,
        )


def _view(verdict: Verdict, effect: Effect) -> CommandView:
    flags = tuple(sorted(flag.value for flag in verdict.flags))
    shell = "powershell" if WINDOWS else "bash"
    return CommandView(effect.name, flags, verdict.reason, verdict.span, shell)


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
    said = head_tail(text) if text else "(no output)"
    ending = {
        ChildEnding.TIMED_OUT: f"[stopped after {limits.time_s:.0f} seconds]",
        ChildEnding.CANCELLED: "[stopped by the user]",
        ChildEnding.TOO_MUCH_OUTPUT: "[stopped: too much output]",
        ChildEnding.TOO_MANY_PROCESSES: f"[stopped: more than {limits.processes} processes at the same time]",
        ChildEnding.TOO_MUCH_MEMORY: f"[stopped: more than {size_text(limits.memory_bytes)} of memory]",
        ChildEnding.FILE_TOO_LARGE: f"[stopped: a file grew beyond {size_text(limits.file_bytes)}]",
    }.get(outcome.ending)
    if ending is None and outcome.exit_code:
        ending = f"[exit code {outcome.exit_code}]"
        if (
            os.strerror(errno.EFBIG) in text
        ):  # it was told of the limit, and has told it in the system's words
            ending += f" [no file may grow beyond {size_text(limits.file_bytes)}]"
    return f"{said}\n{ending}" if ending else said
