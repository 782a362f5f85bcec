"""Which words of a request are a time, and which are what it is about."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.tools.reminder_words import offset_in, reminder_in, time_in, time_named_in, wanted_by

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


PARTED = [
    ("at 5 to call Anna", "call Anna", "at 5"),
    ("call Anna at 5", "call Anna", "at 5"),
    ("tomorrow to call Anna at 5", "call Anna", "tomorrow at 5"),
    ("hand it in tomorrow", "hand it in", "tomorrow"),
    ("um 17 Uhr an die Wäsche", "Wäsche", "um 17 Uhr"),
    ("The rent is due tomorrow at 9 AM", "The rent is due", "tomorrow at 9 AM"),
    ("at 5 to prepare for the meeting at 6", "prepare for the meeting at 6", "at 5"),
    ("tomorrow at a quarter past nine to feed the hens", "feed the hens", "tomorrow at a quarter past nine"),
    ("feed the hens tomorrow at a quarter to ten", "feed the hens", "tomorrow at a quarter to ten"),
    ("feed the hens a quarter past nine", "feed the hens", "a quarter past nine"),
    ("lock up at midnight", "lock up", "at midnight"),
]


@pytest.mark.parametrize(("words", "text", "when"), PARTED)
def test_a_time_at_the_edge_is_parted_from_the_text(words: str, text: str, when: str) -> None:
    """In front, behind, or the day in front and the hour behind."""
    found = time_in(words, NOW)
    assert found is not None
    assert (found.text, found.when) == (text, when)


@pytest.mark.parametrize(
    "words", ["call Anna", "at 5", "the 5 of us met", "buy eggs for 5", "take 2", "", "milk " * 40 + "at 5"]
)
def test_without_a_time_or_a_text_nothing_is_parted(words: str) -> None:
    """Nor in what is too long for a reminder."""
    assert time_in(words, NOW) is None


@pytest.mark.parametrize(
    "question",
    ["remind me why we met at 5", "remind me of Friday", "remind Anna at 5 to call", "at 5 to call"],
)
def test_not_every_question_asks_for_a_reminder(question: str) -> None:
    """What is remembered is no appointment."""
    assert reminder_in(question, NOW) is None


NAMED = [
    ("Erinnere mich bitte übermorgen um 14 Uhr an den Zahnarzt", "übermorgen um 14 Uhr"),
    ("put it down for Friday 14:30 please", "for Friday 14:30"),
    ("in an hour and a half to the station", "in an hour and a half"),
    ("buy 5 apples", None),
    ("at 5 or tomorrow", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "words"), NAMED)
def test_only_the_words_of_the_time_are_taken(text: str, words: str | None) -> None:
    """Not the little words around them, some of which a time can hold; no number that counts something."""
    assert time_named_in(text, NOW) == words


REPEATING = [
    ("remind me every Monday at 9 to call Anna", "call Anna", "every Monday at 09:00"),
    ("Remind me to water the plants every 3 days at 18:00", "water the plants", "every 3 days at 18:00"),
    ("remind me every Monday to call Anna at 9", "call Anna", "every Monday at 09:00"),
    ("Erinnere mich jeden Montag um 9 an den Müll", "Müll", "every Monday at 09:00"),
    ("erinnere mich werktags um 8 daran, die Post zu holen", "die Post zu holen", "every weekday"),
    ("Erinnere mich am 1. jedes Monats um 10 Uhr an die Miete", "Miete", "on day 1 of every month at 10:00"),
]


@pytest.mark.parametrize(("question", "text", "rule"), REPEATING)
def test_a_reminder_may_repeat(question: str, text: str, rule: str) -> None:
    """The days in front and the hour behind, too."""
    found = reminder_in(question, NOW)
    assert found is not None
    assert found.moment.repeats is not None
    assert found.text == text
    assert str(found.moment.repeats.in_words()).startswith(rule)


@pytest.mark.parametrize(
    "question",
    [
        "remind me every Monday except in May at 9 to call Anna",
        "remind me every fifth day at 9 to call Anna",
        "remind me at 9 to call Anna every fifth day",
        "erinnere mich jeden Montag bis Juni um 9 an den Müll",
    ],
)
def test_half_of_a_time_is_no_text(question: str) -> None:
    """What was not understood must not stand in the reminder while the other half is set."""
    assert reminder_in(question, NOW) is None


def test_a_call_may_have_the_days_in_its_text() -> None:
    """Small models part a time as they like."""
    wanted = wanted_by("call Anna every Monday", "at 9", NOW)
    assert wanted.text == "call Anna"
    assert str(wanted.moment.repeats and wanted.moment.repeats.in_words()) == "every Monday at 09:00"


# -- how long before an event ------------------------------------------------------------------

EVENT = datetime(2026, 12, 31, 10, 30, tzinfo=UTC)
OFFSETS = [
    ("en", "3 days before it is due", "3 days before", "2026-12-28 09:00"),
    ("en", "the day before we go", "the day before", "2026-12-30 09:00"),
    ("en", "on the evening before the trip", "on the evening before", "2026-12-30 09:00"),
    ("en", "half an hour before Ann comes", "half an hour before", "2026-12-31 10:00"),
    ("en", "a couple of weeks ahead of it", "a couple of weeks ahead of", "2026-12-17 09:00"),
    ("en", "a month before", "a month before", "2026-11-30 09:00"),
    ("de", "ne halbe stunde bevor sie kommt", "ne halbe stunde bevor", "2026-12-31 10:00"),
    ("de", "am Tag vor der Prüfung", "am Tag vor", "2026-12-30 09:00"),
    ("de", "zwei tage vorher an den Zahnarzt", "zwei tage vorher", "2026-12-29 09:00"),
    ("de", "eine Woche vorm Umzug", "eine Woche vorm", "2026-12-24 09:00"),
    ("fr", "la veille du contrôle", "la veille du", "2026-12-30 09:00"),
    ("fr", "deux heures avant l'arrivée", "deux heures avant", "2026-12-31 08:30"),
    ("fr", "l'avant-veille de la fête", "l'avant-veille de", "2026-12-29 09:00"),
    ("es", "dos días antes de la prueba", "dos días antes de", "2026-12-29 09:00"),
    ("es", "media hora antes de que venga", "media hora antes de que", "2026-12-31 10:00"),
    ("es", "la vispera de la boda", "la vispera de", "2026-12-30 09:00"),
]


@pytest.mark.parametrize(("language", "text", "words", "at"), OFFSETS)
def test_words_become_the_time_before_an_event(language: str, text: str, words: str, at: str) -> None:
    """Hours to the minute, days and months at the usual hour of a day."""
    offset = offset_in(text, language)
    assert offset is not None
    assert text[offset.start : offset.end] == words
    assert f"{offset.before(EVENT, 9):%Y-%m-%d %H:%M}" == at


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "in 3 days"),
        ("en", "before lunch"),
        ("en", "3 days beforehand"),
        ("de", "vor 3 Tagen"),
        ("fr", "avant demain"),
        ("es", "antes de comer"),
        ("en", "0 days before it"),
    ],
)
def test_other_words_are_no_such_time(language: str, text: str) -> None:
    """Without how long, or what it is before."""
    assert offset_in(text, language) is None


@pytest.mark.parametrize(
    "text", [f"x{' ' * 20_000}y", f"mich {'an ' * 20_000}erinnern", f"kannst du mich{' ' * 20_000}erinnern"]
)
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    """Of a thousand blanks each could be the one at which the time ends: it took a quarter of a minute."""
    assert reminder_in(text, NOW) is None
