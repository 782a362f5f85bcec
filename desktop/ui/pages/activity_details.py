"""All of one verdict: the command with what decided underlined, and why it was answered so."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QVBoxLayout, QWidget

from desktop.agents.events import HookDecided
from desktop.gate.undo import UndoStatus
from desktop.ui import theme
from desktop.ui.language import later, told, tr, words_of
from desktop.ui.models.page import clear
from desktop.ui.pages.activity_model import (
    TIERS,
    Row,
    agent_title,
    answer_words,
    moment_words,
    ran_words,
    refused_words,
    shell_of,
    took_words,
)
from desktop.ui.permission.shown_text import ShownText
from desktop.ui.permission.visible import breakable
from desktop.ui.permission.words import marks
from desktop.ui.theme import SMALL_PX
from desktop.ui.undoing import Undoing, UndoState, problem_card
from desktop.ui.widgets.labels import Badge, Label, button
from desktop.ui.widgets.layout import FlowLayout
from desktop.ui.widgets.rows import small
from desktop.ui.widgets.scroll import ScrollColumn

STANDINGS = {
    UndoStatus.UNDONE: later("What it changed was undone."),
    UndoStatus.LAPSED: later(
        "What it changed can no longer be undone: the old bytes made room for newer ones."
    ),
}
NOTHING = later("Choose a line to see why it was answered so.")


class ActivityDetails(ScrollColumn):
    """Shows one row, or what to do to see one. Main thread only."""

    question_requested = Signal()
    changes_requested = Signal()

    def __init__(self, undoing: Undoing | None = None) -> None:
        """`undoing` None: what a command changed is not taken back here."""
        super().__init__("activity_details")
        self._undoing = undoing
        self._row: Row | None = None
        self.nothing = Label(tr(NOTHING), SMALL_PX, colour="secondary", name="activity_nothing")
        self.text = ShownText("activity_text", tr("Command"))
        self.reason = Label("", name="activity_reason")
        self._marks = QWidget()
        self._marks.setObjectName("activity_marks")
        self._flow = FlowLayout(self._marks)
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setColumnStretch(1, 1)
        self._buttons = FlowLayout()
        self.question = self._link(tr("Show the question"), "activity_question", self.question_requested.emit)
        self.undo = self._link(tr("Undo"), "activity_undo", self._on_undo)
        self.changes = self._link(tr("Show the copies"), "activity_changes", self.changes_requested.emit)
        self.undo_state = Label("", SMALL_PX, colour="secondary", name="activity_undo_state")
        self._problem = QVBoxLayout()
        for widget in (self.nothing, self.text, self._marks, self.reason, self.undo_state):
            self.body.addWidget(widget)
        self.body.addLayout(self._problem)
        self.body.addLayout(self._buttons)
        self.body.addWidget(self._facts)
        self.body.addStretch(1)
        if undoing is not None:
            undoing.changed.connect(self._show_undo)
        theme.current().changed.connect(self.restyle)
        self.restyle()
        self.show_row(None)

    @property
    def row(self) -> Row | None:
        """What is shown."""
        return self._row

    def show_row(self, row: Row | None) -> None:
        """Show all of `row`."""
        # New lines above select the same row again; what is read must not jump to its top.
        if row is not None and row == self._row:
            return
        self._row = row
        self.nothing.setVisible(row is None)
        for widget in (self.text, self._marks, self._facts):
            widget.setVisible(row is not None)
        decided = row if isinstance(row, HookDecided) else None
        self.question.setVisible(row is not None and decided is None)
        self._show_undo()
        self.reason.show_text(breakable(_reason(row)))
        if row is not None:
            self._show_text(row)
            self._show_marks(decided)
            self._show_facts(row)
        # Another verdict is read from its beginning.
        self.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def restyle(self) -> None:
        """Take sizes and colours from the theme again."""
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.px(16))
        self._grid.setVerticalSpacing(theme.px(4))
        self.setMinimumHeight(theme.px(96))
        self._fit()

    # -- inside -----------------------------------------------------------------------------------

    def _link(self, words: str, name: str, act: Callable[[], object]) -> QPushButton:
        link = button(words, name)
        small(link)
        link.clicked.connect(lambda _checked: act())
        self._buttons.addWidget(link)
        return link

    @property
    def _changes(self) -> tuple[int, ...]:
        return self._row.changes if isinstance(self._row, HookDecided) else ()

    def _show_undo(self) -> None:
        """What can still be taken back of what the command changed, and what speaks against it."""
        changes = self._changes
        self.changes.setVisible(bool(changes))
        state = self._undoing.state(changes) if self._undoing is not None else UndoState()
        self.undo.setVisible(state.is_offered)
        words = tr("undoing…") if state.is_busy else tr(STANDINGS.get(state.standing, ""))
        self.undo_state.show_text(words)
        clear(self._problem)
        if self._undoing is not None and state.problem is not None:
            self._problem.addWidget(problem_card(self._undoing, changes, state.problem))

    def _on_undo(self) -> None:
        if self._undoing is not None:
            self._undoing.undo(self._changes)

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
                badge = Badge(mark.icon, told(mark.word), tr(mark.sentence), mark.colour)
                self._flow.addWidget(badge)

    def _show_facts(self, row: Row) -> None:
        clear(self._grid)
        for number, (name, words) in enumerate(_facts(row)):
            caption = Label(name, SMALL_PX, colour="secondary", name="activity_fact_name")
            caption.setWordWrap(False)
            value = Label(breakable(words), SMALL_PX, name="activity_fact")
            value.setAccessibleName(f"{name}: {words}")
            self._grid.addWidget(caption, number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, number, 1)

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
    # What an agent did not tell takes no line.
    return [(name, words) for name, words in facts if words]
