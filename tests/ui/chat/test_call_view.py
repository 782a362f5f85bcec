"""Tool cards: one line, a sign and a word for each state, all of it when opened."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, MessageStatus, Role
from desktop.chat.tool_record import ToolRecord
from desktop.tools.calls import Ending
from desktop.ui.chat.call_view import CallView
from desktop.ui.chat.call_words import ASKING, INTERRUPTED, RUNNING, details_of, line_of, state_of
from desktop.ui.icons import folder as icons_folder
from desktop.ui.theme import Theme
from tests.ui.chat.test_transcript import message

RECORD = ToolRecord("c", "read_file", {"path": "notes.txt"}, Ending.DONE, "it only reads", 0.123)


DENIED = replace(RECORD, ending=Ending.DENIED)


def card(record: ToolRecord = RECORD, status: MessageStatus = MessageStatus.COMPLETE) -> Message:
    return replace(message(3, "milk", Role.TOOL), tool=record, status=status)


COMPLETE, STREAMING = MessageStatus.COMPLETE, MessageStatus.STREAMING
LONG = "x" * 99
BY_GRANT = "allowed before: write_file for exactly this: /w/list.txt, for this chat"
LINES = [
    (RECORD, COMPLETE, "Read notes.txt · allowed because it only reads · 0.1 s"),
    (replace(RECORD, decision="allowed by the user"), COMPLETE, "Read notes.txt · you allowed it · 0.1 s"),
    (replace(RECORD, decision=BY_GRANT), COMPLETE, "Read notes.txt · allowed before · 0.1 s"),
    (
        replace(RECORD, ending=Ending.DENIED, decision="the user said no"),
        COMPLETE,
        "Read notes.txt · not allowed: you said no · 0.1 s",
    ),
    (replace(RECORD, ending=Ending.DENIED, decision=""), COMPLETE, "Read notes.txt · not allowed · 0.1 s"),
    (replace(RECORD, ending=Ending.FAILED), COMPLETE, "Read notes.txt · failed · 0.1 s"),
    (replace(RECORD, ending=None), STREAMING, "Read notes.txt · running"),
    (replace(RECORD, ending=None, asking=True), STREAMING, "Read notes.txt · asking you"),
    (
        replace(RECORD, ending=None),
        MessageStatus.INTERRUPTED,
        "Read notes.txt · interrupted when Steward ended",
    ),
    (
        replace(RECORD, name="current_time", arguments={}),
        COMPLETE,
        "Look at the clock · allowed because it only reads · 0.1 s",
    ),
    (
        replace(RECORD, name="brew_tea", decision=""),
        COMPLETE,
        "Brew tea notes.txt · 0.1 s",
    ),
    (
        replace(RECORD, arguments={"path": LONG}, decision=""),
        COMPLETE,
        f"Read {LONG[:47]}… · 0.1 s",
    ),
]


@pytest.mark.parametrize(("record", "status", "line"), LINES)
def test_the_line_says_what_and_how(record: ToolRecord, status: MessageStatus, line: str) -> None:
    """What on what, why it was allowed or what became of it, time."""
    assert line_of(card(record, status)) == line


def test_invisible_characters_are_written_out() -> None:
    """A name that would read backwards is shown as what it is, in the line and in the details."""
    tricky = replace(RECORD, arguments={"path": "a\u202etxt.exe"})
    assert "\\u202e" in line_of(card(tricky))
    assert "\\u202e" in details_of(card(tricky))


def test_every_state_has_an_icon_and_all_but_done_a_word() -> None:
    """No state of a call is told by colour alone, and none looks like another that ends otherwise."""
    states = [state_of(card(replace(RECORD, ending=ending))) for ending in Ending]
    states += [ASKING, RUNNING, INTERRUPTED]
    assert all((icons_folder() / f"{state.icon}.svg").is_file() for state in states)
    assert [state.word for state in states].count("") == 1
    done = state_of(card())
    assert done.icon not in {state.icon for state in states if state.word}
    assert len({ASKING.icon, RUNNING.icon, done.icon, state_of(card(DENIED)).icon}) == 4


def test_a_card_opens_to_all_of_it(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A click shows arguments, decision and result, and makes room for them."""
    view = CallView(theme, card(), holder)
    view.show()
    closed = view.arrange(600)
    qtbot.mouseClick(view.button, Qt.MouseButton.LeftButton)
    assert view.arrange(600) > closed
    assert all(part in details_of(card()) for part in ("path: notes.txt", "it only reads", "milk"))
    assert "open" in view.button.accessibleName()


def test_a_line_too_long_for_the_window_is_cut_and_kept_in_the_tooltip(theme: Theme, holder: QWidget) -> None:
    """The whole line is spoken and shown on hover; the button never reaches beyond the message."""
    view = CallView(theme, card(replace(RECORD, arguments={"path": LONG})), holder)
    view.show()
    view.arrange(300)
    assert view.button.geometry().right() <= 300
    assert "…" in view.button.text()
    assert line_of(view.message) in view.button.toolTip()
    assert view.button.accessibleName().startswith(line_of(view.message))


def test_a_missing_program_is_explained_without_opening(theme: Theme, holder: QWidget) -> None:
    """What a failed call says for itself stands below its line: how to get what is missing."""
    missing = replace(RECORD, name="screenshot_ocr", ending=Ending.FAILED)
    how = "Tesseract is not installed. Install it with: sudo apt install tesseract-ocr"
    view = CallView(theme, replace(card(missing), text=how), holder)
    view.show()
    view.arrange(600)
    assert view.reason.isVisible()
    assert view.reason.text() == how
    assert view.reason.geometry().bottom() <= view.height()


def test_long_results_scroll(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """An open card is at most 240 px of text high; the rest is reached by scrolling."""
    view = CallView(theme, replace(card(), text="line\n" * 400), holder)
    view.show()
    qtbot.mouseClick(view.button, Qt.MouseButton.LeftButton)
    assert view.arrange(600) < theme.px(300)
    assert view.folding.area.verticalScrollBar().maximum() > 0
