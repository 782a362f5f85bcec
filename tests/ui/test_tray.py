"""The tray icon: what it offers, and what happens where there is no tray.

The offscreen platform never has one; clicks and notifications on a real tray host are in tests/flows.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.tray import Tray, TrayState


@pytest.fixture
def tray(qapp: QApplication) -> Iterator[Tray]:
    tray = Tray(Theme(qapp, Mode.LIGHT), look_every_ms=1)
    yield tray
    tray.close()


def _entries(tray: Tray) -> dict[str, bool]:
    return {action.text(): action.isEnabled() for action in tray.menu.actions() if action.text()}


def test_everything_is_in_the_menu_and_quit_is_last(tray: Tray) -> None:
    """On desktops where a click only opens the menu nothing is out of reach."""
    words = list(_entries(tray))
    assert words[0] == "Open Steward"
    assert tray.menu.defaultAction().text() == "Open Steward"
    assert tray.menu.defaultAction().font().bold()
    assert {"New chat", "Models…"} <= set(words)
    assert words[-1] == "Quit"


@pytest.mark.parametrize(
    ("entry", "signal"),
    [
        ("tray_open", "open_requested"),
        ("tray_new_chat", "new_chat_requested"),
        ("tray_models", "models_requested"),
        ("tray_quit", "quit_requested"),
    ],
)
def test_an_entry_asks_for_its_thing(tray: Tray, qtbot: QtBot, entry: str, signal: str) -> None:
    """Choosing an entry emits the signal of that name."""
    action = next(a for a in tray.menu.actions() if a.objectName() == entry)
    with qtbot.waitSignal(getattr(tray, signal), timeout=1000):
        action.trigger()


@pytest.mark.parametrize("state", list(TrayState))
def test_stop_is_offered_only_while_something_is_under_way(tray: Tray, state: TrayState) -> None:
    """An entry that would do nothing is grey."""
    tray.set_state(state)
    assert _entries(tray)["Stop the answer"] is (state is TrayState.BUSY)


def test_the_states_differ_in_picture_and_in_words() -> None:
    """No state is told by colour alone."""
    assert len({state.icon_name for state in TrayState}) == len(TrayState)
    assert len({state.words for state in TrayState}) == len(TrayState)


def test_where_no_tray_comes_it_is_said_once(qapp: QApplication, qtbot: QtBot) -> None:
    """After half a minute of looking the window is told, so that it never hides to nowhere."""
    tray = Tray(Theme(qapp, Mode.LIGHT), look_every_ms=1)
    heard: list[bool] = []
    tray.availability_changed.connect(heard.append)
    assert tray.is_available, "one may still come"
    qtbot.waitUntil(lambda: not tray.is_available)
    qtbot.wait(20)
    assert heard == [False]
    tray.close()
