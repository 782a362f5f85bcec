"""Times of which a question asks: "last week", "diesen Monat", "jeudi", as their first and last day.

A week begins on Monday. A weekday by itself is the next one, today's included, and "last Thursday" the one
before. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from desktop.tools.dates import ANY_DATE, MONTH, dates_of, month_number

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
        1: "(?<!after )tom+or+ow",
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


# "The 12th", "am 12.", "le 12", "el día 12": a day without its month, which is none of a longer date.
_DAY_ALONE = {
    "en": r"\b(?:on|until|till|by|from) (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?! (?:of\b|centur))"
    r"|\bthe (?P<day_too>\d{1,2})(?:st|nd|rd|th)\b(?=\W*$|[,.;?!]| (?:and|at|is|was|or)\b)",
    "de": r"\b(?:am|vom|bis(?: zum)?|zum|der|den|dem|ab|statt am) (?P<day>\d{1,2})\.(?!\s?\d)",
    "fr": r"\b(?:le|du|au) (?P<day>\d{1,2})(?:er)?\b(?! ?[h:€%]|[./-]\d)",
    "es": r"\b(?:el|del|al)(?: día)? (?P<day>\d{1,2})\b(?! ?[h:€%]|[./-]\d| de (?!est|lunes))"
    r"|\bdía (?P<day_too>\d{1,2})\b",
}
_NEAR_DAYS = 183  # a day of a month without its year is the nearest one


def named_times(text: str, language: str, today: date) -> tuple[Period, ...]:
    """The same with days of the calendar: "8 dec", "27.12.", "the 12th". Beside one a weekday only says the
    same again."""
    days = (*calendar_days(text, language, today), *_month_spans(text.casefold(), today))
    others = periods_in(text, language, today)
    return (*days, *(each for each in others if not days or not _is_weekday(each.words, language)))


def calendar_days(text: str, language: str, today: date) -> tuple[Period, ...]:
    """The days of the calendar that `text` names; the nearest one where the year is left out, the next one
    where the month is."""
    said = text.casefold()
    found = [
        Period(match[0], day, day)
        for match in ANY_DATE.finditer(said)
        if not re.match(r"\d", said[match.end() :])  # 2.12.1 is a version
        and (day := _whole_date(match[0], today)) is not None
    ]
    alone = re.compile(f"{_DAY_ALONE[language]}(?! (?:{MONTH}))") if language in _DAY_ALONE else None
    for match in alone.finditer(said) if alone is not None else ():
        number = int(next(each for each in match.groupdict().values() if each))
        day = _next_of(number, today)
        if day is not None and not any(each.words in match[0] or match[0] in each.words for each in found):
            found.append(Period(match[0], day, day))
    return tuple(found)


# "From August to November", "zwischen Mai und Juli", "août – novembre".
_MONTH_SPAN = re.compile(
    rf"(?:\b(?:between|zwischen|entre)\s+(?P<first>{MONTH})\s+(?:and|und|et|y|e)\s+(?P<last>{MONTH})"
    rf"|\b(?P<from>{MONTH})\s*(?:to|till|until|through|bis|à|au|a|hasta|[–-])\s*(?P<to>{MONTH}))(?!\w)"
)


def _month_spans(said: str, today: date) -> Iterator[Period]:
    """The months that follow each other from one to another, of the year that is nearest."""
    for found in _MONTH_SPAN.finditer(said):
        first, last = (month_number(each) for each in found.groups() if each)
        months = last - first + (0 if first <= last else 12)
        spans = (
            (_first_of(begins), _first_of(begins + months + 1) - timedelta(days=1))
            for begins in (12 * year + first - 1 for year in (today.year - 1, today.year, today.year + 1))
        )
        yield Period(found[0], *min(spans, key=lambda span: abs(span[0] + (span[1] - span[0]) / 2 - today)))


def _whole_date(words: str, today: date) -> date | None:
    for year in (0, today.year - 1, today.year, today.year + 1):
        read = dates_of((words,), year)
        if read and (not year or abs((read[0] - today).days) <= _NEAR_DAYS):
            return read[0]
    return None


def _next_of(number: int, today: date) -> date | None:
    """The next day of a month with this number; None for 0 and 32."""
    days = (today + timedelta(days=ahead) for ahead in range(2 * 31))
    return next((day for day in days if day.day == number), None)


def _is_weekday(words: str, language: str) -> bool:
    return any(re.search(rf"\b{name}", words) for name in _weekdays(language))


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


# "And the week after?": the one behind the one that was spoken of.
_WEEK_AFTER = re.compile(
    r"\b(?:the (?:week after(?! next\b)(?: that)?|following week)|(?:die )?(?:woche (?:danach|darauf|drauf)|"
    r"darauf ?folgende woche)|la semaine (?:d['’]après|suivante)|la semana (?:siguiente|de después))(?!\w)"
)


def week_after(text: str, before: str, language: str, today: date) -> tuple[Period, ...]:
    """The week behind the one that `text` goes on from: that of the first time that `before`, the sentence
    before it, names, else today's."""
    found = _WEEK_AFTER.search(text.casefold())
    if found is None:
        return ()
    named = named_times(before, language, today)
    return (Period(found[0], *_unit("week", 1, named[0].first if named else today)),)


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


# What opens a time that is named: "avant le 1er janvier", "seit dem 3. Oktober".
_OPENS = {
    each: re.compile(rf"\b(?:{words})\s+(?:(?:the|de[nmr]|dem|le|la|el|l['’])\s*)?$", re.IGNORECASE)
    for each, words in {
        "before": r"before|vor|avant|antes del?|earlier than",
        "until": r"until|till|by|up to|bis(?: zum)?|jusqu['’](?:à|au)|hasta",
        "after": r"after|later than|nach|après|después del?",
        "since": r"since|from|starting|ab|seit|depuis|à partir d[eu]|desde|a partir del?",
    }.items()
}
_WEEK = timedelta(days=_DAYS)


def as_of_days(periods: Sequence[Period], text: str, days: Collection[date]) -> tuple[Period, ...]:
    """`periods` of `text` as they are meant of things that are of `days`: open to one side behind a word that
    says so, and of a weekday the last one where something was then, and nothing is on the next."""
    return tuple(_last_weekday(_opened(each, text), days) for each in periods)


def _opened(period: Period, question: str) -> Period:
    at = question.casefold().find(period.words)
    before = question[: max(at, 0)]
    found = next(((how, each) for how, form in _OPENS.items() if (each := form.search(before))), None)
    # "From Monday to Friday" has an end.
    if found is None or period.first != period.last:
        return period
    how, word = found
    words = f"{word[0]}{period.words}".casefold()
    if how in ("before", "until"):
        last = period.first - timedelta(days=1) if how == "before" else period.last
        return Period(words, date.min, last)
    first = period.last + timedelta(days=1) if how == "after" else period.first
    return Period(words, first, date.max)


def _last_weekday(period: Period, days: Collection[date]) -> Period:
    is_weekday = period.first == period.last and any(
        re.fullmatch(names, period.words) for language in WEEKDAYS for names in language
    )
    if not is_weekday or period.first in days or period.first - _WEEK not in days:
        return period
    return replace(period, first=period.first - _WEEK, last=period.last - _WEEK)
