"""The window that asks for permission. A stray key or click can at worst deny.

A `QMessageBox` can show neither complete arguments nor arm its buttons late. The dialog is opened with
`open()` or `show()` and never with `exec()`; it answers each question once, by a signal. `InputGuard` keeps
its answers from being given by a key that was meant for something else, `Attention` calls the user to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QDialog, QPushButton, QVBoxLayout, QWidget

from desktop.asking import DENIED, Answer, Question
from desktop.ui import theme
from desktop.ui.language import tr, words_of
from desktop.ui.permission.body import Body
from desktop.ui.permission.footer import Footer
from desktop.ui.permission.judgement import Header, Judgement
from desktop.ui.permission.queue import WIDTH as QUEUE_WIDTH
from desktop.ui.permission.queue import Entry, Queue
from desktop.ui.permission.visible import visible
from desktop.ui.permission.words import description, queue_words, time_words
from desktop.ui.placement import Placement
from desktop.ui.widgets.focus_ring import FocusRing

ARM_MS = 500

_ARMING_STEPS = 5

# A step that comes this late means that the window stood still: nothing was painted, input piled up.
_STALL_MS = 300


_Type = QEvent.Type

_INPUT = frozenset(
    {
        _Type.KeyPress,
        _Type.KeyRelease,
        _Type.ShortcutOverride,
        _Type.Shortcut,
        _Type.InputMethod,
        _Type.MouseButtonPress,
        _Type.MouseButtonRelease,
        _Type.MouseButtonDblClick,
        _Type.TouchBegin,
        _Type.TouchUpdate,
        _Type.TouchEnd,
        _Type.TabletPress,
        _Type.TabletRelease,
        _Type.ContextMenu,
    }
)

_PRESSES = frozenset({_Type.MouseButtonPress, _Type.MouseButtonDblClick, _Type.TouchBegin, _Type.TabletPress})

# To another question of the queue, which answers nothing.
_STEP_KEYS = frozenset({Qt.Key.Key_PageDown, Qt.Key.Key_PageUp})

_ANSWER_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape})


class InputGuard(QObject):
    """Swallows keys and clicks of a window until it has been active for half a second.

    It begins again at every showing and every activation. Call `watch` when all children are there.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, arm_ms: int = ARM_MS, free: QWidget | None = None) -> None:
        """What is pressed in `free` answers nothing, and is let through at any time."""
        super().__init__(window)
        self._window = window
        self._free = free
        self._steps = 0
        self._armed = False
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse one may come early
        self._timer.setInterval(arm_ms // _ARMING_STEPS)
        self._timer.timeout.connect(self._on_step)

    @property
    def armed(self) -> bool:
        return self._armed

    def watch(self) -> None:
        """Stand before the window and every widget in it."""
        for widget in (self._window, *self._window.findChildren(QWidget)):
            if self._free is None or not (widget is self._free or self._free.isAncestorOf(widget)):
                widget.installEventFilter(self)

    def restart(self) -> None:
        """Another question is shown in the same window: half a second for it, too."""
        self.watch()
        self._begin()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window and kind in (_Type.Show, _Type.WindowActivate):
            self._begin()
        elif watched is self._window and kind in (_Type.Hide, _Type.WindowDeactivate):
            self._on_left()
        if kind not in _INPUT or not self._is_stray(event):
            return False
        if kind in _PRESSES and not self._window.isActiveWindow():
            self._window.activateWindow()  # where no window manager does it
        event.accept()  # a key that nobody took would go on to the parent, and a shortcut would fire
        return True

    def _is_stray(self, event: QEvent) -> bool:
        """Too early, the second half of a double click, or a key that has been held down since."""
        if isinstance(event, QKeyEvent) and _is_step(event):
            return False
        if not self._armed or event.type() is _Type.MouseButtonDblClick:
            return True
        return isinstance(event, QKeyEvent) and event.isAutoRepeat() and event.key() in _ANSWER_KEYS

    def _begin(self) -> None:
        self._steps = 0
        self._set(False)
        if self._window.isActiveWindow():
            self._since.start()
            self._timer.start()

    def _on_left(self) -> None:
        # A menu of the window itself may take the activation on some systems.
        if QApplication.activePopupWidget() is None:
            self._timer.stop()
            self._set(False)

    def _on_step(self) -> None:
        stalled = self._since.restart() > _STALL_MS
        self._steps = 0 if stalled else self._steps + 1
        if not self._window.isActiveWindow():
            self._timer.stop()
        elif self._steps >= _ARMING_STEPS:
            self._timer.stop()
            self._set(True)

    def _set(self, armed: bool) -> None:
        if armed is not self._armed:
            self._armed = armed
            self.changed.emit(armed)


def _is_step(event: QKeyEvent) -> bool:
    return event.key() in _STEP_KEYS and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


LOOK_MS = 10_000  # for so long after it was moved, the pointer counts

_ACTS = frozenset(
    {
        _Type.KeyPress,
        _Type.MouseButtonPress,
        _Type.Wheel,
        _Type.TouchBegin,
        _Type.TabletPress,
        _Type.TabletMove,
    }
)


class Attention(QObject):
    """Follows one window: it is looked at while it is active, and for a while after anything is done in it.

    Call `watch` when the window's children are there, and again for those that come later.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, look_ms: int = LOOK_MS) -> None:
        super().__init__(window)
        self._window = window
        self._seen = False
        self._last: QPointF | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(look_ms)
        self._timer.timeout.connect(self._tell)

    @property
    def is_there(self) -> bool:
        """Whether somebody looks now."""
        return self._window.isVisible() and (self._window.isActiveWindow() or self._timer.isActive())

    def watch(self) -> None:
        """Hear of everything that happens in the window and in its children."""
        for widget in (self._window, *self._window.findChildren(QWidget)):
            # A pointer that moves over the text is somebody who reads it.
            widget.setMouseTracking(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _ACTS or (isinstance(event, QMouseEvent) and self._moved(event)):
            self._timer.start()
            self._tell()
        elif watched is self._window and kind in (
            _Type.WindowActivate,
            _Type.WindowDeactivate,
            _Type.Show,
            _Type.Hide,
        ):
            self._last = None
            if kind is _Type.Hide:
                self._timer.stop()
            QTimer.singleShot(0, self, self._tell)  # the widgets know only then
        return False

    def _moved(self, event: QMouseEvent) -> bool:
        """A window that opens below the pointer is told of a move that was none."""
        if event.type() is not _Type.MouseMove:
            return False
        before, self._last = self._last, event.globalPosition()
        return before is not None and before != self._last

    def _tell(self) -> None:
        if self.is_there is not self._seen:
            self._seen = self.is_there
            self.changed.emit(self._seen)


WIDTH, WIDTH_WITH_DIFF = 480, 560

MIN_WIDTH = 320

LEAST_TO_READ = 120

SCREEN_SHARE = 0.92

_STEPS: dict[int, int] = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PermissionDialog(QDialog):
    """One question at a time. With a parent it is modal to it; without one it stands on top, not activated.

    Main thread only. The owner shows it with `ask`. After `answered` it goes, unless the owner has shown
    another question in it by then.
    """

    answered = Signal(object)  # Answer, once for each question
    deny_all_requested = Signal(str)  # "" or the agent whose questions are meant
    chosen = Signal(object)  # Question: the user wants to see that one of the queue
    attended_changed = Signal(bool)  # looked at: its time stands still

    def __init__(self, question: Question, parent: QWidget | None = None, arm_ms: int = ARM_MS) -> None:
        super().__init__(parent)
        self._over = False
        self._queue = ""
        self._held = True
        self.queue = Queue()
        self._panel = QWidget()
        self._column = theme.space(QVBoxLayout(self._panel), 12, (20, 20, 20, 16))
        self._row = theme.space(QBoxLayout(QBoxLayout.Direction.LeftToRight, self))
        self._row.addWidget(self.queue)
        self._row.addWidget(self._panel, 1)
        self.placement = Placement(self)
        self._take(question)
        self._prepare_window()
        # The share of the screen that it may take is another on another screen.
        self.placement.rooms_changed.connect(self._fit)
        self.ring = FocusRing(self)
        self.input_guard = InputGuard(self, arm_ms, free=self.queue)
        self.input_guard.watch()
        self.attention = Attention(self)
        self.attention.watch()
        self._connect()
        self._fit()

    def _take(self, question: Question) -> None:
        """Make the parts that show `question`."""
        self.question = question
        self._left_s = question.timeout_s
        self.header = Header(question)
        self.body = Body(question)
        self.judgement = Judgement(question)
        self.footer = Footer(question)
        self._held = True
        for part in (self.header, self.body, self.judgement, self.footer):
            self._column.addWidget(part, 1 if part is self.body else 0)
        self.footer.answered.connect(self._on_pressed)
        self.footer.deny_all_requested.connect(self._on_deny_everything)
        self.footer.grew.connect(self._fit)
        self.body.unfolded.connect(self._fit)
        self.body.seen.connect(self._arm)
        self._name()
        self._order_focus()

    # -- what the owner calls -----------------------------------------------------------------

    def ask(self) -> None:
        """Show it: over its window, or on top of all others without taking the keyboard."""
        if self.parentWidget() is not None:
            self.open()
        else:
            self.show()
            self.raise_()

    def show_question(self, question: Question) -> None:
        """Another question in the same window, which stays where it is; it has half a second of its own."""
        before = (self.header, self.body, self.judgement, self.footer)
        self._over = False
        self._take(question)
        self.footer.deny.setFocus(Qt.FocusReason.OtherFocusReason)  # else the window would be left without
        for part in before:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self.input_guard.restart()
        self.attention.watch()
        self._fit()

    def set_queue(self, entries: Sequence[Entry]) -> None:
        """All questions that wait, this one among them, in the order in which they came."""
        before = self.queue.is_wanted
        self.queue.show_entries(entries, self.question)
        others = [each.question.origin.agent for each in entries if each.question is not self.question]
        self.set_waiting(len(entries), others)
        if before is not self.queue.is_wanted:
            self._fit()

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
        event.setAccepted(self._over)  # the next question may stand here already

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange:
            self._show_time()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()
        super().showEvent(event)
        self.footer.deny.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc denies, except that of an input method; Enter presses only what has the focus."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if control and event.key() in _STEPS:
            self.queue.step(_STEPS[event.key()])
        elif event.key() == Qt.Key.Key_Escape:
            if not self.footer.field.composing:
                self._finish(DENIED)
        elif event.key() in _ENTER:
            # QDialog would press a default button, and no yes may be the default.
            focused = self.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
        else:
            super().keyPressEvent(event)

    # -- inside -------------------------------------------------------------------------------

    def _name(self) -> None:
        self.setObjectName("permission_dialog")
        self.setWindowTitle(tr("Permission – Steward"))
        self.setAccessibleName(visible(words_of(self.question.title)))
        self.setAccessibleDescription(description(self.question))

    def _order_focus(self) -> None:
        footer = self.footer
        order: list[QWidget] = [footer.deny, *self.body.stops, *self.judgement.stops]
        order[1:1] = [self.queue.list, self.queue.deny_agent]
        order += [
            footer.snapshot,
            *(each for offer in footer.lasting.values() for each in offer.buttons),
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
            # An agent waits: below other windows its question would not be found in time.
            self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
            # It comes by itself: what is being typed elsewhere must not end up as an answer.
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)

    def _connect(self) -> None:
        self.input_guard.changed.connect(self._on_armed)
        self.attention.changed.connect(self._on_attended)
        self.queue.chosen.connect(self.chosen)
        self.queue.deny_requested.connect(self._on_deny_all)
        theme.current().changed.connect(self._fit)

    def _on_armed(self, armed: bool) -> None:
        if not armed and self.focusWidget() in (self.footer.allow, self.footer.scope):
            self.footer.deny.setFocus(Qt.FocusReason.OtherFocusReason)
        self._arm()

    def _arm(self) -> None:
        self.footer.set_armed(self.input_guard.armed, waits_for_reading=not self.body.is_seen)
        self._show_time()

    def _on_pressed(self, answer: Answer) -> None:
        # The filter lets no press through before the arming; a yes is looked at twice.
        if (self.input_guard.armed and self.body.is_seen) or not answer.allowed:
            self._finish(answer)

    def _on_deny_everything(self) -> None:
        self._on_deny_all()

    def _on_deny_all(self, agent: str = "") -> None:
        if not self._over:
            self._over = True
            self.deny_all_requested.emit(agent)
            self._go()

    def _finish(self, answer: Answer) -> None:
        """Say it once, while the window is still the active one, then go."""
        if not self._over:
            self._over = True
            self.answered.emit(answer)
            self._go()

    def _go(self) -> None:
        if self._over:  # else another question is shown already
            self._end()

    def _end(self) -> None:
        self._over = True
        self.footer.menu.close()
        self.done(0)

    def _on_attended(self, attended: bool) -> None:
        self.attended_changed.emit(attended)
        self._show_time()

    def _show_time(self) -> None:
        # Where the box has no room to say what is waited for it is said here, beside the grey yes.
        is_below = not self.body.is_seen and not self.body.shows_hint
        is_away = not (self.input_guard.armed or self.isActiveWindow())
        parts = [
            tr("Click here first to answer") if is_away else "",
            tr("To allow it, read to the end.") if is_below and not is_away else "",  # one after the other
            time_words(self.question, self._left_s, self.attention.is_there),
            "" if is_below else self._queue,  # two lines have no room for more
        ]
        self.footer.time.setText(" · ".join(part for part in parts if part))

    def _fit(self) -> None:
        """The brief's width and the height of the text, or what the screen has for it."""
        room = self.placement.rooms()[0].size() * SCREEN_SHARE
        width = min(theme.px(WIDTH_WITH_DIFF if self.question.diff else WIDTH), room.width())
        beside, above = self._place_queue(width, room)
        least = min(width, theme.px(MIN_WIDTH)) + beside
        self.setMinimumSize(least, min(room.height(), theme.px(280)))
        # First as wide as it will be: a list that has just come beside the parts has made them narrow, and
        # what they need in height would be reckoned from that.
        self.resize(width + beside, self.height())
        self._measure(width)
        height = self._height(self.body.sizeHint().height()) + above
        # At 150 % a window may come out a pixel lower than it was asked for, and a bar to scroll it came.
        height += not self.devicePixelRatioF().is_integer()
        self.resize(width + beside, min(height, room.height()))
        self._arrange()

    def _place_queue(self, width: int, room: QSize) -> tuple[int, int]:
        """Beside a question that is `width` wide or, where `room` is too narrow, above it: what it takes."""
        if not self.queue.is_wanted:
            return 0, 0
        is_band = width + theme.px(QUEUE_WIDTH) > room.width()
        way = QBoxLayout.Direction.TopToBottom if is_band else QBoxLayout.Direction.LeftToRight
        self._row.setDirection(way)
        self.queue.be_band(is_band)
        least = self._height(theme.px(LEAST_TO_READ)) - self.header.height() - self.judgement.height()
        self.queue.give_room(not is_band or least + self.queue.sizeHint().height() <= room.height())
        if self.queue.isHidden():
            return 0, 0
        return (0, self.queue.sizeHint().height()) if is_band else (theme.px(QUEUE_WIDTH), 0)

    def _room(self) -> tuple[int, int]:
        """Width and height that the question itself has."""
        if self.queue.isHidden():
            return self.width(), self.height()
        if self.queue.is_band:
            return self.width(), self.height() - self.queue.sizeHint().height()
        return self.width() - theme.px(QUEUE_WIDTH), self.height()

    def _measure(self, width: int) -> None:
        """Every part gets the height that it needs in a dialog of `width`."""
        margins = self._column.contentsMargins()
        inner = width - margins.left() - margins.right()
        self.body.room = None
        self.body.fit(inner)
        for part in (self.header, self.judgement):
            part.hold(inner)
        for offer in self.footer.lasting.values():
            offer.hold(inner - 2 * theme.px(4))

    def _height(self, body: int) -> int:
        """That of the dialog, all parts in sight, for a height of the body."""
        margins = self._column.contentsMargins()
        held = self.header.height() + self.judgement.height() + self.footer.sizeHint().height()
        return margins.top() + held + body + margins.bottom() + 3 * self._column.spacing()

    def _arrange(self) -> None:
        """Hold title and judgement in sight or, where that leaves too little to read, let them scroll."""
        width, height = self._room()
        self._measure(width)
        least = min(self.body.sizeHint().height(), theme.px(LEAST_TO_READ))
        held = self._height(least) <= height
        if held is not self._held:
            self._held = held
            self._place_held()
            self._show_time()
        self.body.room = height - self._height(0) if held else None
        self.body.fit_here()

    def _place_held(self) -> None:
        if self._held:
            self.body.let_go()
            self._column.insertWidget(0, self.header)
            self._column.insertWidget(2, self.judgement)
        else:
            self.body.take_in(self.header, self.judgement)
