"""The quantities that a sentence states: numbers in digits and words, shares, multiples, dates, times, spans.

In four languages, from `resources/quantities.toml`. A sentence that is to be checked is read strictly, in its
own language; what it is checked against is read generously, in all of them, so that "once" may be eleven
there. Pure functions over tables that are read once; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from desktop.paths import resources
from desktop.tools.text import folded_letters

LANGUAGES = ("en", "de", "fr", "es")
WAY_BEFORE, WAY_BEHIND = 4, 3  # words around a share in which stands whether it is more or less
HOUR = 60
SHORT = 4  # letters of a word that is compared whole


class QuantityKind(StrEnum):
    NUMBER = "number"
    SHARE = "share"  # of one: a third, 50 %
    MULTIPLE = "multiple"  # three times, double
    DATE = "date"  # month * 100 + day
    TIME = "time"  # minutes since midnight
    MONTH = "month"
    WEEKDAY = "weekday"
    SPAN = "span"  # the year before, next week: -1 or 1, with the unit


@dataclass(frozen=True)
class Word:
    text: str
    plain: str  # small letters without accents
    start: int
    end: int


@dataclass(frozen=True)
class Quantity:
    """`values` are all that it can mean: 12,400 is twelve thousand or twelve. `way` is 1 where it is said to
    be more, -1 less."""

    kind: QuantityKind
    values: frozenset[float]
    said: str
    at: int
    unit: str = ""
    way: int = 0
    is_about: bool = False


# -- words ------------------------------------------------------------------------------------

_WORD = re.compile(
    r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[^\W\d_]+|[%€$£½¼¾⅓⅔×]"
)
_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}


@cache
def plain(word: str) -> str:
    """In small letters, without accents."""
    return folded_letters(word.replace("œ", "oe").replace("Œ", "oe"))


def words_of(text: str) -> list[Word]:
    return [Word(each[0], plain(each[0]), each.start(), each.end()) for each in _WORD.finditer(text)]


def values_of(literal: str) -> frozenset[float]:
    """What a number in digits may be: with points and commas of either custom."""
    bare = re.sub(r"['’\u00a0\u202f ]", "", literal)
    if "." in bare and "," in bare:
        decimal = max(bare.rfind("."), bare.rfind(","))
        head = re.sub(r"[.,]", "", bare[:decimal])
        return frozenset({float(f"{head}.{bare[decimal + 1 :]}")})
    parts = re.split(r"[.,]", bare)
    whole = float("".join(parts))
    if len(parts) == 1 or len(parts) > 2:
        return frozenset({whole})
    decimal_value = float(".".join(parts))
    return frozenset({whole, decimal_value}) if len(parts[1]) == 3 else frozenset({decimal_value})


# -- the tables -------------------------------------------------------------------------------


@cache
def tables() -> Mapping[str, Any]:
    return tomllib.loads((resources() / "quantities.toml").read_text(encoding="utf-8"))


@cache
def _numbers(language: str) -> Mapping[str, int]:
    return _of_languages("numbers", language)


def _of_languages(table: str, language: str) -> dict[str, Any]:
    chosen = (language,) if language else LANGUAGES
    return {word: value for each in chosen for word, value in tables()[table][each].items()}


@cache
def _shares(language: str, is_certain: bool) -> Mapping[str, int]:
    chosen = (language,) if language else LANGUAGES
    kind = "certain" if is_certain else "uncertain"
    return {word: of for each in chosen for word, of in tables()["shares"][each][kind].items()}


@cache
def _by_word(table: str) -> Mapping[str, int]:
    """A table of numbers with their words, by the word."""
    found = tables()[table]
    return {word: int(key) for key, words in found.items() if key.isdecimal() for word in words.split()}


@cache
def units() -> Mapping[str, str]:
    """The name of a unit by each of its words."""
    return {word: name for name, unit in tables()["units"].items() for word in unit["words"].split()}


@cache
def _times() -> frozenset[str]:
    return frozenset(tables()["multiples"]["times"].split())


@cache
def _ways(language: str) -> tuple[tuple[int, frozenset[str], tuple[str, ...]], ...]:
    """For each way its whole words and the beginnings of others: much else begins with short ones."""
    chosen = (language,) if language else LANGUAGES
    found = []
    for way, name in ((1, "up"), (-1, "down")):
        said = [word for each in chosen for word in tables()["ways"][each][name].split()]
        whole = frozenset(each for each in said if len(each) <= SHORT)
        found.append((way, whole, tuple(each for each in said if len(each) > SHORT)))
    return tuple(found)


def way_of(words: Sequence[Word], at: int, language: str = "") -> int:
    """1 where the word at `at` says that something is more, -1 less, 0 where neither."""
    word = words[at].plain
    after = words[at + 1].plain if at + 1 < len(words) else ""
    # "Plus bas" is less: before another word than these it says how, not how much.
    if (
        word in ("plus", "moins", "mas", "menos")
        and after
        and after not in _OF
        and not _is_count(words[at + 1])
    ):
        return 0
    for way, whole, beginnings in _ways(language):
        if word in whole or word.startswith(beginnings):
            return way
    return 0


def _is_count(word: Word) -> bool:
    return word.text[0].isdecimal() or word.plain.endswith("s")


@cache
def _bounds() -> re.Pattern[str]:
    bounds = tables()["bounds"]
    groups = (f"(?P<{name}>{'|'.join(map(re.escape, bounds[name]))})" for name in ("up", "down", "about"))
    return re.compile(rf"(?:^|\s)(?:{'|'.join(groups)})\s*$")


def has_bound(text: str) -> bool:
    """Whether a number in `text` is only a limit: "more than 15 %"."""
    words = words_of(text)
    heads = (
        " ".join(each.plain for each in words[:at])
        for at in range(1, len(words))
        if words[at].text[0].isdecimal()
    )
    found = (_bounds().search(each) for each in heads)
    return any(each is not None and not each["about"] for each in found)


# -- reading ----------------------------------------------------------------------------------

_CLOCK = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])(?:(?::|\s?h\s?|\.(?=\d\d\s?(?:uhr|[ap]\.?m)))(?P<minute>[0-5]\d)(?!\d))?"
    r"(?P<half>\s?[ap]\.?m\b\.?|\s?uhr\b(?:\s(?P<after>[0-5]?\d)\b)?|\s?o['’]clock)?",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?<![\d.])(?:(?P<year>\d{4})-(?P<m1>[01]?\d)-(?P<d1>[0-3]?\d)"
    r"|(?P<a>[0-3]?\d)(?P<sign>[./])(?P<b>[0-3]?\d)(?:(?P=sign)(?P<y2>\d{4}|\d\d)\b|(?<=\d)\.(?!\d)))"
)
_NOON = {"noon": 720, "midday": 720, "mittag": 720, "mittags": 720, "midi": 720, "mediodia": 720}
_MIDNIGHT = {"midnight": 0, "mitternacht": 0, "minuit": 0, "medianoche": 0}
_ONE_TEXT = """
    a an one ein eine einen einem einer un une uno una le la el by um d
"""
_ONE = frozenset(_ONE_TEXT.split())
_OF_TEXT = """
    of more less fewer higher lower the than de du des d mehr weniger hoher niedriger plus moins mas menos
    parte partes que qu en
    that which who was were is are to from and or in on because after since with for
"""
_OF = frozenset(_OF_TEXT.split())
_UNITY = frozenset(("uno", "un", "une"))
_LINKS = frozenset(("and", "und", "et", "y"))
_BESIDE_DAY = frozenset(("st", "nd", "rd", "th", "er", "of", "de", "the"))
_MODAL = frozenset(("may", "march", "mar", "mars", "sun", "dec", "sept", "set", "apr", "jan", "an", "avant"))


def quantities(sentence: str, language: str = "") -> tuple[Quantity, ...]:
    """All that `sentence` states, read strictly in its `language`; without one, generously in all."""
    found, rest = _days_and_times(sentence)
    words = words_of(rest)
    at = 0
    while at < len(words):
        some, at = _next(words, at, rest, language)
        found += some
    found += _spans(words)
    return tuple(_with_way(each, words, rest, language) for each in found)


def _days_and_times(sentence: str) -> tuple[list[Quantity], str]:
    """Those that are written in digits and signs, and the sentence with blanks in their place."""
    found: list[Quantity] = []
    rest = sentence
    for day in _DAY.finditer(sentence):
        some = _day(day)
        if some:
            found += some
            rest = _blanked(rest, day)
    for clock in _CLOCK.finditer(rest):
        minute, half = clock["minute"] or clock["after"], clock["half"]
        if minute is None and half is None:
            continue
        minutes = int(clock["hour"]) * HOUR + int(minute or 0)
        is_later = (half or "").strip().casefold().startswith("p") and int(clock["hour"]) < 12
        said = clock[0].strip()
        values = frozenset({float(minutes + 12 * HOUR * is_later)})
        found.append(Quantity(QuantityKind.TIME, values, said, clock.start()))
        rest = _blanked(rest, clock)
    return found, rest


def _blanked(text: str, found: re.Match[str]) -> str:
    return text[: found.start()] + " " * (found.end() - found.start()) + text[found.end() :]


def _day(found: re.Match[str]) -> list[Quantity]:
    """A day in digits: with a point the day is first, with a stroke it may be either."""
    said, at = found[0], found.start()
    if found["year"]:
        pairs, year = [(int(found["m1"]), int(found["d1"]))], found["year"]
    else:
        first, second, year = int(found["a"]), int(found["b"]), found["y2"] or ""
        pairs = [(second, first)] if found["sign"] == "." else [(second, first), (first, second)]
    values = frozenset(float(m * 100 + d) for m, d in pairs if 1 <= m <= 12 and 1 <= d <= 31)
    if not values:
        return []
    days = [Quantity(QuantityKind.DATE, values, said, at)]
    if year:
        whole = int(year) if len(year) == 4 else 2000 + int(year)
        days.append(Quantity(QuantityKind.NUMBER, frozenset({float(whole)}), year, at))
    return days


def _next(words: Sequence[Word], at: int, text: str, language: str) -> tuple[list[Quantity], int]:
    """What begins with the word at `at`, and where to go on."""
    word = words[at].plain
    if word in _NOON and not (at and words[at - 1].plain in ("apres", "after")):
        return [_made(QuantityKind.TIME, {720.0}, words, at, at + 1, text)], at + 1
    if word in _MIDNIGHT:
        return [_made(QuantityKind.TIME, {0.0, 1440.0}, words, at, at + 1, text)], at + 1
    glued = _glued(word)
    if glued is not None:
        return [_made(QuantityKind.MULTIPLE, {glued}, words, at, at + 1, text)], at + 1
    if word in _by_word("multiples"):
        value = float(_by_word("multiples")[word])
        return [_made(QuantityKind.MULTIPLE, {value}, words, at, at + 1, text)], at + 1
    if (month := _month(words, at, language)) is not None:
        return _with_day(words, at, month, text, language)
    if word in _by_word("weekdays"):
        value = float(_by_word("weekdays")[word])
        return [_made(QuantityKind.WEEKDAY, {value}, words, at, at + 1, text)], at + 1
    read = _number(words, at, text, language)
    if read is not None:
        return _behind(words, at, *read, text, language)
    share = _share(words, at, language)
    if share is not None:
        unit, end = _unit(words, at + 1)
        return [_made(QuantityKind.SHARE, {share}, words, at, at + 1, text, unit)], end
    return [], at + 1


def _made(
    kind: QuantityKind,
    values: set[float] | frozenset[float],
    words: Sequence[Word],
    at: int,
    end: int,
    text: str,
    unit: str = "",
) -> Quantity:
    said = text[words[at].start : words[end - 1].end]
    return Quantity(kind, frozenset(values), said, words[at].start, unit)


def _glued(word: str) -> float | None:
    """Of "dreimal" and "dreifache": how many times."""
    found = re.fullmatch(r"([a-z]{3,})(?:mal|fach(?:e[nrs]?)?)", word)
    if found is None:
        return None
    value = _numbers("de").get(found[1]) or _german(found[1])
    return float(value) if value is not None and value > 1 else None


def _german(word: str) -> int | None:
    """A compound: zweihundertfünfzig, einundzwanzig, dreitausend."""
    table = {**_numbers("de"), "ein": 1, "eine": 1}
    for mark, size in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(mark)
        if found:
            before = _german(head) if head else 1
            after = _german(tail.removeprefix("und")) if tail else 0
            return before * size + after if before is not None and after is not None else None
    if word in table:
        return table[word]
    first, found, second = word.partition("und")
    if found and first in table and second in table and table[first] < 10 and table[second] >= 20:
        return table[first] + table[second]
    return None


def _number(
    words: Sequence[Word], at: int, text: str, language: str
) -> tuple[frozenset[float], int, bool] | None:
    """The number that begins at `at`, where it ends, and whether it is in digits."""
    word = words[at]
    if word.text in _SIGNS:
        return frozenset({_SIGNS[word.text]}), at + 1, True
    if word.text[0].isdecimal():
        values, end = values_of(word.text), at + 1
        table = _numbers(language)
        while end < len(words) and table.get(words[end].plain, 0) >= 1000:
            values = frozenset(each * table[words[end].plain] for each in values)
            end += 1
        return values, end, True
    value, end = _in_words(words, at, text, language)
    return (frozenset({float(value)}), end, False) if value is not None else None


def _in_words(words: Sequence[Word], at: int, text: str, language: str) -> tuple[int | None, int]:
    """ "Two hundred and fifty", "quatre-vingt-dix", "treinta y uno"; None where no number begins."""
    total, current, last, end = 0, 0, 0, at
    while end < len(words):
        value = _value(words[end].plain, language)
        if value is None and words[end].plain in _UNITY and end > at and words[end - 1].plain in _LINKS:
            value = 1
        if value is None:
            is_link = words[end].plain in _LINKS and last >= 20 and end + 1 < len(words)
            linked = _linked(words[end + 1].plain, language) if is_link else None
            if linked is None or linked >= last or _far(words, end - 1, end + 1, text):
                break
            end += 1
            continue
        if last and _far(words, end - 1, end, text):
            break
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        elif value == 100 and (not last or last < 100):
            current = max(current, 1) * 100
        elif value == 20 and last == 4:  # quatre-vingt
            current += 76
            value = 80
        elif not last or _joins(last, value):
            current += value
        else:
            break
        last, end = value, end + 1
    return (total + current, end) if end > at else (None, at)


def _joins(last: int, value: int) -> bool:
    """Whether a smaller number may stand behind a larger one as a part of it."""
    tens = last >= 20 and value < 10
    # Soixante-quinze, quatre-vingt-dix-sept.
    french = (last in (60, 80) and value < 20) or (last == 10 and 7 <= value < 10)
    return value < last and (last >= 100 or tens or french)


def _value(word: str, language: str) -> int | None:
    table = _numbers(language)
    if word in table:
        return table[word]
    is_german = language in ("", "de") and len(word) > 5
    return _german(word) if is_german and re.search("und|hundert|tausend", word) else None


def _linked(word: str, language: str) -> int | None:
    return 1 if word in _UNITY else _value(word, language)


def _far(words: Sequence[Word], first: int, second: int, text: str) -> bool:
    """Whether more than a blank or a hyphen stands between two words."""
    return first >= 0 and re.search(r"[^\w\s-]", text[words[first].end : words[second].start]) is not None


def _behind(
    words: Sequence[Word],
    at: int,
    values: frozenset[float],
    end: int,
    is_digits: bool,
    text: str,
    language: str,
) -> tuple[list[Quantity], int]:
    """What the words behind a number make of it."""
    following = [each.plain for each in words[end : end + 3]]
    first = following[0] if following else ""
    second = following[1] if len(following) > 1 else ""
    if first in ("%", "percent", "prozent") or (first, second) in _PER_CENT:
        stop = end + 1 + (first in ("per", "pour", "por"))
        shares = frozenset(each / 100 for each in values)
        return [_made(QuantityKind.SHARE, shares, words, at, stop, text)], stop
    if first in _shares(language, True) or (first in _shares(language, False) and min(values) < 10):
        of = _shares(language, first in _shares(language, True))[first]
        shares = frozenset(each / of for each in values)
        return [_made(QuantityKind.SHARE, shares, words, at, end + 1, text)], end + 1
    behind = end + 1 if first in _times() else end + 2 if first == "de" and second in _times() else 0
    if behind and (min(values) > 1 or not is_digits):
        return [_made(QuantityKind.MULTIPLE, values, words, at, behind, text)], behind
    day = _month_behind(words, end, values)
    if day is not None:
        month, stop = day
        dates = frozenset(month * 100 + each for each in values)
        return [_made(QuantityKind.DATE, dates, words, at, stop, text)], stop
    unit, stop = _unit(words, end)
    if unit == "" and at and words[at - 1].plain in units() and words[at - 1].plain in ("€", "$", "£", "eur"):
        unit = units()[words[at - 1].plain]
    return [_made(QuantityKind.NUMBER, values, words, at, end, text, unit)], stop


_PER_CENT = {("per", "cent"), ("pour", "cent"), ("por", "ciento"), ("por", "cien")}


def _month(words: Sequence[Word], at: int, language: str) -> int | None:
    word = words[at]
    month = _by_word("months").get(word.plain)
    if month is None:
        return None
    # "It may rain", "they march": a month has a capital there, and a number or a small word beside it.
    if language and word.plain in _MODAL | {"mai"}:
        beside = [each.plain for each in (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])]
        says = any(each.isdecimal() or each in _BEFORE_MONTH for each in beside)
        is_name = word.text[0].isupper() or language in ("fr", "es")
        return month if is_name and says and len(word.plain) > 2 else None
    return month


_BEFORE_MONTH_TEXT = """
    in on by until till since from of to early late mid next last every until im bis seit ab vom zum ende
    anfang mitte en de au fin debut depuis jusqu jusque del desde hasta a finales
"""
_BEFORE_MONTH = frozenset(_BEFORE_MONTH_TEXT.split())


def _month_behind(words: Sequence[Word], at: int, values: frozenset[float]) -> tuple[int, int] | None:
    if not all(1 <= each <= 31 and each == int(each) for each in values):
        return None
    end = at
    while end < len(words) and end < at + 2 and words[end].plain in _BESIDE_DAY:
        end += 1
    if end >= len(words):
        return None
    month = _by_word("months").get(words[end].plain)
    return (month, end + 1) if month is not None and len(words[end].plain) > 2 else None


def _with_day(
    words: Sequence[Word], at: int, month: int, text: str, language: str
) -> tuple[list[Quantity], int]:
    """ "March 31", "October 3rd": English has the day behind the month."""
    behind = words[at + 1] if at + 1 < len(words) else None
    if language in ("", "en") and behind is not None and behind.text.isdecimal() and int(behind.text) <= 31:
        end = at + 3 if at + 2 < len(words) and words[at + 2].plain in _BESIDE_DAY - {"of", "de"} else at + 2
        date = _made(QuantityKind.DATE, {month * 100.0 + int(behind.text)}, words, at, end, text)
        return [date], end
    return [_made(QuantityKind.MONTH, {float(month)}, words, at, at + 1, text)], at + 1


def _share(words: Sequence[Word], at: int, language: str) -> float | None:
    word = words[at].plain
    certain = _shares(language, True).get(word)
    if certain is not None and (certain != 2 or not _is_half_a_name(words, at)):
        return 1 / certain
    uncertain = _shares(language, False).get(word)
    before = words[at - 1].plain if at else ""
    after = words[at + 1].plain if at + 1 < len(words) else ""
    ends = not after or not language
    return 1 / uncertain if uncertain is not None and before in _ONE and (ends or after in _OF) else None


def _is_half_a_name(words: Sequence[Word], at: int) -> bool:
    """ "Medio ambiente" and "los medios" are no halves: what is halved is a unit or stands behind "y"."""
    if words[at].plain not in ("medio", "media"):
        return False
    after = words[at + 1].plain if at + 1 < len(words) else ""
    return after not in units() and not (at and words[at - 1].plain == "y")


def _unit(words: Sequence[Word], at: int) -> tuple[str, int]:
    """The unit that the word at `at` names, "" for none, and where to go on."""
    if at >= len(words):
        return "", at
    word = words[at]
    # "3 an" is no year, "2 l" is two litres.
    found = units().get(word.plain, "")
    return (found, at + 1) if found else ("", at)


# -- what stands around -----------------------------------------------------------------------


def _spans(words: Sequence[Word]) -> list[Quantity]:
    """ "The year before", "next week": a unit of time beside a word that says where it lies."""
    spans = tables()["spans"]
    marks = {**dict.fromkeys(spans["before"].split(), -1.0), **dict.fromkeys(spans["after"].split(), 1.0)}
    joined = {word: unit for unit in ("month", "year", "week") for word in spans[f"{unit}s"].split()}
    found = []
    for at, word in enumerate(words):
        if word.plain in joined:
            said = word.text
            kind = QuantityKind.SPAN
            found.append(Quantity(kind, frozenset({-1.0}), said, word.start, joined[word.plain]))
            continue
        unit = units().get(word.plain, "")
        if not unit or tables()["units"][unit]["of"] != "time":
            continue
        near = [(each, words[each]) for each in (at - 1, at + 1) if 0 <= each < len(words)]
        beside = [(each, other) for each, other in near if other.plain in marks]
        if beside and not (at and words[at - 1].text[0].isdecimal()):
            _, other = beside[0]
            said = " ".join(each.text for each in sorted((word, other), key=lambda each: each.start))
            values = frozenset({marks[other.plain]})
            found.append(Quantity(QuantityKind.SPAN, values, said, word.start, unit))
    return found


def _with_way(quantity: Quantity, words: Sequence[Word], text: str, language: str) -> Quantity:
    """The same with which way it goes, and whether it is said to be near only."""
    before = " ".join(each.plain for each in words if each.end <= quantity.at)
    bound = _bounds().search(before)
    if quantity.kind is QuantityKind.NUMBER:
        way = 0 if bound is None else 1 if bound["up"] else -1 if bound["down"] else 0
        way = way or _way_behind(quantity, words, text, language)
        return replace(quantity, way=way, is_about=bound is not None)
    if quantity.kind not in (QuantityKind.SHARE, QuantityKind.MULTIPLE):
        return quantity
    end = quantity.at + len(quantity.said)
    behind = [
        at for at, word in enumerate(words) if word.start >= end and not _is_cut(text[end : word.start])
    ]
    ahead = [at for at, word in enumerate(words) if word.end <= quantity.at]
    ahead = [at for at in ahead if not _is_cut(text[words[at].end : quantity.at])]
    near = [*behind[:WAY_BEHIND], *reversed(ahead[-WAY_BEFORE:])]
    way = next((found for at in near if (found := way_of(words, at, language))), 0)
    return replace(quantity, way=way, is_about=bound is not None)


def _way_behind(quantity: Quantity, words: Sequence[Word], text: str, language: str) -> int:
    """Of "150 euros less": what directly follows a number and its unit."""
    end = quantity.at + len(quantity.said)
    behind = [
        at for at, word in enumerate(words) if word.start >= end and not _is_cut(text[end : word.start])
    ]
    if behind and words[behind[0]].plain in units():
        behind = behind[1:]
    if behind and words[behind[0]].plain in ("de", "d"):
        behind = behind[1:]
    return way_of(words, behind[0], language) if behind else 0


def _is_cut(between: str) -> bool:
    return re.search(r"[.;:!?](?=\s|$)|,\s", between) is not None


def ways_in(sentence: str, language: str = "") -> frozenset[int]:
    """Which ways something goes in `sentence`: bounds before numbers are none."""
    words = words_of(sentence)
    found = set()
    for at in range(len(words)):
        way = way_of(words, at, language)
        after = words[at + 1].plain if at + 1 < len(words) else ""
        is_bound = after in ("than", "als", "de", "que") and at + 2 < len(words)
        if way and not (is_bound and words[at + 2].text[0].isdecimal()):
            found.add(way)
    return frozenset(found)


@cache
def _negating(language: str) -> frozenset[str]:
    chosen = (language,) if language else LANGUAGES
    return frozenset(word for each in chosen for word in tables()["negations"][each].split())


_NE = re.compile(r"\b(?:ne|n['’])(?=[\s\w])(?!.{0,40}\bqu[e'’])", re.IGNORECASE)


def negates(sentence: str, language: str = "") -> bool:
    """Whether `sentence` denies something."""
    bare = re.sub(r"n['’]t\b", " not", sentence, flags=re.IGNORECASE)
    said = {each.plain for each in words_of(bare)}
    if language in ("", "fr") and _NE.search(sentence) is not None:
        return True
    return bool(said & _negating(language))


def is_of_calendar(word: str) -> bool:
    return word in _by_word("months") or word in _by_word("weekdays")


def is_sum(sentence: str) -> bool:
    """Whether `sentence` speaks of what several come to together, or of what is left."""
    said = {each.plain for each in words_of(sentence)}
    return bool(said & frozenset(tables()["sums"]["words"].split()))


def told_share(value: float, language: str) -> str:
    """How a share is said in a language: "ein Drittel"; "" where it has no word of its own."""
    for of, told in tables()["shares"]["told"].items():
        if abs(1 / int(of) - value) < 0.002:
            return str(told.get(language, ""))
    return ""
