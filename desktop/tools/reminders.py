"""Reminders: set by the assistant or the user, shown when they are due, kept until they are done.

One is open until it is done or cancelled. When it comes due, one process claims it in one transaction and
confirms once the user can see it; a claim that nobody confirmed in time is anyone's again. So a kill in
between shows a reminder twice rather than never, and two processes do not both show it.

`Reminders` keeps them and is what the assistant's tools do, `ReminderClock` waits until one is due, and
`reminder_in` tells in "remind me at 5 to call Anna" which words are the time.
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
from typing import Any, Protocol

import structlog

from desktop.database import Connection, Database, Migration, Row
from desktop.engine.scheduler import Clock
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.gate.verdict import Effect
from desktop.paths import ensure, private
from desktop.tools.reasons import ToolReason
from desktop.tools.times import Moment, local_now, read_time, said
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
DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}")
# Said where the command line sets one: without the tray nothing would show it.
ONLY_WHILE_RUNNING = "It is shown while Steward runs in the tray; what was missed is shown when it starts."
# A sleeping computer and a clock that is set stop no wait, so that none may be long.
LONGEST_WAIT_S = 30.0


SET_REMINDER_HINT = ToolHint(
    r"\b(remind|reminder|alarm|timer|wake me|erinner\w*|wecker?|weck)\b",
    only_said=True,
)
LIST_REMINDERS_HINT = ToolHint(
    r"\b(reminders|alarms|timers|erinnerungen|wecker)\b",
    only_said=True,
)
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


MIGRATIONS = (Migration(2, "reminders", _reminders, room="tools"),)


@dataclass(frozen=True)
class Reminder:
    """`due` is aware. `is_shown`: the user was told that it is due."""

    id: int
    text: str
    due: datetime
    is_shown: bool = False


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
        reminder = self.add(wanted.text, wanted.moment.at)
        return self.set_words(reminder, wanted.moment)

    def list_reminders(self) -> str:
        """List the reminders that are set."""
        found = self.open()
        lines = [self.line(each) for each in found[:LISTED]]
        if len(found) > LISTED:
            lines.append(f"and {len(found) - LISTED} more")
        return "\n".join(lines) or "No reminders are set."

    def cancel_reminder(self, reminder: str) -> str:
        """Cancel a reminder that is set.

        reminder: its number or its text
        """
        found = self.find(reminder)
        self.end(found.id)
        # With its time, so that it can be set again as it was.
        return f"Cancelled reminder {found.id} ({said(found.due, self._now())}): {found.text}"

    def _mended(self, arguments: Mapping[str, Any], asked: str) -> dict[str, Any]:
        """A date that the user did not write was made up by a model that does not know what day it is."""
        when = str(arguments["when"])
        if not DATE.match(when) or when.strip()[:10] in asked:
            return dict(arguments)
        return {**arguments, "when": time_named_in(asked, self._now()) or when}

    def _plan_set(self, text: str, when: str) -> Plan:
        wanted = wanted_by(text, when, self._now())
        says = ToolReason.SHOWS_NOTIFICATION.of(when=said(wanted.moment.at, self._now()))
        return Plan(
            ToolReason.ASK_REMINDER.of(), says, Effect.CREATE, parts=(_checked(wanted.text),), own_notes=True
        )

    def _plan_cancel(self, reminder: str) -> Plan:
        found = self.find(reminder)
        says = ToolReason.CANCELS_REMINDER.of(text=found.text, when=said(found.due, self._now()))
        return Plan(
            ToolReason.ASK_CANCEL_REMINDER.of(), says, Effect.UPDATE, parts=(found.text,), own_notes=True
        )

    # -- what the user does -------------------------------------------------------------------

    def add(self, text: str, at: datetime) -> Reminder:
        """Keep it; the same one again is the same reminder. Raises UserFacing."""
        checked, due, made = _checked(text), at.timestamp(), self._now().timestamp()

        def put(connection: Connection) -> int:
            same = connection.execute(
                "SELECT id FROM reminders WHERE ended_at IS NULL AND text = ? AND due_at = ?", (checked, due)
            ).fetchone()
            # A model that is not sure whether it has acted calls again.
            if same is not None:
                return int(same["id"])
            # Old ones go when a new one comes, so that no timer is needed for it.
            connection.execute("DELETE FROM reminders WHERE ended_at < ?", (made - KEPT_S,))
            added = connection.execute(
                "INSERT INTO reminders (text, made_at, due_at) VALUES (?, ?, ?)", (checked, made, due)
            )
            return int(added.lastrowid or 0)

        number = self._database.write(put)
        self._changed()
        return Reminder(number, checked, self._at(due))

    def open(self) -> tuple[Reminder, ...]:
        """All that are not done or cancelled, the first to come due first."""
        return self._select("ended_at IS NULL ORDER BY due_at, id", ())

    def find(self, wanted: str) -> Reminder:
        """The one open reminder with this number or these words. Raises UserFacing."""
        found = self.open()
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

    def change(self, number: int, text: str, at: datetime) -> None:
        """The user's own correction; it will be shown at the new time."""
        self._write(
            # Shown at the old time it would be taken for done; without a claim any process may show it.
            "UPDATE reminders SET text = ?, due_at = ?, shown_at = NULL, claimed_by = '' WHERE id = ?",
            (_checked(text), at.timestamp(), number),
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
        """Done, or cancelled: it is not shown again."""
        self._write("UPDATE reminders SET ended_at = ? WHERE id = ?", (self._now().timestamp(), number))

    def restore(self, number: int) -> None:
        """Take back that it was ended."""
        self._write("UPDATE reminders SET ended_at = NULL WHERE id = ?", (number,))

    # -- showing what is due ------------------------------------------------------------------

    def claim(self, owner: str) -> tuple[Reminder, ...]:
        """What `owner` has to show now, and nobody else shows. To be confirmed with `shown`."""
        now = self._now().timestamp()

        def take(connection: Connection) -> list[Row]:
            rows = connection.execute(
                "SELECT * FROM reminders WHERE ended_at IS NULL AND shown_at IS NULL AND due_at <= ?"
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

    def next_due(self) -> datetime | None:
        """The first moment at which something will have to be shown, which may be over."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT min(due_at) AS due FROM reminders WHERE ended_at IS NULL AND shown_at IS NULL"
            ).fetchone()
        )
        return None if row["due"] is None else self._at(row["due"])

    # -- words --------------------------------------------------------------------------------

    def line(self, reminder: Reminder) -> str:
        """`3. Friday 27 November 2026, 14:30 (in 7 days): call Anna`"""
        return f"{reminder.id}. {said(reminder.due, self._now())}: {reminder.text}"

    def set_words(self, reminder: Reminder, moment: Moment) -> str:
        """What was set, in full, with what was assumed."""
        note = f" Note: {moment.note}." if moment.note else ""
        later = "" if self.has_clock else f" {ONLY_WHILE_RUNNING}"
        when = said(reminder.due, self._now())
        return f"Reminder {reminder.id} is set for {when}: {reminder.text}.{note}{later}"

    # -- how ----------------------------------------------------------------------------------

    def _at(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(seconds, self._now().tzinfo)

    def _reminder(self, row: Row) -> Reminder:
        return Reminder(row["id"], row["text"], self._at(row["due_at"]), row["shown_at"] is not None)

    def _select(self, where: str, values: tuple[object, ...]) -> tuple[Reminder, ...]:
        statement = f"SELECT * FROM reminders WHERE {where}"  # noqa: S608 - from this file
        rows = self._database.read(lambda c: c.execute(statement, values).fetchall())
        return tuple(self._reminder(row) for row in rows)

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        self._database.write(lambda c: c.execute(statement, values))
        self._changed()

    def _changed(self) -> None:
        if self._marker is not None:
            ensure(self._marker.parent)
            # Its content is for nobody; that it changed is what the other process sees.
            with open(self._marker, "w", encoding="utf-8", opener=private) as file:
                file.write(self._now().isoformat())
        self._bus.publish(RemindersChanged())


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
        owner: str = "",
    ) -> None:
        self._reminders = reminders
        self._bus = bus
        self._now = now
        self._clock = clock or Clock()
        # A process number is given anew after a restart; with the time it is nobody else's.
        self._owner = owner or f"{os.getpid()} {time.time_ns()}"
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
                self._tell(self._reminders.claim(self._owner))
                self._wait(self._pause_s())
            except UserFacing as error:  # the disk is full, or the file is held: the next look may do
                log.error("reminders could not be read", cause=error.cause)
                self._wait(LONGEST_WAIT_S)

    def _tell(self, due: tuple[Reminder, ...]) -> None:
        # What came due while Steward did not run is told as missed: its moment is over.
        missed = tuple(each for each in due if self._started is not None and each.due < self._started)
        new = tuple(each for each in due if each not in missed)
        if missed:
            self._bus.publish(ReminderDue(missed, missed=True))
        if new:
            self._bus.publish(ReminderDue(new))

    def _pause_s(self) -> float | None:
        """None as long as nothing is set: then nothing ticks."""
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


# -- which words of a request are the time ----------------------------------------------------

MOST_WORDS = 30
MOST_TIME_WORDS = 8  # words
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
    asks = _ASKS.fullmatch(question.rstrip(" .!?"))
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
    return found or _from(words[: len(words) - after], words[len(words) - after :], now)


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
    return ReminderRequest(left, _joined(when), moment) if moment is not None and left else None


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
        return read_time(_joined(words), now, thorough=False)
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
        moment = read_time(when, now)
    except UserFacing as error:
        if within is None or error.code == "time-repeats":
            raise
        return within
    if within is None or (within.moment.at != moment.at and not DATE.match(when)):
        return ReminderRequest(text, when, moment)
    return within


# -- showing them -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Notice:
    """A notification. `key` names it: one with the same key takes its place. `actions` are key and words."""

    key: str
    title: str
    text: str
    actions: tuple[tuple[str, str], ...] = ()


OPENED = ""  # the action of a click on the notification itself


class Notifier(Protocol):
    """Native notifications. A desktop may swallow one, so nothing may depend on it. Main thread only."""

    def show(self, notice: Notice, chosen: Callable[[str], None]) -> None:
        """`chosen` is called with the key of an action, or OPENED; desktops without buttons never call it."""
        ...

    def withdraw(self, key: str) -> None:
        """Take it away where the desktop can; there need be none."""
        ...
