"""Times in French and Spanish become times that can be read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.tools.recurrence import LAST, Recurrence, RecurrenceUnit
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.time_translations import in_english, repeats_in_language
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
    ("fr", "trois heures moins le quart", "2026-11-23 14:45"),
    ("fr", "demain à trois heures moins vingt", "2026-11-24 14:40"),
    ("fr", "neuf heures et quart demain", "2026-11-24 09:15"),
    ("fr", "demain à dix heures cinq", "2026-11-24 10:05"),
    ("fr", "demain à sept heures et quart du soir", "2026-11-24 19:15"),
    ("fr", "demain à deux heures et demie de l'après-midi", "2026-11-24 14:30"),
    ("fr", "midi", "2026-11-23 12:00"),
    ("fr", "minuit", "2026-11-24 00:00"),
    ("fr", "vendredi à midi et demi", "2026-11-27 12:30"),
    ("fr", "deux heures et demie", "2026-11-23 05:30"),
    ("es", "las nueve y cuarto", "2026-11-23 09:15"),
    ("es", "dos y media mañana", "2026-11-24 14:30"),
    ("es", "mañana a las nueve y cuarto de la mañana", "2026-11-24 09:15"),
    ("es", "las tres menos cuarto", "2026-11-23 14:45"),
    ("es", "el viernes a las cuatro menos diez", "2026-11-27 15:50"),
    ("es", "mañana a las nueve en punto", "2026-11-24 09:00"),
    ("es", "mediodía", "2026-11-23 12:00"),
    ("es", "medianoche", "2026-11-24 00:00"),
    ("es", "al mediodía del viernes", "2026-11-27 12:00"),
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


DAY, WEEK, MONTH, YEAR = RecurrenceUnit
REPEATS: list[tuple[RecurrenceUnit, dict[str, Any], str, str]] = [
    (DAY, {}, "chaque jour à 08:05", "cada día a las 08:05"),
    (DAY, {"interval": 3}, "tous les 3 jours à 08:05", "cada 3 días a las 08:05"),
    (WEEK, {"weekdays": (0,)}, "chaque lundi à 08:05", "cada lunes a las 08:05"),
    (
        WEEK,
        {"weekdays": (0, 2, 5)},
        "chaque lundi, mercredi et samedi à 08:05",
        "cada lunes, miércoles y sábado a las 08:05",
    ),
    (
        WEEK,
        {"weekdays": (0, 1, 2, 3, 4)},
        "chaque jour ouvré (du lundi au vendredi) à 08:05",
        "cada día laborable (de lunes a viernes) a las 08:05",
    ),
    (
        WEEK,
        {"weekdays": (1, 4), "interval": 2},
        "toutes les 2 semaines (mardi et vendredi) à 08:05",
        "cada 2 semanas (martes y viernes) a las 08:05",
    ),
    (MONTH, {"day": 1}, "le 1er de chaque mois à 08:05", "el día 1 de cada mes a las 08:05"),
    (
        MONTH,
        {"day": LAST},
        "le dernier jour de chaque mois à 08:05",
        "el último día de cada mes a las 08:05",
    ),
    (
        MONTH,
        {"place": 2, "weekdays": (3,), "interval": 3},
        "le deuxième jeudi, tous les 3 mois, à 08:05",
        "el segundo jueves, cada 3 meses, a las 08:05",
    ),
    (
        MONTH,
        {"place": LAST, "weekdays": (6,)},
        "le dernier dimanche de chaque mois à 08:05",
        "el último domingo de cada mes a las 08:05",
    ),
    (
        YEAR,
        {"month": 1, "day": 1},
        "chaque année le 1er janvier à 08:05",
        "cada año el 1 de enero a las 08:05",
    ),
    (YEAR, {"month": 8, "day": 9}, "chaque année le 9 août à 08:05", "cada año el 9 de agosto a las 08:05"),
]


@pytest.mark.parametrize(("unit", "more", "french", "spanish"), REPEATS)
def test_how_often_is_said_in_french_and_spanish(
    unit: RecurrenceUnit, more: dict[str, Any], french: str, spanish: str
) -> None:
    """Of everything that can repeat, also where it was first told in English, as tools tell it."""
    repeats = Recurrence(unit, 8, 5, NOW.date(), **more)
    assert repeats_in_language(repeats.in_words(), "fr") == french
    assert repeats_in_language(repeats.in_words(), "es") == spanish
    told = read_when(str(repeats.in_words()), NOW).repeats
    assert told is not None
    assert told.in_words() == repeats.in_words()


def test_how_often_is_said_by_the_table_of_messages_in_german_and_in_english_where_words_are_missing() -> (
    None
):
    """A language that nobody has written words for gets English ones."""
    said = Recurrence(WEEK, 9, 0, date(2026, 11, 23), weekdays=(0,)).in_words()
    assert repeats_in_language(said, "de") == "jeden Montag um 09:00"
    assert repeats_in_language(said, "it") == "every Monday at 09:00"
