"""Whether two texts say nearly the same."""

from __future__ import annotations

import re

ALIKE = 0.8  # Jaccard of the sets of three characters
CONTAINED = 0.6  # of the longer text, where the shorter one stands in it word for word
_SHORTEST = 12  # characters of a text that says something by standing in another

_NO_WORD = re.compile(r"\W+")


def normalised(text: str) -> str:
    """Words alone, folded."""
    return _NO_WORD.sub(" ", text.casefold()).strip()


class Likeness:
    """A text, prepared to be compared with many."""

    def __init__(self, text: str) -> None:
        self.text = normalised(text)
        self._grams = frozenset(self.text[n : n + 3] for n in range(max(1, len(self.text) - 2)))

    def is_like(self, other: Likeness) -> bool:
        shorter, longer = sorted((self, other), key=lambda each: len(each.text))
        if len(shorter.text) < ALIKE * CONTAINED * len(longer.text):
            return False
        if len(shorter.text) >= _SHORTEST and shorter.text in longer.text:
            return len(shorter.text) >= CONTAINED * len(longer.text)
        shared = len(self._grams & other._grams)
        return shared >= ALIKE * (len(self._grams) + len(other._grams) - shared)
