"""Copilot CLI: its hooks and answers."""

from __future__ import annotations

from tests.agents.agent_cases import ASKS, RUNS, AgentCases, recorded

TOUCH = {"toolArgs": {"command": "touch x"}, "cwd": "/p"}
CASES = AgentCases(
    **recorded("copilot-cli"),
    hook=lambda tool: {"toolName": tool, "toolArgs": {"x": "y"}, "cwd": "/p", "sessionId": "s"},
    file="p/hooks/steward.json",
    variables={"COPILOT_HOME": "p"},
    # What 1.0.102 offered its model, with what its package names beside it.
    asked=("store_memory",),
    passes=("list_agents", "read_bash", "report_intent", "task"),
    without_answer=(
        ({**TOUCH, "toolName": "bash"}, ASKS, ASKS),
        ({**TOUCH, "toolName": "create"}, ASKS, ASKS),
        ({**TOUCH, "toolName": "view"}, RUNS, ASKS),
    ),
)
