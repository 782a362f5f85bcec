"""The one hotkey: switched, changed, and told in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from desktop.system.hotkey.grabber import HotkeyState

pytest.importorskip("PySide6", reason="the hotkey comes through Qt's event loop")
from PySide6.QtGui import QGuiApplication

from desktop.system.hotkey import global_hotkey
from desktop.system.hotkey.global_hotkey import GlobalHotkey, grabber
from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress, NoGrabber
from desktop.system.hotkey.keys import Keys

COMMAND = "steward toggle-quick-ask"


@dataclass
class Desk:
    """A way to a hotkey where `used` are other programs' keys."""

    used: frozenset[str] = frozenset()
    held: str = ""
    taken: list[str] = field(default_factory=list)
    pressed: Callable[[HotkeyPress], None] = lambda _press: None
    can_rest: bool = True

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.taken.append(str(keys))
        if str(keys) in self.used:
            tell(GrabResult(GrabStatus.TAKEN))
            return
        self.held, self.pressed = str(keys), pressed
        tell(GrabResult(GrabStatus.READY))

    def release(self) -> None:
        self.held = ""


@pytest.fixture
def desk() -> Desk:
    return Desk(used=frozenset({"Ctrl+Alt+T"}))


@pytest.fixture
def hotkey(qapp: object, desk: Desk) -> Iterator[GlobalHotkey]:
    made = GlobalHotkey(desk, COMMAND)
    yield made
    made.close()


def test_on_other_keys_and_off(hotkey: GlobalHotkey, desk: Desk) -> None:
    """Each change lets go of what was held before."""
    states: list[HotkeyState] = []
    hotkey.state_changed.connect(states.append)
    hotkey.use("Ctrl+Shift+Space")
    hotkey.use("Meta+J")
    assert desk.held == "Meta+J"
    hotkey.use("")
    assert desk.held == ""
    assert [state.works for state in states] == [True, True, False]
    assert str(hotkey.state.words) == "The hotkey is off."
    assert not hotkey.state.is_problem


def test_the_same_keys_are_not_asked_for_again(hotkey: GlobalHotkey, desk: Desk) -> None:
    """Settings are told again for other reasons; a portal would ask the user each time."""
    hotkey.use("Meta+J")
    hotkey.use("Meta+J")
    assert desk.taken == ["Meta+J"]


def test_keys_in_use_are_said_once(hotkey: GlobalHotkey) -> None:
    """In words, with the next step; again only when the reason is another."""
    said: list[HotkeyState] = []
    hotkey.problem.connect(said.append)
    for keys in ("Ctrl+Alt+T", "Ctrl+Alt+T", "Shift+A", "Ctrl+Alt+T"):
        hotkey.use(keys)
    assert [str(state.words) for state in said] == [
        "Ctrl+Alt+T is in use by another program.",
        "“Shift+A” is not a hotkey.",
    ]
    assert all(state.next_step for state in said)


def test_a_press_is_handed_on(hotkey: GlobalHotkey, desk: Desk) -> None:
    """With what the desktop gave along."""
    presses: list[HotkeyPress] = []
    hotkey.pressed.connect(presses.append)
    hotkey.use("Meta+J")
    desk.pressed(HotkeyPress("token"))
    assert presses == [HotkeyPress("token")]


def test_a_screen_without_a_way(qapp: object) -> None:
    """Offscreen there is none, and the command to bind is named."""
    hotkey = GlobalHotkey(grabber("steward"), COMMAND)
    hotkey.use("Meta+J")
    assert hotkey.state.is_problem
    assert hotkey.state.command == COMMAND
    hotkey.close()


@pytest.mark.parametrize("name", ["WAYLAND_DISPLAY", "XDG_SESSION_TYPE"])
def test_a_wayland_session_asks_the_portal(qapp: object, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where Qt runs under XWayland, whose grabs miss what is typed elsewhere; no bus is no way."""
    for each in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setattr(QGuiApplication, "platformName", staticmethod(lambda: "xcb"))
    assert not global_hotkey.is_wayland()
    monkeypatch.setenv(name, "wayland")
    assert global_hotkey.is_wayland()
    assert isinstance(grabber("steward"), NoGrabber)
