"""A question whose answer somebody on another thread waits for: its dialog, and the queue before it.

One is open at a time. Nobody's answer, a closed window and a question that is not wanted any more are all
None, which allows nothing. What is asked and what an answer is, the owner says.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.permission.dialog import InputGuard
from desktop.ui.widgets.details import ReadText
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.layout import let_go

LOOKS_EVERY_S = 0.2  # whether whoever asked still waits

Asked = TypeVar("Asked")
Said = TypeVar("Said")


class QuestionDialog(QDialog):
    """The frame of a question: the focus is on no answer, and a yes takes a click after half a second."""

    answered = Signal(object)  # an answer or None

    def __init__(self, name: str, title: str, width: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumWidth(theme.px(width))
        self.column = theme.space(QVBoxLayout(self), 8, (20, 16, 20, 16))
        # Closing is no answer, and no answer is no.
        self.rejected.connect(lambda: self.answered.emit(None))

    def guard(
        self, yeses: Iterable[QPushButton], no: QPushButton, arm_ms: int, text: ReadText | None = None
    ) -> None:
        """Call it when all children are there; a click that was meant for something else answers nothing.

        No yes can be pressed before the end of `text` has been in sight.
        """
        held = tuple(yeses)

        def arm() -> None:
            for button in held:
                button.setEnabled(self._guard.armed and (text is None or text.is_seen))

        for button in held:
            button.setAutoDefault(False)
        no.setDefault(True)
        no.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ring = FocusRing(self)
        self._guard = InputGuard(self, arm_ms)
        self._guard.changed.connect(lambda _armed: arm())
        if text is not None:
            text.seen.connect(arm)
        self._guard.watch()
        arm()


@dataclass(eq=False)
class _Waiting(Generic[Asked, Said]):
    """One question and, once it is there, its answer."""

    asked: Asked
    answer: Said | None = None
    settled: threading.Event = field(default_factory=threading.Event)

    def settle(self, answer: Said | None) -> None:
        self.answer = answer
        self.settled.set()


class QuestionQueue(QObject, Generic[Asked, Said]):
    """Carries questions to the main thread, one open at a time. `wait` on any other thread."""

    _came = Signal(object)
    _withdrawn = Signal(object)

    def __init__(self, timeout_s: float, most_waiting: int | None = None) -> None:
        """`most_waiting` stand behind the open one; more are told at once that nobody answers."""
        super().__init__()
        self._timeout_s = timeout_s
        self._most_waiting = most_waiting
        self._waiting: deque[_Waiting[Asked, Said]] = deque()
        self._open: _Waiting[Asked, Said] | None = None
        self.dialog: QuestionDialog | None = None
        self._is_closed = False
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._withdrawn.connect(self._on_withdrawn, Qt.ConnectionType.QueuedConnection)

    def make_dialog(self, asked: Asked) -> QuestionDialog:
        """The dialog of one question."""
        raise NotImplementedError

    def present(self, dialog: QuestionDialog, asked: Asked) -> None:  # noqa: ARG002 - for who calls the user
        """Show it; one that comes over a window of ours may take the keyboard."""
        dialog.show()

    def wait(self, asked: Asked, is_wanted: Callable[[], bool]) -> Said | None:
        """The answer; None where there is none in time, or nobody wants it any more. Blocks."""
        question = _Waiting[Asked, Said](asked)
        if self._is_closed:
            return None
        self._came.emit(question)
        until = time.monotonic() + self._timeout_s
        while not question.settled.wait(LOOKS_EVERY_S):
            if not is_wanted() or time.monotonic() >= until:
                self._withdrawn.emit(question)
                return None
        return question.answer

    def close(self) -> None:
        """Answer no question any more. Main thread."""
        self._is_closed = True
        for question in (*self._waiting, *((self._open,) if self._open else ())):
            question.settle(None)
        self._waiting.clear()
        self._drop()

    def _on_came(self, question: _Waiting[Asked, Said]) -> None:
        is_full = self._most_waiting is not None and len(self._waiting) >= self._most_waiting
        if self._is_closed or is_full:
            question.settle(None)
            return
        self._waiting.append(question)
        self._show_next()

    def _on_withdrawn(self, question: _Waiting[Asked, Said]) -> None:
        if question in self._waiting:
            self._waiting.remove(question)
        elif question is self._open:
            self._drop()
            self._show_next()

    def _show_next(self) -> None:
        if self._open is not None or not self._waiting:
            return
        self._open = self._waiting.popleft()
        self.dialog = self.make_dialog(self._open.asked)
        self.dialog.answered.connect(self._on_answered)
        self.present(self.dialog, self._open.asked)

    def _on_answered(self, answer: Said | None) -> None:
        if self._open is None:
            return
        self._open.settle(answer)
        self._drop()
        # Not at once: the next one must not appear under the same click.
        QTimer.singleShot(0, self, self._show_next)

    def _drop(self) -> None:
        self._open = None
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            let_go(dialog)
