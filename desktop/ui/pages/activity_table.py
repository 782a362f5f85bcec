"""The table of verdicts: what is being read stays where it is while new lines come in above."""

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
)

from desktop.agents.action import HookChoice as Answer
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop
from desktop.ui.pages.activity_model import (
    AGENT,
    ANSWER,
    ANSWERS,
    BY,
    CLASS,
    ICON_NAME,
    SEPARATOR,
    TIME,
    TOOK,
    WAITING,
    WHAT,
    Index,
    agent_title,
)
from desktop.ui.permission.words import CLASSES, class_mark
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.details import RecordTable
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
