"""The table of wrappers on the Permissions page, in the settings file."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton

from desktop.ui.pages.permissions import PermissionsPage
from tests.ui.pages.conftest import World


def opened(world: World) -> PermissionsPage:
    page = PermissionsPage(world.theme, world.grants, world.settings, world.relay, world.background)
    world.show(page, height=900)
    return page


def listed(page: PermissionsPage) -> list[str]:
    labels = page.wrappers.list.findChildren(QLabel, "row_words")
    return [label.text().replace("\u200b", "") for label in labels]


def test_a_wrapper_is_added_once_removed_and_put_back(world: World) -> None:
    """The file says what the page says."""
    page = opened(world)
    for _ in range(2):
        page.wrappers.name.setText(" rtk ")
        page.wrappers.add.click()
        world.until(lambda: listed(page) == ["`rtk` X does what X does"])
    assert world.settings.current.gate.wrappers == ["rtk"]
    remove = page.wrappers.list.findChild(QPushButton, "wrapper_remove_rtk")
    assert remove is not None
    remove.click()
    world.until(lambda: listed(page) == [] and page.toast.isVisible())
    assert world.settings.current.gate.wrappers == []
    page.toast.button.click()
    world.until(lambda: world.settings.current.gate.wrappers == ["rtk"])


def test_what_is_no_name_cannot_be_added(world: World) -> None:
    """A path, options, or nothing at all."""
    page = opened(world)
    for text in ("", "/usr/bin/rtk", "rtk -x", "-x"):
        page.wrappers.name.setText(text)
        assert not page.wrappers.add.isEnabled()
        page.wrappers.name.returnPressed.emit()
        assert page.wrappers.problem.text() == "" if not text else page.wrappers.problem.isVisible()
    assert world.settings.current.gate.wrappers == []


def test_what_others_write_to_the_settings_is_shown(world: World) -> None:
    """By hand, or from the command line."""
    page = opened(world)
    world.settings.change("gate", "wrappers", ["mywrap"])
    page.shown()
    assert listed(page) == ["`mywrap` X does what X does"]
