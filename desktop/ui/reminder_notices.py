"""Reminders that are due: the notification with its two buttons, and how many wait.

Apart from the page that lists them, which no program that rests has loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from desktop.errors import UserFacing
from desktop.paths import ensure
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.system.notifier import OPENED, Notification, Notifier
from desktop.tools.reminders import Reminder, ReminderDue, Reminders, RemindersChanged
from desktop.tools.times import local_now
from desktop.ui.language import day_words, plural, tr, tr_noop
from desktop.ui.permission.visible import written_out

log = structlog.get_logger(__name__)

DONE, SNOOZE = "done", "snooze"

ACTIONS = ((DONE, tr_noop("Done")), (SNOOZE, tr_noop("Snooze 10 minutes")))
MISSED = tr_noop("While Steward was not running")
NAMED = 5  # of many that are told together
LATE = timedelta(minutes=2)  # from here on the notification says when it was due


class ReminderNotices(QObject):
    """Main thread only; writing happens on the pool.

    `due_changed` tells how many are due and not done: the tray shows that something waits, whatever the
    desktop did with the notification. `opened`: the user wants to see the list.
    """

    due_changed = Signal(int)
    opened = Signal()

    def __init__(
        self,
        reminders: Reminders,
        notifier: Notifier,
        relay: Relay,
        background: Background,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__()
        self._reminders = reminders
        self._notifier = notifier
        self._background = background
        self._now = now
        self._told: dict[int, datetime] = {}  # of each, the moment that was shown
        self._due = 0
        self._readings = 0
        self._watcher: QFileSystemWatcher | None = None
        relay.listen(ReminderDue, self._on_due)
        relay.listen(RemindersChanged, lambda _event: self.refresh())

    def refresh(self) -> None:
        """Count again what is due."""
        self._readings += 1
        number = self._readings
        self._background.run(
            self._reminders.open, done=lambda found: self._on_read(number, found), failed=_on_failed
        )

    def watch(self, marker: Path, look: Callable[[], None]) -> None:
        """Have `look` called when another process changes a reminder; nothing ticks for it."""
        ensure(marker.parent)
        marker.touch()
        self._watcher = QFileSystemWatcher([str(marker)], self)
        self._watcher.fileChanged.connect(lambda _path: look())
        self._watcher.fileChanged.connect(lambda _path: self.refresh())

    # -- how ----------------------------------------------------------------------------------

    def _on_due(self, event: ReminderDue) -> None:
        """Show each once, and confirm it again when it comes again."""
        new = [each for each in event.reminders if self._told.get(each.id) != each.due]
        self._told |= {each.id: each.due for each in new}
        # After a night's sleep dozens may be due in the same second.
        if len(new) > (1 if event.missed else NAMED):
            self._notifier.show(_together(new, event.missed), lambda _action: self.opened.emit())
        else:
            for each in new:
                self._show(each, event.missed)
        numbers = [each.id for each in event.reminders]
        self._background.run(self._reminders.shown, numbers, failed=_on_failed)

    def _show(self, reminder: Reminder, missed: bool) -> None:
        text = _line_of(reminder)
        if missed or self._now() - reminder.due > LATE:
            text += "\n" + tr("It was due {at}.", at=_at(reminder.due, self._now()))
        notice = Notification(
            _key(reminder.id),
            tr(MISSED) if missed else tr("Reminder"),
            text,
            tuple((key, tr(words)) for key, words in ACTIONS),
        )
        self._notifier.show(notice, lambda action: self._on_chosen(reminder.id, action))

    def _on_chosen(self, number: int, action: str) -> None:
        if action == OPENED:
            self.opened.emit()
            return
        act = self._reminders.end if action == DONE else self._reminders.snooze
        self._background.run(act, number, failed=_on_failed)

    def _on_read(self, reading: int, found: Sequence[Reminder]) -> None:
        if reading != self._readings:
            return
        now = self._now()
        due = {each.id for each in found if is_due(each, now)}
        for number in [number for number in self._told if number not in due]:
            del self._told[number]  # done, snoozed or changed, here or in the list
            self._notifier.withdraw(_key(number))
        if len(due) != self._due:
            self._due = len(due)
            self.due_changed.emit(self._due)


def _together(reminders: Sequence[Reminder], missed: bool) -> Notification:
    lines = [f"• {_line_of(each)}" for each in reminders[:NAMED]]
    if len(reminders) > NAMED:
        lines.append(tr("and {count} more", count=len(reminders) - NAMED))
    due = plural("{count} reminder is due", "{count} reminders are due", len(reminders))
    return Notification("reminders-together", f"{tr(MISSED) if missed else due}:", "\n".join(lines))


def _line_of(reminder: Reminder) -> str:
    """The reminder in one line: those below it are ours, or of another reminder."""
    text = written_out(" ".join(reminder.text.split()))
    origin = origin_said(reminder)
    return f"{origin}: {text}" if origin else text


def origin_said(reminder: Reminder) -> str:
    """`From Claude Code`, where an agent or a program wanted it; "" where the user did."""
    if not reminder.origin:
        return ""
    # Every window has this module from its start on, and most users have no agent.
    from desktop.agents.agent_list import agent_named

    known = agent_named(reminder.origin)
    return tr("From {agent}", agent=known.title) if known is not None else tr("From a program")


def _key(number: int) -> str:
    return f"reminder-{number}"


def _at(due: datetime, now: datetime) -> str:
    return (
        tr("at {due:%H:%M}", due=due)
        if due.date() == now.date()
        else tr("on {day} at {due:%H:%M}", day=day_words(due.date()), due=due)
    )


def _on_failed(error: Exception) -> None:
    """The list shows what is there; the clock tries again by itself."""
    if not isinstance(error, UserFacing):
        raise error
    log.error("reminder was not written", cause=error.cause)


def is_due(reminder: Reminder, now: datetime) -> bool:
    """A series never is: when its time comes, a reminder of its own does."""
    return reminder.repeats is None and reminder.due <= now
