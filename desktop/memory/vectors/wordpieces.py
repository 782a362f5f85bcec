"""Cuts a text into the pieces that BERT's uncased models know (Devlin and others 2018; Wu and others 2016).

Text is folded (no case, no accents), cut at white space, punctuation and CJK characters, and each word into
the longest pieces that stand in `resources/memory/wordpieces.txt`, one a line, its number that of the line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD = 100  # letters; a longer one is unknown
_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF))


class WordPieces:
    """Pure; may be used on any thread."""

    def __init__(self, vocabulary: Path) -> None:
        lines = vocabulary.read_text(encoding="utf-8").split("\n")
        self._numbers = {piece: number for number, piece in enumerate(lines) if piece}
        self._of_word = lru_cache(maxsize=20_000)(self._cut)

    def numbers(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces of `text` between those of start and end, at most `most` in all."""
        found = [self._numbers[START]]
        for word in _words(text):
            found.extend(self._of_word(word))
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], self._numbers[END]]

    def _cut(self, word: str) -> tuple[int, ...]:
        unknown = (self._numbers[UNKNOWN],)
        if len(word) > LONGEST_WORD:
            return unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return unknown
            found.append(self._numbers[_piece(word, start, end)])
            start = end
        return tuple(found)

    def _end_of_piece(self, word: str, start: int) -> int:
        """Where the longest piece that begins at `start` ends; `start` where there is none."""
        ends = (end for end in range(len(word), start, -1) if _piece(word, start, end) in self._numbers)
        return next(ends, start)


def _piece(word: str, start: int, end: int) -> str:
    return f"##{word[start:end]}" if start else word[:end]


def _words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFD", _clean(text).lower())
    plain = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    for word in plain.split():
        yield from _parts(word)


def _clean(text: str) -> str:
    """White space is a space, what cannot be seen is nothing, and a CJK character is a word."""
    return "".join(_cleaned(letter) for letter in text)


def _cleaned(letter: str) -> str:
    if letter.isspace():
        return " "
    if letter in "\0\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Co"):
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _CJK) else letter


def _parts(word: str) -> Iterator[str]:
    """Cut at punctuation, each sign a word."""
    start = 0
    for place, letter in enumerate(word):
        if _is_sign(letter):
            if place > start:
                yield word[start:place]
            yield letter
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_sign(letter: str) -> bool:
    """In ASCII every sign counts as punctuation, also those that are mathematics to Unicode."""
    if letter.isascii():
        return not letter.isalnum()
    return unicodedata.category(letter).startswith("P")
