"""What a text says is on which day."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone

import pytest

from desktop.tools.dated_entries import DatedEntry, dated_in

TODAY = date(2026, 11, 29)
CALENDAR = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20261202T093000Z\r\nSUMMARY:Boiler\\, yearly\r\n  check\r\n"
    "LOCATION:Mill\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261207\r\nSUMMARY:Lock closed\r\n"
    "END:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART:20269999\r\nSUMMARY:never\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def found(name: str, text: str, is_day_first: bool = False) -> list[DatedEntry]:
    return dated_in(name, text, TODAY, is_day_first, UTC)


def days(name: str, text: str, is_day_first: bool = False) -> list[str]:
    return [f"{each.day} {each.at or ''}".strip() for each in found(name, text, is_day_first)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "jobs.csv",
            "job,due,at\nlamp,2026-12-04,14:30\nchair,2026-12-05,\n",
            ["2026-12-04 14:30:00", "2026-12-05"],
        ),
        ("a.csv", "was;am\nReifen;04.12.2026\nÖl;03.01.\n", ["2026-12-04", "2027-01-03"]),
        ("a.txt", "The roof is done on 12 December at 9:15.\n", ["2026-12-12 09:15:00"]),
        ("a.txt", "Visit 23 to 27 Dec.\n", ["2026-12-27", "2026-12-23"]),
        ("log.txt", "28/11 rain\n27/11 sun\n", ["2026-11-28", "2026-11-27"]),
        ("a.txt", "Mardi 15 décembre 2026 à 14 h 30\n", ["2026-12-15 14:30:00"]),
        ("a.txt", "Notice by 31 July; met on 20 November.\n", ["2027-07-31", "2026-11-20"]),
        ("a.json", "2026-12-04, " * 400, []),
        ("a.txt", "nothing of a day, 3.5 kg\n", []),
        ("c.ics", CALENDAR, ["2026-12-02 09:30:00", "2026-12-07"]),
    ],
)
def test_every_day_is_found(name: str, text: str, expected: list[str]) -> None:
    """In rows, sentences and calendars; without a year the nearest one is meant."""
    assert days(name, text) == expected


def test_a_calendar_in_universal_time_is_told_in_ours() -> None:
    """And its words are unfolded, with what was escaped."""
    first = dated_in("c.ics", CALENDAR, TODAY, False, timezone(timedelta(hours=1)))[0]
    assert (str(first.at), first.words) == ("10:30:00", "Boiler, yearly check")


@pytest.mark.parametrize(("is_day_first", "day"), [(True, "2026-12-09"), (False, "2026-09-12")])
def test_a_slashed_day_is_read_as_its_reader_writes_it(is_day_first: bool, day: str) -> None:
    """Unless another day of the file tells it."""
    assert days("a.txt", "Fitting: 9/12/2026.\n", is_day_first) == [day]
    assert days("a.txt", "Fitting: 9/12/2026.\nThen: 13/12/2026.\n", is_day_first)[0] == "2026-12-09"


def test_of_several_days_of_a_sentence_each_has_its_words() -> None:
    """Those between the commas; what is between two days of one period belongs to both."""
    held, due = found("a.txt", "Slot held: 16 April 2027, deposit due by 15 December 2026\n")
    assert ("deposit" in held.words, "deposit" in due.words) == (False, True)
    begins, ends = found("a.txt", "- Priya, 28 Dec to 2 Jan, front room\n")
    assert (begins.is_end, ends.is_end) == (False, True)
    assert "Priya" in begins.words
    assert "Priya" in ends.words
    begins, ends = found("a.txt", "En congé du jeudi 24 décembre au vendredi 1er janvier inclus.\n")
    assert (begins.is_end, ends.is_end) == (False, True)


def test_the_later_of_two_days_of_a_row_is_its_end() -> None:
    """And each is called what its column is."""
    begins, ends = found("rooms.csv", "guest,in,out\nRoy,2026-12-04,2026-12-08\nAda,2026-12-11,2026-12-13\n")[
        :2
    ]
    assert (begins.is_end, begins.column, ends.is_end, ends.column) == (False, "in", True, "out")
