"""Of what was found for one question: which says something else about it than was said before.

`statements.py` knows what many sentences are about by their wording. What it does not know may still be plain
once a question is asked: "I weigh 91 kilos" and "I've lost weight, I'm at 86 now" both answer "How much do I
weigh?", and the later one says of itself that something has changed. So here the question is what the two are
held against. Nothing is marked and nothing lost: for another question, or once the later one is forgotten,
the earlier one counts again.

Where the later of the two says that something changed ("now", "another", "no longer"), it has to have all the
words of the question that the earlier one has, and to give another value of the same kind. Most people who
correct something in passing use no such word: the two are told apart by what they answer (`same_slot.py`).
What names the value that was told, and nothing of the question, is looked for through it. In doubt both are
told, with their days. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from desktop.memory import statement_patterns as patterns
from desktop.memory.answer_types import AnswerType, TypedQuestion
from desktop.memory.corrections import is_of_once
from desktop.memory.item import Item, MemorySource
from desktop.memory.reasons import MemoryReason
from desktop.memory.same_slot import SameSlot, Sentence, asks_for_several, is_of_another_time
from desktop.memory.search import Hit
from desktop.memory.slot_patterns import are_forms, plain
from desktop.memory.statement_patterns import any_case
from desktop.memory.statements import FEW_SENTENCES, StatementReader, stem
from desktop.memory.text import sentences

LOOKED_AT = 5  # of the best hits, for what answers since
LONGEST = 20  # words of a sentence; what is longer tells a story
_CHANGED = any_case(
    r"\b(?:now|nowadays|these days|any (?:longer|more)|anymore|no longer|after all|instead|another|different"
    r"|new|since|from now on|lately|changed|switched|turns? out|in fact|actually|correction|jetzt|nun"
    r"|inzwischen|mittlerweile|neuerdings|seit\w*|nur noch|nicht mehr|sondern|doch|statt\w*|neue\w?|ander\w+"
    r"|ab sofort|künftig|gewechselt|maintenant|désormais|finalement|plus de|nouve(?:au|l|lle)|autre|depuis"
    r"|changé|passée?s? (?:à|de)|en fait|ahora|ya no|actualmente|al final|en realidad|nuev[oa]s?|otr[oa]s?"
    r"|desde|cambiado|cambié|en (?:lugar|vez) de)\b"
    r"|^(?:no|nope|sorry|wait|nein|nee|korrektur|non|pardon|perdón)\b"
)
# What stands between the two words is said of the thing, and must not go with them.
_CHANGED_APART = any_case(r"\bkein\w*\b.{1,30}\bmehr\b|(?:\bne\b|\bn['’]).{1,30}\bplus\b")
# That something is so no more. French says it with two words, of which the second alone means "more".
_DENIED = any_case(
    r"\b(?:not|never|no longer|stopped|quit|gave up|don['’]t|doesn['’]t|isn['’]t|aren['’]t|didn['’]t|"
    r"can['’]t|won['’]t|nicht|nie|kein\w*|aufgehört|aufgegeben|"
    r"n['’]\w+|ne|jamais|arrêté|ya no|nunca|dejado|dejé|he dejado)\b"
)
_WHERE = any_case(r"^\W*(?:where|wo|wohin|où|dónde|a dónde)\b")
_NAMING = re.compile(r"^(?:call|nam|heiß|heiss|appell|llam|renam|umbenann)")
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sra?|Dra)\.")
_NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-ZÄÖÜÉÀÁÍÓÚÑ][\w'’&-]+")
_NAMED = "=name"  # for whatever word says what somebody is called
_NO_NAMES = frozenset(("herr", "herrn", "frau", "miss", "madame", "monsieur", "señor", "señora"))

Later = Callable[[Item, Sequence[str]], Sequence[Item]]


@dataclass(frozen=True)
class Contradictions:
    """Which memories contradict each other about one question. `reader` tells words that say something from
    others."""

    reader: StatementReader
    question: str
    # Of many that are held against many each is read once.
    _sentences: dict[str, tuple[Sentence, ...]] = field(default_factory=dict, repr=False, compare=False)
    _slots_of: dict[int, list[SameSlot]] = field(default_factory=dict, repr=False, compare=False)
    _words_of: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def current(self, hits: Sequence[Hit]) -> list[Hit]:
        """`hits` without those that a later one of the same person stands against."""
        said = [hit for hit in hits if hit.item.source is MemorySource.USER]
        asked = self._words(self.question)
        if len(said) < 2:
            return list(hits)
        gone = {
            old.item.id
            for old in said
            if any(_is_later(new.item, old.item) and self._stands_against(new, old, asked) for new in said)
        }
        return [hit for hit in hits if hit.item.id not in gone]

    def answered_since(self, hits: Sequence[Hit], later: Later) -> list[Hit]:
        """With what was answered since in the place of what was told: "The 42 doesn't run any more, so I take
        the 17" hardly shares a word with a question for the bus, and is found through the 42 that it names.
        `later` gives what was said after an item with one of some words."""
        there = {hit.item.id for hit in hits}
        found = []
        for place, hit in enumerate(hits):
            newer = self._newer(hit, later) if place < LOOKED_AT else None
            if newer is None:
                found.append(hit)
            elif newer.id not in there:
                there.add(newer.id)
                why = MemoryReason.INSTEAD_OF_ONE.of(why=hit.why)
                found.append(replace(hit, item=newer, why=why, told="", stands_for=hit.item.text))
        return found

    # -- inside -------------------------------------------------------------------------------

    def _newer(self, hit: Hit, later: Later) -> Item | None:
        slots = self._slots(hit.item)
        # Looked for only where anything could take its place.
        if not slots or not all(slot.may_change for slot in slots):
            return None
        words = self._said(hit.item)
        for item in later(hit.item, words) if words else ():
            if _is_later(item, hit.item) and self._fills(item, slots):
                return item
        return None

    def _said(self, item: Item) -> list[str]:
        small = self.reader.vocabulary.small
        return [word for word in dict.fromkeys(plain(item.text)) if word not in small and len(word) > 1]

    def _slots(self, item: Item) -> list[SameSlot]:
        """Those of what an item tells about the question; none of what a turn tells that tells much."""
        if item.id not in self._slots_of:
            sentences = self._told(item)
            is_one = item.source is MemorySource.USER and 0 < len(sentences) <= FEW_SENTENCES
            slots = [SameSlot(self._asked, self._asks, each) for each in sentences] if is_one else []
            self._slots_of[item.id] = [slot for slot in slots if slot.answers]
        return self._slots_of[item.id]

    def _read(self, text: str) -> tuple[Sentence, ...]:
        if text not in self._sentences:
            self._sentences[text] = tuple(Sentence(self.reader, each) for each in sentences(text))
        return self._sentences[text]

    def _told(self, item: Item) -> list[Sentence]:
        """The sentences of an item, without those that ask."""
        return [each for each in self._read(item.text) if not each.text.endswith("?")]

    def _fills(self, item: Item, slots: Sequence[SameSlot]) -> bool:
        read = self._read(item.text)
        return bool(slots) and all(any(map(slot.is_filled_anew_by, read)) for slot in slots)

    @cached_property
    def _asks(self) -> Sentence:
        return Sentence(self.reader, self.question)

    @cached_property
    def _asked(self) -> TypedQuestion:
        return TypedQuestion.of(self.question, self.reader.people)

    def _stands_against(self, new: Hit, old: Hit, asked: Sequence[str]) -> bool:
        earlier = [each.text for each in self._told(old.item)]
        # A turn that tells much would be gone with one of its sentences.
        if not earlier or len(earlier) > FEW_SENTENCES:
            return False
        if self._fills(new.item, self._slots(old.item)) or self._is_answered_anew(new, old):
            return True
        about = [each for each in earlier if _shared(asked, self._words(each))]
        return bool(about) and all(
            any(self._replaces(later, each, asked) for later in self._read(new.item.text)) for each in about
        )

    def _is_answered_anew(self, new: Hit, old: Hit) -> bool:
        """Whether both were read as answers to a question that has one: then the later one holds.

        Where no kind of answer is asked for there may be several (what one is allergic to, what one likes),
        so the later one has to say of itself that something has changed."""
        if not (new.is_answer and old.is_answer) or asks_for_several(self._asked):
            return False
        later, earlier = new.item.text, old.item.text
        says_so = _CHANGED.search(later) or _CHANGED_APART.search(later) or self._denies(later, earlier)
        if self._asked.sought is AnswerType.ANY and not self._asked.heads and not says_so:
            return False
        if patterns.ADDS.search(later) or is_of_once(later, earlier):
            return False
        if is_of_another_time(self.question, later, earlier):
            return False
        asked_of, told_of = (self.reader.people_in(each) for each in (self.question, later))
        return not asked_of or not told_of or bool(_shared(sorted(asked_of), sorted(told_of)))

    def _replaces(self, new_one: Sentence, earlier: str, asked: Sequence[str]) -> bool:
        later = new_one.text
        new, topic = self._words(later), _shared(asked, self._words(earlier))
        # All that the question and the earlier one have in common: "my daughter Mia" is not Eva.
        if not topic or len(_shared(topic, new)) < len(topic) or asks_for_several(self._asked):
            return False
        if later.endswith("?") or len(patterns.WORD.findall(later)) > LONGEST:
            return False
        denies = self._denies(later, earlier)
        if not (denies or _CHANGED.search(later) or _CHANGED_APART.search(later)):
            return False
        if patterns.ADDS.search(later) or is_of_once(later, earlier) or self._is_more_special(later, earlier):
            return False
        if is_of_another_time(self.question, later, earlier):
            return False
        start = _shared_start(later, earlier)
        return self._same_people(later, earlier, start) and (
            denies
            or self._other_number(later, earlier)
            or _other_time(later, earlier)
            or self._other_value(later, earlier, start)
        )

    def _is_more_special(self, later: str, earlier: str) -> bool:
        """Whether it states something of one of several such things: "my bike for the mountains"."""
        new, old = (
            {frozenset(each.topic.split()) for each in self.reader.of_sentence(text)}
            for text in (later, earlier)
        )
        return bool(new) and all(any(topic > other for other in old) for topic in new)

    def _words(self, text: str) -> tuple[str, ...]:
        """The stems that say what a text is about; of being called so one, whatever the word for it."""
        if text not in self._words_of:
            self._words_of[text] = self._content_of(text)
        return self._words_of[text]

    def _content_of(self, text: str) -> tuple[str, ...]:
        small = self.reader.vocabulary.small
        said = (stem(word.removesuffix("'s")) for word in _plain(text))
        named = (_NAMED if _NAMING.match(word) else word for word in said)
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

    def _other_number(self, later: str, earlier: str) -> bool:
        """Another of the same unit, or of one that only one of them names."""
        small = self.reader.vocabulary.stop
        new, old = _numbers(later, small), _numbers(earlier, small)
        if len(new) == len(old) == 1 and "" in {*new, *old}:
            return set(new.values()) != set(old.values())
        return any(unit in old and old[unit] != number for unit, number in new.items())

    def _other_value(self, later: str, earlier: str, start: int) -> bool:
        """Another name, or another end of the same beginning."""
        # "In the rehearsal we began with Brahms" says nothing against when it is.
        if patterns.TIME.search(earlier) and not patterns.TIME.search(later):
            return False
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
    return [word for word in words if any(are_forms(word, other) for other in others)]


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


def _numbers(sentence: str, small: Collection[str]) -> dict[str, str]:
    """The numbers by their units; "38 in trousers" has none."""
    bare = patterns.DAY.sub(" ", sentence)
    # What stands inside a word, as in "crane12", is a name.
    numbers = (each for each in patterns.NUMBER.finditer(bare) if not bare[: each.start()][-1:].isalnum())
    found = ((each, (each["unit"] or "").casefold()) for each in numbers)
    return {"" if unit in small else stem(unit): each["number"].rstrip(".,") for each, unit in found}


def _other_time(later: str, earlier: str) -> bool:
    new, old = (
        {each[0].casefold() for each in patterns.DAY.finditer(patterns.SINCE.sub("", text))}
        for text in (later, earlier)
    )
    return bool(new - old) and bool(old - new)
