"""Commands, in a child process with limits, in the workspace, without terminal input or secrets."""

from __future__ import annotations

import os
import shutil

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.sandbox.process import Child, Command, Ending, Limits, Outcome
from desktop.sandbox.workspace import Workspace
from desktop.tools.shortened import head_tail
from desktop.tools.tool import Plan, Running, Tool, tool

TIME_S = 30.0
LONGEST = 2000


class Commands:
    """`run_command` over one workspace."""

    def __init__(self, workspace: Workspace, time_s: float = TIME_S) -> None:
        self._workspace = workspace
        self._time_s = time_s

    def tool(self) -> Tool:
        return tool(
            self.run_command,
            Effect.UNKNOWN,
            plan=self._plan,
            untrusted_result=True,
            timeout_s=self._time_s + 15,  # the sandbox ends the child's tree by itself before that
        )

    def run_command(self, command: str, running: Running) -> str:
        """Run a shell command that the user names.

        command: the command line
        """
        child = Child(Command(_shell(command), self._workspace.root), Limits(time_s=self._time_s))
        running.on_stop(child.cancel)
        return _told(child.run(), self._time_s)

    def _plan(self, command: str) -> Plan:
        if not command.strip():
            raise UserFacing("The command is empty.", "Nothing was run.", "Name a command.", code="command")
        if len(command) > LONGEST:
            raise UserFacing(
                f"The command is longer than {LONGEST:,} characters.",
                "Nothing was run.",
                "Write a shorter one.",
                code="command",
            )
        says = f"Runs in {self._workspace.root}."
        return Plan(
            "Run a command?",
            says,
            Effect.UNKNOWN,
            frozenset({Flag.SENDS}),
            parts=(command,),
            command=command,
            reversible=False,
        )


def _shell(command: str) -> tuple[str, ...]:
    if os.name == "nt":
        return ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", command)
    return (shutil.which("bash") or "/bin/sh", "-c", command)


def _told(outcome: Outcome, time_s: float) -> str:
    text = outcome.output.text().rstrip()
    said = head_tail(text) if text else "(no output)"
    ending = {
        Ending.TIMED_OUT: f"[stopped after {time_s:.0f} seconds]",
        Ending.CANCELLED: "[stopped by the user]",
        Ending.TOO_MUCH_OUTPUT: "[stopped: too much output]",
        Ending.TOO_MANY_PROCESSES: "[stopped: too many processes]",
    }.get(outcome.ending)
    if ending is None and outcome.exit_code:
        ending = f"[exit code {outcome.exit_code}]"
    return f"{said}\n{ending}" if ending else said
