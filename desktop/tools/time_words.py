"""The words of times in English and German, as the grammar of `times.py` sees them.

Everything here is written as `plain` leaves it: case folded, umlauts as two letters, no apostrophes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

# Names, then what they stand for: weekdays from Monday as 0, months from January as 1.
WEEKDAY_NAMES = (
    ("monday", "mon", "montag"),
    ("tuesday", "tue", "tues", "dienstag"),
    ("wednesday", "wed", "mittwoch"),
    ("thursday", "thu", "thur", "thurs", "donnerstag"),
    ("friday", "fri", "freitag"),
    ("saturday", "sat", "samstag", "sonnabend"),
    ("sunday", "sun", "sonntag"),
)
WEEKDAY = {name: number for number, names in enumerate(WEEKDAY_NAMES) for name in names}
MONTH_NAMES = (
    ("january", "jan", "januar", "jaenner"),
    ("february", "feb", "februar"),
    ("march", "mar", "maerz"),
    ("april", "apr"),
    ("may", "mai"),
    ("june", "jun", "juni"),
    ("july", "jul", "juli"),
    ("august", "aug"),
    ("september", "sep", "sept"),
    ("october", "oct", "oktober", "okt"),
    ("november", "nov"),
    ("december", "dec", "dezember", "dez"),
)
MONTH = {name: number for number, names in enumerate(MONTH_NAMES, 1) for name in names}

# Parts of a day, and the hour that is meant where none is said.
PART = {
    "early": ("early", 8),
    "frueh": ("early", 8),
    "morning": ("morning", 9),
    "morgens": ("morning", 9),
    "forenoon": ("morning", 10),
    "vormittag": ("morning", 10),
    "vormittags": ("morning", 10),
    "mittag": ("noon", 12),
    "mittags": ("noon", 12),
    "lunchtime": ("noon", 12),
    "lunch": ("noon", 12),
    "afternoon": ("afternoon", 15),
    "nachmittag": ("afternoon", 15),
    "nachmittags": ("afternoon", 15),
    "evening": ("evening", 19),
    "abend": ("evening", 19),
    "abends": ("evening", 19),
    "night": ("night", 21),
    "nacht": ("night", 22),
    "nachts": ("night", 22),
}

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
UNIT_NAMES = {
    "second": ("second", "seconds", "sec", "secs", "sekunde", "sekunden", "sek"),
    "minute": ("minute", "minutes", "min", "mins", "minuten"),
    "hour": ("hour", "hours", "hr", "hrs", "h", "stunde", "stunden", "std"),
    "day": ("day", "days", "tag", "tage", "tagen"),
    "week": ("week", "weeks", "woche", "wochen"),
    "month": ("month", "months", "monat", "monate", "monaten"),
    "year": ("year", "years", "jahr", "jahre", "jahren"),
}
UNIT = {name: unit for unit, names in UNIT_NAMES.items() for name in names}

# A day of every year, or what `holiday` works out.
HOLIDAYS = {
    "christmas eve": (12, 24),
    "heiligabend": (12, 24),
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "xmas": (12, 25),
    "weihnachten": (12, 25),
    "boxing day": (12, 26),
    "new years eve": (12, 31),
    "silvester": (12, 31),
    "new years day": (1, 1),
    "new year": (1, 1),
    "neujahr": (1, 1),
    "valentines day": (2, 14),
    "valentinstag": (2, 14),
    "halloween": (10, 31),
    "nikolaus": (12, 6),
    "easter": None,
    "easter sunday": None,
    "ostern": None,
    "ostersonntag": None,
}

_FILLERS = """
    a an and around about at by circa coming exactly for in it now o oclock of on please sharp
    the then this to ab am bitte ca dann das dem den der die es etwa gegen genau im jetzt punkt uhr um
    und von zu zum zur
"""
FILLERS = frozenset(_FILLERS.split())
REPEATS = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|hourly|jede[nrs]?|taeglich|woechentlich|monatlich|stuendlich"
    r"|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs)\b"
)
GONE = re.compile(
    r"\b(?:ago|yesterday|gestern|vorgestern|last|letzte[nrs]?|vergangene[nrs]?)\b|\bvor \d+ [a-z]{3}"
)


def _names(words: Iterable[str]) -> str:
    """Alternatives of a pattern, the longest first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def holiday(name: str, year: int) -> date:
    """The day of a holiday of HOLIDAYS in `year`."""
    found = HOLIDAYS[name]
    return date(year, *found) if found else easter(year)


def next_holiday(name: str, today: date) -> date:
    """The first such day after `today`."""
    return next(day for year in (today.year, today.year + 1) if (day := holiday(name, year)) > today)


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (Meeus, Astronomical Algorithms, chapter 8)."""
    golden, century = year % 19, year // 100
    age = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    full_moon = age - (age == 29 or (age == 28 and golden > 10))  # days after 21 March
    weekday = (year + year // 4 + full_moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(days=full_moon - weekday)


# -- numbers in words -------------------------------------------------------------------------

_EN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_DE = (
    *("null", "eins", "zwei", "drei", "vier", "fuenf", "sechs", "sieben", "acht", "neun", "zehn", "elf"),
    *("zwoelf", "dreizehn", "vierzehn", "fuenfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"),
)
_EN_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_DE_TENS = {"zwanzig": 20, "dreissig": 30, "vierzig": 40, "fuenfzig": 50, "sechzig": 60, "neunzig": 90}


def _numbers() -> dict[str, str]:
    found = {word: number for words in (_EN, _DE) for number, word in enumerate(words)}
    found |= _EN_TENS | _DE_TENS
    for ten, tens in _EN_TENS.items():
        found |= {f"{ten}{gap}{_EN[unit]}": tens + unit for unit in range(1, 10) for gap in (" ", "-")}
    for ten, tens in _DE_TENS.items():
        units = ["", "ein", *_DE[2:10]]
        found |= {f"{units[unit]}und{ten}": tens + unit for unit in range(1, 10)}
    return {word: str(number) for word, number in found.items()}


NUMBERS = _numbers()
NUMBER = re.compile(rf"\b(?:{_names(NUMBERS)})\b")
WEEKDAY_PATTERN = _names(WEEKDAY)
MONTH_PATTERN = _names(MONTH)
UNIT_PATTERN = _names(UNIT)
PART_PATTERN = _names(PART)
HOLIDAY_PATTERN = _names(HOLIDAYS)

_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "’": None, "'": None, ",": " ", ";": " "}
)
_ONE = re.compile(
    rf"\b(?:an?|eine?[nmr]?|one)\s+(?=(?:half|halbe[nr]?|quarter|viertel\w*|dreiviertel\w*|{UNIT_PATTERN})\b)"
)
# Fractions as people say them, rewritten one after another to plain numbers of a unit.
_FRACTIONS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b3 quarters of 1 hour\b|\b(?:1 )?dreiviertel ?stunden?\b", "45 minutes"),
        (r"\b(?:1 )?quarter (?:of )?(?:1 )?hour\b|\b(?:1 )?viertel ?stunde\b", "15 minutes"),
        (r"\b(\d+) (hour|day|week|month)s? and (?:a|1) half\b", r"\1.5 \2"),
        (r"\b(\d+) and (?:a|1) half\b", r"\1.5"),
        (r"\b(?:1 )?half (?:1 )?(hour|day|minute)\b", r"0.5 \1"),
        (r"\b(?:1 )?halbe[nrs]? (stunde|minute|tag)\b", r"0.5 \1"),
        (r"\b(?:anderthalb|eineinhalb)\b", "1.5"),
        (r"\bzweieinhalb\b", "2.5"),
        (r"\bdreieinhalb\b", "3.5"),
        (r"\b(?:a )?couple of\b", "2"),
        (r"\bfirst (?=of )", "1st "),
        (r"\bersten\b", "1."),
        (r"\b(?:a )?fortnight\b", "2 weeks"),
        (r"(?<![\d.:/-])(\d+),(?=\d)", r"\1."),
    )
)
# "am" is English for the morning, German for "on".
_ON = re.compile(r"\bam (?=(?:mon|diens|donners|frei|sams|sonn)(?:tag|abend)|mittwoch|wochenende|\d{1,2}\.)")
_COMPOUND = re.compile(rf"\b({WEEKDAY_PATTERN})(morgen|vormittag|mittag|nachmittag|abend|nacht|frueh)\b")


def plain(text: str) -> str:
    """`text` as the patterns want it: small letters, numbers as digits, fractions of an hour in minutes."""
    decimals = re.sub(r"(\d),(\d)", r"\1.\2", text.casefold())
    written = decimals.translate(_LETTERS).replace("a.m.", "am").replace("p.m.", "pm")
    written = " ".join(written.split()).rstrip("!?")
    written = _ON.sub("den ", written)
    written = NUMBER.sub(lambda match: NUMBERS[match[0]], _ONE.sub("1 ", written))
    for pattern, replacement in _FRACTIONS:
        written = pattern.sub(replacement, written)
    return _COMPOUND.sub(r"\1 \2", written)
