"""Rows of a page: a sign, a line, smaller lines below it, and what can be done at the end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.labels import Label, Sign

V = TypeVar("V")
NARROW = 400  # below this a row has its buttons below its words


def small(widget: QWidget) -> None:
    """Give it the small size of letters; the style sheet knows how large that is."""
    widget.setProperty("small", True)


def order_tabs(stops: Sequence[QWidget]) -> None:
    """Let Tab go from one to the next: Qt goes by when a widget was made, and rows are made late."""
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


class Row(QFrame):
    """`words` and `captions` are shown as they are: what cannot be seen is written out."""

    def __init__(
        self,
        icon: str,
        ink: str,
        words: str,
        captions: Sequence[str],
        buttons: Sequence[QPushButton] = (),
    ) -> None:
        super().__init__()
        self._buttons = tuple(buttons)
        self.setObjectName("row")
        self.setAccessibleName(visible(words))
        self.setAccessibleDescription(". ".join(captions))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label(breakable(words), SMALL_PX, name="row_words")
        # Commands and paths are copied from here.
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sign = Sign(icon, ink, SMALL_PX)
        self._text = QVBoxLayout()
        self._text.addWidget(self.words)
        self.captions = tuple(
            Label(breakable(caption), CAPTION_PX, colour="secondary", name="row_caption")
            for caption in captions
            if caption
        )
        for label in self.captions:
            self._text.addWidget(label)
        self._line = QHBoxLayout()
        self._line.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self._line.addLayout(self._text, 1)
        self._below = QHBoxLayout()
        self._is_narrow = False
        for each in self._buttons:
            small(each)
            self._line.addWidget(each, 0, Qt.AlignmentFlag.AlignTop)
        self.column = QVBoxLayout(self)  # what belongs to the row may go below its line
        self.column.addLayout(self._line)
        self.column.addLayout(self._below)
        theme.space(self.column, 8, (12, 8, 8, 8))
        theme.space(self._line, 10)
        theme.space(self._text, 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # By the row's own width: it stands in windows, cards and splitters.
        narrow = event.size().width() < theme.px(NARROW)
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._place_buttons()

    def _place_buttons(self) -> None:
        """Beside the words or, where these would be squeezed, below them."""
        old, new = (self._line, self._below) if self._is_narrow else (self._below, self._line)
        for each in self._buttons:
            old.removeWidget(each)
            new.addWidget(each, 0, Qt.AlignmentFlag.AlignTop)
        if self._is_narrow and self._buttons:
            self._below.addStretch(1)
        else:
            self._below.takeAt(0)  # the stretch


class RowList(QWidget, Generic[V]):
    """Keyed rows. What has not changed keeps its widget, so that focus and scroll position hold."""

    def __init__(self, name: str, make: Callable[[V], QWidget]) -> None:
        super().__init__()
        self._make = make
        self._rows: dict[Hashable, tuple[V, QWidget]] = {}
        self.setObjectName(name)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        theme.space(self._column, 6)

    def show_rows(self, rows: Sequence[tuple[Hashable, V]]) -> None:
        """Show these, in this order. A row whose value is another is made anew."""
        # Remembered as a place, because the row itself may be the one that goes.
        focused = self._focused_place()
        wanted = dict(rows)
        for key in [key for key, (value, _) in self._rows.items() if wanted.get(key) != value]:
            self._drop(key)
        for place, (key, value) in enumerate(rows):
            if key not in self._rows:
                self._rows[key] = (value, self._make(value))
            widget = self._rows[key][1]
            if self._column.indexOf(widget) != place:
                self._column.insertWidget(place, widget)
        if focused is not None and self._focused_place() is None:
            self._focus(focused)

    def row(self, key: Hashable) -> QWidget | None:
        """The widget of a row, if it is shown."""
        found = self._rows.get(key)
        return found[1] if found else None

    @property
    def rows(self) -> tuple[QWidget, ...]:
        """From top to bottom."""
        # From the layout and not from the dictionary, whose order is that of making.
        items = (self._column.itemAt(number) for number in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        return tuple(widget for widget in widgets if widget is not None)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches in the rows, from top to bottom."""
        return tuple(stop for row in self.rows for stop in row.findChildren(QPushButton))

    def _drop(self, key: Hashable) -> None:
        _, widget = self._rows.pop(key)
        self._column.removeWidget(widget)
        # Deletion comes with the next turn of the event loop, and until then it would be seen twice.
        widget.hide()
        widget.deleteLater()

    def _focused_place(self) -> int | None:
        focused = self.window().focusWidget()
        return next((n for n, row in enumerate(self.rows) if focused and row.isAncestorOf(focused)), None)

    def _focus(self, place: int) -> None:
        """The row that had the focus is gone: the one in its place takes it."""
        rows = self.rows
        if not rows:
            return
        buttons = rows[min(place, len(rows) - 1)].findChildren(QPushButton)
        if buttons:
            buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
