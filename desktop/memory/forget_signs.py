"""Whether a message wants something forgotten that it says in nobody's usual words. Pure; any thread.

`forget_requests.py` knows verbs and who is to do it. "Can we act like I never went for that job" and "my
health is nobody's business, take that bit off" have other ones each time, but always several signs: something
is to go, it is to go for ever, it is private, it was told, it is here. So signs are counted, and what speaks
of a text or a cake counts against them. What is meant is not read at all: what may be is shown, and the user
chooses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from desktop.memory.meanings import everyday_meanings
from desktop.memory.text import normalised, stem
from desktop.paths import resources

ENOUGH = 2.0  # of the weights of all signs
READ_ENOUGH = 1.0  # where `forget_requests.py` reads a wish
LONGEST = 300  # characters; more is a text with such words in it
SHOWN = 8  # sentences that may be meant
# Without one of these nothing is to go, whatever else is said.
_CALLS_FOR_IT = frozenset(("remove", "pretend", "unkept"))
_SPEAKS_OF_IT = frozenset(("never", "talk"))  # both: "I never want to hear of it again"
_OF_SILENCE = frozenset(("never", "unkept", "pretend"))
_GERMAN = re.compile(
    r"\b(?:ich|mich|mir|mein\w*|du|dich|dir|das|die|der|den|dem|nicht|nichts|nix|und|ist|nie|mit|von|raus|weg|bitte)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:i|my|me|you|your|the|that|this|it|and|is|not|never|with|of|please|out|was)\b", re.IGNORECASE
)
_CAPITAL = re.compile(r"(?<!^)\b[A-ZÄÖÜÉ]\w+")
_OF_NUMBERS = re.compile(
    r"\b(?:digits?|numbers?|figures?|codes?|pin|sum|amount|zahl\w*|ziffer\w*|nummer\w*|betrag\w*|summe)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Signs:
    """Which kinds of signs a message has, with what they weigh together."""

    kinds: frozenset[str]
    weight: float

    @property
    def wants_forgetting(self) -> bool:
        is_called_for = bool(self.kinds & _CALLS_FOR_IT) or self.kinds >= _SPEAKS_OF_IT
        return is_called_for and self.weight >= ENOUGH


def signs_in(text: str) -> Signs:
    """None at all in a long text."""
    asked = " ".join(text.split()).casefold().replace("’", "'")
    if len(asked) > LONGEST or not calling_for_it().search(asked):
        return Signs(frozenset(), 0.0)
    found = {kind: weight for kind, (weight, says) in _table().items() if says.search(asked)}
    # To speak of a thing is to want it forgotten only where it is never to be spoken of.
    if not found.keys() & _OF_SILENCE:
        found.pop("talk", None)
    if "asks_to_do" in found:
        found.pop("asks", None)
    return Signs(frozenset(found), sum(found.values()))


def is_german(text: str) -> bool:
    return len(_GERMAN.findall(text)) > len(_ENGLISH.findall(text))


def may_be_meant(wish: str, told: Iterable[str], telling: Sequence[str]) -> tuple[str, ...]:
    """Of the sentences `told`, the latest first, those that a wish may be about, the likeliest first: what
    shares a word with it, or one of the same meaning, then what was told last. `telling` are the words of the
    wish that say something."""
    meant = everyday_meanings().of(wish)
    asks_for_number = _OF_NUMBERS.search(wish) is not None
    stems = [stem(word) for word in telling]

    def share(sentence: str) -> float:
        words = normalised(sentence).split()
        same = sum(any(word.startswith(each) for word in words) for each in stems)
        alike = len(meant & everyday_meanings().of(sentence))
        return same + alike / 2 + (0.5 if asks_for_number and re.search(r"\d", sentence) else 0.0)

    return tuple(sorted(dict.fromkeys(told), key=share, reverse=True)[:SHOWN])


def that_tell(wish: Iterable[str], chosen: Collection[str], small: Collection[str]) -> Iterator[str]:
    """The sentences of a wish that say what was chosen, by a name or any word but `small` ones: they must go
    with it."""
    words = {
        word for each in chosen for word in normalised(each).split() if word not in small and len(word) > 1
    }
    names = {name for each in chosen for name in _CAPITAL.findall(each)}
    for sentence in wish:
        if words & set(normalised(sentence).split()) or names & set(_CAPITAL.findall(sentence)):
            yield sentence


@cache
def _table() -> Mapping[str, tuple[float, re.Pattern[str]]]:
    table = tomllib.loads((resources() / "memory" / "forget_signs.toml").read_text(encoding="utf-8"))
    return {kind: (float(each["weight"]), re.compile("|".join(each["says"]))) for kind, each in table.items()}


@cache
def calling_for_it() -> re.Pattern[str]:
    """What stands in every such wish, in small letters."""
    kinds = (*sorted(_CALLS_FOR_IT), "never")
    return re.compile("|".join(f"(?:{_table()[kind][1].pattern})" for kind in kinds))
