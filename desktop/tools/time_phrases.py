"""The words of a time in English and German, and a phrase of them taken apart: day, hour, span, what is left.

The tables are written as `plain` leaves a text: case folded, umlauts as two letters, no apostrophes. Each
pattern takes its words away, so that the order of the words does not matter and nothing is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from desktop.reasons import Reason
from desktop.tools.reasons import ToolReason

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

# Names, then what they stand for: weekdays from Monday as 0, months from January as 1.
WEEKDAY_NAMES = (
    ("monday", "mon", "montag"),
    ("tuesday", "tue", "tues", "dienstag"),
    ("wednesday", "wed", "weds", "mittwoch"),
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
    "arvo": ("afternoon", 15),
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

# What people type for the days and months, beside what slips from their fingers (`slips_of`).
SHORT_FORMS = dict.fromkeys(("tmrw", "tmr", "tmw", "tomoz", "2moro"), "tomorrow")
SHORTEST_SLIP = 6  # letters of a name that is known with a slip in it
SHORTEST_LEFT_OUT = 7  # of one that is known without a letter: "mares" is no "martes"


def slips_of(names: Iterable[str]) -> Mapping[str, str]:
    """What `names`, in small letters, become where two letters change places or one is left out, never the
    first or the last, each with its letters once where they are doubled."""
    found: dict[str, str] = {}
    for name in (each for each in names if len(each) >= SHORTEST_SLIP):
        once, last = _once(name), len(_once(name)) - 1
        swapped = [f"{once[:at]}{once[at + 1]}{once[at]}{once[at + 2 :]}" for at in range(1, last)]
        without = [f"{once[:at]}{once[at + 1 :]}" for at in range(1, last)]
        slips = [once, *swapped, *(without if len(name) >= SHORTEST_LEFT_OUT else ())]
        found = {_once(each): name for each in slips} | found
    return found


def corrected(text: str, slips: Mapping[str, str]) -> str:
    """`text` with the names for their `slips`: "tommorow", "Donerstag"."""
    return re.sub(r"[a-z]{5,}", lambda found: slips.get(_once(found[0]), found[0]), text)


def _once(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


_FILLERS = """
    a an and around about at by circa coming exactly for in it now o oclock of on please sharp the then this
    to ab am bitte ca dann das dem den der die es etwa gegen genau im jetzt punkt uhr um und von zu zum zur
"""
FILLERS = frozenset(_FILLERS.split())
REPEATS = re.compile(
    r"\b(?:every|each|everyday|daily|weekly|monthly|yearly|annually|hourly|twice a day|jede[nrsm]?|taeglich"
    r"|werktaeglich|woechentlich|monatlich|jaehrlich|stuendlich|weekdays|weekends|workdays|werktags"
    r"|wochentags|arbeitstags|alle \d+ (?:tag|woch|monat|jahr|stund|minut)\w*|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)days|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|sonnabends|an wochenenden|monday "
    r"(?:to|through) friday|montag bis freitag)\b"
)
GONE = re.compile(
    r"\b(?:ago|yesterday|gestern|vorgestern|last|letzte[nrs]?|vergangene[nrs]?)\b"
    # "Zwanzig vor drei morgen" is to come.
    r"|\bvor \d+(?:\.\d+)? (?:se[ck]|min|stunde|std|tag|woche|monat|jahr)"
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
_SLIPS = slips_of((*WEEKDAY, *MONTH, "tomorrow", "uebermorgen"))
_SHORT_FORM = re.compile(rf"\b(?:{_names(SHORT_FORMS)})\b")
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
        (r"\b3 quarters of 1 hour\b|\b(?:(?:1 )?drei|3 )viertel ?stunden?\b", "45 minutes"),
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
        (r"(?<=\d)ish\b", ""),
        # Alone it is a name.
        (r"(?<=day )eve\b", "evening"),
        (r"\bheut\b", "heute"),
    )
)
# "am" is English for the morning, German for "on".
_ON = re.compile(r"\bam (?=(?:mon|diens|donners|frei|sams|sonn)(?:tag|abend)|mittwoch|wochenende|\d{1,2}\.)")
_DAY_BEFORE_HOUR = re.compile(rf"\b({WEEKDAY_PATTERN}),? (\d{{1,2}})\.?(?=,? (?:at|um) \d)")
_COMPOUND = re.compile(rf"\b({WEEKDAY_PATTERN})(morgen|vormittag|mittag|nachmittag|abend|nacht|frueh)\b")


def plain(text: str) -> str:
    """`text` as the patterns want it: small letters, numbers as digits, fractions of an hour in minutes."""
    decimals = re.sub(r"(\d),(\d)", r"\1.\2", text.casefold())
    written = decimals.translate(_LETTERS).replace("a.m.", "am").replace("p.m.", "pm")
    written = corrected(" ".join(written.split()).rstrip("!?"), _SLIPS)
    written = _SHORT_FORM.sub(lambda match: SHORT_FORMS[match[0]], written)
    written = _ON.sub("den ", written)
    written = NUMBER.sub(lambda match: NUMBERS[match[0]], _ONE.sub("1 ", written))
    for pattern, replacement in _FRACTIONS:
        written = pattern.sub(replacement, written)
    return _COMPOUND.sub(r"\1 \2", written)


# A German "am" before a part of the day is no morning.
_NO_ON = r"(?!\s+(?:\d|abend|mittag|morgen|nach|vor))"
AM_PM = rf"(?:\s*(?P<half>am|pm)\b{_NO_ON})?"
# "9 to 5" is no time: minutes are counted by fives, or named.
MINUTES = r"(?:(?:5|10|15|20|25) |\d{1,2} minute[ns]? )"
HOUR_MARK = r"(?:\s*(?P<mark>uhr|oclock)\b)?"
_SPAN = re.compile(rf"(\d+(?:\.\d+)?)\s*({UNIT_PATTERN})\b\.?")


@dataclass(frozen=True)
class ClockTime:
    """An hour as it was said. `is_exact`: of 24; else morning and afternoon are both possible."""

    hour: int
    minute: int
    is_exact: bool
    is_german: bool = False  # "um 5 Uhr" counts to 24 where a day is named


class Phrase:
    """`read` fills in what the text says. `doubt` is what is wrong with it, if anything."""

    def __init__(self, text: str) -> None:
        self._rest = plain(text)
        self.repeats = bool(REPEATS.search(self._rest))
        self.is_gone = bool(GONE.search(self._rest))
        self.doubt: Reason | None = None
        self.seconds: float | None = None
        self.days: int | None = None
        self.months = 0
        self.weekday: int | None = None
        self.must_be: int | None = None  # the weekday that is named beside a date
        self.week = ""  # which one: "", "this", "next", or "week" for that of next week
        self.date: tuple[int | None, int | None, int] | None = None
        self.named = ""  # a period, and
        self.holiday = ""
        self.clock: ClockTime | None = None
        self.part = ""
        self.part_hour = 0
        self.is_span = False

    @property
    def left(self) -> str:
        """The words that nobody took."""
        return " ".join(
            word for word in re.sub(r"[^\w.:/-]+", " ", self._rest).split() if word not in FILLERS
        )

    @property
    def is_empty(self) -> bool:
        return all(each is None for each in (self.seconds, self.clock)) and not self.part and not self.has_day

    @property
    def has_day(self) -> bool:
        return (
            self.days is not None
            or self.weekday is not None
            or self.date is not None
            or bool(self.named or self.holiday)
        )

    def take_weekday(self) -> int | None:
        """The weekday that was named, for whoever knows what it means; it is named no more."""
        weekday, self.weekday = self.weekday, None
        return weekday

    def take_date(self) -> tuple[int | None, int | None, int] | None:
        """The same with a date: year, month and day, of which the first two may be open."""
        named, self.date = self.date, None
        return named

    def read(self) -> None:
        for step in (
            self._iso,
            self._spoken_clock,
            self._span,
            self._dates,
            self._holiday,
            self._near_days,
            self._weekdays,
            self._periods,
            self._clock_time,
            self._part_of_day,
            self._bare_hour,
        ):
            step()
        # Only now: what contradicts each other is known when all has been read.
        self._check()

    # -- taking words away --------------------------------------------------------------------

    def _take(self, pattern: str) -> re.Match[str] | None:
        found = re.search(pattern, self._rest)
        if found is not None:
            self._rest = f"{self._rest[: found.start()]} {self._rest[found.end() :]}"
        return found

    def _doubt(self, why: Reason) -> None:
        self.doubt = self.doubt or why

    def _set_day(self, fill: Callable[[], None]) -> None:
        if self.has_day:
            self._doubt(ToolReason.TIME_TWO_DAYS.of())
        fill()

    def _set_clock(self, hour: int, minute: int, exact: bool, german: bool = False) -> None:
        if self.clock is not None:
            self._doubt(ToolReason.TIME_TWO_TIMES.of())
        if hour > 24 or minute > 59 or (hour == 24 and minute):
            self._doubt(ToolReason.TIME_NO_SUCH_TIME.of(text=f"{hour}:{minute:02}"))
            return
        self.clock = ClockTime(hour, minute, exact or hour > 12 or hour == 0, german)

    def _set_date(self, year: int | None, month: int | None, day: int) -> None:
        def fill() -> None:
            self.date = (year, month, day)

        if not _exists(year, month, day):
            self._doubt(ToolReason.TIME_NO_SUCH_DAY.of())
        self._set_day(fill)

    # -- dates --------------------------------------------------------------------------------

    def _iso(self) -> None:
        found = self._take(
            r"\b(\d{4})-(\d{2})-(\d{2})(?:t|\s+)(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?P<zone>z|[+-]\d{2}:?\d{2})?(?!\d)"
        )
        if found is None:
            return
        if found["zone"]:
            self._doubt(ToolReason.TIME_ZONE.of())
        self._set_date(int(found[1]), int(found[2]), int(found[3]))
        self._set_clock(int(found[4]), int(found[5]), exact=True)

    def _dates(self) -> None:
        # "Friday 11 at 6 pm": before an hour the number is a day's.
        self._rest = _DAY_BEFORE_HOUR.sub(r"\1 the \2th", self._rest)
        if found := self._take(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b"):
            self._set_date(int(found[1]), int(found[2]), int(found[3]))
        if found := self._take(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?(?![\d:])"):
            self._set_date(_year(found[3]), int(found[2]), int(found[1]))
        if found := self._take(r"\b(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?\b"):
            self._slashed(int(found[1]), int(found[2]), _year(found[3]))
        year = r"(?:\s+(?P<year>\d{4})\b)?(?!:)"
        if found := self._take(rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?({MONTH_PATTERN})\b\.?{year}"):
            self._set_date(_year(found["year"]), MONTH[found[2]], int(found[1]))
        elif found := self._take(
            rf"\b({MONTH_PATTERN})\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){year}"
        ):
            self._set_date(_year(found["year"]), MONTH[found[1]], int(found[2]))
        elif found := self._take(
            r"\b(?:the|on)\s+(\d{1,2})(?:st|nd|rd|th)\b|\b(?:den|zum|der)\s+(\d{1,2})\.(?!\d)"
        ):
            self._set_date(None, None, int(found[1] or found[2]))

    def _slashed(self, first: int, second: int, year: int | None) -> None:
        if first <= 12 and second <= 12 and first != second:
            self._doubt(ToolReason.TIME_AMBIGUOUS_DATE.of(text=f"{first}/{second}"))
        day, month = (first, second) if second <= 12 else (second, first)
        self._set_date(year, month, day)

    def _holiday(self) -> None:
        found = self._take(rf"\b({HOLIDAY_PATTERN})\b")
        if found is not None:
            self._set_day(lambda: setattr(self, "holiday", found[1]))

    def _near_days(self) -> None:
        for pattern, days, part in (
            (r"\b(?:the )?day after tomorrow\b|\buebermorgen\b", 2, ""),
            (r"\b(?:tonight|heute abend|this evening)\b", 0, "evening"),
            (r"\bheute nacht\b", 0, "nacht"),
            (r"\b(?:heute|diesen) (?:morgen|frueh)\b|\bthis morning\b", 0, "morning"),
            (r"\bthis afternoon\b", 0, "afternoon"),
            (r"\bmorgen frueh\b", 1, "frueh"),
            (r"\btomorrow\b|(?<!am )\bmorgen\b", 1, ""),
            (r"\b(?:today|heute)\b", 0, ""),
        ):
            if "morgen" in pattern and re.search(rf"\b(?:{WEEKDAY_PATTERN}) morgen\b", self._rest):
                continue
            if self._take(pattern) is not None:
                self._set_day(lambda days=days: setattr(self, "days", days))  # type: ignore[misc]
                if part:
                    self._set_part(part)

    def _weekdays(self) -> None:
        which = r"(?:(?P<which>this|coming|next|diesen?|kommenden?|naechste[nr]?)\s+)?"
        week = r"(?:\s+(?P<week>next week|naechste woche|naechster woche))?"
        before = r"(?:(?P<before>next week|naechste woche)\s+(?:on\s+|am\s+)?)?"
        found = self._take(rf"{before}\b{which}\b(?P<day>{WEEKDAY_PATTERN})\b\.?{week}")
        if found is None:
            return
        self.week = "week" if found["week"] or found["before"] else _which(found["which"] or "")
        if self.has_day and not self.week and not self.is_span:
            self.must_be = WEEKDAY[found["day"]]
        else:
            self._set_day(lambda: setattr(self, "weekday", WEEKDAY[found["day"]]))
        if re.search(r"\bmorgen\b", self._rest):
            self._take(r"\bmorgen\b")
            self._set_part("morning")

    def _periods(self) -> None:
        for pattern, name in (
            (r"\b(?:next|naechstes|kommendes) (?:weekend|wochenende)\b", "next weekend"),
            (r"\b(?:this |dieses )?(?:weekend|wochenende)\b", "weekend"),
            (r"\b(?:next|naechste|naechster|kommende|kommender) (?:week|woche)\b", "next week"),
            (r"\b(?:end of (?:the |this )?month|ende (?:des|dieses) monats|monatsende)\b", "end of month"),
            (r"\b(?:next month|naechsten monat|kommenden monat)\b", "next month"),
            (r"\b(?:next year|naechstes jahr)\b", "next year"),
        ):
            if self._take(pattern) is not None:
                self._set_day(lambda name=name: setattr(self, "named", name))  # type: ignore[misc]

    # -- spans --------------------------------------------------------------------------------

    def _span(self) -> None:
        short = self._take(r"\bin\s+(\d{1,2})h(\d{2})\b")
        if short is not None:
            self._set_span([(float(short[1]), "hour"), (float(short[2]), "minute")])
            return
        if re.search(r"\b\d{1,2}h\b", self._rest) and not re.search(
            r"\b(?:in|within|nach|now)\b", self._rest
        ):
            return  # hours from now, or the hour of the day
        parts = [(float(found[1]), UNIT[found[2]]) for found in _SPAN.finditer(self._rest)]
        if not parts or re.search(r"\b(?:at|um) \d+ ?h\b", self._rest):
            return
        self._rest = re.sub(r"\b(?:in|within|after|nach|from now|later|ab jetzt|und|and)\b", " ", self._rest)
        self._rest = _SPAN.sub(" ", self._rest)
        self._set_span(parts)

    def _set_span(self, parts: list[tuple[float, str]]) -> None:
        if all(unit in SECONDS for _, unit in parts):
            self.seconds = sum(count * SECONDS[unit] for count, unit in parts)
            if self.seconds <= 0:
                self._doubt(ToolReason.TIME_NONE_AT_ALL.of())
            return
        if parts == [(0.5, "day")]:
            self.seconds = 12 * 3600.0
            return
        if any(unit in SECONDS or count != int(count) for count, unit in parts):
            self._doubt(ToolReason.TIME_DAYS_AND_HOURS.of())
        days = {"day": 1, "week": 7}
        months = {"month": 1, "year": 12}

        def fill() -> None:
            self.days = sum(int(count) * days.get(unit, 0) for count, unit in parts)
            self.months = sum(int(count) * months.get(unit, 0) for count, unit in parts)

        self._set_day(fill)
        self.is_span = True

    # -- the hour -----------------------------------------------------------------------------

    def _spoken_clock(self) -> None:
        """`half past 3`, `viertel vor 5`, `10 to 5`: the hour last, the minutes as words before it."""
        end = r"(?P<hour>\d{1,2})\b" + HOUR_MARK + AM_PM
        for pattern, minutes in (
            (r"\bhalf (?:past )?", 30),
            (r"\b(?:[a1] )?quarter (?:past|after) ", 15),
            (r"\b(?:[a1] )?quarter (?:to|before|till|of) ", -15),
            (r"\b(?:5|fuenf) vor halb ", -35),
            (r"\b(?:5|fuenf) nach halb ", -25),
            (r"\bhalb ", -30),
            (r"\bviertel nach ", 15),
            (r"\bviertel vor ", -15),
            (r"\b(?:drei|3 )viertel ", -15),
            (r"\bviertel ", -45),
            (rf"\b(?P<after>{MINUTES})(?:past|nach) ", 0),
            (rf"\b(?P<to>{MINUTES})(?:to|vor) ", 0),
        ):
            found = self._take(pattern + end)
            if found is not None:
                groups = found.groupdict()
                spoken = minutes + _digits(groups.get("after")) - _digits(groups.get("to"))
                self._set_spoken(int(found["hour"]), spoken, found["half"])
                return

    def _set_spoken(self, hour: int, minutes: int, half: str | None) -> None:
        hour, exact = _with_half(hour, half)
        if not 0 < hour <= 24:
            self._doubt(ToolReason.TIME_NO_SUCH_HOUR.of(hour=hour))
            return
        total = (hour * 60 + minutes) % (24 * 60)
        if not exact and hour <= 12 and total < 60:  # "10 to 1" is 12:50, half a day from 0:50
            total += 12 * 60
        self._set_clock(total // 60, total % 60, exact)

    def _clock_time(self) -> None:
        if self._take(r"\b(?:noon|midday|high noon)\b|\bmittags? um 12\b"):
            self._set_clock(12, 0, exact=True)
        if self._take(r"\b(?:midnight|mitternacht)\b"):
            self._midnight()
        while found := self._take(
            r"\b(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::\d{2})?(?![\d.])" + HOUR_MARK + AM_PM
        ):
            self._set_found(found, int(found["minute"]))
        while found := self._take(
            r"\b(?P<hour>\d{1,2})\s*(?P<mark>uhr|oclock)\b(?:\s+(?P<minute>\d{1,2})\b)?" + AM_PM
        ):
            self._set_found(found, int(found["minute"] or 0))
        while found := self._take(rf"\b(?P<hour>\d{{1,2}})(?: (?P<minute>[0-5]\d))?{AM_PM.rstrip('?')}"):
            self._set_found(found, int(found["minute"] or 0))
        if found := self._take(r"\b(?:at|um) (?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)\b"):
            self._set_clock(int(found["hour"]), int(found["minute"]), exact=True)
        if self.clock is None and (
            found := self._take(rf"\b(?P<hour>\d{{1,2}}) (?P<minute>[0-5]\d)\b{AM_PM}")
        ):
            self._set_found(found, int(found["minute"]))

    def _midnight(self) -> None:
        if self.has_day and self.days != 0:
            self._doubt(ToolReason.TIME_MIDNIGHT.of())
        self.days = None
        self.part = ""
        self._set_clock(0, 0, exact=True)

    def _set_found(self, found: re.Match[str], minute: int) -> None:
        hour, exact = _with_half(int(found["hour"]), found["half"])
        if hour < 0:
            self._doubt(ToolReason.TIME_NO_SUCH_TIME.of(text=found[0].strip()))
            return
        groups = found.groupdict()
        leading = found["hour"].startswith("0") and len(found["hour"]) == 2
        self._set_clock(hour, minute, exact or leading, german=groups.get("mark") == "uhr")

    def _part_of_day(self) -> None:
        while found := self._take(
            rf"\b(?:(?:in )?(?:the|this|der|am|this) )?(?P<part>{PART_PATTERN}|(?<=am )morgen)\b"
        ):
            self._set_part("morning" if found["part"] == "morgen" else found["part"])

    def _set_part(self, name: str) -> None:
        part, hour = PART[name]
        if self.part == "early" and part == "morning":
            return
        if self.part and part != self.part:
            self._doubt(ToolReason.TIME_TWO_PARTS.of())
        self.part, self.part_hour = part, hour

    def _bare_hour(self) -> None:
        """`at 5`, `tomorrow 9`: a number that nothing else claims."""
        found = self._take(r"(?:\b(?:at|um|gegen|by|around|about|ab)|@)\s*(\d{1,2})\b(?![.:/-]\d)")
        if found is None and re.fullmatch(r"\d{1,2}", self.left) and self.clock is None:
            found = self._take(r"\b(\d{1,2})\b\.?")
        # "Weds 930", and no "friday 500".
        whole = re.fullmatch(r"(\d{1,2})(15|30|45)", self.left) if self.has_day else None
        if whole is not None and self.clock is None:
            self._take(rf"\b{whole[0]}\b")
            self._set_clock(int(whole[1]), int(whole[2]), exact=len(whole[0]) == 4)
        if found is not None:
            self._set_clock(int(found[1]), 0, exact=found[1].startswith("0") and len(found[1]) == 2)

    def _check(self) -> None:
        if self.seconds is not None and (self.clock is not None or self.has_day or self.part):
            self._doubt(ToolReason.TIME_SPAN_AND_TIME.of())
        if self.clock is not None and self.clock.is_exact and self.part and not _fits(self.clock, self.part):
            self._doubt(ToolReason.TIME_NOT_IN_PART.of(text=f"{self.clock.hour}:{self.clock.minute:02}"))


def clock_of(text: str) -> ClockTime | None:
    """The time of day that is all that `text` says: "at a quarter past nine"; None where it says another."""
    phrase = Phrase(text)
    phrase.read()
    is_more = phrase.has_day or phrase.part or phrase.left or phrase.seconds is not None
    is_unclear = phrase.doubt is not None or phrase.repeats or phrase.is_gone
    return None if is_more or is_unclear else phrase.clock


MOST_CLOCK_WORDS = 6


def clock_in(text: str) -> tuple[str, ClockTime] | None:
    """The words within `text` that are a time of day, without what joins them, and that time: "half past two"
    of "tomorrow at half past two"."""
    whole = Phrase(text)
    whole.read()
    if whole.clock is None:
        return None  # "in twenty minutes" has no 20:00
    words = text.split()
    for size in range(min(MOST_CLOCK_WORDS, len(words)), 0, -1):
        for at in range(len(words) - size + 1):
            said = " ".join(words[at : at + size])
            is_joined = {plain(words[at]), plain(words[at + size - 1])} & FILLERS
            clock = None if is_joined else clock_of(said)
            if clock is not None and (clock.hour, clock.minute) == (whole.clock.hour, whole.clock.minute):
                return said, clock
    return None


def _digits(text: str | None) -> int:
    return int(text.split()[0]) if text else 0


def _fits(clock: ClockTime, part: str) -> bool:
    ranges = {
        "early": range(12),
        "morning": range(13),
        "noon": range(10, 16),
        "afternoon": range(12, 20),
        "evening": range(16, 25),
        "night": (*range(18, 25), *range(7)),
    }
    return clock.hour in ranges[part]


def _with_half(hour: int, half: str | None) -> tuple[int, bool]:
    """The hour of 24, and whether it is certain; -1 where am or pm cannot be."""
    if half is None:
        return hour, False
    if not 1 <= hour <= 12:
        return (hour, True) if half == "pm" and 12 < hour < 24 else (-1, True)
    return hour % 12 + (12 if half == "pm" else 0), True


def _year(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if len(text) == 4 else 2000 + int(text)


def _exists(year: int | None, month: int | None, day: int) -> bool:
    try:
        date(year or 2028, month or 1, day)  # a leap year, and a month of 31 days
    except ValueError:
        return False
    return True


def _which(word: str) -> str:
    if word in ("next", "naechsten", "naechste", "naechster"):
        return "next"
    return "this" if word in ("this", "diesen", "diese") else ""
