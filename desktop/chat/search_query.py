"""What a person types into the search box, as questions to the index and as what to mark.

Words must all be there; "several words" between quotes stand together; a word with * at its end, or the
one that is being typed, is a beginning. Case and accents do not count. Without Qt and without SQLite.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_QUERY = 400
MOST_TERMS = 16
PIECE = 3  # characters of one entry of the index of pieces

_TERM = re.compile(r'"([^"]*)("?)|(\S+)')
_SEPARATOR = r"(?:[^\w]|_)"


@dataclass(frozen=True)
class Term:
    """One word, or several that stand together; `open` while its end is still being typed."""

    text: str
    phrase: bool = False
    open: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Its letters and digits, as the index cuts them."""
        return tuple(re.findall(r"[^\W_]+", self.text))

    @property
    def literal(self) -> bool:
        """Signs at its edge matter, as in C++ or .env, and words alone do not know them."""
        return bool(self.text) and not (_is_letter(self.text[0]) and _is_letter(self.text[-1]))


@dataclass(frozen=True)
class Query:
    """The terms of a search; `text` is what was typed."""

    text: str
    terms: tuple[Term, ...]

    def exactly(self) -> str:
        """For the index of words: every term whole; "" when it holds no word."""
        return " AND ".join(_quoted(term.text) for term in self.terms if term.words)

    def beginnings(self) -> str:
        """For the index of words: every single word as a beginning too."""
        return " AND ".join(
            _quoted(term.text) + ("*" if term.open or not term.phrase else "")
            for term in self.terms
            if term.words
        )

    @property
    def wants_pieces_first(self) -> bool:
        """Words alone would find too much or nothing: signs count, or the script has no spaces."""
        return any(term.literal or has_no_spaces(term.text) for term in self.terms)


def read(typed: str) -> Query:
    """Any text is a query; quotes that are not closed are closed at its end."""
    text = " ".join(typed.replace("\0", " ").split())[:LONGEST_QUERY]
    terms = []
    for quoted, closing, word in _TERM.findall(text):
        if word:
            terms.append(_word(word))
        elif quoted.strip():
            terms.append(Term(quoted.strip(), phrase=True, open=not closing))
    return Query(text, tuple(term for term in terms if term.text)[:MOST_TERMS])


def _word(word: str) -> Term:
    stripped = word.rstrip("*")
    return Term(stripped.replace('"', ""), open=stripped != word)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _is_letter(character: str) -> bool:
    return character.isalnum()


def has_no_spaces(text: str) -> bool:
    """Whether it holds letters of a script that puts no spaces between words (Chinese, Japanese, Thai, …)."""
    return any(_in_running_script(ord(character)) for character in text)


def _in_running_script(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Burmese
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x3040 <= code <= 0x30FF  # Japanese kana
        or 0x3400 <= code <= 0x9FFF  # Han
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def pieces(text: str) -> tuple[str, ...]:
    """All runs of three characters of `text`; none for a shorter one."""
    return tuple(dict.fromkeys(text[n : n + PIECE] for n in range(len(text) - PIECE + 1)))


def any_of(alternatives: Sequence[str]) -> str:
    """One of these pieces, for the index of pieces."""
    return "(" + " OR ".join(_quoted(piece) for piece in alternatives) + ")"


def all_of(needed: Sequence[str]) -> str:
    return "(" + " AND ".join(_quoted(piece) for piece in needed) + ")"


# -- folding ------------------------------------------------------------------------------------


class _Folding(dict[int, int]):
    """One character for one, without case and accents; filled as characters are met."""

    def __missing__(self, code: int) -> int:
        folded = _folded(chr(code))
        self[code] = folded
        return folded


def _folded(character: str) -> int:
    small = character.lower()
    parts = unicodedata.normalize("NFD", small)
    if len(parts) > 1 and all(unicodedata.category(mark) == "Mn" for mark in parts[1:]):
        return ord(parts[0])
    return ord(small) if len(small) == 1 else ord(character)


_FOLDING = _Folding()


def fold(text: str) -> str:
    """`text` without case and accents, of the same length, so that places in it are places in `text`."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def marker(query: Query, whole: bool, pieces_too: bool) -> re.Pattern[str]:
    """What of a folded text is to be marked: whole words or beginnings, or the terms wherever they stand."""
    patterns = [_pattern(term, whole, pieces_too) for term in query.terms]
    found = sorted((pattern for pattern in patterns if pattern), key=len, reverse=True)
    return re.compile("|".join(found) if found else r"(?!)")


def _pattern(term: Term, whole: bool, pieces_too: bool) -> str:
    if pieces_too:
        return re.escape(fold(term.text)).replace(r"\ ", r"\s+")
    words = [re.escape(fold(word)) for word in term.words]
    if not words:
        return ""
    ends_open = term.open or not (whole or term.phrase)
    tail = r"[^\W_]*" if ends_open else r"(?![^\W_])"
    return r"(?<![^\W_])" + rf"{_SEPARATOR}+".join(words) + tail
