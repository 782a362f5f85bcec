"""Which words of a request are a time, and which are what it is about: "remind me at 5 to call Anna".

Pure functions; any thread. A time may repeat (`recurrence_phrases.read_when`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from desktop.errors import UserFacing
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.time_offsets import offset_in
from desktop.tools.time_phrases import WEEKDAY_PATTERN
from desktop.tools.times import Moment

DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}")
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
    bare = question.rstrip(" .!?")
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
