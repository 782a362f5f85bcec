"""A question that a coding agent asks the user, in a window of its own: its answers as buttons, or none.

It allows nothing. Where nobody answers within two minutes, where it is closed, or where the agent goes, the
agent is told that there was no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout

from desktop.agents.agent_list import agent_named
from desktop.server.mcp import Caller
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.permission.dialog import ARM_MS
from desktop.ui.permission.judgement import TITLE_PX
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.placement import Placement
from desktop.ui.question_dialog import QuestionDialog, QuestionQueue
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, EDGE, ScrollColumn, inset

ANSWERED_WITHIN_S = 120.0
MOST_WAITING = 4
WIDTH, LEAST_WIDTH, LONG_WIDTH = 460, 320, 600
A_LONG_TEXT = 400  # characters
SCREEN_SHARE = 0.92  # at most, of the height and the width of a screen


@dataclass(frozen=True)
class AgentQuestion:
    """What an agent asks; without options it is yes or no."""

    agent: str
    text: str
    options: tuple[str, ...]


class AnswerButton(QPushButton):
    """Its words wrap: an answer of which only the middle is seen is not the one that was given."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = Label(breakable(words), BODY_PX)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._inside = theme.space(QVBoxLayout(self), 0, (16, 6, 16, 6))
        self._inside.addWidget(self._words)
        self.setAccessibleName(visible(words))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), self.heightForWidth(max(self.width(), theme.px(200))))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(32))

    def heightForWidth(self, width: int) -> int:
        return max(theme.px(34), self._inside.totalHeightForWidth(width))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange:
            self._words.set_colour("text" if self.isEnabled() else "secondary")


class AgentQuestionDialog(QuestionDialog):
    """Shows one question; its answer is one of the options.

    All of the question and of each answer can be read: what is too much for the screen scrolls. It comes by
    itself, over the terminal in which somebody types, and does not take the keyboard.
    """

    def __init__(self, question: AgentQuestion, arm_ms: int = ARM_MS) -> None:
        known = agent_named(question.agent)
        name = known.title if known is not None else tr("A program")
        title = tr("{agent} asks", agent=name)
        super().__init__("agent_question", title, LEAST_WIDTH)
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._wanted_width = LONG_WIDTH if len(question.text) > A_LONG_TEXT else WIDTH
        # In line with what scrolls, which keeps room for its bar.
        who = Label(title, TITLE_PX, bold=True, name="agent_question_who")
        self.column.addLayout(inset(who, AROUND))
        self.scrolling = ScrollColumn("agent_question_scroll")
        self.scrolling.body.addWidget(_framed(question.text))
        said = tr("Your answer goes to the agent. It allows nothing.")
        self.scrolling.body.addWidget(Label(said, CAPTION_PX, colour="secondary", name="agent_question_says"))
        options = question.options or (tr("Yes"), tr("No"))
        self.buttons = [self._button(number, each) for number, each in enumerate(options)]
        for button in self.buttons:
            self.scrolling.body.addWidget(button)
        self.none = QPushButton(tr("Do not answer"))
        self.none.setObjectName("agent_question_none")
        self.none.clicked.connect(lambda _checked: self.answered.emit(None))
        self.column.addWidget(self.scrolling, 1)
        self.column.addLayout(inset(self.none, AROUND, right=EDGE))
        self.guard(self.buttons, self.none, arm_ms)
        self._placement = Placement(self)
        self._placement.rooms_changed.connect(self.fit)
        theme.current().changed.connect(self.fit)

    def fit(self) -> None:
        """Make it as high as its content, or as the screen has room for."""
        room = self._placement.rooms()[0].size() * SCREEN_SHARE
        self.setMinimumSize(min(theme.px(LEAST_WIDTH), room.width()), min(theme.px(200), room.height()))
        width = min(theme.px(self._wanted_width), room.width())
        around = self.column.contentsMargins()
        inner = width - around.left() - around.right()
        content = self.scrolling.body
        content.invalidate()
        held = self.column.totalHeightForWidth(width) - self.scrolling.sizeHint().height()
        self.resize(width, min(held + content.totalHeightForWidth(inner), room.height()))

    def showEvent(self, event: QShowEvent) -> None:
        self.fit()
        super().showEvent(event)

    def _button(self, number: int, words: str) -> AnswerButton:
        made = AnswerButton(words)
        made.setObjectName(f"agent_question_{number}")
        made.clicked.connect(lambda _checked: self.answered.emit(words))
        return made


def _framed(text: str) -> QFrame:
    """The agent's own words, set apart from ours: they may look like anything."""
    frame = QFrame()
    frame.setObjectName("agent_question_frame")
    words = Label(breakable(text, lines=True), SMALL_PX, name="agent_question_text")
    words.setAccessibleName(visible(text))
    theme.space(QVBoxLayout(frame), 0, (12, 8, 12, 8)).addWidget(words)
    return frame


class AgentQuestions(QuestionQueue[AgentQuestion, str]):
    """The questions of all agents. `ask` on any thread but the main one."""

    attention_wanted = Signal(object)  # AgentQuestion

    def __init__(self, timeout_s: float = ANSWERED_WITHIN_S, arm_ms: int = ARM_MS) -> None:
        super().__init__(timeout_s, MOST_WAITING)
        self._arm_ms = arm_ms

    def ask(self, caller: Caller, text: str, options: Sequence[str]) -> str | None:
        """The answer; None where there is none in time, or the agent has hung up. Blocks."""
        question = AgentQuestion(caller.agent, text, tuple(options))
        return self.wait(question, lambda: not caller.gone.is_set())

    def make_dialog(self, asked: AgentQuestion) -> AgentQuestionDialog:
        return AgentQuestionDialog(asked, self._arm_ms)

    def present(self, dialog: QuestionDialog, asked: AgentQuestion) -> None:
        super().present(dialog, asked)
        self.attention_wanted.emit(asked)
