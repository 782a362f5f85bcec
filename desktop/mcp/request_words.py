"""The words of a request, as far as they say which tool of a server is meant.

Names and descriptions of tools are nearly always English and name things in one way; people ask in four
languages and in many. `resources/tool_words.toml` says which of their words mean which of the tools'.

Pure; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from desktop.paths import resources

SHORTEST_STEM = 4
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "e")
_LEAD = r"^\W*(?:(?:please|bitte|hey|ok|can you|could you|kannst du|peux-tu|puedes)\W+)*"


@dataclass(frozen=True)
class RequestWords:
    """One request. `said` are its words without endings, `meant` what they mean in names of tools, by the
    word that says it. `looks`: it only wants to see something."""

    text: str
    said: tuple[str, ...]
    meaning: Mapping[str, frozenset[str]]
    looks: bool

    @classmethod
    def of(cls, request: str) -> RequestWords:
        plain = [word for word in _words(request) if word not in empty_words()]
        meaning = {word: _meant_by(word) for word in plain}
        said = tuple(dict.fromkeys(stem(word) for word in plain))
        return cls(request, said, {word: meant for word, meant in meaning.items() if meant}, _looks(request))

    @property
    def meant(self) -> frozenset[str]:
        return frozenset(each for meant in self.meaning.values() for each in meant)

    def has(self, word: str) -> bool:
        """Whether it says a word of a tool's name, or one that means it."""
        return any(alike(word, each) for each in self.said) or word in self.meant

    def speaking_for(self, named: Collection[str]) -> list[str]:
        """Beginnings of its own words, as it says them, that stand in a name or mean a word of it."""
        direct = [word for word in self.said if any(alike(word, other) for other in named)]
        meant = [word for word, means in self.meaning.items() if means & frozenset(named)]
        return list(dict.fromkeys((*direct, *meant)))

    def left_by(self, known: Iterable[str]) -> list[str]:
        """Its words that are none of `known`, and mean none of them: what could be a value."""
        words = tuple(known)
        means_known = {stem(word) for word, means in self.meaning.items() if means & frozenset(words)}
        return [
            word
            for word in self.said
            if word not in means_known and not any(alike(word, each) for each in words)
        ]


def alike(word: str, other: str) -> bool:
    """The same word, or the beginning of the other one: repo of repository."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= SHORTEST_STEM and long.startswith(short)


def stems(text: str) -> list[str]:
    """The words of a text that say something, without their endings."""
    return [stem(word) for word in _words(text) if word not in empty_words()]


def stem(word: str) -> str:
    """A word without its English ending: changes, changed and changing are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM - 1:
            return word[: -len(ending)]
    return word


def acting_words() -> frozenset[str]:
    """First words of names of tools that do something."""
    return frozenset(_tables()["acts"].split())


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 1]


def _meant_by(word: str) -> frozenset[str]:
    # The longest beginning: "lese" is not what "les" is.
    fitting = [said for said in _means() if word.startswith(said)]
    return _means()[max(fitting, key=len)] if fitting else frozenset()


def _looks(request: str) -> bool:
    return _looking().search(request) is not None


@cache
def _tables() -> Mapping[str, str]:
    return tomllib.loads((resources() / "tool_words.toml").read_text(encoding="utf-8"))


@cache
def empty_words() -> frozenset[str]:
    """Those that stand in nearly every request."""
    return frozenset(_tables()["empty"].split())


@cache
def _means() -> Mapping[str, frozenset[str]]:
    lines = (line.partition(":") for line in _tables()["means"].strip().splitlines())
    return {said.strip(): frozenset(stem(each) for each in means.split()) for said, _, means in lines}


@cache
def _looking() -> re.Pattern[str]:
    pattern = "".join(_tables()["looks"].split("\n"))
    return re.compile(rf"{_LEAD}{pattern}(?!\w)", re.IGNORECASE)
