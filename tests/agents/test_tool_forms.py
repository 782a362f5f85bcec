"""The tools of every agent by name: what passes, what is judged by what it touches, and what is asked."""

from __future__ import annotations

import json

import pytest

from desktop.agents.action import Kind, Moment
from desktop.agents.adapters import ADAPTERS, adapter
from tests.agents.gatehouse import Gatehouse

# What the programs offered their model: Claude Code 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0, Copilot CLI
# 1.0.102 and OpenCode 1.18.33, with what their packages name beside it.
ASKED = [
    ("claude-code", "CronCreate"),
    ("claude-code", "CronDelete"),
    ("claude-code", "DesignSync"),
    ("claude-code", "EnterWorktree"),
    ("claude-code", "ExitWorktree"),
    ("claude-code", "PushNotification"),
    ("claude-code", "REPL"),
    ("claude-code", "ReadMcpResourceTool"),
    ("claude-code", "RemoteTrigger"),
    ("claude-code", "ScheduleWakeup"),
    ("claude-code", "Workflow"),
    ("codex", "read_mcp_resource"),
    ("codex", "request_permissions"),
    ("codex", "request_plugin_install"),
    ("codex", "write_stdin"),
    ("gemini-cli", "read_mcp_resource"),
    ("gemini-cli", "save_memory"),
    ("copilot-cli", "store_memory"),
    ("opencode", "batch"),
]
PASSES = [
    *[("claude-code", name) for name in ("Agent", "SendMessage", "Skill", "TaskCreate", "TodoWrite")],
    *[("codex", name) for name in ("get_goal", "spawn_agent", "update_plan", "wait_agent")],
    *[("gemini-cli", name) for name in ("invoke_agent", "tracker_create_task", "write_todos")],
    *[("copilot-cli", name) for name in ("list_agents", "read_bash", "report_intent", "task")],
    *[("opencode", name) for name in ("question", "skill", "task", "todowrite")],
]


def hook(agent: str, tool: str) -> bytes:
    names = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"x": "y"}}
    if agent == "gemini-cli":
        names["hook_event_name"] = "BeforeTool"
    if agent == "copilot-cli":
        names = {"toolName": tool, "toolArgs": {"x": "y"}}
    if agent == "opencode":
        names = {"event": "tool.execute.before", "tool": tool, "args": {"x": "y"}}
    return json.dumps({**names, "cwd": "/p", "directory": "/p", "session_id": "s"}).encode()


@pytest.mark.parametrize(("agent", "tool"), ASKED)
def test_a_tool_in_no_table_is_asked_about(house: Gatehouse, agent: str, tool: str) -> None:
    """By its name and all its arguments; the session keeps working after the answer."""
    house.answer(hook(agent, tool), agent)
    assert [question.arguments for question in house.questions] == ['{\n  "x": "y"\n}']
    assert house.asked[0].tool == tool


@pytest.mark.parametrize("agent", [each.name for each in ADAPTERS])
def test_a_tool_that_nobody_knows_is_asked_about(agent: str) -> None:
    """Of whatever vendor: what it does is not known."""
    body = hook(agent, "Zap")
    if agent == "cursor":
        body = body.replace(b"PreToolUse", b"preToolUse")
    if agent == "generic":
        body = b'{"tool": "Zap", "input": {"x": "y"}}'
    known = adapter(agent)
    assert known is not None
    action = known.read(body)
    assert (action.moment, action.kind) == (Moment.BEFORE, Kind.OTHER)


@pytest.mark.parametrize(("agent", "tool"), PASSES)
def test_what_only_steers_the_agent_passes(house: Gatehouse, agent: str, tool: str) -> None:
    """Nothing is asked, and nothing is decided for it either."""
    house.answer(hook(agent, tool), agent)
    assert house.questions == []
    assert house.decided == []
