"""All of one verdict: the command with what decided underlined, and why it was answered so."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.agents.events import HookDecided
from desktop.gate.undo import UndoStatus
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.pages.activity_model import (
    TIERS,
    Row,
    agent_title,
    answer_words,
    moment_words,
    ran_words,
    refused_words,
    saved_words,
    shell_of,
    took_words,
)
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.visible import breakable
from desktop.ui.permission.words import marks
from desktop.ui.theme import SMALL_PX
from desktop.ui.undo import UndoController, UndoState, problem_card
from desktop.ui.widgets.details import DetailPane
from desktop.ui.widgets.labels import Badge, Label
from desktop.ui.widgets.layout import FlowLayout, clear, sized

STANDINGS = {
    UndoStatus.UNDONE: tr_noop("What it changed was undone."),
    UndoStatus.LAPSED: tr_noop(
        "What it changed can no longer be undone: the old content made room for newer changes."
    ),
}
NOTHING = tr_noop("Choose a line to see why it was answered that way.")


class ActivityDetails(DetailPane):
    """Shows one row, or what to do to see one. Main thread only."""

    question_requested = Signal()
    changes_requested = Signal()

    def __init__(self, undo_controller: UndoController | None = None) -> None:
        """`undo_controller` None: what a command changed is not taken back here."""
        super().__init__("activity", tr(NOTHING))
        self._undo_controller = undo_controller
        self.row: Row | None = None  # what is shown
        self.text = ShownText("activity_text", tr("Command"))
        self.reason = Label("", name="activity_reason")
        self._marks = QWidget()
        self._marks.setObjectName("activity_marks")
        self._flow = FlowLayout(self._marks)
        self.question = self.add_action(tr("Show the question"), "question", self.question_requested.emit)
        self.undo = self.add_action(tr("Undo"), "undo", self._on_undo)
        self.changes = self.add_action(tr("Show the copies"), "changes", self.changes_requested.emit)
        self.undo_state = Label("", SMALL_PX, colour="secondary", name="activity_undo_state")
        self._problem = QVBoxLayout()
        for widget in (self.nothing, self.text, self._marks, self.reason, self.undo_state):
            self.body.addWidget(widget)
        self.body.addLayout(self._problem)
        self.body.addLayout(self.action_row)
        self.body.addWidget(self.facts)
        self.body.addStretch(1)
        if undo_controller is not None:
            undo_controller.changed.connect(self._show_undo)
        theme.current().rescaled.connect(self._fit)
        sized(self, min_height=96)
        self.show_row(None)

    def show_row(self, row: Row | None) -> None:
        """Show all of `row`."""
        # New lines above select the same row again; what is read must not jump to its top.
        if row is not None and row == self.row:
            return
        self.row = row
        self.nothing.setVisible(row is None)
        for widget in (self.text, self._marks, self.facts):
            widget.setVisible(row is not None)
        decided = row if isinstance(row, HookDecided) else None
        self.question.setVisible(row is not None and decided is None)
        self._show_undo()
        self.reason.show_text(breakable(_reason(row)))
        if row is not None:
            self._show_text(row)
            self._show_marks(decided)
            self.show_facts(_facts(row))
        # Another verdict is read from its beginning.
        self.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # -- inside -----------------------------------------------------------------------------------

    @property
    def _changes(self) -> tuple[int, ...]:
        return self.row.changes if isinstance(self.row, HookDecided) else ()

    def _show_undo(self) -> None:
        """What can still be taken back of what the command changed, and what speaks against it."""
        changes = self._changes
        self.changes.setVisible(bool(changes))
        state = self._undo_controller.state(changes) if self._undo_controller is not None else UndoState()
        self.undo.setVisible(state.is_offered)
        words = tr("undoing…") if state.is_busy else tr(STANDINGS.get(state.standing, ""))
        self.undo_state.show_text(words)
        clear(self._problem)
        if self._undo_controller is not None and state.problem is not None:
            self._problem.addWidget(problem_card(self._undo_controller, changes, state.problem))

    def _on_undo(self) -> None:
        if self._undo_controller is not None:
            self._undo_controller.undo(self._changes)

    def _show_text(self, row: Row) -> None:
        self.text.setAccessibleName(row.tool or tr("Command"))
        # The part of the command that decided is underlined; while it waits nothing has.
        span = row.span if isinstance(row, HookDecided) else (0, 0)
        self.text.show_command(row.text, shell_of(row.tool), span)
        self._fit()

    def _show_marks(self, decided: HookDecided | None) -> None:
        clear(self._flow)
        self._marks.setVisible(decided is not None)
        if decided is not None:
            for mark in marks(decided.classed, decided.flags):
                badge = Badge(mark.icon, tr(mark.word), tr(mark.sentence), mark.colour)
                self._flow.addWidget(badge)

    def _fit(self) -> None:
        margins = self.body.contentsMargins()
        self.text.fit(self.viewport().width() - margins.left() - margins.right())


def _reason(row: Row | None) -> str:
    if row is None:
        return ""
    if not isinstance(row, HookDecided):
        return tr("It waits for your answer. Until then nothing is allowed.")
    said = words_of(row.reason).removesuffix(".") if row.reason is not None else ""
    reason = " " + tr("Reason: {reason}.", reason=said) if said else ""
    return f"{answer_words(row)}.{reason}"


def _facts(row: Row) -> list[tuple[str, str]]:
    facts = [
        (tr("Refused"), refused_words(row)),
        (tr("Ran"), ran_words(row)),
        (tr("Saved"), saved_words(row)),
        (tr("When"), moment_words(row.at)),
        (tr("Agent"), agent_title(row.agent)),
        (tr("Tool"), row.tool),
        (tr("Folder"), row.folder),
        (tr("Session"), row.session),
    ]
    if isinstance(row, HookDecided):
        facts.append(
            (
                tr("Decided by"),
                tr(
                    "{tier_words} (tier {tier}), {took}",
                    tier_words=tr(TIERS.get(row.tier, "")),
                    tier=row.tier,
                    took=took_words(row),
                ),
            )
        )
    return facts
