"""Questions to a table in the form of SQL: which rows, which columns, in what order, what they come to.

A small model that reads eight rows and is asked who has not paid names the wrong ones; the query for it it
writes well. So a query is a value here, with a grammar in which every column and value is one that is there,
and the program finds the rows. Lists, checklists and logs are tables too: their lines are the rows
(`rows_in`), and so are notes of one form and objects (`regular_rows.py`), which can be asked and not changed.
Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum

from desktop.tools.amounts import Column, amount_in
from desktop.tools.dates import ANY_DATE, MONTH, date_said, dates_of, month_number
from desktop.tools.periods import Period
from desktop.tools.regular_rows import KINDS, regular_rows
from desktop.tools.table_cells import TASK, is_open
from desktop.tools.tables import (
    Table,
    list_in,
    markdown_table_in,
    markdown_tables_in,
    sheet_in,
    table_in,
)
from desktop.tools.text import folded_letters

DONE = "done"  # the column of a checklist that has its boxes
SECTION = "section"  # the one of the headings above them
TODAY = "today"  # a date that a condition may name
MOST_CONDITIONS = 3
MOST_VALUES = 60  # different cells of a column that a condition may name
LONGEST_VALUE = 60  # characters of one
SHORT_CELL = 24  # characters of one by which a table is known
_HEADING = re.compile(r"#{1,6}\s+(?P<what>.+?)\s*#*\s*")
_DATED = re.compile(
    rf"\s*(?:[-*+]\s+)?(?P<date>{ANY_DATE.pattern})\s*[:,–-]?\s+(?P<what>\S.*?)\s*", re.IGNORECASE
)
_MONTH_NAME = re.compile(rf"\s*(?:{MONTH})\.?\s*", re.IGNORECASE)
_ANY_YEAR = 2000  # of dates that name none: only their order counts
_QUERY = re.compile(
    r"SELECT (?P<what>.+?) FROM t(?: WHERE (?P<where>.+?))?"
    r"(?: ORDER BY (?P<order>\w+)(?P<falling> DESC)?)?(?: LIMIT (?P<limit>\d+))?"
)
_SUMMED = re.compile(r"(?P<name>COUNT|SUM|AVG|MIN|MAX)\((?P<of>.+)\)")
_EXPRESSION = re.compile(r"(?P<one>\w+)(?: (?P<sign>[*-]) (?P<other>\w+))?")
_CONDITION = re.compile(
    r"(?P<month>MONTH\()?(?P<column>\w+)\)? (?P<by>=|<>|<=|>=|<|>|LIKE|NOT LIKE|IN) "
    r"(?:'(?P<value>(?:[^']|'')*)'|(?P<other>\w+))"
)
_TIME = re.compile(r"(?P<hours>[01]?\d|2[0-4])[:h](?P<minutes>[0-5]\d)")
_HOURS_OF_A_DAY = 24


class Comparison(StrEnum):
    EQUAL = "="
    OTHER = "<>"
    LESS = "<"
    MORE = ">"
    AT_MOST = "<="
    AT_LEAST = ">="
    LIKE = "LIKE"
    UNLIKE = "NOT LIKE"
    IN_MONTH = "MONTH"
    IN_PERIOD = "IN"


OF_TIME = (Comparison.IN_MONTH, Comparison.IN_PERIOD)


class Aggregate(StrEnum):
    COUNT = "COUNT"
    SUM = "SUM"
    AVERAGE = "AVG"
    LEAST = "MIN"
    MOST = "MAX"


@dataclass(frozen=True)
class Condition:
    """What a cell of `column`, by its number, has to be. `value` is as it stands in the table, an amount, a
    date, a word that the cell contains, or the words for a time; "" where the cell of the column `other` in
    the same row is meant."""

    column: int
    comparison: Comparison
    value: str
    other: int | None = None


@dataclass(frozen=True)
class Expression:
    """A column, or what the amounts of two come to: `sign` is "*" or "-", and between two times of a day "-"
    is the hours from the second to the first."""

    column: int
    sign: str = ""
    other: int = -1

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column, self.other) if self.sign else (self.column,)


@dataclass(frozen=True)
class TableQuery:
    """`shown` are told of each row, or are what `aggregate` is of. All conditions hold, or one of them where
    `is_any`. `order` is a column; `limit` 0 is none. `periods` are those that conditions name."""

    shown: tuple[Expression, ...]
    aggregate: Aggregate | None = None
    where: tuple[Condition, ...] = ()
    is_any: bool = False
    order: int | None = None
    is_falling: bool = False
    limit: int = 0
    periods: tuple[Period, ...] = ()


# -- what is a table --------------------------------------------------------------------------


def tables_in(text: str) -> tuple[Table, ...]:
    """The tables that a text can be asked as: the one of `rows_in`, or the several that Markdown has, as one
    where they have the same columns."""
    one = rows_in(text)
    if one is not None:
        return (one,)
    several = markdown_tables_in(text)
    if len({each.header for _, each in several}) > 1:
        return tuple(each for _, each in several)
    rows = tuple((heading, *row) for heading, each in several for row in each.rows)
    if not rows:
        return ()
    header, lines = several[0][1].header, tuple(line for _, each in several for line in each.lines)
    return (Table((SECTION, *header), rows, lines, several[0][1].head_line, "\n"),)


def rows_in(text: str) -> Table | None:
    """The one table that a text can be asked as: one that can be written, or one that it is in all but its
    ending (`regular_rows.py`); None where it is none."""
    marked = _marked(text)
    # "luz 58,35" above "gas 30,00" has a comma in each line too.
    may_be_notes = marked is None or (not marked.header and marked.parted_by == ",")
    found = regular_rows(text) if may_be_notes else None
    return found if found is not None else writable_rows(text)


def _marked(text: str) -> Table | None:
    """The checklist or the table that a text is by its signs."""
    return _checklist(text) or markdown_table_in(text) or table_in(text)


def writable_rows(text: str) -> Table | None:
    """The one table, list, checklist or log that a text is, each row of which is a line, with named columns;
    None where it is none."""
    table = _marked(text)
    if table is not None and table.header:
        return table
    found = _log(text) or sheet_in(text)
    if found is None or found.header:
        return found
    if not found.is_list:
        found = list_in(text)
    has_amounts = found is not None and any(row[1] for row in found.rows) and bool(found.lines)
    named = replace(found, header=("what", "amount"), head_line="") if found is not None else None
    return named if has_amounts else None


def amounts_in(table: Table) -> tuple[int, ...]:
    """The columns of amounts; the 2nd of February is none."""
    of_amounts = (at for at in table.numeric if isinstance(table.column(at), Column))
    return tuple(at for at in of_amounts if dates_in(table, at) is None)


def _checklist(text: str) -> Table | None:
    rows, lines, section = [], [], ""
    for line in text.splitlines():
        heading, task = _HEADING.fullmatch(line), TASK.fullmatch(line)
        section = heading["what"] if heading is not None else section
        if task is not None:
            rows.append((section, task["what"], "no" if is_open(task) else "yes"))
            lines.append(line)
    if len(rows) < 2:
        return None
    sections = {row[0] for row in rows}
    if len(sections) == 1:
        return Table(("task", DONE), tuple(row[1:] for row in rows), tuple(lines), "", "\n")
    return Table((SECTION, "task", DONE), tuple(rows), tuple(lines), "", "\n")


def _log(text: str) -> Table | None:
    """Lines that begin with a date each, but for a title."""
    lines = [each for each in text.splitlines() if each.strip()]
    found = [(line, dated) for line in lines if (dated := _DATED.fullmatch(line)) is not None]
    if len(found) < 2 or len(found) < len(lines) - 2:
        return None
    rows = tuple((dated["date"], dated["what"]) for _, dated in found)
    return Table(("date", "what"), rows, tuple(line for line, _ in found), "", "\n")


def names_of(table: Table) -> tuple[str, ...]:
    """What its columns are called in a query: their names as one word each."""
    names: list[str] = []
    for at, cell in enumerate(table.header):
        name = re.sub(r"\W+", "_", cell).strip("_") or f"column_{at + 1}"
        names.append(f"{name}_{at + 1}" if name in names or name[0].isdigit() else name)
    return tuple(names)


def head_of(table: Table) -> str:
    """Its columns and a row, by which a table is known: "name, paid (Rossi | yes)"."""
    row = table.rows[min(1, len(table.rows) - 1)]
    return f"{', '.join(names_of(table))} ({' | '.join(cell[:SHORT_CELL] for cell in row)})"


def dates_in(table: Table, column: int) -> tuple[date, ...] | None:
    """The dates of a column, also where none names its year; a month that is named alone is its first day.
    None where one cell is no date."""
    cells = [row[column] for row in table.rows]
    known = dates_of(cells) or dates_of(cells, _ANY_YEAR)
    if known is not None:
        return known
    if cells and all(_MONTH_NAME.fullmatch(each) for each in cells):
        return tuple(date(_ANY_YEAR, month_number(each.strip(". ")), 1) for each in cells)
    found = [date_said(each, _ANY_YEAR) for each in cells]
    return tuple(each for each in found if each is not None) if None not in found else None


def has_dates_in(table: Table | None, periods: Sequence[Period]) -> bool:
    """Whether a date of `table` is in one of `periods`."""
    if table is None or not periods:
        return False
    columns = (dates_in(table, at) or () for at in range(table.width))
    return any(is_in(each, period) for column in columns for each in column for period in periods)


# -- what a query may be ----------------------------------------------------------------------


def times_in(table: Table) -> tuple[int, ...]:
    """The columns that hold nothing but times of a day, or nothing."""
    columns = ([row[at] for row in table.rows if row[at]] for at in range(table.width))
    return tuple(at for at, cells in enumerate(columns) if cells and all(map(_TIME.fullmatch, cells)))


def grammar_of(
    table: Table,
    said: Sequence[str],
    months: Sequence[int] = (),
    periods: Sequence[Period] = (),
    compares_columns: bool = True,
) -> str:
    """Queries to `table`, or `none`. `said` are the words and numbers of the question, which a cell may
    contain or be compared with; `months` and `periods` those that it names. `compares_columns`: two columns
    of amounts may be compared."""
    names = names_of(table)
    numbers = [names[at] for at in amounts_in(table)]
    times = [names[at] for at in times_in(table)]
    conditions = [
        each for at in range(table.width) for each in _conditions(table, at, names[at], said, months, periods)
    ]
    two = ['number ( " * " | " - " ) number'] if len(numbers) > 1 else []
    two += ['time " - " time'] if len(times) > 1 else []
    if len(numbers) > 1 and compares_columns:
        conditions.append('number " " ( "<" | ">" | "<>" | "=" ) " " number')
    rules = {
        "root": '"none" | "SELECT " what " FROM t" where? order? limit?',
        "column": choice_of(names),
        "item": " | ".join(("column", *two)),
        "what": f'item ( ", " item ){{0,{len(names) - 1}}} | "COUNT(*)"',
        "where": '" WHERE " condition ( and | or )?',
        "and": f'( " AND " condition ){{1,{MOST_CONDITIONS - 1}}}',
        "or": f'( " OR " condition ){{1,{MOST_CONDITIONS - 1}}}',
        "order": '" ORDER BY " column " DESC"?',
        "limit": '" LIMIT " [1-9]',
        "condition": " | ".join(conditions) or '"0"',
    }
    rules |= {"number": choice_of(numbers)} if numbers else {}
    rules |= {"time": choice_of(times)} if times else {}
    summed = ["number", *two] if numbers else two
    if summed:
        rules["what"] += " | sum"
        rules["sum"] = f'( "SUM" | "AVG" | "MIN" | "MAX" ) "(" ( {" | ".join(summed)} ) ")"'
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


def _conditions(
    table: Table, at: int, name: str, said: Sequence[str], months: Sequence[int], periods: Sequence[Period]
) -> Iterator[str]:
    cells = list(dict.fromkeys(row[at] for row in table.rows))
    values = [each for each in cells if len(each) <= LONGEST_VALUE and "\n" not in each]
    are_few = len(values) <= MOST_VALUES
    if dates_in(table, at) is not None:
        # Where a time is named, no day of another one is meant.
        if months:
            yield f'"MONTH({name}) = \'" ( {choice_of(map(str, months))} ) "\'"'
        if periods:
            yield f'"{name} IN \'" ( {choice_of(each.words for each in periods)} ) "\'"'
        if not months and not periods:
            yield _compared(name, (TODAY, *(values if are_few else ())))
            yield _equal(name, values if are_few else ())
        return
    yield _equal(name, values if are_few else ())
    if at in amounts_in(table):
        numbers = [each for each in said if amount_in(each) is not None]
        if numbers:
            yield _compared(name, numbers)
        return
    words = [each for each in said if any(contains(row[at], each) for row in table.rows)]
    if words:
        yield f'"{name} " ( "LIKE" | "NOT LIKE" ) " \'%" ( {choice_of(map(quoted, words))} ) "%\'"'


def _compared(name: str, values: Sequence[str]) -> str:
    by = '"<" | ">" | "<=" | ">="'
    return f'"{name} " ( {by} ) " \'" ( {choice_of(map(quoted, values))} ) "\'"'


def _equal(name: str, values: Sequence[str]) -> str:
    # Of a column with too many values, or too long ones, none can be named.
    cells = choice_of(map(quoted, values)) or '"–"'
    return f'"{name} " ( "=" | "<>" ) " \'" ( {cells} ) "\'"'


def choice_of(texts: Iterable[str]) -> str:
    """The rule of a grammar for one of `texts`; "" for none."""
    return " | ".join(_literal(each) for each in dict.fromkeys(texts))


def _literal(text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return f'"{escaped}"'


def quoted(value: str) -> str:
    """`value` as it stands between the quotation marks of a query."""
    return value.replace("'", "''")


# -- a query that was written -----------------------------------------------------------------


def query_in(written: str, table: Table, periods: Sequence[Period] = ()) -> TableQuery | None:
    """The query that `written` is; None for `none`, and for what is no query to `table`."""
    found = _QUERY.fullmatch(written.strip())
    if found is None:
        return None
    numbers = {name: at for at, name in enumerate(names_of(table))}
    summed = _SUMMED.fullmatch(found["what"])
    items = [summed["of"]] if summed is not None else found["what"].split(", ")
    shown = [_expression(each, numbers) for each in items if each != "*"]
    where = conditions_of(found["where"] or "", numbers)
    if None in shown or None in where or (found["order"] and found["order"] not in numbers):
        return None
    return TableQuery(
        tuple(dict.fromkeys(_from_end_to_beginning(each, table) for each in shown if each is not None)),
        Aggregate(summed["name"]) if summed is not None else None,
        tuple(each for each in where if each is not None),
        " OR " in _CONDITION.sub("", found["where"] or ""),
        numbers[found["order"]] if found["order"] else None,
        bool(found["falling"]),
        int(found["limit"] or 0),
        tuple(periods),
    )


def _expression(written: str, numbers: Mapping[str, int]) -> Expression | None:
    found = _EXPRESSION.fullmatch(written)
    if found is None or any(each not in numbers for each in (found["one"], found["other"]) if each):
        return None
    if not found["sign"]:
        return Expression(numbers[found["one"]])
    return Expression(numbers[found["one"]], found["sign"], numbers[found["other"]])


def _from_end_to_beginning(expression: Expression, table: Table) -> Expression:
    """The hours between two times: the column that stands behind is the end."""
    of_times = expression.sign == "-" and expression.column in times_in(table)
    first, last = sorted(expression.columns)[0], sorted(expression.columns)[-1]
    return Expression(last, "-", first) if of_times else expression


def conditions_of(written: str, numbers: Mapping[str, int]) -> list[Condition | None]:
    """The conditions of a query, by the `numbers` of its columns; None for one of another table's column."""
    return [_condition(each, numbers) for each in _CONDITION.finditer(written)]


def _condition(found: re.Match[str], numbers: Mapping[str, int]) -> Condition | None:
    if found["column"] not in numbers or (found["other"] and found["other"] not in numbers):
        return None
    comparison = Comparison.IN_MONTH if found["month"] else Comparison(found["by"])
    if found["other"]:
        return Condition(numbers[found["column"]], comparison, "", numbers[found["other"]])
    value = found["value"].replace("''", "'")
    if comparison in (Comparison.LIKE, Comparison.UNLIKE):
        value = value.strip("%")
    return Condition(numbers[found["column"]], comparison, value)


def as_written(query: TableQuery, table: Table) -> str:
    """`query` as a model writes it."""
    names = names_of(table)
    what = ", ".join(
        names[each.column] + (f" {each.sign} {names[each.other]}" if each.sign else "")
        for each in query.shown
    )
    if query.aggregate is not None:
        what = f"{query.aggregate}({what or '*'})"
    where = (" OR " if query.is_any else " AND ").join(
        _condition_written(each, names) for each in query.where
    )
    # Nothing is sent to a database: a query is only read back here.
    parts = [f"SELECT {what} FROM t", f"WHERE {where}" if where else ""]  # noqa: S608
    if query.order is not None:
        parts.append(f"ORDER BY {names[query.order]}{' DESC' if query.is_falling else ''}")
    parts.append(f"LIMIT {query.limit}" if query.limit else "")
    return " ".join(filter(None, parts))


def _condition_written(condition: Condition, names: Sequence[str]) -> str:
    name, value = names[condition.column], quoted(condition.value)
    if condition.other is not None:
        return f"{name} {condition.comparison} {names[condition.other]}"
    match condition.comparison:
        case Comparison.IN_MONTH:
            return f"MONTH({name}) = '{value}'"
        case Comparison.LIKE | Comparison.UNLIKE:
            return f"{name} {condition.comparison} '%{value}%'"
        case _:
            return f"{name} {condition.comparison} '{value}'"


_TOLD_SIGNS = {
    Comparison.LIKE: "~",
    Comparison.UNLIKE: "≁",
    Comparison.OTHER: "≠",
    Comparison.AT_MOST: "≤",
    Comparison.AT_LEAST: "≥",
    Comparison.IN_MONTH: "∈",
    Comparison.IN_PERIOD: "in",
}
_BOXES = {"no": "[ ]", "yes": "[x]"}


def told_conditions(query: TableQuery, table: Table) -> str:
    """The conditions as they are told to the user: "paid = no, town ≠ Bonn"; of a list or log, whose columns
    have no names of their own, "[ ], ~ Ivo"."""
    return (" / " if query.is_any else ", ").join(_told_condition(each, table) for each in query.where)


def _own_name(table: Table, column: int) -> str:
    """The name of a column as it is told; "" where it only says of which kind it is."""
    name = table.header[column]
    is_kind = not table.head_line or (table.is_told_by_line and name in KINDS)
    return "" if is_kind else f"{name} "


def _told_condition(condition: Condition, table: Table) -> str:
    name = _own_name(table, condition.column)
    value, sign = condition.value or "–", _TOLD_SIGNS.get(condition.comparison, condition.comparison.value)
    value = table.header[condition.other] if condition.other is not None else value
    is_box = not name and table.header[condition.column] == DONE and condition.comparison is Comparison.EQUAL
    return _BOXES[value] if is_box and value in _BOXES else f"{name}{sign} {value}"


def conditions_in(told: str, table: Table) -> tuple[Condition, ...]:
    """The conditions that `told_conditions` told; () where they are not of `table`."""
    signs = {_TOLD_SIGNS.get(each, each.value): each for each in Comparison}
    columns: dict[str, int | None] = {_own_name(table, at): at for at in range(table.width)}
    columns |= {"": None} if "" in columns else {}
    found = []
    for part in re.split(r", (?=in |[^,]*(?:[~≁≠≤≥∈=<>\[]| in ))", told):
        if part in _BOXES.values() and DONE in table.header:
            value = next(value for value, box in _BOXES.items() if box == part)
            found.append(Condition(table.header.index(DONE), Comparison.EQUAL, value))
            continue
        read = re.fullmatch(r"(?P<column>.+? |)(?P<sign>[~≁≠≤≥∈=<>]|in) (?P<value>.+)", part)
        if read is None or read["column"] not in columns:
            return ()
        named, value = columns[read["column"]], read["value"].replace("–", "")
        at = _column_with(value, table, read["sign"] in "<>≤≥") if named is None else named
        other = columns.get(f"{value} ") if read["sign"] in "<>≤≥" else None
        found.append(Condition(at, signs[read["sign"]], value if other is None else "", other))
    return tuple(found)


def _column_with(value: str, table: Table, is_compared: bool) -> int:
    """The column, of those that have no name of their own, that has `value` in most of its cells; of amounts
    where it `is_compared` with one."""
    amounts = amounts_in(table) if is_compared and amount_in(value) is not None else ()
    unnamed = [at for at in amounts or range(table.width) if not _own_name(table, at)]
    return max(unnamed, key=lambda at: sum(contains(row[at], value) for row in table.rows), default=0)


def rows_of(query: TableQuery, table: Table, today: date) -> tuple[int, ...]:
    """The numbers of the rows that fit, in the order that is asked for."""
    join = any if query.is_any else all
    found = [
        at
        for at in range(len(table.rows))
        if not query.where or join(_fits(each, table, at, query, today) for each in query.where)
    ]
    if query.order is not None:
        found.sort(key=_Keys(table, query.order), reverse=query.is_falling)
    return tuple(found[: query.limit or None])


class _Keys:
    """Puts rows in the order of a column: by dates or amounts where all are, else by the alphabet."""

    def __init__(self, table: Table, column: int) -> None:
        self._keys = (
            dates_in(table, column) or table.numbers(column) or [row[column].casefold() for row in table.rows]
        )

    def __call__(self, at: int) -> date | Decimal | str:
        key: date | Decimal | str = self._keys[at]
        return key


def _fits(condition: Condition, table: Table, at: int, query: TableQuery, today: date) -> bool:
    cell, value = table.rows[at][condition.column], condition.value
    if condition.other is not None:
        return _is_of_column(condition, table, at)
    match condition.comparison:
        case Comparison.EQUAL:
            return cell.casefold() == value.casefold()
        case Comparison.OTHER:
            return cell.casefold() != value.casefold()
        case Comparison.LIKE:
            return contains(cell, value)
        case Comparison.UNLIKE:
            return not contains(cell, value)
        case Comparison.IN_MONTH:
            dates = dates_in(table, condition.column)
            return dates is not None and str(dates[at].month) == value
        case Comparison.IN_PERIOD:
            return _is_in_period(condition, table, at, query.periods)
        case _:
            return _is_within(condition, table, at, today)


def _is_of_column(condition: Condition, table: Table, at: int) -> bool:
    mine = amount_at(table, condition.column, at)
    others = amount_at(table, condition.other, at) if condition.other is not None else None
    return mine is not None and others is not None and _holds(condition.comparison, mine, others)


def _is_in_period(condition: Condition, table: Table, at: int, periods: Sequence[Period]) -> bool:
    dates = dates_in(table, condition.column)
    named = next((each for each in periods if each.words == condition.value), None)
    if dates is None or named is None:
        return False
    return is_in(dates[at], named)


HALF_YEAR = 183  # days


def is_in(day: date, period: Period) -> bool:
    """Whether `day` is of `period`; one that names no year of any, or of an open one of its half year."""
    if day.year == _ANY_YEAR and date.min == period.first:
        return any(
            0 <= (period.last - _in_year(day, period.last.year - ago)).days <= HALF_YEAR for ago in (0, 1)
        )
    if day.year == _ANY_YEAR and date.max == period.last:
        return any(
            0 <= (_in_year(day, period.first.year + on) - period.first).days <= HALF_YEAR for on in (0, 1)
        )
    years = (period.first.year, period.last.year) if day.year == _ANY_YEAR else (day.year,)
    return any(period.first <= _in_year(day, year) <= period.last for year in years)


def _in_year(day: date, year: int) -> date:
    return date(year, 3, 1) if (day.month, day.day) == (2, 29) else day.replace(year=year)


def _is_within(condition: Condition, table: Table, at: int, today: date) -> bool:
    dates = dates_in(table, condition.column)
    if dates is not None:
        cells = [row[condition.column] for row in table.rows]
        limit = dates[cells.index(condition.value)] if condition.value in cells else today
        if dates[at].year == _ANY_YEAR:
            limit = _in_year(limit, _ANY_YEAR)
        return _holds(condition.comparison, dates[at], limit)
    amount, limit_amount = amount_at(table, condition.column, at), amount_in(condition.value)
    return (
        amount is not None
        and limit_amount is not None
        and _holds(condition.comparison, amount, limit_amount.value)
    )


def amount_at(table: Table, column: int, row: int) -> Decimal | None:
    """The amount of a cell, or the hours of a time of day; None where it has none."""
    time = _TIME.fullmatch(table.rows[row][column])
    if time is not None:
        return Decimal(time["hours"]) + Decimal(time["minutes"]) / 60
    amounts = table.column(column)
    amount = amounts.amounts[row] if isinstance(amounts, Column) else None
    return amount.value if amount is not None else None


def units_in(table: Table, column: int, rows: Sequence[int]) -> tuple[str, ...]:
    """The units of the amounts of a column in `rows`, "" for none, each once: kg and pieces have no sum."""
    amounts = table.column(column)
    found = [amounts.amounts[each] for each in rows] if isinstance(amounts, Column) else []
    return tuple(dict.fromkeys(each.unit for each in found if each is not None))


def value_of(expression: Expression, table: Table, row: int) -> Decimal | None:
    """What an expression comes to in a row; None where a cell of it has no amount."""
    one = amount_at(table, expression.column, row)
    if one is None or not expression.sign:
        return one
    other = amount_at(table, expression.other, row)
    if other is None:
        return None
    if expression.sign == "*":
        return one * other
    # An end before its beginning is on the next day.
    is_past_midnight = one < other and expression.column in times_in(table)
    return one - other + (_HOURS_OF_A_DAY if is_past_midnight else 0)


def _holds(comparison: Comparison, one: date | Decimal, other: date | Decimal) -> bool:
    less, same = one < other, one == other  # type: ignore[operator]  # both are dates, or both amounts
    return {
        Comparison.EQUAL: same,
        Comparison.OTHER: not same,
        Comparison.LESS: less,
        Comparison.MORE: not less and not same,
        Comparison.AT_MOST: less or same,
        Comparison.AT_LEAST: not less,
    }[comparison]


def contains(cell: str, word: str) -> bool:
    """Whether a cell has a word, whatever its accents and its case."""
    return folded_letters(word) in folded_letters(cell)
