"""What each agent is told where Steward does not answer, by the client and the file that are installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import client
from desktop.agents.adapters import ADAPTERS
from desktop.agents.unanswered import RULES, token_file
from tests.agents.answering import TOKEN, Answering, Talk
from tests.ports import free_port

pytestmark = pytest.mark.children

RUNS, REFUSED = (0, ""), (2, "")
CLAUDE = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch x"}}
GEMINI = {"hook_event_name": "BeforeTool", "tool_input": {"command": "touch x"}}
COPILOT = {"toolArgs": {"command": "touch x"}, "cwd": "/p"}
ASK = "asks"

# agent, hook, Steward is not there, Steward is killed while the question is open
CASES: list[tuple[str, dict[str, Any], object, object]] = [
    ("claude-code", {**CLAUDE, "permission_mode": "default"}, RUNS, ASK),
    ("claude-code", {**CLAUDE, "permission_mode": "plan"}, RUNS, ASK),
    ("claude-code", {**CLAUDE, "permission_mode": "acceptEdits"}, ASK, ASK),
    ("claude-code", {**CLAUDE, "permission_mode": "auto"}, ASK, ASK),
    ("claude-code", {**CLAUDE, "permission_mode": "bypassPermissions"}, REFUSED, REFUSED),
    ("codex", {**CLAUDE, "permission_mode": "default"}, RUNS, REFUSED),
    ("codex", {**CLAUDE, "permission_mode": "bypassPermissions"}, REFUSED, REFUSED),
    ("gemini-cli", {**GEMINI, "tool_name": "run_shell_command"}, ASK, ASK),
    ("gemini-cli", {**GEMINI, "tool_name": "a_new_tool"}, ASK, ASK),
    ("gemini-cli", {**GEMINI, "tool_name": "read_file"}, RUNS, ASK),
    ("copilot-cli", {**COPILOT, "toolName": "bash"}, ASK, ASK),
    ("copilot-cli", {**COPILOT, "toolName": "create"}, ASK, ASK),
    ("copilot-cli", {**COPILOT, "toolName": "view"}, RUNS, ASK),
    ("cursor", {"hook_event_name": "beforeShellExecution", "command": "touch x"}, ASK, REFUSED),
    ("cursor", {"hook_event_name": "preToolUse", "tool_name": "Write"}, ASK, REFUSED),
    ("cursor", {"hook_event_name": "preToolUse", "tool_name": "Grep"}, RUNS, REFUSED),
    ("opencode", {"event": "tool.execute.before", "tool": "bash"}, REFUSED, REFUSED),
    ("opencode", {"event": "tool.execute.before", "tool": "read"}, REFUSED, REFUSED),
]
NAMES = [f"{each[0]} {each[1].get('permission_mode', each[1].get('tool_name', ''))}" for each in CASES]


def run(folder: Path, agent: str, address: str, hook: dict[str, Any]) -> tuple[int, str]:
    (folder / "token").write_text(token_file(agent, TOKEN))
    words = [agent, address, f"@{folder / 'token'}", "5", "--guards"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(client.__file__), *words],
        input=json.dumps(hook).encode(),
        capture_output=True,
        timeout=30,
    )
    return done.returncode, done.stdout.decode()


def is_killed(talk: Talk) -> None:
    """The line ends without an answer."""
    talk.line.close()


@pytest.mark.parametrize(("agent", "hook", "absent", "killed"), CASES, ids=NAMES)
def test_nothing_runs_unasked_for_want_of_an_answer(
    tmp_path: Path, agent: str, hook: dict[str, Any], absent: object, killed: object
) -> None:
    """Silence only where the agent asks by itself, or where the tool only looks at files."""
    asks = next(
        (line[4:] for line in token_file(agent, TOKEN).splitlines() if line.startswith("ask ")), "none"
    )
    port = str(free_port())
    assert run(tmp_path, agent, port, hook) == ((0, asks) if absent == ASK else absent)
    with Answering(is_killed) as server:
        assert run(tmp_path, agent, server.address, hook) == ((0, asks) if killed == ASK else killed)


@pytest.mark.parametrize("agent", RULES)
def test_what_makes_an_agent_ask_is_no_allow_and_one_line(agent: str) -> None:
    """In the agent's own form, which its adapter has; the token stands first and alone."""
    first, *lines = token_file(agent, TOKEN).splitlines()
    assert first == TOKEN
    rules = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
    if "ask" in rules:
        assert "ask" in json.dumps(json.loads(rules["ask"]))
        assert "allow" not in rules["ask"]
    assert "bash" not in rules.get("reads", "").lower().split()


def test_every_agent_that_is_installed_has_rules() -> None:
    """The generic one has no hooks of ours."""
    assert set(RULES) == {each.name for each in ADAPTERS} - {"generic"}
