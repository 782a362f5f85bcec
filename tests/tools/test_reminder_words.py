"""Which words of a request are a time, and which are what it is about."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.tools.reminder_words import reminder_in, time_in, time_named_in, wanted_by

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


PARTED = [
    ("at 5 to call Anna", "call Anna", "at 5"),
    ("call Anna at 5", "call Anna", "at 5"),
    ("tomorrow to call Anna at 5", "call Anna", "tomorrow at 5"),
    ("hand it in tomorrow", "hand it in", "tomorrow"),
    ("um 17 Uhr an die Wäsche", "Wäsche", "um 17 Uhr"),
    ("The rent is due tomorrow at 9 AM", "The rent is due", "tomorrow at 9 AM"),
    ("at 5 to prepare for the meeting at 6", "prepare for the meeting at 6", "at 5"),
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
