"""A question that a coding agent asks the user, in a window of its own: its answers as buttons, or none.

It allows nothing. Where nobody answers within two minutes, where it is closed, or where the agent goes, the
agent is told that there was no answer.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout

from desktop.agents.agent_list import agent_named
from desktop.server.mcp import Caller
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.dialog import ARM_MS, InputGuard
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.labels import Label

ANSWERED_WITHIN_S = 120.0
MOST_WAITING = 4  # behind the open one; more are told at once that nobody answers
WIDTH = 460
LOOKS_EVERY_S = 0.2  # whether the agent is still there


@dataclass(eq=False)
class AgentQuestion:
    """One question and, once it is there, its answer; None is no answer."""

    agent: str
    text: str
    options: tuple[str, ...]
    answer: str | None = None
    settled: threading.Event = field(default_factory=threading.Event)

    def settle(self, answer: str | None) -> None:
        self.answer = answer
        self.settled.set()


class AgentQuestionDialog(QDialog):
    """Shows one question. The focus is on not answering; an answer takes a click after half a second."""

    answered = Signal(object)  # str or None

    def __init__(self, question: AgentQuestion, arm_ms: int = ARM_MS) -> None:
        super().__init__()
        self.setObjectName("agent_question")
        known = agent_named(question.agent)
        name = known.title if known is not None else tr("A program")
        self.setWindowTitle(tr("{agent} asks", agent=name))
        self.setMinimumWidth(theme.px(WIDTH))
        column = theme.space(QVBoxLayout(self), 8, (20, 16, 20, 16))
        column.addWidget(
            Label(tr("{agent} asks", agent=name), SMALL_PX, bold=True, name="agent_question_who")
        )
        column.addWidget(Label(breakable(visible(question.text)), SMALL_PX, name="agent_question_text"))
        said = tr("Your answer goes to the agent. It allows nothing.")
        column.addWidget(Label(said, CAPTION_PX, colour="secondary", name="agent_question_says"))
        options = question.options or (tr("Yes"), tr("No"))
        self.buttons = [self._button(number, each) for number, each in enumerate(options)]
        for button in self.buttons:
            column.addWidget(button)
        self.none = QPushButton(tr("Do not answer"))
        self.none.setObjectName("agent_question_none")
        self.none.setDefault(True)
        self.none.clicked.connect(lambda _checked: self._answer(None))
        column.addWidget(self.none)
        self.none.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ring = FocusRing(self)
        self._guard = InputGuard(self, arm_ms)
        self._guard.changed.connect(self._on_armed)
        self._guard.watch()
        self._on_armed(False)
        self.rejected.connect(lambda: self.answered.emit(None))

    def _button(self, number: int, words: str) -> QPushButton:
        # An ampersand would make a shortcut of the letter behind it.
        made = QPushButton(visible(words).replace("&", "&&"))
        made.setObjectName(f"agent_question_{number}")
        made.setAccessibleName(visible(words))
        made.setAutoDefault(False)
        made.clicked.connect(lambda _checked: self._answer(words))
        return made

    def _on_armed(self, armed: bool) -> None:
        for button in self.buttons:
            button.setEnabled(armed)

    def _answer(self, words: str | None) -> None:
        self.answered.emit(words)


class AgentQuestions(QObject):
    """Carries questions of agents to the main thread, one open at a time. `ask` on any other thread."""

    _asked = Signal(object)
    _withdrawn = Signal(object)
    attention_wanted = Signal(object)  # AgentQuestion

    def __init__(self, timeout_s: float = ANSWERED_WITHIN_S, arm_ms: int = ARM_MS) -> None:
        super().__init__()
        self._timeout_s = timeout_s
        self._arm_ms = arm_ms
        self._waiting: deque[AgentQuestion] = deque()
        self._open: AgentQuestion | None = None
        self.dialog: AgentQuestionDialog | None = None
        self._is_closed = False
        self._asked.connect(self._on_asked, Qt.ConnectionType.QueuedConnection)
        self._withdrawn.connect(self._on_withdrawn, Qt.ConnectionType.QueuedConnection)

    def ask(self, caller: Caller, text: str, options: Sequence[str]) -> str | None:
        """The answer; None where there is none in time, or the agent has hung up. Blocks."""
        question = AgentQuestion(caller.agent, text, tuple(options))
        if self._is_closed:
            return None
        self._asked.emit(question)
        until = time.monotonic() + self._timeout_s
        while not question.settled.wait(LOOKS_EVERY_S):
            if caller.gone.is_set() or time.monotonic() >= until:
                self._withdrawn.emit(question)
                break
        return question.answer

    def close(self) -> None:
        """No question is answered any more. Main thread."""
        self._is_closed = True
        for question in (*self._waiting, *((self._open,) if self._open else ())):
            question.settle(None)
        self._waiting.clear()
        self._drop()

    def _on_asked(self, question: AgentQuestion) -> None:
        if self._is_closed or len(self._waiting) >= MOST_WAITING:
            question.settle(None)
            return
        self._waiting.append(question)
        self._show_next()

    def _on_withdrawn(self, question: AgentQuestion) -> None:
        if question in self._waiting:
            self._waiting.remove(question)
        elif question is self._open:
            self._drop()
            self._show_next()

    def _show_next(self) -> None:
        if self._open is not None or not self._waiting:
            return
        self._open = self._waiting.popleft()
        self.dialog = AgentQuestionDialog(self._open, self._arm_ms)
        self.dialog.answered.connect(self._on_answered)
        self.dialog.show()
        self.attention_wanted.emit(self._open)

    def _on_answered(self, answer: str | None) -> None:
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
            dialog.hide()
            dialog.deleteLater()
