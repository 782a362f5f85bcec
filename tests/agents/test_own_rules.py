"""Which lines the agents' own rules may meet, in the vendors' own words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import Action, ActionKind, Moment
from desktop.agents.agent_list import AGENTS
from desktop.agents.own_rules import LOOKED_UP_EVERY_S, OwnRules
from desktop.agents.settings_file import Computer
from desktop.database import Database
from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.request import AgentRule, Request, Unfit
from desktop.gate.verdict import Effect
from tests.agents.agent_cases import all_cases


class Place:
    """A home and a project in it, with settings of agents."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "home" / "work" / "project"
        self.project.mkdir(parents=True)
        self.now = 0.0
        self.database = Database(folder / "database", MIGRATIONS)
        self.consents = AgentConsents(self.database)
        self.rules = OwnRules(AGENTS, Computer(self.home), self.consents, lambda: self.now)

    def write(self, file: str, content: Any) -> None:
        path = self.home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        self.now += LOOKED_UP_EVERY_S + 1

    def meets(self, agent: str, command: str, *commands: str) -> bool:
        action = Action(agent, Moment.BEFORE, ActionKind.COMMAND, command=command, folder=self.project)
        return self.rules.meet(action, Request("Bash", Effect.READ, commands=commands, text=command))

    def allowed(self, agent: str) -> dict[str, Unfit | None]:
        """What is listed of this agent: each rule, and why it is never honoured."""
        files = [each for each in self.rules.listed() if each.agent == agent]
        return {rule.text: rule.unfit for each in files for rule in each.rules}

    def honoured(self, agent: str, command: str) -> list[str]:
        action = Action(agent, Moment.BEFORE, ActionKind.COMMAND, command=command, folder=self.project)
        request = Request("Bash", Effect.UNKNOWN, commands=(command,), text=command)
        return [rule.text for rule in self.rules.honoured(action, request)]

    def agree(self, agent: str) -> None:
        for each in self.rules.listed():
            if each.agent == agent:
                self.consents.agree(each)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.database.close()


@pytest.mark.parametrize(
    ("rule", "line", "meets"),
    [
        ("Bash", "anything", True),
        ("Bash(*)", "anything", True),
        ("Bash(git push)", "git push", True),
        ("Bash(git push)", "git pull", False),
        ("Bash(git push:*)", "git push origin", True),
        ("Bash(git * main)", "git checkout main", True),
        ("Bash(git * main)", "git checkout dev", False),
        ("Bash(ls [a])", "ls [a]", True),
        ("Bash(ls [a])", "ls a", False),
        ("WebFetch(domain:x)", "curl x", False),
    ],
)
def test_claude_codes_patterns_mean_what_they_mean_there(
    place: Place, rule: str, line: str, meets: bool
) -> None:
    """A whole line, a beginning, or a star anywhere."""
    place.write(".claude/settings.json", {"permissions": {"deny": [rule]}})
    assert place.meets("claude-code", line) is meets


def test_every_command_of_a_line_counts(place: Place) -> None:
    """Agents take lines apart too."""
    place.write(".claude/settings.json", {"permissions": {"deny": ["Bash(curl:*)"]}})
    assert place.meets("claude-code", "cd x && curl y", "cd x", "curl y")


def test_what_allows_is_no_reason(place: Place) -> None:
    """Only what forbids or asks."""
    place.write(".claude/settings.json", {"permissions": {"allow": ["Bash"]}})
    assert not place.meets("claude-code", "ls")


HELD = [(each.agent, *case) for each in all_cases() for case in each.held_rules]


@pytest.mark.parametrize(("agent", "file", "content"), HELD)
def test_rules_that_deny_or_ask_are_found(place: Place, agent: str, file: str, content: Any) -> None:
    """In the agent's own files and forms: the user's, the project's and those of folders above."""
    assert not place.meets(agent, "curl -X x")
    place.write(file, content)
    assert place.meets(agent, "curl -X x")
    assert not place.meets(agent, "ls")


@pytest.mark.parametrize(
    ("agent", "file", "content"),
    [
        ("opencode", "work/project/opencode.json", {"permission": {"bash": "ask"}}),
        ("gemini-cli", ".gemini/policies/a.toml", '[[rule]]\ntoolName = "*"\ndecision = "deny"\n'),
    ],
)
def test_a_rule_about_all_commands_meets_all(place: Place, agent: str, file: str, content: Any) -> None:
    """One word for every command."""
    place.write(file, content)
    assert place.meets(agent, "ls")


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"permissions": 3}', '{"permissions": {"deny": "x"}}'])
def test_what_cannot_be_read_holds_no_rule(place: Place, content: str) -> None:
    """The agent could not read it either."""
    place.write(".claude/settings.json", content)
    assert not place.meets("claude-code", "ls")


def test_agents_without_such_rules_have_none(place: Place) -> None:
    """Copilot CLI takes them on its command line, where nobody sees them."""
    assert not place.meets("copilot-cli", "ls")


# -- what they allow ------------------------------------------------------------------------------

ALLOWING = [(each.agent, *case) for each in all_cases() for case in each.allow_rules]


@pytest.mark.parametrize(("agent", "file", "content", "rules"), ALLOWING)
def test_what_agents_allow_is_listed(
    place: Place, agent: str, file: str, content: Any, rules: dict[str, Unfit | None]
) -> None:
    """In their own files and forms, each with why it is never honoured, if it is not."""
    place.write(file, content)
    place.honoured(agent, "npm test")  # an agent has worked there
    assert place.allowed(agent) == rules


def test_nothing_is_honoured_without_a_yes(place: Place) -> None:
    """And each file has its own."""
    place.write(".claude/settings.json", {"permissions": {"allow": ["Bash(npm test)"]}})
    assert place.honoured("claude-code", "npm test") == []
    place.agree("claude-code")
    assert place.honoured("claude-code", "npm test") == ["Bash(npm test)"]
    place.write("work/project/.claude/settings.json", {"permissions": {"allow": ["Bash(make:*)"]}})
    assert place.honoured("claude-code", "npm test") == ["Bash(npm test)"]


def test_a_changed_list_is_asked_about_anew(place: Place) -> None:
    """An agent that adds a rule to its own settings gains nothing by it."""
    place.write(".claude/settings.json", {"permissions": {"allow": ["Bash(npm test)"]}})
    place.agree("claude-code")
    place.write(".claude/settings.json", {"permissions": {"allow": ["Bash(npm test)", "Bash(make:*)"]}})
    assert place.honoured("claude-code", "npm test") == []
    (listed,) = place.rules.listed()
    assert place.consents.of(listed) is Consent.OUTDATED
    place.write(".claude/settings.json", {"permissions": {"allow": ["Bash(npm test)"]}, "model": "x"})
    assert place.honoured("claude-code", "npm test") == ["Bash(npm test)"]


def test_a_rule_that_asks_is_stronger(place: Place) -> None:
    """Where it names the line; one about every command is the agent's way to say what else holds."""
    bash = {"*": "ask", "npm *": "allow", "npm run deploy*": "ask"}
    place.write("work/project/opencode.json", {"permission": {"bash": bash}})
    place.honoured("opencode", "npm test")
    place.agree("opencode")
    assert place.honoured("opencode", "npm test") == ["npm *"]
    assert place.honoured("opencode", "npm run deploy") == []


def test_a_file_that_was_agreed_to_is_listed_after_a_restart(place: Place) -> None:
    """Nothing else would let the user take the yes back."""
    place.write("work/project/.claude/settings.local.json", {"permissions": {"allow": ["Bash(make)"]}})
    place.honoured("claude-code", "make")
    place.agree("claude-code")
    later = OwnRules(AGENTS, Computer(place.home), place.consents, lambda: 0.0)
    assert [each.file.name for each in later.listed()] == ["settings.local.json"]


@pytest.mark.parametrize(
    "text", ["prefix_rule(", "prefix_rule(pattern=x)", 'prefix_rule(pattern="make")', 'other(pattern=["x"])']
)
def test_what_is_no_rule_of_codex_allows_nothing(place: Place, text: str) -> None:
    """Half a file, names, and other functions."""
    place.write(".codex/rules/default.rules", text)
    assert place.allowed("codex") == {}


# The files of a project in which agents look for rules.
IN_PROJECT = (".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", "opencode.json")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


HINDRANCES: dict[str, Callable[[Path], object]] = {
    "a pipe that nobody writes to": lambda path: os.mkfifo(path),  # noqa: PLW0108 - Windows has no such name
    "a link to a device without end": lambda path: path.symlink_to("/dev/zero"),
    "a link to a terminal": lambda path: path.symlink_to("/dev/tty"),
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "more than any memory": _sparse,
    "JSON without a bottom": lambda path: path.write_text('{"permissions":' + "[" * 200_000),
    "comments without a bottom": lambda path: path.write_text('{/**/"permissions":' + "[" * 200_000),
    "TOML without a bottom": lambda path: path.write_text("rules = " + "[" * 200_000),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00" * 1000),
}


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices have names there")
@pytest.mark.parametrize("hindrance", HINDRANCES)
def test_what_stands_in_a_project_does_not_hold_the_gate_up(place: Place, hindrance: str) -> None:
    """Whoever works there may have put it where rules are looked for; it holds none, and all go on."""
    for name in IN_PROJECT:
        path = place.project / name
        path.parent.mkdir(exist_ok=True)
        HINDRANCES[hindrance](path)
    for agent in AGENTS:
        assert not place.meets(agent.name, "git push")


# -- swapped between the look and the use ----------------------------------------------------------


def test_a_file_that_changes_while_it_is_asked_is_one_or_the_other(place: Place) -> None:
    """A line that the file forbids before and does not name afterwards is honoured by neither."""
    file = ".claude/settings.json"
    before = {"permissions": {"allow": ["Bash(npm:*)"], "deny": ["Bash(npm publish:*)"]}}
    place.write(file, before)
    place.agree("claude-code")
    looks = 0

    def swapping() -> float:
        """Each look at the clock finds the last one outdated; after the first the file is another one."""
        nonlocal looks
        looks += 1
        if looks > 1:
            (place.home / file).write_text(json.dumps({"permissions": {}}))
        return float(looks * 100)

    place.rules = OwnRules(AGENTS, Computer(place.home), place.consents, swapping)
    assert place.honoured("claude-code", "npm publish") == []


@pytest.mark.parametrize(
    ("seen", "swapped"),
    [
        ('["git push", "origin"]', '["git", "push", "origin"]'),
        ('["make", "a b"]', '["make", "a", "b"]'),
        ('["rm -r", "build"]', '["rm", "-r", "build"]'),
    ],
)
def test_rules_that_look_alike_are_not_the_same(place: Place, seen: str, swapped: str) -> None:
    """What was agreed to is what the rule means, and two meanings are shown as two texts."""
    place.write(".codex/rules/default.rules", f"prefix_rule(pattern={seen})")
    place.agree("codex")
    shown = set(place.allowed("codex"))
    place.write(".codex/rules/default.rules", f"prefix_rule(pattern={swapped})")
    (listed,) = place.rules.listed()
    assert place.consents.of(listed) is Consent.OUTDATED
    assert shown.isdisjoint(place.allowed("codex"))


def test_a_yes_is_to_the_words_and_not_to_how_they_are_written(place: Place) -> None:
    """Two rules with one text that mean different things have different digests."""
    file = place.home / "rules"
    lists = [
        (AgentRule("make", ("make",)),),
        (AgentRule("make", ("make",), is_prefix=True),),
        (AgentRule("make", ("make", "all")),),
        (AgentRule("make", unfit=Unfit.PATTERN),),
    ]
    assert len({RuleFile("x", file, rules).digest for rules in lists}) == len(lists)
