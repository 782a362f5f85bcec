"""Times in French and Spanish become times that can be read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from desktop.errors import UserFacing
from desktop.tools.time_translations import in_english
from desktop.tools.times import read_time

NOW = datetime(2026, 11, 23, 3, tzinfo=UTC)  # a Monday
TIMES = [
    ("fr", "demain à 9h", "2026-11-24 09:00"),
    ("fr", "demain a 18h30", "2026-11-24 18:30"),
    ("fr", "dans 20 minutes", "2026-11-23 03:20"),
    ("fr", "lundi à 14h30", "2026-11-30 14:30"),
    ("fr", "ce soir", "2026-11-23 19:00"),
    ("fr", "le 3 décembre à 10 heures", "2026-12-03 10:00"),
    ("fr", "après-demain à midi", "2026-11-25 12:00"),
    ("fr", "à six heures et demie", "2026-11-23 06:30"),
    ("fr", "demain à huit heures moins le quart", "2026-11-24 07:45"),
    ("fr", "dans une heure et demie", "2026-11-23 04:30"),
    ("fr", "dans une demi-heure", "2026-11-23 03:30"),
    ("es", "en media hora", "2026-11-23 03:30"),
    ("fr", "dans vingt-cinq minutes", "2026-11-23 03:25"),
    ("es", "a las seis y media", "2026-11-23 06:30"),
    ("es", "mañana a las ocho y cuarto", "2026-11-24 08:15"),
    ("es", "a las ocho menos cuarto de la tarde", "2026-11-23 19:45"),
    ("es", "en una hora y media", "2026-11-23 04:30"),
    ("es", "mañana a las 9", "2026-11-24 09:00"),
    ("es", "dentro de 2 horas", "2026-11-23 05:00"),
    ("es", "el lunes a las 10:30", "2026-11-30 10:30"),
    ("es", "a las 5 de la tarde", "2026-11-23 17:00"),
    ("es", "mañana por la mañana", "2026-11-24 09:00"),
    ("es", "el 3 de diciembre", "2026-12-03 09:00"),
]


@pytest.mark.parametrize(("language", "words", "at"), TIMES)
def test_a_time_is_understood(language: str, words: str, at: str) -> None:
    """As the same time in English."""
    assert f"{read_time(in_english(words, language), NOW, thorough=False).at:%Y-%m-%d %H:%M}" == at


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", "le pain"), ("es", "llame a Ana"), ("fr", "pain demain"), ("fr", "tous les <jours>")],
)
def test_other_words_are_no_time(language: str, words: str) -> None:
    """They are left, so that the reader refuses them."""
    english = in_english(words, language)
    with pytest.raises(UserFacing):
        read_time(english, NOW, thorough=False)


def test_other_languages_are_left_as_they_are() -> None:
    """English and German are read as they stand."""
    assert in_english("morgen um 9", "de") == "morgen um 9"
