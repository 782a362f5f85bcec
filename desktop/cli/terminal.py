"""What verbs share: their options, a record as JSON or words, and a yes that nobody can give by accident."""

from __future__ import annotations

import io
import json
import re
import select
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from desktop.errors import Cancelled, UserFacing
from desktop.reasons import Reason

LOOK_S = 0.1
# Sequences of the terminal could draw another text than the one that is there, or another question.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """A text with its control characters spelled out, so that none acts on the terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class SpelledOut(io.TextIOWrapper):
    """A terminal for what others may have written: names, answers, lines of a server."""

    def write(self, text: str) -> int:
        return super().write(shown(text))


def guard_terminal() -> None:
    """Let nothing that a verb prints act on the terminal. Files and pipes get every character as it is."""
    # Without a console there is nothing to print to.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.isatty():
        now = sys.stdout
        sys.stdout = SpelledOut(now.buffer, encoding=now.encoding, errors=now.errors, line_buffering=True)


def say(record: object, as_json: bool, words: str) -> None:
    """Print `record` as JSON, or else `words`."""
    text = json.dumps(record, ensure_ascii=False, indent=2) if as_json else words
    sys.stdout.write(f"{text}\n")


class Declined(Cancelled):
    """The user was asked and said no, which is no interruption. Nothing was changed yet."""


def says_yes(question: str, is_stopped: Callable[[], bool] | None = None) -> bool:
    """Ask, and wait for a line. Anything but y or yes is a no, also the end of the input.

    With `is_stopped` on another thread than the main one, which alone hears of Ctrl+C: a line that is waited
    for could not be given up there. Nothing may have been read before, and not on Windows.
    """
    # On stderr, since stdout may be a file: `--json` promises that nothing else stands there.
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    while is_stopped is not None and not select.select([sys.stdin], [], [], LOOK_S)[0]:
        if is_stopped():
            return False
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def agree(question: str, yes: bool, unanswered: Reason) -> None:
    """Ask unless `yes` was given. Raises Declined for a no, UserFacing where there is nobody to ask."""
    if yes:
        return
    # A script that did not say --yes has agreed to nothing: nobody has read what it would agree to.
    if not sys.stdin.isatty():
        raise UserFacing(unanswered)
    if not says_yes(question):
        raise Declined


JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Without asking.")]
