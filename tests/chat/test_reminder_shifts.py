"""A reminder that is moved by so much, or to the day before."""

from __future__ import annotations

from datetime import datetime

import pytest

from desktop.chat.reminder_shifts import shifted

DUE = datetime(2026, 12, 5, 9, 30)


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("lieber schon am abend vorher um 19 uhr", "4 December 2026 19:00"),
        ("rather the evening before at 7", "4 December 2026 19:00"),
        ("the day before please", "4 December 2026 09:30"),
        ("the day before at 7", "4 December 2026 07:00"),
        ("plutôt la veille à 18h", "4 December 2026 18:00"),
        ("mejor el día antes a las 8", "4 December 2026 08:00"),
        ("make it the night before at 9pm", "4 December 2026 21:00"),
        ("am Vorabend um 20:15", "4 December 2026 20:15"),
        ("an hour later", "5 December 2026 10:30"),
        ("eine halbe Stunde früher", "5 December 2026 09:00"),
    ],
)
def test_a_reminder_is_moved_from_the_time_that_it_has(asked: str, when: str) -> None:
    """By so much, or to the day before; an evening's hour is one of the afternoon."""
    assert shifted(asked, DUE) == when


@pytest.mark.parametrize(
    "asked",
    [
        "i was there the day before and it rained",
        "the day before at 27",
        "tomorrow at 9",
        "an hour",
        "la veille de noël",
    ],
)
def test_what_says_more_moves_nothing(asked: str) -> None:
    """It is read by somebody else."""
    assert shifted(asked, DUE) == ""


def test_a_reminder_without_a_time_is_not_moved() -> None:
    """One that repeats has none."""
    assert shifted("the day before", None) == ""
