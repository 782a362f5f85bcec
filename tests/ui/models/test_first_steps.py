"""After the model: keys and start, then a folder; once, each to be skipped, nothing switched on unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.ui.models.first_run import FirstRun
from desktop.ui.models.first_steps import FolderPage, KeysPage
from desktop.ui.quick_ask.hotkey_trial import HotkeyTrial
from tests.ui.models.conftest import World, tiny_gguf
from tests.ui.models.test_first_run import Show, texts
from tests.ui.quick_ask.hotkeys import FakeGrabber


def a_model(folder: Path) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(tiny_gguf("Tiny"))
    return path


class FakeAutostart:
    """An entry in memory."""

    def __init__(self) -> None:
        self.on = False

    def is_on(self) -> bool:
        return self.on

    def switch(self, on: bool) -> None:
        self.on = on

    def place(self) -> str:
        return "memory"


class Steps:
    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.autostart, self.kept = FakeAutostart(), list[str]()
        self.hotkey = GlobalHotkey(FakeGrabber(), "steward toggle-quick-ask")
        self.hotkey.use("Ctrl+Shift+Space")

    def make(self) -> tuple[KeysPage, FolderPage]:
        world = self.world
        trial = HotkeyTrial(self.hotkey, self.kept.append)
        self.keys = KeysPage(trial, self.autostart, world.settings, world.background, has_tray=True)
        self.folders = FolderPage(
            world.settings,
            world.background,
            "~/Steward",
            choose=lambda page: page.open_folder(str(self.folder)),
        )
        return self.keys, self.folders


@pytest.fixture
def steps(world: World, tmp_path: Path) -> Iterator[Steps]:
    steps = Steps(world, tmp_path)
    yield steps
    steps.hotkey.close()


@pytest.fixture
def ready(world: World, shown: Show, steps: Steps, tmp_path: Path, qtbot: QtBot) -> FirstRun:
    """A window whose model has just arrived."""
    window = world.first_run()
    window.offer_steps(steps.make)
    shown(window)
    window._import.add(a_model(tmp_path))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.ready_page)
    return window


def test_the_three_steps_end_in_the_chat(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """Next, Next, Start chatting; nothing was switched on, no folder opened, and it is not asked again."""
    assert ready.ready_page.start_button.text() == "Next"
    ready.ready_page.start_button.click()
    assert ready.pages.currentWidget() is steps.keys
    assert "Step 2 of 3" in texts(ready)
    assert not steps.keys.start_box.isChecked()
    steps.keys.next_button.click()
    assert ready.pages.currentWidget() is steps.folders
    with qtbot.waitSignal(ready.start_chatting, timeout=2000):
        steps.folders.next_button.click()
    assert not ready.isVisible()
    settings = steps.world.settings
    qtbot.waitUntil(lambda: settings.current.window.set_up and settings.current.window.asked_about_autostart)
    assert not steps.autostart.on
    assert settings.current.chat.folders == []


def test_a_screen_reader_is_told_what_the_buttons_say(ready: FirstRun, steps: Steps) -> None:
    """Also where the label is another than at first."""
    ready.ready_page.start_button.click()
    for button in (ready.ready_page.start_button, steps.keys.next_button, steps.folders.next_button):
        assert button.accessibleName() == button.text()


def test_what_is_chosen_is_done_at_once(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """The session's entry, and the folder in the settings."""
    ready.ready_page.start_button.click()
    steps.keys.start_box.click()
    qtbot.waitUntil(lambda: steps.autostart.on)
    steps.keys.skip_button.click()
    steps.folders.open_button.click()
    settings = steps.world.settings
    qtbot.waitUntil(lambda: settings.current.chat.folders == [str(steps.folder)])
    qtbot.waitUntil(lambda: "Open to read" in steps.folders.chosen.text())
    steps.folders.skip_button.click()
    qtbot.waitUntil(lambda: settings.current.window.set_up)


def test_the_hotkey_is_tried_without_opening_anything(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """A press is for this page while it listens."""
    from desktop.system.hotkey.grabber import Press

    ready.ready_page.start_button.click()
    trial = steps.keys.trial
    trial.test.click()
    assert trial.is_trying
    steps.hotkey.pressed.emit(Press())
    assert "It works" in trial.tried.text()
    assert not trial.is_trying
    steps.keys.skip_button.click()
    steps.folders.skip_button.click()
    qtbot.waitUntil(lambda: steps.world.settings.current.window.set_up)


def test_once_is_enough(world: World, shown: Show, steps: Steps, tmp_path: Path, qtbot: QtBot) -> None:
    """A later model leads to the chat at once."""
    world.settings.change("window", "set_up", True)
    window = world.first_run()
    window.offer_steps(steps.make)
    shown(window)
    window._import.add(a_model(tmp_path))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.ready_page)
    assert window.ready_page.start_button.text() == "Start chatting"
    with qtbot.waitSignal(window.start_chatting, timeout=2000):
        window.ready_page.start_button.click()
