"""Where project mode is on: listed with the time left, ended, taken back; on the pages and in the tray."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.gate.projects import Projects
from desktop.ui.language import left_words
from desktop.ui.pages.permissions import AgentPermissions, PermissionsPage
from desktop.ui.tray import ProjectTray, Tray
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton
NOW = 1_800_000_000.0


@pytest.fixture
def projects(world: World, tmp_path: Path) -> Projects:
    return Projects(world.database, bus=world.bus, now=lambda: NOW, home=tmp_path / "home")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


def words(page: PermissionsPage) -> str:
    assert page.projects is not None
    return " ".join(label.text().replace("\u200b", "") for label in page.projects.findChildren(QLabel))


def test_a_running_project_is_listed_and_ended(world: World, projects: Projects, shop: Path) -> None:
    """With its promise and its time; ending can be taken back."""
    page = PermissionsPage(
        world.grants, world.settings, world.relay, world.background, agents=AgentPermissions(projects)
    )
    world.show(page)
    assert page.projects is not None
    assert not page.projects.isVisible()
    projects.begin(shop, None)
    world.until(page.projects.isVisible)
    assert str(shop) in words(page)
    assert "commands change only this folder, which can be undone" in words(page)
    assert "until you end it" in words(page)
    end = page.projects.findChild(QPushButton)
    assert end is not None
    world.qtbot.mouseClick(end, LEFT)
    world.until(lambda: page.projects is not None and not page.projects.isVisible())
    assert projects.of(shop) is None
    world.until(page.toast.isVisible)
    page.toast.button.click()
    world.until(lambda: projects.of(shop) is not None)


def test_the_tray_names_it_and_ends_it(world: World, projects: Projects, shop: Path) -> None:
    """In the tooltip too, as long as it is on."""
    tray = Tray()
    ProjectTray(tray, projects, world.relay, world.background, now=lambda: NOW)
    assert tray.tooltip == "Steward"
    project = projects.begin(shop, NOW + 3 * 3600)
    world.until(lambda: "Project mode is on in shop." in tray.tooltip)
    action = next(
        each
        for menu in tray.menu.actions()
        if menu.menu() is not None
        for each in menu.menu().actions()  # type: ignore[attr-defined]
        if each.objectName() == f"tray_end_project_{project.id}"
    )
    assert action.text() == "End in shop (3 h left)"
    action.trigger()
    world.until(lambda: tray.tooltip == "Steward")
    assert projects.of(shop) is None
    tray.close()


@pytest.mark.parametrize(
    ("left_s", "said"),
    [
        (None, "until you end it"),
        (90.0, "2 min left"),
        (3 * 3600.0, "3 h left"),
        (47 * 3600.0, "47 h left"),
        (6.4 * 86_400, "6 days left"),
        (-5.0, "0 min left"),
    ],
)
def test_the_time_left_in_words(left_s: float | None, said: str) -> None:
    """As much of it as matters."""
    assert left_words(None if left_s is None else NOW + left_s, NOW) == said
