"""When: "in 20 minutes", "next Friday 14:30", "morgen um 9" become one moment, or a sentence on why not.

A grammar of English and German phrases of our own comes first, because a moment that is guessed is worse
than none: words that nobody understood are never passed over. Only dates in other languages are read by a
library, and only where every number of the phrase is found in what it says.

Hours and minutes pass on the clock of physics, days on that of the wall: "in 24 hours" and "in 1 day" differ
when clocks are changed.
"""

from __future__ import annotations

import re
import sys
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo

from desktop.errors import UserFacing
from desktop.reasons import Reason
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence import Recurrence, on_wall
from desktop.tools.time_phrases import MONTHS, WEEKDAYS, ClockTime, Phrase, next_holiday

LONGEST = 120  # characters of a phrase
FURTHEST_YEARS = 10
USUAL_HOUR = 9  # of a day that is named without an hour
DISTANCE = re.compile(r"\s*\(in [^()]*\)\s*$")  # behind a time that was said back


@dataclass(frozen=True)
class Moment:
    """`at` is aware; `note` says what was assumed, "" where nothing was. `repeats` None: it comes once."""

    at: datetime
    note: str = ""
    repeats: Recurrence | None = None


class LocalZone(tzinfo):
    """The zone of this computer with its changes of the clock, as the system knows them."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return None if at is None else at.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, _at: datetime | None) -> timedelta | None:
        return None

    def tzname(self, at: datetime | None) -> str | None:
        return None if at is None else at.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, at: datetime) -> datetime:
        local = at.replace(tzinfo=UTC).astimezone()
        return local.replace(tzinfo=self)


def local_now() -> datetime:
    return datetime.now(LocalZone())


def follow_zone() -> None:
    """Take the zone that the system has now, also where it was changed since this process began."""
    if sys.platform != "win32":  # which asks the system each time
        from time import tzset

        tzset()


def read_time(text: str, now: datetime, thorough: bool = True) -> Moment:
    """The moment that `text` names, later than `now`, which is aware and in the zone that is meant.

    Raises UserFacing `time-unclear`, `time-past` or `time-repeats`, whose cause can be told to the user.
    `thorough`: also ask the library, which takes a second to load.
    """
    phrase = Phrase(DISTANCE.sub("", text[: LONGEST + 1]))
    if len(text) > LONGEST or not text.strip():
        flaw = ToolReason.TIME_IS_TOO_LONG if text.strip() else ToolReason.TIME_IS_EMPTY
        raise unclear(text, flaw.of())
    # "Every Monday" is no one moment; `recurrence_phrases.read_when` reads both.
    if phrase.repeats:
        raise UserFacing(ToolReason.TIME_REPEATS.of(time=text.strip()))
    if phrase.is_gone:
        raise UserFacing(ToolReason.TIME_PAST.of(time=text.strip()))
    phrase.read()
    if phrase.doubt:
        raise unclear(text, phrase.doubt)
    if phrase.left or phrase.is_empty:
        # Only where our own grammar left something over: what it understands is certain.
        found = _by_library(text, now) if thorough else None
        if found is None:
            left = ToolReason.TIME_WORDS_LEFT.of(words=phrase.left) if phrase.left else None
            raise unclear(text, left)
        return found
    return _Resolved(phrase, now, text).moment()


def said(at: datetime, now: datetime) -> str:
    """The time in full: `Friday 27 November 2026, 14:30 (in 7 days)`."""
    return f"{full_date(at)}, {at:%H:%M} ({distance(at, now)})"


def full_date(day: date) -> str:
    """`Friday 27 November 2026`."""
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def distance(at: datetime, now: datetime) -> str:
    """`in 20 minutes`, `in 3 hours`, `in 7 days`; for what is over, `5 minutes ago`."""
    seconds = (at - now).total_seconds()
    days = abs((at.date() - now.astimezone(at.tzinfo).date()).days)
    minutes = round(abs(seconds) / 60)
    if minutes < 1:
        return "now" if abs(seconds) < 1 else _counted(round(abs(seconds)), "second", seconds)
    if minutes < 60:
        return _counted(minutes, "minute", seconds)
    if minutes < 24 * 60 or not days:
        hours, rest = divmod(minutes, 60)
        whole = _counted(hours, "hour", seconds)
        return whole if not rest or seconds < 0 else f"{whole} {rest} minute{'s' * (rest > 1)}"
    return _counted(days, "day", seconds)


def _counted(count: int, unit: str, seconds: float) -> str:
    words = f"{count} {unit}{'s' * (count != 1)}"
    return f"in {words}" if seconds >= 0 else f"{words} ago"


def unclear(text: str, flaw: Reason | None = None) -> UserFacing:
    """`flaw` is a sentence on what is wrong with it, where that can be told."""
    time = text.strip()[:LONGEST]
    if flaw is None:
        return UserFacing(ToolReason.TIME_UNCLEAR.of(time=time))
    return UserFacing(ToolReason.TIME_UNCLEAR_BECAUSE.of(time=time, flaw=flaw))


@dataclass
class _Resolved:
    """One phrase against one moment."""

    phrase: Phrase
    now: datetime
    text: str
    note: str = ""

    def moment(self) -> Moment:
        if self.phrase.seconds is not None:
            # Through UTC, where no hour is missing and none comes twice.
            try:
                at = self.now.astimezone(UTC) + timedelta(seconds=self.phrase.seconds)
                return self._checked(at)
            except OverflowError as error:  # more seconds than a calendar has
                raise unclear(self.text, ToolReason.TIME_TOO_FAR.of()) from error
        day = self._day()
        at = self._on(day) if day is not None else self._next()
        return self._checked(self._real(at))

    def _checked(self, at: datetime) -> Moment:
        local = at.astimezone(self.now.tzinfo)
        if local <= self.now:
            raise UserFacing(ToolReason.TIME_OVER.of(time=said(local, self.now)))
        # So far away it was a slip of a digit more often than a plan.
        if local.year > self.now.year + FURTHEST_YEARS:
            raise unclear(self.text, ToolReason.TIME_YEARS_AWAY.of(years=FURTHEST_YEARS))
        return Moment(local, self.note)

    def _real(self, at: datetime) -> datetime:
        """`at`, which has no zone, in the zone; says so where clocks are changed just then."""
        # In the first and the last year another zone may be beyond the calendar.
        if not MINYEAR < at.year < MAXYEAR:
            raise unclear(self.text, ToolReason.TIME_TOO_FAR.of())
        there = at.replace(tzinfo=self.now.tzinfo)
        real = on_wall(at, self.now.tzinfo)
        if real.replace(tzinfo=None) != at:
            self._say(f"{at:%H:%M} does not exist on that day, because clocks go forward")
        elif there.utcoffset() != there.replace(fold=1).utcoffset():
            self._say(f"{at:%H:%M} comes twice on that day, because clocks go back; the first is meant")
        return real

    def _say(self, note: str) -> None:
        self.note = f"{self.note}; {note}" if self.note else note

    # -- the day ------------------------------------------------------------------------------

    @property
    def _today(self) -> date:
        return self.now.date()

    def _day(self) -> date | None:
        day = self._day_named()
        must_be = self.phrase.must_be
        # "Friday the 12th" where the 12th is a Thursday: one of the two is wrong, and nobody knows which.
        if day is not None and must_be is not None and day.weekday() != must_be:
            there = f"{day.day} {MONTHS[day.month - 1]} {day.year}"
            raise unclear(
                self.text, ToolReason.TIME_OTHER_WEEKDAY.of(day=there, weekday=WEEKDAYS[day.weekday()])
            )
        return day

    def _day_named(self) -> date | None:
        phrase = self.phrase
        if phrase.days is not None:
            return self._later(phrase.days, phrase.months)
        if phrase.weekday is not None:
            return self._weekday(phrase.weekday, phrase.week)
        if phrase.date is not None:
            return self._date(*phrase.date)
        if phrase.holiday:
            return next_holiday(phrase.holiday, self._today)
        return self._named(phrase.named) if phrase.named else None

    def _later(self, days: int, months: int) -> date:
        try:
            return _add_months(self._today, months) + timedelta(days=days)
        except (OverflowError, ValueError) as error:
            raise unclear(self.text, ToolReason.TIME_TOO_FAR.of()) from error

    def _weekday(self, weekday: int, week: str) -> date:
        ahead = (weekday - self._today.weekday()) % 7
        if week == "this":
            return self._today + timedelta(days=ahead)
        # Said on a Monday, "Monday" is the one in a week.
        coming = self._today + timedelta(days=ahead or 7)
        in_next_week = self._today + timedelta(days=7 - self._today.weekday() + weekday)
        if week == "week":
            return in_next_week
        # People differ on what "next Friday" is; what was taken is said with it.
        if week == "next" and coming != in_next_week:
            self._say(f"that of next week is meant, for the one before say this {WEEKDAYS[weekday]}")
            return in_next_week
        return coming

    def _date(self, year: int | None, month: int | None, day: int) -> date:
        """The next such day where no year, or only the day of the month, is given."""
        first = self._today.replace(day=1)
        # Eight years hold a 29th of February, also around 2100.
        for ahead in range(8 * 12 if year is None else 1):
            there = _add_months(first, ahead)
            if year is not None:
                there = date(year, month or 1, 1)
            if month is not None and there.month != month:
                continue
            if day <= monthrange(there.year, there.month)[1]:
                found = there.replace(day=day)
                if month is None and self.phrase.must_be not in (None, found.weekday()):
                    continue  # Friday the 13th
                if (
                    year is not None
                    or found > self._today
                    or (found == self._today and self._is_ahead(found))
                ):
                    return found
        raise unclear(self.text, ToolReason.TIME_NO_SUCH_DAY.of())

    def _is_ahead(self, day: date) -> bool:
        clock = self.phrase.clock
        return clock is not None and any(
            datetime(day.year, day.month, day.day, hour % 24, clock.minute) > self.now.replace(tzinfo=None)
            for hour in hours_of(clock, self.phrase.part)
        )

    def _named(self, name: str) -> date:
        today = self._today
        ends = today.replace(day=monthrange(today.year, today.month)[1])
        return {
            "weekend": today + timedelta(days=(5 - today.weekday()) % 7 or 7 * (today.weekday() == 5)),
            "next weekend": today + timedelta(days=12 - today.weekday()),
            "next week": today + timedelta(days=7 - today.weekday()),
            "next month": _add_months(today.replace(day=1), 1),
            "end of month": ends,
            "next year": date(today.year + 1, 1, 1),
        }[name]

    # -- the hour -----------------------------------------------------------------------------

    def _on(self, day: date) -> datetime:
        """The time on a day that was named."""
        clock, part = self.phrase.clock, self.phrase.part
        start = datetime(day.year, day.month, day.day)
        if clock is not None:
            return start + timedelta(hours=self._hour(clock, day), minutes=clock.minute)
        if part:
            return start + timedelta(hours=self.phrase.part_hour)
        if self.phrase.is_span:  # "in 3 days": at this time of the day
            return start + timedelta(hours=self.now.hour, minutes=self.now.minute)
        if day == self._today:
            raise unclear(self.text, ToolReason.TIME_NO_HOUR.of())
        self._say("no hour was named")
        return start + timedelta(hours=USUAL_HOUR)

    def _hour(self, clock: ClockTime, day: date) -> int:
        hours = hours_of(clock, self.phrase.part)
        if len(hours) == 1:
            return hours[0]
        if day == self._today:
            here = datetime(day.year, day.month, day.day)
            ahead = [h for h in hours if here + timedelta(hours=h, minutes=clock.minute) > self._wall]
            return ahead[0] if ahead else hours[-1]
        if clock.is_german:
            return clock.hour
        # An appointment at 3 is in the afternoon, one at 9 in the morning.
        chosen = hours[1] if clock.hour in range(1, 6) or clock.hour == 12 else hours[0]
        if clock.hour in range(1, 8):
            other = f"morning say {clock.hour} am" if chosen > 12 else f"evening say {clock.hour} pm"
            self._say(f"for the {other}")
        return chosen

    @property
    def _wall(self) -> datetime:
        return self.now.replace(tzinfo=None)

    def _next(self) -> datetime:
        """The next time that a clock shows this, whether morning or afternoon."""
        midnight = self._wall.replace(hour=0, minute=0, second=0, microsecond=0)
        clock = self.phrase.clock
        hours = hours_of(clock, self.phrase.part) if clock is not None else (self.phrase.part_hour,)
        minute = clock.minute if clock is not None else 0
        # Two days: after the last of today's hours the first of tomorrow's is next.
        times = [midnight + timedelta(days=day, hours=h, minutes=minute) for day in (0, 1) for h in hours]
        return min(time for time in times if time > self._wall)


def hours_of(clock: ClockTime, part: str) -> tuple[int, ...]:
    """Which hours of 24 a clock as it was said may mean; 24 and more belong to the day after."""
    hour = clock.hour
    if clock.is_exact:
        return (hour,)
    late = hour % 12 + 12
    choose: dict[str, Callable[[], tuple[int, ...]]] = {
        "": lambda: (hour % 12, late),
        "early": lambda: (hour % 12,),
        "morning": lambda: (hour if hour == 12 else hour % 12,),
        "noon": lambda: (hour if hour in (10, 11) else late,),
        "afternoon": lambda: (late,),
        "evening": lambda: (24,) if hour == 12 else (late,),
        "night": lambda: (late,) if 6 <= hour < 12 else (hour % 12 + 24,),
    }
    return choose[part]()


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


# -- other languages --------------------------------------------------------------------------

LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr"]


def _by_library(text: str, now: datetime) -> Moment | None:
    """What `dateparser` makes of it, unless it left a number out or filled the hour in by itself."""
    import dateparser

    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    # Read against two moments: what differs between the results was filled in and not said.
    bases = (wall, wall + timedelta(days=1, hours=1, minutes=17))
    settings = [{"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future"} for base in bases]
    first, second = (dateparser.parse(text, languages=LANGUAGES, settings=each) for each in settings)
    if first is None or second is None or first.tzinfo is not None or second.tzinfo is not None:
        return None
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if not re.search(r"[^\W\d_]{3}", text):
        return None  # digits alone can be read in too many ways
    # A number that is not found again was passed over, and with it perhaps the day.
    if not numbers or not set(numbers) <= _numbers_of(first, wall):
        return None
    note = ""
    copied = (first.hour, first.minute) == (wall.hour, wall.minute) and second - bases[1] == first - wall
    if (first.hour, first.minute) == (0, 0) and 0 not in numbers:
        first, note = first.replace(hour=USUAL_HOUR), "no hour was named"
    elif copied and not set(numbers) <= _spans(first, wall):
        return None
    return _library_moment(first, now, note)


def _library_moment(at: datetime, now: datetime, note: str) -> Moment | None:
    local = at.replace(tzinfo=now.tzinfo)
    if local <= now or at.year > now.year + FURTHEST_YEARS:
        return None
    return Moment(local, note)


def _numbers_of(at: datetime, base: datetime) -> set[int]:
    """The numbers that a phrase for `at` may hold."""
    return {at.year, at.day, at.hour, at.hour % 12 or 12, at.minute} | _spans(at, base)


def _spans(at: datetime, base: datetime) -> set[int]:
    """How many minutes, hours, days, weeks, months or years lie between them, where it is a whole number."""
    seconds = round((at - base).total_seconds())
    months = (at.year - base.year) * 12 + at.month - base.month
    whole = {seconds // size for size in (60, 3600, 86400, 7 * 86400) if seconds % size == 0}
    return whole | ({months, months // 12} if at.day == base.day else set())
