"""A hotkey through a portal that speaks the real interface, on a private session bus."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.system.hotkey.grabber import HotkeyState

pytest.importorskip("PySide6", reason="the hotkey is the desktop's")
if sys.platform != "linux" or shutil.which("dbus-daemon") is None:
    pytest.skip("needs a D-Bus daemon", allow_module_level=True)
from pytestqt.qtbot import QtBot

from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.system.hotkey.grabber import HotkeyPress
from desktop.system.hotkey.keys import Keys
from desktop.system.hotkey.portal import PortalGrabber, trigger
from desktop.system.session_bus import SessionBus

ROOT = Path(__file__).resolve().parents[3]
COMMAND = "steward toggle-quick-ask"


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session bus of its own."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert daemon.stdout is not None
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.stdout.readline().strip())
    yield
    daemon.terminate()
    daemon.communicate()


class Portal:
    """The stand-in: what it was called with, and the keys that somebody presses."""

    def __init__(self, mode: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.system.hotkey.portal_stand_in", mode],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.said: list[dict[str, Any]] = []
        assert self._process.stdout is not None
        assert json.loads(self._process.stdout.readline()) == {"ready": True}
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.said.extend(json.loads(line) for line in self._process.stdout)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def first(self, name: str) -> Any:
        return next((fact[name] for fact in self.said if name in fact), None)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._reader.join(10)
        self._process.stdout.close()


@pytest.fixture
def portal(bus: None, request: pytest.FixtureRequest) -> Iterator[Portal]:
    made = Portal(getattr(request, "param", "yes"))
    yield made
    made.close()


@pytest.fixture
def hotkey(bus: None, qapp: object) -> Iterator[GlobalHotkey]:
    """Ours, over the portal, whatever system the test runs on."""
    connection = SessionBus()
    made = GlobalHotkey(PortalGrabber(connection, "steward"), COMMAND)
    yield made
    made.close()
    connection.close()


@pytest.mark.parametrize("portal", ["yes", "old"], indirect=True)
def test_bound_and_pressed(qtbot: QtBot, portal: Portal, hotkey: GlobalHotkey) -> None:
    """The desktop says how it writes the keys; a press comes with its leave to take the focus."""
    presses: list[HotkeyPress] = []
    hotkey.pressed.connect(presses.append)
    hotkey.use("Ctrl+Shift+Space")
    assert hotkey.state.is_waiting
    qtbot.waitUntil(lambda: hotkey.state.works)
    assert str(hotkey.state.words) == "The desktop opens Quick-ask with: Press Ctrl+Shift+Space."
    name, wanted = portal.first("bound")[0]
    assert (name, wanted["preferred_trigger"]) == ("quick-ask", "CTRL+SHIFT+space")
    assert wanted["description"]
    portal.tell("press-other")
    portal.tell("press")
    qtbot.waitUntil(lambda: bool(presses))
    assert presses == [HotkeyPress("leave-7")]


def test_the_application_is_named_first(qtbot: QtBot, portal: Portal, hotkey: GlobalHotkey) -> None:
    """Newer portals refuse a program that has not said its id; they take it once from a connection."""
    hotkey.use("Ctrl+Shift+Space")
    qtbot.waitUntil(lambda: hotkey.state.works)
    hotkey.use("Meta+J")
    qtbot.waitUntil(lambda: len([fact for fact in portal.said if "bound" in fact]) == 2)
    assert portal.said[0] == {"registered": "steward"}
    assert len([fact for fact in portal.said if "registered" in fact]) == 1
    assert portal.first("closed") == portal.first("session")


@pytest.mark.parametrize("portal", ["no"], indirect=True)
def test_the_user_says_no(qtbot: QtBot, portal: Portal, hotkey: GlobalHotkey) -> None:
    """It is said once, with the command to bind by hand."""
    problems: list[HotkeyState] = []
    hotkey.problem.connect(problems.append)
    for _ in range(2):
        hotkey.use("Ctrl+Shift+Space")
        qtbot.waitUntil(lambda: hotkey.state.is_problem)
    assert hotkey.state.command == COMMAND
    assert len(problems) == 1
    assert problems[0].command == COMMAND


@pytest.mark.parametrize("portal", ["unbound"], indirect=True)
def test_allowed_but_without_keys(qtbot: QtBot, portal: Portal, hotkey: GlobalHotkey) -> None:
    """Where the desktop gave no keys it says where they are set, and hears when they are."""
    hotkey.use("Ctrl+Shift+Space")
    qtbot.waitUntil(lambda: hotkey.state.is_problem)
    assert "has set no keys" in str(hotkey.state.words)
    portal.tell("rebind Super+J")
    qtbot.waitUntil(lambda: hotkey.state.works)
    assert str(hotkey.state.words) == "The desktop opens Quick-ask with: Super+J."


def test_no_portal_at_all(qtbot: QtBot, hotkey: GlobalHotkey) -> None:
    """Compositors without the portal: the exact command is shown."""
    hotkey.use("Ctrl+Shift+Space")
    qtbot.waitUntil(lambda: hotkey.state.is_problem)
    assert "cannot have a hotkey" in str(hotkey.state.words)
    assert hotkey.state.command == COMMAND


def test_off_while_the_desktop_asks(qtbot: QtBot, portal: Portal, hotkey: GlobalHotkey) -> None:
    """What was asked for before is not heard of any more."""
    hotkey.use("Ctrl+Shift+Space")
    hotkey.use("")
    qtbot.waitUntil(lambda: portal.first("registered") is not None)
    qtbot.wait(100)
    assert hotkey.state.keys == ""
    assert not hotkey.state.works


def test_a_portal_that_has_ended(qtbot: QtBot, bus: None, portal: Portal, hotkey: GlobalHotkey) -> None:
    """Nothing waits for an answer that cannot come any more."""
    portal.close()
    hotkey.use("Ctrl+Shift+Space")
    qtbot.waitUntil(lambda: hotkey.state.is_problem)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("Ctrl+Shift+Space", "CTRL+SHIFT+space"),
        ("Meta+J", "LOGO+j"),
        ("Alt+PgUp", "ALT+Page_Up"),
        ("F9", "F9"),
    ],
)
def test_keys_as_the_specification_writes_them(keys: str, text: str) -> None:
    """XDG shortcuts: modifiers in capitals, then the name of the keysym."""
    read = Keys.read(keys)
    assert read is not None
    assert trigger(read) == text
