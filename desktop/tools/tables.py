"""Small tables of text (.csv, .tsv): sorted by a column, and a column added up, by the program.

A small model that is asked to sort six lines invents three of them, so the lines are moved about and never
written anew: what is not understood whole is left as it is. Pure functions; any thread.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

ENDINGS = ("csv", "tsv")
_DELIMITERS = ",;\t|"
_MOST_ROWS = 20_000
_LAST_COMMA = re.compile(r",(?=\d{1,2}\Z)")


@dataclass(frozen=True)
class Table:
    """A header, rows of as many cells each, and the lines they stood on, which sorting only moves."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    head_line: str
    newline: str

    def numbers(self, column: int) -> tuple[Decimal, ...] | None:
        """The values of a column; None where one of them is no number."""
        found = [number_in(row[column]) for row in self.rows]
        return tuple(each for each in found if each is not None) if None not in found else None

    @property
    def numeric(self) -> tuple[int, ...]:
        """The columns that hold nothing but numbers."""
        return tuple(at for at in range(len(self.header)) if self.numbers(at) is not None)


def table_in(text: str) -> Table | None:
    """The table that `text` is; None where it is none, or a cell goes over several lines."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [line for line in text.split(newline) if line.strip()]
    if not 2 <= len(lines) <= _MOST_ROWS:
        return None
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        parsed = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    # One row on each line, all as wide as the header: then a line can be moved without reading it.
    is_table = len(parsed) == len(lines) and len({len(row) for row in parsed}) == 1 and len(parsed[0]) > 1
    if not is_table:
        return None
    header, *rows = (tuple(cell.strip() for cell in row) for row in parsed)
    return Table(header, tuple(rows), tuple(lines[1:]), lines[0], newline)


def sorted_text(table: Table, column: int, descending: bool = False) -> str:
    """The same lines with the header first, by number where all are numbers, else by the alphabet."""
    numbers = table.numbers(column)
    keys: Sequence[Decimal | str] = numbers or [row[column].casefold() for row in table.rows]
    order = sorted(range(len(table.rows)), key=lambda at: keys[at], reverse=descending)
    return table.newline.join((table.head_line, *(table.lines[at] for at in order))) + table.newline


def total(table: Table, column: int) -> Decimal | None:
    """The sum of a column; None where it holds anything but numbers."""
    numbers = table.numbers(column)
    return sum(numbers, Decimal(0)) if numbers is not None else None


def number_in(cell: str) -> Decimal | None:
    """`1,234.50`, `1.234,50 €` and `-3` as numbers; None for a date, a word or an empty cell."""
    bare = re.sub(r"[\s€$£%']|\b(?:EUR|USD|GBP|CHF)\b", "", cell)
    if not re.fullmatch(r"[+-]?\d[\d.,]*", bare):
        return None
    if "," in bare and "." in bare:
        # The last sign of the two is the decimal one.
        bare = (
            bare.replace(".", "").replace(",", ".")
            if bare.rfind(",") > bare.rfind(".")
            else bare.replace(",", "")
        )
    else:
        bare = _LAST_COMMA.sub(".", bare)
    try:
        return Decimal(bare.replace(",", ""))
    except InvalidOperation:  # 1.2.3 is a version
        return None
