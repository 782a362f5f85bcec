"""How long before an event, in four languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from desktop.tools.time_offsets import offset_in

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
