"""What a text says is on which day: rows of tables, entries of calendars, and sentences.

Each comes with the words that tell what it is; which of them is meant, `chat/event_reminders.py` says. Pure
functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, tzinfo

from desktop.tools.calendar_files import events_in, is_calendar
from desktop.tools.dates import ANY_DATE, date_said
from desktop.tools.periods import WEEKDAYS
from desktop.tools.table_queries import rows_in
from desktop.tools.tables import Table

GONE_DAYS = 60  # after which a day without a year, in a sentence, is that of the next one
LONGEST_SENTENCE = 2000  # characters; more is no sentence, and would be looked through once for each date
LONGEST_BESIDE = 2000  # characters of a text that stand around each of its sentences
_UNTIL_SHOWN = 40  # characters before a date that may say that it is the last
LONGEST_SAID = 120  # characters of a row or sentence that are told


@dataclass(frozen=True)
class DatedEntry:
    """What a file says is on a day: `words` tell what it is, `beside` are those around it (the columns,
    other lines), `column` what its day is called in a table, `said` is it as it stands there. `at` None: no
    hour is named. `is_end`: the last day of a period, or the later one of a row."""

    file: str
    day: date
    at: time | None
    words: str
    beside: str = ""
    said: str = ""
    is_end: bool = False
    column: str = ""


_CLOCK = re.compile(
    r"(?<![\d.,:/-])(?P<hour>[01]?\d|2[0-3])(?:(?::|\s?h\s?)(?P<minutes>[0-5]\d)|\s?(?:uhr|h)\b)", re.I
)
_SENTENCE = re.compile(r"(?<=[^\d\s][.;!?])\s+|(?<=\d{4}[.;])\s+|\n")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/\d{2,4})?(?![\d/])")
_COMMA = re.compile(r"(?<=[,;:]\s)")
# Before the last day of a period.
_WEEKDAY = "|".join(name for names in WEEKDAYS for name in names)
_UNTIL = re.compile(
    r"(?:\b(?P<from>\d{1,2})(?:st|nd|rd|th|er|\.)?\s*)?"
    rf"(?:\b(?:to|until|till|through|bis(?: zum)?|jusqu['’]au|au|hasta(?: el)?|al)\b"
    rf"\s*(?:(?:the|{_WEEKDAY}),?\s*)?|[-–]\s*)\Z",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s*#+\s*")


def dated_in(name: str, text: str, today: date, is_day_first: bool, zone: tzinfo | None) -> list[DatedEntry]:
    """All that the file `name` with this text says is on a day; a day without its year is the one nearest to
    `today`. `is_day_first`: 3/4 is in April where the file does not tell."""
    if is_calendar(name):
        return list(_entries(name, text, zone))
    order = _day_first(text, is_day_first)
    table = rows_in(text)
    found = list(_of_rows(name, table, today, order)) if table is not None else []
    return found or list(_of_sentences(name, text, today, order))


def _day_first(text: str, is_day_first: bool) -> bool:
    for first, second in _SLASHED.findall(text):
        if (int(first) > 12) != (int(second) > 12):
            return int(first) > 12
    return is_day_first


def _day(said: str, today: date, is_day_first: bool) -> date | None:
    if not any(each.isdigit() for each in said):
        return None
    slashed = _SLASHED.fullmatch(said.strip())
    if slashed is not None and int(slashed[1]) <= 12 and int(slashed[2]) <= 12:
        day, month = (slashed[1], slashed[2]) if is_day_first else (slashed[2], slashed[1])
        rest = said.strip().split("/")[2:]
        said = f"{day}.{month}.{rest[0] if rest else ''}"
    years = {each: date_said(said, each) for each in (today.year - 1, today.year, today.year + 1)}
    days = {each for each in years.values() if each is not None}
    return min(days, key=lambda each: abs((each - today).days)) if days else None


def _hour(text: str) -> time | None:
    found = _CLOCK.search(text)
    return time(int(found["hour"]), int(found["minutes"] or 0)) if found is not None else None


def _of_rows(name: str, table: Table, today: date, order: bool) -> Iterator[DatedEntry]:
    for row in table.rows:
        days = [_day(cell, today, order) for cell in row]
        first = next((each for each in days if each is not None), None)
        others = [cell for cell, day in zip(row, days, strict=True) if day is None]
        hour = next((found for each in others if (found := _hour(each)) is not None), None)
        said, words = _shown(", ".join(each for each in row if each)), " ".join(others)
        for column, day in enumerate(days):
            if day is None or first is None:
                continue
            called = table.header[column] if column < len(table.header) else ""
            beside, is_end = " ".join(table.header), day > first
            yield DatedEntry(name, day, hour, words, beside, said, is_end, called)


def _of_sentences(name: str, text: str, today: date, order: bool) -> Iterator[DatedEntry]:
    beside = " ".join(text[:LONGEST_BESIDE].split())
    for sentence in _SENTENCE.split(text):
        if len(sentence) > LONGEST_SENTENCE:
            continue
        for found in ANY_DATE.finditer(sentence or ""):
            day = _day(found[0].rstrip(".") if found[0].count(".") > 2 else found[0], today, order)
            if day is None:
                continue
            # What is said once is said of every year: "bis zum 31. Juli".
            is_yearly = re.search(r"\d{4}|\d/\d+/\d\d|\.\d\d\Z", found[0]) is None
            if is_yearly and (today - day).days > GONE_DAYS:
                day = _day(f"{day.day}.{day.month}.{day.year + 1}", today, order) or day
            until = _UNTIL.search(sentence[max(0, found.start() - _UNTIL_SHOWN) : found.start()])
            hour, words, said = (
                _hour(sentence.replace(found[0], " ")),
                _clause(sentence, found),
                _shown(sentence),
            )
            yield DatedEntry(name, day, hour, words, beside, said, until is not None)
            # "23 to 27 Dec" begins on the 23rd.
            if until is not None and until["from"] and 0 < int(until["from"]) < day.day:
                yield DatedEntry(name, day.replace(day=int(until["from"])), hour, words, beside, said)


def _clause(sentence: str, found: re.Match[str]) -> str:
    """The words that belong to one of several dates of a sentence: between commas, with what stands before it
    and has no date of its own."""
    own, at = [], 0
    for part in _COMMA.split(sentence):
        end = at + len(part)
        if at <= found.start() < end:
            rest = sentence[end:]
            own.append(part)
            # Behind the last date all is of it.
            own += [] if ANY_DATE.search(rest) else [rest]
            break
        own = [] if ANY_DATE.search(part) else [*own, part]
        at = end
    return _HEADING.sub("", " ".join(own))


def _shown(line: str) -> str:
    plain = " ".join(_HEADING.sub("", line).split()).strip("| .")
    return plain if len(plain) <= LONGEST_SAID else f"{plain[:LONGEST_SAID].rstrip()} …"


def _entries(name: str, text: str, zone: tzinfo | None) -> Iterator[DatedEntry]:
    """The events of a calendar; one that repeats counts on its first day."""
    for each in events_in(text, zone):
        if each is not None:
            at = each.start.time() if each.has_time else None
            beside = f"{each.location} {each.description}"
            yield DatedEntry(name, each.start.date(), at, each.summary, beside, _shown(each.summary))
