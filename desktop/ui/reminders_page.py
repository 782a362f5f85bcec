"""The Reminders page: what is due and what is to come, each with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.tools.reminders import Reminder, Reminders, RemindersChanged
from desktop.tools.times import local_now, said
from desktop.ui import theme
from desktop.ui.error_card import ErrorCard
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import later, tr
from desktop.ui.models.page import clear
from desktop.ui.pages.page import Page
from desktop.ui.reminder_form import ReminderForm
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.toast import Toast
from desktop.ui.widgets.rows import Row, RowList, small
from desktop.ui.widgets.scroll import ScrollColumn

SAYS = later(
    "Steward shows a notification when one is due; what was missed is kept here until you are done with it."
)
NOTHING_YET = later(
    "No reminders are set. Add one here, or write in a chat: Remind me tomorrow at 9 to call Anna."
)
AGAIN_MS = 30_000  # the words say how far away each is


@dataclass(frozen=True)
class ReminderLine:
    """A reminder as its row shows it; equal values keep their row."""

    reminder: Reminder
    when: str
    is_due: bool


class RemindersPage(Page):
    """Reads the reminders on the pool whenever they change while it is in sight. Main thread only."""

    title = later("Reminders")
    icon = "bell"

    def __init__(
        self,
        reminders: Reminders,
        relay: Relay,
        background: Background,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__(tr(SAYS))
        self._reminders = reminders
        self._background = background
        self._now = now
        self._readings = 0
        self._editing: int | None = None
        self._build()
        self._timer = QTimer(self, interval=AGAIN_MS)
        self._timer.timeout.connect(self.shown)
        relay.listen(RemindersChanged, lambda _event: self._on_changed())

    # -- what is shown ----------------------------------------------------------------------------

    def shown(self) -> None:
        """Read the reminders again."""
        self._readings += 1
        number = self._readings
        self._background.run(self._reminders.open, done=lambda found: self._on_read(number, found))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _on_changed(self) -> None:
        if self.isVisible():
            self.shown()

    def _on_read(self, number: int, found: Sequence[Reminder]) -> None:
        if number != self._readings:
            return
        now = self._now()
        lines = [ReminderLine(each, said(each.due, now), each.due <= now) for each in found]
        for line in lines:
            if line.reminder.id == self._editing:  # whoever writes in it keeps what was written
                return
        due = [line for line in lines if line.is_due]
        later = [line for line in lines if not line.is_due]
        for heading, rows, part in (
            (self.due_heading, self.due_list, due),
            (self.later_heading, self.later_list, later),
        ):
            heading.setVisible(bool(part))
            rows.show_rows([(line.reminder.id, line) for line in part])
        self.empty.show_text("" if lines else tr(NOTHING_YET))

    # -- doing ------------------------------------------------------------------------------------

    def _add(self, text: str, at: datetime) -> None:
        def done(_reminder: Reminder) -> None:
            self.form.fill("", "")
            self.form.text.setFocus()
            self.toast.offer(tr("Set for {said}.", said=said(at, self._now())))

        self._background.run(self._reminders.add, text, at, done=done, failed=self._on_failed)

    def _end(self, reminder: Reminder, words: str) -> None:
        def undo() -> None:
            self._background.run(self._reminders.restore, reminder.id, failed=self._on_failed)

        self._background.run(
            self._reminders.end,
            reminder.id,
            done=lambda _none: self.toast.offer(words, tr("Undo"), undo),
            failed=self._on_failed,
        )

    def _snooze(self, reminder: Reminder) -> None:
        self._background.run(
            self._reminders.snooze,
            reminder.id,
            done=lambda at: self.toast.offer(tr("Shown again at {at:%H:%M}.", at=at)),
            failed=self._on_failed,
        )

    def _edit(self, reminder: Reminder) -> None:
        """In its row; one at a time."""
        self._leave()
        row = self.later_list.row(reminder.id) or self.due_list.row(reminder.id)
        if not isinstance(row, Row):
            return
        self._editing = reminder.id
        form = ReminderForm(self._now, tr("Save"), can_leave=True)
        form.fill(reminder.text, f"{reminder.due:%Y-%m-%d %H:%M}")
        form.left.connect(self._leave)
        form.saved.connect(lambda text, at: self._change(reminder, text, at))
        row.column.addWidget(form)
        form.settled.connect(lambda: self._scroll.reveal(form.save))
        form.when.setFocus()
        form.when.selectAll()

    def _change(self, reminder: Reminder, text: str, at: datetime) -> None:
        self._background.run(
            self._reminders.change,
            reminder.id,
            text,
            at,
            done=lambda _none: self._leave(),
            failed=self._on_failed,
        )

    def _leave(self) -> None:
        """Close the form, and show what it hid."""
        self._editing = None
        for rows in (self.due_list, self.later_list):
            for form in rows.findChildren(ReminderForm):
                form.hide()
                form.setParent(None)
                form.deleteLater()
        self.shown()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        clear(self._problem)
        self._problem.addWidget(ErrorCard(error, [(tr("Close"), lambda: clear(self._problem))]))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.form = ReminderForm(self._now, tr("Add"), can_leave=False)
        self.form.saved.connect(self._add)
        self.due_heading = _heading(tr("Due"))
        self.later_heading = _heading(tr("To come"))
        self.due_list: RowList[ReminderLine] = RowList("due_reminders", self._row)
        self.later_list: RowList[ReminderLine] = RowList("later_reminders", self._row)
        self.empty = Label("", SMALL_PX, colour="secondary", name="reminders_empty")
        self._problem = QVBoxLayout()
        self._scroll = ScrollColumn("reminders_scroll")
        self._scroll.body.addLayout(self._problem)
        for widget in (
            *(self.form, self.empty, self.due_heading, self.due_list),
            *(self.later_heading, self.later_list),
        ):
            self._scroll.body.addWidget(widget)
        self._scroll.body.addStretch(1)
        self.column.addWidget(self._scroll, 1)
        self.due_heading.hide()
        self.later_heading.hide()
        self.toast = Toast(self)

    def _row(self, line: ReminderLine) -> QWidget:
        sign = ("bell", "warning") if line.is_due else ("bell", "secondary")
        words = tr("Due since {when}", when=line.when) if line.is_due else line.when
        row = Row(*sign, line.reminder.text, (words,))
        below = FlowLayout()
        for each in self._buttons(line):
            small(each)
            below.addWidget(each)
        row.column.addLayout(below)
        return row

    def _buttons(self, line: ReminderLine) -> tuple[QPushButton, ...]:
        reminder = line.reminder
        made: list[QPushButton] = []

        def add(label: str, name: str, act: Callable[[], None]) -> None:
            made.append(button(label, f"{name}_{reminder.id}", described=f"{label}: {reminder.text}"))
            made[-1].clicked.connect(lambda _checked: act())

        if line.is_due:
            add(tr("Done"), "done", lambda: self._end(reminder, tr("Done.")))
            add(tr("Snooze 10 min"), "snooze", lambda: self._snooze(reminder))
        add(tr("Edit"), "edit", lambda: self._edit(reminder))
        if not line.is_due:
            add(tr("Delete"), "delete", lambda: self._end(reminder, tr("Deleted.")))
        return tuple(made)


def _heading(text: str) -> Label:
    label = Label(text, BODY_PX, bold=True, name="section_heading")
    label.setContentsMargins(0, theme.px(8), 0, 0)
    return label
