"""Whether two sentences give one question different answers, of which the later counts. Pure; any thread.

No word for a change is asked for. "My physio is called Ronan" and "Beth does my physio" both say who that is:
the later one speaks of the same thing, says the same of it, and gives another value of the kind that is asked
for (`answer_types.py`). What speaks of another thing lacks a word that question and earlier sentence share,
or is somebody else's; what only goes on about the first has no value to put in the place of the earlier one.
Said for some days or of one time, thought of, or true as well, a value takes nobody's place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from desktop.memory import answer_type_patterns, slot_patterns
from desktop.memory import statement_patterns as patterns
from desktop.memory.answer_types import KIND_WORDS, AnswerType, TypedQuestion, names_in, values_of
from desktop.memory.corrections import is_another, is_of_once
from desktop.memory.meanings import everyday_meanings
from desktop.memory.statement_patterns import FAMILY
from desktop.memory.statements import StatementReader, stem
from desktop.memory.text import asks, folded, singular

LONGEST = 24  # words of the later sentence; what is longer tells a story
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
            or len(self.words) > LONGEST
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
