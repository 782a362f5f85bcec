"""Lists: rows that keep their widgets, fields and bars above them, a list with its search and its pages,
and what stands in the place of an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.theme import BODY_PX, MONO_PX, SMALL_PX
from desktop.ui.widgets.buttons import ComboBox, IconButton, action, relabel, small
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import FlowLayout, from_its_side, let_go, named, sized

SIGN_PX = 24


class EmptyWords(NamedTuple):
    """Why a list is empty: there is nothing yet, or nothing that matches what is asked for."""

    nothing_yet: str
    not_found: str = ""


class EmptyState(Label):
    """One sentence. Hidden until there is something to say, and it takes no room then."""

    def __init__(self, name: str, words: EmptyWords | None = None) -> None:
        """The words are literals marked by `later`; None: whoever calls `show_text` has them."""
        super().__init__("", SMALL_PX, colour="secondary", name=name)
        self._words = words
        self.hide()

    def show_for(self, found: int, is_narrowed: bool) -> None:
        """Say why nothing was found; `is_narrowed`: a search or a filter left something out."""
        words = self._words
        if found or words is None:
            self.show_text("")
        else:
            self.show_text(tr(words.not_found if is_narrowed and words.not_found else words.nothing_yet))


class FirstStep(QWidget):
    """For a page on which nothing was ever to be seen: what is missing, and a command that brings it."""

    def __init__(self, name: str, icon: str, heading: str, how: str, command: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.command = Label(command, MONO_PX, name=f"{name}_command")
        self.command.setProperty("code", True)
        self.command.setWordWrap(False)
        self.command.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        # By keyboard as well: the command is what somebody came here for.
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.command.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.copy = IconButton(
            "copy", tr("Copy the command"), f"{name}_copy", lambda: copy_text(self.command.text())
        )
        row = theme.space(QHBoxLayout(), 8)
        row.addWidget(self.command)
        row.addWidget(self.copy)
        row.addStretch(1)
        column = theme.space(QVBoxLayout(self), 8, (0, 24, 0, 0))
        column.addWidget(Sign(icon, "secondary", SIGN_PX))
        column.addWidget(Label(heading, BODY_PX, bold=True, name=f"{name}_says"))
        column.addWidget(Label(how, SMALL_PX, colour="secondary", name=f"{name}_how"))
        column.addLayout(row)
        # What stands below it on its page follows at once.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


def copy_text(words: str) -> None:
    """Into the clipboard."""
    QGuiApplication.clipboard().setText(words)


V = TypeVar("V")
SEARCHED_FROM = 8  # as many rows are seen at a glance
SEARCH_AFTER_MS = 150  # a letter typed within it belongs to the same search


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
        place_before, before = self._focused_place(), self.window().focusWidget()
        name = before.objectName() if before is not None else ""
        wanted = dict(rows)
        dropped = [key for key, (value, _) in self._rows.items() if wanted.get(key) != value]
        is_lost = before is not None and any(self._rows[key][1].isAncestorOf(before) for key in dropped)
        for key in dropped:
            self._drop(key)
        for place, (key, value) in enumerate(rows):
            if key not in self._rows:
                self._rows[key] = (value, self._make(value))
            widget = self._rows[key][1]
            if self._column.indexOf(widget) != place:
                self._column.insertWidget(place, widget)
        # Qt has given the keyboard to whatever Tab leads to: to another row, where the next key would act.
        if place_before is not None and is_lost:
            self._focus(place_before, name)

    def row(self, key: Hashable) -> QWidget | None:
        """The widget of a row, if it is shown."""
        found = self._rows.get(key)
        return found[1] if found else None

    @property
    def rows(self) -> tuple[QWidget, ...]:
        """The widgets from top to bottom."""
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
        let_go(widget)

    def _focused_place(self) -> int | None:
        focused = self.window().focusWidget()
        return next((n for n, row in enumerate(self.rows) if focused and row.isAncestorOf(focused)), None)

    def _focus(self, place: int, name: str) -> None:
        """The row that had the focus is gone: the one in its place takes it, in the same button if it has
        that."""
        rows = self.rows
        if not rows:
            return
        buttons = rows[min(place, len(rows) - 1)].findChildren(QPushButton)
        same = [each for each in buttons if each.objectName() == name]
        for each in (same or buttons)[:1]:
            each.setFocus(Qt.FocusReason.OtherFocusReason)


class SearchField(QLineEdit):
    """`searched` comes with the text once nobody has typed for `after_ms`. Main thread only."""

    searched = Signal(str)

    def __init__(self, name: str, words: str, hint: str = "", after_ms: int = 0) -> None:
        """`words` are what a screen reader says; `hint` stands in the empty field."""
        super().__init__()
        named(self, name, words)
        self.setPlaceholderText(from_its_side(self, hint or tr("Search")))
        self.setClearButtonEnabled(True)
        self._timer = QTimer(self, singleShot=True, interval=after_ms)
        self._timer.timeout.connect(self._announce)
        self.textChanged.connect(lambda _text: self._timer.start() if after_ms else self._announce())

    def _announce(self) -> None:
        self.searched.emit(self.text())


class StepField(QLineEdit):
    """A field above rows: it keeps the keyboard while they are chosen from. Main thread only."""

    stepped = Signal(int)  # so many rows further
    chosen = Signal()
    left = Signal()  # Esc

    def event(self, event: QEvent) -> bool:
        """Esc is for the field while it is in use, not for the window's own shortcut."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        # On macOS arrow keys carry the modifier of the keypad.
        if step and event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            self.stepped.emit(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class FilterBar(QWidget):
    """A search and choices, beside each other where there is room. `changed`: something else is wanted."""

    changed = Signal()

    def __init__(self, name: str, words: str, search_px: float = 180) -> None:
        """`words` are what a screen reader says of the search, which is at least `search_px` wide."""
        super().__init__()
        self._name = name
        self.setObjectName(f"{name}_filter")
        self.search = small(SearchField(f"{name}_search", words, after_ms=SEARCH_AFTER_MS))
        self.search.searched.connect(lambda _text: self.changed.emit())
        self._row = FlowLayout(self)
        self.add(sized(self.search, min_width=search_px))

    def add(self, widget: QWidget) -> None:
        """Put `widget` at the end of the row."""
        self._row.addWidget(widget)

    def add_choice(self, name: str, words: str, entries: Iterable[tuple[str, object]]) -> ComboBox:
        """A box whose `currentData` is what was chosen of `entries`, each with its words."""
        box = ComboBox(f"{self._name}_{name}", words)
        for shown, value in entries:
            box.addItem(shown, value)
        box.currentIndexChanged.connect(lambda _row: self.changed.emit())
        self.add(box)
        return box


class SearchedList(QWidget, Generic[V]):
    """A `FilteredList` with its own search above it, which is there as soon as there is much to search.

    `text` is what a value is found by: all words of the search are in it. Main thread only.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[V], QWidget],
        key: Callable[[V], Hashable],
        text: Callable[[V], str],
        words: EmptyWords,
        said: str,
    ) -> None:
        """`said` is what a screen reader calls the search."""
        super().__init__()

        def matches(value: V, wanted: str) -> bool:
            everything = text(value).casefold()
            return all(word in everything for word in wanted.casefold().split())

        self.rows: FilteredList[V] = FilteredList(name, make, key, words, matches)
        self.search = small(SearchField(f"{name}_search", said, said, SEARCH_AFTER_MS))
        self.search.searched.connect(self.rows.search)
        self.search.hide()  # until it is known what there is
        column = theme.space(QVBoxLayout(self), 8)
        column.addWidget(self.search)
        column.addWidget(self.rows)

    @property
    def list(self) -> RowList[V]:
        """The rows that are shown."""
        return self.rows.list

    @property
    def empty(self) -> EmptyState:
        """What stands in their place."""
        return self.rows.empty

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, from top to bottom."""
        return (self.search, *self.rows.stops)

    def show_values(self, values: Sequence[V]) -> None:
        """Show these, in this order."""
        # What is looked for is in a box that stays, however little is left.
        self.search.setVisible(len(values) >= SEARCHED_FROM or bool(self.search.text()))
        self.rows.show_values(values)


class FilteredList(QWidget, Generic[V]):
    """Rows, as many as fit a page, of those that a search finds; more on demand. Main thread only."""

    changed = Signal()  # other rows are shown
    more_wanted = Signal()  # all that was given is shown, and there is more

    def __init__(
        self,
        name: str,
        make: Callable[[V], QWidget],
        key: Callable[[V], Hashable],
        words: EmptyWords,
        matches: Callable[[V, str], bool] = lambda _value, _text: True,
        at_once: int = 50,
    ) -> None:
        """`make` gives the row of a value and `key` what it is known by; equal values keep their row."""
        super().__init__()
        self._key = key
        self._matches = matches
        self._at_once = self._wanted = at_once
        self._values: Sequence[V] = ()
        self._has_more = False
        self._text = ""
        self.found = 0  # of all values, also of those on later pages
        self.list: RowList[V] = RowList(name, make)
        self.empty = EmptyState(f"{name}_empty", words)
        self.more = action("", f"{name}_more", self._show_more)
        self.more.hide()
        column = theme.space(QVBoxLayout(self), 8)
        for widget in (self.empty, self.list):
            column.addWidget(widget)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeading)

    @property
    def known(self) -> int:
        """How many values there are, found or not."""
        return len(self._values)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab reaches, from top to bottom."""
        return (*self.list.stops, self.more)

    def show_values(self, values: Sequence[V], has_more: bool = False) -> None:
        """Show these, in this order; `has_more`: there are others that were not given."""
        self._values, self._has_more = values, has_more
        self._show()

    def search(self, text: str) -> None:
        """Show those that `text` finds, from the first page on."""
        self._text, self._wanted = text, self._at_once
        self._show()

    def _show(self) -> None:
        found = [value for value in self._values if self._matches(value, self._text)]
        part = found[: self._wanted]
        self.found = len(found)
        self.list.show_rows([(self._key(value), value) for value in part])
        self.empty.show_for(len(found), bool(self._values))
        left = len(found) - len(part)
        counted = tr("Show {count} more of {left}", count=min(self._at_once, left), left=left)
        relabel(self.more, counted if left else tr("Show more"))
        self.more.setVisible(left > 0 or self._has_more)
        self.changed.emit()

    def _show_more(self) -> None:
        if self.found <= self._wanted:
            self.more_wanted.emit()
        self._wanted += self._at_once
        self._show()
