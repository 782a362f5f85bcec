"""Whether something found is worth telling a small model: it repeats whatever it is told.

A search ranks whatever shares a word with the question. In a conversation more is asked for: of the words of
the question that say something, a share must stand in the memory itself, more of them where the question is
about the world; and what is told must state something, so that neither earlier questions come back nor what
Steward once answered, unless the question is about that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from desktop.memory.item import Item, Kind, Source
from desktop.memory.words import Finder, Vocabulary

# Of the words that say something. On LoCoMo's evidence a block of 400 tokens has as much of it with these as
# without (0.768 against 0.760 of a twelfth of the questions); from a half on it loses four points.
OF_OWN_AFFAIRS, OF_THE_WORLD = 0.3, 0.34
SHORTEST_STATEMENT = 3  # words

_WORD = re.compile(r"[\w'’]+")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


class Relevance:
    """Of items to one question. Pure; any thread."""

    def __init__(self, vocabulary: Vocabulary, question: str, terms: Sequence[str]) -> None:
        """`terms` are those of the search, days among them."""
        self._vocabulary = vocabulary
        words = {word.casefold() for word in _WORD.findall(question)}
        spoken = [term for term in terms if term.casefold() in words or not _is_day(term)]
        self._strong = tuple(term for term in spoken if term not in vocabulary.weak)
        self._days = tuple(term for term in terms if _is_day(term) and term not in words)
        self._is_personal = not words.isdisjoint(vocabulary.personal)
        folded = " ".join(_WORD.findall(question.casefold()))
        self._is_of_steward = any(phrase in folded for phrase in vocabulary.recalls)
        self._finder = Finder(self._strong)

    def of(self, items: Sequence[Item], by_meaning: Collection[int] = ()) -> list[Item]:
        """What of `items` is to be told, in their order: nothing unless one of them fits the question well;
        then whatever has a telling word of it, or was found by its meaning (the ids in `by_meaning`).
        """
        told = [item for item in items if self._may_be_told(item)]
        if not any(self._fits(item) for item in told):
            return []
        return [each for each in told if self._found(each) or self._fits(each) or each.id in by_meaning]

    def _may_be_told(self, item: Item) -> bool:
        if item.kind is not Kind.EPISODE:
            return True
        if item.source is Source.USER:
            return states_something(item.text, self._vocabulary)
        return self._is_of_steward

    def _fits(self, item: Item) -> bool:
        if not self._strong:
            return self._is_personal and self._is_of_those_days(item)
        found = self._found(item)
        needed = OF_OWN_AFFAIRS if self._is_personal else OF_THE_WORLD
        return found >= 1 and found >= needed * len(self._strong)

    def _found(self, item: Item) -> int:
        """How many of the telling words stand in it, or name who said it."""
        return len(self._finder.in_text(f"{item.speaker} {item.text}"))

    def _is_of_those_days(self, item: Item) -> bool:
        dates = self._vocabulary.dates(item.at).split()
        return bool(self._days) and any(day in dates for day in self._days)


def states_something(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a turn of the user's says anything, beside what it asks for."""
    return any(_states(sentence, vocabulary) for sentence in _SENTENCE.findall(text))


def _states(sentence: str, vocabulary: Vocabulary) -> bool:
    words = [word.casefold() for word in _WORD.findall(sentence)]
    if len(words) < SHORTEST_STATEMENT or sentence.rstrip().endswith("?"):
        return False
    first = next((word for word in words if word not in vocabulary.leading), words[0])
    return first not in vocabulary.requests


def _is_day(term: str) -> bool:
    return len(term) == 9 and term[0] == "d" and term[1:].isdigit()
