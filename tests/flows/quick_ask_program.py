"""Quick-ask with its hotkey, put together as the tray app does it, for tests on a virtual desktop.

Run as `python -m tests.flows.quick_ask_program PROFILE [KEYS [ANSWER]]`; no tray and no other window is
there, and with an ANSWER a model that always says so. It prints a JSON line for each fact; `at_s` is the
monotonic clock, which all processes share. A line on stdin is done: `toggle`, `text`, `where NAME` (of a
widget: its middle on the screen), `settings KEYS`, `quit`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import structlog
from PySide6.QtCore import QEvent, QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app import build_core
from desktop.chat.attachments import Draft
from desktop.chat.rules import Rules
from desktop.engine.engine import Engine
from desktop.paths import Paths, resources
from desktop.qt.background import Background, EngineThread
from desktop.qt.relay import Relay
from desktop.sandbox.confinement import available
from desktop.settings import WindowSettings
from desktop.system.clipboard import QtClipboard
from desktop.system.hotkey.global_hotkey import GlobalHotkey, grabber
from desktop.system.hotkey.previous_window import has_compositor, previous_window
from desktop.system.main_thread import MainThread
from desktop.system.screen import QtScreen
from desktop.tools.calculator import Calculator
from desktop.tools.ocr import Ocr
from desktop.tools.units import read_units
from desktop.ui.application import Application
from desktop.ui.chat.services import ChatServices
from desktop.ui.quick_ask.context import ContextSources
from desktop.ui.quick_ask.quick_ask import QuickAsk
from desktop.ui.region_picker import RegionPicker
from desktop.ui.theme import Theme
from tests.fakes.scripted_model import ScriptedBackend, installed

COMMAND = "steward toggle-quick-ask"


def say(**fact: object) -> None:
    """Every fact has its moment."""
    sys.stdout.write(json.dumps(fact | {"at_s": time.perf_counter()}) + "\n")
    sys.stdout.flush()


class Watch(QObject):
    """Tells when the window is painted and has the focus in its field, and when it is hidden."""

    def __init__(self, window: QWidget, field: QWidget) -> None:
        super().__init__()
        self._window, self._field = window, field
        self._said = self._painted = True
        window.installEventFilter(self)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        kind = event.type()
        if watched is self._window and kind == QEvent.Type.Show:
            self._said = self._painted = False
        elif watched is self._window and kind == QEvent.Type.Hide:
            say(hidden=True)
        elif watched is self._window and kind == QEvent.Type.Paint:
            self._painted = True
        if kind in (QEvent.Type.FocusIn, QEvent.Type.Paint, QEvent.Type.WindowActivate):
            QTimer.singleShot(0, self, self._look)  # after what this event still leads to
        return False

    def _look(self) -> None:
        ready = self._painted and self._window.isActiveWindow() and self._field.hasFocus()
        if not self._said and ready and self._window.isVisible():
            self._said = True
            place = self._window.frameGeometry()
            say(ready=[place.x(), place.y(), place.width(), place.height()])


def whole(draft: Draft) -> str:
    """What was typed, and the texts that go along."""
    return "\n\n".join(part for part in (draft.text, *(each.text for each in draft.attachments)) if part)


def middle_of(name: str) -> list[int]:
    """Of the widget that is called so; [] where none is shown."""
    shown = (each for each in QApplication.allWidgets() if each.objectName() == name and each.isVisible())
    found = next(shown, None)
    middle = found.mapToGlobal(found.rect().center()) if found is not None else None
    return [middle.x(), middle.y()] if middle is not None else []


def main(profile: str, keys: str = WindowSettings().hotkey, answer: str = "") -> int:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    app = Application()
    core = build_core(Paths.under(Path(profile)))
    if answer:
        model = core.settings.current.model
        core.engine = Engine(core.paths, core.bus, lambda: model, ScriptedBackend(answer))
    relay, background = Relay(core.bus), Background()
    engine_thread = EngineThread(core.engine)
    engine_thread.start()
    models = core.library.installed()
    core.engine.use(installed(core.paths.data, "scripted") if answer else next(iter(models), None))
    Theme(app, core.settings.current.window.theme)
    main_thread = MainThread()
    core.clipboard = QtClipboard(main_thread)
    core.screen = QtScreen(main_thread, lambda picture, done: RegionPicker(picture, done).open())
    rules = Rules(Calculator(read_units(resources() / "units.toml")))
    around = ContextSources(
        background, core.clipboard, core.screen, Ocr(lambda: available().best), None, has_compositor()
    )
    ask = QuickAsk(
        ChatServices(core.store, core.turns, core.engine, core.settings, relay, background),
        *(rules.answer, around, previous_window()),
    )
    hotkey = GlobalHotkey(grabber("steward"), COMMAND)
    hotkey.state_changed.connect(
        lambda state: say(works=state.works, words=str(state.words), step=str(state.next_step or ""))
    )
    hotkey.pressed.connect(lambda _press: say(pressed=True))
    hotkey.pressed.connect(ask.toggle)
    hotkey.problem.connect(lambda state: say(problem=str(state.words), step=str(state.next_step or "")))
    ask.window_requested.connect(lambda number, draft: say(window=number, draft=whole(draft)))
    ask.page_requested.connect(lambda page: say(page=page))
    ask.finished_hidden.connect(lambda title, text: say(finished=title, text=text))
    watch = Watch(ask.window, ask.window.field)
    ask.prepare()
    hotkey.use(keys)

    def on_line() -> None:
        for line in os.read(sys.stdin.fileno(), 4096).decode().splitlines() or ["quit"]:
            obey(*line.split(" ", 1))

    def obey(verb: str, rest: str = "") -> None:
        if verb == "text":
            say(draft=whole(ask.window.draft()))
        elif verb == "where":
            say(where=middle_of(rest))
        elif verb == "toggle":
            ask.toggle()
        elif verb == "settings":
            hotkey.use(rest)
        else:
            app.exit()

    reader = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    reader.activated.connect(on_line)
    say(started=True)
    app.exec()
    reader.setEnabled(False)
    hotkey.close()
    watch.deleteLater()
    core.stop()
    relay.close()
    background.close()
    engine_thread.close()
    core.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
