"""Presets from the composer's menu, and the field of theirs that few need."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_presets import choose, dialog_of
from tests.ui.chat.test_window import LEFT


def test_the_menu_of_what_can_be_added_offers_presets(desk: Desk) -> None:
    """Under its own entry, with what is chosen marked each time it opens."""
    menus = [each.menu() for each in desk.window.pane.composer.menu.actions() if each.menu() is not None]
    assert [menu.title() for menu in menus if isinstance(menu, QMenu)] == ["Preset"]
    (menu,) = menus
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    entry = next(each for each in menu.actions() if each.objectName() == "preset_concise")
    entry.trigger()
    assert desk.window.pane.status.preset.text() == "Concise"
    menu.aboutToShow.emit()
    assert [each.text() for each in menu.actions() if each.isChecked()] == ["Concise"]


def test_top_p_is_kept_with_a_preset(desk: Desk) -> None:
    """Nothing in the field: as in the settings."""
    dialog = dialog_of(desk)
    desk.qtbot.mouseClick(dialog.new_button, LEFT)
    desk.qtbot.waitUntil(lambda: dialog.current is not None and dialog.current.is_own)
    assert dialog.form.top_p.text() == "As in the settings"
    assert dialog.form.value().top_p is None
    dialog.form.top_p.setValue(0.55)
    desk.qtbot.mouseClick(dialog.save_button, LEFT)
    desk.qtbot.waitUntil(lambda: desk.store.presets.all()[-1].top_p == 0.55)
    dialog.close()
    choose(desk, f"preset_{desk.store.presets.all()[-1].key}")
    chosen = desk.window.presets.chosen
    assert chosen is not None
    assert chosen.applied(desk.settings.current).model.top_p == 0.55
