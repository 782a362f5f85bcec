"""Times in other languages: French and Spanish put into the English words that `times.read_time` understands,
and what the program says of times, days and how often in English put into German, French and Spanish.

The words are those of `resources/times.toml`. What comes again goes in two steps: "tous les lundis à 8 h" and
"cada lunes a las 8" become "every monday at 8:00" when `often_in_english` has put how often into English, and
`in_english` the days and the hour. Only words of time are known: what has another word in it comes back as it
is, and is then no time that can be read. Pure functions but for reading the table once; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import Any

from desktop.paths import resources
from desktop.reasons import LANGUAGES, Reason, Value
from desktop.tools.reasons import ToolReason
from desktop.tools.text import without_accents
from desktop.tools.time_phrases import MONTHS, WEEKDAYS, corrected, slips_of

_UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_HALVES = frozenset({"et demi", "et demie", "y media"})
_SHORT_ARTICLE = re.compile(r"\bn[ea]([rmn]?)\b", re.IGNORECASE)  # "in ner halben Stunde"
# "Mo 8 Uhr", "Do früh": alone they are other words, as "so um 8" is.
_SHORT_DAYS = dict(zip("mo di mi do fr sa so".split(), WEEKDAYS, strict=True))
_SHORT_DAY = re.compile(
    r"\b(?:(?P<day>mo|di|mi|do|fr|sa)\b\.?(?= (?:um |gegen |ab )?(?:\d|fr[uü]e?h|vormittag|mittag|nachmittag|"
    r"abend|halb |(?:drei)?viertel |(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b))|"
    r"(?P<last>so)(?= \d{1,2}(?:[:.]\d\d)? ?uhr))",
    re.IGNORECASE,
)
_ARTICLES = re.compile(r"^(?:le|la|el|les|los)\s+|\b(?:le|el)\s+(?=\d|[mtwfs][a-z]+day\b)")


@dataclass(frozen=True, eq=False)  # one of each language; what is made of it is kept by it
class _Language:
    """One table of the file, whose keys are explained there. Without `phrases` it is only spoken."""

    table: Mapping[str, Any]

    @cached_property
    def weekdays(self) -> tuple[str, ...]:
        return tuple(self.table["weekdays"].split())

    @cached_property
    def months(self) -> tuple[str, ...]:
        return tuple(self.table["months"].split())

    @cached_property
    def said(self) -> re.Pattern[str]:
        return re.compile(self._filled(self.table["said"]), re.IGNORECASE)

    @cached_property
    def phrases(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple(
            (re.compile(self._filled(pattern)), english) for pattern, english in self.table["phrases"]
        )

    @cached_property
    def names(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Those of weekdays and months, with the English ones."""
        pairs = (*zip(self.weekdays, WEEKDAYS, strict=True), *zip(self.months, MONTHS, strict=True))
        return tuple(
            (re.compile(rf"\b{without_accents(own)}\b"), english.casefold()) for own, english in pairs
        )

    @cached_property
    def places(self) -> Mapping[str, str]:
        return {without_accents(name): english for name, english in self.table["places"].items()}

    @cached_property
    def hours_alone(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple((re.compile(self._filled(each)), at) for each, at in self.table["hours_alone"])

    @cached_property
    def often(self) -> tuple[tuple[str, str], ...]:
        return tuple((self._whole(pattern), english) for pattern, english in self.table["often"])

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        counted = {word: at for at, word in enumerate(self.table["counted"].split(), 1)}
        return {without_accents(word): count for word, count in {**counted, **self.table["tens"]}.items()}

    @cached_property
    def slips(self) -> Mapping[str, str]:
        return slips_of(without_accents(each) for each in (*self.weekdays, *self.months))

    @cached_property
    def part_of_hour(self) -> re.Pattern[str]:
        return re.compile(self._filled(self.table["part_of_hour"]))

    @cached_property
    def number(self) -> re.Pattern[str]:
        # The longest first: "vingt-cinq" and not "vingt". "Une demi-heure" is no hour; it has its own phrase.
        words = "|".join(sorted(self.numbers, key=len, reverse=True))
        return re.compile(rf"(?<![\w-])(?:{words})(?![\w-]| demi\b| demi-)")

    def day_number(self, day: int) -> str:
        """The day of a month: "1er", "2"."""
        return str(self.table.get("first", day) if day == 1 else day)

    def _whole(self, pattern: str) -> str:
        # Where a pattern looks at the word behind it, that word begins there.
        end = "" if "(?=" in pattern else r"\b"
        return rf"\b(?:{self._filled(pattern)}){end}"

    def _filled(self, pattern: str) -> str:
        for name in ("beside", "days", "monthly"):
            pattern = pattern.replace(f"{{{name}}}", self.table[name])
        return without_accents(pattern)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((resources() / "times.toml").read_text(encoding="utf-8"))


@cache
def _languages() -> Mapping[str, _Language]:
    return {name: _Language(table) for name, table in _table().items() if name != "sentence"}


@cache
def _read() -> Mapping[str, _Language]:
    """The languages in which times are understood."""
    return {name: each for name, each in _languages().items() if "phrases" in each.table}


def language_of(text: str) -> str:
    """The language of the words that say how often: "fr" or "es"; "" where no such words stand in `text`."""
    plain = without_accents(text)
    return next((name for name, each in _read().items() if each.said.search(plain)), "")


def often_in_english(text: str, language: str) -> str:
    """`text`, in small letters, with the words that say how often in English; the rest stays as it is, but
    for its accents, which people leave out as often as not."""
    own = _read()[language]
    text = without_accents(text)
    for word, number in own.table["times"].items():
        text = re.sub(rf"(?<=les |ada ){word}\b", number, text)
    for pattern, english in own.often:
        text = re.sub(pattern, english, text)
    # What else stands between such signs is the user's own: "rappelle-moi de fermer <body>".
    return re.sub(r"<(\w+)>", lambda found: own.places.get(found[1], found[0]), text)


def in_english(words: str, language: str) -> str:
    """`words` as they would be said in English; German and English ones as they are written in full."""
    own = _read().get(language)
    if own is None:
        # "Do 5 pm" is no Thursday in English.
        words = _SHORT_DAY.sub(_short_day, words) if language == "de" else words
        return _SHORT_ARTICLE.sub(r"eine\1", words)
    # First what comes again: "un vendredi sur deux" is no number of anything.
    text = often_in_english(" ".join(words.casefold().split()), language)
    text = _in_digits(text, own)
    for pattern, english in (*own.phrases, *own.names):
        text = pattern.sub(english, text)
    # An hour without minutes leaves the colon of the pattern behind.
    text = re.sub(r"(\d): (am|pm)", r"\1 \2", text)
    return _ARTICLES.sub("", text).strip()


def _short_day(found: re.Match[str]) -> str:
    return _SHORT_DAYS[found[0].casefold().rstrip(".")]


def _in_digits(text: str, own: _Language) -> str:
    """Hours and minutes that are said in words as digits: "six heures et demie", "las ocho y cuarto"; an hour
    beside a day has its small word again: "demain 9h", "lunes 8 y media"."""
    text = corrected(text, own.slips)
    text = own.number.sub(lambda found: str(own.numbers[found[0]]), text)
    for pattern, at in own.hours_alone:
        text = pattern.sub(at, text, count=1)
    text = own.part_of_hour.sub(_clock, text)
    minutes = own.table["minutes"]
    return re.sub(own.table["half_hours"], lambda found: f"{int(found['hours']) * 60 + 30} {minutes}", text)


def _clock(found: re.Match[str]) -> str:
    """The hour and its part in digits; a span stays as it is: "2 heures et demie", "2 y 5"."""
    groups, part = found.groupdict(), found["part"]
    at, is_noon = groups["at"] or "", bool(groups.get("noon"))
    hour = int(groups["hour"]) if groups["hour"] else 12 * is_noon
    said = re.search(r"\d+", part)
    is_before = part.startswith(("moins", "menos"))
    is_spanish = "noon" not in groups
    is_clock = (is_spanish and said is None) or not groups["hour"] or (not is_spanish and is_before)
    if not at and not is_clock:
        return found[0]
    minute = int(said[0]) if said is not None else 30 if part in _HALVES else 15
    if is_before:
        hour, minute = (hour - 1) % 24, 60 - minute
    at = at if at.startswith(("à", "a", "vers", "pour", "para", "sobre")) else "a las" if is_spanish else "a"
    return f"{at} {hour}:{minute:02}{' pm' if is_noon and hour == 12 else ''}"


# -- out of English ---------------------------------------------------------------------------

_DAY = re.compile(
    rf"\b(?P<weekday>{'|'.join(WEEKDAYS)}) (?P<day>\d{{1,2}}) "
    rf"(?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}})(?:, (?P<time>\d\d:\d\d))?"
)
_SPAN = re.compile(rf"\b(?P<count>\d+) (?P<unit>{'|'.join(_UNITS)})s?\b")
_SOON = re.compile(r"\bin (?=\d)")
_GONE = re.compile(rf"(?P<span>\d+ (?:{'|'.join(_UNITS)})s?) ago\b")
_SMALL_WORD = re.compile(r"\b(?:and|today|now)\b")


def in_language(text: str, language: str) -> str:
    """Days, times and spans of `text` as `language` says them; as it is in English, and where it has none."""
    own = _languages().get(language)
    if own is None:
        return text
    for sentence in _table()["sentence"]:
        if found := re.fullmatch(sentence["english"], text):
            parts = {name: in_language(part, language) for name, part in found.groupdict().items()}
            return str(sentence[language]).format(**parts)
    ago, small = own.table["ago"], own.table["small"]
    text = _GONE.sub(lambda found: ago.format(span=_after_preposition(found["span"], own)), text)
    text = _SOON.sub(own.table["ahead"], text)
    text = _DAY.sub(lambda found: _day_in(found, own), text)
    text = _SPAN.sub(lambda found: _span_in(found, own, is_after=_is_after(found)), text)
    return _SMALL_WORD.sub(lambda found: small[found[0]], text)


def repeats_in_language(repeats: Reason, language: str) -> str:
    """How often, a reason of `Recurrence.in_words`, as `language` says it, else in English."""
    if language in LANGUAGES:
        return repeats.in_language(language)
    own = _languages().get(language)
    return _said(repeats, own) if own is not None else str(repeats)


def _said(value: Value, own: _Language) -> str:
    """One reason of a recurrence, or a value of one."""
    if isinstance(value, tuple):
        return ", ".join(_said(each, own) for each in value)
    words: Mapping[str, str] = own.table["repeats"]
    if isinstance(value, date):
        return words["day-of-year"].format(day=own.day_number(value.day), month=own.months[value.month - 1])
    if not isinstance(value, Reason):
        return str(value)
    key = value.code.partition(".")[2]
    if key.capitalize() in WEEKDAYS:
        return own.weekdays[WEEKDAYS.index(key.capitalize())]
    said = {name: _said(each, own) for name, each in value.values}
    if value.code is ToolReason.DAY_OF_MONTH:
        said["day"] = own.day_number(int(said["day"]))
    return words[key].format(**said)


def _day_in(found: re.Match[str], own: _Language) -> str:
    day = own.table["day"].format(
        weekday=own.weekdays[WEEKDAYS.index(found["weekday"])],
        day=own.day_number(int(found["day"])),
        month=own.months[MONTHS.index(found["month"])],
        year=found["year"],
    )
    return str(own.table["moment"].format(day=day, time=found["time"]) if found["time"] else day)


def _is_after(found: re.Match[str]) -> bool:
    """Whether "in" stands before a span, or before the one it goes on from."""
    before = found.string[: found.start()]
    return re.search(r"\b(?:in|vor) (?:\d+ \w+ (?:und )?)?\Z", before) is not None


def _after_preposition(span: str, own: _Language) -> str:
    found = _SPAN.fullmatch(span)
    return _span_in(found, own, is_after=True) if found is not None else span


def _span_in(found: re.Match[str], own: _Language, is_after: bool) -> str:
    one, *more = own.table["units"].split()[_UNITS.index(found["unit"])].split("/")
    if found["count"] == "1":
        return f"1 {one}"
    return f"{found['count']} {one}{more[-1] if is_after else more[0]}"
