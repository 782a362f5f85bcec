"""Events of a calendar file are read as rows, and written without touching anything else."""

from __future__ import annotations

import re
from datetime import date, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.calendar_files import (
    COLUMNS,
    END,
    LINE_BYTES,
    LOCATION,
    START,
    SUMMARY,
    added_event,
    cells_in_event,
    event_rows,
    event_with,
    events_in,
    is_whole,
    told_events,
)

LESSON = (
    "BEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Paris:20261201T183000\r\n"
    "DTEND;TZID=Europe/Paris:20261201T203000\r\nSUMMARY:Cours\\, mardi\r\nX-OWN:kept\r\nEND:VEVENT"
)
FAIR = (
    "BEGIN:VEVENT\r\nUID:2\r\nDTSTART;VALUE=DATE:20261206\r\nDTEND;VALUE=DATE:20261208\r\nSUMMARY:Marché\r\n"
    "  de Noël\r\nBEGIN:VALARM\r\nDESCRIPTION:alarm\r\nEND:VALARM\r\nLOCATION:Uzès\r\nEND:VEVENT"
)
WEEKLY = "BEGIN:VEVENT\r\nDTSTART:20261203T183000\r\nRRULE:FREQ=WEEKLY\r\nSUMMARY:Yoga\r\nEND:VEVENT"
NEVER = "BEGIN:VEVENT\r\nDTSTART:20269999\r\nSUMMARY:never\r\nEND:VEVENT"


def calendar(*events: str) -> str:
    return "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *events, "END:VCALENDAR", ""))


def test_events_are_rows_and_their_texts_are_the_lines() -> None:
    """Those that repeat are left out: of them one day stands for many."""
    table = event_rows(calendar(LESSON, WEEKLY, FAIR, NEVER))
    assert table is not None
    assert table.header == COLUMNS
    assert table.rows == (
        ("Cours, mardi", "2026-12-01", "", "18:30", "20:30", ""),
        ("Marché de Noël", "2026-12-06", "2026-12-07", "", "", "Uzès"),
    )
    assert table.lines == (LESSON, FAIR)


@pytest.mark.parametrize("text", ["", calendar(), calendar(WEEKLY), calendar(LESSON, LESSON), "SUMMARY:x\n"])
def test_what_cannot_be_told_apart_is_no_table(text: str) -> None:
    """Nothing, only what repeats, and the same event twice."""
    assert event_rows(text) is None


@pytest.mark.parametrize(
    ("event", "changes", "lines"),
    [
        # moved, it is as long as it was, in the zone that it had
        (
            LESSON,
            {"date": "2026-12-03"},
            ["DTSTART;TZID=Europe/Paris:20261203T183000", "DTEND;TZID=Europe/Paris:20261203T203000"],
        ),
        (
            LESSON,
            {"start": "19:00"},
            ["DTSTART;TZID=Europe/Paris:20261201T190000", "DTEND;TZID=Europe/Paris:20261201T210000"],
        ),
        (
            LESSON,
            {"start": "19:00", "end": "20:00"},
            ["DTSTART;TZID=Europe/Paris:20261201T190000", "DTEND;TZID=Europe/Paris:20261201T200000"],
        ),
        (
            LESSON,
            {"start": "23:00", "end": "01:00"},
            ["DTSTART;TZID=Europe/Paris:20261201T230000", "DTEND;TZID=Europe/Paris:20261202T010000"],
        ),
        (
            LESSON,
            {"summary": "Cours; lundi", "location": "a,b"},
            ["SUMMARY:Cours\\; lundi", "LOCATION:a\\,b"],
        ),
        (
            FAIR,
            {"date": "2026-12-13"},
            ["DTSTART;VALUE=DATE:20261213", "DTEND;VALUE=DATE:20261215", "DESCRIPTION:alarm"],
        ),
        (FAIR, {"last day": "2026-12-09"}, ["DTEND;VALUE=DATE:20261210"]),
        (FAIR, {"location": "Alès"}, ["LOCATION:Alès", "DESCRIPTION:alarm"]),
        # a day that gets an hour is no longer a whole one
        (
            FAIR.replace("DTEND;VALUE=DATE:20261208\r\n", ""),
            {"start": "14:00"},
            ["DTSTART:20261206T140000"],
        ),
    ],
)
def test_only_what_changes_is_written(event: str, changes: dict[str, str], lines: list[str]) -> None:
    """Any other property stays to the letter."""
    written = event_with(event, changes)
    assert written is not None
    assert set(lines) <= set(written.split("\r\n"))
    added = {
        each.split(":")[0].split(";")[0] for each in set(written.split("\r\n")) - set(event.split("\r\n"))
    }
    gone = {
        each.split(":")[0].split(";")[0] for each in set(event.split("\r\n")) - set(written.split("\r\n"))
    }
    assert gone <= added | {"  de Noël"}
    assert len(added) == len([each for each in lines if each != "DESCRIPTION:alarm"])


@pytest.mark.parametrize("changes", [{"date": "2026-13-01"}, {"start": "25:00"}, {"date": "Friday"}])
def test_no_day_and_no_hour_is_no_change(changes: dict[str, str]) -> None:
    """Nothing is written then, and neither for what is no event."""
    assert event_with(LESSON, changes) is None
    assert event_with(NEVER, {"summary": "x"}) is None


@pytest.mark.parametrize(
    ("events", "row", "start"),
    [
        (
            (LESSON, FAIR),
            ("Fête", "2026-12-13", "", "14:00", "", ""),
            "DTSTART;TZID=Europe/Paris:20261213T140000",
        ),
        ((FAIR,), ("Fête", "2026-12-13", "", "14:00", "", ""), "DTSTART:20261213T140000"),
        ((LESSON, FAIR), ("Fête", "2026-12-13", "", "", "", "Uzès"), "DTSTART;VALUE=DATE:20261213"),
    ],
)
def test_an_event_is_added_as_the_others_are_written(
    events: tuple[str, ...], row: tuple[str, ...], start: str
) -> None:
    """With a name of its own and the time of writing; without an hour it is of the whole day, and no end is
    made up."""
    table = event_rows(calendar(*events, NEVER.replace("9999", "1224")))
    assert table is not None
    cells = dict(zip(COLUMNS, row, strict=True))
    written = added_event(table, [cells[name] for name in table.header])
    assert written is not None
    assert start in written.split("\r\n")
    assert re.search(r"^UID:\S{36}\r\nDTSTAMP:\d{8}T\d{6}Z\r$", written, re.MULTILINE)
    assert "DTEND" not in written
    assert cells_in_event(written, table) == tuple(cells[name] for name in table.header)


def test_without_its_day_or_words_nothing_is_added() -> None:
    """Today is not guessed."""
    table = event_rows(calendar(LESSON))
    assert table is not None
    assert added_event(table, ("Fête", "", "14:00", "", "")) is None
    assert added_event(table, ("", "2026-12-13", "14:00", "", "")) is None


def test_a_time_of_the_universal_clock_stays_on_it() -> None:
    """It is shown on ours."""
    event = LESSON.replace(";TZID=Europe/Paris", "").replace("3000", "3000Z")
    found = next(events_in(event, timezone(timedelta(hours=1))))
    assert found is not None
    assert f"{found.start:%H:%M}" == "19:30"
    written = event_with(event, {"summary": "other"})
    assert written is not None
    assert "DTSTART:20261201T183000Z" in written
    moved = event_with(event, {"date": "2026-12-03"})
    assert moved is not None
    assert "DTSTART:20261203T183000Z" in moved


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (calendar(LESSON, FAIR, WEEKLY), True),
        (calendar(), True),
        (f"{calendar(LESSON)}the boiler service\n", False),
        (calendar(LESSON.replace("SUMMARY:Cours\\, mardi\r\n", "")), False),
        (calendar(NEVER), False),
        (calendar(LESSON.replace("END:VEVENT", "")), False),
        ("", False),
        (LESSON, False),
    ],
)
def test_a_calendar_is_whole_or_not(text: str, expected: bool) -> None:
    """A line that is no property, an event without words or day, and one that never ends break it."""
    assert is_whole(text) is expected


def test_events_are_told_in_few_words() -> None:
    """And nothing else is taken for one."""
    assert told_events(LESSON) == "Cours, mardi, 2026-12-01, 18:30, 20:30"
    assert told_events(f"{LESSON}\r\n{FAIR}").count("; ") == 1
    assert told_events(f"x {LESSON}") == told_events("milk") == told_events(NEVER) == ""


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN:VEVENT\n" * 100_000,
        f"BEGIN:VEVENT\nDTSTART{';' * 100_000}\nEND:VEVENT\n",
        "BEGIN:VEVENT\nDTSTART" + ';X="' * 30_000 + "\nEND:VEVENT\n",
        f"BEGIN:VEVENT\n{'A-' * 50_000}\nEND:VEVENT\n",
        f"BEGIN:VEVENT\n{' x' * 50_000}\nSUMMARY:{chr(92) * 100_000}\nEND:VEVENT\n",
    ],
)
def test_a_hostile_file_ends_at_once(text: str) -> None:
    """No pattern goes to and fro in it: with the lines before this one it took for ever."""
    assert list(events_in(text)) in ([], [None])
    assert event_rows(text) is None
    assert told_events(text) == ""
    assert not is_whole(text)


_CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=120)


@given(_CELLS, _CELLS, st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.times())
def test_what_is_written_is_read_back(summary: str, location: str, day: date, at: time) -> None:
    """Whatever its letters, in lines that every reader takes."""
    changes = {SUMMARY: summary, LOCATION: location, "date": day.isoformat(), START: f"{at:%H:%M}", END: ""}
    written = event_with(LESSON, changes)
    assert written is not None
    found = next(events_in(written))
    assert found is not None
    assert (found.summary, found.location) == (summary, location)
    assert (found.start.date(), f"{found.start:%H:%M}") == (day, f"{at:%H:%M}")
    assert all(len(each.encode()) <= LINE_BYTES for each in written.split("\r\n"))
    assert "X-OWN:kept" in written.split("\r\n")
