"""Folders are added by looking for them and taken away by a button."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop.ui.pages.settings_editors import FoldersEditor
from desktop.ui.pages.settings_fields import field_groups
from desktop.ui.theme import Theme


def test_folders_are_added_and_removed(theme: Theme, qtbot: QtBot) -> None:
    """Each change is the whole new list; the same folder is not added twice."""
    known = next(each for group in field_groups() for each in group.settings if each.key == "chat.folders")
    editor = FoldersEditor(known)
    qtbot.addWidget(editor)
    heard: list[list[str]] = []
    editor.wanted.connect(heard.append)
    editor.show_value([])
    editor.choose_folder("/home/anna/Letters")
    editor.show_value(heard[-1])
    editor.choose_folder("/home/anna/Letters")
    editor.choose_folder("/home/anna/Photos")
    editor.show_value(heard[-1])
    remove = editor.findChild(QPushButton, f"{editor.name}_remove_0")
    assert isinstance(remove, QPushButton)
    assert (
        remove.accessibleName() == "Remove /home/anna/Letters" or "Letters" in remove.accessibleDescription()
    )
    remove.click()
    assert heard == [
        ["/home/anna/Letters"],
        ["/home/anna/Letters", "/home/anna/Photos"],
        ["/home/anna/Photos"],
    ]
    assert len(editor.stops) == 3
