"""What is computed from a file: which rows of it, what of them, and what it comes to.

A `Computation` is read from a request (`computed_requests.py`) and worked out here, from the text of the
file, by the program: a model that adds up six lines invents a number. What it comes to is told with its rows,
so that anybody can follow it. Where the file lacks what is asked for, or could be read in two ways, that is
said in its place. Pure functions; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from desktop.chat.intent_words import stems
from desktop.paths import resources
from desktop.reasons import ENGLISH
from desktop.tools.amounts import (
    Amount,
    Column,
    NumberStyle,
    Unclear,
    column_of,
    entries_in,
    scaled_text,
    total_of,
    written_amount,
)
from desktop.tools.dates import date_said, month_number
from desktop.tools.tables import Table, sorted_text

MOST_TOLD = 12  # rows that are told one by one; of more, the first and the last
MOST_NAMED = 12  # entries that are named where one is missing
FEWEST_PLACES = 2  # of an average


class Operation(StrEnum):
    TOTAL = "total"
    AVERAGE = "average"
    COUNT = "count"
    HIGHEST = "highest"
    LOWEST = "lowest"
    DIFFERENCE = "difference"
    AMOUNT = "amount"  # of one entry
    COMPARED = "compared"  # with an amount that was told before
    LISTED = "listed"
    SORTED = "sorted"
    SCALED = "scaled"  # a whole text, each amount of its list
    MERGED = "merged"


class BoundKind(StrEnum):
    BEFORE = "before"
    UNTIL = "until"
    AFTER = "after"
    SINCE = "since"
    IN_MONTH = "in_month"
    OVER = "over"
    UNDER = "under"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


OF_DATES = frozenset(
    (BoundKind.BEFORE, BoundKind.UNTIL, BoundKind.AFTER, BoundKind.SINCE, BoundKind.IN_MONTH)
)


@dataclass(frozen=True)
class Bound:
    """Rows before a date, over an amount; `said` is that date or amount as it was written."""

    kind: BoundKind
    said: str


@dataclass(frozen=True)
class Selection:
    """Which rows: `only` and `without` are cells of the file, `bounds` what dates or amounts have to be. All
    rows where all are empty."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class Computation:
    """`column` is the name of one of the file's columns, "" for the only one of amounts; `pair` are the two
    entries of a difference; `beside` is the amount that was told before."""

    operation: Operation
    source: str
    selection: Selection = Selection()
    column: str = ""
    factor: Decimal = Decimal(1)
    is_falling: bool = False
    pair: tuple[str, str] = ("", "")
    beside: str = ""


@dataclass(frozen=True)
class Worked:
    """What came of it. `told` is for the user, `content` what a file of it holds; both "" where `missing`
    says why nothing was worked out. `is_text`: the content is a whole text, no line for another."""

    told: str = ""
    content: str = ""
    missing: str = ""
    is_text: bool = False


@cache
def tables_of_words() -> Mapping[str, Any]:
    """All of `resources/computations.toml`."""
    return tomllib.loads((resources() / "computations.toml").read_text(encoding="utf-8"))


def told(key: str, language: str, **values: str) -> str:
    template: str = tables_of_words()["told"][key][language]
    return template.format(**values)


class _MissingError(Exception):
    """Nothing can be worked out; its text says why."""


def worked_out(asked: Computation, text: str, table: Table, language: str) -> Worked:
    """What `asked` comes to over `table`, which stands in `text`."""
    try:
        return _Work(asked, text, table, language).done()
    except _MissingError as missing:
        return Worked(missing=str(missing))


@dataclass(frozen=True)
class _Row:
    label: str
    amount: Amount | None
    at: int


@dataclass(frozen=True)
class _Work:
    asked: Computation
    text: str
    table: Table
    language: str

    def done(self) -> Worked:
        work = {
            Operation.COUNT: self._count,
            Operation.LISTED: self._listed,
            Operation.SORTED: self._sorted,
            Operation.SCALED: self._scaled,
            Operation.HIGHEST: self._extreme,
            Operation.LOWEST: self._extreme,
            Operation.DIFFERENCE: self._difference,
            Operation.COMPARED: self._compared,
            Operation.AMOUNT: self._amount,
        }.get(self.asked.operation, self._sum)
        return work()

    # -- rows and columns -------------------------------------------------------------------------

    def _at(self) -> int:
        """The column of amounts."""
        table, numeric = self.table, self.table.numeric
        if self.asked.column:
            at = self._named_column(numeric)
            if at is not None:
                return at
            raise self._missing("no_column", b=self.asked.column, c=self._columns())
        if len(numeric) > 1:
            raise self._missing("which_column", b=_listed([self._name(each) for each in numeric]))
        if not numeric:
            self._explain_no_numbers()
        if table.is_list and all(not row[1] for row in table.rows):
            raise self._missing("no_numbers", b="–")
        return numeric[0]

    def _explain_no_numbers(self) -> None:
        """Most cells of a column are amounts and one is not: that one is named."""
        for at in range(self.table.width):
            found = self.table.column(at)
            cells = [row[at] for row in self.table.rows if row[at]]
            amounts = sum(isinstance(self._alone(each), Column) for each in cells)
            if isinstance(found, Unclear) and amounts * 2 > len(cells) and self.table.dates(at) is None:
                raise self._missing("not_a_number", b=found.cell)
        raise self._missing("no_numbers", b=self._columns())

    def _alone(self, cell: str) -> Column | Unclear:
        return Table((), ((cell,),), (cell,), "", "\n").column(0)

    def _named_column(self, among: Sequence[int]) -> int | None:
        said = self.asked.column.casefold()
        found = [at for at in among if self._name(at).casefold() == said]
        return found[0] if len(found) == 1 else None

    def _name(self, at: int) -> str:
        return self.table.header[at] if self.table.header else f"{at + 1}"

    def _columns(self) -> str:
        return _listed([self._name(at) for at in range(self.table.width)])

    def _column(self, at: int) -> Column:
        found = self.table.column(at)
        if isinstance(found, Unclear):
            key = "two_readings" if found.is_ambiguous else "not_a_number"
            raise self._missing(key, b=found.cell)
        return found

    def _rows(self, at: int | None) -> list[_Row]:
        """Those that are selected, with their amounts in the column `at`."""
        column = self._column(at) if at is not None else None
        labels = [self._label(row) for row in self.table.rows]
        rows = [
            _Row(label, column.amounts[number] if column is not None else None, number)
            for number, label in enumerate(labels)
        ]
        chosen = self.asked.selection
        if chosen.only:
            rows = [each for each in rows if self._says(each.at, chosen.only)]
        rows = [each for each in rows if not self._says(each.at, chosen.without)]
        for bound in chosen.bounds:
            kept = self._within(bound)
            rows = [each for each in rows if each.at in kept]
        return rows

    def _label(self, row: Sequence[str]) -> str:
        """What a row is of: the first of its words, else all of it."""
        worded = self.table.worded
        return next((row[at] for at in worded if row[at]), "") or next(
            (row[at] for at in self.table.dated), ""
        )

    def _says(self, at: int, cells: Sequence[str]) -> bool:
        row = self.table.rows[at]
        return any(row[each].casefold() == cell.casefold() for each in self.table.worded for cell in cells)

    def _within(self, bound: Bound) -> frozenset[int]:
        if bound.kind in OF_DATES:
            return self._dated_within(bound)
        at = self._at()
        column = self._column(at)
        limit = self._limit(bound.said)
        return frozenset(
            number
            for number, each in enumerate(column.amounts)
            if each is not None and _is_within(bound.kind, each.value, limit)
        )

    def _limit(self, said: str) -> Decimal:
        """The amount that a request names; where 1.000 may be two things, what it is in its language."""
        alone = column_of([said])
        if isinstance(alone, Column) and alone.amounts[0] is not None:
            return alone.amounts[0].value
        style = NumberStyle(".", ",") if self.language == ENGLISH else NumberStyle(",", ".")
        try:
            return style.read(said)
        except InvalidOperation:  # 1,2,3
            raise self._missing("two_readings", b=said) from None

    def _dated_within(self, bound: Bound) -> frozenset[int]:
        dated = self.table.dated
        if len(dated) != 1:
            raise self._missing("no_dates")
        dates = self.table.dates(dated[0]) or ()
        years = {each.year for each in dates}
        if bound.kind is BoundKind.IN_MONTH:
            name, _, year = bound.said.partition(" ")
            if not year and len({each.year for each in dates if each.month == month_number(name)}) > 1:
                raise self._missing("which_year")
            return frozenset(
                number
                for number, each in enumerate(dates)
                if each.month == month_number(name) and (not year or each.year == int(year))
            )
        limit = date_said(bound.said, next(iter(years)) if len(years) == 1 else 0)
        if limit is None:
            raise self._missing("which_year" if len(years) > 1 else "no_dates")
        return frozenset(number for number, each in enumerate(dates) if _is_within(bound.kind, each, limit))

    # -- operations -------------------------------------------------------------------------------

    def _sum(self) -> Worked:
        """A total or an average, with each row that it is made of."""
        at = self._at()
        rows, notes = self._without_sums(self._rows(at))
        known, style = self._with_amounts(rows, notes), self._column(at).style
        unit = self._one_unit(known)
        total = total_of(each.amount.value for each in known if each.amount is not None)
        value, sign = total, "="
        shown = " + ".join(_told_rows(known, style, unit))
        if self.asked.operation is Operation.AVERAGE:
            value, is_rounded = _shared(total, len(known), style)
            shown, sign = f"({shown}) / {len(known)}", "≈" if is_rounded else "="
        written = _with_unit(written_amount(value, style), unit)
        lines = [f"{self._of_rows()}: {shown} {sign} {written}", *notes]
        return Worked("\n".join(lines), written)

    def _of_rows(self) -> str:
        """The file, and what stands for its rows."""
        name, chosen = self.asked.source, self.asked.selection
        if chosen.without:
            return told("without", self.language, a=name, b=_listed(chosen.without))
        return name

    def _without_sums(self, rows: Sequence[_Row]) -> tuple[list[_Row], list[str]]:
        """A line that is the sum of the others would be counted twice."""
        is_sum = re.compile(tables_of_words()["labels"]["sums"], re.IGNORECASE)
        left = [each for each in rows if not is_sum.fullmatch(each.label.strip(" :*"))]
        gone = [each for each in rows if each not in left]
        if not gone or not left or self.asked.selection.only:
            return list(rows), []
        return left, [told("sums_left_out", self.language, a=each.label) for each in gone]

    def _with_amounts(self, rows: Sequence[_Row], notes: list[str]) -> list[_Row]:
        known = [each for each in rows if each.amount is not None]
        empty = [each.label for each in rows if each.amount is None]
        if not known:
            raise self._missing("no_rows", b=str(len(self.table.rows)))
        if empty:
            notes.append(told("empty_left_out", self.language, a=_listed(empty[:MOST_NAMED])))
        return known

    def _one_unit(self, rows: Sequence[_Row]) -> str:
        units = {each.amount.unit for each in rows if each.amount is not None}
        # A sum that some cells name their currency for and others do not is still one of that currency.
        named = sorted(units - {""})
        if len(named) > 1 or (named and "" in units and self.table.is_list):
            raise self._missing("several_units", b=_listed([each or "–" for each in sorted(units)]))
        return named[0] if named else ""

    def _count(self) -> Worked:
        # A bound of amounts looks at their column by itself.
        rows, notes = self._without_sums(self._rows(None))
        shown = _listed(_few([each.label for each in rows])) or "–"
        said = told("counted", self.language, a=self._of_rows(), b=str(len(rows)), c=shown)
        return Worked("\n".join((said, *notes)), str(len(rows)))

    def _listed(self) -> Worked:
        rows = self._rows(None)
        if not rows:
            return Worked(told("no_rows", self.language, a=self.asked.source, b=str(len(self.table.rows))))
        lines = [self._line(each.at) for each in rows]
        head = told("rows", self.language, a=self.asked.source, b=str(len(rows)), c=str(len(self.table.rows)))
        before = [self.table.head_line] if self.table.head_line and not self.table.is_list else []
        shown = "\n".join(
            f"- {', '.join(cell for cell in self.table.rows[each.at] if cell)}" for each in rows
        )
        return Worked(f"{head}\n\n{shown}", "\n".join((*before, *lines)), is_text=True)

    def _line(self, at: int) -> str:
        return self.table.lines[at] if self.table.lines else " ".join(self.table.rows[at]).strip()

    def _extreme(self) -> Worked:
        at = self._at()
        rows, _ = self._without_sums(self._rows(at))
        known = self._with_amounts(rows, [])
        unit = self._one_unit(known)
        style = self._column(at).style
        is_highest = self.asked.operation is Operation.HIGHEST
        values = [each.amount.value for each in known if each.amount is not None]
        best = max(values) if is_highest else min(values)
        # All that share it: of two that cost the same neither is "the" dearest.
        first = [each for each, value in zip(known, values, strict=True) if value == best]
        named = _listed([_told_row(each, style, unit) for each in first])
        others = _listed(_told_rows(known, style, unit))
        key = "highest" if is_highest else "lowest"
        return Worked(told(key, self.language, a=self._of_rows(), b=named, c=others), named)

    def _amount(self) -> Worked:
        """Of the entries that are named, each with what it has; times the factor."""
        if self._lacks_kinds():
            return self._sum()
        at = self._at()
        rows = self._with_amounts(self._rows(at), [])
        style = self._column(at).style
        if len(rows) > 1 and len({each.label for each in rows}) < len(rows):
            return self._sum()
        if self.asked.factor == 1:
            shown = [_told_entry(each, style, self.table.is_list) for each in rows]
            return Worked(f"{self.asked.source}: {_listed(shown)}", "\n".join(shown))
        figures, content = [], []
        for each in rows:
            assert each.amount is not None
            before = _told_entry(each, style, self.table.is_list)
            amount = Amount(each.amount.value * self.asked.factor, each.amount.unit)
            after = _told_entry(_Row(each.label, amount, each.at), style, self.table.is_list)
            figures.append(f"{before} × {written_amount(self.asked.factor, style)} = {after}")
            content.append(after)
        return Worked(f"{self.asked.source}: {_listed(figures)}", "\n".join(content))

    def _lacks_kinds(self) -> bool:
        """Whether the rows are events, such as what was bought when, of which several add up."""
        chosen = self.asked.selection
        return self.asked.factor == 1 and (
            bool(self.table.dated) or bool(chosen.without) or bool(chosen.bounds)
        )

    def _difference(self) -> Worked:
        at = self._at()
        style, values = self._column(at).style, []
        shown = []
        for cell in self.asked.pair:
            rows = [each for each in self._rows(at) if self._says(each.at, (cell,)) and each.amount]
            if not rows:
                raise self._missing("no_row", b=cell, c=self._entries())
            self._one_unit(rows)
            value = total_of(each.amount.value for each in rows if each.amount is not None)
            values.append(value)
            shown.append(f"{cell} {written_amount(value, style)}")
        unit = self._one_unit([each for each in self._rows(at) if self._says(each.at, self.asked.pair)])
        # The larger first: a difference is asked for, and no debt.
        order = (0, 1) if values[0] >= values[1] else (1, 0)
        result = _with_unit(written_amount(abs(values[0] - values[1]), style), unit)
        return Worked(f"{self.asked.source}: {shown[order[0]]} − {shown[order[1]]} = {result}", result)

    def _compared(self) -> Worked:
        at = self._at()
        rows = self._with_amounts(self._rows(at), [])
        style = self._column(at).style
        if len(rows) != 1 or rows[0].amount is None:
            raise self._missing("which_row", b=_listed([each.label for each in rows][:MOST_NAMED]))
        before = Table((), ((self.asked.beside,),), (), "", "\n").column(0)
        if isinstance(before, Unclear) or before.amounts[0] is None:
            raise self._missing("two_readings", b=self.asked.beside)
        other, mine = before.amounts[0], rows[0].amount
        if other.unit and mine.unit and other.unit != mine.unit:
            raise self._missing("several_units", b=_listed([mine.unit, other.unit]))
        unit = mine.unit or other.unit
        shown = _told_row(rows[0], style, mine.unit)
        if other.value == mine.value:
            return Worked(told("same", self.language, a=self.asked.source, b=shown, c=self.asked.beside))
        apart = _with_unit(written_amount(abs(other.value - mine.value), style), unit)
        return Worked(
            told("differs", self.language, a=self.asked.source, b=shown, c=self.asked.beside, d=apart)
        )

    def _sorted(self) -> Worked:
        table = self.table
        if not table.lines:
            raise self._missing("no_amounts")
        at = self._sorting_column()
        if at in table.numeric:
            column = self._column(at)
            if None in column.amounts or len(column.units - {""}) > 1:
                raise self._missing("several_units", b=_listed(sorted(column.units)))
        text = sorted_text(table, at, self.asked.is_falling)
        said = told(
            "sorted", self.language, a=self.asked.source, b=str(len(table.rows)), c=self._sorted_by(at)
        )
        return Worked(said, text, is_text=True)

    def _sorted_by(self, at: int) -> str:
        if self.table.header:
            return self.table.header[at]
        cells = [row[at] for row in self.table.rows if row[at]]
        return f"{cells[0]}, …" if cells else str(at + 1)

    def _sorting_column(self) -> int:
        table = self.table
        if self.asked.column:
            at = self._named_column(range(table.width))
            if at is None:
                raise self._missing("no_column", b=self.asked.column, c=self._columns())
            return at
        if table.is_list:
            has_amounts = bool(table.numeric) and all(row[1] for row in table.rows)
            return 1 if has_amounts and self.asked.selection.bounds else 0
        if len(table.numeric) == 1:
            return table.numeric[0]
        every = [self._name(at) for at in range(table.width)]
        raise self._missing("which_column", b=_listed(every))

    def _scaled(self) -> Worked:
        changed = scaled_text(self.text, self.asked.factor)
        if changed is None or changed == self.text:
            raise self._missing("no_amounts")
        before, after = entries_in(self.text), entries_in(changed)
        shown = [
            f"{old.label} {old.amount} → {new.amount}"
            for old, new in zip(before, after, strict=True)
            if old.amount and old.amount != new.amount
        ]
        factor = written_amount(self.asked.factor, NumberStyle())
        said = told("scaled", self.language, a=self.asked.source, b=factor, c=_listed(_few(shown)))
        return Worked(said, changed, is_text=True)

    def _entries(self) -> str:
        return _listed(labels_of(self.table)[:MOST_NAMED])

    def _missing(self, key: str, **values: str) -> _MissingError:
        return _MissingError(told(key, self.language, **({"a": self.asked.source} | values)))


_Value = TypeVar("_Value", Decimal, date)


def _is_within(kind: BoundKind, value: _Value, limit: _Value) -> bool:
    if kind in (BoundKind.BEFORE, BoundKind.UNDER):
        return value < limit
    if kind in (BoundKind.AFTER, BoundKind.OVER):
        return value > limit
    return value <= limit if kind in (BoundKind.UNTIL, BoundKind.AT_MOST) else value >= limit


# -- what a table has ---------------------------------------------------------------------------


def labels_of(table: Table) -> tuple[str, ...]:
    """Its cells of words, each once: what a row may be asked for by."""
    found = (row[at] for at in table.worded for row in table.rows)
    return tuple(dict.fromkeys(each for each in found if each))


def cells_saying(phrase: str, table: Table) -> tuple[str, ...]:
    """The cells that `phrase` says: those that are it, else those that have all of its words."""
    wanted = stems(phrase)
    every = labels_of(table)
    same = tuple(each for each in every if stems(each) == wanted)
    return same or tuple(each for each in every if wanted and wanted <= stems(each))


def column_saying(phrase: str, table: Table) -> str:
    """The column that `phrase` names; "" where none is called so, or two."""
    found = [each for each in table.header if each and stems(each) == stems(phrase)]
    return found[0] if len(found) == 1 else ""


# -- how figures are told -------------------------------------------------------------------------


def _told_row(row: _Row, style: NumberStyle, unit: str) -> str:
    assert row.amount is not None
    return f"{row.label} {_with_unit(written_amount(row.amount.value, style), unit)}".strip()


def _told_entry(row: _Row, style: NumberStyle, is_list: bool) -> str:
    """As a list has it, "250 g flour"; as a table, "rent 850"."""
    assert row.amount is not None
    amount = _with_unit(written_amount(row.amount.value, style), row.amount.unit)
    return f"{amount} {row.label}" if is_list else f"{row.label} {amount}"


def _told_rows(rows: Sequence[_Row], style: NumberStyle, unit: str) -> list[str]:
    # The unit stands once, behind the result.
    return (
        _few([_told_row(each, style, "") for each in rows])
        if unit != "%"
        else _few([_told_row(each, style, unit) for each in rows])
    )


def _few(parts: Sequence[str]) -> list[str]:
    if len(parts) <= MOST_TOLD:
        return list(parts)
    return [*parts[: MOST_TOLD - 2], "…", parts[-1]]


def _with_unit(number: str, unit: str) -> str:
    return f"{number} {unit}" if unit else number


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(each for each in parts if each)


def _shared(total: Decimal, count: int, style: NumberStyle) -> tuple[Decimal, bool]:
    """A mean to two places, and whether it was rounded."""
    with localcontext() as exact:
        exact.prec = 60
        exact_value = total / count
        shown = round(exact_value, max(FEWEST_PLACES, style.places))
    return shown, shown != exact_value
