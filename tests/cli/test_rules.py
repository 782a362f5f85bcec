"""`steward rules` on a real profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli import main

Rules = Callable[..., tuple[int, str]]


@pytest.fixture
def rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Rules:
    """Runs the verb; gives the exit code and what it printed."""

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["--profile", str(tmp_path / "profile"), "rules", *words])
        return code, capsys.readouterr().out

    return run


def test_a_rule_is_added_decides_and_goes(rules: Rules) -> None:
    """What stands in the list decides the next line, and no longer once it is removed."""
    assert rules("test", "git push")[0] == 3
    assert rules("add", "deny", "--program", "git push", "--reason", "not today") == (
        0,
        "Added: 1 deny git push\n",
    )
    code, text = rules("test", "sudo git -C x push", "--agent", "codex")
    assert code == 4
    assert "deny: not today" in text
    assert "rule 1, git push" in text
    assert rules("remove", "1")[0] == 0
    assert rules("test", "git push")[0] == 3
    assert rules("test", "ls")[0] == 0


def test_the_list_shows_what_is_never_done_too(rules: Rules) -> None:
    """With no rule of one's own it is all there is; as JSON only one's own are told."""
    assert "Formatting, wiping" in rules("list")[1]
    rules("add", "ask", "--path", "/srv", "--agent", "codex")
    assert json.loads(rules("list", "--json")[1]) == [
        {"number": 1, "effect": "ask", "path": "/srv", "agent": "codex"}
    ]
    code, text = rules("test", "rm -rf ~", "--json")
    assert (code, json.loads(text)["ground"]) == (4, "hard rule")


@pytest.mark.parametrize(
    "words",
    [
        ("add", "deny"),
        ("add", "allow", "--agent", "codex"),
        ("add", "maybe", "--program", "x"),
        ("remove", "1"),
        ("test", "ls", "--shell", "fish"),
    ],
)
def test_what_makes_no_sense_is_refused(rules: Rules, words: tuple[str, ...]) -> None:
    """And nothing is changed."""
    assert rules(*words)[0] != 0
    assert "no rules" in rules("list")[1]
