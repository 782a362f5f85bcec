"""A coding agent is one module, one line in the list and one module of tests; nothing else knows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agents import install
from desktop.agents.action import Action, ActionKind, Moment
from desktop.agents.agent import Agent
from desktop.agents.agent_list import AGENTS, agent_named, title_of
from desktop.agents.droid import Droid, entries
from desktop.agents.file_verdict import places, verdict_on
from desktop.agents.settings_file import Computer, SettingsPlace, SharedFile
from desktop.gate.commands import CommandPlaces, Commands
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Flag
from tests.agents.agent_cases import all_cases
from tests.shipped import command_tables

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
    "cli/mcp.py": "examples in help",
    "mcp/setup.py": "where programs that are no agents keep their lists of servers, too",
    "app/chat_parts.py": "folders of skills, also of programs that have no module here",
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
        source = file.read_text(encoding="utf-8")
        # Most modules have none of the words in them, and parsing all of them takes seconds.
        if not pattern.search(source) and not any(module in source for module in OWN):
            continue
        texts = list(said(source))
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


class Newcomer(Droid):
    """An agent of next month, which keeps its hooks where no agent did before."""

    name = "newcomer"

    def settings_place(self, computer: Computer) -> SettingsPlace:
        return SharedFile(self.name, computer.home / ".newcomer" / "hooks.json", entries)


@pytest.mark.parametrize("folder", ["home", "project"])
def test_the_gate_guards_what_a_new_agent_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """By a line of its shell and by its own tool, from any folder; its module is all that says where."""
    monkeypatch.setattr(install, "AGENTS", (Newcomer(),))
    (tmp_path / ".newcomer").mkdir()
    (tmp_path / "project").mkdir()
    files = tuple(each.file for each in install.places(Computer(tmp_path)))
    start = {"home": tmp_path, "project": tmp_path / "project"}[folder]
    path = {"home": ".newcomer/hooks.json", "project": "../.newcomer/hooks.json"}[folder]

    commands = Commands(Classifier(command_tables()), around=CommandPlaces.of(hooks=files))
    for line in (f"echo x > {path}", f"rm {path}"):
        assert Flag.GATE in commands.verdict(line, "bash", str(start)).flags
    assert Flag.GATE not in commands.verdict("echo x > notes.json", "bash", str(start)).flags

    action = Action("newcomer", Moment.BEFORE, ActionKind.WRITE, "Write", path=path, folder=start)
    assert Flag.GATE in verdict_on(action, places(action, (), files)).flags
    looked = replace(action, kind=ActionKind.READ)
    assert Flag.GATE not in verdict_on(looked, places(looked, (), files)).flags


@pytest.mark.parametrize("known", AGENTS[:-1], ids=lambda each: each.name)
def test_every_agent_is_in_the_manual(known: Agent) -> None:
    """By its name and with what it lets Steward do; one that nobody has tried is marked so there."""
    text = MANUAL.read_text(encoding="utf-8")
    assert f"`{known.name}`" in text, f"{MANUAL.name} names {known.name} nowhere"
    rows = [line for line in text.splitlines() if line.startswith(f"| {known.title} |")]
    assert rows, f"no table of {MANUAL.name} has a row for {known.title}"
    assert ("not tried" in rows[0]) is known.is_untried


def test_an_agent_is_found_by_its_name() -> None:
    """And what is none keeps the name that it came with."""
    assert all(agent_named(each.name) is each for each in AGENTS)
    assert agent_named("nobody") is None
    assert [title_of("codex"), title_of("nobody")] == ["Codex", "nobody"]
