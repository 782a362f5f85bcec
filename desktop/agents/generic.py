"""Any agent that can start a program: {"tool", "input"} in, {"decision", "reason"} out.

    echo '{"tool":"Bash","input":{"command":"ls"}}' | steward hook
    {"decision": "allow", "reason": "it only reads"}

`decision` is allow, ask or deny; on any error the output is empty and the exit code 0. Optional: "cwd",
"session". The names of common tools are known in any case of letters; a tool with a "command" is a command.
"""

from __future__ import annotations

from typing import Any

from desktop.agents.action import (
    SILENCE,
    Action,
    ActionKind,
    Form,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    Tools,
    folder_of,
    used,
)
from desktop.agents.agent import Abilities, Agent
from desktop.agents.wire import DECISIONS, Answer, Decision, Wire, capped, read_wire

_FILE = ("file_path", "path", "filePath")
TOOLS = Tools(
    {
        **dict.fromkeys(("bash", "shell", "sh", "command"), Form(ActionKind.COMMAND, ("command",), None)),
        "powershell": Form(ActionKind.COMMAND, ("command",), "powershell"),
        "write": Form(ActionKind.WRITE, _FILE),
        "edit": Form(ActionKind.EDIT, _FILE),
        "delete": Form(ActionKind.DELETE, _FILE),
        "read": Form(ActionKind.READ, _FILE),
        "webfetch": Form(ActionKind.FETCH, ("url",)),
        "fetch": Form(ActionKind.FETCH, ("url",)),
    }
)


class Hook(Wire):
    """What is sent."""

    tool: str
    input: dict[str, Any]
    cwd: str = ""
    session: str = ""


class Output(Answer):
    decision: Decision
    reason: str


class Generic(Agent):
    name = "generic"
    title = "An agent"
    tools = TOOLS
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=False,
        holds=300.0,
        can="Answers allow, ask or deny; what follows from that is up to the program that asked.",
        cannot="Nothing is known about the program: test that it keeps to the answer.",
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        known = hook.tool.lower()
        # Programs name their shell tool as they like; an argument of that name is what counts.
        if known not in TOOLS.forms and isinstance(hook.input.get("command"), str):
            known = "command"
        action = Action(
            agent=self.name,
            moment=Moment.BEFORE,
            tool=known if known in TOOLS.forms else hook.tool,
            arguments=hook.input,
            folder=folder_of(hook.cwd),
            session=hook.session,
        )
        return used(TOOLS, action)

    def reply(self, action: Action, response: HookResponse) -> Reply:  # noqa: ARG002 - every action has one form
        if response.choice not in DECISIONS or response.command:
            return SILENCE
        return Output(decision=DECISIONS[response.choice], reason=capped(response.reason)).as_reply()

    def unanswered(self, action: Action) -> HookChoice:  # noqa: ARG002 - as above
        return HookChoice.ASK
