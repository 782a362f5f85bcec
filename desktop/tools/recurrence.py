"""A time that comes again: which days, and what the clock on the wall shows then.

What repeats belongs to the wall and not to the clock of physics: every day at 8 is at 8 before and after the
clocks are changed, and at 8 wherever the computer is taken. Where the clock skips that time, it comes as much
later as the clock was put forward; where it shows it twice, the first counts, and the second is no other.
"""

from __future__ import annotations

import json
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

from desktop.reasons import Reason
from desktop.tools.reasons import ToolReason

LAST = -1  # the last day of a month, or the last such weekday in it
WEEKDAYS_OF_WORK = (0, 1, 2, 3, 4)
WEEKEND = (5, 6)
# The 29th of February is eight years away around 2100, and no interval is longer than a year.
LOOKED_AHEAD_DAYS = 9 * 366
_EPOCH_MONDAY = date(1970, 1, 5)

_WEEKDAY_WORDS = (
    ToolReason.MONDAY,
    ToolReason.TUESDAY,
    ToolReason.WEDNESDAY,
    ToolReason.THURSDAY,
    ToolReason.FRIDAY,
    ToolReason.SATURDAY,
    ToolReason.SUNDAY,
)
_PLACE_WORDS = {
    1: ToolReason.FIRST,
    2: ToolReason.SECOND,
    3: ToolReason.THIRD,
    4: ToolReason.FOURTH,
    LAST: ToolReason.LAST,
}


class RecurrenceUnit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True)
class Recurrence:
    """Every `interval` units, counted from the one that `since` lies in, at `hour`:`minute` of the wall.

    A week has `weekdays`, Monday as 0. A month has a `day`, where the 31st is the last of a shorter month; or
    a `place` (1 to 4, LAST) of its one weekday. A year has `month` and `day`.
    """

    unit: RecurrenceUnit
    hour: int
    minute: int
    since: date
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    day: int = 0
    place: int = 0
    month: int = 0

    def falls_on(self, day: date) -> bool:
        if day < self.since:
            return False
        if self.unit is RecurrenceUnit.DAY:
            return (day - self.since).days % self.interval == 0
        if self.unit is RecurrenceUnit.WEEK:
            return day.weekday() in self.weekdays and (_week(day) - _week(self.since)) % self.interval == 0
        if self.unit is RecurrenceUnit.MONTH:
            return (_month(day) - _month(self.since)) % self.interval == 0 and self._is_day_of_month(day)
        return day.month == self.month and self._is_day_of_month(day)

    def _is_day_of_month(self, day: date) -> bool:
        length = monthrange(day.year, day.month)[1]
        if not self.place:
            return day.day == (length if self.day == LAST else min(self.day, length))
        if day.weekday() not in self.weekdays:
            return False
        return day.day + 7 > length if self.place == LAST else (day.day - 1) // 7 + 1 == self.place

    def next_after(self, moment: datetime) -> datetime:
        """The first time later than `moment`, in its zone."""
        return next(self._after(moment))

    def not_beyond(self, due: datetime, now: datetime) -> datetime:
        """`due`, unless more than one time before it is still to come: then the first of those. One is let
        be, since a clock that is put back by a minute must not bring the same time twice."""
        # Nearly always it is near, and no calendar has to be gone through.
        if due.timestamp() - now.timestamp() <= 2 * self._longest_days * 24 * 3600:
            return due
        soon = self.next_after(now)
        return soon if due.timestamp() > self.next_after(soon).timestamp() else due

    @property
    def _longest_days(self) -> int:
        """Between two times, but for the 29th of February."""
        days = {RecurrenceUnit.DAY: 1, RecurrenceUnit.WEEK: 7, RecurrenceUnit.MONTH: 31}
        return self.interval * days.get(self.unit, 366)

    def latest_until(self, first: datetime, moment: datetime) -> datetime:
        """The last time that is not later than `moment`, of those from `first` on, which is one of them."""
        latest = first
        for each in self._after(first):
            if each.timestamp() > moment.timestamp():
                return latest
            latest = each
        return latest

    def _after(self, moment: datetime) -> Iterator[datetime]:
        """Raises RuntimeError where there is none, which the parser lets nobody write."""
        # From the day before: a time that the clocks had skipped is told as one of the same day only.
        start = max(moment.date() - timedelta(days=1), self.since)
        looked_at = 0
        day = start
        while looked_at < LOOKED_AHEAD_DAYS:
            if self.falls_on(day):
                at = on_wall(datetime(day.year, day.month, day.day, self.hour, self.minute), moment.tzinfo)
                # In seconds: two times of one zone are else compared as the wall shows them.
                if at.timestamp() > moment.timestamp():
                    yield at
                    looked_at = 0
            looked_at += 1
            day += timedelta(days=1)
        raise RuntimeError(f"{self} never comes")

    # -- words --------------------------------------------------------------------------------

    def in_words(self) -> Reason:
        """`every weekday (Monday to Friday) at 08:00`"""
        time = f"{self.hour:02}:{self.minute:02}"
        if self.unit is RecurrenceUnit.DAY:
            if self.interval == 1:
                return ToolReason.EVERY_DAY.of(time=time)
            return ToolReason.EVERY_DAYS.of(count=self.interval, time=time)
        if self.unit is RecurrenceUnit.WEEK:
            return self._weekly(time)
        if self.unit is RecurrenceUnit.YEAR:
            # A leap year, so that the 29th of February is a day.
            return ToolReason.EVERY_YEAR.of(day=date(2028, self.month, self.day), time=time)
        return self._monthly(time)

    def _weekly(self, time: str) -> Reason:
        if self.interval > 1:
            return ToolReason.EVERY_WEEKS.of(count=self.interval, days=self._named_days, time=time)
        if self.weekdays == WEEKDAYS_OF_WORK:
            return ToolReason.EVERY_WEEKDAY.of(time=time)
        return ToolReason.EVERY_WEEK_ON.of(days=self._named_days, time=time)

    def _monthly(self, time: str) -> Reason:
        if self.place:
            which = ToolReason.PLACED_WEEKDAY.of(
                place=_PLACE_WORDS[self.place].of(), weekday=self._named_days
            )
        elif self.day == LAST:
            which = ToolReason.LAST_DAY.of()
        else:
            which = ToolReason.DAY_OF_MONTH.of(day=self.day)
        if self.interval == 1:
            return ToolReason.EVERY_MONTH.of(which=which, time=time)
        return ToolReason.EVERY_MONTHS.of(count=self.interval, which=which, time=time)

    @property
    def _named_days(self) -> Reason:
        *first, last = (_WEEKDAY_WORDS[each].of() for each in self.weekdays)
        return ToolReason.DAYS_AND.of(first=tuple(first), last=last) if first else last

    # -- on disk ------------------------------------------------------------------------------

    def as_json(self) -> str:
        return json.dumps({**asdict(self), "since": self.since.isoformat()})

    @classmethod
    def from_json(cls, text: str) -> Recurrence:
        """The inverse of `as_json`."""
        said = json.loads(text)
        return cls(
            **{
                **said,
                "unit": RecurrenceUnit(said["unit"]),
                "since": date.fromisoformat(said["since"]),
                "weekdays": tuple(said["weekdays"]),
            }
        )


def on_wall(at: datetime, zone: tzinfo | None) -> datetime:
    """What the clock on the wall shows, as a moment in `zone`; what it skips is as much later."""
    # The way to UTC and back moves what the clock never shows.
    return at.replace(tzinfo=zone, fold=0).astimezone(UTC).astimezone(zone)


def weekday_word(day: date) -> Reason:
    """Monday, in the language in which it is shown."""
    return _WEEKDAY_WORDS[day.weekday()].of()


def moment_reason(at: datetime) -> Reason:
    """`Monday 30 November 2026, 09:00`, in the language in which it is shown."""
    return ToolReason.MOMENT.of(weekday=weekday_word(at), day=at.date(), time=f"{at:%H:%M}")


def _week(day: date) -> int:
    return (day - _EPOCH_MONDAY).days // 7


def _month(day: date) -> int:
    return day.year * 12 + day.month
