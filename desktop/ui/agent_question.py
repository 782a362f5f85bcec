"""A question that a coding agent asks the user, in a window of its own: its answers as buttons, or none.

It allows nothing. Where nobody answers within two minutes, where it is closed, or where the agent goes, the
agent is told that there was no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from desktop.agents.agent_list import agent_named
from desktop.server.mcp import Caller
from desktop.ui.language import tr
from desktop.ui.permission.dialog import ARM_MS
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.question_dialog import QuestionDialog, QuestionQueue
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.labels import Label

ANSWERED_WITHIN_S = 120.0
MOST_WAITING = 4
WIDTH = 460


@dataclass(frozen=True)
class AgentQuestion:
    """What an agent asks; without options it is yes or no."""

    agent: str
    text: str
    options: tuple[str, ...]


class AgentQuestionDialog(QuestionDialog):
    """Shows one question; its answer is one of the options."""

    def __init__(self, question: AgentQuestion, arm_ms: int = ARM_MS) -> None:
        known = agent_named(question.agent)
        name = known.title if known is not None else tr("A program")
        title = tr("{agent} asks", agent=name)
        super().__init__("agent_question", title, WIDTH)
        self.column.addWidget(Label(title, SMALL_PX, bold=True, name="agent_question_who"))
        self.column.addWidget(Label(breakable(visible(question.text)), SMALL_PX, name="agent_question_text"))
        said = tr("Your answer goes to the agent. It allows nothing.")
        self.column.addWidget(Label(said, CAPTION_PX, colour="secondary", name="agent_question_says"))
        options = question.options or (tr("Yes"), tr("No"))
        self.buttons = [self._button(number, each) for number, each in enumerate(options)]
        self.none = QPushButton(tr("Do not answer"))
        self.none.setObjectName("agent_question_none")
        self.none.clicked.connect(lambda _checked: self.answered.emit(None))
        for button in (*self.buttons, self.none):
            self.column.addWidget(button)
        self.guard(self.buttons, self.none, arm_ms)

    def _button(self, number: int, words: str) -> QPushButton:
        # An ampersand would make a shortcut of the letter behind it.
        made = QPushButton(visible(words).replace("&", "&&"))
        made.setObjectName(f"agent_question_{number}")
        made.setAccessibleName(visible(words))
        made.clicked.connect(lambda _checked: self.answered.emit(words))
        return made


class AgentQuestions(QuestionQueue[AgentQuestion, str]):
    """Those of all agents. `ask` on any thread but the main one."""

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
