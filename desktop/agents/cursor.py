"""Cursor: command hooks, `permission` in the answer.

Source: vendor's reference and shipped adapters with tests, Aug 2026. beforeShellExecution and
beforeMCPExecution honour allow, deny and ask; preToolUse has the same form, and `ask` is reported as not
enforced there, so there an unanswered question is denied. beforeReadFile understands allow and deny. `cwd`
may be empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ConfigDict, Field

from desktop.agents.action import (
    SILENCE,
    USERS_SHELL,
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
from desktop.agents.agent import Abilities, Agent, WithoutAnswer
from desktop.agents.settings_file import (
    HOLDS_S,
    TELLS_S,
    Computer,
    Entry,
    HookTarget,
    SettingsPlace,
    SharedFile,
)
from desktop.agents.wire import DECISIONS, Answer, Decision, Wire, read_json, read_wire, reason_of

_FILE = ("file_path", "path", "target_file")
TOOLS = Tools(
    {
        "Shell": Form(ActionKind.COMMAND, ("command",), USERS_SHELL, folder="working_directory"),
        "Write": Form(ActionKind.WRITE, _FILE),
        "StrReplace": Form(ActionKind.EDIT, _FILE),
        "Edit": Form(ActionKind.EDIT, _FILE),
        "Delete": Form(ActionKind.DELETE, _FILE),
        "Read": Form(ActionKind.READ, _FILE),
        "Grep": Form(ActionKind.READ, ("path", "target_directory")),
        "Glob": Form(ActionKind.READ, ("path", "target_directory"), only_names=True),
        "LS": Form(ActionKind.READ, ("path", "target_directory"), only_names=True),
        "WebFetch": Form(ActionKind.FETCH, ("url",)),
        "WebSearch": Form(ActionKind.FETCH, ("search_term", "query")),
    },
    quiet=frozenset({"Task", "TodoWrite", "SemanticSearch", "ReadLints", "AskQuestion", "SwitchMode"}),
    mcp=("MCP:", "mcp__"),
)
MATCHED = "Write|Edit|StrReplace|Delete|WebFetch"  # shell and MCP have events of their own
_ENFORCE_ASK = ("beforeShellExecution", "beforeMCPExecution")
_BEFORE = ("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse")
_MOMENTS = {
    **dict.fromkeys(_BEFORE, Moment.BEFORE),
    "afterShellExecution": Moment.AFTER,
    "afterMCPExecution": Moment.AFTER,
    "afterFileEdit": Moment.AFTER,
    "postToolUse": Moment.AFTER,
    "postToolUseFailure": Moment.FAILED,
    "sessionStart": Moment.SESSION_START,
    "sessionEnd": Moment.SESSION_END,
}


class Hook(Wire):
    """What Cursor sends; `tool_input` of an MCP call is JSON in a string."""

    hook_event_name: str
    conversation_id: str = ""
    session_id: str = ""
    workspace_roots: list[str] = Field(default_factory=list)
    cwd: str = ""
    command: str = ""
    file_path: str = ""
    tool_name: str = ""
    tool_input: dict[str, Any] | str = Field(default_factory=dict)
    tool_use_id: str = ""


class Output(Answer):
    model_config = ConfigDict(alias_generator=None)

    permission: Decision
    user_message: str | None = None
    agent_message: str | None = None


class Cursor(Agent):
    name = "cursor"
    title = "Cursor"
    programs = ("cursor", "cursor-agent")
    tools = TOOLS
    # Its preToolUse passes over an ask; where a question was open already, only a refusal holds.
    without_answer = WithoutAnswer("ask", "refuse", reads=True)
    is_untried = True
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=True,
        holds=600.0,
        can="Shell commands and MCP tools are allowed, denied, or left to Cursor's own prompt, and held "
        "while you decide; other tools are denied.",
        cannot="Cursor goes on when a hook fails, unless its entry says failClosed. Outside shell commands "
        "and MCP tools it may pass over an ask.",
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        # `cwd` may be empty; the first root is then where its terminal opens.
        folder = hook.cwd or next(iter(hook.workspace_roots), "")
        tool, arguments = _tool(hook)
        action = Action(
            agent=self.name,
            moment=_MOMENTS.get(hook.hook_event_name, Moment.OTHER),
            tool=tool,
            arguments=arguments,
            folder=folder_of(folder),
            session=hook.conversation_id or hook.session_id,
            call_id=hook.tool_use_id,
            mode=hook.hook_event_name,
        )
        if hook.hook_event_name == "beforeMCPExecution":
            return replace(action, kind=ActionKind.MCP)
        return used(TOOLS, action) if tool else action

    def reply(self, action: Action, response: HookResponse) -> Reply:
        if action.moment is not Moment.BEFORE or response.choice not in DECISIONS:
            return SILENCE
        if response.command:  # it has no form for another command
            return self.reply(action, HookResponse(self.unanswered(action), response.reason))
        word = DECISIONS[response.choice]
        if word == "allow":
            return Output(permission=word).as_reply()
        reason = reason_of(response)
        return Output(permission=word, user_message=reason, agent_message=reason).as_reply()

    def unanswered(self, action: Action) -> HookChoice:
        """`mode` is the name of the event: two of them enforce an ask."""
        return HookChoice.ASK if action.mode in _ENFORCE_ASK else HookChoice.DENY

    def settings_place(self, computer: Computer) -> SettingsPlace:
        """A launched run is not to be had: Cursor takes no settings for one."""
        file = computer.home / ".cursor" / "hooks.json"
        return SharedFile(self.name, file, entries, wants_version=True)


def entries(target: HookTarget) -> tuple[Entry, ...]:
    """The handlers stand in the event's own list, without groups."""
    held: dict[str, Any] = {"command": target.line(), "timeout": HOLDS_S}
    # Cursor itself then blocks where the hook crashes, which the client's own flag cannot do.
    if target.closed:
        held["failClosed"] = True
    observing = {"command": target.line(TELLS_S, guards=False), "timeout": TELLS_S}
    events = {
        "beforeShellExecution": held,
        "beforeMCPExecution": held,
        "preToolUse": {**held, "matcher": MATCHED},
        "afterShellExecution": observing,
    }
    return tuple((("hooks", event), handler) for event, handler in events.items())


def _tool(hook: Hook) -> tuple[str, Mapping[str, Any]]:
    if hook.hook_event_name in ("beforeShellExecution", "afterShellExecution"):
        return "Shell", {"command": hook.command}
    if hook.hook_event_name == "beforeReadFile":
        return "Read", {"file_path": hook.file_path}
    given = hook.tool_input
    # The arguments of MCP calls come as JSON in a string.
    return hook.tool_name, read_json(given.encode()) if isinstance(given, str) else given
