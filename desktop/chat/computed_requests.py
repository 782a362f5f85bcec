"""Requests for something that can be computed from files: "how much do I spend without the rent?".

The words say which file, which of its rows, what is to be worked out and where that goes
(`computation_words.py`); `computations.py` works it out, and the calls go through the executor like all
others. A request is read only where each of its words is accounted for: by the words of such requests in four
languages (`resources/computations.toml`), or by the file's own names, columns and entries. All else is the
model's, as before.

A file that is described, and an entry that is named in another language than the file's, are chosen by the
model among those that are there (`described_files.py`); nothing is written by it.
Nothing is changed here. Any thread; blocks while the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import structlog

from desktop.chat.compositions import free_name, sorted_word
from desktop.chat.computation_words import (
    MOST_PHRASE_WORDS,
    LeftOver,
    WordReader,
    WordsAsked,
    number_said,
    papers_in,
    words_for,
)
from desktop.chat.computations import (
    MOST_NAMED,
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
from desktop.chat.described_files import (
    CLEAR,
    MOST_NEAR,
    NONE,
    OVER_NONE_TO_CHANGE,
    OVER_NONE_TO_READ,
    FileChoice,
    likely_of,
)
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    LIST_WORDS,
    as_list,
    asks_own_affairs,
    bare_of,
    describes_file,
    ending_of,
    expression,
    in_writing,
    last_part,
    likely_languages,
    say,
    shape_of,
    stems,
    typed,
    unquoted,
)
from desktop.chat.references import Past
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.tools import tables
from desktop.tools.amounts import servings_in

LONGEST = 300  # characters
MOST_MERGED_BYTES = 64 * 1024
_POINTS = re.compile(
    r"\b(?:it|that|this|there|them|das|es|davon|darin|drin|da|dort|ça|ca|en|dedans|là|eso|esto|ahí|ello)\b",
    re.IGNORECASE,
)
_SAID_AMOUNT = re.compile(
    r"(?<![\w.,/-])(?:[€$£]\s?)?\d[\d.,]*(?<![.,])(?:\s?(?:[€$£]|EUR|USD|GBP|CHF|euros?|dollars?))?(?![\w/-])",
    re.IGNORECASE,
)


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


_WITH_AMOUNTS = frozenset(("csv", "tsv", "md", "markdown", "txt"))
# In nats, of a file that nobody spoke of and whose name is no word for expenses: those of wines or marks are
# at most 3.3 over none (docs/benchmarks.md).
OVER_NONE_UNNAMED = 3.4
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
            read = WordReader(language).read(text)
            if read is not None:
                read = self._going_on(read, language)
                plan = _Planning(self.around, self.past, self.submit, read, chosen, text).plan()
                if plan is not None:
                    return plan
        return None

    def _going_on(self, read: WordsAsked, language: str) -> WordsAsked:
        """ "And three times that?": of the entry that was asked for before."""
        is_part = read.operation is Operation.SCALED and not read.source and not read.names
        if not is_part or not (read.target.is_append or not read.target.said):
            return read
        before = WordReader(language).read(in_writing(" ".join(self.past.asked.split())))
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


# -- the plan -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Planning:
    """One request over the files that are there."""

    around: Surroundings
    past: Past
    submit: Submit | None
    asked: WordsAsked
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
        asked = self.asked
        # Where it goes would only speak for another file, unless that is where it comes from too.
        said = asked.making if asked.source in asked.making else self.text
        files = [each for each in self.around.files() if each != asked.target.said]
        if not asked.source:
            return self._of_own_affairs(said, [each for each in files if self._adds_up(each)])
        found = FileChoice(self.submit).meant(said, files, to_change=False)
        return self._which_file(found.near) if found.near else found.name or None

    def _of_own_affairs(self, said: str, files: Sequence[str]) -> str | IntentPlan | None:
        """The one of `files` that has what somebody spends; asked about where that is not clear."""
        if self.submit is None or not files:
            return None
        likely = FileChoice(self.submit).likely(said, files)
        ranked = sorted(files, key=lambda each: -likely.get(each, 0.0))
        over_none = likely.get(ranked[0], 0.0) - likely.get(NONE, 0.0)
        if over_none < OVER_NONE_TO_READ:
            return None
        near = [each for each in ranked if likely[ranked[0]] - likely[each] < CLEAR]
        # What is spent a month no list of a journey says.
        named = " ".join(stems_of(ranked[0]))
        is_kind = any(describes_file(f"{the} {named}") for the in ("the", "die", "les", "los"))
        is_any = not self.asked.has_period and over_none >= OVER_NONE_UNNAMED
        is_clear = len(near) == 1 and ((is_kind and over_none >= OVER_NONE_TO_CHANGE) or is_any)
        return ranked[0] if is_clear else self._which_file(near[:MOST_NEAR])

    def _adds_up(self, name: str) -> bool:
        """Whether a file has one column of amounts, of one kind."""
        text = self.around.whole(name) if ending_of(last_part(name)) in _WITH_AMOUNTS else ""
        table = tables.sheet_in(text) if text else None
        return (
            table is not None
            and not worked_out(Computation(Operation.TOTAL, name), text, table, self._language).missing
        )

    def _which_file(self, near: Sequence[str]) -> IntentPlan:
        either = {"en": "or", "de": "oder", "fr": "ou", "es": "o"}[self._language]
        *first, last = near
        names = f"{', '.join(first)} {either} {last}" if first else last
        return IntentPlan(self._language, (Step(text=say("which_of", self._language, a=names)),))

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
        # A model that can be asked for a query knows more of what "worth" and "this season so far" are.
        may_say = self.submit is None or not may_be_all
        is_said = may_say and asked.is_strong and asked.operation not in _MAY_BE_ANY
        if not (is_said or asked.target.said):
            return None
        shown = ", ".join(labels_of(table)[:MOST_NAMED])
        return self._told("no_row", a=source, b=phrase, c=shown)

    def _asked_before(self) -> tuple[str, ...]:
        """What the question before was about, without its small words."""
        left = LeftOver(self.past.asked)
        left.take(papers_in(self._language))
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
        if self.submit is None or not papers_in(self._language).search(said):
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
        if isinstance(sources, IntentPlan):
            return sources
        if not sources:
            return None
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
        said = words_for("all_of", self._language).fullmatch(self.asked.what)
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
        count = number_said(said["count"]) if said["count"] else len(found_)
        if count != len(found_) or count < 2:
            values = {"a": str(len(found_)), "b": said["noun"], "c": str(count), "d": ", ".join(found_)}
            return self._told("not_so_many", **values)
        return tuple(found_)


def stems_of(name: str) -> list[str]:
    """The words of a file's name without its ending."""
    return re.findall(r"[^\W\d_]+", last_part(name).rsplit(".", 1)[0])


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


# -- the entry that a word means ---------------------------------------------------------------

# Which entry of a list or table is meant by a word that it does not have: "Miete" where it says "rent".
#
# The words of a request and those of a file are often in two languages, and no table leads from one to
# the other. So the model is asked once which of the entries that are there is meant, or that none is; it
# writes nothing, and what is read is how likely it would write each (`described_files.py` does the same
# for names of files). Any thread; blocks while the model reads.

log = structlog.get_logger(__name__)

CONVERSATION = "described-rows"  # of all chats: most of the prompt is always the same
MOST_SHOWN = 40  # entries; of more nobody knows which
LONGEST_SHOWN = 40  # characters of one

# In nats, over the next entry, and over none; chosen on tests/bench/described_rows.toml, where the one wrong
# entry that is ahead is 3.1 over none and right ones are 2.1 to 8.2. What lies between is asked about.
CLEAR_ROW = 2.0
OVER_NONE = 3.3
OVER_NONE_TO_ASK = 1.5
MOST_NEAR_ROWS = 3

_SYSTEM = """A list has entries. Somebody says one word, perhaps in another language. Answer with the entry \
that means the same as that word. Where no entry means the same, answer: none"""
_EXAMPLES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("flour", "butter", "salt", "water"), "Mehl", "flour"),
    (("insurance", "water", "phone", "car"), "Geschenke", NONE),
    (("Strom", "Wasser", "Heizung"), "water", "Wasser"),
    (("pan", "leche", "queso"), "jambon", NONE),
    (("bread", "cheese", "apples"), "manzanas", "apples"),
    (("voiture", "école", "vacances"), "holidays", "vacances"),
    (("bus", "taxi", "hotel"), "lunch", NONE),
)


@dataclass(frozen=True)
class RowMeant:
    """`label` is the entry that is meant; `near` those of which one may be, where that is not clear."""

    label: str = ""
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowChoice:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    submit: Submit

    def meant(self, word: str, labels: Sequence[str]) -> RowMeant:
        """Which of `labels` the `word` is."""
        shown = [each for each in labels if len(each) <= LONGEST_SHOWN and each.casefold() != NONE]
        if not shown or len(shown) > MOST_SHOWN or len(shown) < len(labels):
            return RowMeant()
        found = judged(self.likely(word, shown))
        log.info("entry chosen by its meaning", found=bool(found.label), near=len(found.near))
        return found

    def likely(self, word: str, labels: Sequence[str]) -> Mapping[str, float]:
        """How likely the model would name each of `labels`, and NONE; {} where it was stopped."""
        asked = GenerateRequest(
            CONVERSATION, tuple(_messages(labels, word)), Sampling(temperature=0, max_tokens=1), Priority.CHAT
        )
        return likely_of(self.submit, asked, (*labels, NONE))


def judged(likely: Mapping[str, float]) -> RowMeant:
    """What the likelihoods say: an entry is taken only where it is clear that it is meant."""
    ranked = sorted((each for each in likely if each != NONE), key=lambda each: -likely[each])
    over_none = likely[ranked[0]] - likely[NONE] if ranked else 0.0
    if over_none < OVER_NONE_TO_ASK:
        return RowMeant()
    near = [each for each in ranked if likely[ranked[0]] - likely[each] < CLEAR_ROW]
    is_clear = len(near) == 1 and over_none >= OVER_NONE
    return RowMeant(near[0]) if is_clear else RowMeant(near=tuple(near[:MOST_NEAR_ROWS]))


def _messages(labels: Sequence[str], word: str) -> Iterator[Message]:
    yield Message("system", _SYSTEM)
    for entries, said, meant in _EXAMPLES:
        yield Message("user", _shown(entries, said))
        yield Message("assistant", meant)
    yield Message("user", _shown(labels, word))


def _shown(labels: Sequence[str], word: str) -> str:
    return "\n".join((f"Entries: {', '.join(labels)}", f"Said: {' '.join(word.split())[:80]}"))
