"""What a question asks for, and whether a sentence can answer it. Pure; any thread.

"When does my passport expire?" asks for a time, so "My passport is in the drawer" is no answer to it, near
as it lies. Of what anybody says four kinds of values can be told by their form in any wording: a time, a
number, a place, a name. "Which insurance do I have for my car?" asks for an insurance, its head; what only
speaks of the car does not answer it. What has none of this may be answered by anything.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop.memory import answer_type_patterns as patterns
from desktop.memory.meanings import everyday_meanings
from desktop.memory.statement_patterns import ARTICLES, CALLED_SO, DAY, FAMILY, TIME, WORD
from desktop.memory.text import Finder, folded, singular, stem

GERMAN_WHICH = frozenset(("welche", "welcher", "welches", "welchen", "welchem"))
LONGEST_ENDING = 4  # letters behind the stem of a verb
FEWEST_OTHERS = 2  # words of a question that make up for its head, which no table may know


class AnswerType(StrEnum):
    """The kind of value that a question asks for."""

    TIME = "time"
    NUMBER = "number"
    SPAN = "span"  # "how long", "how often": a number, or until when
    PLACE = "place"
    PERSON = "person"  # somebody, by name or by what they are
    NAME = "name"
    JOB = "job"
    ANY = "any"


# Told by the form of a value alone. Whoever "my plumber" is, he may stand there as a plumber.
_OF_A_FORM = (AnswerType.TIME, AnswerType.NUMBER, AnswerType.SPAN, AnswerType.PLACE, AnswerType.NAME)


@dataclass(frozen=True)
class TypedQuestion:
    """`heads` are the nouns that "which" or "what is my" asks for, of which the last is what it is; () where
    there is none or where its kind says it all ("what time"). `people` are those whose affairs it is about,
    beside oneself."""

    question: str
    sought: AnswerType
    heads: tuple[str, ...] = ()
    noun: str = ""  # behind "which" or "what is my", also where the kind says it all
    people: frozenset[str] = frozenset()
    all_people: frozenset[str] = frozenset()

    @classmethod
    def of(cls, question: str, people: Collection[str] = ()) -> TypedQuestion:
        """`people` are the words for somebody, in the singular."""
        sought = next((kind for kind, pattern in _QUESTIONS if pattern.search(question)), AnswerType.ANY)
        if sought is AnswerType.PERSON and patterns.FOR_WHOM.search(question):
            sought = AnswerType.ANY
        heads = _heads_in(question)
        # "What is the number of the flat" asks for a number, and the flat is what it is about.
        by_head = next((kind for kind, nouns in _HEADS if not nouns.isdisjoint(heads[-1:])), None)
        if by_head is not None and sought in (AnswerType.ANY, AnswerType.PERSON):
            sought = by_head
        is_kind = by_head is not None or sought is not AnswerType.ANY
        known = frozenset(people)
        noun = heads[-1] if heads else ""
        named = () if is_kind else tuple(heads)
        return cls(question, sought, named, noun, _people_in(question, known), known)

    def can_be_answered_by(self, text: str, found: Collection[str], strong: Sequence[str]) -> bool:
        """Whether `text` has what is asked for. `found` are the words of the question that stand in it or
        have one of the same meaning there, `strong` all that say something."""
        if not self._has_kind(text):
            return False
        found_words = frozenset(each for one in found for each in _parts(one))
        people = frozenset(each for one in self.people for each in _forms(one))
        told_of = _people_in(text, self.all_people)
        if told_of and people and people.isdisjoint(found_words) and not _are_the_same(people, told_of):
            return False
        kinds = people | KIND_WORDS
        others = [word for word in strong if kinds.isdisjoint(_forms(word))]
        # What is called something is the thing itself, in whatever word.
        if self.sought is AnswerType.NAME and (others or people) and not (found_words or told_of):
            return False
        answered = [word for word in others if word in found_words]
        # What is told of somebody is no answer to whatever else is asked about them.
        if self.people and others and not answered and not self._says_all(others):
            return False
        if not self._has_what_it_turns_on(text, found_words, strong):
            return False
        head = self._head_of(strong)
        return not head or self._has_head(text, head, found_words, others, answered)

    def lacks_value(self, text: str) -> bool:
        """Whether a time, a number, a place or a name is asked for and `text` has none."""
        return self.sought in _OF_A_FORM and not self._has_kind(text)

    @property
    def is_plain(self) -> bool:
        """Whether the form of an answer is known, whoever it is about: a profession, an age, a price."""
        is_number = self.sought is AnswerType.NUMBER and patterns.HOW_MANY.search(self.question) is None
        return is_number or self.sought is AnswerType.JOB

    def values(self, text: str) -> frozenset[str]:
        """The values in `text` of the kind that is asked for; of any kind where that is not known."""
        return frozenset().union(*(values_of(kind, text, self.question) for kind in _ANSWERS[self.sought]))

    # -- inside -------------------------------------------------------------------------------

    def _has_kind(self, text: str) -> bool:
        if self.sought is AnswerType.ANY:
            return True
        if self.sought is AnswerType.JOB:
            return patterns.GIVES_JOB.search(text) is not None or "job" in everyday_meanings().of(text)
        if self.sought is AnswerType.PERSON and patterns.SOMEBODY.search(text):
            return True
        if self.sought in (AnswerType.NAME, AnswerType.PERSON) and not patterns.CAPITAL.search(text):
            # Who writes without capitals gives names without them, too.
            asked = folded(self.question)
            return any(
                word not in asked
                for each in patterns.GIVES_NAME.finditer(text)
                for word in folded(each[0])[-1:]
            )
        if self.sought is AnswerType.NUMBER and not patterns.AGE.search(self.question):
            counted = _without_times(text)
            # Nothing is so and so many pounds big; a rent is so high.
            if not (patterns.MEASURES - patterns.OF_PRICES).isdisjoint(folded(self.question)):
                counted = patterns.MONEY.sub(" ", counted)
            return bool(values_of(AnswerType.NUMBER, counted, self.question))
        if self.sought is AnswerType.PLACE:
            is_german = patterns.GERMAN_WHERE.search(self.question)
            places = values_of(AnswerType.PLACE, text) if is_german else self.values(text)
            asked_stems = {stem(word) for word in folded(self.question)}
            return any(stem(word) not in asked_stems for each in places for word in each.split())
        return bool(self.values(text))

    def _has_what_it_turns_on(self, text: str, found: Collection[str], strong: Sequence[str]) -> bool:
        """Whether `text` has the word without which it is another question, where that can be told: what is
        done, what is one's own, what a yes or no is about, and for what something is paid."""
        if self.sought is AnswerType.NUMBER:
            # "How much do I make a week?" names nothing that could be found.
            if not strong and not patterns.AGE.search(self.question):
                return False
            of_what = [word for word in strong if word not in patterns.COSTS | patterns.MEASURES | KIND_WORDS]
            if of_what and not any(word in found for word in of_what) and not self.people:
                return False
        if patterns.ASKS_FAVOURITE.search(self.question) and not patterns.FAVOURITE.search(text):
            return False
        if patterns.YES_OR_NO.search(self.question) and strong and strong[-1] not in found:
            return False
        own = patterns.OWN_AT_THE_END.search(self.question)
        owned = own["what"].casefold() if own is not None else ""
        if owned in strong and owned not in found and owned not in ALL_HEADS:
            return False
        return self.sought is not AnswerType.ANY or bool(self.heads) or self._has_verb(text)

    def _has_verb(self, text: str) -> bool:
        """Whether what is done is what is asked: what the hens are fed, not how many there are."""
        match = patterns.DOES_WHAT.search(self.question)
        verb = next((each.casefold() for each in match.groups() if each), "") if match is not None else ""
        if not verb or verb in patterns.LIGHT_VERBS or Finder((verb,), LONGEST_ENDING).in_text(text):
            return True
        meanings = everyday_meanings()
        return not meanings.of_word(verb, self.question).isdisjoint(meanings.of(text))

    def _head_of(self, strong: Sequence[str]) -> str:
        """The last of the nouns that says something; "" where none does."""
        said = (head for head in reversed(self.heads) if any(head in _forms(word) for word in strong))
        return next(said, "")

    def _says_all(self, others: Sequence[str]) -> bool:
        """Whether the kind that is asked for is all that is asked of somebody: how old, which profession."""
        return self.sought is AnswerType.JOB or (
            self.sought is AnswerType.NUMBER and all(word in patterns.MEASURES for word in others)
        )

    def _has_head(
        self, text: str, head: str, found: Collection[str], others: Sequence[str], answered: Sequence[str]
    ) -> bool:
        if any(form in found for form in _forms(head)) or head in self.people:
            return True
        about = [word for word in others if word not in _forms(head)]
        if not all(word in answered for word in about):
            return False
        # "My bike is blue" says what colour it is, and no table knows all colours.
        says_what = patterns.SAYS_WHAT_IT_IS.match(text) is not None and not values_of(AnswerType.TIME, text)
        is_said_of_it = says_what and bool(about or self.people)
        return len(about) >= FEWEST_OTHERS or is_said_of_it or self._is_what_is_done(text, head)

    def _is_what_is_done(self, text: str, head: str) -> bool:
        """Whether `text` has the verb of the question, of which the head is the object. German writes nouns
        with a capital."""
        matches = patterns.DONE.finditer(self.question)
        verbs = {(match["verb"] or match["romance"]).casefold() for match in matches}
        words = WORD.findall(self.question)
        if words[:1] and any(word.casefold() in GERMAN_WHICH for word in words[:2]):
            verbs.update(word for word in words if word.islower())
        if not verbs.isdisjoint(patterns.HAVE) and patterns.HAS_A.search(text):
            return True
        verbs -= patterns.SAY_LITTLE | {head}
        return bool(Finder(tuple(verbs), LONGEST_ENDING).in_text(text)) if verbs else False


def values_of(kind: AnswerType, text: str, question: str = "") -> frozenset[str]:
    """The values of one kind in `text` that do not stand in the question."""
    known = frozenset(folded(question))
    if kind is AnswerType.TIME:
        found = [each[0] for pattern in (DAY, patterns.OTHER_TIMES) for each in pattern.finditer(text)]
        return frozenset(each.casefold() for each in found) - known
    if kind is AnswerType.NUMBER:
        found = [each[0].rstrip(".,:") for each in patterns.NUMBERS.finditer(text)]
        return frozenset(each.casefold() for each in found) - known
    if kind is AnswerType.PLACE:
        matches = patterns.PLACE.finditer(text)
        found = [each["where"] for each in matches if not TIME.fullmatch(each["where"])]
        return frozenset(each.casefold() for each in found if not patterns.NO_PLACE.fullmatch(each))
    if kind is AnswerType.NAME:
        return frozenset(names_in(text, question))
    return frozenset()


def names_in(text: str, question: str = "") -> list[str]:
    """What is written with a capital and is no word that anybody knows; small letters."""
    known = {each for word in folded(question) for each in _forms(word)}
    meanings = everyday_meanings()
    found = []
    for place, match in enumerate(WORD.finditer(text)):
        word = match[0]
        lower = word.casefold().removesuffix("'s").removesuffix("’s")
        if not word[:1].isupper() or len(lower) < 2 or lower in known or lower in patterns.NO_NAMES:
            continue
        if TIME.fullmatch(word) or meanings.of(lower):
            continue
        # The first word has a capital whatever it is.
        if place == 0 and not patterns.VERB_BEHIND.match(text[match.end() :]):
            continue
        found.append(lower)
    return found


def is_of_family(question: str) -> bool:
    """Whether somebody of one's own family is called as by a name: "What does Mum want?"."""
    before = ""
    for match in WORD.finditer(question):
        word = match[0].removesuffix("'s").removesuffix("’s")
        is_called = word in CALLED_SO or (word[:1].isupper() and singular(word.casefold()) in FAMILY)
        # "A papá" is to him, in Spanish.
        if is_called and (before not in ARTICLES or (before == "a" and word.endswith("á"))):
            return True
        before = match[0].casefold()
    return False


def _without_times(text: str) -> str:
    """A year, a day or a place in a row counts nothing."""
    for pattern in (DAY, patterns.YEARS, patterns.IN_A_ROW):
        text = pattern.sub(" ", text)
    return text


def _heads_in(question: str) -> list[str]:
    """The noun that is asked for, with those that stand before it: "blood group", of which the last is what
    it is; in French and Spanish the first."""
    for pattern in patterns.HEADS:
        match = pattern.search(question)
        if match is None:
            continue
        words = [word for word in folded(match["what"]) if word not in patterns.OF_A_KIND]
        if words and match.re is patterns.HEADS[0] and patterns.OBJECT_BEHIND.match(question, match.end()):
            words = words[:-1]
        if words:
            return words if match.re is not patterns.ROMANCE_HEAD else words[:1]
    return []


def _people_in(text: str, people: frozenset[str]) -> frozenset[str]:
    words = frozenset(each for word in folded(text) for each in (word, singular(word)))
    return words & people


def _are_the_same(one: Collection[str], other: Collection[str]) -> bool:
    """Whether somebody is in both, as a man or a woman: jefe and jefa, Chef and Chefin. In a family these
    are two."""
    pairs = ((a, b) for a in set(one) - FAMILY for b in set(other) - FAMILY)
    return any(min(len(a), len(b)) > 2 and (a[:-1] == b[:-1] or b.startswith(a[:-1])) for a, b in pairs)


def _parts(text: str) -> tuple[str, ...]:
    return (text.casefold(), *(form for word in folded(text) for form in _forms(word)))


def _forms(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((word, singular(word), word.removesuffix("'s"))))


_QUESTIONS = (
    (AnswerType.JOB, patterns.JOB),
    (AnswerType.TIME, patterns.WHEN),
    (AnswerType.SPAN, patterns.HOW_LONG),
    (AnswerType.NUMBER, patterns.HOW_MUCH),
    (AnswerType.NAME, patterns.CALLED),
    (AnswerType.PLACE, patterns.WHERE),
    (AnswerType.PERSON, patterns.WHO),
)
_HEADS = (
    (AnswerType.TIME, patterns.TIME_HEADS),
    (AnswerType.NUMBER, patterns.NUMBER_HEADS),
    (AnswerType.PLACE, patterns.PLACE_HEADS),
    (AnswerType.NAME, patterns.NAME_HEADS),
)
ALL_HEADS = frozenset[str]().union(*(nouns for _, nouns in _HEADS))
# They say of what kind the answer is, and nothing else.
KIND_WORDS = ALL_HEADS - patterns.OF_THEIR_OWN
_ANSWERS = {
    AnswerType.TIME: (AnswerType.TIME,),
    AnswerType.NUMBER: (AnswerType.NUMBER,),
    AnswerType.SPAN: (AnswerType.NUMBER, AnswerType.TIME),
    AnswerType.PLACE: (AnswerType.PLACE, AnswerType.NAME),
    AnswerType.PERSON: (AnswerType.NAME,),
    AnswerType.NAME: (AnswerType.NAME,),
    AnswerType.JOB: (),
    AnswerType.ANY: (AnswerType.TIME, AnswerType.NUMBER, AnswerType.PLACE, AnswerType.NAME),
}
