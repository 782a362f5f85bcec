"""GitHub Copilot CLI: command hooks.

Source: the vendor's hooks reference (two versions, which differ on failure), 2026, and version 1.0.102
tried out. The case of the event's name selects the form: `preToolUse` is sent in camelCase, its toolArgs an
object or JSON in a string; `PreToolUse` in snake_case, as in VS Code. preToolUse answers allow, deny or
ask, and `modifiedArgs` replaces the arguments of what is allowed; permissionRequest, which comes before
Copilot's rules and prompt, allow or deny. The event is not always named in camelCase: then it is preToolUse,
or with a toolResult postToolUse.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field

from desktop.agents import jsonc
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
from desktop.agents.agent import Abilities, LaunchableAgent, LaunchRequest, LaunchSettings, WithoutAnswer
from desktop.agents.mcp_place import McpPlace, json_servers
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import HOLDS_S, TELLS_S, Computer, HookTarget, OwnFile, SettingsPlace, ours
from desktop.agents.wire import (
    DECISIONS,
    Answer,
    Decision,
    Permission,
    Wire,
    read_json,
    read_wire,
    reason_of,
    rewritten,
)
from desktop.reasons import Reason

_FILE = ("path", "filePath", "file_path")
TOOLS = Tools(
    {
        "bash": Form(ActionKind.COMMAND, ("command",), "bash"),
        "powershell": Form(ActionKind.COMMAND, ("command",), "powershell"),
        "create": Form(ActionKind.WRITE, _FILE),
        "edit": Form(ActionKind.EDIT, _FILE),
        "apply_patch": Form(ActionKind.EDIT, ("patch", "input", "command"), is_patch=True),
        "view": Form(ActionKind.READ, _FILE),
        "glob": Form(ActionKind.READ, _FILE, only_names=True),
        "grep": Form(ActionKind.READ, _FILE),
        "rg": Form(ActionKind.READ, _FILE),
        "web_fetch": Form(ActionKind.FETCH, ("url",)),
        "web_search": Form(ActionKind.FETCH, ("query",)),
    },
    quiet=frozenset(
        """
        report_intent update_todo ask_user task skill read_bash list_bash stop_bash read_powershell
        list_powershell stop_powershell exit_plan_mode fetch_copilot_cli_documentation read_agent list_agents
        write_agent sql session_store_sql
        """.split()
    ),
)
_MOMENTS = {
    "pretooluse": Moment.BEFORE,
    "permissionrequest": Moment.PERMISSION,
    "posttooluse": Moment.AFTER,
    "posttoolusefailure": Moment.FAILED,
    "sessionstart": Moment.SESSION_START,
    "sessionend": Moment.SESSION_END,
}


class Hook(Wire):
    """Both forms in one."""

    event: str = Field("", validation_alias=AliasChoices("hook_event_name", "hookEventName", "hookName"))
    session_id: str = Field("", validation_alias=AliasChoices("sessionId", "session_id"))
    cwd: str = Field("", validation_alias=AliasChoices("cwd", "workingDirectory", "working_directory"))
    tool: str = Field("", validation_alias=AliasChoices("toolName", "tool_name"))
    arguments: dict[str, Any] | str | None = Field(
        None, validation_alias=AliasChoices("toolArgs", "toolInput", "tool_input", "tool_args")
    )
    call_id: str = Field("", validation_alias=AliasChoices("toolUseId", "tool_use_id", "toolCallId"))
    result: Any = Field(None, validation_alias=AliasChoices("toolResult", "tool_result", "tool_response"))


class Decided(Answer):
    permission_decision: Decision
    permission_decision_reason: str | None = None
    modified_args: dict[str, Any] | None = None


class CopilotCli(LaunchableAgent):
    name = "copilot-cli"
    title = "Copilot CLI"
    programs = ("copilot",)
    tools = TOOLS
    without_answer = WithoutAnswer("ask", "ask", reads=True)
    background = ("detach",)
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=False,
        holds=600.0,
        can="Commands, file changes, web requests and MCP tools are allowed, denied, or left to Copilot's "
        "own prompt, and held while you decide.",
        cannot="Copilot goes on when a hook times out. The separate Copilot app has passed over an ask.",
        rewrites=frozenset({Moment.BEFORE}),
        rewrites_tried="1.0.102",
        keeps_folder=True,
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        action = Action(
            agent=self.name,
            moment=_moment(hook),
            tool=hook.tool,
            arguments=_arguments(hook.arguments),
            folder=folder_of(hook.cwd),
            session=hook.session_id,
            call_id=hook.call_id,
        )
        return used(TOOLS, action) if hook.tool else action

    def reply(self, action: Action, response: HookResponse) -> Reply:
        reason = reason_of(response)
        if action.moment is Moment.BEFORE and response.choice in DECISIONS:
            return Decided(
                permission_decision=DECISIONS[response.choice],
                permission_decision_reason=reason,
                modified_args=rewritten(action, response),
            ).as_reply()
        if action.moment is Moment.PERMISSION and response.choice is HookChoice.DENY:
            return Permission(behavior="deny", message=reason).as_reply()
        if (
            action.moment is Moment.PERMISSION
            and response.choice is HookChoice.ALLOW
            and not response.command
        ):
            return Permission(behavior="allow").as_reply()
        return SILENCE

    def unanswered(self, action: Action) -> HookChoice:
        """`permissionRequest` has no ask; silence there leaves Copilot's rules and prompt."""
        return HookChoice.NO_OPINION if action.moment is Moment.PERMISSION else HookChoice.ASK

    def goes_on(self, action: Action) -> bool:
        # Its shell tool answers at once then, and the command runs on.
        return action.arguments.get("mode") == "async" or super().goes_on(action)

    def settings_place(self, computer: Computer) -> SettingsPlace:
        folder = computer.folder("COPILOT_HOME", ".copilot")
        return OwnFile(
            self.name,
            folder,
            folder / "hooks" / "steward.json",
            lambda target: json.dumps(hooks_file(target), indent=2) + "\n",
            lambda text: jsonc.find(text, ours(self.name)),
            partial(_why_off, folder),
        )

    def mcp_place(self, computer: Computer) -> McpPlace:
        file = computer.folder("COPILOT_HOME", ".copilot") / "mcp-config.json"
        return json_servers(file, "local", tools=["*"])

    def launch(self, target: HookTarget, request: LaunchRequest) -> LaunchSettings:
        """A plugin in a folder of its own."""
        manifest = {
            "name": "steward",
            "version": "1.0.0",
            "description": "Asks before changes.",
            "hooks": "hooks.json",
        }
        hooks = {"hooks": hooks_file(target)["hooks"]}
        files = {"hooks.json": json.dumps(hooks, indent=2), "plugin.json": json.dumps(manifest, indent=2)}
        return LaunchSettings(files, ("--plugin-dir", str(request.folder), *request.arguments))


def hooks_file(target: HookTarget) -> dict[str, Any]:
    """A file of its own. The case of an event's name selects what is sent.

    In camel case tools have Copilot's own names, but events are not named: that does for those that a tool
    gives away. In Pascal case events are named, and tools have Claude Code's names.
    """

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        shells = {"bash": "", "powershell": "powershell"}
        lines = {name: target.line(timeout_s, shell, guards) for name, shell in shells.items()}
        return {"type": "command", **lines, "timeoutSec": timeout_s}

    held = {"preToolUse": [command(HOLDS_S, guards=True)], "permissionRequest": [command(HOLDS_S)]}
    observing = {event: [command(TELLS_S)] for event in ("postToolUse", "SessionStart", "SessionEnd")}
    return {"version": 1, "hooks": {**held, **observing}}


def _why_off(folder: Path, _settings: Mapping[str, Any]) -> Reason | None:
    for name in ("settings.json", "config.json"):
        try:
            value = jsonc.parse((folder / name).read_text(encoding="utf-8")).value
        # Neither file has to be there.
        except FileNotFoundError:
            continue
        except (OSError, ValueError, jsonc.UnreadableJson):
            return AgentReason.HOOKS_OFF_UNREADABLE.of(file=name)
        if isinstance(value, dict) and value.get("disableAllHooks") is True:
            return AgentReason.HOOKS_OFF_ALL.of(file=name)
    return None


def _moment(hook: Hook) -> Moment:
    if hook.event:
        return _MOMENTS.get(hook.event.lower(), Moment.OTHER)
    # In camel case the event is not named: what came of the call tells before from after.
    if not hook.tool:
        return Moment.OTHER
    return Moment.BEFORE if hook.result is None else Moment.AFTER


def _arguments(given: dict[str, Any] | str | None) -> dict[str, Any]:
    # Some versions send the arguments as JSON in a string.
    if isinstance(given, str):
        return read_json(given.encode()) if given.strip() else {}
    return given or {}
