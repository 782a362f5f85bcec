"""Types questions into the real window and prints how long each took to its suggestion, in ms, as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import structlog
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.app import build_core
from desktop.chat.rules import Rules
from desktop.paths import Paths, resources
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.tools.calculator import Calculator
from desktop.tools.units import read_units
from desktop.ui.chat.services import ChatServices
from desktop.ui.quick_ask.context import ContextSources
from desktop.ui.quick_ask.quick_ask import QuickAsk
from desktop.ui.theme import Theme
from tests.ui.quick_ask.conftest import Board, Focus

REPEATS = 5


def main(questions: list[str]) -> int:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        core = build_core(Paths.under(Path(folder)))
        owner = threading.Thread(target=core.engine.run, name="engine")
        owner.start()
        relay, background = Relay(core.bus), Background()
        rules = Rules(Calculator(read_units(resources() / "units.toml")))
        around = ContextSources(background, Board(), None, None)
        Theme(app, Mode.LIGHT)
        services = ChatServices(core.store, core.turns, core.engine, core.settings, relay, background)
        ask = QuickAsk(services, rules.answer, around, Focus())
        ask.show()
        QTest.qWait(200)
        times = [_type(ask, question) for _ in range(REPEATS) for question in questions]
        relay.close()
        background.close()
        core.engine.close()
        owner.join()
        core.close()
    json.dump(times, sys.stdout)
    return 0


def _type(ask: QuickAsk, question: str) -> float:
    """The time that the last letter takes, with the suggestion painted."""
    field = ask.window.field
    field.clear()
    QTest.keyClicks(field, question[:-1])
    QCoreApplication.processEvents()
    started = time.perf_counter()
    QTest.keyClick(field, question[-1], Qt.KeyboardModifier.NoModifier)
    ask.window.repaint()
    QCoreApplication.processEvents()
    seconds = time.perf_counter() - started
    if not ask.window.suggestions.rows:
        raise AssertionError(f"no rule answers {question!r}")
    return seconds * 1000


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
