"""`Remind me at 5 to call Anna`: which words are the time, and which are what to remind of.

A time is looked for at the beginning and at the end, where people say it; one in the middle is part of the
text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from desktop.errors import UserFacing
from desktop.tools.times import Moment, read_time

MOST_WORDS = 30
LONGEST_TIME = 8  # words
_ASKS = re.compile(
    r"(?:please |bitte |can you |could you |kannst du )?"
    r"(?:remind me|set (?:me )?a reminder|erinnere? mich|(?:setz|stell)e? (?:mir )?eine erinnerung)\b[,:]?\s*"
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
# What joins the time to the text, at the beginning of the text.
_JOINS = re.compile(
    r"(?:[,:]\s*)?(?:(?:to|that|about|of|for|ans|daran|dass|an(?: de[nm]| die| das)?)\b,?\s*)*", re.IGNORECASE
)
# Words of time that are words of the text as well, where they stand at its edge.
_EDGES = """
    a an and at by for in it of on please the then to about around
    an bitte dann das dem den der die es im und von zu zum zur
"""
_EDGE = frozenset(_EDGES.split())
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
_QUESTIONS = re.compile(
    r"(?:what|who|where|when|why|how|which|was|wer|wo|wann|warum|wie|welche[rs]?)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Found:
    """`when` are the words that name `moment`, which is later than the time that the question was read at."""

    text: str
    when: str
    moment: Moment


def reminder_in(question: str, now: datetime) -> Found | None:
    """None where it asks for no reminder, or the time or the text cannot be told."""
    asks = _ASKS.fullmatch(question.rstrip(" .!?"))
    if asks is None or _QUESTIONS.match(asks["rest"]):
        return None
    if asks["rest"].casefold().startswith("of ") and not any(each.isdigit() for each in question):
        return None  # what is remembered, rather than what is to be done
    return time_in(asks["rest"], now)


def time_in(text: str, now: datetime) -> Found | None:
    """`text` without the time at its edges; None where there is none, or nothing else."""
    words = text.split()
    if len(words) > MOST_WORDS or _moment(words, now) is not None:
        return None
    before, after = _leading(words, now), _trailing(words, now)
    found = _both(words, before, after, now) or _from(words[before:], words[:before], now)
    return found or _from(words[: len(words) - after], words[len(words) - after :], now)


def time_named_in(text: str, now: datetime) -> str | None:
    """The words anywhere in `text` that name a time; None where none do, or two times are named."""
    words = text.split()[:MOST_WORDS]
    spans = [
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + LONGEST_TIME) + 1)
        if _names_time(words[start:end], now)
    ]
    if not spans:
        return None
    start, end = max(spans, key=lambda span: (span[1] - span[0], -span[0]))
    if any(other_end <= start or other_start >= end for other_start, other_end in spans):
        return None
    return _said(words[start:end])


def _names_time(words: list[str], now: datetime) -> bool:
    if words[0].casefold() in _NO_BEGIN or words[-1].casefold() in _EDGE:
        return False
    return _moment(words, now) is not None


def _both(words: list[str], before: int, after: int, now: datetime) -> Found | None:
    """`tomorrow to call Anna at 5`: the day in front, the hour behind."""
    if not before or not after or before + after >= len(words):
        return None
    when = [*words[:before], *words[len(words) - after :]]
    return _from(words[before : len(words) - after], when, now)


def _from(text: list[str], when: list[str], now: datetime) -> Found | None:
    moment = _moment(when, now)
    said = _JOINS.sub("", " ".join(text), count=1).strip(" ,;:")
    return Found(said, _said(when), moment) if moment is not None and said else None


def _leading(words: list[str], now: datetime) -> int:
    """How many words at the beginning are a time."""
    counts = [count for count in range(1, len(words)) if _moment(words[:count], now) is not None]
    count = counts[-1] if counts else 0
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


def _said(words: list[str]) -> str:
    return " ".join(words).rstrip(",:;")


def _moment(words: list[str], now: datetime) -> Moment | None:
    if not words or _is_count(words):
        return None
    try:
        return read_time(_said(words), now, thorough=False)
    except UserFacing:
        return None
