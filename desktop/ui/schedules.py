"""Schedules: the page that lists what repeats, and the notification when a scheduled question is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.chat.messages import MessageStatus
from desktop.chat.schedules import ScheduleAnswered
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.system.notifier import Notification, Notifier
from desktop.tools.recurrence import moment_reason
from desktop.tools.reminders import (
    Reminder,
    Reminders,
    RemindersChanged,
    Schedule,
    ScheduleRun,
)
from desktop.tools.times import local_now
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.reminder_notices import origin_said
from desktop.ui.reminders import EditedInRows, FormWords, repeats_said
from desktop.ui.widgets.buttons import action
from desktop.ui.widgets.cards import Row
from desktop.ui.widgets.lists import EmptyWords, SearchedList

SAID = 240  # characters of an answer in its notification
OPEN = "open"
# An answer that is cut is an answer; these are none.
_ENDED_THERE = frozenset({MessageStatus.STOPPED, MessageStatus.SUPERSEDED})
NO_ANSWER = frozenset({MessageStatus.FAILED, MessageStatus.INTERRUPTED, *_ENDED_THERE})


class ScheduleNotices(QObject):
    """Tells of answers to scheduled questions. `opened` wants this conversation shown. Main thread only."""

    opened = Signal(int)

    def __init__(self, notifier: Notifier, relay: Relay) -> None:
        super().__init__()
        self._notifier = notifier
        relay.listen(ScheduleAnswered, self._on_answered)

    def _on_answered(self, event: ScheduleAnswered) -> None:
        answer = event.answer
        if answer.status in _ENDED_THERE:
            return  # whoever has ended it sits there
        failed = answer.status in NO_ANSWER
        asked = event.question.text
        title = tr("No answer: {question}", question=asked) if failed else asked
        text = tr("Open the chat to see why.") if failed else _short(answer.text)
        if event.is_late:
            due = words_of(moment_reason(event.question.due))
            text = "\n".join((text, tr("It was due on {when}.", when=due)))
        notice = Notification(
            f"schedule-{event.question.series}",
            title,
            text,
            ((OPEN, tr("Open the chat")),),
        )
        # A click on the notification itself means the same.
        self._notifier.show(notice, lambda _action: self.opened.emit(answer.conversation_id))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SAID else f"{words[:SAID].rstrip()}…"


SAYS = tr_noop(
    "Questions that Steward puts to itself, each answered in a chat of its own, and "
    "reminders that repeat. For these it only reads, and asks nothing."
)
NOTHING_YET = tr_noop(
    "Nothing repeats yet. Add a question here, or write in a chat: "
    "Every weekday at 8: what is in my notes for today?"
)
NOT_FOUND = tr_noop("No schedule matches the search.")
SCHEDULE_WORDS = FormWords(
    "schedule",
    tr_noop("The question"),
    tr_noop("What is in my notes for today?"),
    tr_noop("Every weekday at 8, every 2 weeks on Monday at 9, on the 1st of every month at 10"),
    tr_noop("{verb} the schedule"),
    tr_noop("Leave the schedule as it is"),
    must_repeat=True,
)


@dataclass(frozen=True)
class _Line:
    """A schedule as its row shows it; equal values keep their row."""

    schedule: Schedule
    when: str
    latest: str

    @property
    def captions(self) -> tuple[str, ...]:
        return tuple(filter(None, (origin_said(self.schedule.reminder), self.when, self.latest)))


class SchedulesPage(EditedInRows):
    """Reads on the pool whenever something changes while it is in sight. Main thread only."""

    title = tr_noop("Schedules")
    icon = "again"
    chat_requested = Signal(int)

    def __init__(
        self,
        reminders: Reminders,
        relay: Relay,
        background: Background,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__(tr(SAYS), SCHEDULE_WORDS, reminders, background, now)
        self._build()
        self.follow(relay, RemindersChanged, ScheduleAnswered)

    def shown(self) -> None:
        self._reading.run(self._reminders.schedules, done=self._on_read, failed=self.outcome.refuse)

    def _on_read(self, found: Sequence[Schedule]) -> None:
        if any(each.reminder.id == self.editor.reminder_id for each in found):
            return
        lines = [_Line(each, _when(each.reminder), _latest(each.reminder, each.latest)) for each in found]
        self.found.show_values(lines)

    # -- doing ------------------------------------------------------------------------------------

    def _run(self, act: Callable[..., object], *given: Any, said: str = "") -> None:
        clear = self.outcome.clearing()

        def done(_result: object) -> None:
            clear()
            if said:
                self.toast.offer(said)

        self._background.run(act, *given, done=done, failed=self.outcome.refuse)

    def set_words(self, made: Reminder) -> str:
        return tr("Set. Next: {when}", when=words_of(moment_reason(made.due)))

    def _run_now(self, schedule: Reminder) -> None:
        words = (
            tr("It is being asked now; the answer comes as a chat.") if schedule.asks else tr("Shown now.")
        )
        self._run(self._reminders.run_now, schedule.id, said=words)

    def _edit(self, schedule: Reminder) -> None:
        self.edit(schedule, lambda: self.found.list.row(schedule.id))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.found: SearchedList[_Line] = SearchedList(
            "schedules",
            self._row,
            lambda line: line.schedule.reminder.id,
            lambda line: " ".join((line.schedule.reminder.text, *line.captions)),
            EmptyWords(NOTHING_YET, NOT_FOUND),
            tr("Search schedules"),
        )
        self.fill(self.found)

    def _row(self, line: _Line) -> QWidget:
        schedule = line.schedule.reminder
        icon = "question" if schedule.asks else "bell"
        ink = "text" if schedule.is_on else "secondary"
        buttons = self._buttons(schedule, line.schedule.latest)
        return Row(icon, ink, schedule.text, line.captions, buttons)

    def _buttons(self, schedule: Reminder, latest: ScheduleRun | None) -> tuple[QPushButton, ...]:
        made: list[QPushButton] = []

        def add(label: str, name: str, act: Callable[[], object]) -> None:
            described = f"{label}: {schedule.text}"
            made.append(action(label, f"schedule_{name}_{schedule.id}", act, described=described))

        if latest is not None and latest.chat and latest.outcome:
            add(tr("Open the answer"), "open", partial(self.chat_requested.emit, latest.chat))
        add(tr("Run now"), "run", partial(self._run_now, schedule))
        switch = partial(self._run, self._reminders.set_on, schedule.id, not schedule.is_on)
        add(tr("Switch off") if schedule.is_on else tr("Switch on"), "switch", switch)
        add(tr("Edit"), "edit", partial(self._edit, schedule))
        add(tr("Delete"), "delete", partial(self.end, schedule, tr("Deleted.")))
        return tuple(made)


def _when(schedule: Reminder) -> str:
    assert schedule.repeats is not None
    if schedule.is_on:
        return repeats_said(schedule.repeats, schedule.due)
    return tr("Switched off: {repeats}", repeats=words_of(schedule.repeats.in_words()))


def _latest(schedule: Reminder, run: ScheduleRun | None) -> str:
    if run is None:
        return tr("It has not been due yet.")
    when = words_of(moment_reason(run.due))
    if not schedule.asks:
        return tr("Last shown: {when}", when=when)
    if not run.outcome and run.ended is None:
        return tr("Waits for its answer since {when}", when=when)
    if not run.outcome or run.outcome in NO_ANSWER:
        return tr("Last asked: {when}. It got no answer.", when=when)
    return tr("Last asked: {when}. It was answered.", when=when)
