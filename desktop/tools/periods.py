"""Times of which a question asks: "last week", "diesen Monat", "jeudi", as their first and last day.

A week begins on Monday. A weekday by itself is the next one, today's included, and "last Thursday" the one
before. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

WEEKDAYS = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
    ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
)
_DAYS = 7


@dataclass(frozen=True)
class Period:
    """What a text names by `words`, in small letters; `first` and `last` are days of it."""

    words: str
    first: date
    last: date


# By language: what names the one before, this one and the next, each before or behind the unit.
_BEFORE = {
    "en": (r"last|past|previous", r"this(?! coming)|the current", r"next|(?:this |the )?coming"),
    "de": (r"letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?", r"diese[nrsm]?", r"nächste[nrs]?|kommende[nrs]?"),
    "fr": (r"(?!)", r"cette|ce", r"(?!)"),
    "es": (r"(?!)", r"esta|este", r"(?:la |el )?próxim[ao]"),
}
_BEHIND = {
    "en": (r"before", r"(?!)", r"(?!)"),
    "de": (r"(?!)", r"(?!)", r"(?!)"),
    "fr": (r"derni(?:er|ère)|passée?", r"en cours|-ci", r"prochaine?|qui vient"),
    "es": (r"pasad[ao]", r"(?!)", r"que viene|próxim[ao]"),
}
_UNITS = {
    "en": {"week": "week", "month": "month", "year": "year"},
    "de": {"week": "woche", "month": "monat", "year": "jahr"},
    "fr": {"week": "semaine", "month": "mois", "year": "année|an"},
    "es": {"week": "semana", "month": "mes", "year": "año"},
}
_NAMED_DAYS = {
    "en": {
        -2: "the day before yesterday",
        -1: "(?<!before )yesterday",
        0: "today",
        1: "(?<!after )tomorrow",
        2: "the day after tomorrow",
    },
    "de": {-2: "vorgestern", -1: "gestern", 0: "heute", 1: "morgen", 2: "übermorgen"},
    "fr": {
        -2: "avant-hier",
        -1: "(?<!avant-)hier",
        0: "aujourd['’]?hui",
        1: "(?<!après-)demain",
        2: "après-demain",
    },
    "es": {
        -2: "anteayer|antes de ayer",
        -1: "(?<!antes de )ayer",
        0: "hoy",
        1: "(?<!la )(?<!esta )(?<!pasado )mañana",
        2: "pasado mañana",
    },
}


def periods_in(text: str, language: str, today: date) -> tuple[Period, ...]:
    """The times that `text`, in `language`, names; () for none, and in a language that is not known."""
    if language not in _UNITS:
        return ()
    said = text.casefold()
    return (*_units(said, language, today), *_days(said, language, today))


def _units(said: str, language: str, today: date) -> Iterator[Period]:
    for unit, name in _UNITS[language].items():
        for away, (before, behind) in enumerate(zip(_BEFORE[language], _BEHIND[language], strict=True), -1):
            pattern = rf"\b(?:(?:{before}) (?:{name})|(?:{name}) ?(?:{behind}))(?!\w)"
            if (found := re.search(pattern, said)) is not None:
                yield Period(found[0], *_unit(unit, away, today))


def _unit(unit: str, away: int, today: date) -> tuple[date, date]:
    if unit == "week":
        first = today - timedelta(days=today.weekday()) + timedelta(weeks=away)
        return first, first + timedelta(days=_DAYS - 1)
    if unit == "year":
        return date(today.year + away, 1, 1), date(today.year + away, 12, 31)
    month = today.year * 12 + today.month - 1 + away
    return _first_of(month), _first_of(month + 1) - timedelta(days=1)


def _first_of(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)


def _days(said: str, language: str, today: date) -> Iterator[Period]:
    for away, name in _NAMED_DAYS[language].items():
        if (found := re.search(rf"\b(?:{name})(?!\w)", said)) is not None:
            day = today + timedelta(days=away)
            yield Period(found[0], day, day)
    before, behind = _BEFORE[language][0], _BEHIND[language][0]
    for number, name in enumerate(_weekdays(language)):
        found = re.search(rf"\b(?P<last>(?:{before}) )?{name}s?(?P<gone> (?:{behind}))?(?!\w)", said)
        if found is None:
            continue
        ahead = (number - today.weekday()) % _DAYS
        is_gone = bool(found["last"] or found["gone"])
        day = today + timedelta(days=(ahead or _DAYS) - _DAYS if is_gone else ahead)
        yield Period(found[0], day, day)


def _weekdays(language: str) -> tuple[str, ...]:
    by_language: Mapping[str, tuple[str, ...]] = dict(zip(("en", "de", "fr", "es"), WEEKDAYS, strict=True))
    return by_language[language]
