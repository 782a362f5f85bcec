"""How smooth the chat window is: `python -m tests.bench.ui` prints JSON.

Two figures with the real window, store, turns and engine, and a scripted model: how long an input event
waits while an answer streams, and how long a conversation of 5,000 messages takes to its first picture.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from desktop.chat.messages import attach
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore, MessageStatus, Role
from desktop.chat.turns import Turns
from desktop.database import Connection, Database
from desktop.engine.engine import Engine
from desktop.events import Bus
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.settings import Theme as Mode
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.window import ChatWindow
from desktop.ui.theme import Theme
from tests.bench.machine import machine
from tests.fakes.scripted_model import ScriptedBackend
from tests.ui.chat.conftest import scripted_model
from tests.ui.chat.samples import LONG_ANSWER

RUNS = 5
ANSWER_CHARACTERS = 4_000
TOKEN_S = 0.010  # 100 tokens a second
MESSAGES = 5_000
STALL_LIMIT_MS, OPEN_LIMIT_MS, GROWTH_LIMIT_MB = 16.0, 300.0, 50.0


@dataclass
class Bench:
    app: QApplication
    window: ChatWindow
    store: ChatStore
    database: Database
    backend: ScriptedBackend


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # stdout is for the JSON
    before = machine()
    with tempfile.TemporaryDirectory() as folder, _bench(Paths.under(Path(folder))) as bench:
        stalls = [_stall_ms(bench) for _ in range(RUNS)]
        opened = _opening(bench)
    figures = {
        "stall_p99_ms": _figure([run["p99"] for run in stalls], STALL_LIMIT_MS),
        "stall_worst_ms": [run["worst"] for run in stalls],
        "tokens_per_s": [run["tokens_per_s"] for run in stalls],
        "open_5000_ms": _figure(opened["ms"], OPEN_LIMIT_MS),
        "open_5000_growth_mb": _figure(opened["growth_mb"], GROWTH_LIMIT_MB),
    }
    json.dump({"bench": "ui", "machine": before, "runs": RUNS, **figures}, sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


def _figure(runs: list[float], limit: float) -> dict[str, object]:
    median = round(statistics.median(runs), 2)
    return {"median": median, "limit": limit, "reached": median <= limit, "runs": runs}


@contextmanager
def _bench(paths: Paths) -> Iterator[Bench]:
    app = QApplication([])
    bus = Bus()
    database = Database(paths.database, MIGRATIONS)
    store = ChatStore(database)
    backend = ScriptedBackend(answers=_answer(), token_s=TOKEN_S)
    settings = SettingsFile(paths.settings, bus)
    settings.change("model", "max_answer_tokens", 4096)
    settings.change("model", "context_tokens", 131_072)
    engine = Engine(paths, bus, lambda: settings.current.model, backend)
    engine.use(scripted_model(paths.models / "scripted.gguf"))
    owner = threading.Thread(target=engine.run, name="engine")
    owner.start()
    turns = Turns(store, engine, bus, lambda: settings.current)
    relay, background = Relay(bus), Background()
    Theme(app, Mode.LIGHT)
    services = ChatServices(store, turns, engine, settings, relay, background)
    window = ChatWindow(services, paths.config / "window.json")
    window.resize(1080, 760)
    window.show()
    _run_for(0.3)
    yield Bench(app, window, store, database, backend)
    relay.close()
    background.close()
    engine.close()
    owner.join()
    database.close()


def _answer() -> str:
    text = LONG_ANSWER * (ANSWER_CHARACTERS // len(LONG_ANSWER) + 1)
    return text[:ANSWER_CHARACTERS]


def _run_for(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


# -- streaming ------------------------------------------------------------------------------------


class Heartbeat(QObject):
    """Ticks every millisecond; a gap between two ticks is time in which an event would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps_ms: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def waits_ms(self) -> list[float]:
        """How long events would have waited that came at every full millisecond."""
        return sorted(gap - passed for gap in self.gaps_ms for passed in range(int(gap) + 1))

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1000)
        self._last = now


def _stall_ms(bench: Bench) -> dict[str, float]:
    """Waits while one answer of 4,000 characters streams into a new conversation."""
    bench.window.new_chat()
    _run_for(0.2)
    heartbeat = Heartbeat()
    loop = QEventLoop()
    bench.window.controller.busy_changed.connect(lambda busy: None if busy else loop.quit())
    started = time.perf_counter()
    bench.window.new_chat("How do I read a file?")
    loop.exec()
    seconds = time.perf_counter() - started
    heartbeat.stop()
    answer = bench.window.pane.transcript.messages[-1]
    assert answer.status is MessageStatus.COMPLETE, answer.status
    assert len(answer.text) == ANSWER_CHARACTERS
    waits = heartbeat.waits_ms()
    return {
        "p99": round(waits[int(len(waits) * 0.99)], 2),
        "worst": round(waits[-1], 2),
        "tokens_per_s": round(answer.answer_tokens / seconds, 1),
    }


# -- opening --------------------------------------------------------------------------------------


class FirstPaint(QObject):
    """Knows when the transcript has painted."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.at: float | None = None
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint and self.at is None:
            self.at = time.perf_counter()
        return False


def _opening(bench: Bench) -> dict[str, list[float]]:
    """Milliseconds to the first painted picture of a long conversation, and what memory it took."""
    conversation = _long_conversation(bench)
    result: dict[str, list[float]] = {"ms": [], "growth_mb": []}
    for _ in range(RUNS):
        bench.window.new_chat()
        _run_for(0.5)
        before = psutil.Process().memory_full_info().uss
        result["ms"].append(_time_to_paint(bench, conversation))
        _run_for(1.0)  # the widgets around the visible part are made in pieces
        result["growth_mb"].append(round((psutil.Process().memory_full_info().uss - before) / 1e6, 1))
    return result


def _time_to_paint(bench: Bench, conversation: int) -> float:
    canvas = bench.window.pane.transcript._canvas
    paint = FirstPaint(canvas)
    started = time.perf_counter()
    bench.window.open_conversation(conversation)
    while paint.at is None:
        QCoreApplication.processEvents()
    canvas.removeEventFilter(paint)
    # The event comes before the painting of the children; the pass it belongs to has ended here.
    return round((time.perf_counter() - started) * 1000, 1)


def _long_conversation(bench: Bench) -> int:
    conversation = bench.store.create("A long one").id
    answers = [LONG_ANSWER, "A short answer.", LONG_ANSWER[:700]]

    def insert(connection: Connection) -> None:
        now = time.time()
        rows = [
            (conversation, Role.USER, f"Question number {n}?", "complete", now)
            if n % 2 == 0
            else (conversation, Role.ASSISTANT, answers[n % len(answers)], "complete", now)
            for n in range(MESSAGES)
        ]
        parent = None
        for row in rows:
            made = connection.execute(
                "INSERT INTO messages (conversation_id, role, text, status, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                row,
            ).lastrowid
            assert made is not None
            attach(connection, made, parent)
            parent = made

    bench.database.write(insert)
    assert bench.store.message_count(conversation) == MESSAGES
    assert bench.store.messages(conversation, limit=1)  # else nothing would ever be painted
    return conversation


if __name__ == "__main__":
    sys.exit(main())
