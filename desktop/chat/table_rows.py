"""A row that is told in words: "new client, dog is called Waffle, a pug" as one of clients.csv.

The model only says which words belong into which column: under a grammar in which a cell is words of the
message, a value that other rows share, a day, or nothing. The program writes them as the column writes such
values, and nothing is added where the message does not fill what tells a row. Any thread; blocks while the
model reads and writes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date
from functools import cache

import structlog

from desktop.chat.formats.family import literal
from desktop.chat.intent_words import language_of
from desktop.chat.orders import is_order
from desktop.chat.request_commands import span_rules, spans
from desktop.chat.table_questions import examples
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Message, Priority, Sampling
from desktop.reasons import ENGLISH
from desktop.tools.amounts import amount_in
from desktop.tools.dates import ANY_DATE, date_said
from desktop.tools.periods import periods_in
from desktop.tools.table_cells import as_in_column, dated_in, day_like, shared_values
from desktop.tools.table_queries import amounts_in, times_in
from desktop.tools.tables import Table

log = structlog.get_logger(__name__)

CONVERSATION = "table-rows"  # of all chats: what stands before the table is always the same
MOST_TOKENS = 96
ROWS_SHOWN = 3  # the last ones
MOST_COLUMNS = 12
LONGEST = 240  # characters of a message
LONGEST_CELL = 40  # characters of one that is shown
FEWEST_FILLED = 2  # cells
MOST_MONTHS = 12
PARTED_BY = " | "

_SYSTEM = """Somebody tells what is to be added to a table. Write the new row with the words that were said, \
cell by cell. What was not said stays empty."""


def row_told(said: str, table: Table, submit: Submit, today: date) -> str:
    """The row of `table` that `said` tells, as a line of it; "" where it tells none, fills too little of it,
    or the row is there already."""
    if not table.header or table.width > MOST_COLUMNS or len(said) > LONGEST or not table.parted_by:
        return ""
    request = GenerateRequest(
        CONVERSATION,
        (*_told_first(), Message("user", _shown(said, table))),
        Sampling(temperature=0, max_tokens=MOST_TOKENS),
        Priority.CHAT,
        grammar=_grammar(said, table, today),
        shared_messages=len(_told_first()),
    )
    stream = submit(request)
    written = stream.text()
    if stream.finish is not FinishReason.STOP:
        return ""
    cells = [each.strip(" |") for each in written.split(PARTED_BY)]
    if len(cells) != table.width or _is_said_too_often(cells, said):
        return ""
    row = [_as_written(table, at, cell, said, today) for at, cell in enumerate(cells)]
    filled = [each for each in row if each]
    log.info("row told in words", columns=table.width, filled=len(filled))
    # What a row is of stands in its first columns of words.
    worded = [at for at in table.worded if at not in dated_in(table)]
    is_named = any(row[at] for at in worded[:2]) or not worded
    if None in row or len(filled) < FEWEST_FILLED or not is_named or tuple(row) in table.rows:
        return ""
    return _line(table, [each or "" for each in row])


def _is_said_too_often(cells: Sequence[str], said: str) -> bool:
    """Whether a number stands in more cells than it was said."""
    numbers = [each for cell in cells for each in _NUMBER.findall(cell)]
    there = _NUMBER.findall(said)
    return any(numbers.count(each) > there.count(each) for each in numbers if each in there)


def _as_written(table: Table, column: int, cell: str, said: str, today: date) -> str | None:
    """`cell` as the column writes such values, days and times as well; "" for the words of an order; None
    where it is no value of such a column."""
    cells = [row[column] for row in table.rows if row[column]]
    if not cell or is_order(cell):
        return ""
    if column in dated_in(table):
        day = _days(said, today).get(cell.casefold()) or date_said(cell, today.year)
        is_clear = _is_clear(cells, language_of(said))
        return day_like(day, cells[-1]) if day is not None and is_clear else None
    if column in times_in(table):
        return _time_like(cell)
    if column in amounts_in(table) and amount_in(cell) is None:
        return None
    spoken = _spoken(table, column, said)
    return as_in_column(table, column, spoken or _cased(cell, cells))


def _cased(cell: str, cells: Sequence[str]) -> str:
    """`cell` with capital letters where all others have them: names that were typed small."""
    words = [word for each in cells for word in each.split()]
    if cell != cell.casefold() or not words or any(not each[:1].isupper() for each in cells):
        return cell
    if not all(each[:1].isupper() for each in words if each[:1].isalpha()):
        return cell[:1].upper() + cell[1:]
    return " ".join(each[:1].upper() + each[1:] for each in cell.split())


def _spoken(table: Table, column: int, said: str) -> str:
    """The one value that rows of a column share and that was said; "" for none, or several."""
    words = set(re.findall(r"\w+", said.casefold()))
    values = [each for each in shared_values(table, column) if set(each.casefold().split()) <= words]
    return values[0] if len(values) == 1 else ""


def _is_clear(cells: Sequence[str], language: str) -> bool:
    """Whether it is known which number of such dates is the day: 03/04 is the 3rd of April everywhere but in
    America."""
    slashed = [each for each in cells if "/" in each]
    first = [int(each.split("/")[0]) for each in slashed]
    return not slashed or language != ENGLISH or any(each > MOST_MONTHS for each in first)


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CLOCK = re.compile(
    r"(?P<hours>\d{1,2})(?:[:h.](?P<minutes>\d\d))?\s*(?P<half>[ap])?\.?(?:m\.?)?(?: ?uhr| ?h)?",
    re.IGNORECASE,
)


def _time_like(cell: str) -> str | None:
    """A time of day as 14:00; None where it is none."""
    found = _CLOCK.fullmatch(cell.strip())
    if found is None:
        return None
    hours, half = int(found["hours"]), (found["half"] or "").casefold()
    hours += 12 if half == "p" and hours < 12 else -12 if half == "a" and hours == 12 else 0
    return f"{hours:02d}:{found['minutes'] or '00'}" if hours < 24 else None


def _days(said: str, today: date) -> dict[str, date]:
    """The days that a message names, by its words; today where it names none."""
    found = {
        each.words: each.first
        for each in periods_in(said, language_of(said), today)
        if each.first == each.last
    }
    return found or {"today": today}


def _line(table: Table, row: Sequence[str]) -> str:
    if table.parted_by == "|":
        return f"| {' | '.join(row)} |" if table.lines[-1].lstrip().startswith("|") else " | ".join(row)
    written = io.StringIO()
    csv.writer(written, delimiter=table.parted_by, lineterminator="").writerow(row)
    return written.getvalue()


# -- the prompt and its grammar ---------------------------------------------------------------


def _grammar(said: str, table: Table, today: date) -> str:
    rules = {"text": spans("t", said), **span_rules("t", said)}
    cells = []
    for at in range(table.width):
        if at in dated_in(table):
            options = [literal(each) for each in (*_days(said, today), *_dates_said(said))]
        elif at in amounts_in(table):
            options = [literal(each) for each in dict.fromkeys(_NUMBER.findall(said))]
        else:
            options = ["text", *(literal(each) for each in shared_values(table, at) if each)]
        rules[f"cell-{at}"] = " | ".join(options) or '""'
        cells.append(f"cell-{at}?")
    root = f" {literal(PARTED_BY)} ".join(cells)
    return "\n".join((f"root ::= {root}", *(f"{name} ::= {body}" for name, body in rules.items())))


def _dates_said(said: str) -> list[str]:
    return [each[0] for each in ANY_DATE.finditer(said)]


@cache
def _told_first() -> tuple[Message, ...]:
    messages = [Message("system", _SYSTEM)]
    for each in examples()["rows"]:
        messages.append(Message("user", f"{each['table']}\nSaid: {each['said']}"))
        messages.append(Message("assistant", each["row"]))
    return tuple(messages)


def _shown(said: str, table: Table) -> str:
    lines = [PARTED_BY.join(table.header)]
    lines += [PARTED_BY.join(cell[:LONGEST_CELL] for cell in row) for row in table.rows[-ROWS_SHOWN:]]
    return "\n".join((*lines, f"Said: {' '.join(said.split())}"))
