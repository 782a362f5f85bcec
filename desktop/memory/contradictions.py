"""Of what was found for one question: which says something else about it than was said before.

`statements.py` knows what many sentences are about by their wording. What it does not know may still be plain
once a question is asked: "I weigh 91 kilos" and "I've lost weight, I'm at 86 now" both answer "How much do I
weigh?", and the later one says of itself that something has changed. So here the question is what the two are
held against. Nothing is marked and nothing lost: for another question, or once the later one is forgotten,
the earlier one counts again.

Where the later of the two says that something changed ("now", "another", "no longer"), it has to have all the
words of the question that the earlier one has, and to give another value of the same kind. Most people who
correct something in passing use no such word: the two are told apart by what they answer.
What names the value that was told, and nothing of the question, is looked for through it. In doubt both are
told, with their days. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from desktop.memory import answer_type_patterns, slot_patterns
from desktop.memory import statement_patterns as patterns
from desktop.memory.answer_types import KIND_WORDS, AnswerType, TypedQuestion, names_in, values_of
from desktop.memory.corrections import is_another, is_of_once
from desktop.memory.item import Item, MemorySource
from desktop.memory.meanings import everyday_meanings
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import Hit
from desktop.memory.slot_patterns import are_forms, plain
from desktop.memory.statement_patterns import FAMILY, any_case
from desktop.memory.statements import FEW_SENTENCES, StatementReader, stem
from desktop.memory.text import asks, folded, sentences, singular

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


# -- one slot, two values ----------------------------------------------------------------------

# Whether two sentences give one question different answers, of which the later counts. Pure; any thread.
#
# No word for a change is asked for. "My physio is called Ronan" and "Beth does my physio" both say who
# that is: the later one speaks of the same thing, says the same of it, and gives another value of the
# kind that is asked for (`answer_types.py`). What speaks of another thing lacks a word that question and
# earlier sentence share, or is somebody else's; what only goes on about the first has no value to put in
# the place of the earlier one. Said for some days or of one time, thought of, or true as well, a value
# takes nobody's place.

LONGEST_LATER = 24  # words of the later sentence; what is longer tells a story
SHORTEST_PART = 4  # letters of a word inside a German one


def asks_for_several(asked: TypedQuestion) -> bool:
    """Whether each answer may be as true as the other: what was done, and "which pets do I have?"."""
    return slot_patterns.OF_THE_PAST.search(asked.question) is not None or (
        slot_patterns.SEVERAL_ASKED.search(asked.question) is not None
    )


def is_of_another_time(question: str, later: str, earlier: str) -> bool:
    """Whether what is asked of one time, or of one in a row, was told of that, and the later is of none or
    another: what I drink in the morning, and in the evening; my first language, and my second."""
    asked, told, now = (
        values_of(AnswerType.TIME, text)
        | {each.casefold() for each in answer_type_patterns.IN_A_ROW.findall(text)}
        for text in (question, earlier, later)
    )
    return bool(asked & told - now)


class Sentence:
    """One sentence, read once for all that it is held against."""

    def __init__(self, reader: StatementReader, text: str) -> None:
        self.reader = reader
        self.text = text

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(slot_patterns.plain(self.text))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(map(stem, self.words))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The stems of what says something, each once."""
        small = self.reader.vocabulary.stop | slot_patterns.SAY_NOTHING
        said = (word for word in self.words if word not in small and word.split("'")[0] not in small)
        return tuple(dict.fromkeys(map(stem, said)))

    @cached_property
    def meant(self) -> frozenset[str]:
        return everyday_meanings().of(self.text)

    @cached_property
    def people(self) -> frozenset[str]:
        return self.reader.people_in(self.text)

    @cached_property
    def clauses(self) -> tuple[Sentence, ...]:
        return tuple(Sentence(self.reader, each) for each in slot_patterns.clauses(self.text))

    @cached_property
    def things(self) -> frozenset[str]:
        """What is had of a kind."""
        return slot_patterns.a_things(self.text)

    @cached_property
    def may_replace(self) -> bool:
        """Not what asks, tells a story, is true as well, or is so for some days."""
        return not (
            asks(self.text)
            or len(self.words) > LONGEST_LATER
            or patterns.ADDS.search(self.text)
            or slot_patterns.ONE_MORE.search(self.text)
            or slot_patterns.is_passing(self.text)
        )

    @cached_property
    def has_changed(self) -> bool:
        return slot_patterns.CHANGED.search(self.text) is not None


@dataclass(frozen=True)
class SameSlot:
    """One question and what was said about it before. `earlier` is one sentence."""

    asked: TypedQuestion
    question: Sentence
    earlier: Sentence

    def is_filled_anew_by(self, later: Sentence) -> bool:
        """Whether `later` gives the question another answer than the earlier sentence."""
        if not self.may_change or not later.may_replace or not self._may_be_of(later):
            return False
        if is_of_once(later.text, self.earlier.text) or is_of_another_time(
            self.asked.question, later.text, self.earlier.text
        ):
            return False
        return any(self._is_filled_by(clause, later) for clause in later.clauses)

    @cached_property
    def may_change(self) -> bool:
        """What was done once stays so, and a question about the past asks for all of it."""
        if not self.answers or asks_for_several(self.asked):
            return False
        return not patterns.OF_ONCE.search(self.earlier.text)

    @cached_property
    def answers(self) -> bool:
        """Whether the earlier sentence is about what is asked: talk shares a word of a question by chance."""
        about = [word for word in self.question.content if self._says_what_about(word)]
        return bool(self._topic) and 2 * len(self._topic) >= len(about)

    # -- inside -------------------------------------------------------------------------------

    @property
    def reader(self) -> StatementReader:
        return self.earlier.reader

    def _may_be_of(self, later: Sentence) -> bool:
        """Whether it has any word by which it could be of the same: of most pairs it has none."""
        if self.asked.sought is AnswerType.JOB:
            return True
        return any(self._is_in(word, later) for word in (*self._topic, *self.earlier.things))

    def _is_filled_by(self, clause: Sentence, later: Sentence) -> bool:
        if self._is_only_thought(clause):
            return False
        if not (self._is_of_the_same_person(clause) and self._has_the_same_subject(later)):
            return False
        if slot_patterns.YES_OR_NO.search(self.asked.question):
            return self._is_turned_round(clause)
        if self.asked.sought is AnswerType.JOB:
            return self._is_another_job(clause, later)
        if self._has_another_of_its_kind(clause, later):
            return True
        kind, new = self._new_values(clause)
        return kind is not None and self._is_given(kind, new, clause, later)

    def _is_given(self, kind: AnswerType, new: frozenset[str], clause: Sentence, later: Sentence) -> bool:
        """Whether the new values are said of the thing that was asked about and told of."""
        topic, verbs, noun = self._topic, self._verbs, self._asked_noun
        things = [word for word in topic if word not in verbs and word != noun]
        here = [word for word in topic if self._is_in(word, later)]
        if not here or self._is_another_thing(clause, things, new, kind) or self._lacks_a_name(later):
            return False
        has_cue = later.has_changed or slot_patterns.to_a_value(clause.text, new)
        is_anchored = self._is_anchored(later, topic)
        lost = [word for word in things if word not in here and not self._is_named_shorter(word, clause)]
        if any(map(self._is_somebody, lost)):
            return False
        # "The architect can only do Thursday now": half of what was named, and that something has changed.
        is_measured = kind in (AnswerType.TIME, AnswerType.NUMBER)
        if lost and not is_anchored and not (is_measured and has_cue and 2 * len(lost) <= len(things)):
            return False
        missing = [word for word in topic if word not in here and word != noun]
        # Of what is only done, as in "when do I go swimming", all has to be done.
        if missing and not things and not is_anchored:
            return False
        if missing and not (has_cue or is_anchored or self._says_what_is(clause, kind)):
            return False
        if not things and not any(self._is_in(word, clause) for word in topic):
            return False
        if kind is AnswerType.ANY:
            people = self.question.people
            says_it = [word for word in here if word not in people]
            return bool(says_it and (not missing or has_cue)) or is_anchored
        return kind is not AnswerType.NAME or self._is_the_name(clause, later, things, has_cue)

    def _is_the_name(self, clause: Sentence, later: Sentence, things: Sequence[str], has_cue: bool) -> bool:
        """Whether it says who that is or how it is called, and not of another one: friends may be two."""
        says_how = slot_patterns.NAMES.search(later.text) or slot_patterns.IS.search(clause.text)
        if self.asked.sought is AnswerType.NAME and not says_how:
            return False
        people = self.question.people
        return has_cue or not any(word in people and word not in self.reader.single for word in things)

    def _has_another_of_its_kind(self, clause: Sentence, later: Sentence) -> bool:
        """ "The Pixel died, I'm on an iPhone now", where "I have a Pixel" was told: each is of a kind."""
        old, new = self.earlier.things, clause.things
        named = [word for word in old if self._is_in(word, later)]
        if not named or not new - old:
            return False
        if any(self._is_in(word, clause) for word in named):
            return slot_patterns.SWAPPED.search(clause.text) is not None
        if slot_patterns.WANTED.search(clause.text):
            return False
        if any(
            slot_patterns.is_only_for(word, later.text) or self._is_part_of_another(word, later)
            for word in named
        ):
            return False
        first = patterns.FIRST_PERSON.search(self.earlier.text) or self._is_of_oneself
        return bool(first) and not (clause.people - self.earlier.people)

    def _is_part_of_another(self, word: str, later: Sentence) -> bool:
        """Whether a word is part of another thing's name: of "the Golf clubs" the clubs are meant."""
        words = list(later.stems)
        behind = words[words.index(word) + 1 : words.index(word) + 2] if word in words else []
        small = self.reader.vocabulary.stop | slot_patterns.NO_UNITS
        return any(
            each not in small
            and each not in self.earlier.content
            and not slot_patterns.may_stand_before(each)
            and slot_patterns.NOUN_LIKE.fullmatch(each) is not None
            for each in behind
        )

    def _is_another_job(self, clause: Sentence, later: Sentence) -> bool:
        old, new = (
            {match["job"].casefold() for match in answer_type_patterns.JOB_NAMED.finditer(each.text)}
            for each in (self.earlier, clause)
        )
        has_cue = later.has_changed or self._is_anchored(later, ())
        return bool(old) and bool(new - old) and has_cue

    def _lacks_a_name(self, later: Sentence) -> bool:
        """Of what is asked about Ella and was told of her, what is said of Tom is no other answer."""
        named = set(names_in(self.asked.question)) & set(self.earlier.words)
        return bool(named - set(later.words))

    def _is_named_shorter(self, word: str, clause: Sentence) -> bool:
        """ "The router" for "the wifi router": what is left of it has no other word before it."""
        words = list(self.earlier.stems)
        place = words.index(word) if word in words else len(words)
        whole = words[place + 1] if place + 1 < len(words) else ""
        here = list(clause.stems)
        if not whole or whole not in self._topic or whole not in here:
            return False
        before = here[here.index(whole) - 1] if here.index(whole) else ""
        return not before or before in patterns.ARTICLES

    @cached_property
    def _asked_noun(self) -> str:
        """Of "which school does Theo go to" the school, which "Theo starts at Brookfield" need not name."""
        return "" if slot_patterns.ASKS_WHAT_IT_IS.search(self.asked.question) else stem(self.asked.noun)

    def _is_somebody(self, word: str) -> bool:
        return bool(self.reader.people_in(word))

    def _is_anchored(self, later: Sentence, topic: Sequence[str]) -> bool:
        """Whether it names what the earlier sentence told: "They cancelled the 7:52, so I take the 8:14"."""
        numbers = patterns.NUMBER.finditer(self.earlier.text)
        units = {stem((each["unit"] or "").casefold()) for each in numbers}
        values = [word for word in self.earlier.content if word not in topic and word not in units]
        people = self.earlier.people
        # That both say how somebody is called names no value.
        said = (word for word in values if word not in people and not slot_patterns.CALLED.match(word))
        return any(self._is_in(word, later) for word in said)

    def _is_only_thought(self, clause: Sentence) -> bool:
        bare = slot_patterns.DENIALS.sub(" ", patterns.ANY_MORE.sub(" ", clause.text))
        if self.asked.sought is AnswerType.TIME:
            bare = slot_patterns.BY_WHEN.sub(" ", bare)
        return patterns.ONLY_THOUGHT.search(bare) is not None

    def _is_turned_round(self, clause: Sentence) -> bool:
        """Whether it denies what was so, or the other way round, where that is what is asked."""
        topic = self._topic
        if not topic or any(not self._is_in(word, clause) for word in topic):
            return False
        was, now = (slot_patterns.DENIED.search(each.text) is not None for each in (self.earlier, clause))
        return was is not now or (was and slot_patterns.AGAIN.search(clause.text) is not None)

    def _new_values(self, clause: Sentence) -> tuple[AnswerType | None, frozenset[str]]:
        """The kind of the answer, and those that the earlier one does not have; None where there is none, or
        where it is another kind of thing that is said."""
        question = self.asked.question
        for kind in self._kinds():
            old, new = (values_of(kind, each.text, question) for each in (self.earlier, clause))
            if not old:
                continue
            others = frozenset(each for each in new - old if each not in folded(self.earlier.text))
            if kind is AnswerType.NAME and not others and self.asked.sought is AnswerType.ANY:
                continue  # a noun in German, and no name
            if not others or (
                kind is AnswerType.NUMBER and _have_other_units(self.earlier.text, clause.text)
            ):
                return None, frozenset()
            return kind, others
        fresh = frozenset(clause.content).difference(self.earlier.content, self.question.content)
        is_place = slot_patterns.begins_with_place
        if not fresh or is_place(clause.text, fresh) is not is_place(self.earlier.text, self.earlier.content):
            return None, frozenset()
        return (AnswerType.ANY, fresh)

    def _kinds(self) -> tuple[AnswerType, ...]:
        by_question = {
            AnswerType.TIME: (AnswerType.TIME, AnswerType.NUMBER),
            AnswerType.NUMBER: (AnswerType.NUMBER,),
            AnswerType.SPAN: (AnswerType.TIME, AnswerType.NUMBER),
            AnswerType.NAME: (AnswerType.NAME,),
            AnswerType.PERSON: (AnswerType.NAME,),
            AnswerType.PLACE: (AnswerType.PLACE, AnswerType.NAME),
            AnswerType.JOB: (),
        }
        return by_question.get(self.asked.sought, (AnswerType.NUMBER, AnswerType.NAME))

    @cached_property
    def _topic(self) -> list[str]:
        """What the question and the earlier sentence have in common."""
        about = (word for word in self.question.content if self._says_what_about(word))
        return [word for word in about if self._is_in(word, self.earlier)]

    def _says_what_about(self, word: str) -> bool:
        """Not so a word that only says what kind of answer is wanted."""
        is_name = self.asked.sought in (AnswerType.NAME, AnswerType.PERSON)
        return not (
            word in _KIND_STEMS
            or word in answer_type_patterns.OF_A_KIND
            or (is_name and slot_patterns.CALLED.match(word))
        )

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return slot_patterns.verbs_in(self.asked.question)

    def _is_in(self, word: str, sentence: Sentence) -> bool:
        if self._is_somebody(word):
            return any(_are_one(word, each) for each in sentence.people)
        if any(slot_patterns.are_alike(word, each) for each in sentence.stems):
            return True
        # A Volksbank is a bank.
        if word == self._asked_noun and any(each.endswith(word) for each in sentence.stems):
            return True
        # German writes nouns in one: of "der Schlüssel für den Keller" the Kellerschlüssel.
        if len(word) >= SHORTEST_PART and any(
            each.endswith(word) and any(each.startswith(other[:4]) for other in self.earlier.content)
            for each in sentence.stems
            if len(each) > len(word) + 2
        ):
            return True
        return not sentence.meant.isdisjoint(self._meant(word))

    def _meant(self, word: str) -> frozenset[str]:
        """What a word means in the language of the earlier sentence."""
        return everyday_meanings().of_word(word, self.earlier.text)

    def _is_of_the_same_person(self, clause: Sentence) -> bool:
        """Whose affairs it is about: nobody's that neither the question nor the earlier one names."""
        owners = " ".join(
            match["who"] or match["german"] or match["owner"] or match["relative"]
            for match in slot_patterns.OF_SOMEBODY.finditer(clause.text)
        )
        if not all(map(self._is_known, self.reader.people_in(owners))):
            return False
        if not self._is_of_oneself:
            return True
        if patterns.ONESELF.search(clause.text) or slot_patterns.TO_ONESELF.search(clause.text):
            return True
        # "I weigh" is of oneself, "the parcel weighs" is not; "the gym costs" is of the gym that was named.
        mine = [stem(match["what"].casefold()) for match in slot_patterns.MINE.finditer(clause.text)]
        own = self.earlier.content + self.question.content
        if any(slot_patterns.are_alike(one, each) for one in mine for each in own):
            return True
        return not mine and self._begins_with_the_thing(clause)

    @cached_property
    def _is_of_oneself(self) -> bool:
        return slot_patterns.BEGINS_WITH_ONESELF.search(self.earlier.text) is not None

    def _has_the_same_subject(self, later: Sentence) -> bool:
        """Of "my wife sold her Fiat and drives a Mini" both halves are the wife's."""
        match = patterns.PERSON.match(patterns.OPENING.sub("", later.text.strip()))
        subject = self.reader.people_in(match["who"]) if match else frozenset()
        return not subject or any(map(self._is_known, subject))

    def _is_known(self, person: str) -> bool:
        known = self.earlier.people | self.question.people
        return any(_are_one(person, each) for each in known)

    def _begins_with_the_thing(self, clause: Sentence) -> bool:
        """Of "the gym costs more now" the gym: without "I" and "my" it is about the thing, or about
        anybody."""
        first = next(iter(clause.content), "")
        topic = [word for word in self._topic if word not in self._verbs]
        return any(slot_patterns.are_alike(first, word) for word in (*topic, *self.earlier.content))

    def _is_another_thing(
        self, clause: Sentence, things: Sequence[str], new: Collection[str], kind: AnswerType
    ) -> bool:
        """Whether something more special is named: "the flight back", "Rosie's baby", "the team meeting"."""
        known = {*self.earlier.content, *self.question.content}
        values = {stem(part) for each in new for part in folded(each)}
        small = self.reader.vocabulary.small
        for before, behind in slot_patterns.around(
            clause.text, partial(self._is_one_of, things, clause), known
        ):
            is_other = before and before not in known and before not in values and before not in small
            if is_other and not slot_patterns.may_stand_before(before):
                return True
            is_time = kind is AnswerType.TIME and behind in values
            if behind and behind not in known and not is_time and behind not in small:
                return True
        gone = {word for word in self.earlier.content if not self._is_in(word, clause)}
        others = {word for word in clause.content if word not in known and word not in values}
        return is_another(clause.text, self.earlier.text, gone & set(things), others)

    def _is_one_of(self, things: Sequence[str], clause: Sentence, word: str) -> bool:
        if any(slot_patterns.are_alike(word, thing) for thing in things):
            return True
        meant = everyday_meanings().of_word(word, clause.text)
        return bool(meant) and any(meant & self._meant(thing) for thing in things)

    def _says_what_is(self, clause: Sentence, kind: AnswerType) -> bool:
        """ "Book club is on Wednesdays" says when it meets."""
        is_said = slot_patterns.IS.search(clause.text) is not None
        return is_said and kind in (AnswerType.TIME, AnswerType.PLACE, AnswerType.NAME)


_KIND_STEMS = frozenset(map(stem, KIND_WORDS))


def _are_one(one: str, other: str) -> bool:
    """Whether two words may be of one person: Mum and Mutter, Chef and Chefin; hijo and hija are two."""
    if singular(one) == singular(other):
        return True
    if everyday_meanings().of(one) & everyday_meanings().of(other) - slot_patterns.SEVERAL:
        return True
    return not {singular(one), singular(other)} & FAMILY and slot_patterns.are_alike(one, other)


def _have_other_units(earlier: str, later: str) -> bool:
    old, new = (
        {
            stem(behind.casefold())
            for each in answer_type_patterns.NUMBERS.finditer(patterns.DAY.sub(" ", text))
            for behind in patterns.WORD.findall(text[each.end() :].split(",")[0])[:1]
            if len(behind) > 1 and not behind.isdigit() and behind.casefold() not in slot_patterns.NO_UNITS
        }
        for text in (patterns.DAY.sub(" ", one) for one in (earlier, later))
    )
    return bool(old) and bool(new) and old.isdisjoint(new)
