"""Gemini CLI: its hooks and answers, its settings, its own rules."""

from __future__ import annotations

from desktop.gate.request import Unfit
from tests.agents.agent_cases import ASKS, RUNS, AgentCases, named, recorded

_COMMENTS = """{
  // theme
  "ui": {"theme": "GitHub"},
  "hooks": {
    "BeforeTool": [
      {"matcher": "write_file", "hooks": [{"type": "command", "command": "./lint.sh", "name": "lint"}]},
    ],
  },
}
"""
TOUCH = {"hook_event_name": "BeforeTool", "tool_input": {"command": "touch x"}}
CASES = AgentCases(
    **recorded("gemini-cli"),
    hook=lambda tool: named("BeforeTool", tool),
    file="home/.gemini/settings.json",
    settings=(_COMMENTS, '{"security":{"auth":{"selectedType":"oauth-personal"}}}'),
    # What 0.61.0 offered its model, with what its package names beside it.
    asked=("read_mcp_resource", "save_memory"),
    passes=("invoke_agent", "tracker_create_task", "write_todos"),
    without_answer=(
        ({**TOUCH, "tool_name": "run_shell_command"}, ASKS, ASKS),
        ({**TOUCH, "tool_name": "a_new_tool"}, ASKS, ASKS),
        ({**TOUCH, "tool_name": "read_file"}, RUNS, ASKS),
    ),
    held_rules=(
        (".gemini/settings.json", {"tools": {"exclude": ["run_shell_command(curl)"]}}),
        ("work/project/.gemini/settings.json", {"excludeTools": ["ShellTool(curl)"]}),
        (
            ".gemini/policies/mine.toml",
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "curl"\ndecision = "deny"\n',
        ),
        (
            ".gemini/policies/mine.toml",
            '[[rule]]\ntoolName=["run_shell_command"]\ncommandPrefix = ["curl", "wc"]\ndecision="ask_user"\n',
        ),
    ),
    allow_rules=(
        (
            ".gemini/settings.json",
            {"tools": {"allowed": ["run_shell_command(npm test)", "run_shell_command"]}},
            {"run_shell_command(npm test)": None, "run_shell_command": Unfit.EVERYTHING},
        ),
        (
            ".gemini/policies/mine.toml",
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["npm test", "make"]\n'
            'decision = "allow"\n'
            '[[rule]]\ntoolName = "run_shell_command"\ncommandRegex = "ls.*"\ndecision = "allow"\n',
            {"npm test": None, "make": None, "* (commandRegex)": Unfit.PATTERN},
        ),
    ),
)
