"""Which words of a request are the time, and which are what to remind of."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.tools.reminder_words import reminder_in, time_in, time_named_in

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
