"""Requests for something that can be computed from files: "how much do I spend without the rent?".

The words say which file, which of its rows, what is to be worked out and where that goes; `computations.py`
works it out, and the calls go through the executor like all others. A request is read only where each of its
words is accounted for: by the words of such requests in four languages (`resources/computations.toml`), or by
the file's own names, columns and entries. All else is the model's, as before.

A file that is described, and an entry that is named in another language than the file's, are chosen by the
model among those that are there (`described_files.py`, `described_rows.py`); nothing is written by it.
Nothing is changed here. Any thread; blocks while the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from desktop.chat.compositions import KEEPS_SOURCE, free_name, sorted_word, target_in, without_keeping
from desktop.chat.computations import (
    MOST_NAMED,
    OF_DATES,
    Bound,
    BoundKind,
    Computation,
    Operation,
    Selection,
    Worked,
    cells_saying,
    column_saying,
    labels_of,
    tables_of_words,
    told,
    worked_out,
)
from desktop.chat.described_files import FileChoice
from desktop.chat.described_rows import RowChoice
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    LIST_WORDS,
    as_list,
    asks_own_affairs,
    bare_of,
    ending_of,
    expression,
    in_writing,
    last_part,
    likely_languages,
    plain_letters,
    say,
    shape_of,
    stems,
    typed,
    unquoted,
)
from desktop.chat.references import Past
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.tools import tables
from desktop.tools.amounts import servings_in
from desktop.tools.dates import ANY_DATE, MONTH

LONGEST = 300  # characters
MOST_PHRASES = 3  # entries that are named
MOST_PHRASE_WORDS = 4
MOST_MERGED_BYTES = 64 * 1024
_GAP, _WITHOUT = "¦", "¬"  # in the place of words that are accounted for, and of "without"
_NUMBER_WORDS = (
    (2, "two zwei deux dos"), (3, "three drei trois tres"), (4, "four vier quatre cuatro"),
    (5, "five fünf cinq cinco"), (6, "six sechs seis"), (7, "seven sieben sept siete"),
    (8, "eight acht huit ocho"), (9, "nine neun neuf nueve"), (10, "ten zehn dix diez"),
    (12, "twelve zwölf douze doce"),
)  # fmt: skip
_NUMBERS = {word: number for number, words in _NUMBER_WORDS for word in words.split()}
# Between two things that are named: "eggs and milk", "eggs for pancakes".
_JOIN_WORDS = "and or for und oder für et ou pour y e o para sowie plus &"
_JOINS = frozenset(_JOIN_WORDS.split())
_POINTS = re.compile(
    r"\b(?:it|that|this|there|them|das|es|davon|darin|drin|da|dort|ça|ca|en|dedans|là|eso|esto|ahí|ello)\b",
    re.IGNORECASE,
)
_SAID_AMOUNT = re.compile(
    r"(?<![\w.,/-])(?:[€$£]\s?)?\d[\d.,]*(?<![.,])(?:\s?(?:[€$£]|EUR|USD|GBP|CHF|euros?|dollars?))?(?![\w/-])",
    re.IGNORECASE,
)
_VALUE = r"(?:[€$£]\s?)?(?P<said>\d[\d.,]*(?<![.,]))(?:\s?(?:[€$£]|EUR|USD|GBP|CHF|euros?|dollars?))?"


@dataclass(frozen=True)
class _Target:
    """Where the result goes: a name, or a description; `is_append`: behind what is there."""

    said: str = ""
    is_append: bool = False
    is_source: bool = False


@dataclass(frozen=True)
class _Asked:
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
    target: _Target = _Target()
    what: str = ""  # of several files that are put together


@dataclass(frozen=True)
class _Chosen:
    """What the user has answered to a question about an earlier request."""

    file: str = ""
    column: str = ""
    row: str = ""


@dataclass(frozen=True)
class _Rows:
    """What the words of a request name of a table."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    column: str = ""


# "Which is the dearest …" may be about the world.
_MAY_BE_ANY = frozenset((Operation.HIGHEST, Operation.LOWEST, Operation.COUNT))


@dataclass(frozen=True)
class ComputedRequests:
    """Of one turn. `around` is the workspace; without `submit` nothing is asked of a model."""

    around: Surroundings
    past: Past
    submit: Submit | None = None

    def plan(self, asked: str) -> IntentPlan | None:
        """What is computed for `asked`, and the call that writes it; None where it is not read surely."""
        text = in_writing(" ".join(asked.split()))
        if not text or len(text) > LONGEST or "\n" in asked.strip():
            return None
        answered = self._answered(text)
        if answered is not None:
            return self._read(*answered)
        return self._read(text, _Chosen())

    def _read(self, text: str, chosen: _Chosen) -> IntentPlan | None:
        for language in likely_languages(text):
            read = _Reader(language).read(text)
            if read is not None:
                read = self._going_on(read, language)
                plan = _Planning(self.around, self.past, self.submit, read, chosen, text).plan()
                if plan is not None:
                    return plan
        return None

    def _going_on(self, read: _Asked, language: str) -> _Asked:
        """ "And three times that?": of the entry that was asked for before."""
        is_part = read.operation is Operation.SCALED and not read.source and not read.names
        if not is_part or not (read.target.is_append or not read.target.said):
            return read
        before = _Reader(language).read(in_writing(" ".join(self.past.asked.split())))
        if before is None or before.operation is not Operation.AMOUNT or not before.phrases:
            return read
        return replace(
            read,
            operation=Operation.AMOUNT,
            phrases=before.phrases[:1],
            source=before.source,
            names=before.names,
            is_how_much=True,
        )

    def _answered(self, text: str) -> tuple[str, _Chosen] | None:
        """The request before, with what `text` names where it was just asked for."""
        said = text.strip(" .!?").casefold()
        if not self.past.asked or len(said.split()) > MOST_PHRASE_WORDS:
            return None
        for language in tables_of_words()["told"]["which_column"]:
            for key, field in (("which_column", "column"), ("which_row", "row")):
                template: str = tables_of_words()["told"][key][language]
                pattern = re.escape(template).replace(r"\{a\}", "(?P<a>.+?)").replace(r"\{b\}", "(?P<b>.+)")
                found = re.fullmatch(pattern, self.past.text)
                offered = found["b"].split(", ") if found is not None else []
                named = [each for each in offered if each.casefold() == said]
                if named and found is not None:
                    return self.past.asked, replace(_Chosen(found["a"]), **{field: named[0]})
        opening = {say("which_of", each, a="\n").partition("\n")[0] for each in ("en", "de", "fr", "es")}
        if not self.past.text.startswith(tuple(opening)):
            return None
        files = self.around.files()
        fitting = [
            each
            for each in files
            if said
            in (each.casefold(), last_part(each).casefold(), last_part(each).rsplit(".", 1)[0].casefold())
        ]
        return (self.past.asked, _Chosen(fitting[0])) if len(fitting) == 1 else None


# -- the words ------------------------------------------------------------------------------------


@cache
def _words(name: str, language: str) -> re.Pattern[str]:
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


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBERS.get(said.casefold(), 0)


class _Left:
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
class _Reader:
    """Reads requests in one language."""

    language: str

    def read(self, text: str) -> _Asked | None:
        """What `text` says; None where it asks for nothing of the kind."""
        kept = KEEPS_SOURCE.sub("", text)
        bare = bare_of(kept, self.language)
        if not bare or re.search(expression("code", self.language), bare, re.IGNORECASE):
            return None
        left = _Left(bare)
        in_order = left.take(self._words("in_order")) if self._words("merge").search(bare) else None
        left.text = re.sub(rf"\s*{_GAP}\s*\Z", "", left.text)
        target, making = self._target(left.text)
        left.text = making
        if left.take(self._words("in_place")):
            target = _Target(is_source=True)
        asked = self._operation(left, target, in_order is not None)
        return asked if asked is None or self._is_plain(asked) else None

    def _words(self, name: str) -> re.Pattern[str]:
        return _words(name, self.language)

    def _is_plain(self, asked: _Asked) -> bool:
        """Whether what is left may be entries, and is no request of its own."""
        every = (*asked.phrases, *asked.without)
        return len(every) <= MOST_PHRASES + len(asked.without) and all(
            len(each.split()) <= MOST_PHRASE_WORDS for each in every
        )

    def _target(self, text: str) -> tuple[_Target, str]:
        """Where the result goes, and what is left of the request without that."""
        text = text.rstrip(" .!")
        first = _place("keep_first", self.language).fullmatch(text.rstrip("?"))
        if first is not None and HAS_ENDING.fullmatch(unquoted(first["to"])):
            return _Target(unquoted(first["to"])), first["making"]
        names = files_in(text)
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
            return _Target(name, self._is_behind(text, name)), making[front_ends:]
        at = _place("keep_at", self.language).search(text)
        if at is not None and at.start() > 0:
            said = at["to"].strip()
            return _Target(said, is_append=True), text[: at.start()]
        return _Target(), text

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

    def _operation(self, left: _Left, target: _Target, in_order: bool) -> _Asked | None:
        names = tuple(each for each in files_in(left.text) if each != target.said)
        for each in names:
            left.take(re.compile(rf"[\"“”„'‘’`«»]?{re.escape(each)}[\"“”„'‘’`«»]?"))
        start = _Asked(self.language, Operation.TOTAL, names, target=target)
        if self._words("merge").match(left.text) or (in_order and self._words("into_one").search(left.text)):
            return self._merged(left, start)
        source = left.take(_papers(self.language))
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

    def _named(self, left: _Left, asked: _Asked) -> _Asked:
        left.take(self._words("without"), _WITHOUT)
        phrases, without = left.phrases(self.language)
        return replace(asked, phrases=phrases, without=without)

    def _merged(self, left: _Left, asked: _Asked) -> _Asked | None:
        left.take(self._words("merge"))
        left.take(self._words("into_one"))
        if not asked.target.said or asked.target.is_append:
            return None
        if len(asked.names) > 1:
            done = self._named(left, asked)
            return replace(done, operation=Operation.MERGED) if not done.phrases else None
        what = " ".join(left.text.replace(_GAP, " ").split()).strip(" ,.")
        return replace(asked, operation=Operation.MERGED, what=what) if not asked.names else None

    def _sorted(self, left: _Left, asked: _Asked) -> _Asked | None:
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

    def _difference(self, left: _Left, found: re.Match[str], asked: _Asked) -> _Asked | None:
        pair = []
        for said in (found["a"] or found["a2"], found["b"] or found["b2"]):
            part = _Left(said)
            part.take(self._words("spends"))
            phrases, without = part.phrases(self.language)
            if len(phrases) != 1 or without:
                return None
            pair.append(phrases[0])
        done = self._named(left, replace(asked, operation=Operation.DIFFERENCE, is_strong=True))
        return replace(done, pair=(pair[0], pair[1])) if not done.phrases and not done.without else None

    def _times(self, left: _Left, asked: _Asked) -> _Asked:
        for name, factor in (("double", 2), ("triple", 3)):
            if left.take(self._words(name)):
                return replace(asked, factor=Decimal(factor))
        times = left.take(self._words("times"))
        if times is not None:
            said = next(each for each in times.groups() if each)
            return replace(asked, factor=Decimal(_number(said)))
        if left.take(self._words("half")):
            return replace(asked, factor=Decimal("0.5"))
        servings = left.take(self._words("servings"))
        return replace(asked, servings=_number(servings["n"])) if servings is not None else asked

    def _worked(self, left: _Left, asked: _Asked) -> _Asked | None:
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

    def _bounded(self, left: _Left, asked: _Asked) -> _Asked:
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
def _papers(language: str) -> re.Pattern[str]:
    the, papers = expression("the_one", language), expression("papers", language)
    hung = r"|(?<!\w)l['’]\s?" if language == "fr" else ""
    one = rf"(?:(?<!\w)(?:{the})\s+{hung})(?:[\w'’-]+\s+)?{typed(papers)}(?!\w)"
    # "The contract of the flat", "la liste de courses".
    behind = r"(?: (?:de|du|of|von|für|for|del) (?:la |the |der |los )?[\w'’-]+(?=\s*(?:[,.;?!]|\Z)))?"
    return re.compile(one + behind, re.IGNORECASE)


# -- the plan -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Planning:
    """One request over the files that are there."""

    around: Surroundings
    past: Past
    submit: Submit | None
    asked: _Asked
    chosen: _Chosen
    text: str

    def plan(self) -> IntentPlan | None:
        if self.asked.operation is Operation.MERGED:
            return self._merged()
        source = self._source()
        if isinstance(source, IntentPlan) or source is None:
            return source
        text = self.around.whole(source)
        table = tables.sheet_in(text) if text else None
        if table is None or (self.asked.has_period and table.dated):
            return None
        if self.asked.operation is Operation.SCALED or self.asked.servings:
            scaled = self._factor(source, text)
            if isinstance(scaled, IntentPlan):
                return scaled
            if self.asked.operation is Operation.SCALED:
                if not table.is_list:
                    return None
                return self._done(
                    worked_out(replace(self._bare(source), factor=scaled), text, table, self._language),
                    source,
                )
        computation = self._computation(source, table)
        if isinstance(computation, IntentPlan) or computation is None:
            return computation
        return self._done(worked_out(computation, text, table, self._language), source)

    @property
    def _language(self) -> str:
        return self.asked.language

    @property
    def _state(self) -> PlanState:
        files = self.around.files()
        return PlanState(self.past, tuple(files), tuple(self.around.folders()))

    def _told(self, key: str, **values: str) -> IntentPlan:
        return IntentPlan(self._language, (Step(text=told(key, self._language, **values)),))

    def _factor(self, source: str, text: str) -> Decimal | IntentPlan:
        if not self.asked.servings:
            return self.asked.factor
        there = servings_in(text)
        if not there:
            return self._told("no_servings", a=source)
        return Decimal(self.asked.servings) / Decimal(there)

    # -- which file -------------------------------------------------------------------------------

    def _source(self) -> str | IntentPlan | None:
        """The file that is meant; a question where it may be one of several; None where none is."""
        asked, state = self.asked, self._state
        if self.chosen.file:
            return self.chosen.file
        if asked.names:
            return Slots(self._language).file(asked.names[0], state) if len(asked.names) == 1 else None
        if asked.source:
            named = Slots(self._language).file(asked.source, state)
            return named or self._described()
        if by_name := self._named_so(state):
            return by_name
        # "… and note that at the end of the recipe": it is the recipe's.
        if asked.target.is_append and asked.operation is Operation.AMOUNT and asked.factor != 1:
            target = self._target(state)
            return target if isinstance(target, (str, IntentPlan)) else None
        if (
            self.past.file in state.files
            and self._is_last(self.past.file)
            and self._is_of_last(self.past.file)
        ):
            return self.past.file
        return self._described() if asks_own_affairs(self.text) else None

    def _named_so(self, state: PlanState) -> str:
        """The one file whose name is among the words that are left: "add up the wines"."""
        said = stems(" ".join(self.asked.phrases))
        names = {each: stems(last_part(each).rsplit(".", 1)[0]) - LIST_WORDS for each in state.files}
        fitting = [each for each, of in names.items() if of and of <= said and each != self.asked.target.said]
        return fitting[0] if len(fitting) == 1 and not fitting[0].endswith(".pdf") else ""

    def _is_last(self, name: str) -> bool:
        """Whether the sentence before was about the file: of an older one nobody speaks any more."""
        past = self.past
        touched = (str(each.arguments.get("path", "")) for each in past.calls)
        return name in touched or last_part(name) in past.text or last_part(name) in past.asked

    def _is_of_last(self, name: str) -> bool:
        """Whether it is about the file that was spoken of last: by its words, or by pointing at it."""
        table = tables.sheet_in(self.around.whole(name))
        if table is None:
            return False
        every = (*self.asked.phrases, *self.asked.without, *filter(None, self.asked.pair))
        are_its = all(cells_saying(each, table) or column_saying(each, table) for each in every)
        return are_its or _POINTS.search(self.text) is not None

    def _described(self) -> str | IntentPlan | None:
        if self.submit is None:
            return None
        files = [each for each in self.around.files() if each != self.asked.target.said]
        found = FileChoice(self.submit).meant(self.text, files, to_change=False)
        if found.near:
            *first, last = found.near
            either = {"en": "or", "de": "oder", "fr": "ou", "es": "o"}[self._language]
            names = f"{', '.join(first)} {either} {last}"
            return IntentPlan(self._language, (Step(text=say("which_of", self._language, a=names)),))
        return found.name or None

    # -- which rows -------------------------------------------------------------------------------

    def _bare(self, source: str) -> Computation:
        return Computation(self.asked.operation, source)

    def _computation(self, source: str, table: tables.Table) -> Computation | IntentPlan | None:
        asked = self.asked
        rows = self._selected(source, table)
        if not isinstance(rows, _Rows):
            return rows
        column = self.chosen.column or rows.column or self._column_said(table)
        if asked.operation is Operation.SORTED:
            return self._sorting(source, table, column) if not rows.only else None
        if asked.operation is Operation.AMOUNT and not rows.only:
            return None
        if asked.operation is Operation.COMPARED:
            return self._compared(source, rows.only, column)
        pair = self._pair(source, table)
        if isinstance(pair, IntentPlan) or pair is None:
            return pair
        factor = self._factor(source, self.around.whole(source))
        if isinstance(factor, IntentPlan):
            return factor
        selection = Selection(rows.only, rows.without, asked.bounds)
        return Computation(asked.operation, source, selection, column, factor, pair=pair)

    def _selected(self, source: str, table: tables.Table) -> _Rows | IntentPlan | None:
        """The rows that the words name, by their cells, and the column that one of them does."""
        asked, name = self.asked, stems(last_part(source).rsplit(".", 1)[0])
        is_again = asked.operation is Operation.COMPARED and not asked.phrases
        found = _Rows()
        for phrase in self._asked_before() if is_again else asked.phrases:
            if not cells_saying(phrase, table):
                if stems(phrase) <= name | LIST_WORDS:
                    continue
                if header := column_saying(phrase, table):
                    is_amount = header in self._numeric(table)
                    found = replace(found, column=header) if is_amount else found
                    continue
            cells = self._cells(phrase, source, table, may_be_all=True)
            if isinstance(cells, IntentPlan) or cells is None:
                return cells
            found = replace(found, only=(*found.only, *cells))
        for phrase in asked.without:
            cells = self._cells(phrase, source, table)
            if isinstance(cells, IntentPlan) or cells is None:
                return cells
            found = replace(found, without=(*found.without, *cells))
        return replace(
            found, only=tuple(dict.fromkeys(found.only)), without=tuple(dict.fromkeys(found.without))
        )

    def _numeric(self, table: tables.Table) -> list[str]:
        return [table.header[at] for at in table.numeric] if table.header else []

    def _column_said(self, table: tables.Table) -> str:
        """A column of amounts that is called by a word of the request, also a small one: "price"."""
        said = stems(self.text)
        found = [each for each in self._numeric(table) if stems(each) <= said and stems(each)]
        return found[0] if len(found) == 1 else ""

    def _pair(self, source: str, table: tables.Table) -> tuple[str, str] | IntentPlan | None:
        if self.asked.operation is not Operation.DIFFERENCE:
            return ("", "")
        found = []
        for phrase in self.asked.pair:
            cells = self._cells(phrase, source, table)
            if isinstance(cells, IntentPlan) or cells is None:
                return cells
            if len(cells) != 1:
                return self._told("which_row", a=source, b=", ".join(cells))
            found.append(cells[0])
        return (found[0], found[1])

    def _cells(
        self, phrase: str, source: str, table: tables.Table, may_be_all: bool = False
    ) -> tuple[str, ...] | IntentPlan | None:
        """The cells that `phrase` names, () for a word for all of them; what is said where none is; None
        where the words may mean anything."""
        found = cells_saying(phrase, table)
        if found or self.chosen.row:
            return found or (self.chosen.row,)
        asked = self.asked
        # "Fass budget.csv zusammen", "print it twice": what comes first is done, and is no entry.
        is_verb = bare_of(self.text, self._language).casefold().startswith(phrase.split()[0].casefold())
        if is_verb or (asked.factor != 1 and not asked.is_how_much):
            return None
        is_placed = bool(asked.source or asked.names or asked.target.said or asked.is_strong)
        if self.submit is not None and (
            is_placed or _POINTS.search(self.text) or asks_own_affairs(self.text)
        ):
            # "Which bill": what all of them are, as the file or a column is called.
            kinds = {last_part(source).rsplit(".", 1)[0], *table.header} - {"", *labels_of(table)}
            labels = labels_of(table)
            every = (*labels, *sorted(kinds)) if may_be_all else labels
            meant = RowChoice(self.submit).meant(phrase, every)
            if meant.label in kinds:
                return ()
            if meant.label:
                return (meant.label,)
            near = [each for each in meant.near if each not in kinds]
            if near:
                return self._told("which_row", a=source, b=", ".join(near))
        is_said = asked.is_strong and asked.operation not in _MAY_BE_ANY
        if not (is_said or asked.target.said):
            return None
        shown = ", ".join(labels_of(table)[:MOST_NAMED])
        return self._told("no_row", a=source, b=phrase, c=shown)

    def _asked_before(self) -> tuple[str, ...]:
        """What the question before was about, without its small words."""
        left = _Left(self.past.asked)
        left.take(_papers(self._language))
        for each in files_in(self.past.asked):
            left.take(re.compile(re.escape(each)))
        return left.phrases(self._language)[0]

    def _compared(self, source: str, only: Sequence[str], column: str) -> Computation | None:
        """With the one amount that was told last."""
        told_before = list(dict.fromkeys(each.strip() for each in _SAID_AMOUNT.findall(self.past.text)))
        if len(told_before) != 1 or len(only) != 1:
            return None
        chosen = Selection(tuple(only))
        return Computation(Operation.COMPARED, source, chosen, column, beside=told_before[0])

    def _sorting(self, source: str, table: tables.Table, column: str) -> Computation | IntentPlan | None:
        """The column that the rows are put in the order of: the one that is named; the only one of amounts
        where an amount is said, or nothing."""
        by = self.asked.column
        name = column_saying(by, table) if by else column
        if by and not name:
            is_amount = re.search(expression("amount", self._language), by, re.IGNORECASE)
            is_alphabet = re.search(r"alphab|name|nom|nombre|title|titel|titre|título", by, re.IGNORECASE)
            if is_amount and len(table.numeric) == 1:
                name = self._name(table, table.numeric[0])
            elif re.search(r"dat[eu]|fecha|tag|day", by, re.IGNORECASE) and len(table.dated) == 1:
                name = self._name(table, table.dated[0])
            elif is_alphabet and len(table.worded) == 1:
                name = self._name(table, table.worded[0])
            else:
                return self._told("no_column", a=source, b=by, c=", ".join(table.header or ("–",)))
        elif not name and re.search(r"alphab", self.text, re.IGNORECASE) and len(table.worded) == 1:
            name = self._name(table, table.worded[0])
        elif not name and table.is_list and len(table.numeric) == 1 and self.asked.is_falling:
            name = self._name(table, 1)
        is_falling = self.asked.is_falling
        return Computation(Operation.SORTED, source, column=name, is_falling=is_falling)

    def _name(self, table: tables.Table, at: int) -> str:
        return table.header[at] if table.header else f"{at + 1}"

    # -- where it goes ----------------------------------------------------------------------------

    def _target(self, state: PlanState) -> str | IntentPlan | None:
        """The file that is written; "" for none; None where nobody knows which."""
        said = self.asked.target.said
        if not said:
            return ""
        slots = Slots(self._language)
        bare = unquoted(slots.without_the(said))
        found = slots.file(said, state)
        if found is not None:
            return found
        if HAS_ENDING.fullmatch(bare) and len(bare.split()) == 1:
            return bare
        if self.submit is None or not _papers(self._language).search(said):
            return None
        meant = FileChoice(self.submit).meant(said, state.files, to_change=True)
        return meant.name or None

    def _done(self, worked: Worked, source: str) -> IntentPlan | None:
        if worked.missing:
            # Of a file that nobody spoke of in this sentence it may be something else that is asked.
            is_named = self.asked.names or self.asked.source or self.asked.target.said or self.chosen.file
            return IntentPlan(self._language, (Step(text=worked.missing),)) if is_named else None
        state = self._state
        target = source if self.asked.target.is_source else self._target(state)
        if target is None or isinstance(target, IntentPlan):
            return target
        if self.asked.operation is Operation.SORTED and not target:
            target = free_name(source, sorted_word(self._language), state.files)
        telling = Step(text=worked.told, changes=False)
        if not target or not worked.content:
            return IntentPlan(self._language, (telling,))
        call = self._writing(worked, target, state)
        if call is None:
            return IntentPlan(self._language, (telling, Step(text=say("is_there", self._language, a=target))))
        if worked.is_text:
            return IntentPlan(self._language, (Step(call), replace(telling, if_done=True)))
        return IntentPlan(self._language, (telling, Step(call)))

    def _writing(self, worked: Worked, target: str, state: PlanState) -> ParsedCall | None:
        """The call that writes it; None where that would replace what stands there."""
        content = worked.content if worked.content.endswith("\n") else f"{worked.content}\n"
        if self.asked.target.is_source:
            is_whole = self.asked.operation in (Operation.SORTED, Operation.SCALED)
            return ParsedCall("write_file", {"path": target, "content": content}) if is_whole else None
        if target not in state.files:
            return ParsedCall("write_file", {"path": target, "content": content})
        # A figure below the rows of a table would be one of them.
        if worked.is_text or ending_of(last_part(target)) in tables.ENDINGS:
            return None
        line = as_list(worked.content, self.around.text(target), is_quoted=True)
        return ParsedCall("append_text", {"path": target, "text": line})

    # -- several files ----------------------------------------------------------------------------

    def _merged(self) -> IntentPlan | None:
        state = self._state
        sources = self._several(state)
        if isinstance(sources, IntentPlan) or not sources:
            return sources or None
        target = self._target(state)
        if not isinstance(target, str) or not target or target in sources:
            return None
        if target in state.files:
            return IntentPlan(self._language, (Step(text=say("is_there", self._language, a=target)),))
        parts = []
        for each in sources:
            text = self.around.whole(each)
            if not text:
                return self._told("not_text", a=each)
            parts.append(text if text.endswith("\n") else f"{text}\n")
        content = "".join(parts)
        if len(content.encode()) > MOST_MERGED_BYTES:
            return None
        said = told("merged", self._language, a=", ".join(sources))
        call = ParsedCall("write_file", {"path": target, "content": content})
        return IntentPlan(self._language, (Step(call), Step(text=said, changes=False, if_done=True)))

    def _several(self, state: PlanState) -> tuple[str, ...] | IntentPlan | None:
        """The files that are put together, in their order: those that are named, or a series of them."""
        if self.asked.names:
            found = [Slots(self._language).file(each, state) for each in self.asked.names]
            return tuple(each for each in found if each) if all(found) else None
        said = _words("all_of", self._language).fullmatch(self.asked.what)
        if said is None:
            return None
        wanted = stems(said["noun"])
        series: dict[str, list[str]] = {}
        for each in state.files:
            stem = re.match(r"[^\W\d_]+", last_part(each))
            if stem is not None and stems(stem[0]) == wanted and re.search(r"\d", last_part(each)):
                series.setdefault(shape_of(each), []).append(each)
        if len(series) != 1:
            return None
        found_ = sorted(next(iter(series.values())), key=_by_number)
        count = _number(said["count"]) if said["count"] else len(found_)
        if count != len(found_) or count < 2:
            values = {"a": str(len(found_)), "b": said["noun"], "c": str(count), "d": ", ".join(found_)}
            return self._told("not_so_many", **values)
        return tuple(found_)


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(each), "") if each.isdigit() else (0, each) for each in re.findall(r"\d+|\D+", name)]


# -- only where it is not there yet ---------------------------------------------------------------


def order_unless_there(asked: str) -> tuple[str, str] | None:
    """The order that `asked` gives only where what it adds is not there yet, and its language; None where it
    sets no such condition."""
    for language in likely_languages(asked):
        pattern: str = tables_of_words()["words"]["unless_there"][language]
        found = re.search(rf"{typed(pattern)}[\s.!]*\Z", asked, re.IGNORECASE)
        if found is not None and found.start() > 0:
            return asked[: found.start()], language
    return None


def only_what_is_missing(
    plan: IntentPlan, around: Surroundings, submit: Submit | None, language: str
) -> IntentPlan | None:
    """`plan` without what is there already; None where it does more than add."""
    steps: list[Step] = []
    for step in plan.steps:
        call = step.call
        if call is None:
            steps.append(step)
            continue
        if call.name != "append_text":
            return None
        name, text = str(call.arguments["path"]), around.whole(str(call.arguments["path"]))
        added = str(call.arguments["text"]).splitlines()
        there = [(each, _there(each, text, submit)) for each in added]
        left = [each for each, entry in there if not entry]
        steps += [
            Step(text=told("already_there", language, a=name, b=entry), changes=False)
            for _, entry in there
            if entry
        ]
        if left:
            steps.append(Step(ParsedCall(call.name, dict(call.arguments) | {"text": "\n".join(left)})))
    return replace(plan, steps=tuple(steps))


def _there(line: str, text: str, submit: Submit | None) -> str:
    """The entry of a list that says the same as `line`; "" where none does."""
    table = tables.sheet_in(text)
    labels = labels_of(table) if table is not None else ()
    wanted = stems(re.sub(r"^[-*•+\s]+", "", line))
    same = next((each for each in labels if stems(each) == wanted), "")
    if same or not labels or submit is None:
        return same
    return RowChoice(submit).meant(line, labels).label
