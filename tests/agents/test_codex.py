"""Codex: its hooks and answers, its settings, its own rules, and the trust that it asks for."""

from __future__ import annotations

import tomllib

import pytest

from desktop.agents.codex import toml
from tests.agents.agent_cases import REFUSED, RUNS, AgentCases, named, recorded

_NOTIFIES = """{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "notify-send done"}]}]
  }
}
"""
TOUCH = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch x"}}
CASES = AgentCases(
    **recorded("codex"),
    hook=lambda tool: named("PreToolUse", tool),
    file="x/hooks.json",
    variables={"CODEX_HOME": "x"},
    settings=(_NOTIFIES, "{}\n"),
    # What 0.169.0 offered its model, with what its package names beside it.
    asked=("read_mcp_resource", "request_permissions", "request_plugin_install", "write_stdin"),
    passes=("get_goal", "spawn_agent", "update_plan", "wait_agent"),
    without_answer=(
        ({**TOUCH, "permission_mode": "default"}, RUNS, REFUSED),
        ({**TOUCH, "permission_mode": "bypassPermissions"}, REFUSED, REFUSED),
    ),
    held_rules=(
        (".codex/rules/default.rules", 'prefix_rule(pattern = ["curl"], decision = "forbidden")\n'),
        (
            "work/project/.codex/rules/mine.rules",
            'prefix_rule(\n    pattern = ["curl", ["-X", "-d"]],\n    decision = "prompt",\n)\n',
        ),
    ),
    allow_rules=(
        (
            ".codex/rules/default.rules",
            'prefix_rule(pattern=["npm", ["test", "run"]], decision="allow")\n'
            'prefix_rule(pattern=["make"])\nprefix_rule(pattern=["rm"], decision="forbidden")\n',
            {"npm test": None, "npm run": None, "make": None},
        ),
    ),
)

VALUES = [{"a": ["x", 1, True]}, {'q"\\k': "ä\n\t\x7f\u2028😀 '"}, {}, {"a": {"b": []}}]


@pytest.mark.parametrize("value", VALUES)
def test_values_are_written_as_toml(value: dict[str, object]) -> None:
    """In one line, and read back the same."""
    line = toml(value)
    assert "\n" not in line
    assert tomllib.loads(f"x = {line}")["x"] == value
