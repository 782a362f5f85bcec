"""The hotkey is chosen by pressing it, and the page says whether it works here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

pytest.importorskip("PySide6", reason="the page is a widget")
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.system.hotkey.grabber import GrabStatus, HotkeyPress
from desktop.ui.quick_ask.hotkey import NOT_HELD, HotkeyTrial, QuickAskPage
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import show_active
from tests.ui.quick_ask.hotkeys import FakeGrabber

COMMAND = "steward toggle-quick-ask"
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@dataclass
class Desk:
    page: QuickAskPage
    hotkey: GlobalHotkey
    grabber: FakeGrabber
    qtbot: QtBot
    kept: list[str] = field(default_factory=list)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        """After choosing to change it."""
        self.page.edit.change.click()
        self.qtbot.keyClick(self.page.edit.field, key, modifiers)


@pytest.fixture
def desk(theme: Theme, qtbot: QtBot) -> Iterator[Desk]:
    grabber = FakeGrabber(used=frozenset({"Ctrl+Alt+T"}))
    hotkey = GlobalHotkey(grabber, COMMAND)
    hotkey.use("Ctrl+Shift+Space")
    kept: list[str] = []
    page = QuickAskPage(hotkey, kept.append)
    page.resize(640, 460)
    show_active(page, qtbot)
    yield Desk(page, hotkey, grabber, qtbot, kept)
    hotkey.close()
    page.hide()
    page.deleteLater()


def test_the_command_is_told_once(theme: Theme, qtbot: QtBot) -> None:
    """Where a desktop gives no keys, the page says what to bind in one place; the first run in the other."""
    hotkey = GlobalHotkey(FakeGrabber(GrabStatus.ABSENT), COMMAND)
    hotkey.use("Ctrl+Shift+Space")
    page, trial = QuickAskPage(hotkey, list[str]().append), HotkeyTrial(hotkey, list[str]().append)
    for each in (page, trial):
        qtbot.addWidget(each)
    assert hotkey.state.command == COMMAND
    assert page.command.text() == COMMAND
    assert page.command.cursorPosition() == 0  # of a long one its beginning is in sight
    assert not page.edit.command.text()
    assert not page.edit.step.text()
    assert trial.edit.command.text()
    hotkey.close()


def test_other_keys_by_pressing_them(desk: Desk) -> None:
    """They work at once, and are kept for the next start."""
    desk.press(Qt.Key.Key_J, CTRL | SHIFT)
    assert desk.grabber.held == "Ctrl+Shift+J"
    assert desk.kept == ["Ctrl+Shift+J"]
    assert desk.page.edit.field.text() == "Ctrl+Shift+J"
    assert desk.page.edit.words.text() == "Ctrl+Shift+J opens Quick-ask."


def test_the_keys_that_are_held_can_be_pressed_again(desk: Desk) -> None:
    """While it listens the system lets go of them; Esc takes them back."""
    desk.page.edit.change.click()
    assert desk.grabber.held == ""
    desk.qtbot.keyClick(desk.page.edit.field, Qt.Key.Key_Escape)
    assert desk.grabber.held == "Ctrl+Shift+Space"
    assert desk.kept == []


def test_keys_in_use_leave_the_old_ones(desk: Desk) -> None:
    """The conflict is said, and what worked goes on working."""
    desk.press(Qt.Key.Key_T, CTRL | ALT)
    assert desk.page.edit.words.text() == "Ctrl+Alt+T is in use by another program."
    assert "Until then Ctrl+Shift+Space stays." in desk.page.edit.step.text()
    assert desk.grabber.held == "Ctrl+Shift+Space"
    assert desk.hotkey.state.works
    assert desk.kept == []


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [(Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_A, SHIFT), (Qt.Key.Key_Space, SHIFT)],
)
def test_what_people_type_is_refused(desk: Desk, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    """It goes on listening, and says what is wanted."""
    desk.press(key, modifiers)
    assert desk.page.edit.step.text() == NOT_HELD
    assert desk.page.edit.field.is_armed
    assert desk.kept == []


def test_a_modifier_alone_is_not_the_end(desk: Desk) -> None:
    """The next key is waited for."""
    desk.press(Qt.Key.Key_Control, CTRL)
    assert desk.page.edit.field.is_armed
    desk.qtbot.keyClick(desk.page.edit.field, Qt.Key.Key_F9, CTRL)
    assert desk.kept == ["Ctrl+F9"]


def test_off_and_on_again(desk: Desk) -> None:
    """Off is no problem, and is kept; keys switch it on."""
    desk.page.edit.off.click()
    assert desk.grabber.held == ""
    assert desk.kept == [""]
    assert desk.page.edit.field.text() == "Off"
    assert desk.page.edit.off.isHidden()
    desk.press(Qt.Key.Key_F9, Qt.KeyboardModifier.NoModifier)
    assert desk.kept == ["", "F9"]


def test_by_keyboard_alone(desk: Desk) -> None:
    """Enter listens, Tab goes on where it does not listen."""
    keys = desk.page.edit.field
    keys.setFocus()
    desk.qtbot.keyClick(keys, Qt.Key.Key_Return)
    assert keys.is_armed
    desk.qtbot.keyClick(keys, Qt.Key.Key_Escape)
    desk.qtbot.keyClick(keys, Qt.Key.Key_Tab)
    assert desk.page.edit.change.hasFocus()


def test_press_it_now(desk: Desk) -> None:
    """The test says that the press was heard; meanwhile nothing else should open."""
    desk.page.test.click()
    assert desk.page.is_trying
    desk.grabber.pressed(HotkeyPress())
    assert desk.page.tried.text() == "It works: Steward heard Ctrl+Shift+Space."
    assert not desk.page.is_trying


def test_nobody_tries_on_a_hidden_page(desk: Desk) -> None:
    """A press then opens Quick-ask again."""
    desk.page.test.click()
    desk.page.hide()
    assert not desk.page.is_trying


def test_the_command_is_copied(desk: Desk) -> None:
    """As it is to be bound; it stands apart from the sentence, which is in the user's language."""
    assert COMMAND not in desk.page.edit.step.text()
    desk.page.copy.click()
    assert QGuiApplication.clipboard().text() == COMMAND
