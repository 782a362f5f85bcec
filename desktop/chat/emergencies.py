"""Messages that speak of a danger to life now get a fixed, careful answer, and no model is asked.

A small model answers "chest pain and a numb arm, aspirin and lie down?" by "Yes". So signs of heart attack,
stroke, poisoning, self-harm, gas and lost consciousness are known by their words, in English, German, French
and Spanish (`resources/emergencies.toml`), and what to do now stands there, with the country's numbers. Words
of a text, a lesson or the past are no sign: a novel may have its heart attack, and the model writes it.

Pure functions over a table that is read once; any thread.
"""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from desktop.paths import resources

# A longer message is a text that was pasted; nobody in danger writes a page.
LONGEST_CHARACTERS = 600
FEW_WORDS = 12  # as many as somebody in need throws down
ANYWHERE = "unknown"  # the entry of numbers where no country is known


class EmergencyKind(StrEnum):
    """In the order in which they are looked for: what leaves the least time first."""

    UNCONSCIOUS = "unconscious"
    GAS = "gas"
    POISON = "poison"
    SELF_HARM = "selfharm"
    STROKE = "stroke"
    HEART = "heart"


# What is said of people here is said of computers, mails and landlords as well.
LIKE_MACHINES = frozenset({EmergencyKind.UNCONSCIOUS, EmergencyKind.STROKE, EmergencyKind.HEART})


@dataclass(frozen=True)
class Emergency:
    """What was recognised, and the answer in the language (`en`, `de`, `fr`, `es`) of the message."""

    kind: EmergencyKind
    language: str
    answer: str


def emergency_in(text: str, country: str) -> Emergency | None:
    """The emergency that `text` tells of; `country` is a code of two letters, or empty."""
    if len(text) > LONGEST_CHARACTERS:
        return None
    said = plain_words(text)
    languages = sorted(_people(), key=lambda language: _people()[language].search(said) is None)
    for kind in EmergencyKind:
        for language in languages:  # those first whose people it names: many signs are alike in two languages
            if _tells(said, kind, language):
                return Emergency(kind, language, _answer(kind, language, country))
    return None


def country_of_computer() -> str:
    """The country of the system's language settings, such as `DE`; empty where none is set, as on Windows."""
    for name in ("LC_ALL", "LC_TELEPHONE", "LC_MESSAGES", "LANG"):
        found = re.match(r"[a-z]{2,3}[_-]([A-Z]{2})\b", os.environ.get(name, ""))
        if found is not None:
            return found[1]
    return ""


def _tells(said: str, kind: EmergencyKind, language: str) -> bool:
    if _elsewhere()[language].search(said) is not None:
        return False
    if kind in LIKE_MACHINES and _things()[language].search(said) is not None:
        return False
    if not any(sign.search(said) for sign in _signs()[kind][language]):
        return False
    # Who writes of hurting oneself writes of oneself, and a few words thrown down ("chest pain, numb arm")
    # tell of somebody here. Everything else needs somebody whom it happens to.
    is_short = len(said.split()) <= FEW_WORDS
    return kind is EmergencyKind.SELF_HARM or is_short or _people()[language].search(said) is not None


def _answer(kind: EmergencyKind, language: str, country: str) -> str:
    numbers = _table()["numbers"]
    of_country = numbers.get(country, numbers[ANYWHERE])
    told = {name: _number(of_country[name], language) for name in ("emergency", "poison", "crisis")}
    answer: str = _table()["answers"][kind][language]
    return answer.format(**told)


def _number(entry: str | Mapping[str, str], language: str) -> str:
    """Where no country is known, the entry is a sentence in each language."""
    return entry if isinstance(entry, str) else entry[language]


def plain_words(text: str) -> str:
    """Small letters without accents, one space between words: as the table's expressions are written."""
    folded = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[,;:!?¿¡.()\"“”„«»*…-]+", " ", bare).split())


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads((resources() / "emergencies.toml").read_text(encoding="utf-8"))


@cache
def _signs() -> Mapping[EmergencyKind, Mapping[str, tuple[re.Pattern[str], ...]]]:
    return {
        kind: {language: tuple(map(re.compile, found)) for language, found in _table()["signs"][kind].items()}
        for kind in EmergencyKind
    }


@cache
def _people() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("people"))


@cache
def _elsewhere() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("elsewhere"))


@cache
def _things() -> Mapping[str, re.Pattern[str]]:
    return dict(_compiled("things"))


def _compiled(name: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for language, pattern in _table()[name].items():
        yield language, re.compile(pattern)
