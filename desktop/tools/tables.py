"""Small tables of text: .csv and .tsv with or without a header, tables in Markdown, lists with amounts.

A small model that is asked to sort six lines invents three of them, so the lines are moved about and never
written anew: what is not understood whole is left as it is. Pure functions; any thread.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from desktop.tools.amounts import Column, Unclear, amount_in, column_of, entries_in, total_of
from desktop.tools.dates import dates_of

ENDINGS = ("csv", "tsv")
_DELIMITERS = ";\t|,"  # a comma last: it may part decimals
_MOST_ROWS = 20_000


@dataclass(frozen=True)
class Table:
    """Rows of as many cells each, and the lines they stood on, which sorting only moves. `header` is () where
    there is none, `head_line` is what stands before the rows and `foot` what stands behind them.
    `is_told_by_line`: a row is told as its line stands, though its columns have names."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    head_line: str
    newline: str
    foot: str = ""
    parted_by: str = ""
    is_list: bool = False
    is_told_by_line: bool = False

    @property
    def width(self) -> int:
        return len(self.rows[0])

    def column(self, at: int) -> Column | Unclear:
        """The amounts of a column."""
        return column_of([row[at] for row in self.rows], self.parted_by)

    def numbers(self, column: int) -> tuple[Decimal, ...] | None:
        """The values of a column; None where one of them is no number."""
        found = self.column(column)
        if isinstance(found, Unclear):
            return None
        values = [None if each is None else each.value for each in found.amounts]
        return tuple(each for each in values if each is not None) if None not in values else None

    @property
    def numeric(self) -> tuple[int, ...]:
        """The columns that hold nothing but amounts, or nothing; not those of dates."""
        return tuple(at for at in range(self.width) if self._is_numeric(at))

    def _is_numeric(self, at: int) -> bool:
        found = self.column(at)
        if isinstance(found, Unclear):
            return found.is_ambiguous
        return any(each is not None for each in found.amounts) and self.dates(at) is None

    @property
    def dated(self) -> tuple[int, ...]:
        """The columns that hold nothing but dates."""
        return tuple(at for at in range(self.width) if self.dates(at) is not None)

    def dates(self, at: int) -> tuple[date, ...] | None:
        return dates_of([row[at] for row in self.rows])

    @property
    def worded(self) -> tuple[int, ...]:
        """The columns of words."""
        if self.is_list:
            return (0,)
        others = {*self.numeric, *self.dated}
        return tuple(at for at in range(self.width) if at not in others)


def sheet_in(text: str) -> Table | None:
    """The one table or list that a text has."""
    return table_in(text) or markdown_table_in(text) or list_in(text)


def table_in(text: str) -> Table | None:
    """The table of delimited lines that `text` is; None where it is none, or a cell has several lines."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [line for line in text.lstrip("\ufeff").split(newline) if line.strip()]
    if not 2 <= len(lines) <= _MOST_ROWS:
        return None
    for delimiter in _DELIMITERS:
        parsed = _parsed(lines, delimiter)
        # A line of Markdown begins and ends with its sign.
        if parsed is not None and not (delimiter == "|" and not any(row[0] for row in parsed)):
            return _with_header(parsed, lines, newline, delimiter)
    return None


def _parsed(lines: Sequence[str], delimiter: str) -> list[tuple[str, ...]] | None:
    if any(delimiter not in each for each in lines):
        return None
    try:
        parsed = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    # One row on each line, all as wide: then a line can be moved without reading it.
    if len(parsed) != len(lines) or len({len(row) for row in parsed}) != 1 or len(parsed[0]) < 2:
        return None
    # "Milk, eggs and bread" over "Call Anna, at noon" are two sentences.
    if delimiter == "," and all(re.search(r",\s", each) for each in lines) and _is_prose(lines):
        return None
    return [tuple(cell.strip() for cell in row) for row in parsed]


def _is_prose(lines: Sequence[str]) -> bool:
    return any(len(each.split()) > 4 and each.rstrip().endswith((".", "!", "?")) for each in lines)


def _with_header(
    parsed: Sequence[tuple[str, ...]], lines: Sequence[str], newline: str, delimiter: str
) -> Table:
    """A first line of words above numbers, or of nothing but words, names the columns."""
    first, *others = parsed
    whole = Table((), tuple(parsed), tuple(lines), "", newline, parted_by=delimiter)
    below = Table((), tuple(others), tuple(lines[1:]), lines[0], newline, parted_by=delimiter)
    has_values = any(_is_value(cell) for cell in first)
    is_named = not has_values or any(not _is_value(first[at]) for at in (*below.numeric, *below.dated))
    if whole.numeric and all(at in whole.numeric for at in below.numeric):
        is_named = False
    return (
        Table(first, below.rows, below.lines, lines[0], newline, parted_by=delimiter) if is_named else whole
    )


def _is_value(cell: str) -> bool:
    return amount_in(cell) is not None or dates_of([cell]) is not None


_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*")
_TITLE = re.compile(r"\s*#{1,6}\s+(?P<what>.+?)\s*#*\s*")


def markdown_table_in(text: str) -> Table | None:
    """The one table that a text in Markdown has, with or without signs at the edges; None where it has none,
    or several."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
    # Of two tables nobody knows which is meant.
    return _below_rule(lines, rules[0], newline) if len(rules) == 1 else None


def markdown_tables_in(text: str) -> tuple[tuple[str, Table], ...]:
    """The several tables of a text in Markdown, each with the heading above it, "" for none; () where there
    are not several, or one of them is not understood."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
    found = []
    for rule in rules if len(rules) > 1 else ():
        table = _below_rule(lines, rule, newline)
        if table is None:
            return ()
        titles = [title["what"] for line in lines[:rule] if (title := _TITLE.fullmatch(line)) is not None]
        found.append((titles[-1] if titles else "", table))
    return tuple(found)


def _below_rule(lines: Sequence[str], rule: int, newline: str) -> Table | None:
    """The table whose header is above the line `rule`."""
    begin = rule + 1
    end = next((at for at in range(begin, len(lines)) if "|" not in lines[at]), len(lines))
    header, rows = _cells(lines[rule - 1]) if rule else (), tuple(_cells(each) for each in lines[begin:end])
    if not rule or not rows or any(len(row) != len(header) for row in rows):
        return None
    head = newline.join(lines[:begin])
    return Table(header, rows, tuple(lines[begin:end]), head, newline, newline.join(lines[end:]), "|")


def _cells(line: str) -> tuple[str, ...]:
    bare = line.strip().removeprefix("|").removesuffix("|")
    return tuple(re.sub(r"[*_`]{1,2}", "", cell).strip() for cell in re.split(r"(?<!\\)\|", bare))


def list_in(text: str) -> Table | None:
    """A list of things, with an amount each or none."""
    entries = entries_in(text)
    is_table = re.search(r"^\s*\|.*\|\s*$", text, re.MULTILINE) is not None
    if not entries or is_table or len(entries) > _MOST_ROWS:
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    rows = tuple((each.label, each.amount) for each in entries)
    at = [each.line for each in entries]
    # Only lines that stand together can be put in another order.
    together = all(later == before + 1 for before, later in pairwise(at))
    head, foot = newline.join(lines[: at[0]]), newline.join(lines[at[-1] + 1 :])
    found = tuple(lines[each] for each in at)
    return Table((), rows, found if together else (), head, newline, foot, is_list=True)


def sorted_text(table: Table, column: int, descending: bool = False) -> str:
    """The same lines in another order, by date or by number where all are, else by the alphabet."""
    keys: Sequence[date | Decimal | str] = (
        table.dates(column) or table.numbers(column) or [row[column].casefold() for row in table.rows]
    )
    order = sorted(range(len(table.rows)), key=lambda at: keys[at], reverse=descending)
    lines = [table.lines[at] for at in order]
    before = [table.head_line] if table.head_line else []
    behind = [table.foot.rstrip("\r\n")] if table.foot.strip() else []
    return table.newline.join((*before, *lines, *behind)) + table.newline


def total(table: Table, column: int) -> Decimal | None:
    """The sum of a column; None where it holds anything but numbers."""
    numbers = table.numbers(column)
    return total_of(numbers) if numbers is not None else None


# -- a row by its entry -----------------------------------------------------------------------
