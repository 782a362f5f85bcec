"""Whether a sentence of the user's takes the place of an earlier one, by what it says itself. Pure.

"I sold the Golf" is about whatever was said of the Golf, and "the database is on host gamma now" about the
sentence that says the same of host alpha. Nothing here knows of a question: what two memories say to one that
was asked is seen in `contradictions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import SequenceMatcher

from desktop.memory import statement_patterns as patterns
from desktop.memory.statements import StatementReader, folded, stem, without_openings

FEWEST_WORDS = 3  # that say something, of either
FEW_WORDS = 2  # of what a number is said of
LONGEST_FRAME = 14  # words of two sentences that differ in a value alone
LONGEST_VALUE = 3  # words


@dataclass(frozen=True)
class Correction:
    """A sentence that says of itself that something has changed, to be held against earlier ones. Pure."""

    sentence: str
    content: frozenset[str]
    gone: frozenset[str]
    whose: frozenset[str]
    ends: bool  # by itself, as "no longer" does; "now" alone is in every talk
    is_known: bool  # its own statements say what it stands against, but for what it says is gone

    @classmethod
    def of(cls, reader: StatementReader, sentence: str, is_known: bool) -> Correction:
        return cls(
            sentence,
            reader.content(sentence),
            reader.gone_words(sentence),
            reader.people_in(sentence),
            reader.ends(sentence),
            is_known,
        )

    def share(self, reader: StatementReader, earlier: str) -> float:
        """How much of its words an earlier sentence has, of the shorter one; 0 where they are about different
        people, and 1 where it names what is gone, or says the same with another value.
        """
        if earlier.rstrip().endswith("?"):
            return 0.0
        theirs = reader.content(earlier)
        if patterns.ADDS.search(self.sentence):
            return 0.0
        # "I sold the Golf" is about whatever was said of the Golf.
        if self.gone & theirs and (reader.statements(earlier) or _is_of_oneself(earlier)):
            return 1.0
        if self.is_known or reader.people_in(earlier) != self.whose:
            return 0.0
        clauses = (self.sentence, *patterns.CLAUSE.split(self.sentence))
        framed = any(_has_same_frame(each, earlier, reader.corrections) for each in clauses)
        if framed and self.content & theirs:
            return 1.0
        # The time is what differs; where another word stands for the thing too, it is another thing.
        if _has_another_time(self.sentence, earlier) and is_another(
            self.sentence, earlier, theirs - self.content, self.content - theirs
        ):
            return 0.0
        units = {stem((each["unit"] or "").casefold()) for each in patterns.NUMBER.finditer(earlier)}
        if _have_other_numbers(self.sentence, earlier) and len(self.content & theirs - units) >= FEW_WORDS:
            return 1.0
        # Of two words, one is often shared by chance, and greetings share both.
        shorter = min(len(self.content), len(theirs))
        if not self.ends or shorter < FEWEST_WORDS:
            return 0.0
        return len(self.content & theirs) / shorter


def _is_of_oneself(sentence: str) -> bool:
    words = folded(sentence)
    return len(words) <= LONGEST_FRAME and bool(words) and words[0] in patterns.OWN


def _has_same_frame(later: str, earlier: str, markers: re.Pattern[str]) -> bool:
    """Whether both say the same of the same, with another value at one place: "The database is on host alpha"
    and "The database is on host gamma now". What it is said of may have more words in the earlier one.
    """
    new, old = (
        _without_article(folded(markers.sub(" ", without_openings(each)))) for each in (later, earlier)
    )
    if not 0 < len(new) <= LONGEST_FRAME or len(old) > LONGEST_FRAME:
        return False
    changes = [
        each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal"
    ]
    replaced = [each for each in changes if each[0] == "replace"]
    if len(replaced) != 1:
        return False
    _, old_start, old_end, new_start, new_end = replaced[0]
    before = [word for word in new[:new_start] if word not in patterns.ARTICLES]
    others = [each for each in changes if each[0] != "replace"]
    return (
        len(before) >= 2
        # "Is green" and "is in the kitchen" are both so.
        and (old[old_start] in patterns.PLACES) is (new[new_start] in patterns.PLACES)
        and max(old_end - old_start, new_end - new_start) <= LONGEST_VALUE
        # The beginning of the subject may be missing, nothing else.
        and all(tag == "delete" and new_at == 0 for tag, _, _, new_at, _ in others)
    )


def is_another(later: str, earlier: str, missing: Collection[str], others: Collection[str]) -> bool:
    """Whether one of `others` stands in `later` where one of `missing` stood in `earlier`, behind the same
    word: "the meeting with the bank" and "the meeting with the school". Both are stems."""
    was, now = _words_before(earlier), _words_before(later)
    places = {before for word, before in was.items() if word in missing}
    return any(word in others and before in places for word, before in now.items())


def _words_before(sentence: str) -> dict[str, str]:
    """Of each word's stem the one before it, "" of the first."""
    timeless = patterns.DAY.sub(" ", without_openings(sentence.strip()))
    words = [stem(word) for word in folded(timeless)]
    before = (patterns.CONTRACTED.get(word, word) for word in ("", *words))
    return dict(zip(words, before, strict=False))


def _has_another_time(later: str, earlier: str) -> bool:
    new, old = (patterns.DAY.findall(text.casefold()) for text in (later, earlier))
    return bool(new) and bool(old) and new != old


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if words and words[0] in patterns.ARTICLES else words


def _have_other_numbers(later: str, earlier: str) -> bool:
    """Of the same unit: "35 euros" and "42 euros"."""
    new, old = (
        {(each["unit"] or "").casefold(): each[0] for each in patterns.NUMBER.finditer(text)}
        for text in (later, earlier)
    )
    return any(unit and old.get(unit, number) != number for unit, number in new.items())
