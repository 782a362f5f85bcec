"""Questions that rows of a table answer: the model writes a query, the program finds the rows.

"Qui n'a pas payé" is `SELECT nom WHERE cotisation = 'non payée'`. What it comes to is told with the condition
that was looked for, so that a query that was meant otherwise can be seen to be. Any thread; blocks while the
model reads and writes.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

import structlog

from desktop.chat.computations import FEWEST_PLACES, told
from desktop.chat.content_search import forms_of
from desktop.chat.described_files import likely_of
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of, plain_letters
from desktop.chat.prompts import behind_examples, read_ahead
from desktop.chat.query_grounding import (
    NEXT,
    Before,
    as_said,
    has_many_values,
    is_none,
    is_unsaid,
    months_in,
    of_other_column,
    without_half_said,
    without_wide_times,
)
from desktop.chat.references import Past
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Message
from desktop.paths import resources
from desktop.tools.amounts import Column, NumberStyle, total_of
from desktop.tools.periods import Period, as_of_days, named_times, week_after
from desktop.tools.table_queries import (
    OF_TIME,
    Aggregate,
    Comparison,
    Condition,
    Expression,
    TableQuery,
    amounts_in,
    as_written,
    conditions_in,
    dates_in,
    grammar_of,
    has_dates_in,
    names_of,
    query_in,
    rows_of,
    tables_in,
    told_conditions,
    units_in,
    value_of,
)
from desktop.tools.tables import Table

log = structlog.get_logger(__name__)

CONVERSATION = "table-questions"  # of all chats: what stands before the table is always the same
MOST_TOKENS = 80
MOST_ROWS = 40  # shown: of more, the first and those that say a word of the question
FIRST_ROWS = 12
LONGEST_TABLE = 2000  # rows
MOST_TOLD = 14  # rows that are told one by one
MOST_WITHOUT = 5  # rows without an amount that are named beside a sum
FEW_COLUMNS = 4  # of which all are told
LONGEST_CELL = 60  # characters of one that is shown
NO_QUERY, QUERY = "none", "SELECT"  # what an answer begins with
MOST_FILES = 3  # whose rows are asked
# Where a value that nobody spoke of is one of many: "food" is Lebensmittel, and van insurance is no Tesco.
SURE_OVER_NONE, SURELY_LIKELY = 5.0, -3.0
LEAST_LIKELY = -14.0  # a query: right ones were 13.5 below at most, one that was made up 20.8
MORE_IN_TIME = 2.0  # nats, where a time is named, and the table has dates
OVER_NONE_UNNAMED = 3.0  # where nothing of the file is said
OVER_NONE = 1.3  # nats; chosen on tests/bench/table_questions.toml
TOLD_SHOWN = 240  # characters of the answer before

_SYSTEM = """You write one SQLite query that answers a question about the table t. Use only its columns \
and the values in it, in the language in which they are there. Questions that its rows do not answer: none"""


def beginnings() -> tuple[GenerateRequest, ...]:
    """What is the same in all these prompts, to be read while nobody waits."""
    return (read_ahead(CONVERSATION, _told_first()),)


@dataclass(frozen=True)
class LikelyQuery:
    """A query, and by how many nats it is likelier that there is one than that there is none."""

    query: TableQuery
    over: float


@dataclass(frozen=True)
class RowsAnswer:
    """What rows answer, as it is told, and how likely they do: see `LikelyQuery`."""

    told: str
    over: float


@dataclass(frozen=True)
class TableQuestions:
    """Of one turn. `around` is the workspace, `submit` the engine's, `today` the user's."""

    around: Surroundings
    past: Past
    submit: Submit
    today: date

    def plan(self, asked: str, read: IntentPlan | None, is_ranked: bool = False) -> IntentPlan | None:
        """`read`, which looks into a file or two for the question `asked`, with the answer of their rows; as
        it is where they do not answer it. `is_ranked`: of files that all answer, the first is meant, and not
        the one that is likelier by itself. Without `read`, what the file answers that was looked into
        before."""
        if read is None:
            looked = [str(each.arguments.get("path", "")) for each in self.past.calls]
            is_look = all(each.name == "read_file" for each in self.past.calls)
            names, over_none = (looked if is_look else []), OVER_NONE_UNNAMED
        else:
            names, over_none = _looked_into(read), OVER_NONE
        if not 0 < len(names) <= MOST_FILES:
            return read
        if not is_ranked and self._lack_words(asked, names):
            return read
        answers = ((each, self.answer(asked, each, over_none)) for each in names)
        found = ((each, answer) for each, answer in answers if answer is not None)
        nothing = ("", None)
        name, best = next(found, nothing) if is_ranked else max(found, key=_over, default=nothing)
        if best is None:
            return read
        step = Step(ParsedCall("read_file", {"path": name}), changes=False, quoted=best.told)
        return IntentPlan(read.language if read is not None else language_of(asked), (step,))

    def of_time(self, asked: str) -> IntentPlan | None:
        """The rows of all files that are of the time which `asked` names, where it asks for nothing else:
        "what's on tomorrow", "and Wednesday?"."""
        language = language_of(asked)
        periods = named_times(asked, language, self.today)
        if len(periods) != 1:
            return None
        others = plain_letters(asked.casefold()).replace(plain_letters(periods[0].words), " ")
        if not set(re.findall(r"[^\W\d_]+", others)) <= _WHAT_IS_ON:
            return None
        found = [told for each in self.around.files() if (told := self._rows_in(each, periods[0], language))]
        return IntentPlan(language, tuple(found)) if 0 < len(found) <= MOST_FILES else None

    def _rows_in(self, name: str, period: Period, language: str) -> Step | None:
        for table in self._tables(name):
            dated = [at for at in range(table.width) if dates_in(table, at) is not None]
            if len(dated) != 1 or not has_dates_in(table, (period,)):
                continue
            where = (Condition(dated[0], Comparison.IN_PERIOD, period.words),)
            shown = tuple(map(Expression, range(table.width)))
            query = TableQuery(shown, where=where, order=dated[0], periods=(period,))
            told = _Telling(query, table, name, language, self.today).text()
            return Step(ParsedCall("read_file", {"path": name}), changes=False, quoted=told)
        return None

    def answer(self, asked: str, name: str, over_none: float = OVER_NONE) -> RowsAnswer | None:
        """What the rows of the file `name` answer to all that is asked; None where they do not. Of several
        tables, the one that is likelier to."""
        found = (self._of_table(asked, name, each, over_none) for each in self._tables(name))
        return max((each for each in found if each is not None), key=lambda each: each.over, default=None)

    def _lack_words(self, asked: str, names: Sequence[str]) -> bool:
        """Whether a text among the files has a word of `asked` that no rows of the others have: their rows
        would be half an answer."""
        texts = {
            each: plain_letters((self.around.whole(each) or self.around.document(each)).casefold())
            for each in names
        }
        rows = "\n".join(text for each, text in texts.items() if self.has_rows(each))
        others = "\n".join(text for each, text in texts.items() if not self.has_rows(each))
        return any(form.search(others) and not form.search(rows) for form in forms_of(asked).values())

    def has_rows(self, name: str) -> bool:
        """Whether the file is one that rows can answer from."""
        return bool(self._tables(name))

    def _tables(self, name: str) -> tuple[Table, ...]:
        return tables_in(self.around.whole(name) or self.around.document(name))

    def _of_table(self, asked: str, name: str, table: Table, over_none: float) -> RowsAnswer | None:
        if len(table.rows) > LONGEST_TABLE:
            return None
        before = self._before(name, table)
        answers: list[str] = []
        least = math.inf
        for part in _AND_ASKS.split(asked):
            found = query_for(part, table, self.submit, self.today, before, over_none)
            if found is None or _adds_nothing(found.query, table, self.today):
                if not answers:
                    return None
                continue
            least = min(least, found.over)
            answers.append(_Telling(found.query, table, name, language_of(asked), self.today).text())
            before = replace(before_of(part, answers[-1], table), is_same_sentence=True)
        return RowsAnswer("\n\n".join(dict.fromkeys(answers)), least)

    def _before(self, name: str, table: Table) -> Before | None:
        """The question before, where it was answered from this file, or one with the same columns."""
        looked = [str(each.arguments.get("path", "")) for each in self.past.calls]
        if len(looked) != 1:
            return None
        others = self._tables(looked[0]) if looked[0] != name else (table,)
        is_alike = any(each.header == table.header for each in others)
        return before_of(self.past.asked, self.past.text, table) if is_alike else None


def _adds_nothing(query: TableQuery, table: Table, today: date) -> bool:
    """Whether rows are to be added up of which none has an amount: what they come to is no nought."""
    if query.aggregate not in (Aggregate.SUM, Aggregate.AVERAGE):
        return False
    rows = rows_of(query, table, today)
    return bool(rows) and all(value_of(query.shown[0], table, each) is None for each in rows)


def _over(found: tuple[str, RowsAnswer]) -> float:
    return found[1].over


def _looked_into(read: IntentPlan) -> list[str]:
    """The files that a plan reads before it is answered, where it does nothing else."""
    if read.changes or read.question or not (read.is_asked or all(each.quoted for each in read.steps)):
        return []
    calls = [each.call for each in read.steps]
    is_look = all(each is not None and each.name == "read_file" for each in calls)
    return [str(each.arguments.get("path", "")) for each in calls if each is not None] if is_look else []


# All that a question says which only asks what there is at a time, without accents.
_WHAT_IS_ON = frozenset(
    (
        "and so what whats s is are do does i we ve have has got there on in my our the diary calendar "
        "planned happening scheduled anything else up coming any for at plans please pls ok again "
        "und was ist steht stehen an los habe haben hab ich wir denn noch am im kalender geplant da gibt es "
        "sonst bitte mir uns bei "
        "et qu est ce que qui quoi il y a t j ai on nous avons de prevu le la au dans mon agenda calendrier "
        "hay tengo tenemos para el en mi nuestra agenda calendario previsto planeado algo mas"
    ).split()
)
# "… and what are they worth": a question of its own.
_AND_ASKS = re.compile(
    r"\s*[,;]?\s+(?:and|und|et|y)\s+(?=(?:what|how|who|when|where|which|was|wie|wer|wann|wo|welche\w*|combien|qui|"
    r"ça (?:fait|donne|coûte)|quand|où|quel\w*|qué|cuánt\w*|quién\w*|cuándo|dónde|cuál\w*)\b)",
    re.IGNORECASE,
)


# -- the query --------------------------------------------------------------------------------


def query_for(
    question: str,
    table: Table,
    submit: Submit,
    today: date,
    before: Before | None = None,
    over_none: float = OVER_NONE,
) -> LikelyQuery | None:
    """The query that answers `question`; None where no row does, where one is not likelier than none by so
    many nats as `over_none`, and where the model was stopped."""
    if before is not None and (again := of_other_column(question, before, table, today)) is not None:
        return LikelyQuery(again, SURE_OVER_NONE)
    said = words_that_cells_have(question)
    months, periods = _times_named(question, table, today, before)
    shown = _shown(question, table, before)
    asked = behind_examples(CONVERSATION, _told_first(), shown, MOST_TOKENS)
    likely = likely_of(submit, asked, (NO_QUERY, QUERY))
    over = likely.get(QUERY, 0.0) - likely.get(NO_QUERY, 0.0)
    is_dated = bool(months or periods) and any(dates_in(table, at) for at in range(table.width))
    over += MORE_IN_TIME if is_dated else 0
    if over < over_none:
        log.info("question put to no table", over=round(over, 2))
        return None
    stream = submit(replace(asked, grammar=grammar_of(table, said, months, periods)))
    written = stream.text()
    if stream.finish is not FinishReason.STOP:
        return None
    found = query_in(written, table, periods)
    if found is None:
        return None
    found = _turned_round(found, table, today)
    if _leaves_nothing_out(found, table, today):
        # Two columns compared so that each row fits was no question: another condition was.
        grammar = grammar_of(table, said, months, periods, compares_columns=False)
        found = query_in(submit(replace(asked, grammar=grammar)).text(), table, periods) or found
    likeliest, weight = _likeliest(found, table, question, asked, submit)
    log.info("question put to a table", over=round(over, 2), weight=round(weight, 2), columns=table.width)
    if weight < LEAST_LIKELY:
        return None
    query = as_said(likeliest, table, question, before)
    if query is None or _is_of_units(query, table, today) or _is_made_up(query, table, question, today):
        return None
    # Of a log of what has been, "the next one" is another file's.
    if NEXT.search(question) and not rows_of(query, table, today):
        return None
    is_surely_so = over >= SURE_OVER_NONE and weight >= SURELY_LIKELY
    if not is_surely_so and any(
        is_unsaid(each, question)
        and has_many_values(table, each.column)
        and not is_none(each, table, question)
        for each in query.where
    ):
        return None
    query = without_wide_times(query, table, today)
    return LikelyQuery(without_half_said(query, table, question, today), over)


def _times_named(
    question: str, table: Table, today: date, before: Before | None
) -> tuple[tuple[int, ...], tuple[Period, ...]]:
    """The months, by their numbers, and the other times that a question to `table` names; of August to
    November, which is one time, no month by itself."""
    language = language_of(question)
    named = (
        *named_times(question, language, today),
        *week_after(question, before.asked if before is not None else "", language, today),
    )
    days = {day for at in range(table.width) for day in dates_in(table, at) or ()}
    periods = as_of_days(named, question, days)
    is_span = any(len(months_in(each.words)) > 1 for each in periods)
    return () if is_span else months_in(question), periods


def _is_of_units(query: TableQuery, table: Table, today: date) -> bool:
    """Whether amounts of several units would be put in an order, which nobody can."""
    is_most = query.aggregate in (Aggregate.LEAST, Aggregate.MOST)
    column = query.shown[0].column if is_most and query.shown else query.order
    rows = rows_of(replace(query, order=None, limit=0), table, today)
    return column is not None and len(units_in(table, column, rows)) > 1


def _is_made_up(query: TableQuery, table: Table, question: str, today: date) -> bool:
    """Whether values that nobody spoke of are listed side by side, or leave no row: "none" has to be so."""
    unsaid = any(is_unsaid(each, question) for each in query.where)
    is_empty = not rows_of(query, table, today)
    # A table without a day of the time that is named is another one's.
    is_other = bool(query.periods) and not has_dates_in(table, query.periods)
    return (unsaid and (query.is_any or is_empty)) or (is_empty and is_other)


def _turned_round(query: TableQuery, table: Table, today: date) -> TableQuery:
    """`query` with its comparison of two columns the other way round, where only then a row fits, and with a
    difference the other way round that is below nothing in each row: nobody has -3 sessions left."""
    other = {Comparison.LESS: Comparison.MORE, Comparison.MORE: Comparison.LESS}
    where = tuple(
        replace(each, comparison=other.get(each.comparison, each.comparison))
        if each.other is not None
        else each
        for each in query.where
    )
    is_empty = where != query.where and not rows_of(query, table, today)
    query = replace(query, where=where) if is_empty else query
    rows = rows_of(query, table, today)
    return replace(query, shown=tuple(_above_nothing(each, table, rows) for each in query.shown))


def _above_nothing(expression: Expression, table: Table, rows: Sequence[int]) -> Expression:
    if expression.sign != "-":
        return expression
    values = [value for each in rows if (value := value_of(expression, table, each)) is not None]
    is_below = bool(values) and max(values) <= 0 and min(values) < 0
    return Expression(expression.other, "-", expression.column) if is_below else expression


def _leaves_nothing_out(query: TableQuery, table: Table, today: date) -> bool:
    is_compared = any(each.other is not None for each in query.where)
    return is_compared and len(rows_of(query, table, today)) == len(table.rows)


_TOLD_WHERE = re.compile(r"\((?P<where>[^()]*[~≁≠≤≥∈=<>\[][^()]*)\)[:,]")


def before_of(asked: str, told: str, table: Table) -> Before:
    """The question before and what was told, which names its conditions."""
    found = _TOLD_WHERE.search(told)
    return Before(asked, told, conditions_in(found["where"], table) if found is not None else ())


def _likeliest(
    query: TableQuery, table: Table, question: str, asked: GenerateRequest, submit: Submit
) -> tuple[TableQuery, float]:
    """`query`, or the same without a condition that no word speaks for, where that is likelier as a whole: a
    model that writes word by word begins a condition before it knows of what. With the logarithm of how
    likely it is: what a grammar has forced out of a model is not."""
    # A time is read by the program, and a model seldom writes it so.
    of_time = tuple(each for each in query.where if each.comparison in OF_TIME)
    bare = replace(query, where=tuple(each for each in query.where if each not in of_time))
    unsaid = [each for each in bare.where if is_unsaid(each, question)]
    # The beginning of a text is as likely as all of it: only what stands before others can be left out.
    is_end = query.order is None and not query.limit
    unsaid = [each for each in unsaid if not is_end or each != bare.where[-1]]
    others = [replace(bare, where=tuple(each for each in bare.where if each != one)) for one in unsaid]
    weights = {}
    for each in (bare, *others):
        text = as_written(each, table)
        stream = submit(replace(asked, weighed=text))
        stream.text()
        weights[each] = stream.scores.get(text, float("-inf"))
    best = max(weights, key=lambda each: weights[each])
    return replace(best, where=(*best.where, *of_time)), weights[best]


def words_that_cells_have(question: str) -> list[str]:
    """The words that a cell may contain, as far as other forms share them, and the numbers."""
    numbers = [each.strip(".,;:?!€$£") for each in question.split() if any(sign.isdigit() for sign in each)]
    words = [plain_letters(each) for each in forms_of(question)]
    stems = [each[: max(5, len(each) - 2)] for each in words if len(each) > 5]
    return [each for each in dict.fromkeys((*words, *stems, *numbers)) if each]


@cache
def examples() -> Mapping[str, Any]:
    """What a model is shown first: tables with queries, folders with choices, and rows told in words."""
    return tomllib.loads((resources() / "table_questions.toml").read_text(encoding="utf-8"))


@cache
def _told_first() -> tuple[Message, ...]:
    """What is the same in all these prompts: what is asked, and examples."""
    read = examples()
    messages = [Message("system", _SYSTEM)]
    for each in read["examples"]:
        before = f"\nBefore: {each['before']}" if "before" in each else ""
        messages.append(
            Message("user", f"{read['tables'][each['table']]}{before}\nQuestion: {each['asked']}")
        )
        messages.append(Message("assistant", each["query"]))
    return tuple(messages)


def rows_shown(question: str, table: Table) -> Sequence[int]:
    """The numbers of the rows that a model sees: of many, the first and those that say a word of it."""
    every = range(len(table.rows))
    if len(every) <= MOST_ROWS:
        return every
    forms = forms_of(question).values()
    said = [
        at
        for at in every
        if any(form.search(plain_letters(" ".join(table.rows[at]).casefold())) for form in forms)
    ]
    first = every[:FIRST_ROWS]
    return sorted({*first, *said[-(MOST_ROWS - len(first)) :]})


def _shown(question: str, table: Table, before: Before | None) -> str:
    lines = [" | ".join(names_of(table))]
    lines += [
        " | ".join(cell[:LONGEST_CELL] for cell in table.rows[at]) for at in rows_shown(question, table)
    ]
    if before is not None and before.asked:
        lines.append(f"Before: {before.asked} -> {' '.join(before.told.split())[:TOLD_SHOWN]}")
    return "\n".join((*lines, f"Question: {' '.join(question.split())}"))


# -- what is told -----------------------------------------------------------------------------


def report_of(query: TableQuery, table: Table, language: str, today: date, is_table: bool) -> str:
    """What a file of the rows of `query` holds, as a table with the same columns or as a list; "" where no
    row fits."""
    return _Telling(query, table, "", language, today).report(is_table)


@dataclass(frozen=True)
class _Telling:
    """What a query comes to, in the words of the program."""

    query: TableQuery
    table: Table
    name: str
    language: str
    today: date

    def text(self) -> str:
        rows = rows_of(self._by_rows, self.table, self.today)
        if not rows:
            return f"{told('no_rows', self.language, a=self._of, b=str(len(self.table.rows)))}"
        match self.query.aggregate:
            case Aggregate.COUNT:
                by_line = self.table.is_told_by_line
                label, parted_by = (self._shown, "; ") if by_line else (self._label, ", ")
                labels = parted_by.join(label(each) for each in rows[:MOST_TOLD])
                return told("counted", self.language, a=self._of, b=str(len(rows)), c=labels)
            case Aggregate.SUM | Aggregate.AVERAGE:
                return f"{self._of}: {self._sum(rows)}"
            case _:
                return self._listed(rows)

    def report(self, is_table: bool) -> str:
        """What a file of it holds: the rows as a table, or as a list, and what they come to."""
        rows = rows_of(self._by_rows, self.table, self.today)
        if not rows:
            return ""
        if is_table:
            lines = [self.table.head_line, *(self.table.lines[each] for each in rows)]
            return "\n".join(filter(None, lines)) + "\n"
        if self.query.aggregate in (Aggregate.SUM, Aggregate.AVERAGE):
            return f"{self._sum(rows)}\n"
        return "".join(f"- {self._shown(each)}\n" for each in rows)

    @property
    def _by_rows(self) -> TableQuery:
        """The least or most of a column is the row that has it."""
        is_most = self.query.aggregate is Aggregate.MOST
        if not is_most and self.query.aggregate is not Aggregate.LEAST:
            return self.query
        return replace(self.query, order=self.query.shown[0].column, is_falling=is_most, limit=1)

    @property
    def _of(self) -> str:
        """The file, and what was looked for in it."""
        where = told_conditions(self.query, self.table)
        return f"{self.name} ({where})" if where else self.name

    def _listed(self, rows: Sequence[int]) -> str:
        shown = [self._shown(each) for each in rows]
        if len(rows) == 1:
            return f"{self._of}: {shown[0]}"
        head = told("rows", self.language, a=self._of, b=str(len(rows)), c=str(len(self.table.rows)))
        lines = [f"- {each}" for each in shown[:MOST_TOLD]]
        lines += ["- …"] if len(shown) > MOST_TOLD else []
        amounts = [each for each in self.query.shown if each.sign or each.column in amounts_in(self.table)]
        is_part = self.query.order is None and bool(self.query.where) and len(amounts) == 1
        total = f"\n\n{self._sum(rows, amounts[0])}" if is_part and not self._are_years(amounts[0]) else ""
        return f"{head}\n\n" + "\n".join(lines) + total

    def _are_years(self, expression: Expression) -> bool:
        return all(re.fullmatch(r"(?:19|20)\d\d", row[expression.column]) for row in self.table.rows)

    def _shown(self, row: int) -> str:
        """What is told of a row: what it is of, and the columns that were asked for; all of a short one."""
        cells = self.table.rows[row]
        if not self.table.head_line or self.table.is_told_by_line:
            return re.sub(r"^\s*[-*+]\s+", "", self.table.lines[row]).strip()
        columns = list(range(len(cells))) if len(cells) <= FEW_COLUMNS else list(self._labels)
        # What two columns come to shows both.
        worked = {at for each in self.query.shown if each.sign for at in each.columns}
        columns = [each for each in columns if each not in worked]
        wanted = [each for each in self.query.shown if each.sign or each.column not in columns]
        shown = [cells[each] for each in columns if cells[each]]
        return ", ".join(filter(None, (*shown, *(self._told(each, row) for each in wanted))))

    def _told(self, expression: Expression, row: int) -> str:
        """A cell, or what two come to: "320.00 − 100.00 = 220.00"."""
        if not expression.sign:
            return self.table.rows[row][expression.column]
        value = value_of(expression, self.table, row)
        return (
            f"{self._figures(expression, row)} = {self._written(value, expression)}"
            if value is not None
            else ""
        )

    def _figures(self, expression: Expression, row: int) -> str:
        sign = {"*": " × ", "-": " − "}.get(expression.sign, "")
        return sign.join(self.table.rows[row][each] for each in expression.columns)

    def _written(self, value: Decimal, expression: Expression) -> str:
        """An amount as its column writes them; the hours between two times of a day with two decimals."""
        columns = [self.table.column(each) for each in expression.columns]
        styles = [each.style for each in columns if isinstance(each, Column)]
        style = max(
            styles, key=lambda each: each.places, default=NumberStyle("." if self.language == "en" else ",")
        )
        if not styles:
            return f"{style.written(round(value, 2).normalize())} h"
        is_own = not expression.sign and self.query.aggregate is not Aggregate.AVERAGE
        if is_own or expression.sign == "-":
            return style.written(value, style.places or None)
        return style.written(value.normalize()) if value else "0"

    @property
    def _labels(self) -> tuple[int, ...]:
        """The columns that tell a row: the first, and where that is a date, a number or the same in several,
        the first of words that no condition has fixed."""
        table, fixed = self.table, {each.column for each in self.query.where}
        firsts = [row[0] for row in table.rows]
        is_name = len(set(firsts)) == len(firsts) and not re.search(r"\d", firsts[0])
        worded = [at for at in table.worded if at not in fixed and dates_in(table, at) is None]
        return tuple(dict.fromkeys((0, *(() if is_name else worded[:1]))))

    def _label(self, row: int) -> str:
        return " ".join(self.table.rows[row][at] for at in self._labels).strip()

    def _sum(self, rows: Sequence[int], expression: Expression | None = None) -> str:
        """The amounts, row by row, and what they come to."""
        expression = expression or self.query.shown[0]
        units = units_in(self.table, expression.column, rows) if not expression.sign else ()
        if len(units) > 1:
            return "; ".join(
                self._sum_of(self._with_unit(expression, rows, each), expression) for each in units
            )
        return self._sum_of(rows, expression)

    def _with_unit(self, expression: Expression, rows: Sequence[int], unit: str) -> Sequence[int]:
        return [each for each in rows if units_in(self.table, expression.column, (each,)) == (unit,)]

    def _sum_of(self, rows: Sequence[int], expression: Expression) -> str:
        """The same of amounts with one unit."""
        valued = [
            (each, value) for each in rows if (value := value_of(expression, self.table, each)) is not None
        ]
        total = total_of(value for _, value in valued)
        units = {unit for each in expression.columns for unit in units_in(self.table, each, rows)} - {""}
        unit = f" {units.pop()}" if len(units) == 1 else ""
        # What is subtracted is bound together; a product binds by itself.
        shown = [
            f"({each})" if expression.sign == "-" else each
            for each in (self._figures(expression, row) for row, _ in valued)
        ]
        if len(shown) > MOST_TOLD:
            shown = [*shown[: MOST_TOLD - 1], "…", shown[-1]]
        if self.query.aggregate is Aggregate.AVERAGE and valued:
            exact = total / len(valued)
            mean = round(exact, FEWEST_PLACES)
            sign = "=" if mean == exact else "≈"
            return f"({' + '.join(shown)}) / {len(valued)} {sign} {self._written(mean, expression)}{unit}"
        total_shown = f"{self._written(total, expression)}{unit}"
        if len(rows) == 1 and not expression.sign:
            return f"{self._label(rows[0])}, {self._figures(expression, rows[0])}"
        return f"{' + '.join(shown)} = {total_shown}{self._without(rows, valued)}"

    def _without(self, rows: Sequence[int], valued: Sequence[tuple[int, Decimal]]) -> str:
        """Which of `rows` are not in a sum, for want of an amount: it is not all that it seems."""
        missing = [each for each in rows if each not in dict(valued)]
        if not 0 < len(missing) <= MOST_WITHOUT:
            return ""
        return f" {told('without_amount', self.language, a=', '.join(map(self._label, missing)))}"
