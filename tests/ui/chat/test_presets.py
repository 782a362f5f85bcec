"""Presets in the window: chosen from the status line, made and changed in a window of their own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.chat.presets import OWN, Preset, built_in
from desktop.chat.store import Role
from desktop.ui.chat.presets import PresetDialog
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import LEFT, add_conversation, ask, wait_for_answers


def choose(desk: Desk, name: str) -> None:
    desk.window.presets.fill_menu()
    action = next(each for each in desk.window.presets.menu.actions() if each.objectName() == name)
    action.trigger()


def checked(desk: Desk) -> list[str]:
    desk.window.presets.fill_menu()
    return [each.text() for each in desk.window.presets.menu.actions() if each.isChecked()]


def dialog_of(desk: Desk) -> PresetDialog:
    desk.window.presets.edit()
    dialog = desk.window.findChild(PresetDialog)
    assert isinstance(dialog, PresetDialog)
    return dialog


def test_a_new_chat_takes_the_chosen_preset(desk: Desk) -> None:
    """Chosen before the first message, told with it; the status line names it; the next chat is plain."""
    desk.use_model()
    part = desk.window.pane.status.preset
    assert part.text() == "No preset"
    assert part.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly  # said, but not written out
    choose(desk, "preset_concise")
    assert part.text() == "Concise"
    assert part.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    assert built_in()[0].instructions[:60] in desk.backend.prompts[-1]
    here = desk.window.controller.current
    desk.window.new_chat()
    assert desk.window.pane.status.preset.text() == "No preset"
    desk.window.open_conversation(here)
    assert desk.window.pane.status.preset.text() == "Concise"
    assert checked(desk) == ["Concise"]


def test_changing_it_in_a_chat_is_said_in_the_chat(desk: Desk) -> None:
    """A line tells from where on it counts, and the menu shows what is chosen."""
    desk.window.open_conversation(add_conversation(desk, "Question", "Answer"))
    choose(desk, "preset_teacher")
    desk.qtbot.waitUntil(lambda: desk.window.pane.transcript.messages[-1].role is Role.NOTICE)
    assert "Patient teacher" in desk.window.pane.transcript.messages[-1].text
    desk.qtbot.waitUntil(lambda: desk.window.pane.status.preset.text() == "Patient teacher")
    choose(desk, "preset_none")
    desk.qtbot.waitUntil(lambda: desk.window.pane.status.preset.text() == "No preset")
    assert checked(desk) == ["As in the settings"]


def test_presets_are_made_changed_deleted_and_taken_back(desk: Desk) -> None:
    """New, Save, Delete and Undo, as in the list so on disk."""
    dialog = dialog_of(desk)
    desk.qtbot.mouseClick(dialog.new_button, LEFT)
    desk.qtbot.waitUntil(lambda: dialog.current is not None and dialog.current.is_own)
    assert not dialog.save_button.isEnabled()
    dialog.form.name.setText("Pirate")
    dialog.form.instructions.setPlainText("You are a pirate.")
    dialog.form.temperature.setValue(1.2)
    desk.qtbot.mouseClick(dialog.save_button, LEFT)
    expected = Preset("Pirate", "You are a pirate.", temperature=1.2, key=f"{OWN}1")
    desk.qtbot.waitUntil(lambda: desk.store.presets.all()[-1] == expected)
    desk.qtbot.waitUntil(lambda: dialog.current == expected)
    desk.qtbot.mouseClick(dialog.delete_button, LEFT)
    desk.qtbot.waitUntil(lambda: desk.store.presets.all() == built_in())
    desk.qtbot.waitUntil(dialog.undo_button.isVisible)
    desk.qtbot.mouseClick(dialog.undo_button, LEFT)
    desk.qtbot.waitUntil(lambda: desk.store.presets.all()[-1] == expected)
    dialog.close()


def test_what_comes_with_steward_is_copied_before_it_is_changed(desk: Desk) -> None:
    """The built-in ones can be read and copied, not changed."""
    dialog = dialog_of(desk)
    assert dialog.form.instructions.isReadOnly()
    assert not dialog.delete_button.isEnabled()
    desk.qtbot.mouseClick(dialog.copy_button, LEFT)
    desk.qtbot.waitUntil(lambda: dialog.current is not None and dialog.current.is_own)
    assert dialog.form.name.text() == "Copy of Concise"
    assert not dialog.form.instructions.isReadOnly()
    dialog.close()


def test_everything_in_the_window_has_a_name(desk: Desk) -> None:
    """Each field and button is spoken, and reached by Tab."""
    dialog = dialog_of(desk)
    controls = [
        child
        for child in dialog.findChildren(QWidget)
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus and child.objectName() and child.isVisible()
        if not child.objectName().startswith("qt_")
    ]
    assert len(controls) >= 9
    assert all(child.accessibleName() for child in controls), [c.objectName() for c in controls]
    dialog.close()
