"""Notifications through a real service on a private session bus, and without one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PySide6", reason="notifications are the desktop's")
if sys.platform != "linux" or shutil.which("dbus-daemon") is None:
    pytest.skip("needs a D-Bus daemon", allow_module_level=True)
from pytestqt.qtbot import QtBot

from desktop.system.notifier import OPENED, BusNotifier, Notification, QuietNotifier, TrayNotifier, notifier

ROOT = Path(__file__).resolve().parents[2]
ACTIONS = (("done", "Done"), ("later", "Snooze 10 minutes"))


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """A session bus of its own."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert daemon.stdout is not None
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.stdout.readline().strip())
    yield daemon
    daemon.terminate()
    daemon.communicate()


class Service:
    """The notification service: what it was told, and the buttons that somebody presses."""

    def __init__(self, abilities: tuple[str, ...]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.notification_service", *abilities],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.next() == {"ready": True}

    def next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def press(self, what: str, action: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what} {action}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def service(bus: object, request: pytest.FixtureRequest) -> Iterator[Service]:
    made = Service(getattr(request, "param", ("actions", "body", "body-markup")))
    yield made
    made.close()


class Said(list[tuple[str, str]]):
    def __call__(self, title: str, text: str) -> None:
        self.append((title, text))


@pytest.fixture
def said() -> Said:
    """What the tray said."""
    return Said()


@pytest.fixture
def shown(bus: object, qapp: object, said: Said) -> Iterator[BusNotifier]:
    made = notifier(said)
    assert isinstance(made, BusNotifier)
    yield made
    made.close()


def _told(qtbot: QtBot, service: Service) -> dict[str, Any]:
    """The next call that the service got, while the notifier goes on."""
    got: list[dict[str, Any]] = []
    reader = threading.Thread(target=lambda: got.append(service.next()))
    reader.start()
    qtbot.waitUntil(lambda: not reader.is_alive(), timeout=10_000)
    return got[0]


def test_a_button_comes_back(qtbot: QtBot, service: Service, shown: BusNotifier, said: Said) -> None:
    """With the notification that it belongs to; a click beside the buttons is OPENED."""
    chosen: list[tuple[str, str]] = []
    for key in ("1", "2"):
        shown.show(
            Notification(key, "Reminder", "<b> & co", ACTIONS),
            lambda action, key=key: chosen.append((key, action)),
        )
    first, second = _told(qtbot, service), _told(qtbot, service)
    assert first["actions"] == ["default", "Open", "done", "Done", "later", "Snooze 10 minutes"]
    assert first["body"] == "&lt;b&gt; &amp; co"
    qtbot.waitUntil(lambda: shown.is_shown("2"))
    service.press(str(second["number"]), "later")
    service.press(str(first["number"]), "default")
    service.press("99", "done")
    qtbot.waitUntil(lambda: len(chosen) == 2)
    assert chosen == [("2", "later"), ("1", OPENED)]
    assert said == []


def test_one_takes_the_place_of_the_other(qtbot: QtBot, service: Service, shown: BusNotifier) -> None:
    """The same key is the same notification, until it is closed or withdrawn."""
    numbers = []
    for _ in range(2):
        shown.show(Notification("1", "Reminder", "milk"), print)
        numbers.append(_told(qtbot, service)["number"])
        qtbot.waitUntil(lambda: shown.is_shown("1"))
    assert numbers == [1, 1]
    service.press("close", "1")
    qtbot.waitUntil(lambda: not shown.is_shown("1"))
    shown.show(Notification("1", "Reminder", "milk"), print)
    assert _told(qtbot, service)["number"] == 2
    qtbot.waitUntil(lambda: shown.is_shown("1"))
    shown.withdraw("1")
    assert _told(qtbot, service) == {"withdrawn": 2}
    shown.withdraw("1")


@pytest.mark.parametrize("service", [("body",)], indirect=True)
def test_a_service_without_buttons(qtbot: QtBot, service: Service, shown: BusNotifier) -> None:
    """Gets none, and the text as it is."""
    shown.show(Notification("1", "Reminder", "<b> & co", ACTIONS), print)
    told = _told(qtbot, service)
    assert (told["actions"], told["body"]) == ([], "<b> & co")


def test_without_a_service_the_tray_speaks(qtbot: QtBot, shown: BusNotifier, said: Said) -> None:
    """And again with the next one: a service may come late."""
    for count in (1, 2):
        shown.show(Notification("1", "Reminder", "milk", ACTIONS), print)
        qtbot.waitUntil(lambda count=count: len(said) == count)
    assert said == [("Reminder", "milk")] * 2


def test_what_others_write_is_no_mark_up_in_a_plain_one(
    qtbot: QtBot, service: Service, shown: BusNotifier, said: Said
) -> None:
    """A link or bold words of an agent are shown as they are written; a click on it is told."""
    opened: list[bool] = []
    shown.say("Codex says", "<b>Steward</b> <a href='x'>allow</a>", lambda: opened.append(True), said.clear)
    told = _told(qtbot, service)
    assert told["body"] == "&lt;b&gt;Steward&lt;/b&gt; &lt;a href='x'&gt;allow&lt;/a&gt;"
    qtbot.waitUntil(lambda: shown.is_shown("said 1"))
    service.press(str(told["number"]), "default")
    qtbot.waitUntil(lambda: bool(opened))


def test_a_plain_one_that_nobody_shows_goes_another_way(qtbot: QtBot, shown: BusNotifier, said: Said) -> None:
    """The way that its sender names, not that of reminders."""
    otherwise: list[str] = []
    shown.say("Codex says", "Done", lambda: None, lambda: otherwise.append("by the icon"))
    qtbot.waitUntil(lambda: otherwise == ["by the icon"])
    assert said == []


def test_a_bus_that_goes_away(
    qtbot: QtBot, bus: subprocess.Popen[str], shown: BusNotifier, said: Said
) -> None:
    """The tray speaks from then on."""
    bus.terminate()
    bus.wait(10)
    qtbot.waitUntil(lambda: shown.is_closed, timeout=10_000)
    shown.show(Notification("1", "Reminder", "milk"), print)
    assert said == [("Reminder", "milk")]


def test_without_a_bus(qapp: object, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    """The tray it is."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all")
    made = notifier(said)
    assert isinstance(made, TrayNotifier)
    made.show(Notification("1", "Reminder", "milk"), print)
    made.withdraw("1")
    made.close()
    assert said == [("Reminder", "milk")]


def test_a_quiet_one_shows_only_what_is_wanted_at_that_moment() -> None:
    """What is shown already can always be taken away."""
    heard: list[str] = []

    class Speaker:
        def show(self, notice: Notification, chosen: Callable[[str], None]) -> None:
            heard.append(notice.title)

        def withdraw(self, key: str) -> None:
            heard.append(f"gone: {key}")

    wanted = [False, True]
    quiet = QuietNotifier(Speaker(), lambda: wanted.pop(0))
    for title in ("first", "second"):
        quiet.show(Notification("k", title, ""), lambda _key: None)
    quiet.withdraw("k")
    assert heard == ["second", "gone: k"]
