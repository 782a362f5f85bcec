"""Of what was found for one question: which says something else about it than was said before.

`statements.py` knows what many sentences are about by their wording. What it does not know may still be plain
once a question is asked: "I weigh 91 kilos" and "I've lost weight, I'm at 86 now" both answer "How much do I
weigh?", and the later one says of itself that something has changed. So here the question is what the two are
held against. Nothing is marked and nothing lost: for another question, or once the later one is forgotten,
the earlier one counts again.

The later of the two has to say that something changed ("now", "another", "no longer"), to have all the words
of the question that the earlier one has, and to give another value of the same kind. In doubt both are told,
with their days. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from desktop.memory import statement_patterns as patterns
from desktop.memory.item import Item, MemorySource
from desktop.memory.search import Hit
from desktop.memory.statements import FEW_SENTENCES, StatementReader, sentences, stem

MOST_OF_A_WORD = 0.7  # that two of one family begin with: Versicherung, versichert
LONGEST_END = 2
FEWEST_LETTERS = 4  # of two forms of one word, which differ in their end
LONGEST = 20  # words of a sentence; what is longer tells a story
_CHANGED = re.compile(
    r"\b(?:now|nowadays|these days|any (?:longer|more)|anymore|no longer|after all|instead|another|different|"
    r"new|since|from now on|lately|changed|switched|turns? out|in fact|actually|correction|"
    r"jetzt|nun|inzwischen|mittlerweile|neuerdings|seit\w*|nur noch|nicht mehr|sondern|doch|statt\w*|"
    r"neue\w?|ander\w+|ab sofort|künftig|gewechselt|"
    r"maintenant|désormais|finalement|plus de|nouve(?:au|l|lle)|autre|depuis|changé|"
    r"passée?s? (?:à|de)|en fait|"
    r"ahora|ya no|actualmente|al final|en realidad|nuev[oa]s?|otr[oa]s?|desde|cambiado|cambié|"
    r"en (?:lugar|vez) de)\b"
    r"|^(?:no|nope|sorry|wait|nein|nee|korrektur|non|pardon|perdón)\b",
    re.IGNORECASE,
)
# What stands between the two words is said of the thing, and must not go with them.
_CHANGED_APART = re.compile(r"\bkein\w*\b.{1,30}\bmehr\b|(?:\bne\b|\bn['’]).{1,30}\bplus\b", re.IGNORECASE)
# That something is so no more. French says it with two words, of which the second alone means "more".
_DENIED = re.compile(
    r"\b(?:not|never|no longer|stopped|quit|gave up|don['’]t|doesn['’]t|isn['’]t|aren['’]t|didn['’]t|"
    r"can['’]t|won['’]t|nicht|nie|kein\w*|aufgehört|aufgegeben|"
    r"n['’]\w+|ne|jamais|arrêté|ya no|nunca|dejado|dejé|he dejado)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"^\W*(?:where|wo|wohin|où|dónde|a dónde)\b", re.IGNORECASE)
_NAMING = re.compile(r"^(?:call|nam|heiß|heiss|appell|llam|renam|umbenann)")
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sra?|Dra)\.")
_NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-ZÄÖÜÉÀÁÍÓÚÑ][\w'’&-]+")
_NO_NAMES = frozenset(("herr", "herrn", "frau", "miss", "madame", "monsieur", "señor", "señora"))


@dataclass(frozen=True)
class Contradictions:
    """For one question. `reader` tells words that say something from those that do not."""

    reader: StatementReader
    question: str

    def current(self, hits: Sequence[Hit]) -> list[Hit]:
        """`hits` without those that a later one of the same person stands against."""
        said = [hit for hit in hits if hit.item.source is MemorySource.USER]
        asked = self._words(self.question)
        if len(said) < 2 or not asked:
            return list(hits)
        gone = {
            old.item.id
            for old in said
            if any(_is_later(new.item, old.item) and self._stands_against(new, old, asked) for new in said)
        }
        return [hit for hit in hits if hit.item.id not in gone]

    # -- inside -------------------------------------------------------------------------------

    def _stands_against(self, new: Hit, old: Hit, asked: Sequence[str]) -> bool:
        earlier = [each for each in sentences(old.item.text) if not each.endswith("?")]
        # A turn that tells much would be gone with one of its sentences.
        if not earlier or len(earlier) > FEW_SENTENCES:
            return False
        about = [each for each in earlier if _shared(asked, self._words(each))]
        return bool(about) and all(
            any(self._replaces(later, each, asked) for later in sentences(new.item.text)) for each in about
        )

    def _replaces(self, later: str, earlier: str, asked: Sequence[str]) -> bool:
        if later.endswith("?") or len(patterns.WORD.findall(later)) > LONGEST:
            return False
        has_changed = _CHANGED.search(later) or _CHANGED_APART.search(later)
        if not has_changed and not self._denies(later, earlier):
            return False
        new, old = self._words(later), self._words(earlier)
        start = _shared_start(later, earlier)
        topic = _shared(asked, old)
        # All that the question and the earlier one have in common: "my daughter Mia" is not Eva.
        if not topic or len(_shared(topic, new)) < len(topic):
            return False
        if not self._same_people(later, earlier, start):
            return False
        return (
            self._denies(later, earlier)
            or _other_number(later, earlier)
            or _other_time(later, earlier)
            or self._other_value(later, earlier, start)
        )

    def _words(self, text: str) -> tuple[str, ...]:
        """The stems that say what a text is about; of being called so one, whatever the word for it."""
        small = self.reader.vocabulary.stop | self.reader.vocabulary.weak
        said = (stem(word.removesuffix("'s")) for word in _plain(text))
        named = ("=name" if _NAMING.match(word) else word for word in said)
        return tuple(dict.fromkeys(word for word in named if word not in small))

    def _same_people(self, later: str, earlier: str, start: int) -> bool:
        """Whose affairs they are about; whoever is in the value is no matter: "it is with my mother now"."""
        if start >= 2:
            return True  # the same words, whoever they name
        new, old = self.reader.people_in(later), self.reader.people_in(earlier)
        return len(new) == len(old) == len(_shared(sorted(old), sorted(new)))

    def _denies(self, later: str, earlier: str) -> bool:
        """Whether the later one says all of the earlier one, and that it is not so."""
        if not _DENIED.search(later) or _DENIED.search(earlier):
            return False
        old = self._words(earlier)
        return len(old) >= 2 and len(_shared(old, self._words(later))) == len(old)

    def _other_value(self, later: str, earlier: str, start: int) -> bool:
        """Another name, or another end of the same beginning."""
        new, old = _names(later) - _names(self.question), _names(earlier) - _names(self.question)
        if start >= 2:
            new_rest, old_rest = _plain(later)[start:], _plain(earlier)[start:]
            if not new_rest or not old_rest or new_rest == old_rest:
                return False
            # "My bike is in the garage" says nothing against "my bike is blue".
            is_place = (old_rest[0] in patterns.PLACES) is (new_rest[0] in patterns.PLACES)
            return is_place or _WHERE.match(self.question) is not None
        return bool(new - old) and bool(old)


def _is_later(new: Item, old: Item) -> bool:
    same = (new.layer, new.scope, new.speaker) == (old.layer, old.scope, old.speaker)
    return same and (new.at, new.id) > (old.at, old.id)


def _shared(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [word for word in words if any(_are_alike(word, other) for other in others)]


def _are_alike(one: str, other: str) -> bool:
    """Two forms of one word: weigh and weight, jefe and jefa."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < FEWEST_LETTERS:
        return False
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False)))
    has_other_end = same >= len(short) - 1 and len(long) - same <= LONGEST_END
    return has_other_end or same >= MOST_OF_A_WORD * len(long)


def _plain(sentence: str) -> list[str]:
    """The words, without those that only say that something has changed."""
    bare = _CHANGED.sub(" ", patterns.OPENING.sub("", sentence.strip()))
    return [word.casefold() for word in patterns.WORD.findall(bare)]


def _shared_start(later: str, earlier: str) -> int:
    """How many words both begin with."""
    count = 0
    for one, other in zip(_plain(later), _plain(earlier), strict=False):
        if one != other:
            break
        count += 1
    return count


def _names(sentence: str) -> frozenset[str]:
    found = (each[0].casefold() for each in _NAME.finditer(_TITLE.sub("", sentence)))
    return frozenset(each for each in found if each not in _NO_NAMES)


def _numbers(sentence: str) -> dict[str, str]:
    return {
        stem((each["unit"] or "").casefold()): each[0]
        for each in patterns.NUMBER.finditer(patterns.TIME.sub(" ", sentence))
    }


def _other_number(later: str, earlier: str) -> bool:
    new, old = _numbers(later), _numbers(earlier)
    return any(unit in old and old[unit] != number for unit, number in new.items())


def _other_time(later: str, earlier: str) -> bool:
    new, old = (
        {each[0].casefold() for each in patterns.TIME.finditer(patterns.SINCE.sub("", text))}
        for text in (later, earlier)
    )
    return bool(new - old) and bool(old - new)
