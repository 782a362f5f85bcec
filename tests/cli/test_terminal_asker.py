"""The gate's questions in the terminal: shown whole, and no is what anything but a yes means."""

from __future__ import annotations

import io

import pytest

from desktop.asking import (
    ALLOWED_ONCE,
    DENIED,
    Answer,
    AskingReason,
    Choice,
    CommandView,
    FileMatch,
    Question,
    Risk,
)
from desktop.cli.terminal_asker import TerminalAsker
from desktop.tools.reasons import ToolReason


def question(diff: str = "") -> Question:
    title = ToolReason.ASK_WRITE.of(path="a.txt")
    return Question(
        title,
        ToolReason.MAKES_FILE.of(),
        Risk.CHANGES,
        "path: a.txt",
        diff=diff,
        warning=ToolReason.REPLACES_LINES.of(before=40, after=1),
    )


@pytest.mark.parametrize(
    ("typed", "is_allowed"),
    [
        ("y", True),
        ("Yes", True),
        ("ja", True),
        ("oui", True),
        ("sí", True),
        ("", False),
        ("n", False),
        ("ok y", False),
    ],
)
def test_only_a_yes_allows(typed: str, is_allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In four languages; Enter alone is no."""
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    assert TerminalAsker(interactive=True).ask(question()) == (ALLOWED_ONCE if is_allowed else DENIED)


def test_the_end_of_the_input_is_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that was closed has not agreed."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert TerminalAsker(interactive=True).ask(question()) == DENIED


def test_the_difference_and_the_warning_come_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no sequence of it acts on the terminal."""
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    TerminalAsker(interactive=True).ask(question("-old\n+new \x1b[2J\n"))
    told = capsys.readouterr().err
    assert told.index("+new") < told.index("40") < told.index("[y/N]")
    assert "\x1b" not in told
    assert "\\x1b[2J" in told


def test_nobody_at_a_pipe_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """What was not asked is said not to be done."""
    assert TerminalAsker(interactive=False).ask(question()) == DENIED
    assert "There is nobody at the terminal" in capsys.readouterr().err


@pytest.mark.parametrize("can_snapshot", [True, False])
def test_a_yes_to_a_command_keeps_a_copy_where_one_can_be_kept(
    can_snapshot: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the window's tick does, and it says so; the files that are changed are listed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    asked = Question(
        AskingReason.ASK_COMMAND_DELETES.of(),
        AskingReason.RUNS_IN.of(folder="/w"),
        Risk.DELETES,
        "rm *.log",
        files=(FileMatch("/w/a.log", 3),),
        command=CommandView("DELETE", can_snapshot=can_snapshot),
    )
    assert TerminalAsker(interactive=True).ask(asked) == Answer(Choice.ALLOW, snapshot=can_snapshot)
    told = capsys.readouterr().err
    assert "/w/a.log" in told
    assert ("copy" in told) is can_snapshot
