"""Claude Code: `command` hooks; those of type `http` go to the proxy of its environment.

Source: the hooks reference (Aug 2026, about 2.1.240), the types of the SDK package of Nov 2026, and the
program itself of that month. What counts: no output is no opinion, and then the normal permission flow goes
on; a PreToolUse `allow` skips the prompt but not deny and ask rules, so PermissionRequest is answered too,
which lifts them. `updatedInput` replaces the whole input, so that every field is sent back; in
PermissionRequest it also makes those rules count again. Deny and ask rules are held against the rewritten
command (seen in 2.1.197), so that a rule for the agent's own no longer meets it. `ask` is passed over in
bypassPermissions; strings are cut at 10,000 characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

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
    used,
)
from desktop.agents.agent import (
    Abilities,
    FoundRule,
    LaunchableAgent,
    LaunchRequest,
    LaunchSettings,
    WithoutAnswer,
    allowed,
    held,
    in_use,
)
from desktop.agents.mcp_place import McpPlace, json_servers
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import (
    HOLDS_S,
    TELLS_S,
    Computer,
    Entry,
    HookTarget,
    SettingsPlace,
    SharedFile,
    entries_text,
    folders_above,
    grouped,
    json_settings,
    table,
    texts,
)
from desktop.agents.wire import (
    BYPASS,
    DECISIONS,
    Answer,
    Permission,
    PermissionRequest,
    PostToolUse,
    PreToolUse,
    ToolHook,
    capped,
    read_wire,
    rewritten,
    specific,
)
from desktop.reasons import Reason

CONFIG_CHANGE = "ConfigChange"
# Before a tool runs every one is matched, also those that no version had when this was written: `TOOLS`
# decides by the name. After it only those of whose end something becomes. A matcher with other characters
# than those of names is a regular expression that may match anywhere.
TOLD = "^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|WebFetch|Monitor|REPL|mcp__.*)$"
_RULE = re.compile(r"Bash(?:\((.*)\))?", re.DOTALL)

# Claude Code gives its shell functions: those of the user's start files, and rg, which may be nowhere else.
FUNCTIONS = "{ export -f $(compgen -A function); } >/dev/null 2>&1; "
_FILE = ("file_path",)
TOOLS = Tools(
    {
        "Bash": Form(ActionKind.COMMAND, ("command",), "bash"),
        "PowerShell": Form(ActionKind.COMMAND, ("command",), "powershell"),
        "Monitor": Form(ActionKind.COMMAND, ("command",), "bash", may_lack=True),
        "Write": Form(ActionKind.WRITE, _FILE),
        "Edit": Form(ActionKind.EDIT, _FILE),
        "MultiEdit": Form(ActionKind.EDIT, _FILE),
        "NotebookEdit": Form(ActionKind.EDIT, ("notebook_path",)),
        "Read": Form(ActionKind.READ, _FILE),
        "Glob": Form(ActionKind.READ, ("path",), only_names=True),
        "Grep": Form(ActionKind.READ, ("path",)),
        "LS": Form(ActionKind.READ, ("path",), only_names=True),
        "WebFetch": Form(ActionKind.FETCH, ("url",)),
        "WebSearch": Form(ActionKind.FETCH, ("query",)),
    },
    # They speak with the user, with other agents of the session or keep the session's own lists; what a
    # subagent does fires hooks of its own. What acts later, elsewhere or by a script of its own (CronCreate,
    # EnterWorktree, ExitWorktree, RemoteTrigger, REPL, Workflow) is in neither table, and asks.
    quiet=frozenset(
        """
        Agent AskUserQuestion BashOutput CronList EndConversation EnterPlanMode ExitPlanMode KillShell
        ListAgents ListMcpResourcesTool ReadNotifications ReportFindings SendMessage SetGoal SubagentHandback
        LSP SlashCommand Skill Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite
        ToolSearch WaitForMcpServers
        """.split()
    ),
)
_MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PermissionRequest": Moment.PERMISSION,
    "PostToolUse": Moment.AFTER,
    "PostToolUseFailure": Moment.FAILED,
    "SessionStart": Moment.SESSION_START,
    "SessionEnd": Moment.SESSION_END,
}
# Settings whose change can be held back; policy is the administrator's, skills hold no permissions.
_SETTINGS = ("user_settings", "project_settings", "local_settings")


class Hook(ToolHook):
    """What Claude Code sends beside; fields that only some events have are empty."""

    permission_suggestions: list[dict[str, Any]] = Field(default_factory=list)
    duration_ms: float | None = None
    error: str = ""
    source: str = ""
    file_path: str = ""


class Blocked(Answer):
    """The answer to ConfigChange."""

    decision: Literal["block"] = "block"
    reason: str


class ClaudeCode(LaunchableAgent):
    name = "claude-code"
    title = "Claude Code"
    programs = ("claude",)
    tools = TOOLS
    without_answer = WithoutAnswer(lost="ask", refuse_in=(BYPASS,), ask_in=("acceptEdits", "auto"))
    background = ("run_in_background", "persistent", "timeout_ms")  # the last two are Monitor's
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=False,
        holds=600.0,
        can="Commands, file changes, web requests and MCP tools are allowed or denied here, and held while "
        "you decide. Without an answer Claude Code asks in its terminal, or is denied where it would "
        "not ask.",
        cannot="Deny and ask rules of Claude Code still count after an allow. Files named with @ reach no "
        "hook.",
        rewrites=frozenset({Moment.BEFORE, Moment.PERMISSION}),
        rewrites_tried="2.1.197",
        keeps_folder=True,
        hands_on=FUNCTIONS,
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        action = hook.action(self.name, _MOMENTS)
        # Most hooks have none of these, and each copy of an action costs a hundredth of a hook.
        if hook.permission_suggestions or hook.error or hook.duration_ms is not None:
            action = replace(
                action,
                suggestions=tuple(hook.permission_suggestions),
                result=hook.error,
                seconds=None if hook.duration_ms is None else hook.duration_ms / 1000,
            )
        # A change of its settings has no tool; it is asked about like an edit, because it can
        # switch hooks off.
        if hook.hook_event_name == CONFIG_CHANGE:
            return _config_change(action, hook)
        return used(TOOLS, action) if hook.tool_name else action

    def reply(self, action: Action, response: HookResponse) -> Reply:
        if response.context and action.moment in (Moment.AFTER, Moment.FAILED):
            return _told(action, response)
        if response.choice is HookChoice.NO_OPINION:
            return SILENCE
        if action.tool == CONFIG_CHANGE:
            return _blocked(response)
        if action.moment is Moment.BEFORE:
            return _decided(action, response)
        if action.moment is Moment.PERMISSION:
            return _permitted(action, response)
        return SILENCE

    def unanswered(self, action: Action) -> HookChoice:
        """Silence in the usual mode: Claude Code then asks. Where it would not: what it honours there."""
        # There an ask is passed over, so that only a no holds.
        if action.unguarded or action.tool == CONFIG_CHANGE:
            return HookChoice.DENY
        takes_edits = action.mode == "acceptEdits" and action.kind in (ActionKind.WRITE, ActionKind.EDIT)
        if action.moment is Moment.BEFORE and (takes_edits or action.mode == "auto"):
            return HookChoice.ASK
        return HookChoice.NO_OPINION

    def settings_place(self, computer: Computer) -> SettingsPlace:
        file = _home(computer) / "settings.json"
        return SharedFile(self.name, file, entries, _why_off)

    def launch(self, target: HookTarget, request: LaunchRequest) -> LaunchSettings:
        """`--settings` stands above the project's settings and beside the user's; hooks of all run."""
        if any(word == "--settings" or word.startswith("--settings=") for word in request.arguments):
            raise in_use("--settings")
        files = {"settings.json": entries_text(entries(target))}
        return LaunchSettings(
            files, ("--settings", str(request.folder / "settings.json"), *request.arguments)
        )

    def mcp_place(self, computer: Computer) -> McpPlace:
        # Beside the folder of settings, and inside it where a variable names that folder.
        named = computer.environment.get("CLAUDE_CONFIG_DIR")
        return json_servers((_home(computer) if named else computer.home) / ".claude.json", "stdio")

    def own_rules(self, computer: Computer, folder: Path) -> Iterator[FoundRule]:
        """`permissions`: `Bash`, `Bash(git push)`, `Bash(git push:*)`, `Bash(git * main)`."""
        names = ("settings.json", "settings.local.json")
        files = [_home(computer) / names[0], Path("/etc/claude-code/managed-settings.json")]
        files += [above / ".claude" / name for above in folders_above(folder) for name in names]
        for file in dict.fromkeys(files):
            permissions = table(json_settings(file).get("permissions"))
            for name in ("deny", "ask", "allow"):
                for text in texts(permissions.get(name)):
                    if rule := _RULE.fullmatch(text):
                        is_allowed = name == "allow"
                        yield allowed(file, text, rule[1]) if is_allowed else held(file, rule[1])


def _home(computer: Computer) -> Path:
    return computer.folder("CLAUDE_CONFIG_DIR", ".claude")


def entries(target: HookTarget) -> tuple[Entry, ...]:
    """Commands all: Claude Code sends what is of type `http` to the proxy of its environment."""

    observing = target.handler(TELLS_S)
    return (
        *grouped("hooks", {"PreToolUse": target.handler(HOLDS_S, guards=True)}),
        *grouped("hooks", {"PermissionRequest": target.handler(HOLDS_S)}),
        *grouped("hooks", {"PostToolUse": observing, "PostToolUseFailure": observing}, TOLD),
        *grouped("hooks", {"SessionStart": observing, "SessionEnd": observing}),
    )


def _why_off(settings: Mapping[str, Any]) -> Reason | None:
    is_off = settings.get("disableAllHooks") is True
    return AgentReason.HOOKS_OFF_ALL.of(file="settings.json") if is_off else None


def _config_change(action: Action, hook: Hook) -> Action:
    # An answer to these would not be heard.
    if hook.source not in _SETTINGS:
        return replace(action, moment=Moment.OTHER)
    arguments = {"source": hook.source, "file_path": hook.file_path}
    return replace(
        action,
        moment=Moment.BEFORE,
        kind=ActionKind.EDIT,
        tool=CONFIG_CHANGE,
        path=hook.file_path,
        arguments=arguments,
        changes_settings=True,
    )


def _told(action: Action, response: HookResponse) -> Reply:
    event: Literal["PostToolUse", "PostToolUseFailure"] = (
        "PostToolUseFailure" if action.moment is Moment.FAILED else "PostToolUse"
    )
    return specific(PostToolUse(hook_event_name=event, additional_context=capped(response.context)))


def _blocked(response: HookResponse) -> Reply:
    if response.choice is HookChoice.DENY:
        return Blocked(reason=capped(response.reason)).as_reply()
    return SILENCE


def _decided(action: Action, response: HookResponse) -> Reply:
    return specific(
        PreToolUse(
            permission_decision=DECISIONS[response.choice],
            permission_decision_reason=capped(response.reason),
            updated_input=rewritten(action, response),
            additional_context=capped(response.context) or None,
        )
    )


def _permitted(action: Action, response: HookResponse) -> Reply:
    """`ask` has no word here: silence leaves the prompt to Claude Code, which was about to show it."""
    if response.choice is HookChoice.DENY:
        decision = Permission(behavior="deny", message=capped(response.reason))
    elif response.choice is HookChoice.ALLOW:
        decision = Permission(
            behavior="allow",
            updated_input=rewritten(action, response),
            updated_permissions=_always(action, response),
        )
    else:
        return SILENCE
    return specific(PermissionRequest(decision=decision))


def _always(action: Action, response: HookResponse) -> list[dict[str, Any]] | None:
    """The suggestions that cover nothing beyond what the user agreed to; a mode or a pattern covers more."""
    chosen = [dict(each) for each in action.suggestions if response.always and _is_exact(each, action)]
    return chosen or None


def _is_exact(suggestion: Mapping[str, Any], action: Action) -> bool:
    """Only for commands and MCP tools: rules for files and addresses are patterns."""
    if suggestion.get("type") != "addRules" or suggestion.get("behavior") != "allow":
        return False
    exact: dict[str, str] = {"toolName": action.tool}
    if action.kind is ActionKind.COMMAND and "*" not in action.command:
        exact["ruleContent"] = action.command
    elif action.kind is not ActionKind.MCP:
        return False
    rules = suggestion.get("rules")
    return isinstance(rules, list) and bool(rules) and all(rule == exact for rule in rules)
