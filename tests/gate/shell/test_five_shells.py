"""Lines of five shells, written before anybody looked at the tables, and reads that print secrets."""

from __future__ import annotations

from pathlib import Path

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Flag, Gate

HERE = Path(__file__).parent
FOLDER = "/home/u/app"
READ_AS = {"zsh": "bash", "fish": "bash"}  # by the reader of which shell


def rows(name: str) -> list[tuple[str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if line and not line.startswith("# "))
    return [(READ_AS.get(shell, shell), command) for shell, command in pairs]


def test_nothing_that_destroys_or_sends_passes_as_a_read(classifier: Classifier) -> None:
    """In bash, zsh, fish, PowerShell and cmd."""
    table = rows("five_shells.txt")
    assert len(table) >= 900
    passed = [
        (shell, command)
        for shell, command in table
        if classifier.classify(command, shell, FOLDER).gate is Gate.ALLOW
    ]
    assert passed == []


def test_what_prints_secrets_asks(classifier: Classifier) -> None:
    """Keys, tokens, passwords and variables that a program shows by itself, whatever it is wrapped in."""
    table = rows("printed_secrets.txt")
    assert len(table) >= 300
    passed = [
        (shell, command)
        for shell, command in table
        if classifier.classify(command, shell, FOLDER).gate is Gate.ALLOW
    ]
    assert passed == []


def test_the_reason_is_named(classifier: Classifier) -> None:
    """A question about a read says that it is about secrets, not that it only reads."""
    for shell, command in rows("printed_secrets.txt"):
        verdict = classifier.classify(command, shell, FOLDER)
        if verdict.flags == {Flag.SECRET} and verdict.effect == 0:
            words = str(verdict.reason)
            assert "secret" in words or "token" in words, (command, words)


def test_their_twins_pass(classifier: Classifier) -> None:
    """Public halves, names, counts and single fields of no secret name."""
    asked = [
        (shell, command)
        for shell, command in rows("printed_secrets_twins.txt")
        if classifier.classify(command, shell, FOLDER).gate is not Gate.ALLOW
    ]
    assert asked == []
