"""Quick-ask on a real store, real turns and rules, with a scripted model behind the real engine."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.rules import Rules
from desktop.chat.store import ChatStore
from desktop.chat.turns import Turns, TurnSupport
from desktop.engine.engine import Engine
from desktop.events import Bus
from desktop.paths import Paths, resources
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.tools.calculator import Calculator
from desktop.tools.clipboard import Clip
from desktop.tools.ocr import Ocr
from desktop.tools.screen import Picture
from desktop.tools.units import read_units
from desktop.ui.chat.services import ChatServices
from desktop.ui.quick_ask.context import ContextSources
from desktop.ui.quick_ask.quick_ask import QuickAsk
from desktop.ui.theme import Theme
from tests.fakes.scripted_model import ScriptedBackend
from tests.ui.chat.conftest import scripted_model, store, theme

__all__ = ["store", "theme"]


@dataclass
class Board:
    """A clipboard whose every reading is counted."""

    clip: Clip = field(default_factory=Clip)
    reads: int = 0

    def read(self) -> Clip:
        self.reads += 1
        return self.clip

    def write(self, text: str) -> None:
        self.clip = Clip(text)


@dataclass
class Now:
    """Seconds that pass when a test says so."""

    at: float = 1000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Focus:
    """Notes what was asked of the window system."""

    calls: list[str] = field(default_factory=list)
    token: str = ""

    def remember(self, own: int) -> None:
        self.calls.append("remember")

    def give_back(self) -> None:
        self.calls.append("give back")

    def bring(self, own: int, activation_token: str) -> None:
        self.calls.append("bring")
        self.token = activation_token


@dataclass
class OneScreen:
    """A screen on which the user marks what the test says."""

    picture: Picture | None = None
    error: Exception | None = None

    def grab(self) -> Picture:
        raise NotImplementedError

    def choose(self, timeout_s: float) -> Picture | None:
        if self.error is not None:
            raise self.error
        return self.picture


class FakeOcr(Ocr):
    """Reads what the test says."""

    def __init__(self, text: str = "", here: bool = True) -> None:
        self.text, self.here = text, here

    @property
    def is_here(self) -> bool:
        return self.here

    def read(self, picture: bytes, on_start: Callable[..., None] = lambda _child: None) -> str:
        return self.text


@dataclass
class Quick:
    """Everything that a test of Quick-ask may want to touch."""

    ask: QuickAsk
    store: ChatStore
    turns: Turns
    engine: Engine
    settings: SettingsFile
    backend: ScriptedBackend
    board: Board
    screen: OneScreen
    ocr: FakeOcr
    focus: Focus
    clock: Now
    theme: Theme
    bus: Bus
    paths: Paths
    qtbot: QtBot
    elsewhere: QWidget

    def show(self) -> None:
        """Press the hotkey, and wait until the window has the keyboard."""
        self.ask.toggle()
        self.qtbot.waitUntil(self.ask.window.isActiveWindow)

    def type(self, text: str) -> None:
        self.qtbot.keyClicks(self.ask.window.field, text)

    def use_model(self) -> None:
        self.engine.use(scripted_model(self.paths.models / "scripted.gguf"))

    def send(self, text: str) -> None:
        """Ask and wait for the whole answer."""
        with self.qtbot.waitSignal(self.ask.turn_over, timeout=10_000):
            self.ask.window.field.setPlainText(text)
            self.ask.window.send_wanted.emit()
        self.settle()

    def settle(self) -> None:
        for _ in range(200):
            QCoreApplication.processEvents()
            if not self.ask.window.transcript._fill_timer.isActive():
                return


@pytest.fixture
def quick(paths: Paths, bus: Bus, theme: Theme, store: ChatStore, qtbot: QtBot) -> Iterator[Quick]:
    backend = ScriptedBackend()
    settings = SettingsFile(paths.settings, bus)
    engine = Engine(paths, bus, lambda: settings.current.model, backend)
    owner = threading.Thread(target=engine.run, name="engine", daemon=True)
    owner.start()
    rules = Rules(Calculator(read_units(resources() / "units.toml")))
    turns = Turns(store, engine, bus, lambda: settings.current, support=TurnSupport(rules.ruled))
    relay, background = Relay(bus), Background()
    board, screen, ocr, focus, clock = Board(), OneScreen(), FakeOcr(), Focus(), Now()
    surroundings = ContextSources(background, board, screen, ocr)
    services = ChatServices(store, turns, engine, settings, relay, background)
    ask = QuickAsk(services, rules.answer, surroundings, focus, clock=clock)
    elsewhere = _another_window(qtbot)
    yield Quick(
        *(ask, store, turns, engine, settings, backend, board, screen, ocr, focus),
        *(clock, theme, bus, paths, qtbot, elsewhere),
    )
    turns.stop_all()
    relay.close()
    background.close()
    engine.close()
    owner.join()
    QCoreApplication.processEvents()  # what the pool had still to say
    for window in (ask.window, elsewhere):
        window.hide()
        window.deleteLater()
    ask.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QGuiApplication.clipboard().clear()
    gc.collect()


def _another_window(qtbot: QtBot) -> QWidget:
    """Something of another program would have the focus; here it is one more window."""
    window = QLineEdit()
    window.show()
    qtbot.waitExposed(window)
    return window


@pytest.fixture
def app(qapp: QApplication) -> QApplication:
    return qapp
