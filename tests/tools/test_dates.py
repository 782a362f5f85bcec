"""Dates in tables and requests, in four languages; what may be two dates is none."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.dates import ANY_DATE, date_said, dates_of, month_number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-23", date(2026, 11, 23)),
        ("23.11.2026", date(2026, 11, 23)),
        ("23.11.", date(2025, 11, 23)),
        ("3 March", date(2025, 3, 3)),
        ("March 3rd, 2026", date(2026, 3, 3)),
        ("3. März", date(2025, 3, 3)),
        ("3 mars 2026", date(2026, 3, 3)),
        ("1er août", date(2025, 8, 1)),
        ("3 de marzo de 2026", date(2026, 3, 3)),
        ("15 juin", date(2025, 6, 15)),
        ("15 juillet", date(2025, 7, 15)),
        ("23/11/2026", date(2026, 11, 23)),
        ("11/23/2026", date(2026, 11, 23)),
        ("03/04/2026", None),
        ("31.2.2026", None),
        ("soon", None),
    ],
)
def test_a_date_as_it_is_said(text: str, expected: date | None) -> None:
    """Of a year that is given where it names none."""
    assert date_said(text, 2025) == expected


def test_a_column_tells_day_from_month() -> None:
    """By one date in which it can be no other; without one there are no dates."""
    assert dates_of(["03/04/2026", "25/04/2026"]) == (date(2026, 4, 3), date(2026, 4, 25))
    assert dates_of(["03/04/2026", "04/25/2026"]) == (date(2026, 3, 4), date(2026, 4, 25))
    assert dates_of(["03/04/2026", "05/06/2026"]) is None
    assert dates_of(["2026-01-01", "rent"]) is None


def test_a_column_may_name_no_year() -> None:
    """Then one is given; day and month are told from the others as ever."""
    assert dates_of(["05/11", "14/11"], 2026) == (date(2026, 11, 5), date(2026, 11, 14))
    assert dates_of(["05/11", "14/11"]) is None
    assert dates_of(["05/11", "06/11"], 2026) is None


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("January", 1),
        ("ene.", 1),
        ("Mai", 5),
        ("mayo", 5),
        ("juin", 6),
        ("juillet", 7),
        ("août", 8),
        ("Dez", 12),
        ("rent", 0),
    ],
)
def test_months_in_four_languages(name: str, number: int) -> None:
    """By their names and their beginnings."""
    assert month_number(name) == number


@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_each_day_is_read_as_itself(day: date) -> None:
    """In three ways of writing it, and found in a sentence."""
    for text in (day.isoformat(), f"{day:%d.%m.%Y}", f"{day.day} {day:%B} {day.year}"):
        assert date_said(text, 1999) == day
        assert ANY_DATE.findall(f"before {text}") == [text]
    assert dates_of([day.isoformat(), (day + timedelta(1)).isoformat()]) == (day, day + timedelta(1))
