"""Project mode and grants for programs in the dialog: said before they can be pressed, and one click then."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.asking import Answer, Choice, Question, Reach, Scope
from desktop.ui.permission.dialog import PermissionDialog
from tests.ui.permission.conftest import COMMAND, FOLDER, IN_PROJECT, SHELL, TEST_RUN, Desk

LEFT = Qt.MouseButton.LeftButton


def words(dialog: PermissionDialog, reach: Reach) -> str:
    labels = dialog.footer.lasting[reach].findChildren(QLabel)
    return " ".join(label.text().replace("\u200b", "") for label in labels)


def button(dialog: PermissionDialog, name: str) -> QPushButton:
    found = dialog.findChild(QPushButton, name)
    assert found is not None
    return found


def test_a_question_without_such_offers_shows_none(desk: Desk) -> None:
    """Nothing stands there that could not be kept."""
    assert desk.show(COMMAND).footer.lasting == {}


def test_project_mode_is_offered_in_one_sentence(desk: Desk) -> None:
    """With the folder that it is about."""
    dialog = desk.show(IN_PROJECT)
    said = words(dialog, Reach.PROJECT)
    assert "work without asking: commands change only this folder, which can be undone, and caches" in said
    # This computer too: a service of it passes on what it likes, and whoever agrees has to know.
    assert "they reach only this computer and package indexes" in said
    assert FOLDER in said
    assert dialog.footer.lasting[Reach.PROJECT].isVisible()
    assert not dialog.footer.lasting[Reach.PROGRAM].isVisible()
    # The mode's "can be undone" stands right below: the line of the command says which yes it speaks of.
    risk = dialog.findChild(QLabel, "permission_risk")
    assert risk is not None
    assert "Allowed once, it cannot be undone." in risk.text()


@pytest.mark.parametrize("question", [IN_PROJECT, SHELL])
def test_what_stands_above_the_answers_keeps_away_from_them(desk: Desk, question: Question) -> None:
    """The focus ring of Deny is around that button, and does not touch the offer or the box above it."""
    footer = desk.show(question).footer
    above = [each for each in (footer.snapshot, *footer.lasting.values()) if each.isVisible()]
    lowest = max(each.geometry().bottom() for each in above)
    assert footer.deny.y() - lowest > 12


@pytest.mark.parametrize("scope", [Scope.TODAY, Scope.WEEK, Scope.ALWAYS])
def test_one_click_begins_it(desk: Desk, qtbot: QtBot, scope: Scope) -> None:
    """For the time on the button, once the dialog is armed."""
    dialog = desk.show(IN_PROJECT, arm_ms=150)
    pressed = button(dialog, f"permission_project_{scope.value}")
    assert not pressed.isEnabled()
    qtbot.mouseClick(pressed, LEFT)
    assert desk.answers == []
    qtbot.waitUntil(lambda: dialog.input_guard.armed)
    qtbot.mouseClick(pressed, LEFT)
    assert desk.answers == [Answer(Choice.ALLOW, scope, Reach.PROJECT)]


def test_programs_say_what_they_cover_and_what_not(desk: Desk, qtbot: QtBot) -> None:
    """Three lines that will not be asked again, one that will, and what the grant is."""
    dialog = desk.armed(TEST_RUN)
    said = words(dialog, Reach.PROGRAM)
    assert f"Do not ask again in {FOLDER}: `go test …`" in said
    for line in TEST_RUN.scopes[0].covered:
        assert line in said
    assert "Still asked: go test -exec" in said
    qtbot.mouseClick(button(dialog, "permission_program_week"), LEFT)
    assert desk.answers == [Answer(Choice.ALLOW, Scope.WEEK, Reach.PROGRAM)]


def test_the_menu_turns_from_the_project_to_programs(desk: Desk, qtbot: QtBot) -> None:
    """The entry allows nothing: it shows what that grant would cover."""
    dialog = desk.armed(IN_PROJECT)
    entry = next(each for each in dialog.footer.menu.actions() if each.objectName().endswith("programs"))
    entry.trigger()
    assert desk.answers == []
    assert dialog.footer.lasting[Reach.PROGRAM].isVisible()
    assert not dialog.footer.lasting[Reach.PROJECT].isVisible()
    qtbot.mouseClick(button(dialog, "permission_program_session"), LEFT)
    assert desk.answers == [Answer(Choice.ALLOW, Scope.SESSION, Reach.PROGRAM)]


def test_the_exact_yes_stays_in_the_menu(desk: Desk) -> None:
    """It covers this line alone."""
    dialog = desk.armed(TEST_RUN)
    entries = [action.objectName() for action in dialog.footer.menu.actions()]
    assert entries == ["permission_scope_session"]
    dialog.footer.menu.actions()[0].trigger()
    assert desk.answers == [Answer(Choice.ALLOW, Scope.SESSION, Reach.EXACT)]


def test_without_its_copy_a_deletion_is_red(desk: Desk, qtbot: QtBot) -> None:
    """The tick is set where a copy can be kept; who takes it away sees Allow turn red before pressing it."""
    dialog = desk.armed(SHELL)
    footer = dialog.footer
    assert footer.snapshot.isVisible()
    assert footer.snapshot.isChecked()
    assert footer.allow.property("danger") is False
    qtbot.mouseClick(footer.snapshot, LEFT, pos=QPoint(8, footer.snapshot.height() // 2))
    assert footer.allow.property("danger") is True
    footer.snapshot.setChecked(True)
    qtbot.mouseClick(footer.allow, LEFT)
    assert desk.answers == [Answer(Choice.ALLOW, snapshot=True)]
