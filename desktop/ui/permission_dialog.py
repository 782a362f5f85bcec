"""The window that asks for permission. A stray key or click can at worst deny.

A `QMessageBox` can show neither complete arguments nor arm its buttons late. The dialog is opened with
`open()` or `show()` and never with `exec()`; it answers once, by a signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from desktop.asking import DENIED, Answer, Question
from desktop.ui.focus_ring import FocusRing
from desktop.ui.language import told, tr
from desktop.ui.permission.arming import ARM_MS, Arming
from desktop.ui.permission.body import Body
from desktop.ui.permission.footer import Footer
from desktop.ui.permission.judgement import Header, Judgement
from desktop.ui.permission.visible import visible
from desktop.ui.permission.words import description, queue_words, time_words
from desktop.ui.theme import Theme

WIDTH, WIDTH_WITH_DIFF = 480, 560
MIN_WIDTH = 320
LEAST_TO_READ = 120
SCREEN_SHARE = 0.92
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PermissionDialog(QDialog):
    """One question. With a parent it is modal to that window; without one it stands on top, not activated.

    Main thread only. The owner shows it with `ask` and lets it go after `answered` or `dismiss`.
    """

    answered = Signal(object)  # Answer, once
    deny_all_requested = Signal()
    attended_changed = Signal(bool)  # hovered or focused: its time stands still

    def __init__(
        self, theme: Theme, question: Question, parent: QWidget | None = None, arm_ms: int = ARM_MS
    ) -> None:
        super().__init__(parent)
        self.question = question
        self._theme = theme
        self._over = False
        self._hovered = False
        self._attended = False
        self._left_s = question.timeout_s
        self._queue = ""
        self._held = True
        self.header = Header(theme, question)
        self.body = Body(theme, question)
        self.judgement = Judgement(theme, question)
        self.footer = Footer(theme, question)
        self._column = QVBoxLayout(self)
        for part in (self.header, self.body, self.judgement, self.footer):
            self._column.addWidget(part, 1 if part is self.body else 0)
        self._name()
        self._order_focus()
        self._prepare_window()
        self.ring = FocusRing(theme, self)
        self.arming = Arming(self, arm_ms)
        self.arming.watch()
        self._connect()
        self._restyle()

    # -- what the owner calls -----------------------------------------------------------------

    def ask(self) -> None:
        """Show it: over its window, or on top of all others without taking the keyboard."""
        if self.parentWidget() is not None:
            self.open()
        else:
            self.show()
            self.raise_()

    def dismiss(self) -> None:
        """Close without an answer: the question was withdrawn or its time is over."""
        self._end()

    def set_waiting(self, waiting: int, others: Sequence[str] = ()) -> None:
        """How many questions wait, this one included, and the agents that ask those behind it."""
        self._queue = queue_words(waiting, others)
        self.footer.set_waiting(waiting, self._queue)
        self._show_time()

    def set_left(self, left_s: float | None) -> None:
        """Seconds until the question ends by itself; None if it stays."""
        self._left_s = left_s
        self._show_time()

    # -- Qt -----------------------------------------------------------------------------------

    def reject(self) -> None:
        """Esc, the close button, and whatever else ends a dialog: no."""
        self._finish(DENIED)

    def accept(self) -> None:
        """Nothing accepts by itself."""

    def closeEvent(self, event: QCloseEvent) -> None:
        self._finish(DENIED)
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()
        super().showEvent(event)
        self.footer.deny.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc denies, except that of an input method; Enter presses only what has the focus."""
        if event.key() == Qt.Key.Key_Escape:
            if not self.footer.field.composing:
                self._finish(DENIED)
        elif event.key() in _ENTER:
            focused = self.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        result = super().event(event)
        kind = event.type()
        if kind in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._hovered = kind is QEvent.Type.Enter
            self._look()
        elif kind in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate, QEvent.Type.Hide):
            self._look()
        return result

    # -- inside -------------------------------------------------------------------------------

    def _name(self) -> None:
        self.setObjectName("permission_dialog")
        self.setWindowTitle(tr("Permission – Steward"))
        self.setAccessibleName(visible(told(self.question.title)))
        self.setAccessibleDescription(description(self.question))

    def _order_focus(self) -> None:
        footer = self.footer
        order: list[QWidget] = [footer.deny, *self.body.stops, *self.judgement.stops]
        order += [
            footer.snapshot,
            footer.allow,
            footer.scope,
            footer.instead,
            footer.field,
            footer.send,
            footer.deny_all,
        ]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _prepare_window(self) -> None:
        if self.parentWidget() is not None:
            self.setWindowModality(Qt.WindowModality.WindowModal)
        else:
            self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)

    def _connect(self) -> None:
        self.arming.changed.connect(self._on_armed)
        self.footer.answered.connect(self._on_pressed)
        self.footer.deny_all_requested.connect(self._on_deny_all)
        self.footer.grew.connect(self._fit)
        self._theme.changed.connect(self._restyle)

    def _on_armed(self, armed: bool) -> None:
        if not armed and self.focusWidget() in (self.footer.allow, self.footer.scope):
            self.footer.deny.setFocus(Qt.FocusReason.OtherFocusReason)
        self.footer.set_armed(armed)
        self._show_time()

    def _on_pressed(self, answer: Answer) -> None:
        # The filter lets no press through before the arming; a yes is looked at twice.
        if self.arming.armed or not answer.allowed:
            self._finish(answer)

    def _on_deny_all(self) -> None:
        if not self._over:
            self._over = True
            self.deny_all_requested.emit()
            self._end()

    def _finish(self, answer: Answer) -> None:
        """Say it once, while the window is still the active one, then go."""
        if not self._over:
            self._over = True
            self.answered.emit(answer)
            self._end()

    def _end(self) -> None:
        self._over = True
        self.footer.menu.close()
        self.done(0)

    def _look(self) -> None:
        attended = self.isVisible() and (self._hovered or self.isActiveWindow())
        if attended is not self._attended:
            self._attended = attended
            self.attended_changed.emit(attended)
        self._show_time()

    def _show_time(self) -> None:
        parts = [
            "" if self.arming.armed or self.isActiveWindow() else tr("Click here first to answer"),
            time_words(self.question, self._left_s, self._attended),
            self._queue,
        ]
        self.footer.time.setText(" · ".join(part for part in parts if part))

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(20), px(20), px(20), px(16))
        self._column.setSpacing(px(12))
        for part in (self.header, self.body, self.judgement, self.footer):
            part.restyle()
        self._fit()

    def _fit(self) -> None:
        """The brief's width and the height of the text, or what the screen has for it."""
        room = self.screen().availableGeometry().size() * SCREEN_SHARE
        width = min(self._theme.px(WIDTH_WITH_DIFF if self.question.diff else WIDTH), room.width())
        self._measure(width)
        self.setMinimumSize(min(width, self._theme.px(MIN_WIDTH)), min(room.height(), self._theme.px(280)))
        self.resize(width, min(self._height(self.body.sizeHint().height()), room.height()))
        self._arrange()

    def _measure(self, width: int) -> None:
        """Every part gets the height that it needs in a dialog of `width`."""
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        self.body.room = None
        self.body.fit(inner)
        for part in (self.header, self.judgement):
            part.hold(inner)

    def _height(self, body: int) -> int:
        """That of the dialog, all parts in sight, for a height of the body."""
        margins = self._column.contentsMargins()
        held = self.header.height() + self.judgement.height() + self.footer.sizeHint().height()
        return margins.top() + held + body + margins.bottom() + 3 * self._column.spacing()

    def _arrange(self) -> None:
        """Hold title and judgement in sight or, where that leaves too little to read, let them scroll."""
        self._measure(self.width())
        least = min(self.body.sizeHint().height(), self._theme.px(LEAST_TO_READ))
        held = self._height(least) <= self.height()
        if held is not self._held:
            self._held = held
            self._place_held()
        self.body.room = self.height() - self._height(0) if held else None
        self.body.fit(self.body.viewport().width())  # less than measured where a scroll bar takes room

    def _place_held(self) -> None:
        if self._held:
            self.body.let_go()
            self._column.insertWidget(0, self.header)
            self._column.insertWidget(2, self.judgement)
        else:
            self.body.take_in(self.header, self.judgement)
