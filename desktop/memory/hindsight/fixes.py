"""What worked after a failure: a change of arguments, and how it reads for another failure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

from desktop.memory.hindsight.signature import core_of, led_by, names_in, program_of, steps_of
from desktop.memory.item import Layer

PROMOTED_AT = 0.8
PROMOTED_FROM = 3  # successes
SHORTEST_NAME = 3  # characters; a shorter one stands in every other word
SAME = 0.5  # of two commands' words, or of two texts
SLIP = 0.75  # of two words, that one is the other misspelt


@dataclass(frozen=True)
class Fix:
    """One resolution of a problem: `before` failed, `after` worked. Names in both are those of the failure
    at hand.

    `layer` and `scope` say where it is offered.
    """

    id: int
    problem_id: int
    tool: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    applications: int
    successes: int
    last_at: float
    layer: Layer
    scope: str
    message: str
    forbidden: bool = False

    @property
    def rank(self) -> float:
        """Laplace's rule of succession: one success of one is no certainty."""
        return (self.successes + 1) / (self.applications + 2)

    @property
    def may_be_promoted(self) -> bool:
        return self.rank >= PROMOTED_AT and self.successes >= PROMOTED_FROM

    def may_apply_itself(self, only_reads: bool) -> bool:
        """Whether it is made without asking: a trusted repair of arguments of a tool that only reads."""
        return only_reads and self.may_be_promoted and not self.forbidden

    def in_words(self) -> str:
        """The words for the button: "worked 4 of 5 times, last 12 Nov"."""
        day = datetime.fromtimestamp(self.last_at).astimezone()
        times = "time" if self.applications == 1 else "times"
        return f"worked {self.successes} of {self.applications} {times}, last {day.day} {day:%b}"

    def for_retry(self) -> str:
        """One line for the model's next try."""
        failed, worked = said(self.before), said(self.after)
        return f"Last time `{failed}` failed with `{self.message[:120]}`, `{worked}` worked."


def said(arguments: Mapping[str, Any]) -> str:
    """A call's arguments on one line."""
    if "command" in arguments:
        return " ".join(str(arguments["command"]).split())
    return ", ".join(f"{name}={value}" for name, value in arguments.items())


def with_slots(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """As JSON, with the names of the failure replaced by their numbers, so that it fits another failure."""
    # By numbers: the next failure names other files, in the same places.
    slots = {name: f"\x02{n}\x03" for n, name in enumerate(names) if len(name) >= SHORTEST_NAME}
    return json.dumps(_replaced(arguments, slots), sort_keys=True)


def filled(stored: str, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The arguments for a failure with these names; None where it names fewer things."""
    text = json.loads(stored)
    found = _replaced(text, {f"\x02{n}\x03": name for n, name in enumerate(names)})
    return None if "\\u0002" in json.dumps(found) else found


def is_of_one_name(before: str, after: str) -> bool:
    """Whether something named in the failure was replaced by something else: good for that one name only."""
    old, new = json.loads(before), json.loads(after)
    changed = [name for name in old if name in new and old[name] != new[name]]
    return any("\x02" in str(old[name]) and "\x02" not in str(new[name]) for name in changed)


def is_of_other_word(learned: str, now: str, before: str, after: str) -> bool:
    """Whether the two messages, normalised, differ in one word that the fix speaks of: `libncurses-dev`
    helped where -lncurses was missing, and now it is -lcurl."""
    old, new = (re.findall(r"[^\W_]+", each) for each in (learned, now))
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    # A word for a word; where whole sentences differ, one version only tells more than the other.
    gone = {old[i1] for tag, i1, i2, j1, j2 in blocks if tag == "replace" and (i2 - i1, j2 - j1) == (1, 1)}
    put_in = set(re.findall(r"[^\W_]+", after.casefold())) - set(re.findall(r"[^\W_]+", before.casefold()))
    return any(_speaks_of(word, each) for word in put_in for each in gone)


def _speaks_of(word: str, named: str) -> bool:
    """`libncurses` of lncurses, `gd` of gd."""
    bare = word.removeprefix("lib")
    return named == word or (len(bare) >= SHORTEST_NAME and not bare.isdigit() and bare in named)


def _replaced(value: Any, changes: Mapping[str, str]) -> Any:
    """The longest first: a folder's name may be the beginning of a file's."""
    if isinstance(value, str):
        for old in sorted(changes, key=len, reverse=True):
            value = value.replace(old, changes[old])
        return value
    if isinstance(value, Mapping):
        return {name: _replaced(each, changes) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(each, changes) for each in value]
    return value


def same_goal(failed: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Another try at the same thing: a program with the same verb, or an argument that is nearly as
    it was."""
    if "command" in failed and "command" in later:
        first, last = str(failed["command"]), steps_of(str(later["command"]))
        # "npm install && node server.js" is another try at "node server.js", with what it needed before it.
        if _same_command(first, str(later["command"])):
            return True
        return len(last) > 1 and _same_command(first, last[-1])
    shared = [name for name in failed if name in later]
    if not failed or not shared:
        return not failed and not later
    return any(_alike(failed[name], later[name]) for name in shared)


def is_other_word(failed: Mapping[str, Any], message: str, later: Mapping[str, Any]) -> bool:
    """Whether a program was asked for the same by another word, because it did not take the first one: "make
    check" after "No rule to make target 'test'". Of the call right after the failure only.
    """
    one, other = str(failed.get("command", "")), str(later.get("command", ""))
    verb = _verb(one)
    if not verb or program_of(one) != program_of(other) or _verb(other) in ("", verb):
        return False
    named = " ".join(names_in(message)).split()
    return verb in named and len(steps_of(other)) == 1


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return SequenceMatcher(None, one[:200].casefold(), other[:200].casefold()).ratio() >= SAME
    return bool(one == other)


def _same_command(one: str, other: str) -> bool:
    """ "git status" is no other try at "git push", though it is the same program."""
    first, second = _verb(one), _verb(other)
    words = _words(core_of(one)), _words(core_of(other))
    shared = SequenceMatcher(None, *words, autojunk=False).ratio()
    # Another program may do the same thing, where nearly all of the line is the same.
    if program_of(one) != program_of(other):
        return shared >= SAME and first == second
    if not first or not second or SequenceMatcher(None, first, second).ratio() >= SLIP:
        return True
    return shared > SAME


def _verb(command: str) -> str:
    """The first word after the program that is no option."""
    return next((word for word in _words(core_of(command))[1:] if not word.startswith("-")), "")


def _words(command: str) -> list[str]:
    """The words between spaces, so that joined again they are what they were."""
    return command.split()


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
        # In which folder it was done is no part of the fix.
        lead, rest = led_by(now)
        patched = _patched(_words(led_by(old)[1]), _words(led_by(new)[1]), _words(rest))
        return lead + patched if patched is not None else None
    return None


def _patched(old: Sequence[str], new: Sequence[str], now: Sequence[str]) -> str | None:
    """`now` with the words put in, out or replaced that turn `old` into `new`, beside the same words."""
    # Something put before the whole of it: `sudo …`, `npm install && …`, `NAME=value …`.
    if old and len(new) > len(old) and list(new[-len(old) :]) == list(old):
        before = new[: -len(old)]
        # What names something of the first call alone is done to that: `ssh-keygen -R web1` is not for web7.
        return None if _names(old, now) & _names(before, now) else " ".join((*before, *now))
    words = list(now)
    # From the end, so that the places before stay where they are.
    for tag, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        place = _place(words, old, i1, i2)
        if place is None:
            return None
        words[place : place + i2 - i1] = new[j1:j2]
    return " ".join(words)


def _names(words: Sequence[str], now: Sequence[str]) -> set[str]:
    """The parts of words that stand in none of `now`."""
    return _parts_of(words) - _parts_of(now)


def _parts_of(words: Sequence[str]) -> set[str]:
    return {part for word in words for part in re.findall(r"\w+", word) if len(part) >= SHORTEST_NAME}


def _of_option(words: Sequence[str], option: Sequence[str]) -> Iterator[int]:
    """Where an option stands that has another value now: `-n 8` for `-n 4`."""
    if len(option) != 2 or not option[0].startswith("-") or option[1].startswith("-"):
        return
    for place, word in enumerate(words[:-1]):
        if word == option[0] and not words[place + 1].startswith("-"):
            yield place


def _place(words: Sequence[str], old: Sequence[str], start: int, end: int) -> int | None:
    """Where the words to replace stand; for words only put in, right after the one before them."""
    if end > start:
        size = end - start
        places = range(len(words) - size + 1)
        exact = (n for n in places if list(words[n : n + size]) == list(old[start:end]))
        return next(chain(exact, _of_option(words, old[start:end])), None)
    if start == len(old):
        return len(words)
    return words.index(old[start - 1]) + 1 if start and old[start - 1] in words else None
