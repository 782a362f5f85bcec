"""Which lines the agents' own rules may meet, in the vendors' own words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import Action, Kind, Moment
from desktop.agents.own_rules import LOOKED_UP_EVERY_S, OwnRules
from desktop.gate.request import Request
from desktop.gate.verdict import Effect


class Place:
    """A home and a project in it, with settings of agents."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "home" / "work" / "project"
        self.project.mkdir(parents=True)
        self.now = 0.0
        self.rules = OwnRules(self.home, {}, lambda: self.now)

    def write(self, file: str, content: Any) -> None:
        path = self.home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        self.now += LOOKED_UP_EVERY_S + 1

    def meets(self, agent: str, command: str, *commands: str) -> bool:
        action = Action(agent, Moment.BEFORE, Kind.COMMAND, command=command, folder=self.project)
        return self.rules.meet(action, Request("Bash", Effect.READ, commands=commands, text=command))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


CLAUDE_FILES = [
    ".claude/settings.json",
    "work/project/.claude/settings.local.json",
    "work/.claude/settings.json",
]


@pytest.mark.parametrize("file", CLAUDE_FILES)
@pytest.mark.parametrize("kind", ["deny", "ask"])
def test_rules_of_claude_code_are_found_wherever_it_reads_them(place: Place, file: str, kind: str) -> None:
    """The user's, the project's and those of folders above."""
    place.write(file, {"permissions": {kind: ["Read(./.env)", "Bash(curl:*)"]}})
    assert place.meets("claude-code", "curl x")
    assert not place.meets("claude-code", "ls")


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


OTHERS: list[tuple[str, str, Any]] = [
    ("gemini-cli", ".gemini/settings.json", {"tools": {"exclude": ["run_shell_command(curl)"]}}),
    ("gemini-cli", "work/project/.gemini/settings.json", {"excludeTools": ["ShellTool(curl)"]}),
    (
        "gemini-cli",
        ".gemini/policies/mine.toml",
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "curl"\ndecision = "deny"\n',
    ),
    (
        "gemini-cli",
        ".gemini/policies/mine.toml",
        '[[rule]]\ntoolName=["run_shell_command"]\ncommandPrefix = ["curl", "wc"]\ndecision="ask_user"\n',
    ),
    ("opencode", ".config/opencode/opencode.json", {"permission": {"bash": {"*": "allow", "curl *": "ask"}}}),
    ("opencode", "work/project/opencode.jsonc", '// mine\n{"permission": {"bash": {"curl *": "deny"}}}'),
    ("codex", ".codex/rules/default.rules", 'prefix_rule(pattern = ["curl"], decision = "forbidden")\n'),
    (
        "codex",
        "work/project/.codex/rules/mine.rules",
        'prefix_rule(\n    pattern = ["curl", ["-X", "-d"]],\n    decision = "prompt",\n)\n',
    ),
]


@pytest.mark.parametrize(("agent", "file", "content"), OTHERS)
def test_the_rules_of_other_agents_are_found(place: Place, agent: str, file: str, content: Any) -> None:
    """In their own files and forms."""
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
