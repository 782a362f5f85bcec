"""A real window on a real store, with a scripted model behind the real engine."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore
from desktop.chat.tool_mode import ToolRuntime
from desktop.chat.turns import Turns
from desktop.database import Database
from desktop.engine.engine import Engine
from desktop.events import Bus
from desktop.models.library import InstalledModel
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.settings import Theme as Mode
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.window import ChatWindow
from desktop.ui.theme import Theme
from tests.fakes.scripted_model import ScriptedBackend, installed


@dataclass
class Desk:
    """Everything that a test of the window may want to touch."""

    window: ChatWindow
    store: ChatStore
    turns: Turns
    engine: Engine
    backend: ScriptedBackend
    settings: SettingsFile
    theme: Theme
    bus: Bus
    paths: Paths
    qtbot: QtBot
    today: date

    def settle(self) -> None:
        """Let queued events and the making of widgets run."""
        for _ in range(200):
            QCoreApplication.processEvents()
            if not self.window.pane.transcript._fill_timer.isActive():
                return

    def use_model(self) -> None:
        """Choose the scripted model; it is loaded when first asked."""
        self.engine.use(scripted_model(self.paths.models / "scripted.gguf"))


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Mode.LIGHT)
    yield theme
    theme.set_mode(Mode.SYSTEM)
    theme.deleteLater()


@pytest.fixture
def store(paths: Paths) -> Iterator[ChatStore]:
    database = Database(paths.database, MIGRATIONS)
    yield ChatStore(database)
    database.close()


@pytest.fixture
def acting() -> ToolRuntime | None:
    """A module whose tests use tools has a fixture of this name."""
    return None


@pytest.fixture
def desk(
    paths: Paths, bus: Bus, theme: Theme, store: ChatStore, qtbot: QtBot, acting: ToolRuntime | None
) -> Iterator[Desk]:
    backend = ScriptedBackend()
    settings = SettingsFile(paths.settings, bus)
    engine = Engine(paths, bus, lambda: settings.current.model, backend)
    owner = threading.Thread(target=engine.run, name="engine", daemon=True)
    owner.start()
    turns = Turns(store, engine, bus, lambda: settings.current, acting)
    relay, background = Relay(bus), Background()
    made: list[Desk] = []
    begin = date.today()  # for the whole test, which may run over midnight
    services = ChatServices(
        store, turns, engine, settings, relay, background, lambda: made[0].today if made else begin
    )
    window = ChatWindow(services, paths.config / "window.json")
    window.resize(1080, 760)
    show_active(window, qtbot)
    made.append(Desk(window, store, turns, engine, backend, settings, theme, bus, paths, qtbot, begin))
    yield made[0]
    turns.stop_all()
    relay.close()
    background.close()
    engine.close()
    owner.join()
    QCoreApplication.processEvents()  # what the pool had still to say
    window.hide()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def show_active(window: QWidget, qtbot: QtBot) -> None:
    """Show a window and wait until it has the keyboard, also on a screen without a window manager."""
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def scripted_model(path: Path) -> InstalledModel:
    """An entry of the library for a model that only the scripted backend can load."""
    return replace(installed(path.parent, "scripted"), name="Scripted 1B Q4")


@pytest.fixture
def holder(theme: Theme, qtbot: QtBot) -> Iterator[QWidget]:
    """A shown window for the part that is looked at."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(800, 900)
    show_active(made, qtbot)
    yield made
    made.close()
