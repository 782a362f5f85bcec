"""Whether a text says only what its sources say: its numbers, days and names, which way something goes, what
is denied.

A small model that summarises, most of all into another language, makes "a third more" into "three times" and
the year before into the month before. Each of these can be told without the model: what a sentence states is
looked for in what it was made of. A sentence is read strictly and the sources generously, so that a right one
is hardly ever refused; wrong words beyond numbers, names, comparisons and denials are not found here.

Pure functions and values; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import pairwise

from desktop.chat.intent_words import language_of
from desktop.chat.quantities import (
    Quantity,
    QuantityKind,
    Word,
    has_bound,
    is_of_calendar,
    is_sum,
    negates,
    plain,
    quantities,
    tables,
    units,
    ways_in,
    words_of,
)
from desktop.paths import resources
from desktop.tools.places import known_places

LISTED_WORDS = 12  # in a line of a list
SMALL_COUNT = 12  # so many things a reader counts by himself
LIKE = 5  # letters that a name begins with in both languages: Andalusia, Andalucía
ALIGNED = 2  # words or quantities of a sentence that stand in the one it was made of
MOSTLY = 0.6  # of the words of a sentence that stand in that one, so that it says the same
NEAR = 0.06  # of a number that is said to be about another
EXACT = 0.004
SAME_LENGTH = 0.02  # of a time in another unit: three months, ninety days
DERIVED_FROM = 40  # numbers of a text, at most, of which sums are made


class FaultKind(StrEnum):
    NUMBER = "number"
    NAME = "name"
    WAY = "way"  # more for less
    DENIAL = "denial"  # not, where it is so, and the other way round
    ECHO = "echo"  # words of the prompt


@dataclass(frozen=True)
class Fault:
    """`said` are the words that have no support."""

    kind: FaultKind
    said: str
    sentence: str


# -- sentences --------------------------------------------------------------------------------

_END = re.compile(r"(?<=[.!?…])[\"'”“»)*_]*\s+(?=[\"'„“«(*_¿¡]*[^\W\d_a-zà-öø-ÿ]|\d|[-*•])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|nr|no|vs|etc|ca|bzw|usw|z\. ?b|d\. ?h|u\. ?a|e\.g|i\.e|approx|inc|ltd|"
    r"sr|sra|srta|av|mme|mlle|jan|feb|apr|aug|sept?|okt|oct|nov|de[zc]|str|tel|abs|art)|\b[A-Z]|"
    r"(?<!\w)\d{1,3})\.\Z",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[ \t]*(?:[-*•+–]|\d{1,2}[.)])[ \t]+|^[ \t]*#+[ \t]*|\*\*|__")


def sentences_of(text: str) -> list[str]:
    """The sentences and lines of `text`, in order, without blanks around them."""
    found, begins = [], 0
    for end in _END.finditer(text):
        piece = text[begins : end.start()]
        if "\n" not in end[0] and _ABBREVIATION.search(piece):
            continue
        found.append(piece.strip())
        begins = end.end()
    found.append(text[begins:].strip())
    return [each for each in found if _WORDS.search(each)]


def next_end(text: str) -> int:
    """Where the first sentence of `text` ends, with the blanks behind it; 0 where that is not certain yet."""
    for end in _END.finditer(text):
        if end.end() == len(text):
            return 0
        if "\n" in end[0] or not _ABBREVIATION.search(text[: end.start()]):
            return end.end()
    return 0


_WORDS = re.compile(r"\w")


def bare(sentence: str) -> str:
    """Without the marks of a list, a heading or of stress."""
    return _MARK.sub("", sentence).strip()


# -- the sources ------------------------------------------------------------------------------

_LISTED = re.compile(r"[,;]| (?:and|und|et|y|e) ")
_CONTENT = 4  # letters of a word that tells something


@dataclass(frozen=True)
class Clause:
    """A part of a sentence. `lacks`: a word in it may say "not" in another way. `way`: what it says grows or
    shrinks, the denial reckoned in."""

    stems: frozenset[str]
    negates: bool
    lacks: bool
    way: int


@dataclass(frozen=True)
class SourceSentence:
    text: str
    quantities: tuple[Quantity, ...]
    stems: frozenset[str]
    ways: frozenset[int]
    language: str

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        return clauses_of(self.text, self.language)


class SourceText:
    """What may be said: a text, or several, with what the user said of them in `beside`."""

    def __init__(self, texts: Iterable[str], beside: str = "") -> None:
        self.text = "\n".join(texts)
        self.beside = beside
        self.language = language_of(self.text)

    @cached_property
    def sentences(self) -> tuple[SourceSentence, ...]:
        """What may be stated: of the text, and of what was said beside."""
        return (*self.own, *self._read(self.beside))

    @cached_property
    def own(self) -> tuple[SourceSentence, ...]:
        return self._read(self.text)

    def _read(self, text: str) -> tuple[SourceSentence, ...]:
        return tuple(
            SourceSentence(
                each, quantities(each), stems_of(each), ways_in(each, self.language), self.language
            )
            for each in sentences_of(text)
        )

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(found for each in self.sentences for found in each.quantities)

    @cached_property
    def numbers(self) -> frozenset[float]:
        return frozenset(
            v for each in self.quantities if each.kind is QuantityKind.NUMBER for v in each.values
        )

    @cached_property
    def digits(self) -> str:
        """All digits with one blank between what stands apart: for numbers of telephones and orders."""
        return " ".join(re.findall(r"\d+", f"{self.text} {self.beside}"))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(each.plain for each in words_of(f"{self.text}\n{self.beside}"))

    @cached_property
    def beginnings(self) -> frozenset[str]:
        return frozenset(each[:LIKE] for each in self.words if len(each) >= LIKE)

    @cached_property
    def counts(self) -> frozenset[int]:
        """How many things a list has, which a reader counts: its lines, without a heading, and its marks."""
        lines = [each for each in self.text.splitlines() if each.strip()]
        marked = [each for each in lines if re.match(r"\s*(?:[-*•+]|\d{1,2}[.)])\s", each)]
        is_list = all(len(each.split()) <= LISTED_WORDS for each in lines)
        return frozenset((len(marked), *((len(lines), len(lines) - 1) if is_list else ())))

    @cached_property
    def lines(self) -> frozenset[int]:
        """How many lines the text has, with a heading and without."""
        count = sum(bool(each.strip()) for each in self.text.splitlines())
        return frozenset((count, count - 1))

    @cached_property
    def sums(self) -> frozenset[float]:
        """What two of the numbers come to, and all of each column."""
        some = sorted(self.numbers)[:DERIVED_FROM]
        pairs = {round(one + two, 4) for one in some for two in some}
        pairs |= {round(abs(one - two), 4) for one in some for two in some}
        products = {round(one * two, 4) for one in some for two in some}
        by_line = [each.quantities for each in self.sentences if each.quantities]
        last = [next((q for q in reversed(line) if q.kind is QuantityKind.NUMBER), None) for line in by_line]
        column = sum(max(each.values) for each in last if each is not None)
        means = {round(column / len(last), 2)} if last else set()
        without = {round(column - each, 4) for each in some}
        return frozenset((*pairs, *products, *without, column, *means))

    @cached_property
    def names(self) -> frozenset[tuple[str, str]]:
        """Each word with a capital behind the word before it, for what stands in its place elsewhere."""
        return frozenset(_neighbours(words_of(self.text)))

    def has(self, word: str) -> bool:
        """Whether `word` stands there, with another ending or in another language's spelling."""
        if word in self.words or any(
            word.removesuffix(each) in self.words for each in ("s", "en", "er", "es", "n")
        ):
            return True
        return f"{word}s" in self.words or (len(word) >= LIKE and word[:LIKE] in self.beginnings)


def stems_of(sentence: str) -> frozenset[str]:
    """The words that tell something, by their beginnings."""
    return frozenset(
        each.plain[:LIKE]
        for each in words_of(sentence)
        if len(each.plain) >= _CONTENT and each.plain.isalpha()
    )


def _neighbours(words: Sequence[Word]) -> Iterable[tuple[str, str]]:
    for before, word in pairwise(words):
        if word.text[:1].isupper():
            yield before.plain, word.plain


# -- the check --------------------------------------------------------------------------------


def faults(text: str, source: SourceText, counts: bool = True, names: bool = True) -> list[Fault]:
    """What of `text` has no support in `source`, sentence by sentence. `names` False: they are not looked at,
    where something else than the source may be spoken of. `counts`: nothing is reckoned out for the text."""
    language = language_of(text)
    found: list[Fault] = []
    for sentence in sentences_of(text):
        found += faults_of(bare(sentence), source, language, counts, names)
    return found


def faults_of(
    sentence: str, source: SourceText, language: str, counts: bool = True, names: bool = True
) -> list[Fault]:
    """The same of one sentence, in the language of the whole text."""
    stated = quantities(sentence, language)
    wrong = [each.said for each in stated if not _is_supported(each, sentence, source, counts, language)]
    wrong = wrong or [each[0] for each in _PAIR.finditer(sentence) if not _is_pair_supported(each, source)]
    found = [Fault(FaultKind.NUMBER, each, sentence) for each in wrong]
    if names:
        found += [Fault(FaultKind.NAME, each, sentence) for each in unknown_names(sentence, source, language)]
    if not found:
        found += _otherwise(sentence, stated, source, language)
    return found


_PAIR = re.compile(
    r"(?<![\d.,:/-])(\d{1,3})(?:\s?[-–]\s?|:(?=\d(?!\d))| (?:zu|to|a|à|contra|"
    r"contre) )(\d{1,3})(?![\d.,:/-]?\d)"
)


def _is_pair_supported(found: re.Match[str], source: SourceText) -> bool:
    """Whether both numbers of "3-1" stand in one sentence."""
    one, two = float(found[1]), float(found[2])
    # "3-1" is a score; where the second is larger it may be a range.
    if one < two:
        return True
    if re.search(rf"(?<!\d){found[1]}\D{{1,12}}{found[2]}(?!\d)", source.text):
        return True
    return any(_states(line, one) and _states(line, two) for line in source.sentences)


def _states(line: SourceSentence, value: float) -> bool:
    return any(value in each.values or value * 60 in each.values for each in line.quantities)


def _is_supported(stated: Quantity, sentence: str, source: SourceText, counts: bool, language: str) -> bool:
    if stated.kind is QuantityKind.SPAN:
        return _is_span_supported(stated, source)
    if stated.kind is QuantityKind.NUMBER:
        return _is_number_supported(stated, sentence, source, counts)
    if stated.kind in (QuantityKind.SHARE, QuantityKind.MULTIPLE):
        if _is_left_alone(stated, sentence, source, language):
            return False
        return (
            _is_share_supported(stated, source)
            or _is_ratio(stated, source)
            or _is_often(stated, sentence, source)
        )
    if stated.kind is QuantityKind.TIME:
        return _is_time_supported(stated, source)
    same = any(each.kind is stated.kind and each.values & stated.values for each in source.quantities)
    if same or stated.kind is QuantityKind.WEEKDAY:
        return same
    dates = [each for each in source.quantities if each.kind is QuantityKind.DATE]
    if stated.kind is QuantityKind.MONTH:
        return any(value // 100 in stated.values for each in dates for value in each.values)
    # "On 3 and 31 March": the day and the month stand in one sentence.
    return any(
        any(v // 100 == m and _has_number(line, v % 100) for v in stated.values for m in _months_of(line))
        for line in source.sentences
    )


def _months_of(line: SourceSentence) -> set[float]:
    months = {v for each in line.quantities if each.kind is QuantityKind.MONTH for v in each.values}
    return months | {
        v // 100 for each in line.quantities if each.kind is QuantityKind.DATE for v in each.values
    }


def _has_number(line: SourceSentence, value: float) -> bool:
    return any(each.kind is QuantityKind.NUMBER and value in each.values for each in line.quantities)


def _is_span_supported(stated: Quantity, source: SourceText) -> bool:
    """Only another unit of the same kind speaks against it: "the month before" for "the year before"."""
    there = [each for each in source.quantities if each.kind is QuantityKind.SPAN]
    same_side = [each for each in there if each.values == stated.values]
    return not same_side or any(each.unit == stated.unit for each in same_side)


def _is_number_supported(stated: Quantity, sentence: str, source: SourceText, counts: bool) -> bool:
    if stated.values == {1.0} and not stated.said[0].isdecimal():
        return True
    there = [each for each in source.quantities if each.kind is QuantityKind.NUMBER and _same(stated, each)]
    if there:
        return _fits_unit(stated, there, source) and _fits_way(stated, there)
    if _is_in_other_unit(stated, source) or _is_part_of_other(stated, source):
        return True
    digits = re.sub(r"\D", "", stated.said)
    if len(digits) >= 3 and re.search(rf"(?<!\d){' ?'.join(digits)}(?!\d)", source.digits):
        return True
    value = min(stated.values)
    if (not counts or is_sum(sentence)) and any(round(each, 4) in source.sums for each in stated.values):
        return True
    behind = sentence[sentence.find(stated.said) + len(stated.said) :]
    # "Two tasks" counts, "hall 2" does not.
    is_count = not stated.said[0].isdecimal() or re.match(r"\s[^\W\d_]{4,}", behind) is not None
    listed = len(_LISTED.split(behind))
    is_there = value in source.counts or (listed > 2 and value == listed)
    # "Sixty entries" of a text of sixty lines: so large a number falls on that by no chance.
    is_of_lines = value > SMALL_COUNT and value in source.lines
    return (is_of_lines or (value <= SMALL_COUNT and is_there)) and not stated.unit and is_count


def _same(stated: Quantity, there: Quantity) -> bool:
    if stated.values & there.values:
        return True
    near = NEAR if stated.is_about else EXACT if max(stated.values) >= 1000 else 0.0
    return any(abs(one - two) <= near * two for one in stated.values for two in there.values)


def _fits_unit(stated: Quantity, there: Sequence[Quantity], source: SourceText) -> bool:
    """Whether none of the same numbers has another unit alone: three days for three months."""
    if not stated.unit or any(each.unit == stated.unit for each in there):
        return True
    others = [each for each in there if each.unit]
    return not others or _is_in_other_unit(stated, source)


def _fits_way(stated: Quantity, there: Sequence[Quantity]) -> bool:
    return not stated.way or not all(each.way == -stated.way for each in there)


def _is_in_other_unit(stated: Quantity, source: SourceText) -> bool:
    """The same length in another unit, and half an hour for thirty minutes."""
    known = tables()["units"]
    if not stated.unit:
        return False
    of, size = known[stated.unit]["of"], known[stated.unit]["size"]
    for each in source.quantities:
        if not each.unit or known[each.unit]["of"] != of or each.kind is QuantityKind.SPAN:
            continue
        other = known[each.unit]["size"]
        for one in stated.values:
            for two in each.values:
                if abs(one * size - two * other) <= SAME_LENGTH * two * other:
                    return True
    return False


def _is_part_of_other(stated: Quantity, source: SourceText) -> bool:
    """The hour of a time, the day or the year of a date; and the digits of a number that stands apart."""
    value = next(iter(stated.values))
    for each in source.quantities:
        is_hour = each.kind is QuantityKind.TIME and stated.unit in ("", "hour")
        if is_hour and any(value in (v / 60, v / 60 - 12, v / 60 + 12) for v in each.values):
            return True
        if each.kind is QuantityKind.DATE and not stated.unit and any(v % 100 == value for v in each.values):
            return True
        if each.kind is QuantityKind.SHARE and any(abs(v * 100 - value) < 0.01 for v in each.values):
            return stated.unit == ""
    return False


def _is_time_supported(stated: Quantity, source: SourceText) -> bool:
    half_day = 12 * 60.0
    shifted = {v + by for v in stated.values for by in (-half_day, 0.0, half_day)}
    for each in source.quantities:
        if each.kind is QuantityKind.TIME and each.values & shifted:
            return True
        hours = {v * 60 for v in each.values}
        if each.kind is QuantityKind.NUMBER and each.unit in ("", "hour") and hours & shifted:
            return True
    return False


def _is_left_alone(stated: Quantity, sentence: str, source: SourceText, language: str) -> bool:
    """Whether "a third more" has become "a third of it": the source compares wherever it has this share, and
    nothing in the sentence does."""
    if stated.kind is not QuantityKind.SHARE or stated.way or ways_in(sentence, language):
        return False
    same = [
        each
        for each in source.quantities
        if each.kind is stated.kind
        and any(abs(one - two) <= EXACT for one in stated.values for two in each.values)
    ]
    return bool(same) and all(each.way for each in same)


def _is_share_supported(stated: Quantity, source: SourceText) -> bool:
    """Whether the same share is there, and no less where more is said of it."""
    for line in source.sentences:
        for each in line.quantities:
            if each.kind is stated.kind and any(
                abs(one - two) <= EXACT for one in stated.values for two in each.values
            ):
                # "Half as many" is half less.
                is_half = stated.way < 0 and each.way == 0 and 0.5 in each.values
                is_ways = each.way == stated.way if each.way else stated.way in line.ways
                if not stated.way or is_half or is_ways or each.kind is QuantityKind.MULTIPLE:
                    return True
            if _is_minutes(stated, each):
                return True
    return False


def _is_minutes(stated: Quantity, there: Quantity) -> bool:
    """Half an hour for thirty minutes, half a year for six months."""
    known = tables()["units"]
    if stated.kind is not QuantityKind.SHARE or not stated.unit or not there.unit:
        return False
    one, two = known[stated.unit], known[there.unit]
    sizes = {each * two["size"] for each in there.values}
    same = any(abs(v * one["size"] - each) <= SAME_LENGTH * each for v in stated.values for each in sizes)
    return one["of"] == two["of"] and same


_OFTEN = re.compile(r"(?:twice|thrice|times|mal|fois|veces)\Z", re.IGNORECASE)
_COMPARES = re.compile(
    r"\s(?:as|so|than|the|wie|plus|moins|más|menos|mehr|weniger|more|less|que)\b", re.IGNORECASE
)


def _is_often(stated: Quantity, sentence: str, source: SourceText) -> bool:
    """ "Scored twice": somebody is named as often."""
    behind = sentence[sentence.find(stated.said) + len(stated.said) :]
    is_count = _OFTEN.search(stated.said) is not None and _COMPARES.match(behind) is None
    if stated.kind is not QuantityKind.MULTIPLE or stated.way or not is_count:
        return False
    named = Counter(each.plain for each in words_of(source.text) if each.text[0].isupper())
    return any(count in stated.values for count in named.values())


def _is_ratio(stated: Quantity, source: SourceText) -> bool:
    """Whether two numbers of one sentence stand to each other so: from 200 to 400 is doubled."""
    for line in source.sentences:
        numbers = [
            (max(each.values), each.unit) for each in line.quantities if each.kind is QuantityKind.NUMBER
        ]
        # Numbers that are counted in the same; small ones stand to each other in every way.
        for at, (one, unit) in enumerate(numbers):
            for other, other_unit in numbers[at + 1 :]:
                if unit != other_unit or min(one, other) < SMALL_COUNT:
                    continue
                low, high = sorted((one, other))
                ratios = {low / high, high / low, high / low - 1, 1 - low / high}
                if any(
                    abs(value - each) <= EXACT * max(each, 1) for value in stated.values for each in ratios
                ):
                    return True
        # What doubled rose by a hundred per cent, and what was halved fell by fifty.
        shares = {v for each in line.quantities if each.kind is QuantityKind.SHARE for v in each.values}
        if (
            stated.kind is QuantityKind.MULTIPLE
            and 1 in line.ways
            and {v - 1 for v in stated.values} & shares
        ):
            return True
        multiples = {v for each in line.quantities if each.kind is QuantityKind.MULTIPLE for v in each.values}
        if stated.kind is QuantityKind.SHARE and {v + 1 for v in stated.values} & multiples:
            return True
    return False


# -- which way, and whether at all ------------------------------------------------------------


_CLAUSES = re.compile(
    r"[,;:()–—]+\s|\s(?:and|but|while|because|although|und|aber|sondern|weil|während|obwohl|et|mais|"
    r"tandis|car|"
    r"y|pero|sino|mientras|porque)\s",
    re.IGNORECASE,
)


def clauses_of(sentence: str, language: str) -> tuple[Clause, ...]:
    parts = [each for each in _CLAUSES.split(sentence) if each.strip()]
    return tuple(_clause(each, language) for each in parts)


def _clause(part: str, language: str) -> Clause:
    ways, is_not = ways_in(part, language), negates(part, language)
    # "No more than", "kann nicht um mehr als": a limit goes no way.
    way = next(iter(ways)) if len(ways) == 1 and not (is_not and has_bound(part)) else 0
    return Clause(stems_of(part), is_not, _LACKS.search(part) is not None, -way if is_not else way)


def _effective_ways(clauses: Iterable[Clause]) -> frozenset[int]:
    return frozenset(each.way for each in clauses if each.way)


def _otherwise(sentence: str, stated: Sequence[Quantity], source: SourceText, language: str) -> list[Fault]:
    """A comparison or a denial that is the contrary of the sentence it was made of."""
    line = _made_of(sentence, stated, source)
    if line is not None:
        ways, there = _effective_ways(clauses_of(sentence, language)), _effective_ways(line.clauses)
        if len(ways) == 1 and there and not ways & there:
            return [Fault(FaultKind.WAY, sentence, sentence)]
    # Of a language that both are in: elsewhere "without" and "not" change places.
    if language == source.language and _is_contrary(sentence, source, language):
        return [Fault(FaultKind.DENIAL, sentence, sentence)]
    return []


def _is_contrary(sentence: str, source: SourceText, language: str) -> bool:
    """Whether a part of `sentence` denies what the source says in the same words, or the other way round."""
    there = [(each, line) for line in source.own for each in line.clauses]
    for clause in clauses_of(sentence, language):
        if len(clause.stems) < ALIGNED:
            continue
        alike = [each for each in there if len(clause.stems & each[0].stems) >= MOSTLY * len(clause.stems)]
        best = max((len(clause.stems & each.stems) for each, _ in alike), default=0)
        near = [each for each in alike if len(clause.stems & each[0].stems) == best]
        if best >= ALIGNED and all(_is_opposed(each, clause, line) for each, line in near):
            return True
    return False


def _is_opposed(there: Clause, here: Clause, line: SourceSentence) -> bool:
    """Whether one denies what the other says. "He offered a discount; that I do not accept": another part of
    the sentence may deny what this one names."""
    if there.negates == here.negates or there.lacks or here.lacks:
        return False
    return there.negates or not any(each.negates or each.lacks for each in line.clauses)


_LACKS = re.compile(
    r"\b(?:without|only|except|unless|refus\w*|fail\w*|declin\w*|reject\w*|cancel\w*|clos\w*|lack\w*|miss\w*|"
    r"ohne|nur|außer|abge\w*|verweiger\w*|gescheitert|fehl\w*|geschlossen|sans|seul\w*|sauf|refus\w*|"
    r"annul\w*|"
    r"manqu\w*|ferm\w*|sin|sólo|solo|salvo|rechaz\w*|cancel\w*|falt\w*|cerrad\w*|un\w{4,}|in\w{5,}|still|"
    r"noch|"
    r"encore|todavía|aún|instead|statt|free|frei|gratuit\w*|gratis|forbidden|verboten|interdit\w*|prohib\w*|"
    r"avoid\w*|vermeid\w*|évit\w*|evit\w*|zero|neither|but|aber|sondern|mais|sino|pero)\b",
    re.IGNORECASE,
)


def _made_of(sentence: str, stated: Sequence[Quantity], source: SourceText) -> SourceSentence | None:
    """The sentence of the source that this one was made of; None where several may be."""
    said = stems_of(sentence)
    values = {(each.kind, v) for each in stated for v in each.values}

    def shares(line: SourceSentence) -> int:
        there = {(each.kind, v) for each in line.quantities for v in each.values}
        return len(said & line.stems) + 2 * len(values & there)

    ranked = sorted(source.own, key=shares, reverse=True)
    if not ranked or shares(ranked[0]) < ALIGNED:
        return None
    # Made of two sentences, it may say what either of them does.
    if len(ranked) > 1 and shares(ranked[1]) >= max(shares(ranked[0]) * MOSTLY, ALIGNED):
        return None
    return ranked[0]


# -- names ------------------------------------------------------------------------------------

_TITLE_TEXT = """
    mr mrs ms miss dr prof professor sir frau herr herrn familie doktor monsieur madame mme m mlle senor
    senora sra sr srta don dona tio tia onkel tante uncle aunt oncle
"""
_TITLE = frozenset(_TITLE_TEXT.split())
# Words with a capital that are no names: of speaking, of languages and peoples, of titles and the calendar.
_NO_NAMES_TEXT = """
    i mr mrs ms dr the a an and or of in on at to der die das und le la les el los las un une una ein eine
    euro euros eur usd gmbh ag ltd inc ok pdf csv txt html url id vat tva iva mwst am pm uhr sie ihnen ihr
    ihre ihrem ihren ihrer du ich wir es er gott dieu dios internet web email e-mail monsieur madame frau
    herr english german french spanish englisch deutsch franzosisch spanisch european europaisch
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_LABEL = re.compile(r"^[^:\d\n]{1,60}:\s+(?=\S)")
HEADING_WORDS = 6


def unknown_names(sentence: str, source: SourceText, language: str) -> list[str]:
    """The names in `sentence` that stand nowhere in `source`."""
    said = _without_label(bare(sentence))
    is_heading = said.endswith(":") and len(said.split()) <= HEADING_WORDS
    if is_heading or _is_all_capitals(said):
        return []
    words = words_of(said)
    found: list[str] = []
    for at, word in enumerate(words):
        if (
            not word.text[0].isupper()
            or len(word.text) < 2
            or word.plain in _NO_NAMES
            or source.has(word.plain)
        ):
            continue
        if _is_known(word.plain, source):
            continue
        before = words[at - 1] if at else None
        if _is_name(words, at, said, source, language) or _stands_for_other(before, source, words):
            found.append(word.text)
    return found


def _without_label(sentence: str) -> str:
    """Without the words before a colon that say what comes: "Key Points: …"."""
    label = _LABEL.match(sentence)
    return (
        sentence[label.end() :] if label is not None and len(label[0].split()) < HEADING_WORDS else sentence
    )


def _is_all_capitals(text: str) -> bool:
    letters = [each for each in text if each.isalpha()]
    return bool(letters) and sum(each.isupper() for each in letters) > 0.6 * len(letters)


def _is_known(word: str, source: SourceText) -> bool:
    """A month, a day or a unit, which are quantities; and a place that the source calls otherwise."""
    if is_of_calendar(word) or word in units():
        return True
    place = _places().get(word, -1)
    return place >= 0 and any(_places().get(each) == place for each in source.words)


def _is_name(words: Sequence[Word], at: int, text: str, source: SourceText, language: str) -> bool:
    """Whether the word at `at`, which has a capital, is certainly a name."""
    word = words[at]
    before = words[at - 1] if at else None
    if before is not None and before.plain in _TITLE:
        return True
    if word.plain in _given_names() or word.plain in _places():
        return not _is_word_too(word.plain)
    # German writes all nouns so, and translated names are words of the language.
    if language == "de" or language != source.language or before is None:
        return False
    is_begin = re.search(r"[.!?:\"“”„«»(|*_/-]\s*\Z", text[: word.start]) is not None
    # "The Harbour Report" is a heading where all of it has capitals.
    return not is_begin and not _is_in_title(words)


def _is_in_title(words: Sequence[Word]) -> bool:
    long = [each for each in words if each.plain.isalpha() and len(each.plain) > 3]
    return len(long) > 1 and sum(each.text[0].isupper() for each in long) > 0.7 * len(long)


def _stands_for_other(before: Word | None, source: SourceText, words: Sequence[Word]) -> bool:
    """Whether the source has another name behind the same word, which is left out: "Mayor Vogt", "Mayor
    Keller"."""
    if before is None or not before.text[0].isupper() or before.plain in _NO_NAMES:
        return False
    here = {each.plain for each in words}
    others = {name for ahead, name in source.names if ahead == before.plain}
    return bool(others) and not others & here


def _is_word_too(word: str) -> bool:
    """Names that begin sentences as words: "Will", "Rose", "Frank"."""
    return word in _WORDS_TOO


_WORDS_TOO_TEXT = """
    will rose mark bill grace art max rosa pilar mercedes nice
"""
_WORDS_TOO = frozenset(_WORDS_TOO_TEXT.split())


@cache
def _names() -> Mapping[str, str]:
    return tomllib.loads((resources() / "names.toml").read_text(encoding="utf-8"))


@cache
def _given_names() -> frozenset[str]:
    return frozenset(_names()["given"].split())


@cache
def _places() -> Mapping[str, int]:
    """Each name of a place, with a number that its other names have too."""
    lines = _names()["places"].strip().splitlines()
    found = {word: number for number, line in enumerate(lines) for word in line.split()}
    others = (plain(name) for name in known_places())
    return {**{name: -1 for name in others if name.isalpha() and len(name) > 3}, **found}
