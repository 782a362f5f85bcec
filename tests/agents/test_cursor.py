"""Cursor: its hooks and answers, its settings."""

from __future__ import annotations

from tests.agents.agent_cases import ASKS, REFUSED, RUNS, AgentCases, named, recorded

CASES = AgentCases(
    **recorded("cursor"),
    hook=lambda tool: named("preToolUse", tool),
    file="home/.cursor/hooks.json",
    settings=(
        '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "./done.sh"}]\n  }\n}\n',
        '{"version":1,"hooks":{"beforeShellExecution":[{"command":"x","timeout":5}]}}',
    ),
    without_answer=(
        ({"hook_event_name": "beforeShellExecution", "command": "touch x"}, ASKS, REFUSED),
        ({"hook_event_name": "preToolUse", "tool_name": "Write"}, ASKS, REFUSED),
        ({"hook_event_name": "preToolUse", "tool_name": "Grep"}, RUNS, REFUSED),
    ),
)
