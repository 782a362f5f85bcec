"""Tries every regular expression of the program on texts made of its own words, and tells which are held up.

Run as `python -m tests.expressions`: a JSON line for each that does not answer within `LIMIT_S` of the
processor. While an expression is tried nothing else of the program runs, the window among it, and a text that
somebody else wrote must not decide how long that is. An expression that can read one text in two ways reads
forty of them in 2^40; the ways double with each word, so a few dozen words show it.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import desktop

parser = importlib.import_module("re._parser")  # the library's own reader of expressions has no public name

LENGTH = 160  # characters of a text that an expression is tried on
LIMIT_S = 0.5  # of the processor; an honest one takes some microseconds
WORDS = 16  # of an expression, at most: the tables of words have hundreds that are all alike
# Tried on all of them, one text a sign or two.
ANYWHERE = (
    *(" ", "\t", "\n", ",", "'", '"', "(", "a", "1"),
    *("a ", "a\n", "a, ", "a.", "a-", "/a", "1 ", "1.", ". ", "* "),
)
DEEPEST = 4  # a table in a table in a table


class HeldUp(Exception):
    """It took too long."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises HeldUp after so many seconds of this process on the processor, however loaded it is."""

    def stop(_number: int, _frame: object) -> None:
        raise HeldUp

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def expressions() -> dict[str, tuple[str, re.Pattern[str]]]:
    """Those that modules and classes hold, in tables too: by their text, where each was found."""
    found: dict[str, tuple[str, re.Pattern[str]]] = {}

    def look(value: object, place: str, depth: int = 0) -> None:
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            found.setdefault(f"{value.flags} {value.pattern}", (place, value))
        elif depth < DEEPEST and isinstance(value, dict):
            look([*value.keys(), *value.values()], place, depth + 1)
        elif depth < DEEPEST and isinstance(value, list | tuple | set | frozenset):
            for each in value:
                look(each, place, depth + 1)

    for module in _modules():
        for name, value in vars(module).items():
            look(value, f"{module.__name__}.{name}")
            if isinstance(value, type) and value.__module__ == module.__name__:
                look(dict(vars(value)), f"{module.__name__}.{name}")
    return found


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(desktop.__path__, "desktop."):
        # They begin to work, or give up rights, when they are imported.
        if not found.name.endswith(("__main__", "_child")):
            try:
                yield importlib.import_module(found.name)
            except ImportError:  # those of another system, or without Qt
                continue


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """What an expression names letter by letter, evenly chosen where that is much."""
    found: dict[str, None] = {}
    _collect(parser.parse(pattern.pattern, pattern.flags), found)
    every = max(1, len(found) // WORDS)
    return list(found)[::every]


def _collect(parsed: Any, found: dict[str, None]) -> None:
    letters = ""
    for operation, value in parsed:
        if str(operation) == "LITERAL":
            letters += chr(value)
            continue
        if letters:
            found[letters] = None
        letters = ""
        for below in _below(str(operation), value):
            _collect(below, found)
    if letters:
        found[letters] = None


def _below(operation: str, value: Any) -> list[Any]:
    if operation == "SUBPATTERN":
        return [value[-1]]
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return [value[2]]
    if operation == "BRANCH":
        return list(value[1])
    if operation in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    return [value] if operation == "ATOMIC_GROUP" else []


def texts(words: list[str]) -> Iterator[str]:
    """Each word over and over; whole, and with an end that nothing expects, so that every way is tried."""
    first = f"{words[0]} " if words else ""
    with_blanks = (each for word in words for each in (word, f"{word} ", f" {word} "))
    for each in dict.fromkeys((*ANYWHERE, *with_blanks)):
        text = (each * (LENGTH // len(each) + 1))[:LENGTH]
        yield from (text, f"{text}\x01", f"{first}{text}\x01")


def held_up(pattern: re.Pattern[str]) -> str | None:
    """A text that it does not come to an end with."""
    for text in texts(words_of(pattern)):
        try:
            with limited(LIMIT_S):
                pattern.search(text)
                pattern.fullmatch(text)
        except HeldUp:
            return text
    return None


def main() -> int:
    tried = 0
    for place, pattern in expressions().values():
        tried += 1
        text = held_up(pattern)
        if text is not None:
            print(json.dumps({"place": place, "text": text}), flush=True)
    print(json.dumps({"tried": tried}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
