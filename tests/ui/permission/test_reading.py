"""What is long is allowed only once its end has been in sight."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot

from desktop.asking import ALLOWED_ONCE, DENIED, FileMatch, Question, Scope
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.placement import Placement
from tests.ui.permission.conftest import AGENT, COMMAND, DELETE, LONG, SHELL, WRITE, Desk, a_command

LEFT = Qt.MouseButton.LeftButton
LONG_CHANGE = replace(
    WRITE, diff="--- n\n+++ n\n@@ -1,90 +1,90 @@\n" + "".join(f"-old {n}\n+new {n}\n" for n in range(90))
)
MANY_FILES = replace(DELETE, files=tuple(FileMatch(f"/home/me/logs/{n}.log", n) for n in range(300)))
LONG_LINE = a_command("echo " + "x" * 9000 + "; rm -rf build", "rm -rf build")
LONG_ONES = {"command": LONG, "change": LONG_CHANGE, "files": MANY_FILES, "one line": LONG_LINE}


def yeses(dialog: PermissionDialog) -> list[bool]:
    footer = dialog.footer
    offered = [button.isEnabled() for offer in footer.lasting.values() for button in offer.buttons]
    return [footer.allow.isEnabled(), footer.scope.isEnabled(), *offered]


def read_through(dialog: PermissionDialog, qtbot: QtBot) -> int:
    """By the button, as often as it takes."""
    presses = 0
    while not dialog.body.is_seen:
        assert presses < 500
        dialog.body.more.click()
        presses += 1
        qtbot.wait(2)
    return presses


@pytest.mark.parametrize("question", [COMMAND, WRITE, DELETE, AGENT])
def test_what_is_in_sight_whole_is_allowed_at_once(desk: Desk, qtbot: QtBot, question: Question) -> None:
    """A short question waits for nothing but the half second."""
    dialog = desk.armed(question)
    qtbot.waitUntil(lambda: all(yeses(dialog)[:1]))
    assert dialog.body.more.isHidden()
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert desk.answers == [ALLOWED_ONCE]


def test_what_nearly_wraps_makes_no_bar_for_itself(desk: Desk, qtbot: QtBot) -> None:
    """Where the screen has room nothing scrolls, also where a line fits by a letter or two, and would wrap
    beside a bar: whoever had not scrolled could not allow it."""
    for length in range(24, 56):
        path = FileMatch(f"/{'w' * length}/build/")
        dialog = desk.armed(a_command("rm -r build", "rm -r build", files=(path,)))
        qtbot.waitUntil(lambda dialog=dialog: dialog.body.isVisible() and not dialog.body._looks.isActive())
        assert dialog.body.verticalScrollBar().maximum() == 0, length
        qtbot.waitUntil(dialog.footer.allow.isEnabled)
        dialog.dismiss()


@pytest.mark.parametrize("name", LONG_ONES)
def test_what_is_long_is_allowed_once_its_end_was_in_sight(desk: Desk, qtbot: QtBot, name: str) -> None:
    """No yes before, by no way; the button under the box brings one there, and so does the wheel."""
    dialog = desk.armed(LONG_ONES[name])
    qtbot.wait(30)
    assert not any(yeses(dialog))
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    qtbot.keyClick(dialog.footer.deny, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    dialog.footer._allow(Scope.ONCE)
    assert desk.answers == []
    assert dialog.body.more.isVisible()
    assert read_through(dialog, qtbot) > 0
    assert dialog.footer.allow.isEnabled()
    box = dialog.body.boxes[0]
    box.verticalScrollBar().setValue(0)  # what was seen stays seen
    qtbot.wait(10)
    qtbot.mouseClick(dialog.footer.allow, LEFT)
    assert desk.answers == [ALLOWED_ONCE]


def test_the_next_question_is_read_anew(desk: Desk, qtbot: QtBot) -> None:
    """In the same window, whatever was read before it."""
    dialog = desk.armed(LONG)
    read_through(dialog, qtbot)
    dialog.show_question(LONG_CHANGE)
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    qtbot.wait(30)
    assert not any(yeses(dialog))
    read_through(dialog, qtbot)
    assert dialog.footer.allow.isEnabled()


def test_by_the_keyboard_alone(desk: Desk, qtbot: QtBot) -> None:
    """The end of the box brings a yes within reach; nothing on the way gives it."""
    dialog = desk.armed(LONG)
    qtbot.wait(30)
    box = dialog.body.arguments
    while dialog.focusWidget() is not box:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    for _ in range(200):
        qtbot.keyClick(box, Qt.Key.Key_PageDown)
    qtbot.waitUntil(dialog.footer.allow.isEnabled)
    assert dialog.focusWidget() is box
    assert desk.answers == []
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert desk.answers == []
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert desk.answers == [DENIED]


def test_where_all_of_it_scrolls_along_the_judgement_is_read_too(
    desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a small screen what is thought of a command stands below it, out of sight at first."""
    monkeypatch.setattr(Placement, "rooms", lambda _self: [QRect(0, 0, 800, 330)])
    dialog = desk.armed(SHELL)
    qtbot.wait(30)
    assert dialog.judgement.parentWidget() is not dialog
    assert not any(yeses(dialog))
    assert "read to the end" in dialog.footer.time.text()
    bar = dialog.body.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(dialog.footer.allow.isEnabled)
    assert "read to the end" not in dialog.footer.time.text()


def test_a_yes_that_is_grey_says_why(desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the line that says it stands under a change that is taller than its room."""
    monkeypatch.setattr(Placement, "rooms", lambda _self: [QRect(0, 0, 800, 480)])
    dialog = desk.armed(LONG_CHANGE)
    qtbot.wait(30)
    assert not dialog.footer.allow.isEnabled()
    assert dialog.body.shows_hint or "read to the end" in dialog.footer.time.text()
