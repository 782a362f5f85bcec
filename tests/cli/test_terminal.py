"""What verbs print and ask: a yes is a yes alone, and nobody there agrees to nothing."""

from __future__ import annotations

import io
import json

import pytest

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import agree, say, says_yes
from desktop.errors import Cancelled, UserFacing

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
