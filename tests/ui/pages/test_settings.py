"""The Settings page on a real file: every setting there, changed at once, refused in words, shared, found."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QStyleOptionComboBox, QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Display, Section, Settings, SettingsFile, display_of
from desktop.settings import Theme as Mode
from desktop.system.autostart import DesktopEntry
from desktop.ui.pages.settings import SECTIONS, AutostartGroup, SettingsPage
from desktop.ui.pages.settings_editors import (
    ChoiceEditor,
    ElsewhereEditor,
    FolderEditor,
    LongEditor,
    NumberBox,
    NumberEditor,
    TextEditor,
)
from desktop.ui.pages.settings_fields import FieldKind, SettingField, field_groups
from desktop.ui.pages.settings_file import SettingsWatch
from desktop.ui.pages.settings_form import FormSupport, SettingAction, SettingRow, SettingsGroup
from desktop.ui.theme import Theme
from desktop.ui.widgets.buttons import CheckBox, ComboBox
from desktop.ui.widgets.error_card import ErrorCard
from tests.fakes.failures import failure
from tests.ui.pages.conftest import World
from tests.ui.test_german import too_wide

LEFT = Qt.MouseButton.LeftButton
MODELS = (("Qwen2.5 Coder 1.5B Q4", "qwen2.5-coder-1.5b"), ("SmolLM2 135M", "smollm2-135m"))
AGENTS = (("Claude Code", "claude-code"), ("Codex", "codex"))
Make = Callable[..., SettingsPage]
EVERYTHING = [(group.name, known) for group in field_groups() for known in group.settings]


@pytest.fixture
def make(world: World) -> Iterator[Make]:
    watches: list[SettingsWatch] = []

    def made(*extra: AutostartGroup, **more: object) -> SettingsPage:
        watch = SettingsWatch(world.settings, world.background)
        watches.append(watch)
        page = SettingsPage(
            world.settings,
            watch,
            world.relay,
            world.background,
            FormSupport({"models": lambda: MODELS, "agents": lambda: AGENTS}, **more),  # type: ignore[arg-type]
            extra,
        )
        world.show(page, 900, 700)
        return page

    yield made
    for watch in watches:
        watch.close()


def number(page: SettingsPage, key: str) -> NumberBox:
    page.show_part(key)
    editor = page.rows[key].editor
    assert isinstance(editor, NumberEditor)
    return editor.box


def switch(page: SettingsPage, key: str) -> CheckBox:
    page.show_part(key)
    control = page.rows[key].editor.control
    assert isinstance(control, CheckBox)
    return control


def enter(world: World, widget: QWidget, text: str) -> None:
    """Type over what is there and press Enter."""
    widget.setFocus()
    if isinstance(widget, NumberBox):
        widget.selectAll()
    else:
        widget.selectAll()  # type: ignore[attr-defined]
    world.qtbot.keyClicks(widget, text)
    world.qtbot.keyClick(widget, Qt.Key.Key_Return)


def on_disk(world: World) -> Settings:
    """As another process reads it."""
    return SettingsFile(world.paths.settings, world.bus).current


def all_rows(page: SettingsPage) -> dict[str, SettingRow]:
    """Of every section, shown or not."""
    assert page.groups
    return page.rows


def shown_rows(page: SettingsPage) -> list[str]:
    return [key for key, row in page.rows.items() if row.isVisible()]


def test_a_section_is_built_when_it_is_first_shown_or_searched(make: Make) -> None:
    """Seventy rows at once hold up the first look at the page."""
    page = make()
    assert {key.partition(".")[0] for key in page.rows} == {"window"}
    page.show_part("memory")
    assert {key.partition(".")[0] for key in page.rows} == {"window", "memory"}
    page.search.setText("temperature")
    assert shown_rows(page) == ["model.temperature"]
    assert set(page.rows) == set(all_rows(page))


def test_every_setting_is_on_the_page_with_its_words(make: Make) -> None:
    """All that is declared and not the program's own: title, help, default, name and description."""
    page = make()
    declared = {
        f"{section}.{name}"
        for section, field in Settings.model_fields.items()
        if isinstance(field.default, Section)
        for name in type(field.default).model_fields
        if not display_of(type(field.default), name).hidden
    }
    assert set(all_rows(page)) == declared
    assert "window.told_about_tray" not in page.rows
    for key, row in page.rows.items():
        section, name = key.split(".")
        field = type(Settings.model_fields[section].default).model_fields[name]
        assert row.title.text() == field.title
        assert field.description is not None
        assert field.description in row.help.text()
        assert "Default: " not in row.help.text()  # nothing is changed
        assert "Default: " in row.editor.control.accessibleDescription()
        assert field.title in row.editor.control.accessibleName()
        assert field.description in row.editor.control.accessibleDescription()


def test_four_knobs_come_first(world: World, make: Make) -> None:
    """Of the model: which, temperature, longest answer, context, threads; the others under Advanced."""
    page = make()
    page.show_part("model")
    model = [key for key in shown_rows(page) if key.startswith("model.")]
    assert [key.split(".")[1] for key in model] == [
        "active",
        "temperature",
        "max_answer_tokens",
        "context_tokens",
        "threads",
    ]
    more = page.groups[0].more
    assert "Advanced" in more.accessibleName()
    more.setFocus()
    world.qtbot.keyClick(more, Qt.Key.Key_Space)
    assert {"model.top_p", "model.unload_after_minutes"} <= set(shown_rows(page))
    assert "Less" in more.accessibleName()


def test_every_section_of_the_file_has_one_place_among_eight(world: World, make: Make) -> None:
    """Each is named at the left and shows its own settings alone; a section of the file is in one of them."""
    page = make()
    assert len(SECTIONS) == 8
    placed = [group for section in SECTIONS for group in section.groups]
    assert sorted(placed) == sorted(group.name for group in field_groups())
    for number_, section in enumerate(SECTIONS):
        page.sections.list.setCurrentRow(number_)
        usual = {
            known.section
            for group in field_groups()
            for known in group.settings
            if group.name in section.groups and not known.display.more
        }
        assert {key.partition(".")[0] for key in shown_rows(page)} == usual


def test_a_choice_of_a_section_ends_a_search(make: Make) -> None:
    """While something is searched no section is marked; a click on one shows it whole."""
    page = make()
    page.search.setText("temperature")
    assert page.sections.list.currentRow() == -1
    page.sections.choose("memory")
    assert page.search.text() == ""
    assert {key.partition(".")[0] for key in shown_rows(page)} == {"memory"}


def test_the_default_is_named_where_something_differs(world: World, make: Make) -> None:
    """Beside what was changed, and nowhere else."""
    world.settings.change("chat", "steps", 3)
    page = make()
    naming = [key for key, row in all_rows(page).items() if "Default: " in row.help.text()]
    assert naming == ["chat.steps"]


def test_the_words_of_a_switch_are_part_of_it(world: World, make: Make) -> None:
    """A click on the title switches; all editors beside their words end at one edge."""
    page = make()
    page.show_part("chat.skills")
    row = page.rows["chat.skills"]
    world.qtbot.mouseClick(row.title, LEFT)
    world.until(lambda: not on_disk(world).chat.skills)
    edges = {
        each.editor.mapTo(page, QPoint(each.editor.width(), 0)).x()
        for each in page.rows.values()
        if each.isVisible() and each.field.kind in (FieldKind.SWITCH, FieldKind.NUMBER, FieldKind.CHOICE)
    }
    assert len(edges) == 1


@pytest.mark.parametrize("zoom", [100, 110])
def test_a_choice_stands_beside_its_words_at_the_window_s_own_width(
    world: World, make: Make, theme: Theme, zoom: int
) -> None:
    """Also with letters that are one step larger: nobody has to scroll for what there is room for."""
    page = make()
    theme.set_zoom(zoom)
    page.resize(770, 760)  # what the list of pages leaves of a window of 1000 pixels
    row = page.rows["window.theme"]
    world.until(lambda: row.editor.mapTo(row, QPoint(0, 0)).x() > row.width() / 2)
    theme.set_zoom(100)


def test_a_narrow_page_has_a_box_for_the_sections(world: World, make: Make) -> None:
    """Beside the settings there would be no room for either."""
    page = make()
    assert page.sections.stop is page.sections.list
    page.resize(480, 700)
    world.until(lambda: page.sections.stop is page.sections.box)
    page.sections.box.activated.emit(2)
    assert {key.partition(".")[0] for key in shown_rows(page)} == {"chat"}


def test_a_number_is_changed_at_once(world: World, make: Make) -> None:
    """Typed, stepped with the arrows and with the buttons; on disk without a save button."""
    page = make()
    box = number(page, "model.context_tokens")
    enter(world, box, "8192")
    world.until(lambda: on_disk(world).model.context_tokens == 8192)
    assert world.settings.current.model.context_tokens == 8192
    world.qtbot.keyClick(box, Qt.Key.Key_Up)
    world.until(lambda: on_disk(world).model.context_tokens == 8704)
    less = page.rows["model.context_tokens"].findChild(QWidget, "edit_model_context_tokens_less")
    world.qtbot.mouseClick(less, LEFT)
    world.until(lambda: on_disk(world).model.context_tokens == 8192)


def test_a_fraction_is_taken_with_point_or_comma(world: World, make: Make) -> None:
    """Whichever key the keyboard has."""
    page = make()
    box = number(page, "model.temperature")
    for text, kept in (("0.35", 0.35), ("0,45", 0.45)):
        enter(world, box, text)
        world.until(lambda kept=kept: on_disk(world).model.temperature == kept)
        assert box.text() == str(kept), text


def test_what_waits_for_the_next_start_offers_one(world: World, make: Make) -> None:
    """From the change on, at its place, until it is taken back; a page that is made later knows it too."""
    page = make()
    row, editor = page.rows["window.language"], page.rows["window.language"].editor
    assert isinstance(editor, ChoiceEditor)
    assert "Takes effect at the next start." in row.help.text()
    assert not row.restart.isVisible()
    world.settings.change("window", "language", "de")
    world.until(row.restart.isVisible)
    assert not page.rows["chat.tools"].restart.isVisible()
    later = make()
    assert later.rows["window.language"].restart.isVisible()
    with world.qtbot.waitSignal(later.restart_requested, timeout=1000):
        world.qtbot.mouseClick(later.rows["window.language"].restart, LEFT)
    world.qtbot.mouseClick(row.back, LEFT)
    world.until(lambda: not row.restart.isVisible())


def test_what_counts_at_once_offers_no_start(world: World, make: Make) -> None:
    """The theme is another before the page could say so."""
    page = make()
    world.settings.change("window", "theme", "dark")
    world.until(page.rows["window.theme"].back.isVisible)
    assert not page.rows["window.theme"].restart.isVisible()


def test_the_least_number_stands_there_in_words(world: World, make: Make) -> None:
    """Threads are measured, not 0; stepping leaves the words and comes back to them."""
    page = make()
    box = number(page, "model.threads")
    assert box.text() == "Measured here"
    box.setFocus()
    world.qtbot.keyClick(box, Qt.Key.Key_Up)
    world.until(lambda: on_disk(world).model.threads == 1)
    assert box.text() == "1"
    world.qtbot.keyClick(box, Qt.Key.Key_Down)
    world.qtbot.keyClick(box, Qt.Key.Key_Down)
    world.until(lambda: on_disk(world).model.threads == 0)
    assert box.text() == "Measured here"
    enter(world, box, "3")
    world.until(lambda: on_disk(world).model.threads == 3)
    enter(world, box, "measured here")
    world.until(lambda: on_disk(world).model.threads == 0)


def test_many_steps_end_on_the_last_one(world: World, make: Make) -> None:
    """A key held down saves as fast as it can and in order."""
    page = make()
    box = number(page, "model.top_k")
    page.groups[0].more.setChecked(True)
    box.setFocus()
    for _ in range(40):
        world.qtbot.keyClick(box, Qt.Key.Key_Up)
    world.until(lambda: on_disk(world).model.top_k == 80)
    world.until(lambda: not page._saver.is_busy("model", "top_k"))
    assert box.text() == "80"
    assert world.settings.current.model.top_k == 80


def test_a_number_outside_the_limits_is_refused_in_words(world: World, make: Make) -> None:
    """Said while it is typed; the text stays to be corrected, the old value counts, Reset takes it back."""
    page = make()
    row = page.rows["model.context_tokens"]
    box = number(page, "model.context_tokens")
    box.setFocus()
    box.selectAll()
    world.qtbot.keyClicks(box, "999999")
    assert row.error.text() == "This must be at most 131,072."
    assert row.error.isVisible()
    world.qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.text() == "999,999"
    assert row.error.text() in box.accessibleDescription()
    world.settings.change("model", "top_k", 9)  # another change does not sweep it away
    world.until(lambda: page.rows["model.top_k"].back.isVisibleTo(page.rows["model.top_k"]))
    assert box.text() == "999,999"
    assert on_disk(world).model.context_tokens == 0
    world.qtbot.mouseClick(row.back, LEFT)
    assert box.text() == "Automatic"
    assert not row.error.isVisible()
    assert not row.back.isVisible()


def test_a_long_number_is_written_in_groups(world: World, make: Make) -> None:
    """And typed with or without them; a decimal point is no part of a whole number."""
    page = make()
    box = number(page, "model.max_answer_tokens")
    for typed, kept, shown in (
        ("8192", 8192, "8,192"),
        ("8,193", 8193, "8,193"),
        ("81,94", 8194, "8,194"),
        ("8.1", 81, "81"),
    ):
        enter(world, box, typed)
        assert box.text() == shown, typed
        world.until(lambda kept=kept: on_disk(world).model.max_answer_tokens == kept)


def test_a_port_is_no_count(world: World, make: Make) -> None:
    """Its digits stay together, in the box and in the words beside it."""
    page = make()
    assert number(page, "hooks.port").text() == "47615"
    assert page.rows["hooks.port"].field.limits() == "From 1024 to 65535."
    assert page.rows["model.max_answer_tokens"].field.default_in_words() == "Default: 1,024 tokens."


def test_a_switch_of_another_page_is_on_or_off() -> None:
    """And not empty: nothing is to be written there."""
    (field,) = (known for _, known in EVERYTHING if known.key == "api.enabled")
    assert (field.in_words(False), field.in_words(True)) == ("off", "on")


def test_a_refused_number_is_corrected(world: World, make: Make) -> None:
    """Once it is right it counts, and nothing is said any more."""
    page = make()
    row, box = page.rows["window.zoom_percent"], number(page, "window.zoom_percent")
    enter(world, box, "20")
    assert row.error.text() == "This must be at least 80."
    enter(world, box, "90")
    world.until(lambda: on_disk(world).window.zoom_percent == 90)
    assert not row.error.isVisible()


def test_an_emptied_number_is_as_it_was(world: World, make: Make) -> None:
    """Nothing typed is no value."""
    page = make()
    box = number(page, "chat.steps")
    box.setFocus()
    box.selectAll()
    world.qtbot.keyClick(box, Qt.Key.Key_Backspace)
    world.qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.text() == "8"
    assert not world.paths.settings.exists()


def test_letters_are_no_number(world: World, make: Make) -> None:
    """They cannot be typed into a number at all."""
    page = make()
    enter(world, number(page, "chat.steps"), "x9y")
    world.until(lambda: on_disk(world).chat.steps == 9)


def test_the_wheel_scrolls_and_changes_nothing(world: World, make: Make) -> None:
    """Scrolling past a number or a choice does not change it, even where it has the focus."""
    page = make()
    for key in ("model.temperature", "window.theme"):
        control = page.rows[key].editor.control
        control.setFocus()
        event = QWheelEvent(
            QPointF(5, 5),
            control.mapToGlobal(QPointF(5, 5)),
            QPoint(0, 0),
            QPoint(0, -240),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(control, event)
        assert not event.isAccepted()
    assert not world.paths.settings.exists()


def test_a_choice_has_words_and_saves_its_value(world: World, make: Make) -> None:
    """The file holds the value, the page the words."""
    page = make()
    editor = page.rows["window.theme"].editor
    assert isinstance(editor, ChoiceEditor)
    words = [editor.box.itemText(row) for row in range(editor.box.count())]
    assert words == [mode.words for mode in Mode]
    editor.box.setFocus()
    world.qtbot.keyClick(editor.box, Qt.Key.Key_End)
    world.until(lambda: on_disk(world).window.theme is Mode.DARK)
    assert 'theme = "dark"' in world.paths.settings.read_text()


def test_the_model_is_chosen_among_the_installed_ones(world: World, make: Make) -> None:
    """By name; one that is gone stays named until another is chosen."""
    world.settings.change("model", "active", "lost-model")
    page = make()
    editor = page.rows["model.active"].editor
    assert isinstance(editor, ChoiceEditor)
    assert [editor.box.itemText(row) for row in range(editor.box.count())] == [
        "lost-model",
        *(words for words, _ in MODELS),
    ]
    editor.box.setFocus()
    world.qtbot.keyClick(editor.box, Qt.Key.Key_End)
    world.until(lambda: on_disk(world).model.active == "smollm2-135m")


def test_texts_are_saved_when_they_are_left(world: World, make: Make) -> None:
    """One line, many lines, a list between commas; Enter or another place takes them."""
    page = make()
    page.search_for("proxy")
    line = page.rows["network.proxy"].editor.control
    enter(world, line, "http://proxy:8080")
    world.until(lambda: on_disk(world).network.proxy == "http://proxy:8080")
    page.search_for("")
    enter(world, page.rows["hooks.fail_closed"].editor.control, "codex,  cursor ,")
    world.until(lambda: on_disk(world).hooks.fail_closed == ["codex", "cursor"])
    world.until(lambda: page.rows["hooks.fail_closed"].editor.control.text() == "codex, cursor")  # type: ignore[attr-defined]
    editor = page.rows["chat.system_prompt"].editor
    assert isinstance(editor, LongEditor)
    editor.text.setFocus()
    world.qtbot.keyClicks(editor.text, "Be brief.")
    world.qtbot.keyClick(editor.text, Qt.Key.Key_Return)
    world.qtbot.keyClicks(editor.text, "Be kind.")
    world.qtbot.keyClick(editor.text, Qt.Key.Key_Tab)
    world.until(lambda: on_disk(world).chat.system_prompt == "Be brief.\nBe kind.")


def test_what_was_typed_is_kept_when_the_page_is_left(world: World, make: Make) -> None:
    """Closing the window is no way to lose a sentence."""
    page = make()
    editor = page.rows["chat.system_prompt"].editor
    line = page.rows["network.proxy"].editor
    box = number(page, "chat.steps")
    assert isinstance(editor, LongEditor)
    assert isinstance(line, TextEditor)
    editor.text.setPlainText("Be brief.")
    line.line.setText("http://proxy")
    box.lineEdit().setText("12")
    page.hide()
    world.until(lambda: on_disk(world).network.proxy == "http://proxy")
    world.until(lambda: on_disk(world).chat.system_prompt == "Be brief.")
    world.until(lambda: on_disk(world).chat.steps == 12)


def test_a_change_from_elsewhere_does_not_take_what_is_being_typed(world: World, make: Make) -> None:
    """Half a sentence, half an address and half a number survive that the file was read again."""
    page = make()
    long, line = page.rows["chat.system_prompt"].editor, page.rows["network.proxy"].editor
    box = number(page, "chat.steps")
    assert isinstance(long, LongEditor)
    assert isinstance(line, TextEditor)
    long.text.setPlainText("Be br")
    line.line.setText("http://pro")
    box.setFocus()
    box.selectAll()
    world.qtbot.keyClicks(box, "1")
    world.settings.change("model", "top_k", 9)
    world.until(lambda: number(page, "model.top_k").text() == "9")
    assert long.text.toPlainText() == "Be br"
    assert line.line.text() == "http://pro"
    assert box.lineEdit().text() == "1"


def test_a_folder_is_looked_for(world: World, make: Make, tmp_path: Path) -> None:
    """What the dialog brings is the workspace from the next start, and the row says so."""
    page = make()
    row = page.rows["chat.workspace"]
    editor = row.editor
    assert isinstance(editor, FolderEditor)
    assert editor.choose.accessibleName() == "Choose a folder: Workspace"
    editor.choose_folder(str(tmp_path))
    world.until(lambda: on_disk(world).chat.workspace == str(tmp_path))
    assert "Takes effect at the next start." in row.help.text()


def test_the_dialog_for_folders_never_blocks(world: World, make: Make) -> None:
    """It is opened beside the program, which goes on; closing it changes nothing."""
    page = make()
    editor = page.rows["chat.workspace"].editor
    assert isinstance(editor, FolderEditor)
    world.qtbot.mouseClick(editor.choose, LEFT)
    from PySide6.QtWidgets import QFileDialog

    dialog = editor.findChild(QFileDialog)
    assert dialog is not None
    world.until(dialog.isVisible)
    dialog.reject()
    assert not world.paths.settings.exists()


def test_only_what_waits_for_the_next_start_says_so(make: Make) -> None:
    """The port does, the temperature does not."""
    page = make()
    waiting = {key for key, row in all_rows(page).items() if "next start" in row.help.text()}
    assert "hooks.port" in waiting
    assert "model.temperature" not in waiting


def test_reset_is_there_where_something_differs(world: World, make: Make) -> None:
    """It names the default, gives it back, leaves the keyboard in the row, takes the line from the file."""
    world.paths.config.mkdir(parents=True)
    world.paths.settings.write_text("[chat]\nsteps = 3  # few\ntools = true\n")
    world.settings.reload()
    page = make()
    differing = [key for key, row in all_rows(page).items() if row.back.isVisibleTo(row)]
    assert differing == ["chat.steps"]
    row = page.rows["chat.steps"]
    page.show_part("chat.steps")
    assert row.back.accessibleName() == "Reset Steps. Default: 8."
    row.back.setFocus()
    world.qtbot.keyClick(row.back, Qt.Key.Key_Space)
    world.until(lambda: on_disk(world).chat.steps == 8)
    world.until(lambda: not row.back.isVisible())
    assert number(page, "chat.steps").text() == "8"
    assert number(page, "chat.steps").hasFocus()
    assert world.paths.settings.read_text() == "[chat]\n# few\ntools = true\n"


def test_the_dangerous_switch_asks_first(world: World, make: Make) -> None:
    """In red, off until it is agreed to; the answer that changes nothing has the focus."""
    page = make()
    row = page.rows["permissions.dangerously_skip_permissions"]
    box = switch(page, "permissions.dangerously_skip_permissions")
    box.setFocus()
    world.qtbot.keyClick(box, Qt.Key.Key_Space)
    assert not box.isChecked()
    assert row.confirm is not None
    assert row.confirm.no.hasFocus()
    world.qtbot.keyClick(row.confirm.no, Qt.Key.Key_Escape)
    assert not row.confirm.isVisible()
    assert not world.paths.settings.exists()
    world.qtbot.keyClick(box, Qt.Key.Key_Space)
    world.qtbot.mouseClick(row.confirm.yes, LEFT)
    world.until(lambda: on_disk(world).permissions.dangerously_skip_permissions)
    world.until(box.isChecked)
    world.qtbot.keyClick(box, Qt.Key.Key_Space)  # back needs no question
    world.until(lambda: not on_disk(world).permissions.dangerously_skip_permissions)


def test_the_search_finds_by_title_help_and_key(make: Make) -> None:
    """Also what is folded away; the groups that hold nothing go."""
    page = make()
    for text, found in {
        "temperature": "model.temperature",
        "SAYS SO": "model.max_answer_tokens",
        "top_k": "model.top_k",
        "model.threads": "model.threads",
        "huggingface": "network.mirror",
    }.items():
        page.search.setText(text)
        assert shown_rows(page) == [found], text
        assert [group.isVisible() for group in page.groups].count(True) == 1, text
        assert not page.empty.isVisible(), text
        page.search.clear()
        # As it was before: the section that was open, without what is folded away.
        assert {key.partition(".")[0] for key in shown_rows(page)} == {"window"}, text


def test_a_search_without_an_answer_says_so(make: Make) -> None:
    """Words instead of an empty page."""
    page = make()
    page.search.setText("flux capacitor")
    assert shown_rows(page) == []
    assert page.empty.text() == "No setting matches the search."


def test_what_the_environment_sets_is_shown_and_not_edited(
    world: World, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, its value shown; nothing pretends that it could be changed here."""
    monkeypatch.setenv("STEWARD_MODEL__THREADS", "5")
    world.settings.reload()
    page = make()
    row = page.rows["model.threads"]
    page.show_part("model.threads")
    assert number(page, "model.threads").text() == "5"
    assert not row.editor.isEnabled()
    assert not row.back.isVisible()
    assert "STEWARD_MODEL__THREADS" in row.overridden.text().replace("\u200b", "")
    assert row.overridden.isVisible()
    assert page.rows["model.top_k"].editor.isEnabled()
    page.hide()
    assert not world.paths.settings.exists()


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("width", [480, 720, 760, 900])
def test_what_comes_beside_a_setting_makes_no_page_wider(
    world: World, make: Make, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Reset, a start that is wanted, an action, the name of a variable: all of it stays in sight."""
    monkeypatch.setenv("STEWARD_MODEL__CONTEXT_TOKENS", "4096")
    world.settings.reload()
    page = make(actions={"model.threads": SettingAction("Neu messen", "", lambda: None)})
    page.resize(width, 700)
    for section in SECTIONS:
        page.show_part(section.name)
        for group in page.findChildren(SettingsGroup):
            group.more.setChecked(True)
        for row in page.rows.values():
            row.restart.setVisible(row.field.display.next_start)
            row._offer_back(True)
        for _ in range(5):  # rows turn once they know their width, and the page follows
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        assert too_wide(page) == [], section.name


@pytest.mark.parametrize("width", [480, 760])
def test_a_long_name_of_a_model_ends_with_dots(
    world: World, make: Make, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """The page stays as wide as it is, and a name that fits is shown whole."""
    name = "Meta-Llama-3.1-8B-Instruct-abliterated-imatrix-Q4_K_M of somebody at somewhere"
    monkeypatch.setattr(f"{__name__}.MODELS", ((name, "long"), ("SmolLM2 135M", "short")))
    world.settings.change("model", "active", "long")
    page = make()
    page.resize(width, 700)
    page.show_part("model.active")
    for _ in range(5):
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert too_wide(page) == []
    box = page.rows["model.active"].editor.control
    assert isinstance(box, ComboBox)
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    assert option.currentText.endswith("…")
    assert name.startswith(option.currentText[:-1])
    box.setCurrentIndex(1)
    box.initStyleOption(option)
    assert option.currentText == "SmolLM2 135M"


def test_a_change_by_hand_is_shown(world: World, make: Make) -> None:
    """Written by an editor while the page is open, in place or by replacing the file."""
    page = make()
    world.paths.config.mkdir(parents=True, exist_ok=True)
    world.paths.settings.write_text("[model]\nthreads = 2\n")
    world.until(lambda: number(page, "model.threads").text() == "2")
    world.paths.settings.write_text("[model]\nthreads = 3\n")
    world.until(lambda: number(page, "model.threads").text() == "3")
    other = world.paths.settings.with_name("settings.toml.new")
    other.write_text("[model]\nthreads = 4\n")
    other.replace(world.paths.settings)
    world.until(lambda: number(page, "model.threads").text() == "4")
    world.paths.settings.write_text("[model]\nthreads = 5\n")
    world.until(lambda: number(page, "model.threads").text() == "5")
    assert world.settings.current.model.threads == 5


def test_a_file_broken_by_hand_is_named_with_its_line(world: World, make: Make) -> None:
    """The old values stay and count; once it is mended the message goes."""
    world.settings.change("model", "threads", 2)
    page = make()
    world.paths.settings.write_text("[model]\nthreads = 2\ntop_k = 9999\n")
    world.until(lambda: page.findChild(ErrorCard) is not None)
    card = page.findChild(ErrorCard)
    assert "model.top_k (line 3) must be at most 1,000" in card.error.cause
    assert number(page, "model.threads").text() == "2"
    assert world.settings.current.model.threads == 2
    world.paths.settings.write_text("[model]\nthreads = 3\n")
    world.until(lambda: not page.findChildren(ErrorCard))
    world.until(lambda: number(page, "model.threads").text() == "3")


def test_a_change_on_a_broken_file_says_why_it_was_not_saved(world: World, make: Make) -> None:
    """What a person is editing wrongly is not overwritten; the reason stands beside the editor."""
    page = make()
    world.paths.config.mkdir(parents=True, exist_ok=True)
    world.paths.settings.write_text("[model\n")
    enter(world, number(page, "chat.steps"), "9")
    row = page.rows["chat.steps"]
    world.until(lambda: "could not be read" in row.error.text())
    assert world.paths.settings.read_text() == "[model\n"
    assert world.settings.current.chat.steps == 8


def test_the_file_is_made_and_opened(world: World, make: Make) -> None:
    """There is always something to edit; without a program for it the path is told."""
    opened: list[Path] = []

    def open_file(path: Path) -> bool:
        opened.append(path)
        return len(opened) == 1

    page = make(open_file=open_file)
    world.qtbot.mouseClick(page.file_button, LEFT)
    world.until(lambda: opened == [world.paths.settings])
    assert world.paths.settings.exists()
    assert not page.toast.isVisible()
    world.qtbot.mouseClick(page.file_button, LEFT)
    world.until(page.toast.isVisible)
    assert str(world.paths.settings) in page.toast.label.text()


_OTHER = """
import sys
from pathlib import Path
from desktop.events import Bus
from desktop.settings import SettingsFile
file = SettingsFile(Path(sys.argv[1]), Bus())
for value in range(1, 31):
    file.change("model", "top_k", value)
"""


@pytest.mark.children
def test_another_process_changes_the_same_file(world: World, make: Make) -> None:
    """`steward` in a terminal and the page lose nothing of each other, and the page shows both."""
    page = make()
    path = str(world.paths.settings)
    other = subprocess.Popen([sys.executable, "-c", _OTHER, path])
    box = number(page, "chat.tool_timeout_s")
    box.setFocus()
    for _ in range(30):
        world.qtbot.keyClick(box, Qt.Key.Key_Up)
        world.qtbot.wait(5)
    assert other.wait(60) == 0
    world.until(lambda: on_disk(world).chat.tool_timeout_s == 60)
    world.until(lambda: on_disk(world).model.top_k == 30)
    world.until(lambda: number(page, "model.top_k").text() == "30")
    assert box.text() == "60"


def test_what_a_switch_needs_is_said_beside_it(world: World, make: Make) -> None:
    """Where it was switched on, and not in another window; gone once it is off."""
    page = make(lacks={"chat.read_aloud": lambda: "Install a voice.", "chat.dictate": str})
    page.show_part("chat.read_aloud")
    row = page.rows["chat.read_aloud"]
    world.qtbot.keyClick(row.editor.control, Qt.Key.Key_Space)
    world.until(lambda: row.error.text() == "Install a voice.")
    world.qtbot.keyClick(row.editor.control, Qt.Key.Key_Space)
    world.until(lambda: not on_disk(world).chat.read_aloud)
    world.until(lambda: row.error.text() == "")


def test_an_action_is_done_on_the_pool(world: World, make: Make) -> None:
    """Measuring again is offered while the measured number counts, and said when it was asked for."""
    threads: list[str] = []
    action = SettingAction(
        "Measure again",
        "Threads are measured when the model is idle.",
        lambda: threads.append(threading.current_thread().name),
    )
    page = make(actions={"model.threads": action})
    button = page.rows["model.threads"].action
    assert button is not None
    assert button.accessibleName() == "Measure again: Threads"
    world.qtbot.mouseClick(button, LEFT)
    world.until(page.toast.isVisible)
    assert threads
    assert threads != ["MainThread"]
    enter(world, number(page, "model.threads"), "3")
    world.until(lambda: not button.isEnabled())


def test_start_with_the_computer(world: World, make: Make, tmp_path: Path) -> None:
    """Off by default; the switch makes and removes the session's entry, and follows it."""
    entry = DesktopEntry(("steward", "run", "--hidden"), tmp_path / "autostart")
    group = AutostartGroup(entry, world.background)
    page = make(group)
    assert not group.box.isChecked()
    group.box.setFocus()
    world.qtbot.keyClick(group.box, Qt.Key.Key_Space)
    world.until(entry.is_on)
    entry.switch(False)  # in the settings of the desktop
    page.shown()
    world.until(lambda: not group.box.isChecked())
    page.search.setText("login")
    assert group.isVisible()
    page.search.setText("temperature")
    assert not group.isVisible()


def test_an_entry_that_cannot_be_made_is_said(world: World, make: Make, tmp_path: Path) -> None:
    """The switch goes back, with the reason beside it."""
    (tmp_path / "autostart").write_text("a file where the folder should be")
    group = AutostartGroup(DesktopEntry(("steward",), tmp_path / "autostart"), world.background)
    make(group)
    world.qtbot.mouseClick(group.box, LEFT, pos=QPoint(5, 5))
    world.until(group.error.isVisible)
    assert "could not be created" in group.error.text()
    world.until(lambda: not group.box.isChecked())


def test_a_bug_in_an_action_stays_loud(world: World, make: Make) -> None:
    """What is no UserFacing is not swallowed by the page."""
    page = make()
    page._refuse(failure("Something is wrong.", "Nothing was lost.", "Try again."))
    assert page.findChild(ErrorCard) is not None
    with pytest.raises(RuntimeError):
        page._refuse(RuntimeError("bug"))


@pytest.mark.parametrize(("section", "known"), EVERYTHING, ids=[known.key for _, known in EVERYTHING])
def test_each_editor_shows_what_it_is_given(
    theme: Theme, qtbot: QtBot, section: str, known: SettingField
) -> None:
    """The default of every setting is shown by its editor, and its limits are those that are enforced."""
    row = SettingRow(known)
    qtbot.addWidget(row)
    row.show_settings(Settings())
    assert not row.back.isVisibleTo(row)
    if known.least is not None and known.most is not None:
        box = row.findChild(NumberBox)
        assert box is not None
        for value in (known.least, known.most):
            box.show_number(value)
            assert box.valueFromText(box.text()) == value
        box.stepBy(1)
        assert box.value() == known.most


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gate.rules", [{"effect": "deny", "program": "git push"}] * 3),
        ("mcp.servers", {"git": {"command": ["git-mcp"]}}),
    ],
)
def test_what_a_page_of_its_own_lists_is_counted(world: World, key: str, value: Any) -> None:
    """The row says how much there is, and is no wider for it than the one beside it."""
    section, name = key.split(".")
    known = next(each for _, each in EVERYTHING if each.key == key)
    row = SettingRow(known)
    world.qtbot.addWidget(row)
    row.show_settings(world.settings.current)
    narrowest = row.minimumSizeHint().width()
    row.show_settings(world.settings.change(section, name, value))
    assert isinstance(row.editor, ElsewhereEditor)
    assert row.editor.words.text() == ("3 entries" if len(value) == 3 else "1 entry")
    assert row.minimumSizeHint().width() < narrowest + 40


def test_what_is_changed_on_a_page_of_its_own_leads_there(world: World) -> None:
    """The value is shown in words; there is a button to its page and nothing that would change it here."""
    known = SettingField(
        "window",
        "theme",
        "Theme",
        "Help.",
        Mode.SYSTEM,
        FieldKind.ELSEWHERE,
        Display(page="Quick-ask", empty="Off"),
    )
    row = SettingRow(known)
    world.qtbot.addWidget(row)
    asked: list[str] = []
    row.editor.page_requested.connect(asked.append)
    row.show_settings(world.settings.change("window", "theme", Mode.DARK))
    assert isinstance(row.editor, ElsewhereEditor)
    assert row.editor.words.text() == "Dark"
    assert not row.back.isVisibleTo(row)
    world.qtbot.mouseClick(row.editor.go, LEFT)
    assert asked == ["Quick-ask"]
    assert row.editor.go.accessibleName() == "Change Theme: Dark"


def test_tab_passes_every_setting_in_the_order_of_reading(world: World, make: Make) -> None:
    """From the search down to the last setting of a section, each once, and each comes into sight."""
    page = make()
    page.show_part("chat")
    page.search.setFocus()
    seen: list[QWidget] = []
    for _ in range(120):
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused in seen:
            break
        seen.append(focused)
        world.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    controls = {row.editor.control for row in page.rows.values() if row.isVisible()}
    assert controls <= set(seen)

    def row_of(widget: QWidget) -> QWidget:
        """What stands side by side in one row is as high up; centred, a pixel may lie between the tops."""
        return next((row for row in page.rows.values() if row.isAncestorOf(widget)), widget)

    tops = [
        row_of(widget).mapTo(page._scroll.widget(), QPoint(0, 0)).y()
        for widget in seen
        if page._scroll.isAncestorOf(widget)
    ]
    assert tops == sorted(tops)


def test_nothing_appears_as_a_window_while_the_page_is_built(world: World, make: Make) -> None:
    """A part that is shown before it has its place would flash on the screen."""
    shown: list[str] = []

    class Watcher(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
            if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
                shown.append(type(watched).__name__)
            return False

    watcher = Watcher()
    app = QApplication.instance()
    assert app is not None
    app.installEventFilter(watcher)
    try:
        make()
    finally:
        app.removeEventFilter(watcher)
    assert shown == ["SettingsPage"]
