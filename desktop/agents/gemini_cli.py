"""Gemini CLI: command hooks, BeforeTool.

Source: `docs/hooks/reference.md`, `packages/core/src/hooks/types.ts`, Aug 2026. Text that is not JSON
counts as allow, so the answer is always an object. `deny` blocks with its reason; `ask` forces a prompt,
also over a policy that allows; `allow` does not lift the prompt. `hookSpecificOutput.tool_input` changes the
call, and the model is told that a hook did. After the hook the user's policy decides, on the changed call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from desktop.agents.action import (
    USERS_SHELL,
    Action,
    ActionKind,
    Form,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    Tools,
)
from desktop.agents.agent import Abilities, Agent, FoundRule, WithoutAnswer, allowed, held
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
    folders_above,
    grouped,
    json_settings,
    table,
    texts,
    toml_settings,
)
from desktop.agents.wire import DECISIONS, Answer, Decision, read_tool_hook, reason_of, rewritten
from desktop.gate.request import AgentRule, Unfit
from desktop.reasons import Reason

_FILE = ("file_path", "absolute_path", "path")
# Afterwards only where something comes of it.
TOLD = "^(run_shell_command|write_file|replace|web_fetch|mcp_.*)$"
_RULE = re.compile(r"(?:run_shell_command|ShellTool)(?:\((.*)\))?", re.DOTALL)
_SHELL_TOOLS = ("run_shell_command", "*")
_LIMITS = ("argsPattern", "commandRegex", "modes", "mcpName")  # of a policy; none is read here
TOOLS = Tools(
    {
        "run_shell_command": Form(ActionKind.COMMAND, ("command",), USERS_SHELL, folder="dir_path"),
        "write_file": Form(ActionKind.WRITE, _FILE),
        "replace": Form(ActionKind.EDIT, _FILE),
        "read_file": Form(ActionKind.READ, _FILE),
        "read_many_files": Form(ActionKind.READ, ("dir_path", "path")),
        "list_directory": Form(ActionKind.READ, ("dir_path", "path"), only_names=True),
        "glob": Form(ActionKind.READ, ("dir_path", "path"), only_names=True),
        "grep_search": Form(ActionKind.READ, ("dir_path", "path")),
        "search_file_content": Form(ActionKind.READ, ("dir_path", "path")),
        "web_fetch": Form(ActionKind.FETCH, ("url", "prompt")),
        "google_web_search": Form(ActionKind.FETCH, ("query",)),
    },
    quiet=frozenset(
        """
        update_topic list_background_processes read_background_output write_todos ask_user enter_plan_mode
        exit_plan_mode invoke_agent activate_skill complete_task get_internal_docs list_mcp_resources
        tracker_add_dependency tracker_create_task tracker_get_task tracker_list_tasks tracker_update_task
        tracker_visualize
        """.split()
    ),
    mcp=("mcp_",),
)
_MOMENTS = {
    "BeforeTool": Moment.BEFORE,
    "AfterTool": Moment.AFTER,
    "SessionStart": Moment.SESSION_START,
    "SessionEnd": Moment.SESSION_END,
}


class Changed(Answer):
    model_config = ConfigDict(alias_generator=None)

    tool_input: dict[str, Any]


class Output(Answer):
    decision: Decision | None = None
    reason: str | None = None
    hook_specific_output: Changed | None = None


class GeminiCli(Agent):
    name = "gemini-cli"
    title = "Gemini CLI"
    programs = ("gemini",)
    tools = TOOLS
    without_answer = WithoutAnswer("ask", "ask", reads=True)
    background = ("is_background",)
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=True,
        holds=600.0,
        can="Commands, file changes, web requests and MCP tools are held while you decide, and denied.",
        cannot="An allow here does not lift Gemini CLI's own prompt: only a policy file of yours does, and "
        "then a hook that fails is not noticed. Without a terminal an unanswered question waits for ever.",
        rewrites=frozenset({Moment.BEFORE}),
        rewrites_tried="0.61.0",
    )

    def read(self, body: bytes) -> Action:
        return read_tool_hook(body, self.name, _MOMENTS, TOOLS)

    def reply(self, action: Action, response: HookResponse) -> Reply:
        # What is not JSON counts as allow there, so that every moment gets an object.
        word = DECISIONS.get(response.choice) if action.moment is Moment.BEFORE else None
        reason = reason_of(response) if word in ("deny", "ask") else None
        arguments = rewritten(action, response) if word else None
        changed = Changed(tool_input=arguments) if arguments is not None else None
        return Output(decision=word, reason=reason, hook_specific_output=changed).as_reply()

    def unanswered(self, action: Action) -> HookChoice:  # noqa: ARG002 - it does not say in which mode it runs
        """`ask` prompts, whatever the policy allows."""
        return HookChoice.ASK

    def settings_place(self, computer: Computer) -> SettingsPlace:
        """A launched run is not to be had: 0.61 takes a second settings file only from an administrator."""
        return SharedFile(self.name, computer.home / ".gemini" / "settings.json", entries, _why_off)

    def mcp_place(self, computer: Computer) -> McpPlace:
        return json_servers(computer.home / ".gemini" / "settings.json")

    def own_rules(self, computer: Computer, folder: Path) -> Iterator[FoundRule]:
        """`tools.exclude` and `tools.allowed` of settings, and policies."""
        files = [above / ".gemini" / "settings.json" for above in (computer.home, *folders_above(folder))]
        for file in dict.fromkeys((*files, Path("/etc/gemini-cli/settings.json"))):
            settings = json_settings(file)
            tools = table(settings.get("tools"))
            for text in (*texts(tools.get("exclude")), *texts(settings.get("excludeTools"))):
                if rule := _RULE.fullmatch(text):
                    yield held(file, rule[1], is_prefix=True)
            for text in (*texts(tools.get("allowed")), *texts(settings.get("allowedTools"))):
                if rule := _RULE.fullmatch(text):
                    yield allowed(file, text, rule[1], is_prefix=True)
        for place in (computer.home / ".gemini" / "policies", Path("/etc/gemini-cli/policies")):
            for file in sorted(place.glob("*.toml")) if place.is_dir() else ():
                for policy in toml_settings(file).get("rule", ()):
                    yield from _policy_rules(file, table(policy))


def entries(target: HookTarget) -> tuple[Entry, ...]:
    """Time-outs in milliseconds."""

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        handler = target.handler(timeout_s, "powershell", guards)
        # Named, so that `hooksConfig.disabled` can be read for it (`_why_off`).
        return {**handler, "name": "steward", "timeout": timeout_s * 1000}

    observing = command(TELLS_S)
    return (
        *grouped("hooks", {"BeforeTool": command(HOLDS_S, guards=True)}),
        *grouped("hooks", {"AfterTool": observing}, TOLD),
        *grouped("hooks", {"SessionStart": observing, "SessionEnd": observing}),
    )


def _why_off(settings: Mapping[str, Any]) -> Reason | None:
    config = settings.get("hooksConfig")
    if not isinstance(config, dict):
        return None
    if config.get("enabled") is False:
        return AgentReason.HOOKS_OFF_SETTING.of(setting="hooksConfig.enabled", file="settings.json")
    disabled = config.get("disabled")
    is_disabled = isinstance(disabled, list) and "steward" in disabled
    return AgentReason.HOOKS_OFF_STEWARD.of(setting="hooksConfig.disabled") if is_disabled else None


def _policy_rules(file: Path, rule: Mapping[str, Any]) -> Iterator[FoundRule]:
    decision = rule.get("decision")
    if decision not in ("deny", "ask_user", "allow"):
        return
    named = rule.get("toolName")
    if not set(texts(named if isinstance(named, list) else [named])) & set(_SHELL_TOOLS):
        return
    prefixes = rule.get("commandPrefix")
    begun = texts(prefixes if isinstance(prefixes, list) else [prefixes])
    for text in begun or ("",):
        if decision != "allow":
            yield held(file, text, is_prefix=True)
        # A rule with a limit that is not read here would be taken for more than it says.
        elif any(rule.get(name) for name in _LIMITS):
            limits = ", ".join(name for name in _LIMITS if rule.get(name))
            yield FoundRule(file, allowed=AgentRule(f"{text or '*'} ({limits})", unfit=Unfit.PATTERN))
        else:
            yield allowed(file, text or "*", text, is_prefix=True)
