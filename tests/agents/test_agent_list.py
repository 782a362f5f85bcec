"""A coding agent is one module, one line in the list and one module of tests; nothing else knows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.agent import Agent
from desktop.agents.agent_list import AGENTS, agent_named, title_of
from tests.agents.agent_cases import all_cases

ROOM = Path(__file__).resolve().parents[2] / "desktop"
MANUAL = ROOM.parent / "docs" / "agents.md"
OWN = {type(each).__module__.rpartition(".")[2] for each in AGENTS}
# Modules that may name an agent all the same, and why.
EXCEPTIONS = {
    "agents/agent_list.py": "the list",
    "gate/shell/places.py": "guards settings also of agents that have no module here",
    "settings/declared.py": "an example in the words of a setting",
    "cli/gate.py": "examples in the help of verbs",
    "cli/agents.py": "examples in an error and in help",
    "cli/launch.py": "an example in help",
    "cli/selftest.py": "tries the hook client as one of them",
    "ui/pages/activity_table.py": "a column is as wide as a usual name",
}
# "cursor" alone is what a text field has.
AMBIGUOUS = {"cursor", "generic"}


def words() -> re.Pattern[str]:
    """Everything that an agent is called: its name, its title, its programs."""
    named = {word for each in AGENTS for word in (each.name, each.title, *each.programs)}
    plain = sorted(named - AMBIGUOUS - {"Cursor", "An agent"}, key=len, reverse=True)
    return re.compile("|".join(rf"(?<![a-z]){re.escape(word)}(?![a-z])" for word in plain), re.IGNORECASE)


def said(source: str) -> Iterator[str]:
    """The imports and texts of a module, less what explains it."""
    tree = ast.parse(source)
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.value
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{each.name}" for each in node.names)


def naming() -> set[str]:
    """The modules that name an agent and are none."""
    pattern = words()
    own = re.compile(rf"desktop\.agents\.(?:{'|'.join(sorted(OWN))})\b")
    found = set()
    for file in ROOM.rglob("*.py"):
        if file.parent.name == "agents" and file.parent.parent == ROOM and file.stem in OWN:
            continue
        texts = list(said(file.read_text(encoding="utf-8")))
        if any(own.search(text) or pattern.search(text) for text in texts):
            found.add(file.relative_to(ROOM).as_posix())
    return found


def test_no_module_but_its_own_names_an_agent() -> None:
    """Whoever adds one need not look for the places; an exception that is none any more goes."""
    assert naming() == set(EXCEPTIONS)


def test_every_agent_has_a_module_of_its_own_and_cases() -> None:
    """Named alike, so that each is found from the other; no two share a name or a program."""
    assert [each.agent for each in all_cases()] == [each.name for each in AGENTS]
    assert len(OWN) == len(AGENTS)
    for each in AGENTS:
        assert type(each).__module__ == f"desktop.agents.{each.name.replace('-', '_')}"
    called = [word for each in AGENTS for word in {each.name, *each.programs}]
    assert len(called) == len(set(called))


@pytest.mark.parametrize("known", AGENTS[:-1], ids=lambda each: each.name)
def test_every_agent_is_in_the_manual(known: Agent) -> None:
    """In the table of what it lets Steward do; one that nobody has tried is marked so there."""
    rows = [line for line in MANUAL.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    (row, *_) = [line for line in rows if line.startswith(f"| {known.title} |")]
    assert ("not tried" in row) is known.is_untried


def test_an_agent_is_found_by_its_name() -> None:
    """And what is none keeps the name that it came with."""
    assert all(agent_named(each.name) is each for each in AGENTS)
    assert agent_named("nobody") is None
    assert [title_of("codex"), title_of("nobody")] == ["Codex", "nobody"]
