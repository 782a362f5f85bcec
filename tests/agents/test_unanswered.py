"""What each agent is told where Steward does not answer, by the client and the file that are installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import client
from desktop.agents.agent import WithoutAnswer
from desktop.agents.agent_list import AGENTS, agent_named
from desktop.agents.settings_file import Computer
from tests.agents.agent_cases import ASKS, all_cases
from tests.agents.answering import TOKEN, Answering, Talk
from tests.ports import free_port

pytestmark = pytest.mark.children

CASES = [(each.agent, *case) for each in all_cases() for case in each.without_answer]
NAMES = [f"{each[0]} {each[1].get('permission_mode', each[1].get('tool_name', ''))}" for each in CASES]


def token_file(agent: str) -> str:
    known = agent_named(agent)
    assert known is not None
    return known.token_file_text(TOKEN)


def run(folder: Path, agent: str, address: str, hook: dict[str, Any]) -> tuple[int, str]:
    (folder / "token").write_text(token_file(agent))
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
    asks = next((line[4:] for line in token_file(agent).splitlines() if line.startswith("ask ")), "none")
    port = str(free_port())
    assert run(tmp_path, agent, port, hook) == ((0, asks) if absent == ASKS else absent)
    with Answering(is_killed) as server:
        assert run(tmp_path, agent, server.address, hook) == ((0, asks) if killed == ASKS else killed)


@pytest.mark.parametrize("agent", [each.name for each in AGENTS])
def test_what_makes_an_agent_ask_is_no_allow_and_one_line(agent: str) -> None:
    """In the agent's own form, which its adapter has; the token stands first and alone."""
    first, *lines = token_file(agent).splitlines()
    assert first == TOKEN
    rules = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
    if "ask" in rules:
        assert "ask" in json.dumps(json.loads(rules["ask"]))
        assert "allow" not in rules["ask"]
    assert "bash" not in rules.get("reads", "").lower().split()


def test_every_agent_that_is_installed_says_what_its_client_does() -> None:
    """Silence alone would let a session that asks nobody go on."""
    installed = {each.name for each in AGENTS if each.settings_place(Computer(Path("/")))}
    assert installed == {each.agent for each in all_cases() if each.without_answer}
    assert all(each.without_answer != WithoutAnswer() for each in AGENTS if each.name in installed)
