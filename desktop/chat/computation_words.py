"""What the words of a request say that is to be computed from a file, before any file is looked at.

In four languages, by the tables of `resources/computations.toml`: the operation, the rows, where the result
goes. Each word that a table has is taken away; the small words go too, and what is left is to be the file's
own, or the request is none of these. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from desktop.chat.compositions import KEEPS_SOURCE, target_in, without_keeping
from desktop.chat.computations import OF_DATES, Bound, BoundKind, Operation, tables_of_words
from desktop.chat.intent_words import COUNTS, HAS_ENDING, bare_of, expression, plain_letters, typed, unquoted
from desktop.chat.tool_choice import files_in
from desktop.tools.dates import ANY_DATE, MONTH

MOST_PHRASES = 3  # entries that are named
MOST_PHRASE_WORDS = 4
_GAP, _WITHOUT = "¦", "¬"  # in the place of words that are accounted for, and of "without"
# Between two things that are named: "eggs and milk", "eggs for pancakes".
_JOIN_WORDS = "and or for und oder für et ou pour y e o para sowie plus &"
_JOINS = frozenset(_JOIN_WORDS.split())
_VALUE = r"(?:[€$£]\s?)?(?P<said>\d[\d.,]*(?<![.,]))(?:\s?(?:[€$£]|EUR|USD|GBP|CHF|euros?|dollars?))?"


@dataclass(frozen=True)
class Target:
    """Where the result goes: a name, or a description; `is_append`: behind what is there."""

    said: str = ""
    is_append: bool = False
    is_source: bool = False


@dataclass(frozen=True)
class WordsAsked:
    """What the words of a request say, before a file is looked at. `phrases` and `without` are what the small
    words leave; `source` is a file's name or description; `is_strong`: it can be nothing else than a
    computation."""

    language: str
    operation: Operation
    names: tuple[str, ...] = ()
    source: str = ""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    pair: tuple[str, str] = ("", "")
    bounds: tuple[Bound, ...] = ()
    column: str = ""
    factor: Decimal = Decimal(1)
    servings: int = 0
    is_falling: bool = False
    is_strong: bool = False
    is_how_much: bool = False
    has_period: bool = False
    target: Target = Target()
    what: str = ""  # of several files that are put together
    making: str = ""  # the request without where it goes


# -- the words ------------------------------------------------------------------------------------


@cache
def words_for(name: str, language: str) -> re.Pattern[str]:
    pattern: str = tables_of_words()["words"][name][language]
    return re.compile(rf"(?<!\w)(?:{typed(pattern)})(?!\w)", re.IGNORECASE)


@cache
def _behind(name: str, language: str, what: str) -> re.Pattern[str]:
    pattern: str = tables_of_words()["words"][name][language]
    return re.compile(rf"(?<!\w)(?:{typed(pattern)})\s*{what}(?!\w)", re.IGNORECASE)


@cache
def _place(name: str, language: str) -> re.Pattern[str]:
    pattern: str = tables_of_words()["words"][name][language]
    tail = rf"(?:\s+(?:{expression('closes', language)}))?[\s.!?]*\Z"
    return re.compile(
        typed(pattern).replace("{to}", r"(?P<to>.+?)") + (tail if name == "keep_at" else r"\Z"), re.IGNORECASE
    )


@cache
def _small(language: str) -> frozenset[str]:
    listed: str = tables_of_words()["small"][language]
    return frozenset(plain_letters(each) for each in re.findall(r"[^\W_]+", listed.casefold()))


def number_said(said: str) -> int:
    return int(said) if said.isdigit() else COUNTS.get(said.casefold(), 0)


class LeftOver:
    """What of a request is not accounted for yet."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, pattern: re.Pattern[str], by: str = _GAP) -> re.Match[str] | None:
        found = pattern.search(self.text)
        if found is not None:
            self.text = f"{self.text[: found.start()]} {by} {self.text[found.end() :]}"
        return found

    def phrases(self, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is left in the small words' places: what is named, and what is named behind "without"."""
        named: list[list[str]] = [[]]
        left_out: list[list[str]] = [[]]
        into = named
        for part in re.findall(rf"[^\W_]+|[{_GAP}{_WITHOUT},.;:?!&()\"“”„«»/]", self.text):
            if part == _WITHOUT:
                into = left_out
                into.append([])
            elif part in f"{_GAP}.;?!":
                into = named
                into.append([])
            elif part in ',&:()/"“”„«»' or part.casefold() in _JOINS:
                into.append([])
            elif plain_letters(part.casefold()) not in _small(language):
                into[-1].append(part)
        return _joined(named), _joined(left_out)


def _joined(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(" ".join(each) for each in parts if each)


@dataclass(frozen=True)
class WordReader:
    """Reads requests in one language."""

    language: str

    def read(self, text: str) -> WordsAsked | None:
        """What `text` says; None where it asks for nothing of the kind."""
        kept = KEEPS_SOURCE.sub("", text)
        bare = bare_of(kept, self.language)
        if not bare or re.search(expression("code", self.language), bare, re.IGNORECASE):
            return None
        left = LeftOver(bare)
        in_order = left.take(self._words("in_order")) if self._words("merge").search(bare) else None
        left.text = re.sub(rf"\s*{_GAP}\s*\Z", "", left.text)
        target, making = self._target(left.text)
        left.text = making
        if left.take(self._words("in_place")):
            target = Target(is_source=True)
        asked = self._operation(left, target, in_order is not None)
        return replace(asked, making=making) if asked is not None and self._is_plain(asked) else None

    def _words(self, name: str) -> re.Pattern[str]:
        return words_for(name, self.language)

    def _is_plain(self, asked: WordsAsked) -> bool:
        """Whether what is left may be entries, and is no request of its own."""
        every = (*asked.phrases, *asked.without)
        return len(every) <= MOST_PHRASES + len(asked.without) and all(
            len(each.split()) <= MOST_PHRASE_WORDS for each in every
        )

    def _target(self, text: str) -> tuple[Target, str]:
        """Where the result goes, and what is left of the request without that."""
        text = text.rstrip(" .!")
        first = _place("keep_first", self.language).fullmatch(text.rstrip("?"))
        if first is not None and HAS_ENDING.fullmatch(unquoted(first["to"])):
            return Target(unquoted(first["to"])), first["making"]
        names = files_in(text)
        # "In a single file called all.txt": the name stands behind what they become.
        one = self._words("into_one").search(text) if self._words("merge").search(text) and names else None
        behind = (
            rf"\s*(?:(?:{expression('called', self.language)})\s+)?[\"“”„«»']?{re.escape(names[-1])}"
            if names
            else ""
        )
        named = re.match(behind, text[one.end() :], re.IGNORECASE) if one is not None else None
        if one is not None and named is not None:
            return Target(names[-1]), f"{text[: one.end()]}{text[one.end() + named.end() :]}"
        name, head = target_in(text.rstrip("?"), names, self.language)
        making = without_keeping(head, self.language) if name else text
        front = self._words("keeps_front").match(making)
        is_made = re.match(
            "|".join(
                tables_of_words()["words"][each][self.language]
                for each in ("sort", "merge", "double", "triple", "half")
            )
            + f"|{expression('makes', self.language)}",
            making,
            re.IGNORECASE,
        )
        if name and (making != head.strip(" ,;") or ((front or is_made) and self._goes_into(text, name))):
            # "Put … into one file": there the verb says what is done.
            says_more = making != head.strip(" ,;") or self._words("merge").search(making)
            front_ends = front.end() if front is not None and not says_more else 0
            return Target(name, self._is_behind(text, name)), making[front_ends:]
        at = _place("keep_at", self.language).search(text)
        if at is not None and at.start() > 0:
            said = at["to"].strip()
            return Target(said, is_append=True), text[: at.start()]
        return Target(), text

    def _goes_into(self, text: str, name: str) -> bool:
        """Whether the word before `name` is one of where something goes, and not only "in"."""
        into = r"(?:as|to|into|als|nach|unter|sous|vers|como|called|named|namens|appelée?|nommée?|llamad[oa])"
        before = text[: text.rindex(name)]
        several = len(files_in(text)) > 1 or self._words("merge").search(text) is not None
        return bool(re.search(rf"\b{into}\W*(?:\w+\W+){{0,3}}\Z", before, re.IGNORECASE)) or several

    def _is_behind(self, text: str, name: str) -> bool:
        before = text[: text.rindex(name)]
        return (
            re.search(r"\b(?:end|bottom|ende|fin|final|bas)\b\W*(?:\w+\W+){0,2}\Z", before, re.IGNORECASE)
            is not None
        )

    # -- what is asked for ------------------------------------------------------------------------

    def _operation(self, left: LeftOver, target: Target, in_order: bool) -> WordsAsked | None:
        names = tuple(each for each in files_in(left.text) if each != target.said)
        for each in names:
            left.take(re.compile(rf"[\"“”„'‘’`«»]?{re.escape(each)}[\"“”„'‘’`«»]?"))
        start = WordsAsked(self.language, Operation.TOTAL, names, target=target)
        if self._words("merge").match(left.text) or (in_order and self._words("into_one").search(left.text)):
            return self._merged(left, start)
        source = left.take(papers_in(self.language))
        start = replace(start, source=source[0] if source is not None else "")
        owes = left.take(self._words("owes")) is not None
        if self._words("other_period").search(left.text) or (owes and not (names or start.source)):
            return None
        start = replace(start, has_period=left.take(self._words("period")) is not None)
        start = self._bounded(left, start)
        if left.take(self._words("compare")):
            return self._named(left, replace(start, operation=Operation.COMPARED))
        if self._words("sort").search(left.text):
            return self._sorted(left, start)
        difference = left.take(self._words("difference"))
        if difference is not None:
            return self._difference(left, difference, start)
        start = self._times(left, start)
        return self._worked(left, start)

    def _named(self, left: LeftOver, asked: WordsAsked) -> WordsAsked:
        left.take(self._words("without"), _WITHOUT)
        phrases, without = left.phrases(self.language)
        return replace(asked, phrases=phrases, without=without)

    def _merged(self, left: LeftOver, asked: WordsAsked) -> WordsAsked | None:
        left.take(self._words("merge"))
        while left.take(self._words("into_one")):
            pass
        if not asked.target.said or asked.target.is_append:
            return None
        if len(asked.names) > 1:
            done = self._named(left, asked)
            return replace(done, operation=Operation.MERGED) if not done.phrases else None
        what = " ".join(left.text.replace(_GAP, " ").split()).strip(" ,.")
        return replace(asked, operation=Operation.MERGED, what=what) if not asked.names else None

    def _sorted(self, left: LeftOver, asked: WordsAsked) -> WordsAsked | None:
        falls = left.take(self._words("falling"))
        rises = left.take(self._words("rising"))
        by = left.take(self._words("by"))
        while left.take(self._words("sort")):
            pass
        column = by["column"] if by is not None else ""
        # "From the cheapest to the most expensive": what is said first is first.
        is_falling = falls is not None and rises is None
        done = self._named(
            left, replace(asked, operation=Operation.SORTED, column=column, is_falling=is_falling)
        )
        return replace(done, is_strong=True) if not done.without and not done.bounds else None

    def _difference(self, left: LeftOver, found: re.Match[str], asked: WordsAsked) -> WordsAsked | None:
        pair = []
        for said in (found["a"] or found["a2"], found["b"] or found["b2"]):
            part = LeftOver(said)
            part.take(self._words("spends"))
            phrases, without = part.phrases(self.language)
            if len(phrases) != 1 or without:
                return None
            pair.append(phrases[0])
        done = self._named(left, replace(asked, operation=Operation.DIFFERENCE, is_strong=True))
        return replace(done, pair=(pair[0], pair[1])) if not done.phrases and not done.without else None

    def _times(self, left: LeftOver, asked: WordsAsked) -> WordsAsked:
        for name, factor in (("double", 2), ("triple", 3)):
            if left.take(self._words(name)):
                return replace(asked, factor=Decimal(factor))
        times = left.take(self._words("times"))
        if times is not None:
            said = next(each for each in times.groups() if each)
            return replace(asked, factor=Decimal(number_said(said)))
        if left.take(self._words("half")):
            return replace(asked, factor=Decimal("0.5"))
        servings = left.take(self._words("servings"))
        return replace(asked, servings=number_said(servings["n"])) if servings is not None else asked

    def _worked(self, left: LeftOver, asked: WordsAsked) -> WordsAsked | None:
        has = {
            name: left.take(self._words(name)) is not None
            for name in ("average", "count", "highest", "lowest", "total")
        }
        how_much = left.take(self._words("how_much")) is not None
        spends = left.take(self._words("spends")) is not None
        which = left.take(self._words("which")) is not None
        kinds = [each for each in ("average", "count", "highest", "lowest") if has[each]]
        if len(kinds) > 1:
            return None
        is_more = asked.factor != 1 or asked.servings > 0
        if is_more:
            left.take(self._words("scales"))
        done = self._named(left, asked)
        if is_more:
            if kinds or has["total"] or done.without or done.bounds:
                return None
            operation = Operation.AMOUNT if done.phrases or how_much else Operation.SCALED
            return replace(done, operation=operation, is_how_much=how_much)
        if kinds:
            return replace(done, operation=Operation(kinds[0]), is_strong=True)
        if has["total"] or (how_much and spends) or (spends and done.without and done.target.said):
            return replace(done, operation=Operation.TOTAL, is_strong=has["total"] or bool(done.without))
        if how_much and done.phrases:
            return replace(done, operation=Operation.AMOUNT)
        if which and done.bounds:
            return replace(done, operation=Operation.LISTED)
        return None

    def _bounded(self, left: LeftOver, asked: WordsAsked) -> WordsAsked:
        bounds = []
        for kind in BoundKind:
            if kind is BoundKind.IN_MONTH:
                month = rf"(?P<said>{MONTH})(?:(?: de| del)? (?P<year>\d{{4}}))?"
                found = left.take(_behind("in_month", self.language, month))
                if found is not None:
                    bounds.append(Bound(kind, f"{found['said']} {found['year'] or ''}".strip()))
                continue
            what = rf"(?P<said>{ANY_DATE.pattern})" if kind in OF_DATES else _VALUE
            found = left.take(_behind(str(kind), self.language, what))
            if found is not None:
                bounds.append(Bound(kind, found["said"]))
        return replace(asked, bounds=tuple(bounds))


@cache
def papers_in(language: str) -> re.Pattern[str]:
    the, papers = expression("the_one", language), expression("papers", language)
    hung = r"|(?<!\w)l['’]\s?" if language == "fr" else ""
    one = rf"(?:(?<!\w)(?:{the})\s+{hung})(?:[\w'’-]+\s+)?{typed(papers)}(?!\w)"
    # "The contract of the flat", "la liste de courses".
    behind = r"(?: (?:de|du|of|von|für|for|del) (?:la |the |der |los )?[\w'’-]+(?=\s*(?:[,.;?!]|\Z)))?"
    return re.compile(one + behind, re.IGNORECASE)
