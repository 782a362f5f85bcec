"""Backup, restore, export and import on the Settings page, with a real profile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.app import Services, build_core
from desktop.app.backup_actions import BackupActions
from desktop.chat.store import Role
from desktop.paths import Paths, ensure
from desktop.qt.background import Background
from desktop.ui.pages.backup import BackupGroup
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import theme as theme_fixture

theme = theme_fixture
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    core = build_core(paths)
    core.store.add(core.store.create("kept").id, Role.USER, "kept words")
    yield core
    core.close()


@pytest.fixture
def group(core: Services, theme: Theme, qtbot: QtBot) -> Iterator[BackupGroup]:
    background, quits = Background(), []
    made = BackupGroup(BackupActions(core, lambda: quits.append(True)), background)
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    yield made
    background.close()


def choose(group: BackupGroup, file: Path) -> None:
    """What choosing a file in the open dialog does."""
    assert group.dialog is not None
    group.dialog.fileSelected.emit(str(file))
    group.dialog.close()


def said(group: BackupGroup, qtbot: QtBot, words: str) -> None:
    qtbot.waitUntil(lambda: words in group.said.text())


def test_a_backup_is_written_and_restored_after_a_question(
    group: BackupGroup, core: Services, qtbot: QtBot, tmp_path: Path
) -> None:
    """Restoring says what the file is, waits for a yes, and wants the restart that puts it in place."""
    file = tmp_path / "kept.zip"
    qtbot.mouseClick(group.backup_button, LEFT)
    choose(group, file)
    said(group, qtbot, "Backed up to")
    core.store.add(core.store.create("later").id, Role.USER, "later words")
    qtbot.mouseClick(group.restore_button, LEFT)
    choose(group, file)
    qtbot.waitUntil(lambda: not group.question.isHidden())
    assert "This backup was made" in group.question.text()
    assert group.give_up.hasFocus() or not group.isActiveWindow()
    assert not core.paths.restoring.exists()
    qtbot.mouseClick(group.confirm, LEFT)
    qtbot.waitUntil(lambda: core.restart_wanted)
    core.close()
    anew = build_core(core.paths)
    assert [each.title for each in anew.store.conversations()] == ["kept"]
    anew.close()


def test_what_of_the_skills_is_left_out_is_named(
    group: BackupGroup, core: Services, qtbot: QtBot, tmp_path: Path
) -> None:
    """The sentence about the backup says it; of many the first."""
    skill = ensure(core.paths.skills / "minutes")
    for number in range(7):
        (skill / f"at {number}:30.md").write_text("when", "utf-8")
    qtbot.mouseClick(group.backup_button, LEFT)
    choose(group, tmp_path / "kept.zip")
    said(group, qtbot, "7 files of your skills were left out")
    assert "minutes/at 4:30.md, …" in group.said.text()
    assert "5:30" not in group.said.text()


def test_not_now_changes_nothing(group: BackupGroup, core: Services, qtbot: QtBot, tmp_path: Path) -> None:
    """The question goes away."""
    file = tmp_path / "kept.zip"
    qtbot.mouseClick(group.backup_button, LEFT)
    choose(group, file)
    said(group, qtbot, "Backed up to")
    qtbot.mouseClick(group.restore_button, LEFT)
    choose(group, file)
    qtbot.waitUntil(lambda: not group.question.isHidden())
    qtbot.mouseClick(group.give_up, LEFT)
    assert group.question.isHidden()
    assert not core.restart_wanted


def test_a_file_that_is_no_backup_is_said_in_words(group: BackupGroup, qtbot: QtBot, tmp_path: Path) -> None:
    """Under the buttons, which can be used again."""
    file = tmp_path / "x.zip"
    file.write_bytes(b"hello")
    qtbot.mouseClick(group.restore_button, LEFT)
    choose(group, file)
    said(group, qtbot, "This backup cannot be used")
    assert group.question.isHidden()
    assert group.restore_button.isEnabled()


def test_chats_go_out_and_come_in(group: BackupGroup, qtbot: QtBot, tmp_path: Path) -> None:
    """What is here already is said."""
    file = tmp_path / "chats.json"
    qtbot.mouseClick(group.export_button, LEFT)
    choose(group, file)
    said(group, qtbot, "1 chats written to")
    qtbot.mouseClick(group.export_button, LEFT)
    choose(group, tmp_path / "many.md")
    said(group, qtbot, "many.")
    assert [path.suffix for path in (tmp_path / "many").iterdir()] == [".md"]
    qtbot.mouseClick(group.import_button, LEFT)
    choose(group, file)
    said(group, qtbot, "1 were already here")


def test_everything_has_a_name_and_is_found_by_search(group: BackupGroup) -> None:
    """For the keyboard and for the field above."""
    assert all(stop.accessibleName() and stop.objectName() for stop in group.stops)
    assert group.search("backup")
    assert group.search("chatgpt")
    assert not group.search("temperature")
