"""Tool cards: one line, a sign and a word for each state, all of it when opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, MessageStatus, Role
from desktop.chat.tool_record import ToolRecord
from desktop.tools.calls import Ending
from desktop.ui.chat.call_view import CallView, details_of, line_of
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import show_active
from tests.ui.chat.test_transcript import message

RECORD = ToolRecord("c", "read_file", {"path": "notes.txt"}, Ending.DONE, "it only reads", 0.123)


def card(record: ToolRecord = RECORD, status: MessageStatus = MessageStatus.COMPLETE) -> Message:
    return replace(message(3, "milk", Role.TOOL), tool=record, status=status)


COMPLETE, STREAMING = MessageStatus.COMPLETE, MessageStatus.STREAMING
LONG = "x" * 99
LINES = [
    (RECORD, COMPLETE, "✓ read_file notes.txt · 0.1 s"),
    (
        replace(RECORD, ending=Ending.DENIED),
        COMPLETE,
        "✗ read_file notes.txt · not allowed · 0.1 s",
    ),
    (replace(RECORD, ending=Ending.FAILED), COMPLETE, "✗ read_file notes.txt · failed · 0.1 s"),
    (replace(RECORD, ending=None), STREAMING, "… read_file notes.txt · running"),
    (
        replace(RECORD, ending=None, asking=True),
        STREAMING,
        "? read_file notes.txt · asking you",
    ),
    (
        replace(RECORD, ending=None),
        MessageStatus.INTERRUPTED,
        "✗ read_file notes.txt · interrupted when Steward ended",
    ),
    (replace(RECORD, arguments={}), COMPLETE, "✓ read_file · 0.1 s"),
    (
        replace(RECORD, arguments={"path": LONG}),
        COMPLETE,
        f"✓ read_file {LONG[:47]}… · 0.1 s",
    ),
]


@pytest.mark.parametrize(("record", "status", "line"), LINES)
def test_the_line_says_what_and_how(record: ToolRecord, status: MessageStatus, line: str) -> None:
    """Tool, object, state in a word, time."""
    assert line_of(card(record, status)) == line


def test_invisible_characters_are_written_out() -> None:
    """A name that would read backwards is shown as what it is, in the line and in the details."""
    tricky = replace(RECORD, arguments={"path": "a\u202etxt.exe"})
    assert "\\u202e" in line_of(card(tricky))
    assert "\\u202e" in details_of(card(tricky))


def test_every_ending_has_words() -> None:
    """No state of a call is without a sign."""
    for ending in Ending:
        assert line_of(card(replace(RECORD, ending=ending)))[0] in "✓✗"


@pytest.fixture
def holder(theme: Theme, qtbot: QtBot) -> Iterator[QWidget]:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(800, 400)
    show_active(made, qtbot)
    yield made
    made.close()


def test_a_card_opens_to_all_of_it(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A click shows arguments, decision and result, and makes room for them."""
    view = CallView(theme, card(), holder)
    view.show()
    closed = view.arrange(600)
    qtbot.mouseClick(view.button, Qt.MouseButton.LeftButton)
    assert view.arrange(600) > closed
    assert all(part in details_of(card()) for part in ("path: notes.txt", "it only reads", "milk"))
    assert "open" in view.button.accessibleName()
