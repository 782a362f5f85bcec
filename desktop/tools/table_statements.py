"""Changes of a table in the form of SQL: which cells get which value, which rows are added, which go.

A small model writes a statement well where it writes a line of a file badly. So a change is a value here,
with a grammar in which every column is one that is there, and every value a word that was said or that stands
in the table; the program finds the rows and writes their lines. Lists, checklists and logs are tables too
(`editable_rows`). Pure functions; any thread.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop.tools.amounts import Column, amount_in, written_amount
from desktop.tools.calendar_files import (
    added_event,
    cells_in_event,
    event_rows,
    event_with,
    is_of_events,
)
from desktop.tools.table_cells import TASK, as_in_column, dated_in, has_places, shared_values, with_mark
from desktop.tools.table_queries import (
    DONE,
    LONGEST_VALUE,
    MOST_VALUES,
    SECTION,
    Comparison,
    Condition,
    amounts_in,
    choice_of,
    conditions_of,
    contains,
    names_of,
    quoted,
    writable_rows,
)
from desktop.tools.tables import Table

NO_STATEMENT = "none"
ITEM = "item"  # the column of a plain list
MOST_STATEMENTS = 5
MOST_SET = 3  # cells of a row by one statement
MOST_WORDS = 6  # of a line that is a thing of a list
_TELLS = re.compile(r":\s|[.!?]$|,\s.+,\s")  # a line that tells something, or several things
_SET = re.compile(
    r"(?P<column>\w+) = (?:'(?P<value>(?:[^']|'')*)'|(?P<same>\w+) (?P<sign>[+-]) (?P<by>\d[\d.,]*))"
)
_UPDATE = re.compile(r"UPDATE t SET (?P<sets>.+?) WHERE (?P<where>.+)")
_INSERT = re.compile(r"INSERT INTO t SET (?P<sets>.+)")
_DELETE = re.compile(r"DELETE FROM t WHERE (?P<where>.+)")
_BULLET = re.compile(r"(?P<mark>\s*(?:[-*+•–]|\d+[.)])\s+)(?P<what>\S.*?)\s*")
_PAIR = re.compile(r'\s*"(?P<what>[^"\\]+)"\s*:\s*(?P<amount>-?\d+(?:\.\d+)?)\s*,?\s*')
PAIRS = ":"  # what parts the cells of a JSON object's lines
_HEADING = re.compile(r"\s*#{1,6}\s+(?P<what>.+?)\s*#*\s*")


class Verb(StrEnum):
    UPDATE = "UPDATE"
    INSERT = "INSERT"
    DELETE = "DELETE"


@dataclass(frozen=True)
class Assignment:
    """What a cell of `column` becomes: `value`, or with a `sign` its amount and that of `value` together."""

    column: int
    value: str
    sign: str = ""


@dataclass(frozen=True)
class Statement:
    """One change. `where` are conditions that all hold; () for a row that is added."""

    verb: Verb
    sets: tuple[Assignment, ...] = ()
    where: tuple[Condition, ...] = ()


def editable_rows(text: str) -> Table | None:
    """The table, checklist, log or plain list that a text is, with named columns; None where it is none. What
    is a table only for questions, such as notes of one form, is none here: its cells make no line."""
    if text.lstrip().startswith("{"):
        return _pairs(text)
    if text.lstrip("\ufeff \t\r\n").startswith("BEGIN:VCALENDAR"):
        return event_rows(text)
    found = writable_rows(text)
    # Of a list a line is one thing, with its amount.
    if found is not None and found.lines and not found.is_list:
        return found
    return _list(text)


def _pairs(text: str) -> Table | None:
    """The numbers of a flat JSON object, each on a line of its own with its name."""
    lines = [each for each in text.splitlines() if each.strip(" \t{}")]
    found = [_PAIR.fullmatch(each) for each in lines]
    if len(found) < 2 or None in found:
        return None
    rows = tuple((each["what"], each["amount"]) for each in found if each is not None)
    return Table(("what", "amount"), rows, tuple(lines), "", "\n", parted_by=PAIRS)


def _list(text: str) -> Table | None:
    """Lines with a bullet each, under the headings that there are, or nothing but short lines."""
    rows, lines, section = [], [], ""
    for line in text.splitlines():
        heading, entry = _HEADING.fullmatch(line), _BULLET.fullmatch(line)
        section = heading["what"] if heading is not None else section
        if entry is not None:
            rows.append((section, entry["what"]))
            lines.append(line)
    if len({row[0] for row in rows}) > 1:
        return Table((SECTION, ITEM), tuple(rows), tuple(lines), "", "\n")
    if len(rows) < 2:
        lines = [each for each in text.splitlines() if each.strip() and not _HEADING.fullmatch(each)]
        if any(len(each.split()) > MOST_WORDS or _TELLS.search(each) for each in lines):
            return None
        rows = [("", each.strip()) for each in lines]
    return Table((ITEM,), tuple(row[1:] for row in rows), tuple(lines), "", "\n") if len(rows) > 1 else None


# -- what a statement may be ------------------------------------------------------------------


def grammar_of_statements(
    table: Table,
    said: Sequence[str],
    spans: Mapping[str, str],
    of_columns: Mapping[int, Sequence[str]],
    is_new: bool = False,
    only_said: bool = False,
) -> str:
    """Statements to `table`, or `none`. `said` are the words of the request that a cell may contain, `spans`
    the rules of a grammar of which `text` is any run of its words; a column of `of_columns` takes only what
    stands there. `is_new`: one row that is added, and nothing else. `only_said`: a column
    of words takes no value that only other rows have."""
    names = names_of(table)
    sets: list[str] = []
    adds: list[str] = []
    conditions: list[str] = []
    for at, name in enumerate(names):
        values = choice_of(map(quoted, of_columns[at])) if at in of_columns else _values(table, at, only_said)
        if values:
            adds.append(f'"{name} = \'" ( {values} ) "\'"')
            sets.append(adds[-1])
        if values and at in amounts_in(table):
            sets.append(f'"{name} = {name} " [+-] " " ( {values} )')
        conditions += _conditions(table, at, name, said)
    where = 'condition ( " AND " condition )?'
    rules = {
        "root": "insert"
        if is_new
        else f'"{NO_STATEMENT}" | statement ( "\\n" statement ){{0,{MOST_STATEMENTS - 1}}}',
        "statement": "update | insert | delete",
        "update": f'"UPDATE t SET " set ( ", " set ){{0,{MOST_SET - 1}}} " WHERE " {where}',  # noqa: S608  # no database
        "insert": f'"INSERT INTO t SET " add ( ", " add ){{0,{len(names) - 1}}}',
        "delete": f'"DELETE FROM t WHERE " {where}',  # noqa: S608  # is asked: a grammar
        "set": " | ".join(sets) or '"0"',
        "add": " | ".join(adds) or '"0"',
        "condition": " | ".join(conditions) or '"0"',
    }
    return "\n".join(f"{name} ::= {body}" for name, body in (rules | dict(spans)).items())


def _values(table: Table, at: int, only_said: bool) -> str:
    """What a cell of a column of words may become, as a rule."""
    if table.header[at] == DONE and not table.head_line:
        return choice_of(("yes", "no"))
    if table.header[at] == SECTION and not table.head_line:
        return choice_of(map(quoted, dict.fromkeys(row[at] for row in table.rows if row[at])))
    shared = choice_of(quoted(each) for each in shared_values(table, at) if each and not only_said)
    return " | ".join(filter(None, ("text", shared)))


def _conditions(table: Table, at: int, name: str, said: Sequence[str]) -> Iterator[str]:
    cells = list(dict.fromkeys(row[at] for row in table.rows))
    values = [each for each in cells if 0 < len(each) <= LONGEST_VALUE and "\n" not in each]
    if values and len(values) <= MOST_VALUES:
        yield f'"{name} = \'" ( {choice_of(map(quoted, values))} ) "\'"'
    words = [each for each in said if any(contains(each_cell, each) for each_cell in cells)]
    if words and at not in amounts_in(table):
        yield f'"{name} LIKE \'%" ( {choice_of(map(quoted, words))} ) "%\'"'


# -- statements that were written -------------------------------------------------------------


def statements_in(written: str, table: Table) -> tuple[Statement, ...]:
    """The statements that a model wrote; () for `none`, and for what is none to `table`."""
    numbers = {name: at for at, name in enumerate(names_of(table))}
    found = [_statement(line.strip(), numbers) for line in written.strip().splitlines()]
    return tuple(dict.fromkeys(each for each in found if each is not None)) if None not in found else ()


def _statement(line: str, numbers: Mapping[str, int]) -> Statement | None:
    for verb, form in ((Verb.UPDATE, _UPDATE), (Verb.INSERT, _INSERT), (Verb.DELETE, _DELETE)):
        found = form.fullmatch(line)
        if found is None:
            continue
        parts = found.groupdict()
        sets = tuple(_assignments(parts.get("sets") or "", numbers))
        where = tuple(conditions_of(parts.get("where") or "", numbers))
        is_whole = all(each.column >= 0 for each in sets) and None not in where
        return Statement(verb, sets, tuple(each for each in where if each is not None)) if is_whole else None
    return None


def _assignments(written: str, numbers: Mapping[str, int]) -> Iterator[Assignment]:
    for found in _SET.finditer(written):
        value = found["by"] or (found["value"] or "").replace("''", "'")
        yield Assignment(numbers.get(found["column"], -1), value, found["sign"] or "")


# -- the lines that they come to --------------------------------------------------------------


def rows_meant(where: Sequence[Condition], table: Table) -> tuple[int, ...]:
    """The numbers of the rows that fit all conditions, which compare words."""
    return tuple(at for at, row in enumerate(table.rows) if all(_fits(each, row) for each in where))


def _fits(condition: Condition, row: Sequence[str]) -> bool:
    cell = row[condition.column]
    if condition.comparison is Comparison.LIKE:
        return contains(cell, condition.value)
    return cell.casefold() == condition.value.casefold()


def line_with(table: Table, at: int, sets: Sequence[Assignment]) -> str | None:
    """The line of a row with what is set, written as its columns are; None where that cannot be written."""
    cells, line = list(table.rows[at]), table.lines[at]
    if is_of_events(table):
        return event_with(line, {table.header[each.column]: each.value for each in sets if not each.sign})
    for each in sets:
        value = _value(table, at, each)
        if value is None or "\n" in value:
            return None
        changed = _exchanged(table, line, cells, each.column, value)
        if changed is None:
            return None
        cells[each.column], line = value, changed
    return line


def _value(table: Table, at: int, assignment: Assignment) -> str | None:
    column, old = assignment.column, table.rows[at][assignment.column]
    amounts = table.column(column)
    if not assignment.sign:
        amount = amount_in(assignment.value)
        if old and isinstance(amounts, Column) and amount is not None and column in amounts_in(table):
            # "9 kg" beside an amount with its unit keeps it.
            own = as_in_column(table, column, assignment.value)
            return re.sub(r"-?\d[\d.,'’\s]*\d|\d", own, old, count=1) if amount_in(old) is not None else own
        return as_in_column(table, column, assignment.value)
    if not isinstance(amounts, Column):
        return None
    by, own_amount = amount_in(assignment.value), amounts.amounts[at]
    if not old:  # there was none yet
        return as_in_column(table, column, assignment.value)
    if by is None or own_amount is None:
        return None
    total = own_amount.value + (by.value if assignment.sign == "+" else -by.value)
    if total < 0:
        return None
    shown = written_amount(total, amounts.style)
    if has_places(table, column):
        shown = amounts.style.written(total, amounts.style.places)
    return re.sub(r"\d[\d.,'’\s]*\d|\d", shown, old, count=1)


def _exchanged(table: Table, line: str, cells: Sequence[str], column: int, value: str) -> str | None:
    """`line` with `value` in the place of the cell of `column`."""
    old, name = cells[column], table.header[column]
    if name == DONE and not table.head_line:
        task = TASK.fullmatch(line)
        return with_mark(task, "x" if value == "yes" else " ") if task is not None else None
    if name == SECTION and not table.head_line:
        return None
    if not table.parted_by:
        return line.replace(old, value) if old and line.count(old) == 1 else None
    if table.parted_by == "|":
        return _in_pipes(line, column, value)
    if table.parted_by == PAIRS:
        return line[::-1].replace(old[::-1], value[::-1], 1)[::-1] if column else None
    # A quotation mark in a cell is written twice in its line.
    is_plain = bool(old) and '"' not in old and not any(sign in value for sign in (table.parted_by, '"'))
    if is_plain and line.count(old) == 1:
        return line.replace(old, value)
    return _delimited([value if at == column else cell for at, cell in enumerate(cells)], table.parted_by)


def _in_pipes(line: str, column: int, value: str) -> str | None:
    parts = re.split(r"(?<!\\)\|", line)
    at = column + (1 if line.lstrip().startswith("|") else 0)
    if at >= len(parts) or "|" in value:
        return None
    old = parts[at]
    room = len(old) - len(old.lstrip())
    shown = f"{' ' * max(room, 1)}{value} "
    parts[at] = shown.ljust(len(old)) if old.endswith("  ") else shown
    return "|".join(parts)


def cells_of(line: str, table: Table) -> tuple[str, ...]:
    """The cells of a line as `table` parts them; all of it where it parts none."""
    if table.parted_by == "|":
        return tuple(each.strip() for each in line.strip().strip("|").split("|"))
    if is_of_events(table):
        return cells_in_event(line, table)
    if table.parted_by == PAIRS:
        pair = _PAIR.fullmatch(line)
        return (pair["what"], pair["amount"]) if pair is not None else (line,)
    if table.parted_by:
        return tuple(next(csv.reader(io.StringIO(line), delimiter=table.parted_by), []))
    return (line,)


def _delimited(cells: Sequence[str], delimiter: str) -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="").writerow(cells)
    return written.getvalue()


def added_line(table: Table, row: Sequence[str]) -> str | None:
    """The line of a row that is added, with cells as they are written; None where none can be made."""
    if table.parted_by == "|":
        is_edged = table.lines[-1].lstrip().startswith("|")
        return f"| {' | '.join(row)} |" if is_edged else " | ".join(row)
    if is_of_events(table):
        return added_event(table, row)
    if table.parted_by == PAIRS:
        return None  # another line would need a comma in the one above
    if table.parted_by:
        return _delimited(row, table.parted_by)
    what = row[table.header.index(ITEM if ITEM in table.header else "task")] if not _is_log(table) else ""
    like = _line_like(table, row)
    if not what or like is None:
        return None
    task = TASK.fullmatch(like)
    if task is not None:
        is_done = DONE in table.header and row[table.header.index(DONE)] == "yes"
        fresh = with_mark(task, "x" if is_done else " ")
        return fresh.replace(task["what"], what) if fresh.count(task["what"]) == 1 else None
    entry = _BULLET.fullmatch(like)
    return f"{entry['mark']}{what}" if entry is not None else what


def _is_log(table: Table) -> bool:
    return not table.head_line and bool(dated_in(table))


def line_before(table: Table, row: Sequence[str]) -> str:
    """The line below which a row is added: the last of its section, else the last."""
    return _line_like(table, row) or table.lines[-1]


def _line_like(table: Table, row: Sequence[str]) -> str | None:
    if SECTION not in table.header or table.head_line:
        return table.lines[-1]
    own = [line for line, cells in zip(table.lines, table.rows, strict=True) if cells[0] == row[0]]
    return own[-1] if own else None
