"""Which words of a request are a time, and which are what it is about: "remind me at 5 to call Anna".

Pure functions; any thread. A time may repeat (`recurrence_phrases.read_when`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

from desktop.errors import UserFacing
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.text import folded_letters
from desktop.tools.time_phrases import WEEKDAY_PATTERN
from desktop.tools.times import Moment

DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}")
MOST_ASKING = 12  # words before the text and the time of a reminder
MOST_WORDS = 30
MOST_TIME_WORDS = 8  # words
_ASKS = re.compile(
    r"(?:please |bitte |can you |could you |kannst du )?(?:remind me|set (?:me )?a reminder|erinnere? mich"
    r"|(?:setz|stell)e? (?:mir )?eine erinnerung)\b[,:]?\s*(?P<rest>.+)",
    re.IGNORECASE,
)
# German puts the verb last: "morgen um 8 an die Tabletten erinnern", "jeden Dienstag erinnern: gießen".
_ASKS_LAST = re.compile(
    r"(?:(?:bitte|kannst du|könntest du|würdest du)\s+)*(?:mich\s+)?(?P<when>.*?)\s*(?:bitte\s+)?"
    r"(?:(?<!\w)(?P<about>ans?\s.+?)\s+erinnern|erinnern\s*[,:]\s*(?P<more>.+))",
    re.IGNORECASE,
)
# What joins the time to the text, at the beginning of the text.
_JOINS = re.compile(
    r"(?:[,:]\s*)?(?:(?:to|that|about|of|for|ans|daran|dass|an(?: de[nm]| die| das)?)\b,?\s*)*", re.IGNORECASE
)
# Words of time that are words of the text as well, where they stand at its edge.
_EDGES = """
    a an and at by for in it of on please the then to about around an bitte dann das dem den der die es im und
    von zu zum zur
"""
_EDGE = frozenset(_EDGES.split())
# No name of a time begins with these: in "to 5 people" they are text.
_NO_BEGIN = frozenset(
    ("a", "it", "of", "please", "then", "to", "and", "am", "bitte", "dann", "es", "und", "von", "zu")
)
_AT_HOUR = frozenset({"at", "um", "by", "around", "gegen", "ab"})
_BEFORE = """
    at on in by for this next the coming around about um am im ab gegen diesen nächsten kommenden den der
"""
_WORDS_BEFORE = frozenset(_BEFORE.split())
_AFTER_IN = """
    a an one two three four five six seven eight nine ten half the einer einem einen zwei drei vier fünf zehn
    anderthalb noon christmas easter
"""
_WORDS_AFTER_IN = frozenset(_AFTER_IN.split())
BEFORE_SOMETHING = (
    r"^(?:on )?the (?:day|evening|night|week|hour) (?:before|after)\b(?! tomorrow)"
    r"|^(?:am )?(?:tag|abend) (?:davor|vorher|danach)\b|^la veille\b"
    # So long before what was spoken of, whose day nobody knows here.
    r"|^(?:an?|one|two|three|\d+) (?:minute|hour|day|week|month)s? (?:before|after) (?:that|this|it|then)\b"
    r"|^(?:eine?n?|zwei|drei|\d+) (?:minute|stunde|tag|woche|monat)e?n? (?:davor|vorher|danach)\b"
    r"|^(?:une?|deux|trois|\d+) (?:minute|heure|jour|semaine|mois)s? (?:avant|après)\W*(?:ça|cela|à |$)"
    r"|^(?:una?|dos|tres|\d+) (?:minuto|hora|día|semana|mes)(?:e?s)? (?:antes|después)\b(?! de (?!eso|esto))"
    r"|^le (?:jour|soir) (?:d['’])?(?:avant|après)\b|^el día (?:antes|anterior|después|siguiente)\b"
)
HALF_OF_A_TIME = re.compile(
    r"^(?:before|after) (?:that|this|it|then)\b|^(?:davor|danach)\b|^(?:avant|après) (?:ça|cela)\b"
    r"|^(?:antes|después) de (?:eso|esto)\b"
    r"|^(?:except|unless|until|till|but not|außer|ausser|bis|starting|ab)\b"
    r"|\b(?:every|each|jede[nrsm]?|alle)\s+(?:[\w.]+\s+)?(?:days?|weeks?|months?|years?|hours?|minutes?|tage?n?|"
    rf"wochen?|monate?n?|jahre?n?|stunden?|minuten?|(?:{WEEKDAY_PATTERN})s?)\b"
    # A second time is a second reminder, and "the day before" is before something else.
    r"|(?:,|\b(?:and|und|et|y))\s+(?:at|um|à|a las?)\s+\d"
    rf"|{BEFORE_SOMETHING}",
    re.IGNORECASE,
)
# Where another reminder begins: "… to call mum and another for 8pm to take the pills".
_ANOTHER = re.compile(
    r"(?:,|\b(?:and|und))\s+(?:also |auch |noch )*"
    r"(?:another|one more|a (?:second|third)|one|eine?n?(?: (?:weiteren?|anderen?|zweiten?|dritten?))?)"
    r"(?: (?:one|reminder|alarm|timer|erinnerung|wecker))?\s+(?=(?:for|at|on|in|to|für|auf|um|am)\s)",
    re.IGNORECASE,
)
# Where the time stands behind: "call mum at 6 and take the pills".
_FIRST_TIME = re.compile(
    r"\b(?:at|um)\s+\d[\d:.]*(?:\s*(?:am|pm|uhr))?(?:,|\s+(?:and|und|then|dann))\s", re.IGNORECASE
)
_QUESTIONS = re.compile(
    r"(?:what|who|where|when|why|how|which|was|wer|wo|wann|warum|wie|welche[rs]?)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class ReminderRequest:
    """`when` are the words that name `moment`, which is later than the time that the question was read at."""

    text: str
    when: str
    moment: Moment


def reminder_in(question: str, now: datetime) -> ReminderRequest | None:
    """None where it asks for no reminder, or the time or the text cannot be told."""
    words = question.split()
    if len(words) > MOST_ASKING + MOST_WORDS:
        return None
    # One blank between words: of a thousand each could be the one at which the time ends.
    bare = " ".join(words).rstrip(" .!?")
    last = _ASKS_LAST.fullmatch(bare)
    # "Um 8 wollte er mich erinnern" tells something: but for the time and what it is about nothing may stand.
    if last is not None and (_moment(last["when"].split(), now) is not None or not last["when"]):
        return time_in(" ".join((last["when"], last["about"] or last["more"])), now)
    asks = _ASKS.fullmatch(bare)
    if asks is None or _QUESTIONS.match(asks["rest"]):
        return None
    if asks["rest"].casefold().startswith("of ") and not any(each.isdigit() for each in question):
        return None  # what is remembered, rather than what is to be done
    return time_in(asks["rest"], now)


def time_in(text: str, now: datetime) -> ReminderRequest | None:
    """`text` without the time at its edges; None where there is none, or nothing else."""
    words = text.split()
    if len(words) > MOST_WORDS or _moment(words, now) is not None:
        return None
    before, after = _leading(words, now), _trailing(words, now)
    found = _both(words, before, after, now) or _from(words[before:], words[:before], now)
    if found is None:
        found = _from(words[: len(words) - after], words[len(words) - after :], now)
        if found is not None and _FIRST_TIME.search(found.text):
            return None
    return None if found is not None and _holds_another(found.text, now) else found


def _holds_another(text: str, now: datetime) -> bool:
    """Whether the text of a reminder goes on to another one with a time of its own."""
    behind = (text[match.end() :].split() for match in _ANOTHER.finditer(text))
    return any(_moment(words, now) is not None or _leading(words, now) > 0 for words in behind)


def time_named_in(text: str, now: datetime) -> str | None:
    """The words anywhere in `text` that name a time; None where none do, or two times are named."""
    words = text.split()[:MOST_WORDS]
    spans = [
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + MOST_TIME_WORDS) + 1)
        if _names_time(words[start:end], now)
    ]
    if not spans:
        return None
    start, end = max(spans, key=lambda span: (span[1] - span[0], -span[0]))
    # Two times: nobody knows which of them is meant.
    if any(other_end <= start or other_start >= end for other_start, other_end in spans):
        return None
    return _joined(words[start:end])


def _names_time(words: list[str], now: datetime) -> bool:
    # A joining word at an end belongs to the text, though a time would be understood with it.
    if words[0].casefold() in _NO_BEGIN or words[-1].casefold() in _EDGE:
        return False
    return _moment(words, now) is not None


def _both(words: list[str], before: int, after: int, now: datetime) -> ReminderRequest | None:
    """`tomorrow to call Anna at 5`: the day in front, the hour behind."""
    if not before or not after or before + after >= len(words):
        return None
    when = [*words[:before], *words[len(words) - after :]]
    return _from(words[before : len(words) - after], when, now)


def _from(text: list[str], when: list[str], now: datetime) -> ReminderRequest | None:
    moment = _moment(when, now)
    left = _JOINS.sub("", " ".join(text), count=1).strip(" ,;:")
    # Half of a time that was not understood is no text: "every fifth day", "except in May".
    if HALF_OF_A_TIME.search(left) or _is_before_event(left, _joined(when)):
        return None
    return ReminderRequest(left, _joined(when), moment) if moment is not None and left else None


def _is_before_event(text: str, when: str) -> bool:
    """Whether the time is told from an event, "3 days | before the deposit is due", "tomorrow | half an hour
    before Amira comes": files know when that is, and here nobody does."""
    for language in ("en", "de"):
        whole, own = offset_in(f"{when} {text}", language), offset_in(text, language)
        if whole is not None and whole.start < len(when) < whole.end:
            return True
        if own is not None and own.start == 0 and not any(each.isdigit() for each in when):
            return True
    return False


def _leading(words: list[str], now: datetime) -> int:
    """How many words at the beginning are a time."""
    counts = [count for count in range(1, len(words)) if _moment(words[:count], now) is not None]
    count = counts[-1] if counts else 0
    # A joining word at the end belongs to the text that follows: "tomorrow at the bakery".
    while count > 1 and words[count - 1].casefold() in _EDGE and count - 1 in counts:
        count -= 1
    return count


def _trailing(words: list[str], now: datetime) -> int:
    """How many words at the end are a time, with the preposition that belongs to it."""
    end = len(words)
    counts = [count for count in range(1, end) if _moment(words[end - count :], now) is not None]
    count = counts[-1] if counts else 0
    while count > 1 and count - 1 in counts and _is_text(words[end - count], words[end - count + 1]):
        count -= 1
    return count


def _is_text(word: str, following: str) -> bool:
    return word.casefold() in _EDGE and not _belongs(word, following)


def _belongs(word: str, following: str) -> bool:
    """Whether `word` opens the time: "in" does before a number, not in "hand it in tomorrow"."""
    plain = word.casefold()
    if plain == "a":
        return following.casefold() == "quarter"
    if plain in ("in", "for", "about", "around", "by"):
        return following[0].isdigit() or following.casefold() in _WORDS_AFTER_IN
    return plain in _WORDS_BEFORE


def _is_count(words: list[str]) -> bool:
    """Whether all that they say is a number, which counts something, unless it is at that hour."""
    plain = [word.casefold().strip(",:;") for word in words]
    content = [word for word in plain if word not in _EDGE]
    return len(content) == 1 and content[0].isdigit() and not _AT_HOUR & set(plain)


def _joined(words: list[str]) -> str:
    return " ".join(words).rstrip(",:;")


def _moment(words: list[str], now: datetime) -> Moment | None:
    if not words or _is_count(words):
        return None
    try:
        return read_when(_joined(words), now, thorough=False)
    except UserFacing:
        return None


def wanted_by(text: str, when: str, now: datetime) -> ReminderRequest:
    """What a call means. Raises UserFacing where the time is not clear.

    Small models write the time into the text, and then a date into `when` that they made up: they do not know
    what day it is. So a time at the edge of the text is taken out of it, and counts where `when` is a date in
    digits or cannot be read.
    """
    within = reminder_in(text, now) or time_in(text, now)
    try:
        moment = read_when(when, now)
    except UserFacing as error:
        if within is None or error.code in ("time-repeats", "time-too-often"):
            raise
        return within
    if within is None:
        return ReminderRequest(text, when, moment)
    if within.moment.repeats is not None and moment.repeats is None:
        # "Every Monday" in the text and "at 9" beside it are one time.
        return _from(within.text.split(), f"{within.when} {when}".split(), now) or within
    if within.moment.at != moment.at and not DATE.match(when):
        return ReminderRequest(text, when, moment)
    return within


# -- how long before an event ------------------------------------------------------------------

# How long before an event: "3 days before …", "eine halbe Stunde bevor …", "la veille de …", "antes de
# …".
#
# Pure functions; any thread.

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
_BEFORE_EVENT: Mapping[str, str] = {
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
        rf" (?:{_BEFORE_EVENT[language]})(?!\w)"
    )


@cache
def _named(language: str) -> tuple[tuple[re.Pattern[str], int, str], ...]:
    return tuple(
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), days, part)
        for pattern, days, part in _NAMED[language]
    )


def _same_length(text: str) -> str:
    """In plain letters, each where it was."""
    return "".join(folded_letters(each)[:1] or each for each in text)


def _months_before(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    for at in range(day.day, 0, -1):
        try:
            return date(year, month + 1, at)
        except ValueError:  # there is no 31 November
            continue
    return day
