"""What verbs share: options, a record as JSON or words, a yes that nobody can give by accident.

The gate's questions in the terminal too: all of one is shown first, and whatever is no clear yes is a no.
"""

from __future__ import annotations

import io
import json
import re
import select
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from desktop.cli.reasons import CliReason
from desktop.errors import Cancelled, UserFacing
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.asking import Answer, Question

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


def print_json(record: object) -> None:
    """Print `record` as JSON to read."""
    sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def say(record: object, as_json: bool, words: str) -> None:
    """Print `record` as JSON, or else `words`."""
    if as_json:
        print_json(record)
    else:
        sys.stdout.write(f"{words}\n")


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

YES = frozenset({"y", "yes", "j", "ja", "o", "oui", "s", "si", "sí"})


class TerminalAsker:
    """Any thread; one question at a time. Without a person at the terminal every answer is no."""

    def __init__(self, interactive: bool) -> None:
        """`interactive`: somebody types, rather than a pipe."""
        self._interactive = interactive
        self._lock = threading.Lock()

    def ask(self, question: Question) -> Answer:
        """Blocks until a line was typed."""
        from desktop.asking import DENIED, Answer, Choice

        # As the window's tick, which is set where copies can be kept.
        allowed = Answer(Choice.ALLOW, snapshot=keeps_copies(question))
        with self._lock:
            sys.stderr.write(f"\n{told(question)}\n")
            if not self._interactive:
                sys.stderr.write(f"{CliReason.NOBODY_TO_ASK.of()}\n")
                return DENIED
            prompt = f"{CliReason.ALLOW_ONCE.of()} "
            # A terminal's line editor has to know what stands before the cursor: told apart, it ends no line.
            is_seen = sys.stdout.isatty()
            sys.stderr.write("" if is_seen else prompt)
            sys.stderr.flush()
            try:
                typed = input(prompt) if is_seen else input()
            except (EOFError, KeyboardInterrupt):
                return DENIED
            return allowed if typed.strip().casefold() in YES else DENIED


class VerbAsker:
    """For a verb that makes one call: `yes` given with it agrees; without that and a terminal it is a no."""

    def __init__(self, yes: bool, is_stopped: Callable[[], bool] | None = None) -> None:
        """`is_stopped`: as `says_yes` has it."""
        self._yes = yes
        self._is_stopped = is_stopped
        self.found_nobody = False  # then it was not the user who said no

    def ask(self, question: Question) -> Answer:
        from desktop.asking import ALLOWED_ONCE, DENIED

        if self._yes:
            return ALLOWED_ONCE
        if not sys.stdin.isatty():
            self.found_nobody = True
            return DENIED
        return ALLOWED_ONCE if says_yes(f"{told(question)}\nDo it?", self._is_stopped) else DENIED


def keeps_copies(question: Question) -> bool:
    """Whether a yes keeps what the command changes first."""
    return question.command is not None and question.command.can_snapshot


def told(question: Question) -> str:
    """The question with its difference, or what it would run, and its warning; nothing of it acts on the
    terminal."""
    lines = [str(question.title), *map(str, question.plain_sentences)]
    # What is changed comes before the arguments, which hold the same once more.
    given = question.arguments.rstrip()
    # The number of a change says nothing to a person.
    lines.append(question.diff.rstrip() or ("" if given.isdigit() else given))
    lines += [f"  {each.path}" for each in question.files]
    if keeps_copies(question):
        lines.append(str(CliReason.COPIES_ARE_KEPT.of()))
    if question.warning is not None:
        lines.append(f"! {question.warning}")
    return "\n".join(shown(each) for each in lines if each)
