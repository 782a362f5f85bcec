"""Tables in all but their ending: notes whose lines have one form, objects in JSON, events of a calendar.

"22/11  310" above "23/11  145" is a date and an amount, and "23/11 matin 3,2 soir 3,6" has two amounts that
are called by the words before them. A form is taken off all lines together, and only where so many lines have
it that it is no chance (`FEWEST_ROWS`, `LEAST_SHARE`); anything else stays a text. Columns without a name of
their own are called by their kind: date, what, amount. These tables are read and never written: no line can
be made of their cells again, nor an object. Pure functions; any thread.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from desktop.tools.amounts import MEASURES, Column, column_of
from desktop.tools.calendar_files import COLUMNS, MOST_EVENTS, cells_of_event, events_in
from desktop.tools.dates import ANY_DATE
from desktop.tools.periods import WEEKDAYS
from desktop.tools.tables import Table

FEWEST_ROWS = 3
LEAST_SHARE = Fraction(4, 5)  # of the lines below the title
LEAST_OPTIONAL = Fraction(1, 2)  # of the rows, that have a part which others may lack
MOST_LINES = 2000
LONGEST_LINE = 120  # characters
MOST_TITLES = 2  # lines above the first row
MOST_WORDS = 8  # of a cell; more is a sentence
SENTENCE_WORDS = 4  # so is what ends like one and has more
MOST_COLUMNS = 12
WHAT, NOTE, STATE, VALUE = "what", "note", "state", "value"
DATE, DAY, TIME, AMOUNT, SECTION = "date", "day", "time", "amount", "section"
START, END = "start", "end"
# Names that only say of which kind a column is.
KINDS = frozenset((WHAT, NOTE, STATE, VALUE, DATE, DAY, TIME, AMOUNT, SECTION, START, END))

_MARK = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)])\s+(?=\S)")
_TITLE = re.compile(r"\s*#{1,6}\s+(?P<what>.+?)\s*#*\s*")
_DAY_NAMES = frozenset(day for names in WEEKDAYS for day in names)
_SHORT_DAYS = frozenset(day[:length] for day in _DAY_NAMES for length in (2, 3))
_LEADING_DATE = re.compile(
    rf"(?P<date>{ANY_DATE.pattern})(?![\w/]|[:.,]\d)\s*(?:[:,]|[-–](?=\s))?\s*(?P<rest>.*)", re.IGNORECASE
)
_AMOUNT_AS_YEAR = re.compile(r"(\d{1,2}\.\s?\d{1,2}\.)\s(\d{2})")
_CLOCK = r"(?:[01]?\d|2[0-4])[:h][0-5]\d"
_LEADING_TIMES = re.compile(rf"(?P<start>{_CLOCK})\s?[-–]\s?(?P<end>{_CLOCK})(?!\w)[:,]?\s*(?P<rest>.*)")
_LEADING_TIME = re.compile(rf"(?P<time>{_CLOCK})(?!\w)[:,]?\s*(?P<rest>.*)")
_LEADING_DAY = re.compile(r"(?P<day>[^\W\d_]{2,10})\.?,?\s+(?P<rest>\S.*)")
# "matin 3,2 soir 3,6": a word, and what it is the name of.
_UNIT = r"[€$£¥%]|[^\W\d_]{1,3}(?![^\W\d_])"
_PAIR = re.compile(
    rf"[\s,;/]*(?P<name>[^\W\d_][^\d,;/]*?)(?:\s*+[:=]\s*+|\s++)"
    rf"(?P<value>{_CLOCK}|[+−-]?\d+(?:[.,]\d+)*(?:\s?(?:{_UNIT})(?=[\s,;/]*(?:[^\W\d_]|$)))?)(?=[\s,;/]|$)"
)
# ", back 05/11" at the end of some.
_TAIL = re.compile(
    rf"(?P<head>.*?\S)[\s,;(]+(?P<name>[^\W\d_]+)\s+(?P<value>{ANY_DATE.pattern})\)?", re.IGNORECASE
)
_WIDE = re.compile(r"\s*\t\s*|\s{2,}")
_COLON = re.compile(r"\s*:\s+|\s+:\s*")
_SEPARATORS = (_WIDE, re.compile(r"\s+[-–—]\s+"), _COLON, re.compile(r"\s*;\s+"))
_COMMA = re.compile(r",\s+")
_COUNT = re.compile(r"(?P<label>.*?\S)\s*(?:[-–:=]\s+|\s)[x×]\s?(?P<count>\d+)", re.IGNORECASE)
_LABEL_END = re.compile(r"\s*[-–—:=,]?\s*$")
_STRONG_END = re.compile(r"(?:\s[-–—]|[:=])\s*$|\s{2,}$|\t$")
_MOST_TOKENS = 4  # of an amount: "1 184,40 EUR"
_NO_UNITS = frozenset(("am", "pm", "uhr", "a", "à", "de", "to", "or", "y", "et", "und", "oder", "bis"))
# "Bake for 25 min" and "the oven to 180" are sentences.
_JOINS = frozenset(
    "to for at in on by of until from and or after about auf für um bei nach bis von mit und zu ab circa ca "
    "à a au pour pendant de du en dans et ou avec par environ vers para por durante con hasta sobre y o unos"
    " unas".split()
)
_TOTALS = re.compile(
    r"(?:grand |sub)?total(?:\s+\w+)?|sum|gesamt\w*|(?:gesamt)?summe|insgesamt|zusammen|somme|en tout|suma|"
    r"totale[sn]?|en total",
    re.IGNORECASE,
)


def regular_rows(text: str) -> Table | None:
    """The table that a text is though it is written as none; None for prose, for lists without amounts, and
    for what has too few rows."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")):
        return _objects(start)
    if start.startswith("BEGIN:VCALENDAR"):
        return _events(start)
    return _lines(text)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[str] = ()) -> Table | None:
    """Rows of named columns, without those that are empty throughout; None for too few of either."""
    kept = [at for at in range(len(header)) if any(row[at] for row in rows)]
    if len(rows) < FEWEST_ROWS or not 2 <= len(kept) <= MOST_COLUMNS:
        return None
    names = _distinct([header[at] for at in kept])
    cells = tuple(tuple(row[at] for at in kept) for row in rows)
    shown = tuple(lines) or tuple(", ".join(filter(None, row)) for row in cells)
    return Table(names, cells, shown, " | ".join(names), "\n", is_told_by_line=bool(lines))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found: list[str] = []
    for each in names:
        number = sum(one == each or one.startswith(f"{each} ") for one in found)
        found.append(f"{each} {number + 1}" if each in found else each)
    return tuple(found)


# -- lines of one form ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A column: its name, and its cells from the first row to the last."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class _Line:
    written: str
    section: str

    @property
    def bare(self) -> str:
        mark = _MARK.match(self.written)
        return self.written[mark.end() if mark is not None else 0 :].strip()


def _lines(text: str) -> Table | None:
    written = [each.rstrip() for each in text.splitlines()]
    if len(written) > MOST_LINES:
        return None
    lines = _under_headings(written)
    if len(lines) < FEWEST_ROWS or any(len(each.written) > LONGEST_LINE for each in lines):
        return None
    for form in _FORMS:
        rows = _rows_of(lines, form)
        parts = _parts([each.bare for each in rows]) if rows else ()
        if len(parts) > 1 and not _is_prose(parts):
            section = tuple(each.section for each in rows)
            sections = (_Part(SECTION, section),) if len(set(section)) > 1 else ()
            every = (*sections, *parts)
            cells = list(zip(*(each.cells for each in every), strict=True))
            return _table(_named(every), cells, [each.written.strip() for each in rows])
    return None


def _under_headings(written: Sequence[str]) -> list[_Line]:
    """The lines that are no headings, each with its own."""
    found: list[_Line] = []
    section = ""
    for before, line in pairwise(("", *written)):
        title = _TITLE.fullmatch(line)
        is_heading = not before.strip() and bool(line.strip()) and _is_heading(line.strip())
        if title is not None or is_heading:
            section = title["what"] if title is not None else line.strip(" :")
        elif line.strip():
            found.append(_Line(line, section))
    return found


def _is_heading(line: str) -> bool:
    return not re.search(r"\d", line) and (line.endswith(":") or line.isupper())


def _rows_of(lines: Sequence[_Line], form: Callable[[str], object]) -> list[_Line]:
    """The lines that have a form; [] where too many below the title have not, or one of those has a number,
    which would be missing from a sum."""
    fits = [bool(form(each.bare)) for each in lines]
    first = fits.index(True) if any(fits) else len(fits)
    last = len(fits) - fits[::-1].index(True) if any(fits) else 0
    # What the rows come to is none of them.
    totals = 1 if last and _is_total(lines[last - 1].bare) else 0
    last -= totals
    fitting = sum(fits[first:last])
    is_regular = fitting >= FEWEST_ROWS and fitting >= LEAST_SHARE * (len(lines) - first - totals)
    if first > MOST_TITLES or not is_regular:
        return []
    others = [each for each, fit in zip(lines[first:last], fits[first:last], strict=True) if not fit]
    # "Buttons" among things with their number is a thing as well.
    are_things = form is _ends_in_amount and all(len(each.bare.split()) <= SENTENCE_WORDS for each in others)
    if not are_things and others:
        return []
    return list(lines[first:last])


def _is_total(line: str) -> bool:
    dated = _LEADING_DATE.fullmatch(line)
    label, _ = _amount_behind(dated["rest"] if dated is not None else line)
    return _TOTALS.fullmatch(label.strip()) is not None


def _is_dated(line: str) -> bool:
    found = _dated(line)
    return found is not None and bool(found[2])


def _dated(line: str) -> tuple[str, str, str] | None:
    """The weekday, the date and the rest of a line that begins with them."""
    day = _LEADING_DAY.fullmatch(line)
    is_day = day is not None and _is_day(day["day"])
    dated = _LEADING_DATE.fullmatch(day["rest"] if day is not None and is_day else line)
    if dated is None:
        return None
    # "23.11. 31 kWh" is of no year 31.
    said = _AMOUNT_AS_YEAR.fullmatch(dated["date"])
    day_said, amount = said.groups() if said is not None else (dated["date"], "")
    rest = f"{amount} {dated['rest']}".strip()
    return day["day"] if day is not None and is_day else "", day_said, rest


def _is_day(word: str) -> bool:
    return word.casefold() in _DAY_NAMES or word.casefold() in _SHORT_DAYS


def _ends_in_amount(line: str) -> bool:
    label, amount = _amount_behind(line)
    return bool(amount) and _dated(label) is None and bool(re.search(r"[^\W\d_]", label))


def _amount_behind(text: str) -> tuple[str, str]:
    """What stands before the amount that a text ends in, and that; "" for none."""
    count = _COUNT.fullmatch(text)
    if count is not None:
        return count["label"], count["count"]
    starts = [each.start() for each in re.finditer(r"\S+", text)][-_MOST_TOKENS:]
    for at in starts:
        label, amount = text[:at], text[at:]
        # A sign that stands by itself parts, and is no minus.
        if not label.strip() or re.match(r"[+−–-]\s", amount) or not _is_amount(amount):
            continue
        bare = _LABEL_END.sub("", label, count=1)
        is_strong = _STRONG_END.search(label) is not None
        last = bare.split()[-1].casefold() if bare.split() else ""
        # The last figures of a telephone number are no amount.
        if not is_strong and (re.search(r"\d$", bare) or last in _JOINS):
            return text, ""
        return bare, amount
    return text, ""


def _is_amount(text: str) -> bool:
    unit = re.search(r"[^\W\d_]+\.?$", text)
    if unit is not None:
        word = unit[0].rstrip(".").casefold()
        if word in _NO_UNITS or (len(word) > 3 and word not in MEASURES and word not in ("euro", "euros")):
            return False
    found = column_of([text])
    return isinstance(found, Column) or found.is_ambiguous


# -- columns ----------------------------------------------------------------------------------


def _parts(cells: Sequence[str], is_first: bool = True, second: str = NOTE) -> tuple[_Part, ...]:
    """The columns that the cells of one have in common; itself where they have none. `second` is what words
    are called that do not stand first."""
    own = WHAT if is_first else second
    for read in (_by_date, _by_clock, _by_day, _by_names, _by_separator, _by_tail, _by_amount):
        if found := read(cells, own):
            return found
    return (_Part(own, tuple(cells)),)


def _more(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    return _parts(cells, own == WHAT, own) if any(cells) else ()


def _matches(pattern: re.Pattern[str], cells: Sequence[str]) -> list[re.Match[str]]:
    """One for each cell; [] where one has none."""
    found = [pattern.fullmatch(each) for each in cells]
    whole = [each for each in found if each is not None]
    return whole if len(whole) == len(cells) else []


def _by_date(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    found = [each for each in map(_dated, cells) if each is not None]
    if len(found) < len(cells):
        return ()
    days = tuple(each[0] for each in found)
    parts = (_Part(DAY, days),) if any(days) else ()
    return (
        *parts,
        _Part(DATE, tuple(each[1] for each in found)),
        *_more([each[2] for each in found], own),
    )


def _by_clock(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    for pattern, names in ((_LEADING_TIMES, (START, END)), (_LEADING_TIME, (TIME,))):
        if found := _matches(pattern, cells):
            parts = (_Part(name, tuple(each[name] for each in found)) for name in names)
            return (*parts, *_more([each["rest"] for each in found], own))
    return ()


def _by_day(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    found = _matches(_LEADING_DAY, cells)
    if not found or not all(each["day"].casefold() in _DAY_NAMES for each in found):
        return ()
    day = _Part(DAY, tuple(each["day"] for each in found))
    return (day, *_more([each["rest"] for each in found], own))


def _by_names(cells: Sequence[str], _own: str) -> tuple[_Part, ...]:
    """Values that the same words stand before in every row."""
    rows = [_pairs(each) for each in cells]
    names = [name for name, _ in rows[0]]
    if not names or len(set(names)) < len(names) or any([name for name, _ in row] != names for row in rows):
        return ()
    return tuple(_Part(name, tuple(row[at][1] for row in rows)) for at, name in enumerate(names))


def _pairs(cell: str) -> list[tuple[str, str]]:
    """The names and values that a cell consists of; [] where it has anything else."""
    found, at = [], 0
    while at < len(cell.rstrip(" .,;")):
        pair = _PAIR.match(cell, at)
        if pair is None:
            return []
        found.append((pair["name"].strip(), pair["value"]))
        at = pair.end()
    return found


def _by_separator(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    for separator in _SEPARATORS:
        parted = [separator.split(each, maxsplit=1) for each in cells]
        if sum(len(each) == 2 for each in parted) < LEAST_SHARE * len(cells) or not all(
            each[0] for each in parted
        ):
            continue
        # Each a thing with its number, whichever sign stands before that.
        if all(len(each) < 2 or _is_amount(each[1]) for each in parted) and _by_amount(cells, own):
            continue
        behind = [each[1] if len(each) == 2 else "" for each in parted]
        second = VALUE if separator is _COLON else NOTE
        return (*_parts([each[0] for each in parted], own == WHAT, own), *_parts(behind, False, second))
    return _by_comma(cells, own)


def _by_comma(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    """Cells that a comma parts as often in each of them; of sentences it is not so."""
    parted = [_COMMA.split(each) for each in cells]
    if len(parted[0]) < 2 or len({len(each) for each in parted}) > 1:
        return ()
    columns = [tuple(row[at] for row in parted) for at in range(len(parted[0]))]
    parts = [part for at, each in enumerate(columns) for part in _parts(each, own == WHAT and at == 0)]
    return tuple(parts)


def _by_tail(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    """A date with the same word before it, at the end of most: ", back 05/11"."""
    found = [_TAIL.fullmatch(each) for each in cells]
    tails = [each for each in found if each is not None]
    names = {each["name"].casefold() for each in tails}
    if len(tails) < 2 or len(tails) < LEAST_OPTIONAL * len(cells) or len(names) > 1:
        return ()
    heads = [
        each["head"].rstrip(" ,;") if each is not None else cell
        for each, cell in zip(found, cells, strict=True)
    ]
    tail = _Part(tails[0]["name"], tuple(each["value"] if each is not None else "" for each in found))
    return (*_parts(heads, own == WHAT, own), tail)


def _by_amount(cells: Sequence[str], own: str) -> tuple[_Part, ...]:
    filled = [each for each in cells if each]
    if filled and all(map(_is_amount, filled)):
        return (_Part(AMOUNT, tuple(cells)),)
    found = [_amount_behind(each) for each in cells]
    if sum(bool(amount) for _, amount in found) < LEAST_SHARE * len(cells):
        return ()
    labels, amounts = zip(*found, strict=True)
    return (*_parts(labels, own == WHAT, own), _Part(AMOUNT, amounts))


# By which lines are known to be rows, the first that fits.
_FORMS: tuple[Callable[[str], object], ...] = (
    _is_dated,
    _ends_in_amount,
    *(each.search for each in _SEPARATORS),
)


def _named(parts: Sequence[_Part]) -> tuple[str, ...]:
    """Their names; what many rows share is a state, as "paid" is."""
    return tuple(STATE if each.name in (NOTE, VALUE) and _is_state(each) else each.name for each in parts)


def _is_state(part: _Part) -> bool:
    cells = [each for each in part.cells if each]
    counts = Counter(cells).values()
    most = max(counts, default=0)
    return most > 1 and (most * 2 >= len(cells) or len(counts) * 2 <= len(cells))


def _is_prose(parts: Sequence[_Part]) -> bool:
    """Whether cells are sentences, or several columns that not all rows have."""
    for cell in (each for part in parts for each in part.cells):
        words, is_ended = len(cell.split()), cell.endswith((".", "!", "?"))
        if _WIDE.search(cell) or words > MOST_WORDS or (is_ended and words > SENTENCE_WORDS):
            return True
    return False


# -- objects in JSON --------------------------------------------------------------------------


class _Number(str):
    """As it is written."""

    __slots__ = ()


def _objects(text: str) -> Table | None:
    """An object of objects or of values, a list of objects, or the only one of these in an object."""
    try:
        read = json.loads(text, parse_float=_Number, parse_int=_Number)
    except (ValueError, RecursionError):
        return None
    found = _of_json(read)
    if found is None and isinstance(read, dict):
        inner = [table for each in read.values() if (table := _of_json(each)) is not None]
        found = inner[0] if len(inner) == 1 else None
    return found


def _of_json(read: Any) -> Table | None:
    if isinstance(read, list) and read and all(isinstance(each, dict) for each in read):
        return _of_records(read)
    if not isinstance(read, dict) or not read:
        return None
    if all(isinstance(each, dict) for each in read.values()):
        keys = {key for each in read.values() for key in each}
        name = "name" if "name" not in keys else "id"
        return _of_records([{name: key, **each} for key, each in read.items()])
    values = [_cell(each) for each in read.values()]
    if None in values or any(isinstance(each, list | bool) for each in read.values()):
        return None
    are_numbers = {isinstance(each, _Number) for each in read.values()}
    # Of settings each is of another kind.
    if len(are_numbers) > 1:
        return None
    cells = [(key, each or "") for key, each in zip(read, values, strict=True)]
    return _table(("name", AMOUNT if are_numbers.pop() else VALUE), cells)


def _of_records(records: Sequence[Mapping[str, Any]]) -> Table | None:
    """Rows of objects with much the same keys."""
    flat = [_flat(each) for each in records]
    if any(each is None for each in flat) or len(flat) > MOST_LINES:
        return None
    rows = [each for each in flat if each is not None]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    filled = sum(len(row) for row in rows)
    if filled < LEAST_SHARE * len(keys) * len(rows):
        return None
    return _table(keys, [[row.get(key, "") for key in keys] for row in rows])


def _flat(record: Mapping[str, Any]) -> dict[str, str] | None:
    """Its values by their keys, those of an object in it by both; None where one is no value."""
    found: dict[str, str] = {}
    for key, value in record.items():
        of_both = {f"{key} {one}": each for one, each in value.items()} if isinstance(value, dict) else {}
        for name, each in (of_both or {key: value}).items():
            cell = _cell(each)
            if cell is None:
                return None
            found[name] = cell
    return found


def _cell(value: Any) -> str | None:
    """A value as a cell has it; None for an object, or a list of them."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        cells = [_cell(each) for each in value]
        return ", ".join(each or "" for each in cells) if None not in cells else None
    return str(value) if isinstance(value, str) and "\n" not in value else None


# -- the events of a calendar -----------------------------------------------------------------


def _events(text: str) -> Table | None:
    """What is on which day, from when to when and where; None where something repeats, of which the days
    are not there, or is not understood."""
    found = list(events_in(text))
    rows = [cells_of_event(each) for each in found if each is not None and not each.repeats]
    return _table(COLUMNS, rows) if len(rows) == len(found) <= MOST_EVENTS else None
