"""Questions about days, and about the time here and elsewhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from desktop.errors import UserFacing
from desktop.paths import resources
from desktop.tools.calculator import Calculator, shown
from desktop.tools.time_phrases import HOLIDAYS, MONTHS, WEEKDAYS, holiday, plain
from desktop.tools.times import distance, read_time

REGIONS = ("Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian")
_TIME = re.compile(
    r"(?:what(?:'s|’s|s| is) the (?:current |local )?time|what time is it|(?:current |local )?time"
    r"|wie ?spät ist es|wie ?viel uhr ist es|uhrzeit)(?: (?:right )?now| jetzt| gerade)?"
    r"(?:\s+in\s+(?P<place>[^\d?]+?))?(?: (?:right )?now| jetzt| gerade)?\s*\??",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"(?:what(?:'s|’s|s| is) (?:today'?s date|the date(?: today)?|the day today)"
    r"|(?:what|which) (?:day|date) is (?:it|today)(?: today)?|today'?s date"
    r"|welche[rs] (?:tag|datum) (?:ist|haben wir)(?: heute)?|was für ein tag ist heute"
    r"|den wievielten haben wir(?: heute)?)\s*\??",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"(?:(?:what|which) (?:date|day|weekday|day of the week) (?:is|will it be|falls|does)\s*(?:it |on )?"
    r"|what(?:'s|’s| is) the date (?:of )?|welche[rs] (?:datum|tag|wochentag) ist (?:der |am )?"
    r"|wann ist |when is )(?P<when>.+?)(?: fall on| on)?\s*\??",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"(?:how many |wie ?viele )?(?P<unit>days|weeks|tage|wochen)\s+(?:are (?:there |left )?|sind es |noch )?"
    r"(?:until|till|to|before|bis|bis zu[mr]?)\s+(?P<when>.+?)\s*\??"
    r"|(?:how long (?:is it )?(?:until|till)|wie lange (?:ist es )?(?:noch )?bis)\s+(?P<other>.+?)\s*\??",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:how many )?(?:days|weeks|months|years) (?:since|between|until|till) [\d\s.and-]+\??", re.IGNORECASE
)
_ONLY_DAY = re.compile(
    r"\b(?:at|um|noon|midnight|am|pm|uhr|hours?|minutes?|seconds?|stunden?|minuten?)\b|\d:\d"
)


class Dates:
    """Any thread."""

    def __init__(self, calculator: Calculator) -> None:
        self._calculator = calculator

    def here(self, question: str, now: datetime) -> str | None:
        """What time or day it is."""
        if _TODAY.fullmatch(question):
            return f"Today is {_day(now.date())}."
        found = _TIME.fullmatch(question)
        asks = re.search(r"\b(?:is|ist|what'?s)\b|uhrzeit", question, re.IGNORECASE)
        if found is None or found["place"] or not asks:
            return None
        return f"It is {now:%H:%M}, {_day(now.date())}."

    def elsewhere(self, question: str, now: datetime) -> str | None:
        """What time it is in a place that is known."""
        found = _TIME.fullmatch(question)
        zone = zone_of(found["place"]) if found and found["place"] else None
        if found is None or zone is None:
            return None
        there = now.astimezone(zone)
        return f"It is {there:%H:%M} in {found['place'].strip()}, {_day(there.date())} (UTC{_offset(there)})."

    def day(self, question: str, now: datetime) -> str | None:
        """Which day something is, or how far away."""
        if _COUNTED.fullmatch(question):
            return self._counted(question)
        until = _UNTIL.fullmatch(question)
        if until is not None:
            return _until(until["when"] or until["other"], until["unit"] or "days", now)
        which = _WHICH.fullmatch(question)
        return _which(which["when"], now) if which is not None else None

    def _counted(self, question: str) -> str | None:
        asked = re.sub(r"^how many ", "", question.rstrip("? "), flags=re.IGNORECASE)
        try:
            return f"{asked[0].upper()}{asked[1:]}: {shown(self._calculator.value(asked))}"
        except UserFacing:
            return None


def zone_of(place: str) -> ZoneInfo | None:
    """The zone of a city, or of a country that has one."""
    name = plain(place).removeprefix("the ") if place.casefold() not in _places() else place.casefold()
    known = _places().get(plain(place)) or _places().get(name)
    if known is not None:
        return ZoneInfo(known)
    if not re.fullmatch(r"[a-z][a-z .-]{2,30}", name):
        return None
    city = "_".join(word if word in ("of", "es") else word.capitalize() for word in name.split())
    for region in REGIONS:
        try:
            return ZoneInfo(f"{region}/{city}")
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return None


@cache
def _places() -> Mapping[str, str]:
    zones = tomllib.loads((resources() / "places.toml").read_text(encoding="utf-8"))["zones"]
    return {name: zone for zone, names in zones.items() for name in names}


def _offset(at: datetime) -> str:
    offset = f"{at:%z}"
    return f"{offset[:3]}:{offset[3:5]}"


def _named_day(when: str, now: datetime) -> date | None:
    """A day to come, or today by name; None where the words say an hour, or are not understood."""
    words = plain(when.strip())
    if words in HOLIDAYS and holiday(words, now.year) == now.date():
        return now.date()
    if _ONLY_DAY.search(words):
        return None
    try:
        return read_time(when, now, thorough=False).at.date()
    except UserFacing:
        return None


def _until(when: str, unit: str, now: datetime) -> str | None:
    day = _named_day(when, now)
    if day is None:
        return None
    days = (day - now.date()).days
    if unit.casefold() in ("weeks", "wochen"):
        weeks, rest = divmod(days, 7)
        words = f"{weeks} week{'s' * (weeks != 1)}" + (f" and {rest} day{'s' * (rest != 1)}" if rest else "")
    else:
        words = f"{days} day{'s' * (days != 1)}"
    return f"{words} until {_day(day)}."


def _which(when: str, now: datetime) -> str | None:
    day = _named_day(when, now)
    if day is None or re.fullmatch(r"\d+", when.strip()):
        return None
    at = datetime(day.year, day.month, day.day, now.hour, now.minute, now.second, tzinfo=now.tzinfo)
    far = "today" if day == now.date() else distance(at, now.replace(microsecond=0))
    return f"{_day(day)} ({far})."


def _day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"
