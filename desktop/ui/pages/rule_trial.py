"""Which rule decides this line? Read while it is typed; nothing is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.gate.policy import Ground
from desktop.gate.shell.classify import SHELLS
from desktop.gate.trial import Trial
from desktop.gate.verdict import Gate
from desktop.qt.background import Background
from desktop.ui.badge import Badge
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, Sign
from desktop.ui.language import later, told, tr
from desktop.ui.models.page import clear
from desktop.ui.pages.choice import Choice
from desktop.ui.permission.verdict_words import marks
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX, Theme

READ_AFTER_MS = 200
MOST_COMMANDS = 6
ANSWERS = {
    Gate.ALLOW: ("check", "success", later("Allowed: {reason}.")),
    Gate.ASK: ("question", "warning", later("Asked: {reason}.")),
    Gate.DENY: ("denied", "danger", later("Denied: {reason}.")),
}
GROUNDS = {
    Ground.HARD_RULE: later("the list of what is never done"),
    Ground.UNTRUSTED: later("text from elsewhere in the conversation"),
    Ground.GRANT: later("a permission of yours"),
    Ground.PROGRAM_GRANT: later("a permission of yours"),
    Ground.AGENT_RULE: later("a rule of the agent's own"),
    Ground.READING: later("the reading of the line"),
    Ground.UNCONFIRMED: later("a setting"),
    Ground.SKIPPED: later("a setting"),
    Ground.NOTHING: later("no rule and no permission"),
}
Try = Callable[[str, str, Path, str | None], Trial]


class RuleTrial(QWidget):
    """A line, who runs it, where, in which shell; and what would happen. Main thread only."""

    decided = Signal(object)  # Trial, or None where nothing is written

    def __init__(
        self, theme: Theme, try_line: Try, agents: Sequence[tuple[str, str]], background: Background
    ) -> None:
        """`try_line` is called on the pool. `agents` are names with their titles."""
        super().__init__()
        self._theme = theme
        self._try = try_line
        self._background = background
        self._readings = 0
        self.setObjectName("rule_trial")
        self.line = _field(theme, "trial_line", tr("Command line"), "sudo git push --force")
        self.folder = _field(theme, "trial_folder", tr("Folder"), tr("Your home folder"))
        self.agent = Choice(theme, "trial_agent", tr("Agent"))
        for name, title in (*agents, ("steward", "Steward")):
            self.agent.addItem(visible(title), name)
        self.shell = Choice(theme, "trial_shell", tr("Shell"))
        self.shell.addItem(tr("As it looks"), None)
        for shell in SHELLS:
            self.shell.addItem(shell, shell)
        self._sign = Sign(theme, "question", "secondary", BODY_PX)
        self.answer = Label(theme, "", SMALL_PX, name="trial_answer")
        self.rule = Label(theme, "", CAPTION_PX, colour="secondary", name="trial_rule")
        self.runs = Label(theme, "", CAPTION_PX, colour="secondary", name="trial_runs")
        self._marks = QWidget()
        self._flow = FlowLayout(self._marks)
        self._lay_out()
        self._timer = QTimer(self, singleShot=True, interval=READ_AFTER_MS)
        self._timer.timeout.connect(self.refresh)
        for text in (self.line, self.folder):
            text.textChanged.connect(lambda _text: self._timer.start())
        for choice in (self.agent, self.shell):
            choice.currentIndexChanged.connect(lambda _index: self._timer.start())
        self._show(None)

    def refresh(self) -> None:
        """Decide again, as after a change of the rules."""
        self._readings += 1
        number, line = self._readings, self.line.text()
        if not line.strip():
            self._show(None)
            return
        folder = Path(os.path.expanduser(self.folder.text().strip() or "~"))
        wanted = (line, self.agent.currentData(), folder, self.shell.currentData())
        self._background.run(self._try, *wanted, done=lambda trial: self._on_tried(number, trial))

    def _on_tried(self, number: int, trial: Trial) -> None:
        if number == self._readings:
            self._show(trial)

    def _show(self, trial: Trial | None) -> None:
        clear(self._flow)
        for widget in (self._sign, self._marks):
            widget.setVisible(trial is not None)
        if trial is None:
            for label in (self.answer, self.rule, self.runs):
                label.show_text("")
        else:
            self._show_trial(trial)
        self.decided.emit(trial)

    def _show_trial(self, trial: Trial) -> None:
        verdict, decision = trial.verdict, trial.decision
        icon, ink, words = ANSWERS[decision.gate]
        self._sign.show_sign(icon, ink)
        reason = told(decision.reason.removesuffix("."))
        self.answer.show_text(breakable(tr(words, reason=visible(reason))))
        by = tr(GROUNDS.get(decision.ground, decision.ground.value))
        if decision.rule is not None:
            by = visible(decision.rule.in_words())
        self.rule.show_text(breakable(tr("Decided by: {part}", part=by)))
        for mark in marks(verdict.effect.name, sorted(flag.value for flag in verdict.flags)):
            badge = Badge(self._theme, mark.icon, told(mark.word), tr(mark.sentence), mark.colour)
            self._flow.addWidget(badge)
        listed = " · ".join(map(visible, verdict.commands[:MOST_COMMANDS]))
        self.runs.show_text(breakable(tr("It comes to: {commands}", commands=listed)) if listed else "")

    def _lay_out(self) -> None:
        px = self._theme.px
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(8))
        grid.setVerticalSpacing(px(6))
        grid.addWidget(self.line, 0, 0, 1, 3)
        grid.addWidget(self.folder, 1, 0)
        grid.addWidget(self.agent, 1, 1)
        grid.addWidget(self.shell, 1, 2)
        grid.setColumnStretch(0, 1)
        said = QHBoxLayout()
        said.setSpacing(px(8))
        said.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.answer, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(6))
        column.addLayout(grid)
        column.addLayout(said)
        for widget in (self._marks, self.rule, self.runs):
            column.addWidget(widget)


def _field(theme: Theme, name: str, words: str, hint: str) -> QLineEdit:
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(words)
    made.setPlaceholderText(hint)
    made.setClearButtonEnabled(True)
    made.setFont(theme.font(SMALL_PX))
    return made
