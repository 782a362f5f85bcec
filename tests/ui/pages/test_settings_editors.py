"""Folders are added by looking for them and taken away by a button."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop.ui.pages.settings_editors import FoldersEditor, NumberBox
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


def test_a_unit_stands_behind_its_number_and_not_beside_words(theme: Theme, qtbot: QtBot) -> None:
    """As people write it, within the box; the number and its unit never overlap, whatever the zoom."""
    known = {each.key: each for group in field_groups() for each in group.settings}
    for key, number in (("chat.tool_timeout_s", 120), ("model.context_tokens", 4096)):
        box = NumberBox(known[key], key)
        qtbot.addWidget(box)
        box.show()
        for zoom in (100, 150):
            theme.set_zoom(zoom)
            box.show_number(number)
            line, unit = box.lineEdit(), box.unit
            words = line.mapTo(box, line.cursorRect().topLeft()).x()
            if box.text() == box._known.display.least:
                assert unit.isHidden()
                continue
            assert unit.isVisible()
            assert words <= unit.x()
            assert unit.geometry().right() < box.width()
    theme.set_zoom(100)
