"""Pictures of the Settings page in every look, kept in test-artefacts/, and what must be true of each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.system.autostart import DesktopEntry
from desktop.ui.pages.settings import AutostartGroup, SettingsPage
from desktop.ui.pages.settings_file import SettingsWatch
from desktop.ui.pages.settings_form import FormSupport, SettingAction
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.widgets.error_card import ErrorCard
from tests.ui.pages.conftest import World
from tests.ui.pages.test_page_screens import LOOKS, dress, unnamed
from tests.ui.test_screens import ARTEFACTS, clipped

pytestmark = pytest.mark.pictures

MODELS = (("Qwen2.5 Coder 1.5B Q4", "qwen2.5-coder-1.5b"), ("SmolLM2 135M", "smollm2-135m"))
AGENTS = (("Claude Code", "claude-code"), ("Codex", "codex"))


@pytest.fixture
def window(world: World) -> Iterator[PagesWindow]:
    """The page in its window, as the program puts it there."""
    world.settings.change("model", "active", "smollm2-135m")
    world.settings.change("model", "context_tokens", 8192)
    watch = SettingsWatch(world.settings, world.background)

    def make() -> SettingsPage:
        autostart = DesktopEntry(("steward",), world.paths.config / "autostart")
        return SettingsPage(
            world.settings,
            watch,
            world.relay,
            world.background,
            FormSupport(
                {"models": lambda: MODELS, "agents": lambda: AGENTS},
                {"model.threads": SettingAction("Measure again", "Measured when idle.", lambda: None)},
            ),
            (AutostartGroup(autostart, world.background),),
        )

    entries = [PageEntry("Settings", "settings", make)]
    made = PagesWindow(world.settings, world.relay, world.background, world.paths.pages, entries)
    world.qtbot.addWidget(made)
    yield made
    watch.close()


def open_page(world: World, window: PagesWindow) -> SettingsPage:
    window.show_page("Settings")
    world.qtbot.waitExposed(window)
    page = window.page
    assert isinstance(page, SettingsPage)
    settle(world)
    return page


def settle(world: World) -> None:
    QCoreApplication.processEvents()
    world.qtbot.wait(40)


def fits(world: World, window: QWidget) -> None:
    """Nothing is cut off, once all layouts have heard of what was shown and hidden."""
    world.until(lambda: clipped(window) == [])


def picture(window: QWidget, name: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    assert window.grab().save(str(ARTEFACTS / f"pages-settings-{name}.png"))


def pictures_of_all(world: World, window: PagesWindow, page: SettingsPage, name: str) -> None:
    """From top to bottom, a screen at a time."""
    bar = page.findChild(QWidget, "settings_scroll").verticalScrollBar()
    for number in range(12):
        bar.setValue(number * bar.pageStep())
        settle(world)
        picture(window, f"{name}-{number}")
        assert clipped(window) == []
        if bar.value() == bar.maximum():
            return


@pytest.mark.parametrize("look", LOOKS)
def test_the_page(world: World, window: PagesWindow, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut off on any screen of the page, everything that the keyboard reaches has a name."""
    monkeypatch.setenv("STEWARD_CHAT__STEPS", "5")
    dress(world, window, look, monkeypatch)
    window.resize(*{"zoom-200": (1180, 900), "narrow": (420, 640)}.get(look, (900, 700)))
    page = open_page(world, window)
    number = page.rows["model.max_answer_tokens"].editor.control
    number.setFocus()
    number.setValue(99999)
    page.rows["permissions.dangerously_skip_permissions"].editor.control.setChecked(True)
    page.groups[0].more.setChecked(True)
    settle(world)
    pictures_of_all(world, window, page, look)
    assert unnamed(window) == []


def test_a_broken_file_and_a_search(world: World, window: PagesWindow) -> None:
    """The card names line and key above the settings; a search leaves what it finds, or says so."""
    page = open_page(world, window)
    text = world.paths.settings.read_text()
    world.paths.settings.write_text(text + "top_k = 9999\n")
    world.until(lambda: page.findChild(ErrorCard) is not None)
    settle(world)
    fits(world, window)
    picture(window, "broken")
    world.paths.settings.write_text(text)
    world.until(lambda: not page.findChildren(ErrorCard))
    page.search.setFocus()
    page.search.setText("memory")
    settle(world)
    fits(world, window)
    picture(window, "search")
    page.search.setText("flux capacitor")
    settle(world)
    picture(window, "search-nothing")
