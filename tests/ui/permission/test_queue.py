"""The queue of questions: all in sight, each with its own clock, answered in any order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import ALLOWED_ONCE, DENIED, AskTimedOut, Origin, Question
from desktop.ui.permission.dialog import Attention, PermissionDialog
from desktop.ui.permission.queue import Entry
from tests.ui.permission.conftest import AGENT, COMMAND, SHELL, Desk
from tests.ui.permission.test_presenter import House, house

__all__ = ["house"]

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def agents(*commands: str, agent: str = "Claude Code") -> list[Question]:
    origin = replace(AGENT.origin, agent=agent)
    return [replace(AGENT, arguments=command, origin=origin, scopes=()) for command in commands]


def rows(dialog: PermissionDialog) -> list[tuple[str, str]]:
    return [(entry.who, entry.what) for entry in dialog.queue.entries]


def click(qtbot: QtBot, dialog: PermissionDialog, row: int) -> None:
    view = dialog.queue.list
    QApplication.processEvents()
    place = view.visualItemRect(view.item(row)).center()
    qtbot.mouseClick(view.viewport(), LEFT, pos=place)


def test_one_question_has_no_list(house: House) -> None:
    """There is nothing to choose from."""
    house.ask(agents("make")[0])
    assert house.dialog().queue.isHidden()


def test_all_that_wait_are_listed_with_their_clocks(house: House, qtbot: QtBot) -> None:
    """Agent, first line, folder and time, in the order in which they came; new ones are marked."""
    first, second = agents("make all", "rm -rf a\nls")
    (third,) = agents("npm test", agent="Codex")
    for question in (first, replace(second, timeout_s=90.0), third):
        house.ask(question)
    dialog = house.dialog()
    qtbot.waitUntil(lambda: len(dialog.queue.entries) == 3)
    assert rows(dialog) == [("Claude Code", "make all"), ("Claude Code", "rm -rf a"), ("Codex", "npm test")]
    assert [entry.is_new for entry in dialog.queue.entries] == [False, True, True]
    assert dialog.queue.entries[1].clock in ("1:30", "1:29")
    assert dialog.queue.entries[1].where == AGENT.origin.folder
    of_a_chat = replace(COMMAND, origin=Origin(1, folder="/home/me/shop"))
    assert Entry(of_a_chat).where == str(COMMAND.title)
    assert dialog.queue.title.text() == "3 questions are waiting"
    assert dialog.queue.isVisible()


def test_they_are_answered_in_any_order(house: House, qtbot: QtBot) -> None:
    """A click on a row opens it in the same window, armed anew; the others wait on."""
    asked = [house.ask(question) for question in agents("one", "two", "three")]
    dialog = house.armed()
    qtbot.waitUntil(lambda: len(dialog.queue.entries) == 3)
    click(qtbot, dialog, 2)
    assert house.presenter.dialog is dialog
    assert dialog.question.arguments == "three"
    assert not dialog.input_guard.armed
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert not asked[2].done()
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert asked[2].result(60) == ALLOWED_ONCE
    assert [each.done() for each in asked] == [False, False, True]
    assert rows(dialog) == [("Claude Code", "one"), ("Claude Code", "two")]


def test_the_keyboard_goes_round(house: House, qtbot: QtBot) -> None:
    """Ctrl with Page Down and Page Up, at any time: it answers nothing."""
    for question in agents("one", "two", "three"):
        house.ask(question)
    dialog = house.dialog()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: len(dialog.queue.entries) == 3 and dialog.isActiveWindow())
    seen = []
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        qtbot.keyClick(dialog, key, CONTROL)
        seen.append(dialog.question.arguments)
    assert seen == ["two", "three", "one", "three"]
    assert len(house.asker.pending) == 3


def test_each_ends_on_its_own_clock(house: House, qtbot: QtBot) -> None:
    """While nobody looks time passes for all of them; the one behind does not end unseen."""
    slow, fast = agents("slow", "fast")
    kept, ended = house.ask(slow), house.ask(replace(fast, timeout_s=0.6))
    dialog = house.dialog()
    house.window.activateWindow()
    qtbot.waitUntil(lambda: not dialog.attention.is_there)
    qtbot.waitUntil(ended.done)
    with pytest.raises(AskTimedOut):
        ended.result()
    assert not kept.done()
    qtbot.waitUntil(dialog.queue.isHidden)


def test_time_stands_still_for_all_while_somebody_looks(house: House, qtbot: QtBot) -> None:
    """Whoever reads one question does not lose the others meanwhile."""
    for question in agents("one", "two"):
        house.ask(replace(question, timeout_s=0.5))
    dialog = house.armed()
    before = [entry.left_s for entry in dialog.queue.entries]
    qtbot.wait(700)
    assert len(house.asker.pending) == 2
    assert [entry.left_s for entry in dialog.queue.entries] == before


def test_all_of_one_agent_can_be_denied(house: House, qtbot: QtBot) -> None:
    """The other's question stays; there is no yes to several."""
    asked = [house.ask(question) for question in agents("one", "two")]
    other = house.ask(agents("test", agent="Codex")[0])
    dialog = house.armed()
    qtbot.waitUntil(dialog.queue.deny_agent.isVisible)
    assert dialog.queue.deny_agent.text() == "Deny all of Claude Code"
    qtbot.mouseClick(dialog.queue.deny_agent, LEFT)
    assert [each.result(60) for each in asked] == [DENIED] * 2
    assert not other.done()
    assert dialog.question.origin.agent == "Codex"


def test_closing_the_window_denies_the_open_question_alone(house: House, qtbot: QtBot) -> None:
    """The next one stands in the same window, which stays."""
    first, second = (house.ask(question) for question in agents("one", "two"))
    dialog = house.armed()
    dialog.close()
    assert first.result(60) == DENIED
    assert not second.done()
    assert dialog.isVisible()
    assert dialog.question.arguments == "two"


def test_what_comes_behind_an_unwatched_question_is_announced_once(house: House, qtbot: QtBot) -> None:
    """The window takes no focus; the tray hears the count."""
    first, second = agents("one", "two")
    house.ask(first)
    house.dialog()
    house.window.activateWindow()
    qtbot.waitUntil(house.window.isActiveWindow)
    house.ask(second)
    qtbot.waitUntil(lambda: house.attention == [second])
    assert house.counts[-1] == 2
    assert house.window.isActiveWindow()


def test_a_question_of_a_chat_is_chosen_from_the_list(house: House, qtbot: QtBot) -> None:
    """It opens over its own window, which comes to the front."""
    house.window.hide()
    house.ask(agents("one")[0])
    dialog = house.dialog()
    house.ask(COMMAND)
    qtbot.waitUntil(lambda: len(dialog.queue.entries) == 2)
    click(qtbot, dialog, 1)
    qtbot.waitUntil(lambda: house.presenter.dialog is not None and house.presenter.dialog is not dialog)
    shown = house.dialog()
    assert shown.question is COMMAND
    assert shown.parentWidget() is house.window
    assert house.window.isVisible()


def moved(widget: QWidget, place: QPoint) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def test_a_resting_pointer_is_no_look(desk: Desk, window: QWidget, qtbot: QtBot) -> None:
    """A window that opens below it hears of a move that was none; a real one counts for a while."""
    dialog = desk.show(SHELL)
    window.activateWindow()
    qtbot.waitUntil(lambda: not dialog.attention.is_there)
    for _ in range(3):
        moved(dialog.footer, QPoint(5, 5))
    assert not dialog.attention.is_there
    moved(dialog.footer, QPoint(9, 5))
    assert dialog.attention.is_there


def test_a_look_ends(window: QWidget, qtbot: QtBot) -> None:
    """Once nothing has been done in the window for a while."""
    other = QWidget()
    qtbot.addWidget(other)
    attention = Attention(other, look_ms=50)
    attention.watch()
    told: list[bool] = []
    attention.changed.connect(told.append)
    other.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: not attention.is_there)
    told.clear()
    moved(other, QPoint(5, 5))
    moved(other, QPoint(6, 5))
    assert told == [True]
    qtbot.waitUntil(lambda: told == [True, False])


@pytest.mark.parametrize("question", [SHELL, agents("make")[0]])
def test_the_list_beside_a_question_leaves_no_gap_in_it(desk: Desk, question: Question) -> None:
    """With others waiting it is as high as alone, and wider by the list."""
    dialog = desk.armed(question)
    alone = dialog.size()
    dialog.set_queue([Entry(each) for each in (question, *agents("one", "two", "three"))])
    assert dialog.queue.isVisible()
    assert dialog.width() > alone.width()
    assert abs(dialog.height() - alone.height()) <= dialog.footer.time.fontMetrics().lineSpacing()
    desk.qtbot.waitUntil(lambda: dialog.body.height() <= dialog.body.sizeHint().height() + 1)
