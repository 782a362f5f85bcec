"""Whether a sentence of the user's takes the place of an earlier one, by what it says itself. Pure.

"I sold the Golf" is about whatever was said of the Golf, and "the database is on host gamma now" about the
sentence that says the same of host alpha. Nothing here knows of a question: what two memories say to one that
was asked is seen in `contradictions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from desktop.memory import statement_patterns as patterns
from desktop.memory.answer_types import AnswerType, values_of
from desktop.memory.statements import StatementReader, ValueKind, stem, without_openings
from desktop.memory.text import folded

FEWEST_WORDS = 3  # that say something, of either
FEW_WORDS = 2  # of what a number is said of
DENIED = 2  # words behind a "not"
LONGEST_FRAME = 14  # words of two sentences that differ in a value alone
LONGEST_VALUE = 3  # words
FEWEST_LETTERS = 4  # of a name that may be spelt in two ways
ALIKE = 0.6  # of the letters of both: Maier and Meyer

Rule = Callable[[StatementReader, str, str], bool]


@dataclass(frozen=True)
class Correction:
    """A sentence that says of itself that something has changed, to be held against earlier ones. Pure."""

    sentence: str
    content: frozenset[str]
    gone: frozenset[str]
    whose: frozenset[str]
    ends: bool  # by itself, as "no longer" does; "now" alone is in every talk
    is_known: bool  # its own statements say what it stands against, but for what it says is gone
    words: tuple[str, ...]  # of which an earlier sentence has one, or it is none that this one is about
    rules: tuple[Rule, ...]  # that its words call for

    @classmethod
    def of(cls, reader: StatementReader, sentence: str, is_known: bool) -> Correction:
        return cls(
            sentence,
            reader.content(sentence),
            reader.gone_words(sentence),
            reader.people_in(sentence),
            reader.ends(sentence),
            is_known,
            () if patterns.ADDS.search(sentence) else tuple(dict.fromkeys(_words_to_find(reader, sentence))),
            tuple(_rules_for(sentence)),
        )

    def share(self, reader: StatementReader, earlier: str) -> float:
        """How much of an earlier sentence it takes the place of: 1 where it names what is gone, or gives it
        another name or value.
        """
        if earlier.rstrip().endswith("?"):
            return 0.0
        if patterns.ADDS.search(self.sentence) or is_of_once(self.sentence, earlier):
            return 0.0
        if any(rule(reader, self.sentence, earlier) for rule in self.rules):
            return 1.0
        return self._share_of_words(reader, earlier) if reader.corrects(self.sentence) else 0.0

    def _share_of_words(self, reader: StatementReader, earlier: str) -> float:
        """How much of its words the earlier one has, of the shorter one; 0 where they are about different
        people, and 1 where it says the same with another value.
        """
        theirs = reader.content(earlier)
        # "I sold the Golf" is about whatever was said of the Golf.
        named = self.gone & theirs
        if named and (reader.statements(earlier) or _is_of_oneself(earlier)):
            return float(_Pair(reader, self.sentence, earlier).takes_away(named))
        if self.is_known or reader.people_in(earlier) != self.whose:
            return 0.0
        clauses = (self.sentence, *patterns.CLAUSE.split(self.sentence))
        is_shared = bool(self.content & theirs - _times(earlier))
        if is_shared and any(_has_same_frame(each, earlier, reader.corrections) for each in clauses):
            return 1.0
        # The time or number is what differs; where another word stands for the thing, it is another thing.
        missing, others = (
            frozenset(word for word in words if not word.isdigit())
            for words in (theirs - self.content, self.content - theirs)
        )
        if _has_another_time(self.sentence, earlier) and is_another(self.sentence, earlier, missing, others):
            return 0.0
        # Of "I pay 70 for power" and "power costs me 97" only the verb is another.
        has_number = _have_other_numbers(self.sentence, earlier)
        if has_number and is_another(self.sentence, earlier, missing, others, patterns.PREPOSITIONS):
            return 0.0
        units = {stem((each["unit"] or "").casefold()) for each in patterns.NUMBER.finditer(earlier)}
        if has_number and len(self.content & theirs - units) >= FEW_WORDS:
            return 1.0
        # Of two words, one is often shared by chance, and greetings share both.
        shorter = min(len(self.content), len(theirs))
        if not self.ends or shorter < FEWEST_WORDS:
            return 0.0
        return len(self.content & theirs) / shorter


def _rules_for(sentence: str) -> Iterator[Rule]:
    if any(sign.search(sentence) for sign in (*_ENDINGS, patterns.NO_MORE, patterns.NOT)):
        yield says_it_is_over
    if patterns.SPELLED.search(sentence) or patterns.RENAMED.search(sentence):
        yield renames
    yield is_of_the_named


def _words_to_find(reader: StatementReader, sentence: str) -> Iterator[str]:
    """What the rules look for in an earlier sentence: of "not Mondays" the Mondays, of "I lost the key to the
    shed, and it rains" what was lost; all that it says where it says itself that it corrects."""
    if reader.corrects(sentence) or patterns.SPELLED.search(sentence):
        yield from reader.content_words(sentence)
        return
    for clause in _clauses(sentence):
        if any(sign.search(clause) for sign in _ENDINGS):
            yield from reader.content_words(clause)
    for sign in (patterns.NO_MORE, patterns.NOT):
        for match in sign.finditer(sentence):
            yield from _denied(reader, sentence, match)
    if patterns.RENAMED.search(sentence):
        yield from (each.casefold() for each in _names(sentence))
    # "Carla changed jobs" of "my sister Carla", "Frau Lindner heißt jetzt …".
    for word in reader.content_words(sentence)[:1]:
        if patterns.CAPITAL.match(without_openings(sentence.strip())):
            yield word


def _denied(reader: StatementReader, sentence: str, match: re.Match[str]) -> list[str]:
    """The first words behind a "not" that say something."""
    behind = folded(sentence[match.end() :])
    return [word for word in behind if not _is_small(reader, stem(word))][:DENIED]


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
    # Of most pairs not even the beginning is the same; to compare them whole costs more than all else here.
    if not set(new[:2]) <= set(old):
        return False
    changes = [
        each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal"
    ]
    replaced = [each for each in changes if each[0] == "replace"]
    if len(replaced) != 1:
        return False
    _, old_start, old_end, new_start, new_end = replaced[0]
    # "Pottery on Tuesdays" and "pilates on Saturdays": what is done is another, and so is the time.
    parts = (" ".join(old[old_start:old_end]), " ".join(new[new_start:new_end]))
    if _times_of(later) != _times_of(earlier) and all(map(_without_times, parts)):
        return False
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


def is_of_once(later: str, earlier: str) -> bool:
    """Whether it speaks of one day of what happens again and again: "no practice this Monday"."""
    return bool(patterns.REPEATED.search(earlier) and patterns.THIS_DAY.search(later))


def is_another(
    later: str,
    earlier: str,
    missing: Collection[str],
    others: Collection[str],
    behind: Collection[str] | None = None,
) -> bool:
    """Whether one of `others` stands in `later` where one of `missing` stood in `earlier`, behind the same
    word: "the meeting with the bank" and "the meeting with the school". Both are stems. `behind` are the
    words that count for it, None for any.
    """
    was, now = _words_before(earlier), _words_before(later)
    places = {
        before for word, before in was.items() if word in missing and (behind is None or before in behind)
    }
    return any(word in others and before in places for word, before in now.items())


def _words_before(sentence: str) -> dict[str, str]:
    """By the stem of each word the word before it; "" for the first."""
    timeless = patterns.DAY.sub(" ", without_openings(sentence.strip()))
    words = [stem(word) for word in folded(timeless)]
    before = (patterns.CONTRACTED.get(word, word) for word in ("", *words))
    return dict(zip(words, before, strict=False))


def _has_another_time(later: str, earlier: str) -> bool:
    new, old = (patterns.DAY.findall(text.casefold()) for text in (later, earlier))
    return bool(new) and bool(old) and new != old


def _times_of(sentence: str) -> frozenset[str]:
    return frozenset(word for each in values_of(AnswerType.TIME, sentence) for word in each.split())


def _without_times(part: str) -> bool:
    """Whether it has anything but a time."""
    times = _times_of(part)
    return any(word not in times and word not in patterns.PREPOSITIONS for word in part.split())


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if words and words[0] in patterns.ARTICLES else words


def _have_other_numbers(later: str, earlier: str) -> bool:
    """Whether both have numbers of the same unit that differ: "35 euros" and "42 euros"."""
    new, old = (
        {(each["unit"] or "").casefold(): each[0] for each in patterns.NUMBER.finditer(text)}
        for text in (later, earlier)
    )
    return any(unit and old.get(unit, number) != number for unit, number in new.items())


# -- what a sentence names that is over, or has another name ------------------------------------


def says_it_is_over(reader: StatementReader, later: str, earlier: str) -> bool:
    """Whether `later` names a value of `earlier` and says that it is sold, left, dead or no more.

    What one did once stays so, and what is only thought of ends nothing.
    """
    if patterns.OF_ONCE.search(earlier):
        return False
    pair = _Pair(reader, later, earlier)
    return any(pair.ends(clause) for clause in _clauses(later)) or pair.denies()


def renames(reader: StatementReader, later: str, earlier: str) -> bool:
    """Whether `later` gives somebody or something of `earlier` another name, or says how it is spelt."""
    names = _names(earlier)
    if not names:
        return False
    if patterns.SPELLED.search(later) and _is_spelt_anew(reader, later, earlier, names):
        return True
    return bool(patterns.RENAMED.search(later)) and _is_named_anew(reader, later, earlier, names)


def is_of_the_named(reader: StatementReader, later: str, earlier: str) -> bool:
    """Whether `later` states something else of somebody whom it names alone: "Carla changed jobs" of "my
    sister Carla"."""
    match = patterns.NAMED_PERSON.match(without_openings(earlier.strip()))
    line = without_openings(later.strip())
    if match is None or not reader.people_in(match["who"]) or not line.startswith(f"{match['name']} "):
        return False
    stated = reader.statements(f"{match['whose']} {line}")
    return any(
        new.topic == old.topic and new.replaces(old.kind, old.detail)
        for old in reader.statements(earlier)
        for new in stated
    )


@dataclass(frozen=True)
class _Pair:
    """A later sentence held against an earlier one."""

    reader: StatementReader
    later: str
    earlier: str

    def ends(self, clause: str) -> bool:
        """Whether one clause says that something of the earlier sentence is over."""
        if patterns.ONLY_THOUGHT.search(patterns.ANY_MORE.sub(" ", clause)):
            return False
        named = self._named(clause)
        if not named or not self._is_of_the_same_person(clause):
            return False
        persons = self._persons()
        if patterns.OVER.search(clause) and self._is_meant(clause, named - persons):
            return True
        if patterns.ENDED.search(clause) and self._is_meant(clause, named):
            return True
        if not self._gives_another():
            return False
        if patterns.LOST.search(clause) and self._is_beside(clause, named):
            return True
        # A doctor who retires is nobody's doctor any more; a father who does is still called Karl.
        is_role = not (self.reader.people_in(self.earlier) & patterns.FAMILY)
        return is_role and patterns.RETIRED.search(clause) is not None and self._first_of(clause) in persons

    def takes_away(self, named: Collection[str]) -> bool:
        """Whether one of `named`, said to be no more, is the earlier one's, and was not of one time alone."""
        if patterns.OF_ONCE.search(self.earlier):
            return False
        return any(
            not patterns.ONLY_THOUGHT.search(patterns.ANY_MORE.sub(" ", clause))
            and self._is_of_the_same_person(clause)
            and self._is_meant(clause, named)
            for clause in _clauses(self.later)
        )

    def denies(self) -> bool:
        """Whether it says "not Mondays" of what was said to be on Mondays, and what is so instead."""
        if not self._is_of_the_same_person(self.later) or patterns.FOR_NOW.search(self.later):
            return False
        return any(self._is_denied(match) for match in patterns.NO_MORE.finditer(self.later)) or any(
            self._is_denied(match, needs_another=True) for match in patterns.NOT.finditer(self.later)
        )

    # -- inside -------------------------------------------------------------------------------

    def _is_denied(self, match: re.Match[str], needs_another: bool = False) -> bool:
        said = [stem(word) for word in _denied(self.reader, self.later, match)]
        known = _stems(folded(self.earlier))
        values = frozenset(word for word in said if word in known and not self._is_small(word))
        if not values:
            return False
        if needs_another and not self._says_what_is_instead(match, values):
            return False
        subject = self.reader.content(self.earlier) - values - _times(self.earlier)
        here = self.reader.content(self.later) - values
        if subject:
            is_named = any(_is_part(one, other) for one in subject for other in here)
            return is_named and not is_another(self.later, self.earlier, subject - here, here - subject)
        # "I'm vegetarian" has no word but its value.
        clause = next((each for each in _clauses(self.later) if match[0] in each), self.later)
        says_so = patterns.ONESELF.search(clause) or patterns.AFTER_ALL.search(clause)
        return bool(patterns.ONESELF.search(self.earlier) and says_so)

    def _says_what_is_instead(self, match: re.Match[str], values: frozenset[str]) -> bool:
        """Another time beside the one that it is not, or another thing right before or behind it."""
        if not values.isdisjoint(_times(self.earlier)):
            return _has_another_time(self.later, self.earlier)
        if any(patterns.AFTER_ALL.search(each) and match[0] in each for each in _clauses(self.later)):
            return True
        is_behind_another = self.later[: match.start()].rstrip().endswith(",")
        behind = self.later[match.end() :]
        return bool(patterns.BUT.search(behind)) and (
            is_behind_another or bool(patterns.INSTEAD.search(behind))
        )

    def _named(self, clause: str) -> frozenset[str]:
        """The words of the earlier sentence that a clause names; days say nothing by themselves."""
        bare = patterns.DAY.sub(" ", clause)
        people = _stems(self.reader.people_in(self.earlier))
        return (self.reader.content(patterns.DAY.sub(" ", self.earlier)) - people) & self.reader.content(bare)

    def _is_meant(self, clause: str, named: Collection[str]) -> bool:
        """Whether one of `named` stands for itself: of "the Golf clubs" the clubs are sold."""
        words = patterns.WORD.findall(clause)
        stems = [stem(word.casefold().removesuffix("'s")) for word in words]
        for place, word in enumerate(stems):
            if word not in named:
                continue
            behind = next((each for n, each in enumerate(words) if n > place and stems[n] not in named), "")
            if (not behind or self._may_follow(behind, clause)) and not self._is_where(clause, words, place):
                return True
        return False

    def _is_where(self, clause: str, words: Sequence[str], place: int) -> bool:
        """Whether it only says where another thing is: of "my class at FitLife" the class is cancelled."""
        before = [word.casefold() for word in words[:place]]
        while before and (before[-1] in patterns.WHOSE or before[-1] in patterns.TITLES):
            before.pop()
        if not before or before[-1] not in patterns.PLACES:
            return False
        people = self.reader.people_in(clause)
        others = (
            self.reader.content(" ".join(before)) - _stems(people) - _stems(_signs_in(clause)) - patterns.WORK
        )
        return bool(others - self.reader.content(self.earlier))

    def _may_follow(self, word: str, clause: str) -> bool:
        lower = word.casefold()
        if self._is_small(lower) or lower in _signs_in(clause) or lower.endswith("ly"):
            return True
        return bool(patterns.TIME.search(word) or self.reader.corrections.fullmatch(lower))

    def _is_beside(self, clause: str, named: frozenset[str]) -> bool:
        """Whether what is lost is right behind the word for it, or before "was stolen"."""
        if not self._is_meant(clause, named):
            return False
        match = patterns.LOST.search(clause)
        assert match is not None
        before, behind = clause[: match.start()], clause[match.end() :]
        # "Tilly lost her collar" loses no Tilly, and "mein Rad wurde gestohlen" does.
        if patterns.PASSIVE.search(before):
            near = folded(before)[-4:]
        else:
            near = folded(before)[-2:] if patterns.PERFECT.search(before) else []
        words = (*folded(behind)[:4], *near)
        return not named.isdisjoint(_stems(words))

    def _gives_another(self) -> bool:
        """Whether it names another one: by a name that was not told, and a word for that it is another."""
        known = _stems(folded(self.earlier))
        new = [name for name in _names(self.later) if stem(name.casefold()) not in known]
        return bool(new) and (
            patterns.ANOTHER_HINT.search(self.later) is not None
            or patterns.RETIRED.search(self.later) is not None
        )

    def _is_of_the_same_person(self, clause: str) -> bool:
        """Whose affairs a clause is about: who it begins with, or oneself; whoever the earlier one names may
        be named alone, "Declan" for "my boyfriend Declan"."""
        theirs = self._subject_of(self.earlier)
        mine = self._subject_of(clause) or self._subject_of(_clauses(self.later)[0])
        if mine:
            return mine == theirs
        words = _stems(folded(clause))
        if theirs:
            return not self._persons().isdisjoint(words)
        owners = self.reader.people_in(patterns.TO_SOMEBODY.sub(" ", clause))
        if owners - self.reader.people_in(self.earlier):
            return False
        if patterns.FIRST_PERSON.search(clause):
            return True
        is_sign = any(each.match(clause.strip()) for each in (patterns.OVER, patterns.LOST))
        first = self._first_of(clause)
        is_named = any(_is_part(first, word) for word in _stems(folded(self.earlier)))
        return is_sign or is_named or self._begins_small(clause)

    def _first_of(self, clause: str) -> str:
        """The first word that says something, without a title."""
        words = folded(without_openings(clause.strip()))
        said = (word for word in words if not self._is_small(word) and word not in patterns.TITLES)
        return stem(next(said, ""))

    def _begins_small(self, clause: str) -> bool:
        words = folded(without_openings(clause.strip()))
        return bool(words) and self._is_small(words[0])

    def _subject_of(self, text: str) -> frozenset[str]:
        match = patterns.PERSON.match(without_openings(text.strip()))
        return self.reader.people_in(match["who"]) if match else frozenset()

    def _persons(self) -> frozenset[str]:
        """The names that the earlier sentence gives to somebody."""
        is_somebody = self.reader.people_in(self.earlier) or patterns.TITLE.search(self.earlier)
        return _stems(_names(self.earlier)) if is_somebody else frozenset()

    def _is_small(self, word: str) -> bool:
        return _is_small(self.reader, word)


def _is_small(reader: StatementReader, word: str) -> bool:
    vocabulary, word = reader.vocabulary, word.split("'")[0]
    return word in vocabulary.stop or word in vocabulary.weak or word in patterns.PLACES or len(word) < 2


def _signs_in(clause: str) -> frozenset[str]:
    """The words of a clause that say that something is over."""
    return frozenset(folded(" ".join(each[0] for sign in _ENDINGS for each in sign.finditer(clause))))


def _is_part(one: str, other: str) -> bool:
    """German writes nouns in one: the Yogakurs is Yoga."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= FEWEST_LETTERS and long.startswith(short))


def _times(sentence: str) -> frozenset[str]:
    return _stems(word for each in patterns.DAY.findall(sentence) for word in folded(each))


def _clauses(sentence: str) -> list[str]:
    whole = patterns.BOTH_OF_US.sub(r"\1 ", sentence.strip())
    return [part for part in patterns.APART.split(whole) if part.strip()] or [whole]


def _names(sentence: str) -> frozenset[str]:
    """Words with a capital that are neither the first nor a title; in German every noun is one."""
    bare = without_openings(sentence.strip())
    found = (each[0] for each in patterns.CAPITAL.finditer(bare) if each.start() > 0)
    return frozenset(each for each in found if len(each) > 2 and each.casefold() not in patterns.TITLES)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word.casefold()) for word in words)


def _is_spelt_anew(reader: StatementReader, later: str, earlier: str, names: Collection[str]) -> bool:
    """Whether it has a name like one of the earlier sentence's, of the same thing where it names one."""
    known = frozenset(each.casefold() for each in names)
    new = [each for each in patterns.CAPITAL.findall(later) if each.casefold() not in known]
    alike = {each for each in new for name in names if _are_spelt_alike(each, name)}
    if not alike:
        return False
    said = patterns.SPELLED.sub(" ", later)
    about = reader.content(said) - _stems(alike) - patterns.TITLES
    return not about or bool(about & reader.content(earlier))


def _are_spelt_alike(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    if one == other or one[0] != other[0] or min(len(one), len(other)) < FEWEST_LETTERS:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _is_named_anew(reader: StatementReader, later: str, earlier: str, names: Collection[str]) -> bool:
    """Whether somebody who is called something there is called something else here."""
    is_called = re.search(patterns.NAMED, earlier, re.I) is not None
    if not is_called and not any(each.kind is ValueKind.NAME for each in reader.statements(earlier)):
        return False
    known = frozenset(each.casefold() for each in names)
    words = patterns.WORD.findall(later)
    if any(
        one.casefold() in known
        and _is_first_name(earlier, one)
        and _is_given(later, one)
        and patterns.CAPITAL.fullmatch(other)
        and other.casefold() not in known
        and not patterns.TIME.search(other)
        for one, other in pairwise(words)
    ):
        return True
    match = patterns.GOES_BY.search(later)
    if match is None or match["name"].casefold() in known:
        return False
    words = folded(later[: match.start()])[:3]
    # "Frau Lindner heißt jetzt …", and not "die Chefin meines Mannes heißt …"; a neighbour is no name.
    return any(
        word in known and before not in patterns.WHOSE and not reader.people_in(word)
        for before, word in zip(("", *words), words, strict=False)
    )


def _is_first_name(sentence: str, name: str) -> bool:
    """Whether another name is behind it: not so of "meine Katze Minka", which are two things."""
    match = re.search(rf"(?P<before>[\w'’]*)\W*\b{re.escape(name)}\s+[A-ZÄÖÜÉ]", sentence)
    return match is not None and match["before"].casefold() not in patterns.WHOSE


def _is_given(sentence: str, name: str) -> bool:
    """Whether the sentence says that somebody is called so: "Ellen Burstyn is on television" does not."""
    match = re.search(rf"{re.escape(name)}\s+[A-ZÄÖÜÉ]", sentence)
    return match is not None and patterns.CALLS.search(sentence[: match.start()]) is not None


_ENDINGS = (patterns.OVER, patterns.ENDED, patterns.RETIRED, patterns.LOST)
