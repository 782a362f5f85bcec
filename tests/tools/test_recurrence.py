"""What comes again: on the right days, at the time that the wall shows, through every change of the clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.reasons import LANGUAGES
from desktop.tools.recurrence import LAST, Recurrence, RecurrenceUnit
from desktop.tools.recurrence_phrases import read_when

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=BERLIN)
START = date(2026, 11, 20)


def _daily(hour: int, minute: int = 0) -> Recurrence:
    return Recurrence(RecurrenceUnit.DAY, hour, minute, date(2026, 1, 1))


def _times(rule: Recurrence, after: datetime, count: int) -> list[str]:
    found = []
    for _ in range(count):
        after = rule.next_after(after)
        found.append(f"{after:%Y-%m-%d %H:%M %z}")
    return found


def test_it_stays_at_the_hour_of_the_wall_when_clocks_are_changed() -> None:
    """At 8 before and after, though a day has 23 or 25 hours."""
    spring = _times(_daily(8), datetime(2026, 3, 28, 0, 0, tzinfo=BERLIN), 2)
    assert spring == ["2026-03-28 08:00 +0100", "2026-03-29 08:00 +0200"]
    autumn = _times(_daily(8), datetime(2026, 10, 24, 0, 0, tzinfo=BERLIN), 2)
    assert autumn == ["2026-10-24 08:00 +0200", "2026-10-25 08:00 +0100"]


def test_a_time_that_the_clock_skips_comes_an_hour_later_once() -> None:
    """Half past two is half past three on that day, and half past two again on the next."""
    found = _times(_daily(2, 30), datetime(2026, 3, 28, 12, 0, tzinfo=BERLIN), 2)
    assert found == ["2026-03-29 03:30 +0200", "2026-03-30 02:30 +0200"]


def test_a_time_that_comes_twice_counts_once() -> None:
    """The first of the two; asked between them, and in the second, the next one is tomorrow's."""
    before = datetime(2026, 10, 24, 12, 0, tzinfo=BERLIN)
    assert _times(_daily(2, 30), before, 2) == ["2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"]
    in_the_second = datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=BERLIN)
    assert _times(_daily(2, 30), in_the_second, 1) == ["2026-10-26 02:30 +0100"]


ON = [
    ("every weekday at 8", ["23", "24", "25", "26", "27", "30"]),
    ("every Monday and Thursday at 9", ["23", "26", "30"]),
    ("every other Friday at 15:00", ["20", "04", "18"]),
    ("every 3 days at 8", ["21", "24", "27", "30", "03"]),
    ("on the last day of every month at 9", ["30", "31", "31", "28"]),
    ("on the 31st of every month at 9", ["30", "31", "31", "28"]),
    ("every first Monday of the month at 9", ["07", "04", "01", "01"]),
    ("every last Friday of the month at 9", ["27", "25", "29"]),
    ("every 2 months on the 15th at 9", ["15", "15", "15"]),
    ("every year on 29 February at 9", ["28", "29", "28"]),
]


IN_OTHER_WORDS = [
    ("every day at 8", "tous les jours à 8 h", "todos los días a las 8"),
    ("every day at 8", "chaque jour à 8 heures du matin", "cada día a las 8 de la mañana"),
    ("every weekday at 8:30", "tous les jours ouvrables à 8h30", "todos los días laborables a las 8:30"),
    ("every weekday at 7:45", "du lundi au vendredi à 7 h 45", "de lunes a viernes a las 7:45"),
    ("every weekday at 7", "en semaine à 7 h", "entre semana a las 7:00"),
    ("every Monday at 9", "tous les lundis à 9h", "cada lunes a las 9"),
    (
        "every Monday and Thursday at 9",
        "tous les lundis et les jeudis à 9 h",
        "los lunes y los jueves a las 9",
    ),
    ("every Wednesday at 18:00", "les mercredis à 18h", "cada miercoles a las 18:00"),
    ("every other Friday at 15:00", "un vendredi sur deux à 15h", "cada dos viernes a las 15:00"),
    ("every 2 days at 8", "tous les deux jours à 8 h", "cada dos días a las 8"),
    (
        "every 2 weeks on Tuesday at 8",
        "toutes les 2 semaines le mardi à 8h",
        "cada 2 semanas el martes a las 8",
    ),
    ("on the 15th of every month at 10", "le 15 de chaque mois à 10 h", "el día 15 de cada mes a las 10"),
    ("on the 1st of every month at 10", "le 1er du mois à 10 h", "el 1 de cada mes a las 10"),
    ("on the last day of every month at 9", "le dernier jour du mois à 9 h", "el último día del mes a las 9"),
    (
        "every first Monday of the month at 9",
        "le premier lundi de chaque mois à 9 h",
        "el primer lunes de cada mes a las 9",
    ),
    (
        "every year on 24 December at 12:00",
        "chaque année le 24 décembre à 12 h",
        "cada año el 24 de diciembre a las 12",
    ),
    ("every weekend at 10", "chaque week-end à 10 h", "los fines de semana a las 10"),
    ("every morning", "chaque matin", "cada mañana"),
    ("every evening at 19:30", "tous les soirs à 19h30", "todas las noches a las 19:30"),
]


@pytest.mark.parametrize(("english", "french", "spanish"), IN_OTHER_WORDS)
def test_french_and_spanish_mean_the_same(english: str, french: str, spanish: str) -> None:
    """The very same recurrence, with its first day."""
    wanted = read_when(english, NOW)
    assert read_when(french, NOW) == wanted
    assert read_when(spanish, NOW) == wanted


@pytest.mark.parametrize(
    "words",
    [
        "chaque lundi sauf en mai à 9 h",
        "tous les matins sauf le dimanche",
        "todos los lunes excepto en mayo a las 9",
        "cada mesa a las 9",
        "toutes les heures",
        "cada 5 minutos",
    ],
)
def test_what_is_not_understood_whole_is_refused(words: str) -> None:
    """And not half set, in French and Spanish too."""
    with pytest.raises(UserFacing):
        read_when(words, NOW)


@pytest.mark.parametrize(("words", "days"), ON)
def test_it_falls_on_these_days(words: str, days: list[str]) -> None:
    """A day that a month does not have is its last one."""
    rule = read_when(words, NOW).repeats
    assert rule is not None
    assert [each[8:10] for each in _times(rule, NOW, len(days))] == days


def test_of_what_was_missed_the_latest_counts() -> None:
    """After a fortnight away there is one time to catch up on, and it is the last that passed."""
    rule = read_when("every weekday at 8", NOW).repeats
    assert rule is not None
    first = rule.next_after(NOW)
    back = datetime(2026, 12, 6, 12, 0, tzinfo=BERLIN)  # a Sunday
    assert f"{rule.latest_until(first, back):%d %B %H:%M}" == "04 December 08:00"
    assert rule.latest_until(first, first) == first


HOURS, MINUTES = st.integers(0, 23), st.integers(0, 59)


@st.composite
def recurrences(draw: st.DrawFn) -> Recurrence:
    """Every kind that can be written."""
    unit = draw(st.sampled_from(RecurrenceUnit))
    hour, minute = draw(HOURS), draw(MINUTES)
    weekday = st.integers(0, 6)
    if unit is RecurrenceUnit.DAY:
        return Recurrence(unit, hour, minute, START, draw(st.integers(1, 365)))
    if unit is RecurrenceUnit.WEEK:
        interval = draw(st.integers(1, 52))
        size = 1 if interval > 1 else 7
        days = tuple(sorted(draw(st.sets(weekday, min_size=1, max_size=size))))
        # All seven are the same as every day, which is said otherwise.
        return Recurrence(unit, hour, minute, START, interval, days if len(days) < 7 else (0,))
    if unit is RecurrenceUnit.YEAR:
        day = date(2028, 1, 1) + timedelta(days=draw(st.integers(0, 365)))
        return Recurrence(unit, hour, minute, START, day=day.day, month=day.month)
    interval = draw(st.integers(1, 12))
    if draw(st.booleans()):
        place = draw(st.sampled_from((1, 2, 3, 4, LAST)))
        return Recurrence(unit, hour, minute, START, interval, (draw(weekday),), place=place)
    return Recurrence(unit, hour, minute, START, interval, day=draw(st.sampled_from((LAST, *range(1, 32)))))


@given(recurrences(), st.sampled_from(LANGUAGES))
def test_what_is_said_back_is_read_as_the_same(rule: Recurrence, language: str) -> None:
    """In both languages: the form is filled with these words, and an undo sets by them."""
    said = rule.in_words().in_language(language)
    found = read_when(said, NOW, thorough=False).repeats
    assert found is not None
    assert Recurrence(**{**vars(found), "since": START}) == rule
    assert Recurrence.from_json(rule.as_json()) == rule


@given(
    recurrences(),
    st.datetimes(datetime(2026, 11, 20), datetime(2031, 1, 1)),
    st.sampled_from(("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")),
)
def test_the_next_time_is_later_and_on_the_wall(rule: Recurrence, wall: datetime, zone: str) -> None:
    """Always later than asked, on a day of the rule, at its time; two times of it are days apart."""
    after = wall.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    found = rule.next_after(after)
    assert found.timestamp() > after.timestamp()
    then = rule.next_after(found)
    assert then.timestamp() - found.timestamp() > 20 * 3600
    if (found.hour, found.minute) == (rule.hour, rule.minute):
        assert rule.falls_on(found.date())
    else:  # skipped on that day
        gap = found.replace(tzinfo=None) - datetime(
            found.year, found.month, found.day, rule.hour, rule.minute
        )
        assert gap in (timedelta(minutes=30), timedelta(hours=1), timedelta(hours=-23))
