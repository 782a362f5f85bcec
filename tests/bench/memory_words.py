"""The part of `dev.py bench memory` about facts that are asked for in other words, with and without vectors.

All facts of a set lie in one store, each said in a conversation of its own, the German ones in another store:
two people do not live in one profile, and where they live would stand against each other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory
from desktop.memory.store import View
from tests.memory.passing_cases import passing_sets

SETS = Path(__file__).parents[1] / "memory" / "other_words.toml"
VIEW = View.of(session="asked")
BUDGET = 400
_GERMAN = re.compile(r"\b(?:ich|mein\w*|unser\w*|der|die|das|ist|wie|was|wer|nenne|ein\w*)\b", re.I)
Measured = Callable[[Memory, Callable[[], object]], dict[str, int]]
Opened = Callable[[str, Measured], dict[str, int]]


@dataclass(frozen=True)
class WordSet:
    """Facts, each with its question, and questions that none of them answers."""

    facts: tuple[tuple[str, str], ...]
    unrelated: tuple[str, ...]

    def in_language(self, german: bool) -> WordSet:
        return WordSet(
            tuple(pair for pair in self.facts if is_german(pair[0]) is german),
            tuple(question for question in self.unrelated if is_german(question) is german),
        )


def sets() -> dict[str, WordSet]:
    table = tomllib.loads(SETS.read_text(encoding="utf-8"))
    return {
        name: WordSet(tuple((fact, question) for fact, question in each["facts"]), tuple(each["unrelated"]))
        for name, each in table.items()
    }


def is_german(text: str) -> bool:
    return _GERMAN.search(text) is not None


def asked(memory: Memory, words: WordSet, made: Callable[[], object]) -> dict[str, int]:
    """`made` makes the vectors of what was stored."""
    ids = [
        memory.record(str(number), "user", fact, MemorySource.USER)[0]
        for number, (fact, _) in enumerate(words.facts)
    ]
    made()
    told = [_told(memory, question) for _, question in words.facts]
    right = [item_id in found for item_id, found in zip(ids, told, strict=True)]
    return {
        "facts": len(ids),
        "told": sum(right),
        "told_of_every_other": sum(right[1::2]),  # of the sixty the half that was held out
        "told_besides": sum(map(len, told)) - sum(right),
        "unrelated": len(words.unrelated),
        "unrelated_told_something": sum(bool(_told(memory, question)) for question in words.unrelated),
    }


def in_passing(opened: Opened) -> dict[str, object]:
    """Of what was corrected in passing: of how many the newer is told alone, and what was lost of the rest.

    Each pair in a store of its own, as two people do not live in one profile.
    """
    found: dict[str, object] = {}
    for name, cases in passing_sets().items():
        rows = [(*row, True) for row in cases.corrections] + [
            (*row, "", False) for row in cases.all_that_hold
        ]
        each = [
            opened(f"passing-{name}-{number}", partial(_of_passing, row)) for number, row in enumerate(rows)
        ]
        found[name] = {key: sum(one[key] for one in each) for key in each[0]}
    return found


def _of_passing(
    row: tuple[str, str, str, str, str, bool], memory: Memory, made: Callable[[], object]
) -> dict[str, int]:
    first, later, question, word, older, is_correction = row

    def context() -> str:
        made()
        return memory.assembler.assemble(
            question, BUDGET, VIEW, lambda text: len(text) // 4, only_relevant=True
        ).content

    memory.record("first", "user", first, MemorySource.USER)
    was_told = word in context()
    memory.record("later", "user", later, MemorySource.USER)
    now = context()
    return {
        "corrections": is_correction,
        "newer_alone": is_correction and word in now and older not in now,
        "both_hold": not is_correction,
        "lost": not is_correction and was_told and word not in now,
    }


def _told(memory: Memory, question: str) -> frozenset[int]:
    """As a conversation is told."""
    return memory.assembler.assemble(
        question, BUDGET, VIEW, lambda text: len(text) // 4, only_relevant=True
    ).ids


def measured(opened: Opened) -> dict[str, object]:
    """`opened` gives a memory of its own, by a name, to what is to be done with it."""
    found: dict[str, object] = {}
    for name, words in sets().items():
        parts = [
            opened(f"{name}-{language}", partial(_of_language, words, language == "de"))
            for language in ("en", "de")
        ]
        found[name] = {key: sum(part[key] for part in parts) for key in parts[0]}
    return found


def _of_language(words: WordSet, german: bool, memory: Memory, made: Callable[[], object]) -> dict[str, int]:
    return asked(memory, words.in_language(german), made)
