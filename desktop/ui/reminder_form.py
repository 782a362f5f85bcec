"""What to remind of, and when: the time is said back in full while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout

from desktop.errors import UserFacing
from desktop.tools.reminders import LONGEST
from desktop.tools.times import Moment, read_time, said
from desktop.ui import theme
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import later, tr
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.rows import small

EXAMPLE = later("Tomorrow at 9, in 20 minutes, 27 November 14:30")


class ReminderForm(QFrame):
    """`saved` comes with text and moment once both are clear. Main thread only."""

    saved = Signal(str, datetime)
    left = Signal()
    settled = Signal()  # it has another size now

    def __init__(self, now: Callable[[], datetime], verb: str, can_leave: bool) -> None:
        super().__init__()
        self._now, self._can_leave = now, can_leave
        self.setObjectName("reminder_form")
        self.text = _field("reminder_text", tr("What to remind you of"), tr("Call Anna"))
        self.text.setMaxLength(LONGEST)
        self.when = _field("reminder_when", tr("When"), tr(EXAMPLE))
        self.said = Label("", CAPTION_PX, colour="secondary", name="reminder_said")
        self.save = button(verb, "reminder_save", described=tr("{verb} the reminder", verb=verb))
        self.leave = button(tr("Cancel"), "reminder_leave", described=tr("Leave the reminder as it is"))
        self._lay_out()
        self.save.clicked.connect(lambda _checked: self._on_save())
        self.leave.clicked.connect(lambda _checked: self.left.emit())
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._can_leave:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Esc leaves the form before it closes the window."""
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and self._can_leave and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    # -- how ----------------------------------------------------------------------------------

    def _moment(self) -> Moment:
        # The library that other languages need would hold the window up; a tool call may take its time.
        return read_time(self.when.text(), self._now(), thorough=False)

    def _show_moment(self) -> None:
        """Also where both cannot be saved yet; the reason comes only once something is written."""
        ready = False
        words = ""
        if self.when.text().strip():
            try:
                moment = self._moment()
            except UserFacing as error:
                words = error.cause
            else:
                words = said(moment.at, self._now()) + (f"; {moment.note}" if moment.note else "")
                ready = bool(self.text.text().strip())
        self.said.show_text(words)
        self.save.setEnabled(ready)

    def _on_save(self) -> None:
        self._show_moment()  # what was still to come may be over by now
        if self.save.isEnabled():
            self.saved.emit(self.text.text(), self._moment().at)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(6))
        for widget in (self.text, self.when, self.said):
            column.addWidget(widget)
        row = FlowLayout()
        for each in (self.save, self.leave):
            small(each)
            row.addWidget(each)
        column.addLayout(row)
        if not self._can_leave:
            self.leave.hide()


def _field(name: str, words: str, example: str) -> QLineEdit:
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(words)
    made.setPlaceholderText(f"{words}: {example}")
    return made
