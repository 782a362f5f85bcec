"""Changes of single cells of a table: the line that has it, and a new value as its column writes such values.

"Neurobio moved to thursday" is Thu where the others are Mon and Wed, and "41.20" is 41,20 beside 84,35. Only
the line of the row is written anew, and of that only the cell. Pure functions; any thread.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from desktop.tools.amounts import Column, amount_in, written_amount
from desktop.tools.dates import ANY_DATE, date_said
from desktop.tools.periods import WEEKDAYS
from desktop.tools.tables import Table

_NAME = re.compile(r"[^\W\d_]{2}")
_SHORTEST_DAY = 2  # letters: Mo, Di
_LONGEST_VALUE = 3  # words of one that rows share: "yes", "non payée"
_MOST_VALUES = 8
ANY_YEAR = 2000  # of dates that name none
TASK = re.compile(
    r"(?P<mark>\s*(?:(?:[-*+]|\d+[.)])\s+)?)(?:\[(?P<done>[ xX])\]|(?P<box>[☐☑☒✓✔]))\s+(?P<what>.+?)\s*"
)
OPEN_BOX, DONE_BOX = "☐", "☑"


def row_edit(table: Table, old: str, new: str) -> tuple[str, str] | None:
    """What taking out or exchanging the cell `old` means: its whole row goes, and an amount takes the place
    of the row's one amount. The line as it stands and as it is to be; None where `old` is no cell of exactly
    one row, or is an amount itself, or where words take the place of words."""
    rows = [at for at, row in enumerate(table.rows) if old.strip() in row]
    if len(rows) != 1 or len(table.lines) != len(table.rows) or amount_in(old) is not None:
        return None
    row, line = table.rows[rows[0]], table.lines[rows[0]]
    if not new.strip():
        return line, ""
    amounts = [row[column] for column in table.numeric]
    if amount_in(new) is None or len(amounts) != 1 or line.count(amounts[0]) != 1:
        return None
    return line, line.replace(amounts[0], new.strip())


def row_names(table: Table) -> tuple[str, ...]:
    """What rows can be called by, row by row: the words that no other row has, such as a name and a first
    name, of columns where most are so."""
    columns = [at for at in table.worded if len(_own(table, at)) * 2 > len(table.rows)]
    own = {at: _own(table, at) for at in columns}
    named = (row[at] for row in table.rows for at in columns if row[at] in own[at])
    return tuple(each for each in named if _NAME.search(each) and not _is_day(each))


def _is_day(cell: str) -> bool:
    return any(_day(cell, names) is not None for names in WEEKDAYS)


def _own(table: Table, column: int) -> frozenset[str]:
    cells = [row[column] for row in table.rows]
    return frozenset(each for each in cells if cells.count(each) == 1)


def shared_values(table: Table, column: int) -> tuple[str, ...]:
    """The words that rows of a column share, such as yes and no; () where each has its own, or figures."""
    cells = [row[column] for row in table.rows if row[column]]
    found = tuple(dict.fromkeys(cells))
    is_short = all(len(each.split()) <= _LONGEST_VALUE and not re.search(r"\d", each) for each in found)
    return found if len(found) < len(cells) and len(found) <= _MOST_VALUES and is_short else ()


def cell_edit(table: Table, name: str, column: int, value: str) -> tuple[str, str] | None:
    """The line of the row called `name` as it stands, and with `value` in `column`, written as the others
    are; None where no one row is called so, or nothing would change."""
    at = _row(table, name)
    return _edit(table, at, column, as_in_column(table, column, value)) if at is not None else None


def amount_edit(table: Table, name: str, column: int, by: Decimal) -> tuple[str, str] | None:
    """The same with the amount of `column` changed `by` that much; None too where it is no amount, or would
    fall below nothing."""
    at, amounts = _row(table, name), table.column(column)
    if at is None or not isinstance(amounts, Column):
        return None
    amount = amounts.amounts[at]
    if amount is None or amount.value + by < 0:
        return None
    old = table.rows[at][column]
    shown = re.sub(r"\d[\d.,'’\s]*\d|\d", written_amount(amount.value + by, amounts.style), old, count=1)
    return _edit(table, at, column, shown)


def as_in_column(table: Table, column: int, value: str) -> str:
    """`value` as the cells of `column` are written: a weekday as short as theirs, a date in their form,
    decimals with their sign, one of the values that rows share in its own letters."""
    value = value.strip()
    cells = [row[column] for row in table.rows if row[column]]
    same = [each for each in cells if each.casefold() == value.casefold()]
    if same:
        return same[0]
    amounts = table.column(column)
    amount = amount_in(value)
    if isinstance(amounts, Column) and amount is not None and cells:
        is_whole = amount.value == amount.value.to_integral() and not has_places(table, column)
        return value if is_whole else amounts.style.written(amount.value, amounts.style.places or None)
    if column in dated_in(table):
        return _as_date(value, cells) or value
    return _as_weekday(value, cells) or value


def has_places(table: Table, column: int) -> bool:
    """Whether all amounts of a column have as many digits behind the point, as prices have."""
    cells = [row[column] for row in table.rows if row[column]]
    return len(cells) > 1 and all(re.search(r"\d[.,]\d{2}(?!\d)", each) for each in cells)


def dated_in(table: Table) -> tuple[int, ...]:
    """The columns of dates, in which a cell may be empty."""
    columns = ([row[at] for row in table.rows if row[at]] for at in range(table.width))
    return tuple(at for at, cells in enumerate(columns) if cells and all(map(ANY_DATE.fullmatch, cells)))


def _as_date(value: str, cells: Sequence[str]) -> str:
    """The date that `value` names, in the form of the last of `cells`, and with its year where it names none;
    "" where it is none, or several."""
    found = list(ANY_DATE.finditer(value))
    years = re.findall(r"\d{4}", cells[-1])
    day = date_said(found[0][0], int(years[0]) if years else ANY_YEAR) if len(found) == 1 else None
    return day_like(day, cells[-1]) if day is not None else ""


def day_like(day: date, written: str) -> str:
    """`day` in the form of a date that is written: 2026-11-28, 28.11.2026, 28/11, 28.11."""
    numbers = re.findall(r"\d+", written)
    signs = re.split(r"\d+", written)
    if not 2 <= len(numbers) <= 3 or not all(len(each) <= 1 for each in signs[1:-1]):
        return day.isoformat()
    is_iso = len(numbers[0]) == 4
    parts = [day.year, day.month, day.day] if is_iso else [day.day, day.month, day.year]
    shown = []
    for number, like in zip(parts, numbers, strict=False):
        short = number % 100 if number > 31 and len(like) == 2 else number
        shown.append(f"{short:0{len(like)}d}" if like.startswith("0") or len(like) > 1 else str(short))
    return "".join(f"{sign}{number}" for sign, number in zip(signs, shown, strict=False)) + signs[-1]


def _as_weekday(value: str, cells: Sequence[str]) -> str:
    """`value` as short as the days in `cells`, in their language; "" where it is none, or they are not."""
    said = {at for names in WEEKDAYS if (at := _day(value, names)) is not None}
    for names in WEEKDAYS:
        days = [_day(each, names) for each in cells]
        if not cells or None in days or len(said) != 1:
            continue
        name = names[said.pop()]
        is_whole = all(each.casefold() in names for each in cells)
        shown = name if is_whole else name[: len(cells[0].rstrip("."))]
        return shown.capitalize() if cells[0][:1].isupper() else shown
    return ""


def _day(word: str, names: Sequence[str]) -> int | None:
    """The weekday of `names` that a word is, or is short for; None for any other."""
    bare = word.casefold().strip(" .")
    found = [at for at, name in enumerate(names) if len(bare) >= _SHORTEST_DAY and name.startswith(bare)]
    return found[0] if len(found) == 1 else None


def _row(table: Table, name: str) -> int | None:
    rows = [at for at, row in enumerate(table.rows) if name in row]
    return rows[0] if len(rows) == 1 and len(table.lines) == len(table.rows) else None


def _edit(table: Table, at: int, column: int, value: str) -> tuple[str, str] | None:
    line, row = table.lines[at], table.rows[at]
    if row[column] == value or "\n" in value:
        return None
    # A quotation mark in a cell is written twice in its line.
    is_plain = bool(row[column]) and '"' not in row[column] and not _needs_quotes(value, table.parted_by)
    if is_plain and line.count(row[column]) == 1:
        return line, line.replace(row[column], value)
    if table.parted_by not in (",", ";", "\t", "|") or line.lstrip().startswith("|"):
        return None
    cells = [value if each == column else cell for each, cell in enumerate(row)]
    written = io.StringIO()
    csv.writer(written, delimiter=table.parted_by, lineterminator="").writerow(cells)
    return line, written.getvalue()


def _needs_quotes(value: str, delimiter: str) -> bool:
    return any(sign in value for sign in (delimiter or ",", '"'))


def row_of(table: Table, text: str) -> str:
    """`text` as a row of `table`: as it stands where it has as many cells, "gym 30" as a thing and its amount
    where there are two columns; "" where it is no row."""
    text = text.strip()
    if not text or "\n" in text or not table.parted_by:
        return ""
    cells = next(csv.reader(io.StringIO(text), delimiter=table.parted_by), [])
    if len(cells) == table.width:
        return text
    found = re.fullmatch(r"(.+?)[\s:,;=–-]+(\S+)", text)
    is_pair = (
        table.width == 2 and 1 in table.numeric and found is not None and amount_in(found[2]) is not None
    )
    return f"{found[1]}{table.parted_by}{found[2]}" if is_pair and found is not None else ""


# -- the box of a task ------------------------------------------------------------------------


def is_open(task: re.Match[str]) -> bool:
    """Whether its box is empty."""
    return task["done"] == " " or task["box"] == OPEN_BOX


def with_mark(task: re.Match[str], mark: str) -> str:
    """The line of a task with another `mark`, " " or "x", in its box."""
    if task["box"]:
        return f"{task['mark']}{OPEN_BOX if mark == ' ' else DONE_BOX}{task[0][task.end('box') :]}"
    return f"{task['mark']}[{mark}]{task[0][task.end('done') + 1 :]}"
