"""What verbs print and ask: a record as JSON or words, and a yes that nobody can give by accident."""

from __future__ import annotations

import json
import select
import sys
from collections.abc import Callable

from desktop.errors import Cancelled, UserFacing
from desktop.reasons import Reason

LOOK_S = 0.1


def say(record: object, as_json: bool, words: str) -> None:
    """Print `record` as JSON, or else `words`."""
    text = json.dumps(record, ensure_ascii=False, indent=2) if as_json else words
    sys.stdout.write(f"{text}\n")


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
    """Ask unless `yes` was given. Raises Cancelled for a no, UserFacing where there is nobody to ask."""
    if yes:
        return
    # A script that did not say --yes has agreed to nothing: nobody has read what it would agree to.
    if not sys.stdin.isatty():
        raise UserFacing(unanswered)
    if not says_yes(question):
        raise Cancelled
