"""A list with what is known of its chosen line: the table, the pane below it, the splitter between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSlider,
    QGridLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.permission.visible import breakable
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, action
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import Framed, ScrollColumn, clear, named

SHARES = (3, 2)


class RecordTable(QTableView):
    """Rows of one height, read and not edited, one chosen at a time. Main thread only."""

    def __init__(self, name: str, words: str, model: QAbstractItemModel, stretched: int) -> None:
        """`words` are what a screen reader says; the column `stretched` takes the room that is left."""
        super().__init__()
        self._stretched = stretched
        named(self, name, words)
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # Tab leaves the table, where the arrow keys move: else a keyboard user never gets out of it.
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home and End go to the newest and the oldest; Qt's own go sideways within the row."""
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and self.model().rowCount():
            row = 0 if event.key() == Qt.Key.Key_Home else self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(row, self._stretched))
        else:
            super().keyPressEvent(event)


class ListWithDetails(QSplitter):
    """A framed list above and the details of its chosen line below; the user moves the border between."""

    def __init__(
        self, name: str, rows: QAbstractItemView, details: QWidget, shares: tuple[int, int] = SHARES
    ) -> None:
        """`shares` of the height go to the list and to the details, until the user moves the border."""
        super().__init__(Qt.Orientation.Vertical)
        # A pane that was dragged away is gone for whoever does not see the thin handle that is left.
        self.setChildrenCollapsible(False)
        self.addWidget(Framed(rows, f"{name}_frame"))
        self.addWidget(details)
        for place, share in enumerate(shares):
            self.setStretchFactor(place, share)


class DetailText(QPlainTextEdit):
    """All of a record as text that can be read and copied. Main thread only."""

    def __init__(self, name: str, words: str, nothing: str = "") -> None:
        """`words` are what a screen reader says; `nothing` stands here while no line is chosen."""
        super().__init__()
        named(self, name, words)
        self.setPlaceholderText(nothing)
        self.setReadOnly(True)
        # A text that cannot be written in has no use for Tab, and would hold the keyboard.
        self.setTabChangesFocus(True)


class ReadText(DetailText):
    """A text that has to be read before something is agreed to. Seen once its end was; stays seen."""

    seen = Signal()

    def __init__(self, name: str, words: str) -> None:
        super().__init__(name, words)
        self.is_seen = False
        self._looks = QTimer(self, singleShot=True, interval=0)  # once everything has its place
        self._looks.timeout.connect(self._look)
        self.textChanged.connect(self._looks.start)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(lambda _value: self._looks.start())
        bar.rangeChanged.connect(lambda _least, _most: self._looks.start())

    def read_on(self) -> None:
        """The next part of the text."""
        self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepAdd)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._looks.start()

    def _look(self) -> None:
        if self.is_seen or not self.isVisible():
            return
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        # The rectangle and not the bar alone, which ends early while a long text is being laid out.
        if self.cursorRect(end).bottom() <= self.viewport().height():
            self.is_seen = True
            self.seen.emit()


class DetailPane(ScrollColumn):
    """What is known of one line: whatever its owner puts into `body`, facts, and what can be done with it.

    Its owner shows `nothing` while no line is chosen. Main thread only.
    """

    def __init__(self, name: str, nothing: str) -> None:
        super().__init__(f"{name}_details")
        self._name = name
        self.nothing = Label(nothing, SMALL_PX, colour="secondary", name=f"{name}_nothing")
        self.action_row = ActionRow()
        self.facts = QWidget()
        self._grid = theme.space(QGridLayout(self.facts), (16, 4))
        self._grid.setColumnStretch(1, 1)

    def add_action(self, words: str, name: str, act: Callable[[], object]) -> QPushButton:
        """A button at the end of the actions."""
        made = action(words, f"{self._name}_{name}", act)
        self.action_row.addWidget(made)
        return made

    def show_facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Names and what is so of each, one a line; a fact without words takes no line."""
        clear(self._grid)
        for number, (name, words) in enumerate((name, words) for name, words in facts if words):
            caption = Label(name, SMALL_PX, colour="secondary", name=f"{self._name}_fact_name")
            caption.setWordWrap(False)
            value = Label(breakable(words), SMALL_PX, name=f"{self._name}_fact")
            # Read alone, a value would not say what it is the value of.
            value.setAccessibleName(f"{name}: {words}")
            self._grid.addWidget(caption, number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, number, 1)
