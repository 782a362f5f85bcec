"""The bar at a selection: when it is there, and what becomes of a text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.chat.text_actions import TextAction
from desktop.ui import theme
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.chat.selection_bar import ResultWindow
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import add_conversation

pytestmark = pytest.mark.desktop


def write(desk: Desk, text: str) -> None:
    """Type `text` into the message box and select all of it."""
    box = desk.window.pane.composer.text
    box.setFocus()
    box.setPlainText(text)
    box.selectAll()
    desk.qtbot.waitUntil(desk.window.selection.bar.isVisible)


def choose(desk: Desk, action: TextAction) -> ResultWindow:
    """Press a button of the bar and wait for what comes of it."""
    bar = desk.window.selection.bar
    bar.buttons[list(TextAction).index(action)].click()
    window = desk.window.selection.window
    assert window is not None
    desk.qtbot.waitUntil(lambda: window.state.text() != "Writing…")
    return window


def test_the_bar_comes_with_a_selection_and_goes_with_it(desk: Desk) -> None:
    """Within the window, and without taking the keyboard."""
    bar, box = desk.window.selection.bar, desk.window.pane.composer.text
    assert bar.isHidden()
    write(desk, "some words")
    assert QApplication.focusWidget() is box
    assert desk.window.pane.rect().contains(bar.geometry())
    box.moveCursor(QTextCursor.MoveOperation.End)
    assert bar.isHidden()


def test_what_was_written_is_replaced_after_it_was_seen(desk: Desk) -> None:
    """The difference first; one step takes it back."""
    desk.use_model()
    desk.backend.answers = "Good words."
    write(desk, "bad words")
    window = choose(desk, TextAction.REWRITE)
    box = desk.window.pane.composer.text
    assert box.toPlainText() == "bad words"
    assert "bad words" in window.shown.toPlainText()
    assert "Good words." in window.shown.toPlainText()
    window.take.click()
    assert box.toPlainText() == "Good words."
    assert window.isHidden()
    box.undo()
    assert box.toPlainText() == "bad words"


def test_what_was_typed_on_meanwhile_is_not_replaced(desk: Desk) -> None:
    """What stands there now is not what the model read."""
    desk.use_model()
    desk.backend.answers = "Good words."
    write(desk, "bad words")
    window = choose(desk, TextAction.SHORTEN)
    box = desk.window.pane.composer.text
    cursor = box.textCursor()
    cursor.setPosition(3)
    cursor.insertText("XX")
    window.take.click()
    assert box.toPlainText() == "badXX words"
    assert "changed in the meantime" in window.state.text()
    assert window.isVisible()


def test_a_message_stays_and_its_result_can_be_used(desk: Desk) -> None:
    """Copied, or put into the message box."""
    desk.use_model()
    desk.backend.answers = "It is about the sea."
    desk.window.open_conversation(add_conversation(desk, "?", "The tides of the sea."))
    desk.settle()
    view = next(each for each in desk.window.findChildren(ProseView) if "tides" in each.toPlainText())
    view.setFocus()
    view.selectAll()
    desk.qtbot.waitUntil(desk.window.selection.bar.isVisible)
    window = choose(desk, TextAction.EXPLAIN)
    window.copy.click()
    assert QGuiApplication.clipboard().text() == "It is about the sea."
    window.take.click()
    assert desk.window.pane.composer.text.toPlainText() == "It is about the sea."
    assert "tides" in view.toPlainText()


@pytest.mark.parametrize(
    ("selected", "after"),
    [
        ((0, 12), "Come at ten.\n\nIt is an invitation."),
        ((0, 4), "Come\n\nIt is an invitation.\n\n at ten."),
        ((12, 12), "Come at ten.It is an invitation."),
    ],
)
def test_an_explanation_replaces_nothing(desk: Desk, selected: tuple[int, int], after: str) -> None:
    """Put into the message box, it stands behind what was explained, and one step takes it out again."""
    desk.use_model()
    desk.backend.answers = "It is an invitation."
    write(desk, "Come at ten.")
    window = choose(desk, TextAction.EXPLAIN)
    box = desk.window.pane.composer.text
    cursor = box.textCursor()
    cursor.setPosition(selected[0])
    cursor.setPosition(selected[1], QTextCursor.MoveMode.KeepAnchor)
    box.setTextCursor(cursor)
    window.take.click()
    assert box.toPlainText() == after
    box.undo()
    assert box.toPlainText() == "Come at ten."


def test_a_text_that_stays_as_it_was_has_no_box(desk: Desk) -> None:
    """One sentence says so; nothing empty is shown, and nothing can be put anywhere."""
    desk.use_model()
    desk.backend.answers = "Come at ten."
    write(desk, "Come at ten.")
    window = choose(desk, TextAction.REWRITE)
    assert window.state.text() == "The text is as it was."
    assert not window.shown.isVisible()
    assert not window.take.isEnabled()


def test_sentences_are_shown_as_sentences(desk: Desk) -> None:
    """In the font of everything else, ends of lines unmarked."""
    desk.use_model()
    desk.backend.answers = "Lieber Tom,\n\nkomm um zehn."
    write(desk, "Dear Tom,\n\ncome at ten.")
    shown = choose(desk, TextAction.TRANSLATE).shown
    assert shown.toPlainText() == "Lieber Tom,\n\nkomm um zehn."
    assert shown.document().defaultFont().family() == theme.font().family()


def test_without_a_model_that_is_said(desk: Desk) -> None:
    """In the window that waits, with nothing to take."""
    write(desk, "some words")
    window = choose(desk, TextAction.TRANSLATE)
    assert window.state.text()
    assert not window.take.isEnabled()
    assert not window.copy.isEnabled()


def test_by_keyboard(desk: Desk) -> None:
    """Ctrl+E goes to the bar, the arrows from one to the next, Esc back to the text."""
    write(desk, "some words")
    bar, box = desk.window.selection.bar, desk.window.pane.composer.text
    assert bar.focus()
    assert bar.buttons[0].hasFocus()
    QTest.keyClick(bar.buttons[0], Qt.Key.Key_Tab)
    assert bar.buttons[1].hasFocus()
    QTest.keyClick(bar.buttons[1], Qt.Key.Key_Escape)
    assert box.hasFocus()
    assert bar.isHidden()
    assert box.textCursor().hasSelection()


def test_tab_goes_from_the_text_into_the_bar(desk: Desk) -> None:
    """Once something is selected; the ring of the keyboard is there, and the bar stays."""
    write(desk, "some words")
    QTest.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Tab)
    bar = desk.window.selection.bar
    assert bar.buttons[0].hasFocus()
    assert bar.isVisible()
    assert desk.window.ring.isVisible()


def test_the_bar_has_room_at_every_edge(desk: Desk) -> None:
    """In a low and narrow window too."""
    desk.window.resize(320, 360)
    write(desk, "words " * 60)
    bar = desk.window.selection.bar
    assert bar.pos().x() >= 0
    assert bar.pos().y() >= 0
    assert bar.geometry().bottomRight() != QPoint()
    assert desk.window.pane.rect().contains(bar.geometry().center())
