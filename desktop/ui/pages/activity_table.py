"""The table of verdicts, in which what is being read stays where it is while new lines come in above, and the
details of one of them beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop.agents.action import HookChoice as Answer
from desktop.agents.events import HookDecided
from desktop.gate.undo import UndoStatus
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.pages.activity_model import (
    AGENT,
    ANSWER,
    ANSWERS,
    BY,
    CLASS,
    ICON_NAME,
    SEPARATOR,
    TIERS,
    TIME,
    TOOK,
    WAITING,
    WHAT,
    Index,
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
from desktop.ui.permission.words import CLASSES, class_mark, marks
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.undo import UndoController, UndoState, problem_card
from desktop.ui.widgets.details import DetailPane, RecordTable
from desktop.ui.widgets.labels import Badge, Label
from desktop.ui.widgets.layout import FlowLayout, clear, sized
from desktop.ui.widgets.lists import FilterBar

WAITS = ""  # what still waits has no answer


class ActivityFilter(FilterBar):
    """`changed` says that `wanted` is another. Main thread only."""

    def __init__(self) -> None:
        super().__init__("activity", tr("Search the verdicts"), search_px=160)
        self.agent = self.add_choice("agent", tr("Agent"), [(tr("All agents"), "")])
        classes = [(tr(class_mark(name).word), name) for name in CLASSES]
        self.classed = self.add_choice("class", tr("Class"), [(tr("All classes"), ""), *classes])
        both = [(tr("All answers"), None), (tr(WAITING.words), WAITS)]
        answers = [(tr(said.words), choice) for choice, said in ANSWERS.items()]
        self.answer = self.add_choice("answer", tr("Answer"), [*both, *answers])

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


ROW_PX = 30
ICON_PX, PADDING_PX = 16, 26

# What has to fit into a column, and whether an icon stands before it.
SAMPLES = {
    TIME: ("00:00:00", False),
    AGENT: ("Claude Code", False),
    CLASS: (tr_noop("Changes"), True),
    ANSWER: (tr_noop("Allowed · permission"), True),
    TOOK: ("00.0 ms", False),
}

HELD_ANSWER = (tr_noop("ran inside the project"), True)
NARROW_ANSWER = (tr_noop("Waits for you"), True)

# Below these widths columns go, so that the command keeps its room; the details show them too.
GONE_BELOW_PX = {TOOK: 720, AGENT: 560, TIME: 460}
FULL_ANSWER_PX = 860  # below it, who answered is left to the details
HELD_ANSWER_PX = 640  # below it, also how it ran


class ActivityTable(RecordTable):
    """Follows the newest line until somebody reads further down. Main thread only."""

    copied = Signal()  # the user wants the line in the clipboard

    def __init__(self, model: QAbstractItemModel) -> None:
        super().__init__("activity_table", tr("Verdicts, the newest first"), model, WHAT)
        self._cells = _Cells(self)
        self.setItemDelegate(self._cells)
        theme.current().changed.connect(self._set_sizes)
        self._set_sizes()

    @property
    def is_read(self) -> bool:
        """The user is further down, or has chosen a line: new lines must not move what is in sight."""
        return self.verticalScrollBar().value() > 0 or self.currentIndex().isValid()

    def keep_place(self, change: Callable[[], None]) -> None:
        """Do `change` to the rows; what was at the top of the table while it was read stays there."""
        top = QPersistentModelIndex(self.indexAt(QPoint(0, 0)))
        # Nobody is reading further down, so the newest line is what should be in sight.
        if not self.is_read or not top.isValid():
            change()
            self.scrollToTop()
            return
        before = self.verticalHeader().sectionViewportPosition(top.row())
        change()
        if top.isValid():
            self.updateGeometries()  # else the bar does not know yet how far it may go
            moved = self.verticalHeader().sectionViewportPosition(top.row()) - before
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy takes the whole line."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._choose_columns()
        super().resizeEvent(event)

    def _choose_columns(self) -> None:
        width = self.width()
        for column, least in GONE_BELOW_PX.items():
            self.setColumnHidden(column, width < theme.px(least))
        sample = SAMPLES[ANSWER]
        for answer, least in ((HELD_ANSWER, FULL_ANSWER_PX), (NARROW_ANSWER, HELD_ANSWER_PX)):
            if width < theme.px(least):
                sample = answer
        words, with_icon = sample
        self.setColumnWidth(ANSWER, self._width_of(tr(words), with_icon))

    def _width_of(self, sample: str, with_icon: bool) -> int:
        icon = theme.px(ICON_PX + 6) if with_icon else 0
        return self.fontMetrics().horizontalAdvance(sample) + theme.px(PADDING_PX) + icon

    def _set_sizes(self) -> None:
        # Here and not in the style sheet: the widths of columns are measured in the letters that fill them.
        self.setFont(theme.font(SMALL_PX))
        self.horizontalHeader().setFont(theme.font(CAPTION_PX))
        self.verticalHeader().setDefaultSectionSize(theme.px(ROW_PX))
        self.setIconSize(QSize(theme.px(ICON_PX), theme.px(ICON_PX)))
        self.setMinimumHeight(theme.px(120))
        for column, sample in SAMPLES.items():
            self.setColumnWidth(column, self._width_of(*sample))
        self._choose_columns()


class _Cells(QStyledItemDelegate):
    """A row is current, not a cell; of a command the middle is missed least, of an answer who gave it."""

    def __init__(self, parent: QTableView) -> None:
        super().__init__(parent)
        self._table = parent

    @property
    def _padding(self) -> int:
        return theme.px(PADDING_PX)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        cell: Any = option  # the fields of the base class are not in the type of this one
        # A row is chosen as a whole; the dotted frame around one cell would say something else.
        cell.state &= ~QStyle.StateFlag.State_HasFocus
        if cell.state & QStyle.StateFlag.State_Selected and (name := index.data(ICON_NAME)):
            cell.icon = self._untinted(name, cell.decorationSize)
        # A path read from the right would have its slashes at the wrong end.
        if index.column() in (TIME, WHAT, TOOK):
            self._from_the_left(cell)
        if index.column() == WHAT:
            cell.textElideMode = Qt.TextElideMode.ElideMiddle
        elif index.column() == ANSWER:
            room = cell.rect.width() - cell.decorationSize.width() - self._padding
            # Elided, "Allowed · ran inside the project" would lose the part that matters.
            if cell.fontMetrics.horizontalAdvance(cell.text) > room:
                cell.text = _most_telling(cell.text.split(SEPARATOR))

    def _untinted(self, name: str, size: QSize) -> QIcon:
        """In the colour of the selected words, which a style would mix with that of their ground."""
        ratio = self._table.devicePixelRatioF()
        picture = theme.icon(name, "on_selection").pixmap(size, ratio)
        icon = QIcon(picture)
        # Qt tints icons of a selected row by itself unless the icon brings its own picture for that.
        icon.addPixmap(picture, QIcon.Mode.Selected)
        return icon

    def _from_the_left(self, cell: Any) -> None:
        """Commands and numbers read so in every language."""
        if cell.direction is Qt.LayoutDirection.RightToLeft:
            cell.direction = Qt.LayoutDirection.LeftToRight
            cell.displayAlignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _most_telling(parts: Sequence[str]) -> str:
    """How or where it ran, where that is known: the icon says already that it was allowed. Else the answer,
    and not who gave it."""
    return parts[0] if parts[-1] in {tr(words) for words in BY.values()} else parts[-1]


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
