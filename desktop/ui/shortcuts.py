"""Every key of the program, once: windows make their actions from this table, tooltips name the keys from
it, and the sheet behind F1 lists it.

What a widget answers itself, because it means something else elsewhere (Enter, the arrows), is in the table
too, marked as `own`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr, tr_noop
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.labels import Label, SectionHeading
from desktop.ui.widgets.layout import (
    AROUND,
    EDGE,
    ScrollColumn,
    from_its_side,
    inset,
    named,
    resize_within_screen,
)


class ShortcutScope(StrEnum):
    """The window or part in which a key counts; its value is the heading of the sheet."""

    EVERYWHERE = tr_noop("In the windows")
    CHAT = tr_noop("Chat")
    WRITING = tr_noop("While writing")
    MESSAGES = tr_noop("In the messages")
    CHATS = tr_noop("In the list of chats")
    PAGES = tr_noop("Settings and other pages")
    QUESTIONS = tr_noop("Waiting questions")
    QUICK_ASK = tr_noop("Quick-ask")


@dataclass(frozen=True)
class Shortcut:
    """`keys` in Qt's portable words, the usual one first; `own`: answered by the widget in use."""

    name: str
    where: ShortcutScope
    keys: tuple[str, ...]
    words: str
    own: bool = False


SHORTCUTS = (
    Shortcut("shortcuts", ShortcutScope.EVERYWHERE, ("F1",), tr_noop("Show the shortcuts")),
    Shortcut("palette", ShortcutScope.EVERYWHERE, ("Ctrl+K",), tr_noop("Find chats, commands, settings")),
    Shortcut("quit", ShortcutScope.EVERYWHERE, ("Ctrl+Q",), tr_noop("Quit Steward")),
    Shortcut("new_chat", ShortcutScope.CHAT, ("Ctrl+N",), tr_noop("New chat")),
    Shortcut("search", ShortcutScope.CHAT, ("Ctrl+Shift+F",), tr_noop("Search all chats")),
    Shortcut("sidebar", ShortcutScope.CHAT, ("Ctrl+B",), tr_noop("Show or hide the list of chats")),
    Shortcut("cycle", ShortcutScope.CHAT, ("F6",), tr_noop("Go to the list, the messages, the message box")),
    Shortcut("cycle_back", ShortcutScope.CHAT, ("Shift+F6",), tr_noop("The same, the other way")),
    Shortcut("selection", ShortcutScope.CHAT, ("Ctrl+E",), tr_noop("Actions for the selected text")),
    Shortcut("stop", ShortcutScope.CHAT, ("Esc",), tr_noop("Stop the answer")),
    Shortcut("memory", ShortcutScope.CHAT, ("Ctrl+M",), tr_noop("Open Memory")),
    Shortcut("settings", ShortcutScope.CHAT, ("Ctrl+,",), tr_noop("Open the settings")),
    Shortcut("zoom_in", ShortcutScope.CHAT, ("Ctrl++", "Ctrl+="), tr_noop("Larger text")),
    Shortcut("zoom_out", ShortcutScope.CHAT, ("Ctrl+-",), tr_noop("Smaller text")),
    Shortcut("zoom_reset", ShortcutScope.CHAT, ("Ctrl+0",), tr_noop("Normal text size")),
    Shortcut("close", ShortcutScope.CHAT, ("Ctrl+W",), tr_noop("Close the window")),
    Shortcut("send", ShortcutScope.WRITING, ("Return",), tr_noop("Send"), own=True),
    Shortcut("new_line", ShortcutScope.WRITING, ("Shift+Return",), tr_noop("New line"), own=True),
    Shortcut(
        "recall",
        ShortcutScope.WRITING,
        ("Up",),
        tr_noop("Edit the last message, when the box is empty"),
        own=True,
    ),
    Shortcut("move", ShortcutScope.MESSAGES, ("Up", "Down"), tr_noop("The message above or below"), own=True),
    Shortcut(
        "message_actions",
        ShortcutScope.MESSAGES,
        ("Return",),
        tr_noop("Actions for a message"),
        own=True,
    ),
    Shortcut(
        "copy_message",
        ShortcutScope.MESSAGES,
        ("Ctrl+C",),
        tr_noop("Copy the message or what is selected"),
        own=True,
    ),
    Shortcut("first", ShortcutScope.MESSAGES, ("Home",), tr_noop("To the beginning"), own=True),
    Shortcut("latest", ShortcutScope.MESSAGES, ("End",), tr_noop("To the latest message"), own=True),
    Shortcut("open_chat", ShortcutScope.CHATS, ("Return",), tr_noop("Open the chat"), own=True),
    Shortcut("rename", ShortcutScope.CHATS, ("F2",), tr_noop("Rename the chat"), own=True),
    Shortcut("delete", ShortcutScope.CHATS, ("Del",), tr_noop("Delete the chat; you can undo it"), own=True),
    Shortcut("pages_next", ShortcutScope.PAGES, ("Ctrl+PgDown",), tr_noop("Next page")),
    Shortcut("pages_previous", ShortcutScope.PAGES, ("Ctrl+PgUp",), tr_noop("Previous page")),
    Shortcut("pages_cycle", ShortcutScope.PAGES, ("F6",), tr_noop("From the list to the page and back")),
    Shortcut("pages_close", ShortcutScope.PAGES, ("Esc", "Ctrl+W"), tr_noop("Close the window")),
    Shortcut("question_next", ShortcutScope.QUESTIONS, ("Ctrl+PgDown",), tr_noop("Next question"), own=True),
    Shortcut(
        "question_previous", ShortcutScope.QUESTIONS, ("Ctrl+PgUp",), tr_noop("Previous question"), own=True
    ),
    Shortcut("ask", ShortcutScope.QUICK_ASK, ("Return",), tr_noop("Ask"), own=True),
    Shortcut(
        "ask_open", ShortcutScope.QUICK_ASK, ("Ctrl+Return",), tr_noop("Open in the chat window"), own=True
    ),
    Shortcut("ask_anew", ShortcutScope.QUICK_ASK, ("Ctrl+N",), tr_noop("Another question"), own=True),
    Shortcut(
        "ask_hide",
        ShortcutScope.QUICK_ASK,
        ("Esc",),
        tr_noop("Close the menu, stop, hide: in this order"),
        own=True,
    ),
)

_BY_NAME = {shortcut.name: shortcut for shortcut in SHORTCUTS}


def bind(window: QWidget, slots: Mapping[str, Callable[[], object]]) -> None:
    """Make an action of `window` for each name of the table; raises KeyError for one that is not in it."""
    for name, act in slots.items():
        shortcut = _BY_NAME[name]
        action = QAction(tr(shortcut.words), window)
        action.setObjectName(f"key_{name}")
        # The first is what menus and tooltips name; the others are what keyboards need (+ without Shift).
        action.setShortcuts([QKeySequence(keys) for keys in shortcut.keys])
        action.triggered.connect(lambda _checked=False, act=act: act())
        window.addAction(action)


def keys_of(name: str) -> str:
    """The first keys of a shortcut in the words of this system, "Ctrl+K"."""
    return _in_words(_BY_NAME[name].keys[0])


def with_keys(words: str, name: str) -> str:
    """Words of a tooltip with the keys that do the same."""
    return f"{words} ({keys_of(name)})"


def beside_keys(words: str, name: str) -> str:
    """Words of a menu, with the keys in the column that menus have for them."""
    return f"{words}\t{keys_of(name)}"


WIDTH, HEIGHT = 560, 620


class ShortcutSheet(QDialog):
    """Closed by Esc; a word in its field leaves the rows that have it. Main thread only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcut_sheet")
        self.setWindowTitle(tr("Shortcuts"))
        # Made anew when it is wanted again, in the language and size of then.
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.search = named(QLineEdit(), "shortcut_search", tr("Search shortcuts"))
        self.search.setPlaceholderText(from_its_side(self.search, tr("Search")))
        self.search.setClearButtonEnabled(True)
        self._grid_holder = QWidget()
        self._grid = theme.space(QGridLayout(self._grid_holder), (16, 8))
        self.search.setProperty("small", True)
        self._rows: list[tuple[Shortcut, Label, Label]] = []
        self._headings: dict[str, Label] = {}
        self._fill()
        scroll = ScrollColumn("shortcut_scroll")
        scroll.body.addWidget(self._grid_holder)
        self.empty = Label(tr("Nothing matches. Try other words."), SMALL_PX, name="shortcut_empty")
        self.empty.hide()
        scroll.body.addWidget(self.empty)
        scroll.body.addStretch(1)
        column = theme.space(QVBoxLayout(self), 8, (16, 16, 8, 16))
        column.addLayout(inset(self.search, AROUND, 0, EDGE))  # in line with what scrolls below
        column.addWidget(scroll, 1)
        self.search.textChanged.connect(self._find)
        resize_within_screen(self, theme.px(WIDTH), theme.px(HEIGHT))

    def _fill(self) -> None:
        line = 0
        for where, members in groupby(SHORTCUTS, key=lambda shortcut: shortcut.where):
            heading = SectionHeading(tr(where.value), "shortcut_heading")
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
        # A screen reader goes from label to label and would say the keys without what they do.
        words.setAccessibleName(f"{tr(shortcut.words)}: {keys.text()}")
        self._grid.addWidget(words, line, 0)
        self._grid.addWidget(keys, line, 1)
        self._rows.append((shortcut, words, keys))

    def _find(self, text: str) -> None:
        wanted = text.casefold().split()
        found: set[str] = set()
        for shortcut, words, keys in self._rows:
            # By the names that stand on keyboards of other languages, too: Ctrl where Strg is shown.
            everything = f"{words.text()} {keys.text()} {', '.join(shortcut.keys)}".casefold()
            shown = all(word in everything for word in wanted)
            words.setVisible(shown)
            keys.setVisible(shown)
            if shown:
                found.add(shortcut.where)
        for where, heading in self._headings.items():
            # A heading over nothing would look as if something were missing.
            heading.setVisible(where in found)
        self.empty.setVisible(not found)


def shown_keys(shortcut: Shortcut) -> str:
    """All keys of a shortcut in the words of this system."""
    return ", ".join(map(_in_words, shortcut.keys))


def _in_words(keys: str) -> str:
    """As it stands on keyboards: what Qt calls Return is the key Enter."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    return re.sub(r"\bReturn$", tr("Enter"), native)


def show_sheet(window: QWidget) -> ShortcutSheet:
    """Open it over `window`, or bring the open one to the front."""
    open_one = window.findChild(ShortcutSheet)
    sheet = open_one if open_one is not None else ShortcutSheet(window)
    sheet.show()
    sheet.raise_()
    sheet.activateWindow()
    return sheet
