"""Questions about Steward itself are answered by rule, from what is so at this moment.

Asked "do you send my data anywhere?", a small model says yes. What Steward is, sends, stores, may see and can
do, which model answers and what it costs stand in `resources/own_facts.toml`, in English, German, French and
Spanish; the model's name, the working folder and the count of requests are put in when it is asked, so the
answer cannot be untrue. A rule speaks only where it understands the whole question; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from desktop.chat.emergencies import plain_words
from desktop.paths import resources

LONGEST_CHARACTERS = 160


class OwnFact(StrEnum):
    """What may be asked of Steward; the keys of the table."""

    MODEL = "model"
    TRAINING = "training"
    STORES = "stores"
    INTERNET = "internet"
    REACH = "reach"
    SENDS = "sends"
    MAKER = "maker"
    IDENTITY = "identity"
    CAN = "can"


@dataclass(frozen=True)
class OwnState:
    """What the answers are filled with. `started` is local time; `model` is empty where none is installed.

    `requests` were sent since then, `open_commands` could use the network unseen. `has_team`: a shared
    memory is asked at each question. `asks_first` is false where a setting lets changes happen unasked.
    """

    model: str
    folder: str
    started: datetime
    requests: int = 0
    open_commands: int = 0
    has_team: bool = False
    looks_for_updates: bool = False
    asks_first: bool = True

    def is_exception(self, fact: OwnFact) -> bool:
        """Whether the settings make the usual answer to `fact` untrue."""
        if fact is OwnFact.REACH:
            return not self.asks_first
        return fact is OwnFact.SENDS and (self.has_team or self.looks_for_updates)


@dataclass(frozen=True)
class OwnAnswer:
    """`language` is that of the question: `en`, `de`, `fr` or `es`."""

    fact: OwnFact
    language: str
    text: str


def asked_of_steward(text: str) -> tuple[OwnFact, str] | None:
    """Which fact is asked for, and in which language; None where it is another question."""
    if len(text) > LONGEST_CHARACTERS:
        return None
    asked = plain_words(text)
    for fact in OwnFact:
        for language, pattern in _questions()[fact].items():
            if pattern.fullmatch(asked) is not None:
                return fact, language
    return None


def own_answer(text: str, state: OwnState) -> OwnAnswer | None:
    """The answer to a question about Steward, or None where the model has to be asked."""
    found = asked_of_steward(text)
    if found is None:
        return None
    fact, language = found
    told: str = _table()[fact]["exception" if state.is_exception(fact) else "told"][language]
    model = state.model or _table()["network"]["none"][language]
    return OwnAnswer(
        fact, language, told.format(model=model, folder=state.folder, network=_network(state, language))
    )


def _network(state: OwnState, language: str) -> str:
    """What has left, counted: never a promise."""
    words = _table()["network"]
    sent: str = words["requests" if state.requests else "quiet"][language]
    told = sent.format(time=f"{state.started:%H:%M}", count=state.requests)
    if state.open_commands:
        told += words["commands"][language].format(count=state.open_commands)
    if state.looks_for_updates:
        told += words["updates"][language]
    if state.has_team:
        told += words["team"][language]
    return told


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads((resources() / "own_facts.toml").read_text(encoding="utf-8"))


@cache
def _questions() -> Mapping[OwnFact, Mapping[str, re.Pattern[str]]]:
    return {fact: dict(_patterns(fact)) for fact in OwnFact}


def _patterns(fact: OwnFact) -> Iterator[tuple[str, re.Pattern[str]]]:
    table = _table()
    for language, asked in table[fact]["asked"].items():
        yield language, re.compile(f"{table['lead'][language]}(?:{asked}){table['tail'][language]}")
