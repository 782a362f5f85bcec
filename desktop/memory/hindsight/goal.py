"""Whether a call had the same goal as one that failed, and how a fix reads for another failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from desktop.memory.hindsight.signature import program_of

SAME = 0.5  # of two commands' words, or of two texts
SLIP = 0.75  # of two words, that one is the other misspelt


def same_goal(failed: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Another try at the same thing: a program with the same verb, or an argument that is nearly as it
    was.
    """
    if "command" in failed and "command" in later:
        return _same_command(str(failed["command"]), str(later["command"]))
    shared = [name for name in failed if name in later]
    if not failed or not shared:
        return not failed and not later
    return any(_alike(failed[name], later[name]) for name in shared)


def proposal(
    before: Mapping[str, Any], after: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any] | None:
    """`now` with the same change as from `before` to `after`; None where the change does not apply to it."""
    made = dict(now)
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        changed = _changed(old, new, now.get(name), name == "command")
        if changed is None and new is not None:
            return None
        made[name] = changed
    return {name: value for name, value in made.items() if value is not None}


def _changed(old: Any, new: Any, now: Any, is_command: bool) -> Any:
    if now == old:
        return new
    if is_command and all(isinstance(each, str) for each in (old, new, now)):
        return _patched(_words(old), _words(new), _words(now))
    return None


def _patched(old: Sequence[str], new: Sequence[str], now: Sequence[str]) -> str | None:
    """`now` with the words put in, out or replaced that turn `old` into `new`, beside the same words."""
    words = list(now)
    for tag, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        place = _place(words, old, i1, i2)
        if place is None:
            return None
        words[place : place + i2 - i1] = new[j1:j2]
    return " ".join(words)


def _place(words: Sequence[str], old: Sequence[str], start: int, end: int) -> int | None:
    """Where the words to replace stand; for words only put in, right after the one before them."""
    if end > start:
        size = end - start
        places = range(len(words) - size + 1)
        return next((n for n in places if list(words[n : n + size]) == list(old[start:end])), None)
    if start == len(old):
        return len(words)
    return words.index(old[start - 1]) + 1 if start and old[start - 1] in words else None


def _same_command(one: str, other: str) -> bool:
    """ "git status" is no other try at "git push", though it is the same program."""
    first, second = _verb(one), _verb(other)
    shared = SequenceMatcher(None, _words(one), _words(other), autojunk=False).ratio()
    if program_of(one) != program_of(other):
        return shared >= SAME and first == second
    if not first or not second or SequenceMatcher(None, first, second).ratio() >= SLIP:
        return True
    return shared > SAME


def _verb(command: str) -> str:
    """The first word after the program that is no option."""
    return next((word for word in _words(command)[1:] if not word.startswith("-")), "")


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return SequenceMatcher(None, one[:200].casefold(), other[:200].casefold()).ratio() >= SAME
    return bool(one == other)


def _words(command: str) -> list[str]:
    """By spaces, so that joined again they are what they were."""
    return command.split()
