"""Reminders and schedules: set by the assistant or the user, come due, and kept until they are done.

One is open until it is done or cancelled. When it comes due, one process claims it in one transaction and
confirms once the user can see it; a claim that nobody confirmed in time is anyone's again. So a kill in
between shows a reminder twice rather than never, and two processes do not both show it.

What repeats is a series. When its time comes, the claim makes a reminder of its own of it, which is claimed,
shown, put off and done like any other, and moves the series on to its next time, in the same transaction. A
series that asks is a question that Steward puts to itself (`chat/schedules.py`): its occurrence is done when
it is answered. Times that passed while nobody was there become one occurrence.

`Reminders` keeps them and is what the assistant's tools do, `ReminderClock` waits until one is due.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from desktop.database import Connection, Database, Migration, Row
from desktop.engine.scheduler import Clock
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.gate.verdict import Effect
from desktop.paths import ensure, private
from desktop.reasons import Reason
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence import Recurrence, moment_reason, on_wall
from desktop.tools.reminder_words import DATE, time_named_in, wanted_by
from desktop.tools.times import Moment, follow_zone, local_now, said
from desktop.tools.tool import Plan, Tool, ToolHint, tool

log = structlog.get_logger(__name__)

LONGEST = 500  # characters of one reminder
LISTED = 20  # for the model
CLAIM_S = 30.0  # within which whoever shows a reminder says that it is shown
KEPT_S = 30 * 24 * 3600.0  # for taking back that one is done or cancelled
# Small models hand the number over in words of their own: "reminder 3", "#3.".
NUMBER = re.compile(
    r"\s*(?:reminder|erinnerung|number|nummer|no|nr)?[\s.:#]*(\d{1,9})\s*[.]?\s*", re.IGNORECASE
)
# Said where the command line sets one: without the tray nothing would show it.
ONLY_WHILE_RUNNING = "It is shown while Steward runs in the tray; what was missed is shown when it starts."
NO_REMINDERS = "No reminders are set."
AGAIN = ", next on "  # between how often and the first time
# A sleeping computer and a clock that is set stop no wait, so that none may be long.
LONGEST_WAIT_S = 30.0

SET_REMINDER_HINT = ToolHint(
    r"\b(remind|reminder|alarm|timer|wake me|erinner\w*|wecker?|weck)\b",
    only_said=True,
)
LIST_REMINDERS_HINT = ToolHint(r"\b(reminders|alarms|timers|erinnerungen|wecker)\b", only_said=True)
CANCEL_REMINDER_HINT = ToolHint(
    r"\b(cancel|delete|remove|stop|lösche?|streiche?|entferne?|absagen)\b.*\b(reminder|alarm|timer"
    r"|erinnerung|wecker)\w*\b",
    only_said=True,
)


def _reminders(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE reminders (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            text TEXT NOT NULL,
            made_at REAL NOT NULL,
            due_at REAL NOT NULL,
            claimed_by TEXT NOT NULL DEFAULT '',
            claimed_at REAL NOT NULL DEFAULT 0,
            shown_at REAL,
            ended_at REAL
        )
        """,
        "CREATE INDEX reminders_open ON reminders (due_at) WHERE ended_at IS NULL",
    ):
        connection.execute(statement)


def _series(connection: Connection) -> None:
    """What repeats and what asks. `wall` is what the clock shows when a series is due: where the computer is
    taken to another zone, that stays. `series` is what an occurrence belongs to, `chat` where it is answered.
    """
    for column in (
        "repeats TEXT NOT NULL DEFAULT ''",
        "wall TEXT NOT NULL DEFAULT ''",
        "asks INTEGER NOT NULL DEFAULT 0",
        "is_on INTEGER NOT NULL DEFAULT 1",
        "series INTEGER NOT NULL DEFAULT 0",
        "chat INTEGER NOT NULL DEFAULT 0",
        "outcome TEXT NOT NULL DEFAULT ''",
    ):
        connection.execute(f"ALTER TABLE reminders ADD COLUMN {column}")
    connection.execute("CREATE INDEX reminders_of_series ON reminders (series) WHERE series > 0")


def _origin(connection: Connection) -> None:
    connection.execute("ALTER TABLE reminders ADD COLUMN origin TEXT NOT NULL DEFAULT ''")


MIGRATIONS = (
    Migration(2, "reminders", _reminders, room="tools"),
    Migration(3, "reminders that repeat, and questions", _series, room="tools"),
    Migration(4, "which program wanted a reminder", _origin, room="tools"),
)


@dataclass(frozen=True)
class Reminder:
    """`due` is aware. `is_shown`: the user was told that it is due.

    With `repeats` it is a series and `due` its next time; `is_on` False: that does not come. `series` is what
    an occurrence belongs to, 0 for what comes once. `asks`: the text is a question that Steward answers by
    itself, in the conversation `chat`, 0 before it has begun. `origin` is the program that wanted it, ""
    where the user did.
    """

    id: int
    text: str
    due: datetime
    is_shown: bool = False
    repeats: Recurrence | None = None
    is_on: bool = True
    asks: bool = False
    series: int = 0
    chat: int = 0
    origin: str = ""


@dataclass(frozen=True)
class ScheduleRun:
    """The latest occurrence of a series. `outcome` is how the answer ended, as `MessageStatus` has it; ""
    where it has not, or where the series does not ask."""

    due: datetime
    ended: datetime | None
    chat: int = 0
    outcome: str = ""


@dataclass(frozen=True)
class Schedule:
    """A series with what came of it the last time."""

    reminder: Reminder
    latest: ScheduleRun | None = None


@dataclass(frozen=True)
class RemindersChanged(Event):
    """One was set, changed, shown or ended."""


@dataclass(frozen=True)
class ReminderDue(Event):
    """These are to be shown now, and then confirmed with `Reminders.shown`.

    `missed`: they came due while Steward was not running.
    """

    reminders: tuple[Reminder, ...]
    missed: bool = False


@dataclass(frozen=True)
class QuestionsDue(Event):
    """These are to be answered now, and then confirmed with `Reminders.answered`. They come again as long as
    they are not."""

    questions: tuple[Reminder, ...]


class Reminders:
    """All methods may be called on any thread; those that write block until it is on disk."""

    def __init__(
        self,
        database: Database,
        bus: Bus,
        now: Callable[[], datetime] = local_now,
        marker: Path | None = None,
    ) -> None:
        """`marker` is a file that is written at every change, so that another process can notice."""
        self._database = database
        self._bus = bus
        self._now = now
        self._marker = marker
        self.has_clock = False  # whether this process shows what is due

    # -- what the assistant may do ------------------------------------------------------------

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(
                self.set_reminder,
                Effect.CREATE,
                verb=ToolReason.VERB_SET_REMINDER,
                plan=self._plan_set,
                mend=self._mended,
                hint=SET_REMINDER_HINT,
            ),
            tool(
                self.list_reminders,
                Effect.READ,
                verb=ToolReason.VERB_LIST_REMINDERS,
                hint=LIST_REMINDERS_HINT,
            ),
            tool(
                self.cancel_reminder,
                Effect.UPDATE,
                verb=ToolReason.VERB_CANCEL_REMINDER,
                plan=self._plan_cancel,
                hint=CANCEL_REMINDER_HINT,
            ),
        )

    def set_reminder(self, text: str, when: str) -> str:
        """Remind the user of something at a time.

        when: the user's own words for the time, like tomorrow at 9
        """
        wanted = wanted_by(text, when, self._now())
        reminder = self.add(wanted.text, wanted.moment.at, wanted.moment.repeats)
        return self.set_words(reminder, wanted.moment)

    def set_for_program(self, program: str, text: str, when: str) -> Reason:
        """What another program wants the user reminded of: once, it is set; what repeats is a proposal, which
        stays switched off until the user switches it on. Says which of the two. Raises UserFacing."""
        wanted = wanted_by(text, when, self._now())
        repeats = wanted.moment.repeats
        made = self.add(wanted.text, wanted.moment.at, repeats, is_on=repeats is None, origin=program)
        if repeats is not None and not made.is_on:
            return ToolReason.REMINDER_PROPOSED.of(repeats=repeats.in_words(), text=made.text)
        if repeats is not None:
            return ToolReason.REMINDER_SET_AGAIN.of(repeats=repeats.in_words(), text=made.text)
        return ToolReason.REMINDER_SET.of(when=moment_reason(made.due), text=made.text)

    def list_reminders(self) -> str:
        """List the reminders that are set."""
        found = self.open()
        lines = [self.line(each) for each in found[:LISTED]]
        if len(found) > LISTED:
            lines.append(f"and {len(found) - LISTED} more")
        return "\n".join(lines) or NO_REMINDERS

    def cancel_reminder(self, reminder: str) -> str:
        """Cancel a reminder that is set.

        reminder: its number or its text
        """
        found = self.find(reminder)
        self.end(found.id)
        # With its time, so that it can be set again as it was.
        return f"Cancelled reminder {found.id} ({self._when(found)}): {found.text}"

    def _mended(self, arguments: Mapping[str, Any], asked: str) -> dict[str, Any]:
        """A date that the user did not write was made up by a model that does not know what day it is."""
        when = str(arguments["when"])
        if not DATE.match(when) or when.strip()[:10] in asked:
            return dict(arguments)
        return {**arguments, "when": time_named_in(asked, self._now()) or when}

    def _plan_set(self, text: str, when: str) -> Plan:
        wanted = wanted_by(text, when, self._now())
        repeats = wanted.moment.repeats
        when = str(repeats.in_words()) if repeats else said(wanted.moment.at, self._now())
        says = ToolReason.SHOWS_NOTIFICATION.of(when=when)
        return Plan(
            ToolReason.ASK_REMINDER.of(), says, Effect.CREATE, parts=(_checked(wanted.text),), own_notes=True
        )

    def _plan_cancel(self, reminder: str) -> Plan:
        found = self.find(reminder)
        says = ToolReason.CANCELS_REMINDER.of(text=found.text, when=self._when(found))
        return Plan(
            ToolReason.ASK_CANCEL_REMINDER.of(), says, Effect.UPDATE, parts=(found.text,), own_notes=True
        )

    # -- what the user does -------------------------------------------------------------------

    def add(
        self,
        text: str,
        at: datetime,
        repeats: Recurrence | None = None,
        asks: bool = False,
        is_on: bool = True,
        origin: str = "",
    ) -> Reminder:
        """Keep it; the same one again is the same reminder, stays on if it is, and is the user's own once the
        user wants it too. `at` is the first time of a series. Raises UserFacing."""
        checked, due, made = _checked(text), at.timestamp(), self._now().timestamp()
        rule = repeats.as_json() if repeats is not None else ""

        def put(connection: Connection) -> Row:
            same = connection.execute(
                "SELECT id FROM reminders WHERE ended_at IS NULL AND text = ? AND due_at = ?"
                " AND asks = ? AND repeats = ? AND series = 0",
                (checked, due, asks, rule),
            ).fetchone()
            # A model that is not sure whether it has acted calls again.
            number = int(same["id"]) if same is not None else insert(connection)
            # What lies there switched off is wanted now: "it is set" would not be true of it.
            if is_on:
                connection.execute("UPDATE reminders SET is_on = 1 WHERE id = ?", (number,))
            if not origin:
                connection.execute("UPDATE reminders SET origin = '' WHERE id = ?", (number,))
            found: Row = connection.execute("SELECT * FROM reminders WHERE id = ?", (number,)).fetchone()
            return found

        def insert(connection: Connection) -> int:
            # Old ones go when a new one comes, so that no timer is needed for it.
            _forget_old(connection, made - KEPT_S)
            added = connection.execute(
                "INSERT INTO reminders (text, made_at, due_at, repeats, wall, asks, is_on, origin)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (checked, made, due, rule, _wall(at) if rule else "", asks, is_on, origin),
            )
            return int(added.lastrowid or 0)

        kept = self._database.write(put)
        self._changed()
        return self._reminder(kept)

    def open(self) -> tuple[Reminder, ...]:
        """All reminders that are not done or cancelled, the first to come due first."""
        return self._select("ended_at IS NULL AND asks = 0 ORDER BY due_at, id", ())

    def schedules(self) -> tuple[Schedule, ...]:
        """All series, of reminders and of questions, the first to come due first."""
        series = self._select("ended_at IS NULL AND repeats != '' ORDER BY is_on DESC, due_at, id", ())
        latest = self._database.read(
            lambda c: c.execute(
                "SELECT series, due_at, ended_at, chat, outcome FROM reminders WHERE id IN"
                " (SELECT max(id) FROM reminders WHERE series > 0 GROUP BY series)"
            ).fetchall()
        )
        runs = {row["series"]: self._run_of(row) for row in latest}
        return tuple(Schedule(each, runs.get(each.id)) for each in series)

    def schedule(self, wanted: str) -> Reminder:
        """The one series with this number or these words. Raises UserFacing."""
        return self._one(wanted, tuple(each.reminder for each in self.schedules()))

    def find(self, wanted: str) -> Reminder:
        """The one open reminder with this number or these words. Raises UserFacing."""
        # By its number also a question that is asked by a schedule, so that setting one can be taken back.
        if NUMBER.fullmatch(wanted) is not None:
            return self._one(wanted, self._select("ended_at IS NULL ORDER BY due_at, id", ()))
        return self._one(wanted, self.open())

    def _one(self, wanted: str, found: tuple[Reminder, ...]) -> Reminder:
        number = NUMBER.fullmatch(wanted)
        # A number is looked up as one: "3" must not find the reminder "call at 3".
        if number is not None:
            fitting = [each for each in found if each.id == int(number[1])]
        else:
            words = wanted.casefold().split()
            fitting = [
                each for each in found if words and all(word in each.text.casefold() for word in words)
            ]
        if len(fitting) == 1:
            return fitting[0]
        raise _not_one(wanted, [self.line(each) for each in fitting or found][:LISTED], bool(fitting))

    def change(self, number: int, text: str, at: datetime, repeats: Recurrence | None = None) -> None:
        """The user's own correction; it will be shown at the new time."""
        rule = repeats.as_json() if repeats is not None else ""
        self._write(
            # Shown at the old time it would be taken for done; without a claim any process may show it.
            "UPDATE reminders SET text = ?, due_at = ?, repeats = ?, wall = ?, shown_at = NULL,"
            " claimed_by = '' WHERE id = ?",
            (_checked(text), at.timestamp(), rule, _wall(at) if rule else "", number),
        )

    def snooze(self, number: int, minutes: int = 10) -> datetime:
        """Show it again later, unless it was ended meanwhile; returns when."""
        at = self._now() + timedelta(minutes=minutes)
        self._write(
            "UPDATE reminders SET due_at = ?, shown_at = NULL, claimed_by = ''"
            " WHERE id = ? AND ended_at IS NULL",
            (at.timestamp(), number),
        )
        return at

    def end(self, number: int) -> None:
        """Done, or cancelled: it is not shown again. With a series goes what of it waits."""
        self._write(
            "UPDATE reminders SET ended_at = ? WHERE id = ? OR (series = ? AND ended_at IS NULL)",
            (self._now().timestamp(), number, number),
        )

    def restore(self, number: int) -> None:
        """Take back that it was ended."""

        def put_back(connection: Connection) -> None:
            connection.execute("UPDATE reminders SET ended_at = NULL WHERE id = ?", (number,))
            self._ahead(connection, number)

        self._database.write(put_back)
        self._changed()

    def set_on(self, number: int, is_on: bool) -> None:
        """Whether a series comes; what passed while it was off is not made up for, nor is a question of it
        put that waits for its turn."""

        def switch(connection: Connection) -> None:
            connection.execute("UPDATE reminders SET is_on = ? WHERE id = ?", (is_on, number))
            if is_on:
                self._ahead(connection, number)
            else:
                connection.execute(
                    "DELETE FROM reminders WHERE series = ? AND asks AND chat = 0 AND ended_at IS NULL",
                    (number,),
                )

        self._database.write(switch)
        self._changed()

    def run_now(self, number: int, is_taken: bool = False) -> Reminder | None:
        """Have one occurrence of a series now, beside those that come by themselves; None where one waits.

        `is_taken`: whoever calls sees to it, and no clock is told of it.
        """

        def put(connection: Connection) -> Row | None:
            now = self._now().timestamp()
            row = connection.execute("SELECT * FROM reminders WHERE id = ?", (number,)).fetchone()
            made = self._occur(connection, row, now) if row is not None else None
            if made is not None and is_taken:
                connection.execute("UPDATE reminders SET shown_at = ? WHERE id = ?", (now, made))
            found: Row | None = connection.execute("SELECT * FROM reminders WHERE id = ?", (made,)).fetchone()
            return found

        found = self._database.write(put)
        self._changed()
        return self._reminder(found) if found is not None else None

    # -- series -------------------------------------------------------------------------------

    def _ahead(self, connection: Connection, number: int) -> None:
        """Move a series on to its first time from now on, if its time has passed."""
        row = connection.execute("SELECT * FROM reminders WHERE id = ?", (number,)).fetchone()
        if row is not None and row["repeats"] and row["due_at"] <= self._now().timestamp():
            self._move(connection, row, Recurrence.from_json(row["repeats"]).next_after(self._now()))

    def _move(self, connection: Connection, row: Row, at: datetime) -> None:
        connection.execute(
            "UPDATE reminders SET due_at = ?, wall = ? WHERE id = ?", (at.timestamp(), _wall(at), row["id"])
        )

    def _come_due(self, connection: Connection) -> None:
        """Make an occurrence of each series whose time has come, and move the series on."""
        now = self._now()
        rows = connection.execute(
            "SELECT * FROM reminders WHERE ended_at IS NULL AND repeats != '' AND is_on"
        ).fetchall()
        for row in rows:
            repeats = _recurrence(row)
            if repeats is None:
                continue
            # As the wall shows it now, wherever the computer was when it was set.
            wall = on_wall(datetime.fromisoformat(row["wall"]), now.tzinfo)
            # Moved on while the clock was far ahead, it would not come for as long after that was mended.
            wall = repeats.not_beyond(wall, now)
            if wall.timestamp() > now.timestamp():
                if wall.timestamp() != row["due_at"]:
                    self._move(connection, row, wall)
                continue
            self._occur(connection, row, repeats.latest_until(wall, now).timestamp())
            self._move(connection, row, repeats.next_after(now))

    def _occur(self, connection: Connection, series: Row, due: float) -> int | None:
        """The number of what was made, if anything was."""
        now = self._now().timestamp()
        waiting = connection.execute(
            # One from a time that the clock showed too early does not count.
            "SELECT 1 FROM reminders WHERE series = ? AND ended_at IS NULL AND shown_at IS NULL"
            " AND due_at <= ?",
            (series["id"], now),
        ).fetchone()
        # A question that waits for its answer is not put twice; the latest reminder stands for those before.
        if waiting is not None and series["asks"]:
            return None
        connection.execute(
            "UPDATE reminders SET ended_at = ? WHERE series = ? AND ended_at IS NULL", (now, series["id"])
        )
        _forget_old(connection, now - KEPT_S)
        made = connection.execute(
            "INSERT INTO reminders (text, made_at, due_at, asks, series, origin) VALUES (?, ?, ?, ?, ?, ?)",
            (series["text"], now, due, series["asks"], series["id"], series["origin"]),
        )
        return made.lastrowid

    # -- showing what is due ------------------------------------------------------------------

    def claim(self, owner: str) -> tuple[Reminder, ...]:
        """What `owner` has to show now, and nobody else shows. To be confirmed with `shown`."""
        now = self._now().timestamp()

        def take(connection: Connection) -> list[Row]:
            self._come_due(connection)
            rows = connection.execute(
                "SELECT * FROM reminders WHERE ended_at IS NULL AND shown_at IS NULL AND due_at <= ?"
                " AND repeats = ''"
                # A claim from later than now is from before the clock was put back.
                " AND (claimed_by = '' OR claimed_at NOT BETWEEN ? AND ?) ORDER BY due_at, id",
                (now, now - CLAIM_S, now),
            ).fetchall()
            for row in rows:
                connection.execute(
                    "UPDATE reminders SET claimed_by = ?, claimed_at = ? WHERE id = ?",
                    (owner, now, row["id"]),
                )
            return rows

        return tuple(self._reminder(row) for row in self._database.write(take))

    def shown(self, numbers: Sequence[int]) -> None:
        """The user can see them."""
        now = self._now().timestamp()
        self._database.write(
            lambda c: c.executemany(
                # One that was put off in the meantime is not shown yet.
                "UPDATE reminders SET shown_at = ? WHERE id = ? AND due_at <= ?",
                [(now, number, now) for number in numbers],
            )
        )
        self._changed()

    def is_open(self, number: int) -> bool:
        """Whether it was neither done nor deleted."""
        return bool(self._select("id = ? AND ended_at IS NULL", (number,)))

    def begun(self, number: int, chat: int) -> None:
        """The question of an occurrence was put, in this conversation."""
        self._write("UPDATE reminders SET chat = ? WHERE id = ?", (chat, number))

    def answered(self, number: int, outcome: str) -> None:
        """The question of an occurrence has its answer, or none that will come."""
        now = self._now().timestamp()
        self._write(
            "UPDATE reminders SET ended_at = ?, shown_at = ?, outcome = ? WHERE id = ?",
            (now, now, outcome, number),
        )

    def next_due(self) -> datetime | None:
        """The first moment at which something will have to be shown, which may be over."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT min(due_at) AS due FROM reminders"
                " WHERE ended_at IS NULL AND shown_at IS NULL AND is_on"
            ).fetchone()
        )
        return None if row["due"] is None else self._at(row["due"])

    # -- words --------------------------------------------------------------------------------

    def line(self, reminder: Reminder) -> str:
        """`3. Friday 27 November 2026, 14:30 (in 7 days): call Anna`, and which program wanted it."""
        origin = f" (from {reminder.origin})" if reminder.origin else ""
        return f"{reminder.id}. {self._when(reminder)}: {reminder.text}{origin}"

    def _when(self, reminder: Reminder) -> str:
        """How a series repeats; the time of everything else."""
        if reminder.repeats is not None:
            return str(reminder.repeats.in_words())
        return said(reminder.due, self._now())

    def set_words(self, reminder: Reminder, moment: Moment) -> str:
        """What was set, in full, with what was assumed."""
        note = f" Note: {moment.note}." if moment.note else ""
        later = "" if self.has_clock else f" {ONLY_WHILE_RUNNING}"
        when = said(reminder.due, self._now())
        # "for" goes before a time, and not before "on day 1 of every month".
        set_ = f" for {when}"
        if reminder.repeats is not None:
            set_ = f", {reminder.repeats.in_words()}{AGAIN}{when}"
        return f"Reminder {reminder.id} is set{set_}: {reminder.text}.{note}{later}"

    # -- how ----------------------------------------------------------------------------------

    def _at(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(seconds, self._now().tzinfo)

    def _reminder(self, row: Row) -> Reminder:
        return Reminder(
            row["id"],
            row["text"],
            self._at(row["due_at"]),
            row["shown_at"] is not None,
            _recurrence(row) if row["repeats"] else None,
            bool(row["is_on"]),
            bool(row["asks"]),
            row["series"],
            row["chat"],
            row["origin"],
        )

    def _run_of(self, row: Row) -> ScheduleRun:
        ended = None if row["ended_at"] is None else self._at(row["ended_at"])
        return ScheduleRun(self._at(row["due_at"]), ended, row["chat"], row["outcome"])

    def _select(self, where: str, values: tuple[object, ...]) -> tuple[Reminder, ...]:
        statement = f"SELECT * FROM reminders WHERE {where}"  # noqa: S608 - from this file
        rows = self._database.read(lambda c: c.execute(statement, values).fetchall())
        return tuple(self._reminder(row) for row in rows if not row["repeats"] or _recurrence(row))

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        self._database.write(lambda c: c.execute(statement, values))
        self._changed()

    def _changed(self) -> None:
        if self._marker is not None:
            self._mark(self._marker)
        self._bus.publish(RemindersChanged())

    def _mark(self, marker: Path) -> None:
        """Touch the file that other processes watch; what it holds does not matter."""
        try:
            ensure(marker.parent)
            with open(marker, "w", encoding="utf-8", opener=private) as file:
                file.write(self._now().isoformat())
        except OSError as error:  # the change itself is kept; to raise would say that it is not
            log.warning("another process is not told of a changed reminder", reason=str(error))


def _recurrence(row: Row) -> Recurrence | None:
    """How a series repeats; None where that cannot be read, as after a later version wrote it. Passed over:
    one row must not keep all others from coming due."""
    try:
        return Recurrence.from_json(row["repeats"])
    except (ValueError, TypeError, KeyError) as error:
        log.warning("a schedule cannot be read", number=row["id"], reason=str(error))
        return None


def _wall(at: datetime) -> str:
    """What the clock shows then, without its zone."""
    return at.replace(tzinfo=None, microsecond=0).isoformat()


def _forget_old(connection: Connection, before: float) -> None:
    """What ended long ago; of a series its latest occurrence stays, which tells what came of it."""
    connection.execute(
        "DELETE FROM reminders WHERE ended_at < ? AND id NOT IN"
        " (SELECT max(id) FROM reminders WHERE series > 0 GROUP BY series)",
        (before,),
    )


def _checked(text: str) -> str:
    # It becomes one line of a notification.
    checked = " ".join(text.split())
    if not checked:
        raise UserFacing(ToolReason.REMINDER_EMPTY.of())
    if len(checked) > LONGEST:
        raise UserFacing(ToolReason.REMINDER_TOO_LONG.of(length=len(checked), limit=LONGEST))
    return checked


def _not_one(wanted: str, lines: Sequence[str], several: bool) -> UserFacing:
    if not lines:
        return UserFacing(ToolReason.REMINDER_NOT_FOUND.of(wanted=wanted))
    code = ToolReason.REMINDER_SEVERAL if several else ToolReason.REMINDER_NOT_AMONG
    return UserFacing(code.of(wanted=wanted, lines="\n".join(lines)))


class ReminderClock:
    """Publishes ReminderDue on its own thread. `start` and `close` may be called on any thread."""

    def __init__(
        self,
        reminders: Reminders,
        bus: Bus,
        now: Callable[[], datetime] = local_now,
        clock: Clock | None = None,
    ) -> None:
        self._reminders = reminders
        self._bus = bus
        self._now = now
        self._clock = clock or Clock()
        # A process number is given anew after a restart; with the time it is nobody else's.
        self._owner = f"{os.getpid()} {time.time_ns()}"
        self._changed = threading.Condition()
        self._is_changed = False
        self._closed = False
        self._started: datetime | None = None
        self._thread = threading.Thread(target=self._run, name="reminders clock", daemon=True)
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin, with what was missed since the last run."""
        self._started = self._now()
        self._reminders.has_clock = True
        self._unsubscribe = self._bus.subscribe(RemindersChanged, lambda _event: self.look())
        self._thread.start()

    def look(self) -> None:
        """Look again at what is set: another process may have changed it."""
        with self._changed:
            self._is_changed = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread. Safe to call before `start`."""
        # Never started: there is no thread to end.
        if self._unsubscribe is None:
            return
        self._unsubscribe()
        self._reminders.has_clock = False
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    # -- its thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed:
            try:
                follow_zone()  # a laptop may have woken up in another one
                self._tell(self._reminders.claim(self._owner))
                self._wait(self._pause_s())
            except UserFacing as error:  # the disk is full, or the file is held: the next look may do
                log.error("reminders could not be read", cause=error.cause)
                self._wait(LONGEST_WAIT_S)
            except Exception:  # the outermost edge of this thread: without it nothing is ever due again
                log.exception("the reminders' clock failed")
                self._wait(LONGEST_WAIT_S)

    def _tell(self, claimed: tuple[Reminder, ...]) -> None:
        questions = tuple(each for each in claimed if each.asks)
        if questions:
            self._bus.publish(QuestionsDue(questions))
        due = tuple(each for each in claimed if not each.asks)
        # What came due while Steward did not run is told as missed: its moment is over.
        missed = tuple(each for each in due if self._started is not None and each.due < self._started)
        new = tuple(each for each in due if each not in missed)
        if missed:
            self._bus.publish(ReminderDue(missed, missed=True))
        if new:
            self._bus.publish(ReminderDue(new))

    def _pause_s(self) -> float | None:
        """Seconds until something is due; None as long as nothing is set: then nothing ticks."""
        due = self._reminders.next_due()
        if due is None:
            return None
        left = (due - self._now()).total_seconds()
        # What is due was claimed just now, here or elsewhere; its claim ends after this time.
        return min(left, LONGEST_WAIT_S) if left > 0 else LONGEST_WAIT_S

    def _wait(self, timeout_s: float | None) -> None:
        with self._changed:
            if not self._is_changed and not self._closed:
                self._clock.wait(self._changed, timeout_s)
            self._is_changed = False
