"""The sheet behind F1: every key of the table, by the window in which it counts."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.labels import Label
from desktop.ui.language import tr
from desktop.ui.models.page import resize_within_screen
from desktop.ui.shortcuts import SHORTCUTS, Shortcut
from desktop.ui.theme import BODY_PX, SMALL_PX
from desktop.ui.widgets.scroll import ScrollColumn

WIDTH, HEIGHT = 560, 620


class ShortcutSheet(QDialog):
    """Closed by Esc; a word in its field leaves the rows that have it. Main thread only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcut_sheet")
        self.setWindowTitle(tr("Shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.search = QLineEdit()
        self.search.setObjectName("shortcut_search")
        self.search.setAccessibleName(tr("Search shortcuts"))
        self.search.setPlaceholderText(tr("Search"))
        self.search.setClearButtonEnabled(True)
        self._grid_holder = QWidget()
        self._grid = QGridLayout(self._grid_holder)
        self._rows: list[tuple[Shortcut, Label, Label]] = []
        self._headings: dict[str, Label] = {}
        self._fill()
        scroll = ScrollColumn("shortcut_scroll")
        scroll.body.addWidget(self._grid_holder)
        scroll.body.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.search)
        self._column.addWidget(scroll, 1)
        self.search.textChanged.connect(self._find)
        theme.current().changed.connect(self._restyle)
        self._restyle()
        resize_within_screen(self, theme.px(WIDTH), theme.px(HEIGHT))

    def _fill(self) -> None:
        line = 0
        for where, members in groupby(SHORTCUTS, key=lambda shortcut: shortcut.where):
            heading = Label(tr(where.value), BODY_PX, bold=True, name="shortcut_heading")
            self._headings[where] = heading
            self._grid.addWidget(heading, line, 0, 1, 2)
            line += 1
            for shortcut in members:
                self._add(shortcut, line)
                line += 1
        self._grid.setColumnStretch(0, 3)
        self._grid.setColumnStretch(1, 2)

    def _add(self, shortcut: Shortcut, line: int) -> None:
        words = Label(tr(shortcut.words), SMALL_PX, name="shortcut_words")
        keys = Label(shown_keys(shortcut), SMALL_PX, colour="secondary", name="shortcut_keys")
        words.setAccessibleName(f"{tr(shortcut.words)}: {keys.text()}")
        self._grid.addWidget(words, line, 0)
        self._grid.addWidget(keys, line, 1)
        self._rows.append((shortcut, words, keys))

    def _find(self, text: str) -> None:
        wanted = text.casefold().split()
        found: set[str] = set()
        for shortcut, words, keys in self._rows:
            everything = f"{words.text()} {keys.text()}".casefold()
            shown = all(word in everything for word in wanted)
            words.setVisible(shown)
            keys.setVisible(shown)
            if shown:
                found.add(shortcut.where)
        for where, heading in self._headings.items():
            heading.setVisible(where in found)

    def _restyle(self) -> None:
        self._column.setContentsMargins(theme.px(16), theme.px(16), theme.px(8), theme.px(16))
        self._column.setSpacing(theme.px(8))
        self._grid.setHorizontalSpacing(theme.px(16))
        self._grid.setVerticalSpacing(theme.px(8))
        self.search.setFont(theme.font(SMALL_PX))


def shown_keys(shortcut: Shortcut) -> str:
    """All keys of a shortcut in the words of this system."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(keys).toString(native) for keys in shortcut.keys)


def show_sheet(window: QWidget) -> ShortcutSheet:
    """Open it over `window`, or bring the open one to the front."""
    open_one = window.findChild(ShortcutSheet)
    sheet = open_one if open_one is not None else ShortcutSheet(window)
    sheet.show()
    sheet.raise_()
    sheet.activateWindow()
    return sheet
