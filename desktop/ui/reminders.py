"""What the user sees when a reminder is due: a notification, and that something waits."""

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
from desktop.tools.ports import OPENED, Notice, Notifier
from desktop.tools.reminders import Reminder, ReminderDue, Reminders, RemindersChanged
from desktop.tools.time_words import MONTHS
from desktop.tools.times import local_now

log = structlog.get_logger(__name__)

DONE, SNOOZE = "done", "snooze"
ACTIONS = ((DONE, "Done"), (SNOOZE, "Snooze 10 minutes"))
MISSED = "While Steward was not running"
MISSED_SHOWN = 5
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
        if event.missed and len(new) > 1:
            self._notifier.show(_together(new), lambda _action: self.opened.emit())
        else:
            for each in new:
                self._show(each, event.missed)
        numbers = [each.id for each in event.reminders]
        self._background.run(self._reminders.shown, numbers, failed=_on_failed)

    def _show(self, reminder: Reminder, missed: bool) -> None:
        text = reminder.text
        if missed or self._now() - reminder.due > LATE:
            text += f"\nIt was due {_at(reminder.due, self._now())}."
        notice = Notice(_key(reminder.id), MISSED if missed else "Reminder", text, ACTIONS)
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
        due = {each.id for each in found if each.due <= now}
        for number in [number for number in self._told if number not in due]:
            del self._told[number]  # done, snoozed or changed, here or in the list
            self._notifier.withdraw(_key(number))
        if len(due) != self._due:
            self._due = len(due)
            self.due_changed.emit(self._due)


def _together(reminders: Sequence[Reminder]) -> Notice:
    lines = [f"• {each.text}" for each in reminders[:MISSED_SHOWN]]
    if len(reminders) > MISSED_SHOWN:
        lines.append(f"and {len(reminders) - MISSED_SHOWN} more")
    return Notice("reminders-missed", f"{MISSED}:", "\n".join(lines))


def _key(number: int) -> str:
    return f"reminder-{number}"


def _at(due: datetime, now: datetime) -> str:
    return (
        f"at {due:%H:%M}"
        if due.date() == now.date()
        else f"on {due.day} {MONTHS[due.month - 1]} at {due:%H:%M}"
    )


def _on_failed(error: Exception) -> None:
    """The list shows what is there; the clock tries again by itself."""
    if not isinstance(error, UserFacing):
        raise error
    log.error("reminder was not written", cause=error.cause)
