"""How long before an event: "3 days before …", "eine halbe Stunde bevor …", "la veille de …", "antes de …".

Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

from desktop.tools.text import plain_letters

_COUNTS: Mapping[str, str] = {
    "en": "a=1 an=1 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 ten=10 twenty=20 thirty=30 couple=2",
    "de": "ein=1 eine=1 einen=1 einem=1 einer=1 ne=1 nen=1 ner=1 zwei=2 drei=3 vier=4 funf=5 fuenf=5 sechs=6 "
    "sieben=7 zehn=10 zwanzig=20 dreissig=30",
    "fr": "un=1 une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 dix=10 vingt=20 trente=30",
    "es": "un=1 una=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 diez=10 veinte=20 treinta=30",
}
_UNITS: Mapping[str, Mapping[str, str]] = {
    "en": {"minute": "minutes?|mins?", "hour": "hours?|hrs?|h", "day": "days?", "week": "weeks?",
           "month": "months?"},
    "de": {"minute": "minuten?|min", "hour": "stunden?|std|h", "day": "tage?n?", "week": "wochen?",
           "month": "monate?n?"},
    "fr": {"minute": "minutes?|min|mn", "hour": "heures?|h", "day": "jours?", "week": "semaines?",
           "month": "mois"},
    "es": {"minute": "minutos?|min", "hour": "horas?|h", "day": "dias?", "week": "semanas?",
           "month": "mes(?:es)?"},
}  # fmt: skip
# What stands for a count and its unit, in minutes.
_FRACTIONS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "en": (
        (r"(?:a )?half an? hour|half hour", 30),
        (r"(?:a )?quarter of an hour", 15),
        (r"(?:an|1|one) hour and a half", 90),
    ),
    "de": (
        (r"(?:(?:ei)?ne[rn]? )?halbe[nr]? stunde", 30),
        (r"(?:(?:ei)?ne[rn]? )?viertel ?stunde", 15),
        (r"(?:(?:ei)?ne[rn]? )?dreiviertel ?stunde", 45),
        (r"(?:anderthalb|eineinhalb) stunden", 90),
    ),
    "fr": (
        (r"une demi[- ]heure", 30),
        (r"un quart d['’]heure", 15),
        (r"(?:trois|3) quarts d['’]heure", 45),
        (r"(?:une|1) heure et demie", 90),
    ),
    "es": (
        (r"media hora", 30),
        (r"un cuarto de hora", 15),
        (r"(?:tres|3) cuartos de hora", 45),
        (r"(?:una )?hora y media", 90),
    ),
}
# Behind the span; with `_NAMED` of a day that is counted from the event by its name.
_BEFORE: Mapping[str, str] = {
    "en": r"before|ahead of|prior to",
    "de": r"bevor|vorher|davor|zuvor|ehe|vorm?|vor'm",
    "fr": r"avant(?: que| qu['’]| d['’]| de)?",
    "es": r"antes(?: de que| del?| que)?",
}
_NAMED: Mapping[str, tuple[tuple[str, int, str], ...]] = {
    "en": (
        (r"(?:on )?the (?:evening|night) before", 1, "evening"),
        (r"(?:on )?the morning before", 1, "morning"),
        (r"(?:on )?the day before", 1, ""),
        (r"(?:in )?the week before", 7, ""),
    ),
    "de": (
        (r"(?:am |den )?(?:abend|vorabend) (?:be)?vor(?:her|m)?|am vorabend", 1, "evening"),
        (r"(?:am |den )?tag (?:be|da|zu)?vor(?:her|m)?|am vortag", 1, ""),
        (r"(?:in der |die )?woche (?:be|da)?vor(?:her|m)?", 7, ""),
    ),
    "fr": (
        (r"la veille au soir(?: de| du| des| d['’])?|le soir avant", 1, "evening"),
        (r"l['’]avant[- ]veille(?: de| du| des| d['’])?", 2, ""),
        (r"la veille(?: de| du| des| d['’])?|le jour (?:d['’])?avant", 1, ""),
        (r"la semaine (?:d['’])?avant", 7, ""),
    ),
    "es": (
        (r"la (?:noche|tarde) (?:antes|anterior)(?: de que| del?| al?)?", 1, "evening"),
        (r"(?:el|un) dia (?:antes|anterior)(?: de que| del?| al?)?", 1, ""),
        (r"(?:en |a )?la vispera(?: de que| del?)?", 1, ""),
        (r"la semana (?:antes|anterior)(?: de que| del?| al?)?", 7, ""),
    ),
}


@dataclass(frozen=True)
class Offset:
    """How long before an event; `start` and `end` are where its words stand. `minutes` is 0 where whole days
    and months are counted; `part` is the part of the day that is named with it."""

    start: int
    end: int
    minutes: int = 0
    days: int = 0
    months: int = 0
    part: str = ""

    def before(self, at: datetime, hour: int) -> datetime:
        """So long before `at`; of whole days at `hour`."""
        if self.minutes:
            return at - timedelta(minutes=self.minutes)
        day = _months_before(at.date(), self.months) - timedelta(days=self.days)
        return datetime.combine(day, time(hour), at.tzinfo)


def offset_in(text: str, language: str) -> Offset | None:
    """The first words of `text`, in `language`, for how long before something; None where none are."""
    plain = _same_length(text)
    found = _spans(language).search(plain)
    named = [
        (match, days, part)
        for pattern, days, part in _named(language)
        if (match := pattern.search(plain)) is not None
    ]
    if named and (found is None or min(each[0].start() for each in named) <= found.start()):
        match, days, part = min(named, key=lambda each: (each[0].start(), -each[0].end()))
        return Offset(match.start(), match.end(), days=days, part=part)
    if found is None:
        return None
    for pattern, minutes in _FRACTIONS[language]:
        if re.fullmatch(pattern, found["span"]):
            return Offset(found.start(), found.end(), minutes=minutes)
    count = _count(found["count"], language)
    unit = next(unit for unit, names in _UNITS[language].items() if re.fullmatch(names, found["unit"]))
    per = {"minute": (1, 0, 0), "hour": (60, 0, 0), "day": (0, 1, 0), "week": (0, 7, 0), "month": (0, 0, 1)}
    minutes, days, months = (each * count for each in per[unit])
    return Offset(found.start(), found.end(), minutes, days, months) if count else None


def _count(said: str, language: str) -> int:
    return int(said) if said.isdigit() else int(dict(_pairs(language))[said])


def _pairs(language: str) -> Iterator[tuple[str, str]]:
    for each in _COUNTS[language].split():
        word, _, number = each.partition("=")
        yield word, number


@cache
def _spans(language: str) -> re.Pattern[str]:
    counts = "|".join(sorted((word for word, _ in _pairs(language)), key=len, reverse=True))
    units = "|".join(_UNITS[language].values())
    whole = "|".join(pattern for pattern, _ in _FRACTIONS[language])
    gap = "(?: of)?[ -]?" if language == "en" else "[ -]?"
    return re.compile(
        rf"(?<![\w-])(?P<span>{whole}|(?:a (?=couple))?(?P<count>\d{{1,3}}|{counts}){gap}(?P<unit>{units}))"
        rf" (?:{_BEFORE[language]})(?!\w)"
    )


@cache
def _named(language: str) -> tuple[tuple[re.Pattern[str], int, str], ...]:
    return tuple(
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), days, part)
        for pattern, days, part in _NAMED[language]
    )


def _same_length(text: str) -> str:
    """In plain letters, each where it was."""
    return "".join(plain_letters(each)[:1] or each for each in text)


def _months_before(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    for at in range(day.day, 0, -1):
        try:
            return date(year, month + 1, at)
        except ValueError:  # there is no 31 November
            continue
    return day
