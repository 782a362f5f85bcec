"""The controls above the verdicts: text, agent, class, answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.agents.action import Choice as Answer
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.language import told, tr
from desktop.ui.pages.activity_words import ANSWERS, WAITING, agent_title
from desktop.ui.pages.choice import Choice
from desktop.ui.permission.verdict_words import CLASSES, class_mark
from desktop.ui.theme import SMALL_PX, Theme

SEARCH_AFTER_MS = 150
WAITS = ""  # what still waits has no answer


class ActivityFilter(QWidget):
    """`changed` says that `wanted` is another. Main thread only."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("activity_filter")
        self.search = QLineEdit()
        self.search.setObjectName("activity_search")
        self.search.setAccessibleName(tr("Search the verdicts"))
        self.search.setPlaceholderText(tr("Search"))
        self.search.setClearButtonEnabled(True)
        self.agent = self._box("agent", tr("Agent"), {tr("All agents"): ""})
        classes = {told(class_mark(name).word): name for name in CLASSES}
        self.classed = self._box("class", tr("Class"), {tr("All classes"): ""} | classes)
        answers: dict[str, Answer | str | None] = {tr("All answers"): None, tr(WAITING.words): WAITS}
        self.answer = self._box(
            "answer", tr("Answer"), answers | {tr(said.words): choice for choice, said in ANSWERS.items()}
        )
        row = FlowLayout(self)
        for widget in (self.search, self.agent, self.classed, self.answer):
            row.addWidget(widget)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._timer.timeout.connect(self.changed)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def wanted(self) -> tuple[str, str, Answer | str | None, str]:
        """Agent, class, answer, text; "" and None for all."""
        return (
            self.agent.currentData(),
            self.classed.currentData(),
            self.answer.currentData(),
            self.search.text(),
        )

    def offer_agents(self, names: Iterable[str]) -> None:
        """Add agents that were not seen before; the chosen one stays chosen."""
        for name in names:
            if self.agent.findData(name) < 0:
                self.agent.addItem(agent_title(name), name)

    def _box(self, name: str, words: str, entries: Mapping[str, Answer | str | None]) -> Choice:
        box = Choice(self._theme, f"activity_{name}", words)
        for shown, value in entries.items():
            box.addItem(shown, value)
        box.currentIndexChanged.connect(lambda _row: self.changed.emit())
        return box

    def _restyle(self) -> None:
        self.search.setFont(self._theme.font(SMALL_PX))
        self.search.setMinimumWidth(self._theme.px(160))
