"""What a sentence states, and about what: "My new dentist is called Dr. Klein" gives the dentist a name.

Read by rule, in English and German, the commonest forms in French and Spanish too, from
`resources/memory/facts.toml`; no model is asked. A statement has a topic ("dentist", "birthday sister",
"home") and the kind of its value, because a time takes the place of an earlier time and not of a name. What
is not understood states nothing, and stays beside all else.

Which of two sentences counts is seen in `corrections.py`, which of all that was stated still holds in
`current_statements.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from desktop.memory import statement_patterns as patterns
from desktop.memory.statement_patterns import any_case
from desktop.memory.text import Vocabulary, asks, folded, sentences, singular

FEW_SENTENCES = 2
MOST_WORDS = 5  # of a topic; what has more is a sentence of its own


class ValueKind(StrEnum):
    """Of what is said about a topic; only like replaces like. The values are on disk."""

    TIME = "time"
    NUMBER = "number"
    NAME = "name"
    OTHER = "other"
    ANY = "any"  # of a group: where one lives is one thing, however it is said


@dataclass(frozen=True)
class Statement:
    """`detail` tells values of one kind apart: of numbers the unit, of times what happens then, "" for any.

    Of what is neither, whether it says where.

    `corrects`: it says of itself that something earlier is so no more. `is_new`: there is another one of it,
    "my new boss", of which nothing holds that was said of the earlier one.
    """

    topic: str
    kind: ValueKind
    detail: str = ""
    corrects: bool = False
    is_new: bool = False
    subject: str = ""  # the words of the sentence that name the topic, as they stand there

    def replaces(self, earlier: ValueKind, detail: str = "") -> bool:
        """Whether it takes the place of an earlier value of that kind about the same topic."""
        if self.is_new or ValueKind.ANY in (self.kind, earlier):
            return True
        if self.kind is not earlier:
            # "My boss is 40" says nothing against "my boss is Mr. Tanner".
            return False
        if self.kind is ValueKind.OTHER:
            # Nor "my wife is ill" against "my wife is a teacher".
            return self.corrects and self.detail in ("", detail)
        return self.detail == detail or not self.detail or not detail


@dataclass(frozen=True)
class TopicGroup:
    """One thing of one's life that is told in many words: where one lives, what one's work is."""

    topic: str
    nouns: frozenset[str]
    says: re.Pattern[str]
    asks: re.Pattern[str]
    of_others: re.Pattern[str]  # said or asked of somebody else
    is_now: re.Pattern[str]  # states it too, but for "we're in Lisbon now for a week"

    def states(self, line: str) -> bool:
        """Whether somebody says it of themselves."""
        if self.says.search(line):
            return True
        return self.is_now.search(line) is not None and not patterns.FOR_NOW.search(line)


@dataclass(frozen=True)
class StatementReader:
    """What `resources/memory/facts.toml` says, and what follows from it. Pure; any thread."""

    vocabulary: Vocabulary
    single: frozenset[str]
    compounds: tuple[str, ...]
    ones: frozenset[str]
    people: frozenset[str]
    corrections: re.Pattern[str]
    endings: re.Pattern[str]
    gone: re.Pattern[str]
    groups: tuple[TopicGroup, ...]

    def statements(self, text: str) -> tuple[Statement, ...]:
        """Each topic and kind once, in the order in which they are stated."""
        found = (each for sentence in sentences(text) for each in self.of_sentence(sentence))
        return tuple({(each.topic, each.kind): each for each in found}.values())

    def of_sentence(self, sentence: str) -> Iterator[Statement]:
        """The statements of one sentence; a question has none."""
        if asks(sentence):
            return
        corrects = self.corrects(sentence)
        line = without_openings(sentence.strip())
        person = patterns.PERSON.match(line)
        who = sorted(self.people_in(person["who"])) if person else []
        for group in self.groups:
            if who and person and group.of_others.search(line):
                topic = " ".join(sorted((group.topic, *who)))
                yield Statement(topic, ValueKind.ANY, corrects=corrects, subject=person["who"])
            elif not who and group.states(line):
                yield Statement(group.topic, ValueKind.ANY, corrects=corrects, subject=group.topic)
        for owner, what, verb, value in self._parts(line):
            kind, detail = _value(verb, value)
            # What was at a time is no less true for what was at another.
            if not corrects and patterns.WAS.fullmatch(verb) and kind is not ValueKind.NAME:
                continue
            topic, is_one = self._topic(owner, what, kind)
            if topic:
                is_new = not patterns.NEW.isdisjoint(folded(what))
                yield Statement(topic, kind, detail, corrects or is_one, is_new, what.removeprefix("new "))

    def corrects(self, sentence: str) -> bool:
        """Whether it says of itself that something earlier is wrong or over, or what is no more there."""
        return self.corrections.search(sentence) is not None or self.gone.search(sentence) is not None

    def may_correct(self, sentence: str) -> bool:
        """Whether any word of it could tell that it takes the place of something said before."""
        return self.corrects(sentence) or any(pattern.search(sentence) for pattern in _SIGNS)

    def ends(self, sentence: str) -> bool:
        """Whether it says that something was given up or changed: "now" and "new" alone are in every talk."""
        return self.endings.search(sentence) is not None or self.gone.search(sentence) is not None

    def gone_words(self, sentence: str) -> frozenset[str]:
        """Of what it says that it is no more there: of "I sold the Golf" the Golf."""
        matches = self.gone.finditer(sentence)
        words = (word for match in matches for word in folded(" ".join(filter(None, match.groups()))))
        return frozenset(stem(word) for word in words if not self._is_small(word))

    def content_words(self, text: str) -> tuple[str, ...]:
        """The words that say what a text is about, without those that only say that it corrects."""
        words = folded(self.corrections.sub(" ", text))
        small = self.vocabulary.small
        # "Can't" and "I'm" say as little as "can" and "I".
        return tuple(dict.fromkeys(w for w in words if w not in small and w.split("'")[0] not in small))

    def content(self, text: str) -> frozenset[str]:
        """The stems of `content_words`, to be compared."""
        return frozenset(map(stem, self.content_words(text)))

    def people_in(self, text: str) -> frozenset[str]:
        """Whose affairs it is about: of "my brother's dentist" the brother. () stands for one's own."""
        words = folded(patterns.FORM_OF_ADDRESS.sub(" ", text))
        # German adds "es" for whose it is: die Chefin meines Mannes.
        forms = (form for word in words for form in (singular(word), word.removesuffix("es")))
        return frozenset(form for form in forms if form in self.people)

    # -- inside -------------------------------------------------------------------------------

    def _parts(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """Whose it is, what is spoken of, the verb, and what is said of it."""
        for match in patterns.STATED.finditer(line):
            yield match["owner"] or "", match["what"], match["verb"] or "is", match["value"]
        for pattern in (patterns.HAPPENS, patterns.ROMANCE):
            for match in pattern.finditer(line):
                yield match["owner"], match["what"], match["verb"], match["value"]
        yield from self._changed_parts(line)
        if (inverted := patterns.INVERTED.match(line)) is not None:
            yield inverted["owner"], inverted["what"], inverted["verb"], inverted["value"]
        if (later := patterns.NEW_ONE.search(line)) is not None:
            # "My doctor retired, the new one is …"
            yield "my", f"new {self._noun_in(line[: later.start()])}", later["verb"], later["value"]
        if (it := patterns.IT.search(line)) is not None:
            yield "my", self._noun_in(line[: it.start()]), it["verb"], it["value"]

    def _changed_parts(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """Of what there is another one, or what was moved, and of what one likes best."""
        for pattern in patterns.ANOTHER:
            for match in pattern.finditer(line):
                # "New" is in these words, and says that the earlier one is past.
                yield "my", f"new {match['what']}", "", match["value"]
        for pattern in patterns.FAVOURITE:
            for match in pattern.finditer(line):
                yield "my", f"favourite {match['what']}", "", match["value"]
        for match in patterns.MOVED.finditer(line):
            yield "the", match["what"] or match["german"], "", match["value"] or match["where"]

    def _noun_in(self, text: str) -> str:
        """The first word of `text` that there is one of at a time; "" for none."""
        return next((word for word in folded(text) if self._is_single(singular(word))), "")

    def _topic(self, owner: str, what: str, kind: ValueKind) -> tuple[str, bool]:
        """The topic that these words name, "" where one may have several of it; whether they say that it
        is the one that counts ("new", "favourite")."""
        words = folded(what)
        is_one = any(_begins(word, self.ones) for word in words)
        kept = [singular(word) for word in words if not self._is_small(word) and word not in self.ones]
        if not 1 <= len(kept) <= MOST_WORDS or not (is_one or self._is_one_thing(owner, kept, kind)):
            return "", False
        if len(kept) == 1:
            for group in self.groups:
                if kept[0] in group.nouns:
                    return group.topic, is_one
        # By the alphabet: "my sister's birthday" is "the birthday of my sister".
        return " ".join(sorted(set(kept))), is_one

    def _is_one_thing(self, owner: str, words: Sequence[str], kind: ValueKind) -> bool:
        """Whether there is one of it at a time. Of brothers there may be two, but each has one age."""
        if any(map(self._is_single, words)):
            return bool(owner) or len(words) <= 2
        if kind in (ValueKind.TIME, ValueKind.NUMBER):
            return bool(owner)
        is_mine = owner.casefold().startswith(patterns.MINE)
        return kind is ValueKind.NAME and is_mine and self.people.isdisjoint(words)

    def _is_small(self, word: str) -> bool:
        return word in self.vocabulary.stop or self.corrections.fullmatch(word) is not None

    def _is_single(self, word: str) -> bool:
        """German writes nouns in one: Handynummer, Hausarzt."""
        return word in self.single or word.endswith(self.compounds)


@cache
def read_statements(path: Path, vocabulary: Vocabulary) -> StatementReader:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    single, people = (frozenset(map(singular, table[name].split())) for name in ("single", "people"))
    groups = tuple(
        TopicGroup(
            topic,
            frozenset(map(singular, each["nouns"].split())),
            any_case("|".join(each["says"])),
            any_case("|".join(each["asks"])),
            any_case("|".join(each.get("of_others", ("(?!)",)))),
            any_case("|".join(each.get("is_now", ("(?!)",)))),
        )
        for topic, each in table["group"].items()
    )
    corrections = _one_of((*table["corrections"], *table["endings"]))
    endings = _one_of(table["endings"])
    gone = any_case("|".join(table["gone"]))
    return StatementReader(
        vocabulary,
        single,
        tuple(table["compounds"].split()),
        frozenset(table["ones"].split()),
        people,
        corrections,
        endings,
        gone,
        groups,
    )


def _one_of(phrases: Iterable[str]) -> re.Pattern[str]:
    return any_case(rf"\b(?:{'|'.join(phrases)})(?!\w)")


def is_short_correction(sentence: str) -> bool:
    """Whether it corrects what was said before it without naming it: "No, it's on 5 May"."""
    return patterns.OPENING.match(sentence.strip()) is not None and len(patterns.WORD.findall(sentence)) <= 12


def stem(word: str) -> str:
    """Enough to see that "meetings" and "meeting's" are a meeting."""
    return re.sub(r"(?:['’]s|s|en|n)$", "", word) if len(word) > 4 else word


def _value(verb: str, value: str) -> tuple[ValueKind, str]:
    """The kind of what is said, and what tells it from others of its kind."""
    if re.search(patterns.CALLED, verb, re.I):
        return ValueKind.NAME, ""
    if patterns.TIME.search(patterns.SINCE.sub("", value)):
        # That it is, or was moved, says no more than when.
        if patterns.IS.fullmatch(verb):
            return ValueKind.TIME, ""
        ends = "end" if patterns.OVER.fullmatch(verb) else verb.casefold().removesuffix("s")
        return ValueKind.TIME, "begin" if patterns.BEGINS.fullmatch(verb) else ends
    if (number := patterns.NUMBER.search(value)) is not None:
        return ValueKind.NUMBER, singular((number["unit"] or "").casefold())
    said = value.lstrip(" ,:")
    if patterns.NAME.match(said):
        return ValueKind.NAME, ""
    # "My bike is in the garage now" says nothing against "my bike is blue".
    return ValueKind.OTHER, "where" if said.casefold().split(" ")[0] in patterns.PLACES else ""


def without_openings(line: str) -> str:
    shorter = patterns.OPENING.sub("", line)
    return line if shorter == line else without_openings(shorter)


def _begins(word: str, ones: frozenset[str]) -> bool:
    """German writes the noun right after it: Lieblingsfarbe."""
    return word in ones or (word.startswith("lieblings") and "lieblings" in ones)


_SIGNS = (
    patterns.OVER,
    patterns.ENDED,
    patterns.RETIRED,
    patterns.LOST,
    patterns.NO_MORE,
    patterns.NOT,
    patterns.SPELLED,
    patterns.RENAMED,
)
