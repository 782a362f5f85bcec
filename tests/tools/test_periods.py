"""Times of which a question asks, as their first and last day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.periods import Period, as_of_days, calendar_days, named_times, periods_in, week_after

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "language", "first", "last"),
    [
        ("how many hours did i work last week", "en", (11, 16), (11, 22)),
        ("what days am i on this coming week", "en", (11, 30), (12, 6)),
        ("and this week?", "en", (11, 23), (11, 29)),
        ("who have i got on thursday", "en", (12, 3), (12, 3)),
        ("what did i do last thursday", "en", (11, 26), (11, 26)),
        ("yesterday's sales", "en", (11, 28), (11, 28)),
        ("was haben wir letzten Monat ausgegeben", "de", (10, 1), (10, 31)),
        ("wer kommt nächsten Montag", "de", (11, 30), (11, 30)),
        ("was war gestern", "de", (11, 28), (11, 28)),
        ("zoé a fait combien d'heures cette semaine", "fr", (11, 23), (11, 29)),
        ("la semaine dernière", "fr", (11, 16), (11, 22)),
        ("qui était là jeudi dernier", "fr", (11, 26), (11, 26)),
        ("el mes pasado", "es", (10, 1), (10, 31)),
        ("quién viene mañana", "es", (11, 30), (11, 30)),
        ("la próxima semana", "es", (11, 30), (12, 6)),
    ],
)
def test_a_named_time_has_a_first_and_a_last_day(
    text: str, language: str, first: tuple[int, int], last: tuple[int, int]
) -> None:
    """A week begins on Monday; a weekday by itself is the next one."""
    found = periods_in(text, language, SUNDAY)
    assert [(each.first, each.last) for each in found] == [(date(2026, *first), date(2026, *last))]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how many have i got", "en"),
        ("wo ist das hier", "de"),  # "hier" is yesterday in French alone
        ("qué hago por la mañana", "es"),
        ("last but not least", "en"),
        ("last week", "nl"),
    ],
)
def test_what_names_no_time_has_none(text: str, language: str) -> None:
    """Neither words that look like one, nor a language that is not known."""
    assert periods_in(text, language, SUNDAY) == ()


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1)))
def test_last_this_and_next_follow_each_other(today: date) -> None:
    """Without a day between them, whatever day it is."""
    for unit in ("week", "month", "year"):
        before, now, later = (
            periods_in(f"{word} {unit}", "en", today)[0] for word in ("last", "this", "next")
        )
        assert before.last + timedelta(days=1) == now.first <= today <= now.last
        assert now.last + timedelta(days=1) == later.first


@pytest.mark.parametrize(
    ("text", "language", "days"),
    [
        ("who's in the hall on the 12th and when is it empty?", "en", ["2026-12-12"]),
        ("choir, tues 8 dec 10 till 11.30", "en", ["2026-12-08"]),
        ("at 10.30 on the 3rd of january", "en", ["2027-01-03"]),
        ("familie brandl kommt erst am 27.12. statt am 26.", "de", ["2026-12-27", "2026-12-26"]),
        ("hasta el lunes 14 de diciembre a las 11:15", "es", ["2026-12-14"]),
        ("qué pasa el día 12", "es", ["2026-12-12"]),
        ("le 5 on charge à 9h", "fr", ["2026-12-05"]),
        ("c'était le 27 novembre", "fr", ["2026-11-27"]),
        ("what is on 2026-12-05", "en", ["2026-12-05"]),
        ("the 12th century castle", "en", []),
        ("delete the 3rd row", "en", []),
        ("version 2.12.1", "en", []),
        ("in the last 3 weeks", "en", []),
        ("on the 32nd", "en", []),
    ],
)
def test_days_of_the_calendar_are_found(text: str, language: str, days: list[str]) -> None:
    """The nearest one without a year, the next one without a month, and nothing that only looks like one."""
    assert [str(each.first) for each in calendar_days(text, language, SUNDAY)] == days


def test_a_weekday_beside_a_date_says_the_same_again() -> None:
    """ "Monday 14 December" is not the next Monday; other times stay."""
    assert [str(each.first) for each in named_times("monday 14 december or yesterday", "en", SUNDAY)] == [
        "2026-12-14",
        "2026-11-28",
    ]
    assert [str(each.first) for each in named_times("on monday", "en", SUNDAY)] == ["2026-11-30"]


@pytest.mark.parametrize(
    ("text", "language", "inside", "outside"),
    [
        ("arrivent avant le 1er janvier", "fr", (2026, 12, 31), (2027, 1, 1)),
        ("everything until the 12th of december", "en", (2026, 12, 12), (2026, 12, 13)),
        ("was kommt nach dem 3. Dezember", "de", (2026, 12, 4), (2026, 12, 3)),
        ("lo que hay desde el 3 de diciembre", "es", (2026, 12, 3), (2026, 12, 2)),
    ],
)
def test_a_time_is_open_behind_a_word_that_says_so(
    text: str, language: str, inside: tuple[int, int, int], outside: tuple[int, int, int]
) -> None:
    """And is called by that word, too."""
    (found,) = as_of_days(named_times(text, language, SUNDAY), text, ())
    assert found.words in text.casefold()
    assert found.first <= date(*inside) <= found.last
    assert not found.first <= date(*outside) <= found.last


def test_a_weekday_is_the_last_one_where_something_was_then() -> None:
    """Not where the next one has something, and no day but a weekday."""
    saturday = Period("samstag", date(2026, 12, 5), date(2026, 12, 5))
    before = replace(saturday, first=date(2026, 11, 28), last=date(2026, 11, 28))
    assert as_of_days((saturday,), "am samstag", {date(2026, 11, 28)}) == (before,)
    assert as_of_days((saturday,), "am samstag", {date(2026, 11, 28), date(2026, 12, 5)}) == (saturday,)
    assert as_of_days((saturday,), "am samstag", ()) == (saturday,)
    tomorrow = replace(saturday, words="morgen")
    assert as_of_days((tomorrow,), "morgen", {date(2026, 11, 28)}) == (tomorrow,)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("from August to November", "2026-08-01", "2026-11-30"),
        ("von August bis November", "2026-08-01", "2026-11-30"),
        ("entre janvier et mars", "2027-01-01", "2027-03-31"),
        ("de noviembre a enero", "2026-11-01", "2027-01-31"),
    ],
)
def test_months_from_one_to_another_are_one_time(text: str, first: str, last: str) -> None:
    """Of the year that is nearest."""
    (found,) = named_times(text, "en", date(2026, 11, 30))
    assert (str(found.first), str(found.last)) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["and the week after?", "und die Woche danach?", "et la semaine suivante ?", "¿y la semana siguiente?"],
)
def test_the_week_after_is_behind_the_one_that_was_spoken_of(text: str) -> None:
    """Or behind today's."""
    today = date(2026, 11, 30)
    assert week_after(text, "", "en", today)[0].first == date(2026, 12, 7)
    assert week_after(text, "what is on next week", "en", today)[0].first == date(2026, 12, 14)
    assert not week_after("the week after next", "", "en", today)
