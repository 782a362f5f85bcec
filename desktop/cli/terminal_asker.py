"""The gate's questions in the terminal: all of it is shown first, and whatever is no clear yes is a no."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.cli.reasons import CliReason
from desktop.cli.terminal import says_yes, shown

if TYPE_CHECKING:
    from desktop.asking import Answer, Question

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
