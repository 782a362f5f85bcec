"""What every coding agent is tried with: each agent's own test module holds its `CASES`.

The tests of the phases (installing, launching, reading hooks …) go through all of them, so that a new agent
brings its cases in one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from desktop.agents.agent_list import AGENTS
from desktop.gate.request import Unfit

EXCHANGES = Path(__file__).parent / "exchanges"
ASKS = "asks"  # what the client prints makes the agent ask
RUNS, REFUSED = (0, ""), (2, "")  # exit code and output of the client


@dataclass(frozen=True)
class AgentCases:
    """One agent. `source` is where its wire form was read; every exchange is one hook with its answer.

    `hook` makes a call of a tool, with `{"x": "y"}`, before it runs. `file` is where our hooks go, with
    `variables` that name folders; the user's home is `home`. `settings` are texts as found in people's homes,
    none where the file is Steward's alone. `asked` are tools in no table, `passes` those that only steer the
    agent. `without_answer`: a hook, what the client does where Steward is not there, and where it was killed
    with the question open. `held_rules` are files of the agent's own rules about `curl`, and `allow_rules`
    files with the rules that they allow.
    """

    agent: str
    source: str
    exchanges: Sequence[Mapping[str, Any]]
    hook: Callable[[str], dict[str, Any]]
    file: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    without_answer: tuple[tuple[dict[str, Any], object, object], ...] = ()
    held_rules: tuple[tuple[str, Any], ...] = ()
    allow_rules: tuple[tuple[str, Any, dict[str, Unfit | None]], ...] = ()


def recorded(agent: str) -> dict[str, Any]:
    """`source` and `exchanges` of the table that lies beside."""
    table = json.loads((EXCHANGES / f"{agent}.json").read_text(encoding="utf-8"))
    return {"agent": agent, "source": table["source"], "exchanges": table["exchanges"]}


def named(event: str, tool: str) -> dict[str, Any]:
    """The form that most vendors share."""
    return {
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": {"x": "y"},
        "cwd": "/p",
        "session_id": "s",
    }


def all_cases() -> tuple[AgentCases, ...]:
    """Those of every agent in the list, in its order. Raises ImportError for one without a test module."""
    modules = [type(each).__module__.rpartition(".")[2] for each in AGENTS]
    return tuple(import_module(f"tests.agents.test_{name}").CASES for name in modules)
