"""What repeats: "every weekday at 8", "am 1. jedes Monats um 10", "tous les jours à 8 h" become a
recurrence, or a sentence why not.

The words that say how often are taken out first, by patterns on what `time_phrases.plain` leaves; the rest is
the time of the day, which `time_phrases.Phrase` reads. As with a single time, words that nobody understood
are never passed over: "every Monday except in May" is refused and not set for every Monday.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime

from desktop.errors import UserFacing
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence import LAST, WEEKDAYS_OF_WORK, WEEKEND, Recurrence, RecurrenceUnit
from desktop.tools.time_phrases import (
    MONTH,
    MONTH_PATTERN,
    REPEATS,
    WEEKDAY,
    WEEKDAY_PATTERN,
    Phrase,
    plain,
)
from desktop.tools.time_translations import in_english, language_of
from desktop.tools.times import DISTANCE, LONGEST, USUAL_HOUR, Moment, hours_of, read_time, unclear

MOST = {RecurrenceUnit.DAY: 365, RecurrenceUnit.WEEK: 52, RecurrenceUnit.MONTH: 12}
_EVERY = r"(?:every|each|jede[nrsm]?|an jedem|alle)"
_OTHER = r"(?:other|second|2nd|2\.|zweite[nrs]?)"
# In one way alone: "tues" may be read with and without its s, and a list of forty in as many ways as 2^40.
_DAYS = rf"(?>(?:{WEEKDAY_PATTERN})s?)"
_LIST = rf"{_DAYS}(?:(?: and| und| sowie| or| oder| \+| &)? (?:on |den |am )?{_DAYS})*\b"
_MONTHLY = (
    r"(?:(?:of |in )?(?:every|each|the|1|a) month|monthly|monatlich"
    r"|(?:im|in jedem|jedes|jeden|des|1) monate?s?)"
)
_PLACE = {
    **dict.fromkeys(("first", "1st", "1.", "ersten"), 1),
    **dict.fromkeys(("second", "2nd", "2.", "zweiten"), 2),
    **dict.fromkeys(("third", "3rd", "3.", "dritten"), 3),
    **dict.fromkeys(("fourth", "4th", "4.", "vierten"), 4),
    **dict.fromkeys(("last", "letzten"), LAST),
}
_PLACES = "|".join(sorted(map(re.escape, _PLACE), key=len, reverse=True))
_ON = r"(?:on |the |every |each |jeden |am |an |den |der )*"
_INTERVAL = rf"(?:every|each|alle|jede[nrs]?) (?:(?P<count>\d{{1,3}})|{_OTHER})"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WEEKLY = rf"(?:{_EVERY} (?:week|woche)|weekly|woechentlich)"
_PART = r"morning|afternoon|evening|night|noon|morgen|vormittag|mittag|nachmittag|abend|nacht"
_UNITS = {
    **dict.fromkeys(("day", "days", "tag", "tage", "tagen"), RecurrenceUnit.DAY),
    **dict.fromkeys(("week", "weeks", "woche", "wochen"), RecurrenceUnit.WEEK),
    **dict.fromkeys(("month", "months", "monat", "monate", "monaten"), RecurrenceUnit.MONTH),
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
# As a recurrence is said back.
_IN_BRACKETS = re.compile(r"\((?:monday to friday|montag bis freitag)\)")
_TOO_OFTEN = re.compile(
    rf"\b(?:hourly|stuendlich|{_EVERY} (?:(?:\d+(?:\.\d+)?|{_OTHER}|half|halbe) )?"
    r"(?:hours?|minutes?|seconds|second(?=$)|stunden?|minuten?|sekunden?)|twice a day"
    r"|(?:2|3|4|5) times a day|(?:2|zwei|drei)mal (?:am tag|taeglich))\b"
)


@dataclass(frozen=True)
class _Days:
    """On which days, before the hour is known. `wants` is what the words left over may still name."""

    unit: RecurrenceUnit
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    day: int = 0
    place: int = 0
    month: int = 0
    wants: str = ""  # "weekday", "date" or nothing
    part: str = ""  # of the day


def _weekdays_in(text: str) -> tuple[int, ...]:
    found = {WEEKDAY[each] for each in re.findall(rf"\b({WEEKDAY_PATTERN})s?\b", text)}
    return tuple(sorted(found))


def _span(found: re.Match[str]) -> _Days:
    """From one weekday to another, over the end of the week where it is so."""
    first, last = WEEKDAY[found["first"]], WEEKDAY[found["last"]]
    count = (last - first) % 7 + 1
    return _Days(RecurrenceUnit.WEEK, weekdays=tuple(sorted((first + each) % 7 for each in range(count))))


def _interval(found: re.Match[str]) -> _Days:
    unit = _UNITS[found["unit"]]
    count = int(found["count"]) if found["count"] else 2
    wants = {RecurrenceUnit.WEEK: "weekday", RecurrenceUnit.MONTH: "day"}.get(unit, "")
    return _Days(unit, interval=count, wants=wants)


def _months(found: re.Match[str]) -> _Days:
    """`on the last day of every 3 months`, `alle 3 Monate am ersten Montag`"""
    days = _Days(RecurrenceUnit.MONTH, day=LAST)
    if found["day"]:
        days = _day_of_month(found)
    elif found["place"]:
        days = _placed(found)
    return replace(days, interval=int(found["count"]))


def _placed(found: re.Match[str]) -> _Days:
    weekday = WEEKDAY[found["weekday"]]
    return _Days(RecurrenceUnit.MONTH, weekdays=(weekday,), place=_PLACE[found["place"]])


def _day_of_month(found: re.Match[str]) -> _Days:
    return _Days(RecurrenceUnit.MONTH, day=int(found["day"]))


def _work_days(_found: re.Match[str]) -> _Days:
    return _Days(RecurrenceUnit.WEEK, weekdays=WEEKDAYS_OF_WORK)


_WHICH = (
    rf"(?:(?P<place>{_PLACES}) (?P<weekday>{WEEKDAY_PATTERN})"
    r"|(?:day )?(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?|(?:last day|letzten tag))"
)
# In this order: what is more particular stands before what is a part of it.
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Days]], ...] = tuple(
    (re.compile(rf"(?<![\w.]){pattern}"), build)
    for pattern, build in (
        (rf"{_ON}{_WHICH} of every (?P<count>\d{{1,2}}) months\b", _months),
        (rf"(?:every|alle) (?P<count>\d{{1,2}}) (?:months?|monate) {_ON}{_WHICH}(?![\w:])", _months),
        (
            rf"{_ON}(?P<place>{_PLACES}) (?P<weekday>{WEEKDAY_PATTERN}) {_MONTHLY}\b",
            _placed,
        ),
        (
            rf"{_MONTHLY} {_ON}(?P<place>{_PLACES}) (?P<weekday>{WEEKDAY_PATTERN})\b",
            _placed,
        ),
        (
            rf"{_ON}(?:last|letzten?) (?:day|tag) {_MONTHLY}\b"
            rf"|{_MONTHLY} {_ON}(?:last|letzten?) (?:day|tag)\b"
            r"|(?:at the )?end of (?:every|each) month\b|(?:am|zum) ende jedes monats\b"
            r"|(?:an |am |zu )?jedem monatsende\b",
            lambda _found: _Days(RecurrenceUnit.MONTH, day=LAST),
        ),
        (rf"{_ON}(?:day )?{_NTH} (?:day |tag )?{_MONTHLY}\b", _day_of_month),
        (rf"{_MONTHLY} {_ON}{_NTH}(?!\d|[:.]\d| ?(?:am|pm|uhr)\b)", _day_of_month),
        (
            rf"{_EVERY} (?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<month>{MONTH_PATTERN})\b",
            lambda found: _Days(RecurrenceUnit.YEAR, day=int(found["day"]), month=MONTH[found["month"]]),
        ),
        (
            rf"(?:{_EVERY} (?:year|jahr)|yearly|annually|jaehrlich)\b",
            lambda _found: _Days(RecurrenceUnit.YEAR, wants="date"),
        ),
        (
            rf"(?:(?:{_EVERY}|on|an|von|from) )?(?P<first>{WEEKDAY_PATTERN})s?"
            rf"(?: (?:to|bis|through|till|until) | ?[-–] ?)(?P<last>{WEEKDAY_PATTERN})s?\b",
            _span,
        ),
        (
            rf"(?:{_EVERY} (?:weekday|work(?:ing)? ?day|business day|werktag|wochentag|arbeitstag)"
            r"|(?:on |an )?(?:weekdays|work(?:ing)? ?days|business days|werktagen|wochentagen|arbeitstagen)"
            r"|werktags|wochentags|arbeitstags|werktaeglich)\b",
            _work_days,
        ),
        (
            rf"(?:{_EVERY} (?:weekend|wochenende)|(?:on |at )?weekends|an wochenenden)\b",
            lambda _found: _Days(RecurrenceUnit.WEEK, weekdays=WEEKEND),
        ),
        (
            rf"{_INTERVAL} (?P<unit>weeks?|wochen?) {_ON}(?P<list>{_LIST})",
            lambda found: replace(_interval(found), weekdays=_weekdays_in(found["list"]), wants=""),
        ),
        (
            rf"{_INTERVAL} (?P<unit>{_UNIT})\b",
            _interval,
        ),
        (
            rf"{_EVERY} {_OTHER} (?P<list>{_LIST})",
            lambda found: _Days(RecurrenceUnit.WEEK, interval=2, weekdays=_weekdays_in(found["list"])),
        ),
        (
            rf"{_EVERY} (?P<list>{_LIST})",
            lambda found: _Days(RecurrenceUnit.WEEK, weekdays=_weekdays_in(found["list"])),
        ),
        (
            # The plural alone repeats: "mondays and thursdays", "montags".
            rf"(?:on |an )?(?P<list>(?:{WEEKDAY_PATTERN})s(?:(?: and| und| sowie| \+| &)? {_DAYS})*)\b",
            lambda found: _Days(RecurrenceUnit.WEEK, weekdays=_weekdays_in(found["list"])),
        ),
        (
            rf"{_EVERY} (?P<part>{_PART})\b",
            lambda found: _Days(RecurrenceUnit.DAY, part=found["part"].replace("morgen", "morgens")),
        ),
        (
            rf"(?:{_EVERY} (?:single )?(?:day|tag)|everyday|daily|taeglich|tagtaeglich)\b",
            lambda _found: _Days(RecurrenceUnit.DAY),
        ),
        (
            rf"(?:{_WEEKLY}|once 1 week|einmal (?:die|in der|pro) woche)\b",
            lambda _found: _Days(RecurrenceUnit.WEEK, wants="weekday"),
        ),
        (
            rf"{_MONTHLY}\b",
            lambda _found: _Days(RecurrenceUnit.MONTH, wants="day"),
        ),
    )
)


def read_when(text: str, now: datetime, thorough: bool = True) -> Moment:
    """The moment that `text` names or, where it repeats, the next one with its recurrence.

    Raises UserFacing as `read_time` does, and `time-too-often` for what comes more often than once a day.
    """
    if len(text) > LONGEST:
        return read_time(text, now, thorough)  # which refuses it
    words = _IN_BRACKETS.sub(" ", plain(DISTANCE.sub("", _in_known_words(text))))
    if not may_repeat(words):
        return read_time(text, now, thorough)
    if _TOO_OFTEN.search(words):
        raise UserFacing(ToolReason.TIME_TOO_OFTEN.of())
    found = _taken(words)
    if found is None:
        raise UserFacing(ToolReason.TIME_REPEATS.of(time=text.strip()))
    return _moment(text, *found, now)


def _in_known_words(text: str) -> str:
    """French and Spanish put into English."""
    language = language_of(text)
    return in_english(text, language) if language else text


def may_repeat(words: str) -> bool:
    """Whether plain words have one in them that says so; those of a single time have none."""
    return REPEATS.search(words) is not None


def _taken(words: str) -> tuple[_Days, str] | None:
    """The days, and the words without those that name them."""
    for pattern, build in _PATTERNS:
        found = pattern.search(words)
        if found is not None:
            days, rest = build(found), f"{words[: found.start()]} {words[found.end() :]}"
            if days.weekdays and not days.place:
                rest = re.sub(rf"\b{_WEEKLY}\b", " ", rest)  # "weekly on Tuesdays"
            # Of what repeats "morgen" is the morning and never tomorrow.
            return days, re.sub(r"\bmorgen\b", "morgens", rest)
    return None


def _moment(text: str, days: _Days, rest: str, now: datetime) -> Moment:
    phrase = Phrase(f"{rest} {days.part}" if days.part else rest)
    # Said twice, once with the days and once alone: "every Monday, weekly".
    if phrase.repeats:
        raise UserFacing(ToolReason.TIME_REPEATS.of(time=text.strip()))
    phrase.read()
    days = _completed(days, phrase, now)
    if phrase.doubt:
        raise unclear(text, phrase.doubt)
    if phrase.left or phrase.seconds is not None or phrase.has_day:
        left = phrase.left or text.strip()
        raise unclear(text, ToolReason.TIME_WORDS_LEFT.of(words=left))
    _check(text, days)
    hour, minute, note = _time_of_day(phrase)
    made = Recurrence(
        days.unit,
        hour,
        minute,
        now.date(),
        days.interval,
        days.weekdays,
        days.day,
        days.place,
        days.month,
    )
    # Counted from the first time: every two weeks begins with the next such day and not the one after.
    first = replace(made, interval=1).next_after(now)
    made = replace(made, since=first.date())
    return Moment(made.next_after(now), note, made)


def _completed(days: _Days, phrase: Phrase, now: datetime) -> _Days:
    """With the day that the words left over name, or that of today where none is named."""
    if days.wants == "weekday":
        weekday = phrase.take_weekday()
        return replace(days, weekdays=(now.weekday() if weekday is None else weekday,))
    if days.wants == "day":
        named = phrase.take_date()
        return replace(days, day=named[2] if named is not None and named[1] is None else now.day)
    if days.wants == "date":
        named = phrase.take_date()
        if named is None or named[0] is not None:
            return replace(days, day=now.day, month=now.month) if named is None else replace(days, day=0)
        return replace(days, day=named[2], month=named[1] or now.month)
    return days


def _check(text: str, days: _Days) -> None:
    if not 1 <= days.interval <= MOST.get(days.unit, 1):
        raise unclear(text, ToolReason.TIME_TOO_FAR.of())
    if days.unit is RecurrenceUnit.YEAR and not _is_day(days.month, days.day):
        raise unclear(text, ToolReason.TIME_NO_SUCH_DAY.of())
    if days.unit is RecurrenceUnit.MONTH and not days.place and not LAST <= days.day <= 31:
        raise unclear(text, ToolReason.TIME_NO_SUCH_DAY.of())
    if days.unit is RecurrenceUnit.MONTH and not days.place and days.day == 0:
        raise unclear(text, ToolReason.TIME_NO_SUCH_DAY.of())


def _is_day(month: int, day: int) -> bool:
    try:
        date(2028, month, day)  # a leap year
    except ValueError:
        return False
    return True


def _time_of_day(phrase: Phrase) -> tuple[int, int, str]:
    """Hour, minute, and what was assumed."""
    if phrase.clock is None:
        return (phrase.part_hour, 0, "") if phrase.part else (USUAL_HOUR, 0, "no hour was named")
    hours = hours_of(phrase.clock, phrase.part)
    hour = hours[0]
    if len(hours) > 1 and not phrase.clock.is_german:
        # As with a day that is named: an appointment at 3 is in the afternoon, one at 9 in the morning.
        hour = hours[1] if phrase.clock.hour in range(1, 6) or phrase.clock.hour == 12 else hours[0]
    elif len(hours) > 1:
        hour = phrase.clock.hour
    return hour % 24, phrase.clock.minute, ""
