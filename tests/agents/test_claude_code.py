"""Claude Code: its hooks and answers, its settings, its own rules."""

from __future__ import annotations

import json
import re
from pathlib import Path

from desktop.agents.action import HookChoice, HookResponse
from desktop.agents.claude_code import TOLD, ClaudeCode, entries
from desktop.agents.settings_file import HookClient, HookTarget
from desktop.gate.request import Unfit
from tests.agents.agent_cases import ASKS, REFUSED, RUNS, AgentCases, named, recorded

_TABS = """{
\t"env": {
\t\t"A": "ä \\u00e4 // no comment"
\t},
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{
\t\t\t\t"matcher": "Bash",
\t\t\t\t"hooks": [{"type": "command", "command": "~/guard.sh"}]
\t\t\t}
\t\t],
\t\t"Stop": []
\t}
}"""
_SCHEMA = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)"],
    "deny": []
  },
  "model": "opus"
}
"""
TOUCH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch x"}}
CASES = AgentCases(
    **recorded("claude-code"),
    hook=lambda tool: named("PreToolUse", tool),
    file="c/settings.json",
    variables={"CLAUDE_CONFIG_DIR": "c"},
    # As found in people's homes: comments, tabs, one line, CRLF, hooks of others, nothing but braces.
    settings=(
        _SCHEMA,
        _TABS,
        '{"includeCoAuthoredBy":false}',
        "{}",
        "",
        '\ufeff{\r\n    "model": "sonnet",\r\n    // my own\r\n    "hooks": {},\r\n}\r\n',
    ),
    # What 2.1.197 offered its model, with what its package names beside it.
    asked=(
        "CronCreate",
        "CronDelete",
        "DesignSync",
        "EnterWorktree",
        "ExitWorktree",
        "PushNotification",
        "REPL",
        "ReadMcpResourceTool",
        "RemoteTrigger",
        "ScheduleWakeup",
        "Workflow",
    ),
    passes=("Agent", "SendMessage", "Skill", "TaskCreate", "TodoWrite"),
    without_answer=(
        ({**TOUCH, "permission_mode": "default"}, RUNS, ASKS),
        ({**TOUCH, "permission_mode": "plan"}, RUNS, ASKS),
        ({**TOUCH, "permission_mode": "acceptEdits"}, ASKS, ASKS),
        ({**TOUCH, "permission_mode": "auto"}, ASKS, ASKS),
        ({**TOUCH, "permission_mode": "bypassPermissions"}, REFUSED, REFUSED),
    ),
    held_rules=(
        (".claude/settings.json", {"permissions": {"deny": ["Read(./.env)", "Bash(curl:*)"]}}),
        ("work/project/.claude/settings.local.json", {"permissions": {"ask": ["Bash(curl:*)"]}}),
        ("work/.claude/settings.json", {"permissions": {"deny": ["Bash(curl:*)"]}}),
    ),
    allow_rules=(
        (
            ".claude/settings.json",
            {"permissions": {"allow": ["Bash(npm run test:*)", "Bash", "Bash(*)", "Read(./src)"]}},
            {"Bash(npm run test:*)": None, "Bash": Unfit.EVERYTHING, "Bash(*)": Unfit.EVERYTHING},
        ),
    ),
)


def test_an_allowed_input_is_not_sent_back() -> None:
    """Claude Code would put its ask rules above a yes that rewrites, and cut what is long."""
    claude = ClaudeCode()
    hook = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    reply = claude.reply(claude.read(json.dumps(hook).encode()), HookResponse(HookChoice.ALLOW, always=True))
    assert json.loads(reply.body)["hookSpecificOutput"]["decision"] == {"behavior": "allow"}


def test_only_what_comes_of_a_tool_is_told_afterwards() -> None:
    """By a pattern that may match anywhere, and is therefore tied to both ends."""
    yes = ("Bash", "PowerShell", "Write", "Edit", "NotebookEdit", "WebFetch", "mcp__x__y", "Monitor")
    no = ("TodoWrite", "BashOutput", "Read", "Task", "ExitPlanMode")
    assert [bool(re.search(TOLD, name)) for name in (*yes, *no)] == [True] * 8 + [False] * 5


def target(closed: bool = False) -> HookTarget:
    client = HookClient(("/opt/my python/python3", "-I", "-S", "/o'x/agents/client.py"))
    return HookTarget("claude-code", "/r/s:47615", Path("/h/claude-code.token"), client, closed)


def test_every_hook_is_a_command_and_guards_what_waits_for_it() -> None:
    """What is of type `http` goes to a proxy, and cannot refuse when nobody answers."""
    events = {path[1]: entry for path, entry in entries(target())}
    handlers = {event: entry["hooks"][0] for event, entry in events.items()}
    assert {handler["type"] for handler in handlers.values()} == {"command"}
    assert {event for event, each in handlers.items() if "--guards" in each["command"]} == {"PreToolUse"}
    assert handlers["PreToolUse"]["timeout"] == 600
    assert set(handlers) == {
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "SessionStart",
        "SessionEnd",
    }


def test_who_fails_closed_is_told_so() -> None:
    """Before a tool runs, whatever the mode."""
    events = {path[1]: entry for path, entry in entries(target(closed=True))}
    assert events["PreToolUse"]["hooks"][0]["command"].endswith(" 598 --guards --fail-closed")
    assert "--fail-closed" not in events["PostToolUse"]["hooks"][0]["command"]
