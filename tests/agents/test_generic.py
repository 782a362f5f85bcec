"""Any agent that can start a program: what it sends and what it is told."""

from __future__ import annotations

from tests.agents.agent_cases import AgentCases, recorded

CASES = AgentCases(
    **recorded("generic"),
    hook=lambda tool: {"tool": tool, "input": {"x": "y"}, "cwd": "/p", "session": "s"},
)
