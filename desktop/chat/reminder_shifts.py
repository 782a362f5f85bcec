"""A reminder that is moved by so much: "an hour later", "push it back a day", "eine Stunde früher".

How far is read here and added to the time that it has: a model that is told the time gets the sum wrong. Pure
functions; any thread.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_ONE = "a an one eine einen einer un une una uno"
_TWO = "two zwei deux dos"
_THREE = "three drei trois tres"
_HALVES = ("half an", "half a", "eine halbe", "une demi", "media")
_AMOUNTS = {
    **dict.fromkeys(_ONE.split(), 1.0),
    **dict.fromkeys(_TWO.split(), 2.0),
    **dict.fromkeys(_THREE.split(), 3.0),
    **dict.fromkeys(_HALVES, 0.5),
}
_UNIT_MINUTES = (
    (r"min(?:ute[ns]?|utos?)?", 1),
    (r"(?:hours?|stunden?|heures?|horas?|h)", 60),
    (r"(?:days?|tage?|jours?|días?)", 60 * 24),
    (r"(?:weeks?|wochen?|semaines?|semanas?)", 60 * 24 * 7),
)
SPAN = re.compile(
    rf"(?P<amount>\d+|{'|'.join(sorted(_AMOUNTS, key=len, reverse=True))})[ -]?"
    rf"(?P<unit>{'|'.join(unit for unit, _ in _UNIT_MINUTES)})\b",
    re.IGNORECASE,
)
_EARLIER = """
    earlier sooner forward früher vor eher tôt avance avance-le antes adelanta adelántalo
"""
_LATER = """
    later back push postpone delay snooze später nach hinten verschieb verschiebe tard repousse repousse-le
    décale décale-le recule tarde después retrasa retrásalo pospón posponlo aplaza aplázalo
"""
_BESIDE = """
    move shift put make set bring remind me it that this one by to the and please actually no reminder es das
    die sie um mach mache setz setze stell stelle leg lege bitte doch lieber erinner erinnere mich eigentlich
    nein erinnerung rather better instead plutôt mejor
    le la ça de d' plus d'une mets-le fais-le rappelle-moi finalement non rappel más lo ponlo
    hazlo muévelo un una en recordatorio
"""
_EARLIER_WORDS, _LATER_WORDS = frozenset(_EARLIER.split()), frozenset(_LATER.split())
_KNOWN_WORDS = _EARLIER_WORDS | _LATER_WORDS | frozenset(_BESIDE.split())
# Not by the system's language, in which a reminder would not understand it.
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = tuple(_MONTH_NAMES.split())


_DAY_BEFORE = re.compile(
    r"\b(?:the )?(?:(?P<day>day)|evening|night) before\b|"
    r"\b(?:am )?(?:(?P<tag>tag)|abend|vorabend)(?: vorher| davor| zuvor)\b|\bam vorabend\b|"
    r"\bla veille(?P<veille> au soir)?|\b(?:(?P<dia>el día)|la noche|la tarde) (?:antes|anterior)\b|"
    r"\bla víspera\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:\bat |\bum |(?<!\w)à |\ba las? )?\b(?P<hour>\d{1,2})(?:[:.h](?P<minutes>\d{2}))?"
    r"(?:\s*(?P<half>am|pm)|\s*uhr|\s*h)?\b",
    re.IGNORECASE,
)
_NOON = 12


def _day_before(asked: str, due: datetime) -> str:
    """The time on the day before, "lieber schon am Abend vorher um 19 Uhr", with the hour that it names or
    else the same; "" where it says anything else."""
    found = _DAY_BEFORE.search(asked)
    if found is None:
        return ""
    beside = f"{asked[: found.start()]} {asked[found.end() :]}"
    clock = _CLOCK.search(beside)
    left = _CLOCK.sub(" ", beside, count=1) if clock is not None else beside
    if (
        set(re.findall(r"[^\W\d_][\w'’-]*", left.casefold()))
        - _KNOWN_WORDS
        - {"schon", "already", "déjà", "ya"}
    ):
        return ""
    day = due - timedelta(days=1)
    if clock is None:
        return as_time(day)
    hour, half = int(clock["hour"]), (clock["half"] or "").casefold()
    is_evening = (
        not any(found[each] for each in ("day", "tag", "dia")) and "veille" not in found[0].casefold()
    )
    is_late = half == "pm" or (not half and (is_evening or bool(found["veille"])))
    hour += _NOON if is_late and hour < _NOON else 0
    if hour > 23 or int(clock["minutes"] or 0) > 59:
        return ""
    return as_time(day.replace(hour=hour, minute=int(clock["minutes"] or 0)))


def shifted(asked: str, due: datetime | None) -> str:
    """The time that `asked` moves a reminder to that is due at `due`, in words that a reminder takes; ""
    where it says anything else. One that has passed is refused when it is set."""
    if due is not None and (before := _day_before(asked, due)):
        return before
    found = SPAN.search(asked)
    if due is None or found is None:
        return ""
    beside = f"{asked[: found.start()]} {asked[found.end() :]}".casefold()
    rest = set(re.findall(r"[^\W\d_][\w'’-]*", beside))
    ways = rest & (_EARLIER_WORDS | _LATER_WORDS)
    if not ways or rest - _KNOWN_WORDS:
        return ""
    said = found["amount"].casefold()
    minutes = next(per for unit, per in _UNIT_MINUTES if re.fullmatch(unit, found["unit"], re.IGNORECASE))
    by = timedelta(minutes=minutes * (_AMOUNTS[said] if said in _AMOUNTS else int(said)))
    moved = due - by if ways & _EARLIER_WORDS else due + by
    return as_time(moved)


def as_time(moment: datetime) -> str:
    """`moment` in words that a reminder takes."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year} {moment:%H:%M}"
