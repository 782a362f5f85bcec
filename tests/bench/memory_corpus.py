"""A hundred thousand memories that nobody said, with words distributed as in a language.

Words are drawn by Zipf's law from a vocabulary of invented words: the n-th most frequent in proportion to
1 / (n + 2.7)^1.07 (Mandelbrot's form, usual values for English). The hundred most frequent stand for stop
words and are left out of questions, as the real ones are. So are the rest of a question's words drawn from
one item.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from desktop.memory.item import MemoryKind, MemorySource, NewItem

VOCABULARY = 30_000
WORDS = (5, 35)  # of one item
TURNS = 20  # of one conversation
STOP = 100
ASKED = (3, 7)  # words of a question

_SYLLABLES = tuple(f"{consonant}{vowel}" for consonant in "bdfgklmnprstvz" for vowel in "aeiou")


class Corpus:
    """The same items and questions for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._vocabulary = tuple(_word(number) for number in range(VOCABULARY))
        self._frequent = frozenset(self._vocabulary[:STOP])
        self._weights = tuple(accumulate(1 / (rank + 2.7) ** 1.07 for rank in range(1, VOCABULARY + 1)))

    def items(self, count: int) -> Iterator[NewItem]:
        for number in range(count):
            words = self._words(self._chance.randint(*WORDS))
            thread = str(number // TURNS)
            speaker = ("Anna", "Tom")[number % 2]
            yield NewItem(
                " ".join(words),
                kind=MemoryKind.EPISODE,
                source=MemorySource.USER,
                speaker=speaker,
                thread=thread,
                at=number * 600.0,
            )

    def question(self, text: str) -> str:
        """Some words of one item, as somebody asks who half remembers it."""
        words = [word for word in text.split() if word not in self._frequent] or text.split()
        return " ".join(self._chance.sample(words, min(len(words), self._chance.randint(*ASKED))))

    def _words(self, count: int) -> list[str]:
        return self._chance.choices(self._vocabulary, cum_weights=self._weights, k=count)


def _word(number: int) -> str:
    """A word for each number; the frequent ones are short."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number, len(_SYLLABLES))
        text += _SYLLABLES[rest]
    return text
