"""Reminders: the form for a new one, and the page that lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop.errors import UserFacing
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.tools.reasons import ToolReason
from desktop.tools.recurrence import Recurrence, moment_reason
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminders import (
    LONGEST,
    Reminder,
    Reminders,
    RemindersChanged,
)
from desktop.tools.times import Moment, local_now
from desktop.ui import theme
from desktop.ui.language import distance_words, error_parts, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.reminder_notices import is_due, origin_said
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, action
from desktop.ui.widgets.cards import EscapeFrame, OutcomeLine, Row
from desktop.ui.widgets.labels import Label, SectionHeading
from desktop.ui.widgets.layout import ScrollColumn, from_its_side, named
from desktop.ui.widgets.lists import EmptyState, EmptyWords, FilteredList

EXAMPLE = tr_noop("Tomorrow at 9, in 20 minutes, every Monday at 9, 27 November 14:30")


@dataclass(frozen=True)
class FormWords:
    """What a form is called and says; `name` begins the names of its parts. The others are English."""

    name: str
    text: str
    text_example: str
    when_example: str
    verb: str  # of the button, described for screen readers
    leave: str
    must_repeat: bool = False


REMINDER_WORDS = FormWords(
    "reminder",
    tr_noop("What to remind you of"),
    tr_noop("Call Anna"),
    EXAMPLE,
    tr_noop("{verb} the reminder"),
    tr_noop("Leave the reminder as it is"),
)


class ReminderForm(EscapeFrame):
    """`saved` comes with the text and its `Moment` once both are clear. Main thread only."""

    saved = Signal(str, Moment)
    left = Signal()
    settled = Signal()  # it has another size now

    def __init__(
        self, now: Callable[[], datetime], verb: str, can_leave: bool, words: FormWords = REMINDER_WORDS
    ) -> None:
        super().__init__()
        self._now, self._can_leave, self._words = now, can_leave, words
        name = words.name
        self.setObjectName(f"{name}_form")
        self.text = _field(f"{name}_text", tr(words.text), tr(words.text_example))
        self.text.setMaxLength(LONGEST)
        self.when = _field(f"{name}_when", tr("When"), tr(words.when_example))
        self.said = Label("", CAPTION_PX, colour="secondary", name=f"{name}_said")
        self.save = action(verb, f"{name}_save", self._on_save, described=tr(words.verb, verb=verb))
        self.leave = action(tr("Cancel"), f"{name}_leave", self.left.emit, described=tr(words.leave))
        self._lay_out()
        for each in (self.text, self.when):
            each.textChanged.connect(lambda _text: self._show_moment())
            each.returnPressed.connect(self._on_save)
            each.setFont(theme.font(SMALL_PX))
        self._show_moment()

    def fill(self, text: str, when: str) -> None:
        self.text.setText(text)
        self.when.setText(when)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.settled.emit()

    def wants_escape(self) -> bool:
        return self._can_leave

    def on_escape(self) -> None:
        self.left.emit()

    # -- how ----------------------------------------------------------------------------------

    def _moment(self) -> Moment:
        # The library that other languages need would hold the window up; a tool call may take its time.
        moment = read_when(self.when.text(), self._now(), thorough=False)
        if self._words.must_repeat and moment.repeats is None:
            raise UserFacing(ToolReason.SCHEDULE_ONCE.of())
        return moment

    def _show_moment(self) -> None:
        """Also where both cannot be saved yet; the reason comes only once something is written."""
        ready = False
        words = ""
        if self.when.text().strip():
            try:
                moment = self._moment()
            except UserFacing as error:
                words = error_parts(error)[0]
            else:
                words = moment_said(moment, self._now()) + (f"; {moment.note}" if moment.note else "")
                ready = bool(self.text.text().strip())
        self.said.show_text(words)
        self.save.setEnabled(ready)

    def _on_save(self) -> None:
        self._show_moment()  # what was still to come may be over by now
        if self.save.isEnabled():
            self.saved.emit(self.text.text(), self._moment())

    def _lay_out(self) -> None:
        column = theme.space(QVBoxLayout(self), 6)
        for widget in (self.text, self.when, self.said):
            column.addWidget(widget)
        column.addLayout(ActionRow(self.save, self.leave))
        if not self._can_leave:
            self.leave.hide()


def moment_said(moment: Moment, now: datetime) -> str:
    """The time in full; of what repeats how often, and the next time."""
    if moment.repeats is None:
        return due_said(moment.at, now)
    return repeats_said(moment.repeats, moment.at)


def due_said(at: datetime, now: datetime) -> str:
    """`Friday 27 November 2026, 14:30 (in 7 days)`"""
    return f"{words_of(moment_reason(at))} ({distance_words(at, now)})"


def repeats_said(repeats: Recurrence, at: datetime) -> str:
    """`Every weekday at 08:00. Next: Monday 23 November 2026, 08:00`"""
    words = words_of(repeats.in_words())
    return tr(
        "{repeats}. Next: {when}", repeats=words[:1].upper() + words[1:], when=words_of(moment_reason(at))
    )


class RowEditor(QObject):
    """Changes a reminder in its row, one at a time. `left` comes when its form is gone. Main thread only."""

    left = Signal()
    refused = Signal(object)  # the error

    def __init__(
        self, reminders: Reminders, background: Background, now: Callable[[], datetime], words: FormWords
    ) -> None:
        super().__init__()
        self._reminders = reminders
        self._background = background
        self._now = now
        self._words = words
        self._form: ReminderForm | None = None
        self.reminder_id: int | None = None  # whoever writes in its row keeps what was written

    def open(self, row: Row, reminder: Reminder, scroll: ScrollColumn) -> None:
        """The form in `row`, filled with words that it reads again."""
        form = ReminderForm(self._now, tr("Save"), can_leave=True, words=self._words)
        repeats = reminder.repeats
        when = words_of(repeats.in_words()) if repeats else f"{reminder.due:%Y-%m-%d %H:%M}"
        form.fill(reminder.text, when)
        form.left.connect(self.leave)
        form.saved.connect(partial(self._change, reminder.id))
        form.settled.connect(lambda: scroll.reveal(form.save))
        self._form, self.reminder_id = form, reminder.id
        row.column.addWidget(form)
        form.when.setFocus()
        form.when.selectAll()

    def leave(self) -> None:
        """Close the form, and have shown what it hid."""
        if self._form is not None and isValid(self._form):
            self._form.hide()
            self._form.setParent(None)
            self._form.deleteLater()
        self._form = self.reminder_id = None
        self.left.emit()

    def _change(self, reminder_id: int, text: str, moment: Moment) -> None:
        self._background.run(
            self._reminders.change,
            reminder_id,
            text,
            moment.at,
            moment.repeats,
            done=lambda _none: self.leave(),
            failed=self.refused.emit,
        )


def _field(name: str, words: str, example: str) -> QLineEdit:
    made = named(QLineEdit(), name, words)
    made.setPlaceholderText(from_its_side(made, f"{words}: {example}"))
    return made


SAYS = tr_noop(
    "Steward shows a notification when one is due; what was missed is kept here until you are done with it."
)

NOTHING_YET = tr_noop(
    "No reminders are set. Add one here, or write in a chat: Remind me tomorrow at 9 to call Anna."
)

AGAIN_MS = 30_000  # the words say how far away each is


@dataclass(frozen=True)
class ReminderLine:
    """A reminder as its row shows it; equal values keep their row."""

    reminder: Reminder
    when: str
    is_due: bool


def _when(reminder: Reminder, now: datetime) -> str:
    if reminder.repeats is None:
        return due_said(reminder.due, now)
    if reminder.is_on:
        return repeats_said(reminder.repeats, reminder.due)
    return tr("Switched off: {repeats}", repeats=words_of(reminder.repeats.in_words()))


class EditedInRows(Page):
    """A page of reminders or schedules: a form for a new one, and below it the others. Each is edited in its
    row, one at a time; what was deleted can be brought back. Main thread only.
    """

    def __init__(
        self,
        says: str,
        words: FormWords,
        reminders: Reminders,
        background: Background,
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(says)
        self._reminders = reminders
        self._background = background
        self._now = now
        self._asks = words.must_repeat  # what repeats and is added here is a question
        self._reading = Latest(background)
        self.form = ReminderForm(now, tr("Add"), False, words)
        self.form.saved.connect(self.add)
        self.outcome = OutcomeLine(f"{words.name}s_result")
        self.editor = RowEditor(reminders, background, now, words)
        self.editor.left.connect(self.shown)
        self.editor.refused.connect(self.outcome.refuse)
        self._scroll = ScrollColumn(f"{words.name}s_scroll")
        self._scroll.body.addLayout(self.outcome)
        self._scroll.body.addWidget(self.form)
        self.column.addWidget(self._scroll, 1)

    def fill(self, *parts: QWidget) -> None:
        """What stands below the form."""
        for widget in parts:
            self._scroll.body.addWidget(widget)
        self._scroll.body.addStretch(1)

    def add(self, text: str, moment: Moment) -> None:
        """Set it, and be ready for the next one."""

        def done(made: Reminder) -> None:
            self.form.fill("", "")
            self.form.text.setFocus()
            self.toast.offer(self.set_words(made))

        given = (text, moment.at, moment.repeats, self._asks)
        self._background.run(self._reminders.add, *given, done=done, failed=self.outcome.refuse)

    def set_words(self, made: Reminder) -> str:
        """What is said once it is set."""
        raise NotImplementedError

    def end(self, reminder: Reminder, words: str) -> None:
        """End a reminder, which `words` say; for a moment it can be brought back."""

        def undo() -> None:
            self._background.run(self._reminders.restore, reminder.id, failed=self.outcome.refuse)

        self._background.run(
            self._reminders.end,
            reminder.id,
            done=lambda _none: self.toast.offer(words, tr("Undo"), undo),
            failed=self.outcome.refuse,
        )

    def edit(self, reminder: Reminder, find: Callable[[], QWidget | None]) -> None:
        """In the row that `find` gives once the other form is gone; one at a time."""
        self.editor.leave()
        row = find()
        if isinstance(row, Row):
            self.editor.open(row, reminder, self._scroll)


class RemindersPage(EditedInRows):
    """Reads the reminders on the pool whenever they change while it is in sight. Main thread only."""

    title = tr_noop("Reminders")
    icon = "bell"

    def __init__(
        self,
        reminders: Reminders,
        relay: Relay,
        background: Background,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__(tr(SAYS), REMINDER_WORDS, reminders, background, now)
        self._build()
        self._timer = QTimer(self, interval=AGAIN_MS)
        self._timer.timeout.connect(self.shown)
        self.follow(relay, RemindersChanged)

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        """Read the reminders again."""
        self._reading.run(self._reminders.open, done=self._on_read, failed=self.outcome.refuse)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _on_read(self, found: Sequence[Reminder]) -> None:
        now = self._now()
        lines = [ReminderLine(each, _when(each, now), is_due(each, now)) for each in found]
        for line in lines:
            if line.reminder.id == self.editor.reminder_id:
                return
        due = [line for line in lines if line.is_due]
        later = [line for line in lines if not line.is_due]
        for heading, rows, part in (
            (self.due_heading, self._due, due),
            (self.later_heading, self._later, later),
        ):
            for widget in (heading, rows):
                widget.setVisible(bool(part))
            rows.show_values(part)
        self.empty.show_for(len(lines), is_narrowed=False)

    # -- doing ------------------------------------------------------------------------------------

    def set_words(self, made: Reminder) -> str:
        return tr("Set for {said}.", said=due_said(made.due, self._now()))

    def _snooze(self, reminder: Reminder) -> None:
        self._background.run(
            self._reminders.snooze,
            reminder.id,
            done=lambda at: self.toast.offer(tr("Shown again at {at:%H:%M}.", at=at)),
            failed=self.outcome.refuse,
        )

    def _edit(self, reminder: Reminder) -> None:
        self.edit(reminder, lambda: self.later_list.row(reminder.id) or self.due_list.row(reminder.id))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.due_heading = SectionHeading(tr("Due"))
        self.later_heading = SectionHeading(tr("Upcoming"))
        self._due, self._later = self._rows("due_reminders"), self._rows("later_reminders")
        self.due_list, self.later_list = self._due.list, self._later.list
        self.empty = EmptyState("reminders_empty", EmptyWords(NOTHING_YET))
        self.fill(self.empty, self.due_heading, self._due, self.later_heading, self._later)
        for part in (self.due_heading, self._due, self.later_heading, self._later):
            part.hide()

    def _rows(self, name: str) -> FilteredList[ReminderLine]:
        """A page of them at first. Hidden while there are none: one line says that for both lists."""
        return FilteredList(name, self._row, lambda line: line.reminder.id, EmptyWords(NOTHING_YET))

    def _row(self, line: ReminderLine) -> QWidget:
        sign = ("bell", "warning") if line.is_due else ("bell", "secondary")
        words = tr("Due since {when}", when=line.when) if line.is_due else line.when
        captions = tuple(filter(None, (origin_said(line.reminder), words)))
        return Row(*sign, line.reminder.text, captions, self._buttons(line))

    def _buttons(self, line: ReminderLine) -> tuple[QPushButton, ...]:
        reminder = line.reminder
        made: list[QPushButton] = []

        def add(label: str, name: str, act: Callable[[], None]) -> None:
            made.append(action(label, f"{name}_{reminder.id}", act, described=f"{label}: {reminder.text}"))

        if line.is_due:
            add(tr("Done"), "done", lambda: self.end(reminder, tr("Done.")))
            add(tr("Snooze 10 min"), "snooze", lambda: self._snooze(reminder))
        add(tr("Edit"), "edit", lambda: self._edit(reminder))
        if not line.is_due:
            add(tr("Delete"), "delete", lambda: self.end(reminder, tr("Deleted.")))
        return tuple(made)
