"""Days that are counted from another: "what date will it be two weeks from today?", "qué fecha será dentro de
un mes", "welches Datum war vor zehn Tagen?", "what day is a week after Easter?".

Pure functions; any thread.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import MAXYEAR, MINYEAR, date, timedelta

from desktop.tools.time_phrases import plain
from desktop.tools.time_translations import in_english

MOST_COUNTED = 5000  # days, weeks, months or years

_ASKED = re.compile(
    r"(?:(?:and|und|et|y) )?(?:"
    r"(?:what|which) (?:date|day|weekday|day of the week) (?:is|was|will)(?: (?:it|that))?(?: be)?|"
    r"what(?:['’]?s| is| was| will)(?: be)? the (?:date|day)(?: be)?|"
    r"(?:welche[rsn]? (?:datum|tag|wochentag)|was für ein (?:tag|datum|wochentag)|"
    r"(?:der|den) wievielte[nr]?) "
    r"(?:ist|war|wird|haben wir|hatten wir|wäre|sind wir)(?: es| das)?(?: (?:dann|sein))?|"
    r"(?:(?:on|nous) (?:sera|serons|est|sommes) )?"
    r"(?:quelle (?:est |sera |était )?(?:la )?date|quel (?:est |sera |était )?(?:le )?jour"
    r"(?: de la semaine)?|le combien)"
    r"(?:[ -](?:est-ce|est|sera-ce|sera-t-il|sera-t-on|sera|serons-nous|sommes-nous|était-ce|était|"
    r"étions-nous|on est|on sera|nous serons))?|"
    r"¿?(?:a )?qué (?:fecha|día(?: de la semana)?) (?:es|será|sería|era|fue|estaremos|seremos|tendremos|"
    r"caerá|cae)|¿?cu[aá]l (?:es|será) la fecha"
    r")[ ,]+(?P<when>\S.*?)(?: (?:sein|haben))?[\s?.!]*",
    re.IGNORECASE,
)
_SPAN = r"(?P<count>\d{1,4}) (?P<unit>days?|tage?n?|weeks?|wochen?|months?|monate?n?|years?|jahre?n?)"
_AFTER = r"from|ab|after|nach|apres|a partir de|despues de|desde"
_BEFORE = r"before|vor|avant|antes de"
_COUNTED = re.compile(
    rf"(?:(?:heute |today )?in )?{_SPAN}"
    rf"(?: hence| (?:(?P<before>{_BEFORE})|{_AFTER}) (?P<base>[^\d].*)| (?:from )?(?:today|heute))?"
)
_AGO = re.compile(rf"(?P<before>(?:vor|il y a|hace) )?{_SPAN}(?P<ago> ago)?")
# "D'ici deux semaines", "de hoy en dos semanas".
_LEADS = re.compile(r"^(?:a partir de|de|d|desde) (?:today|aqui|ici) (?:en |in |a )?(?=\d)")


def day_counted(question: str, today: date, named: Callable[[str], date | None]) -> date | None:
    """The day that `question` asks for; None where it asks for something else. `named` reads a day to come
    by its name."""
    asked = _ASKED.fullmatch(question)
    if asked is None:
        return None
    found = (_day(each, today, named) for each in _readings(asked["when"]))
    return next((day for day in found if day is not None), None)


def _readings(when: str) -> Iterator[str]:
    """`when` in plain words, as it is and as if it were French or Spanish."""
    said = when.casefold()
    for each in (said, in_english(said, "fr"), in_english(said, "es")):
        yield _LEADS.sub("in ", plain(each))


def _day(words: str, today: date, named: Callable[[str], date | None]) -> date | None:
    gone = _AGO.fullmatch(words)
    if gone is not None and (gone["ago"] or gone["before"]):
        return _moved(today, gone, -1)
    found = _COUNTED.fullmatch(words)
    if found is None:
        return None
    base = found["base"]
    day = today if base is None or base in ("now", "today", "heute", "jetzt") else named(base)
    return _moved(day, found, -1 if found["before"] else 1) if day is not None else None


def _moved(day: date, by: re.Match[str], sign: int) -> date | None:
    """`day` and as many days, weeks, months or years as the words of `by` say."""
    count, unit = sign * int(by["count"]), by["unit"][0]
    if abs(count) >= MOST_COUNTED:
        return None
    if unit in "dtw":
        days = count * (7 if unit == "w" else 1)
        return day + timedelta(days=days) if MINYEAR < day.year + days // 365 < MAXYEAR else None
    year, month = divmod(day.year * 12 + day.month - 1 + count * (1 if unit == "m" else 12), 12)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
