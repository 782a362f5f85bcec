"""What verbs print and ask: a yes is a yes alone, and nobody there agrees to nothing."""

from __future__ import annotations

import io
import json

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
from desktop.cli.reasons import CliReason
from desktop.cli.terminal import TerminalAsker, agree, say, says_yes
from desktop.errors import Cancelled, UserFacing
from desktop.tools.reasons import ToolReason

UNANSWERED = CliReason.SERVERS_UNANSWERED.of()


class Terminal(io.StringIO):
    """One that somebody types on."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "yes"),
    [
        ("y\n", True),
        (" YES \n", True),
        ("yes", True),
        ("\n", False),
        ("", False),
        ("yo\n", False),
        ("n\n", False),
    ],
)
def test_only_a_yes_is_one(
    typed: str, yes: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also the end of the input is a no; the question leaves stdout to the record."""
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert says_yes("Do it?") is yes
    assert capsys.readouterr() == ("", "Do it? [y/N] ")


def test_without_a_terminal_nothing_is_agreed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that says yes is nobody; --yes is somebody's own word."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(UserFacing) as refused:
        agree("Do it?", False, UNANSWERED)
    assert refused.value.reason == UNANSWERED
    agree("Do it?", True, UNANSWERED)


def test_a_no_ends_the_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, as when somebody presses Ctrl+C."""
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    with pytest.raises(Cancelled):
        agree("Do it?", False, UNANSWERED)


def test_a_record_or_words(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON keeps letters as they are."""
    say({"name": "Zoë"}, True, "unused")
    say({}, False, "Zoë was added.")
    first, second = capsys.readouterr().out.split("}\n")
    assert json.loads(f"{first}}}") == {"name": "Zoë"}
    assert "Zoë" in first
    assert second == "Zoë was added.\n"


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
