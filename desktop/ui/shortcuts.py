"""Every key of the program, once: windows make their actions from this table, tooltips name the keys from
it, and the sheet behind F1 lists it.

What a widget answers itself, because it means something else elsewhere (Enter, the arrows), is in the table
too, marked as `own`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.ui.language import later, tr


class Where(StrEnum):
    """The window or part in which a key counts; its value is the heading of the sheet."""

    EVERYWHERE = later("In the windows")
    CHAT = later("Chat")
    WRITING = later("While writing")
    MESSAGES = later("In the messages")
    CHATS = later("In the list of chats")
    PAGES = later("Settings and other pages")
    QUESTIONS = later("Questions that wait")
    QUICK_ASK = later("Quick-ask")


@dataclass(frozen=True)
class Shortcut:
    """`keys` in Qt's portable words, the usual one first; `own`: answered by the widget in use."""

    name: str
    where: Where
    keys: tuple[str, ...]
    words: str
    own: bool = False


SHORTCUTS = (
    Shortcut("shortcuts", Where.EVERYWHERE, ("F1",), later("Show the shortcuts")),
    Shortcut("new_chat", Where.CHAT, ("Ctrl+N",), later("New chat")),
    Shortcut("search", Where.CHAT, ("Ctrl+K",), later("Search all chats")),
    Shortcut("sidebar", Where.CHAT, ("Ctrl+B",), later("Show or hide the list of chats")),
    Shortcut("cycle", Where.CHAT, ("F6",), later("Go to the list, the messages, the message box")),
    Shortcut("cycle_back", Where.CHAT, ("Shift+F6",), later("The same, the other way")),
    Shortcut("stop", Where.CHAT, ("Esc",), later("Stop the answer")),
    Shortcut("memory", Where.CHAT, ("Ctrl+M",), later("Open Memory")),
    Shortcut("settings", Where.CHAT, ("Ctrl+,",), later("Open the settings")),
    Shortcut("zoom_in", Where.CHAT, ("Ctrl++", "Ctrl+="), later("Larger text")),
    Shortcut("zoom_out", Where.CHAT, ("Ctrl+-",), later("Smaller text")),
    Shortcut("zoom_reset", Where.CHAT, ("Ctrl+0",), later("Normal text size")),
    Shortcut("close", Where.CHAT, ("Ctrl+W",), later("Close the window")),
    Shortcut("quit", Where.CHAT, ("Ctrl+Q",), later("Quit Steward")),
    Shortcut("send", Where.WRITING, ("Return",), later("Send"), own=True),
    Shortcut("new_line", Where.WRITING, ("Shift+Return",), later("New line"), own=True),
    Shortcut(
        "recall", Where.WRITING, ("Up",), later("Edit the last message, when the box is empty"), own=True
    ),
    Shortcut("move", Where.MESSAGES, ("Up", "Down"), later("The message above or below"), own=True),
    Shortcut(
        "message_actions", Where.MESSAGES, ("Return",), later("What can be done with a message"), own=True
    ),
    Shortcut(
        "copy_message", Where.MESSAGES, ("Ctrl+C",), later("Copy the message or what is selected"), own=True
    ),
    Shortcut("first", Where.MESSAGES, ("Home",), later("To the beginning"), own=True),
    Shortcut("latest", Where.MESSAGES, ("End",), later("To the latest message"), own=True),
    Shortcut("open_chat", Where.CHATS, ("Return",), later("Open the chat"), own=True),
    Shortcut("rename", Where.CHATS, ("F2",), later("Rename the chat"), own=True),
    Shortcut("delete", Where.CHATS, ("Del",), later("Delete the chat; there is Undo"), own=True),
    Shortcut("pages_next", Where.PAGES, ("Ctrl+PgDown",), later("Next page")),
    Shortcut("pages_previous", Where.PAGES, ("Ctrl+PgUp",), later("Previous page")),
    Shortcut("pages_cycle", Where.PAGES, ("F6",), later("From the list to the page and back")),
    Shortcut("pages_close", Where.PAGES, ("Esc", "Ctrl+W"), later("Close the window")),
    Shortcut("question_next", Where.QUESTIONS, ("Ctrl+PgDown",), later("Next question"), own=True),
    Shortcut("question_previous", Where.QUESTIONS, ("Ctrl+PgUp",), later("Previous question"), own=True),
    Shortcut("ask", Where.QUICK_ASK, ("Return",), later("Ask"), own=True),
    Shortcut("ask_open", Where.QUICK_ASK, ("Ctrl+Return",), later("Open in the chat window"), own=True),
    Shortcut("ask_anew", Where.QUICK_ASK, ("Ctrl+N",), later("Another question"), own=True),
    Shortcut(
        "ask_hide", Where.QUICK_ASK, ("Esc",), later("Close the menu, stop, hide: in this order"), own=True
    ),
)
_BY_NAME = {shortcut.name: shortcut for shortcut in SHORTCUTS}


def bind(window: QWidget, slots: Mapping[str, Callable[[], object]]) -> None:
    """Make an action of `window` for each name of the table; raises KeyError for one that is not in it."""
    for name, act in slots.items():
        shortcut = _BY_NAME[name]
        action = QAction(tr(shortcut.words), window)
        action.setObjectName(f"key_{name}")
        action.setShortcuts([QKeySequence(keys) for keys in shortcut.keys])
        action.triggered.connect(lambda _checked=False, act=act: act())
        window.addAction(action)


def keys_of(name: str) -> str:
    """The first keys of a shortcut in the words of this system, "Ctrl+K"."""
    return QKeySequence(_BY_NAME[name].keys[0]).toString(QKeySequence.SequenceFormat.NativeText)


def with_keys(words: str, name: str) -> str:
    """Words of a tooltip with the keys that do the same."""
    return f"{words} ({keys_of(name)})"


def beside_keys(words: str, name: str) -> str:
    """Words of a menu, with the keys in the column that menus have for them."""
    return f"{words}\t{keys_of(name)}"
