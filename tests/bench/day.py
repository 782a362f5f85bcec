"""`dev.py bench day`: eight hours of use, compressed: what is never given back shows.

    dev.py bench day [--hours N | --minutes M [--share 0.3]] [--model FILE.gguf]

The program as the tray app puts it together, offscreen, with a scripted model (or a real one): in each hour
50 questions through the chat window, 250 hooks of another process through the real server, 25 times the
windows opened and closed, Quick-ask among them, ten calls of tools that look something up, five pages of the
web, one of which is made to hurt, and an extension that is switched on, asked and switched off. Of ten calls
of the agent the end of nine is told, with the line that was answered, and one is interrupted. After each hour
memory, open files, threads, timers and widgets are counted. To reach: memory, whole and anonymous, grows by
less than 20 MB after the first hour's worth, and of the others nothing grows. Prints JSON.

With --minutes as many such hours as fit into that time: the soak. It is counted each minute as well, wherever
the hour stands then, and told on stderr as it goes; `slopes` says what each count gains in an hour of the
clock, by least squares over what was counted after --settling minutes. --share keeps what the program and its
children take below that part of one processor.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.errors import UserFacing
from desktop.extensions.chain import About
from desktop.extensions.manifest import Hook
from desktop.network import WebPage
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.tools.fetch_page import read
from tests.bench.machine import anonymous_bytes, machine, own_memory_bytes
from tests.extensions.world import package
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.ports import free_port

HOURS, QUESTIONS, HOOKS, CYCLES, PAGES = 8, 50, 250, 25, 5
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("recall_notes", {"query": "the sea"}),
    ("list_reminders", {}),
) * 5
LIMIT_MB = 20.0
STEADY = ("files", "threads", "timers", "widgets", "children")  # must not grow after the first hour
CODE, TABLE = "```python\nprint('light')\n```", "| a | b |\n|---|---|\n| 1 | 2 |"
EXTENSION = "def on_plain_text(text, context):\n    return text.upper()\n"
ANSWER = f"The **lighthouse** stood there, as it had for years.\n\n{CODE}\n\n{TABLE}\n"
COMMANDS = ("ls -la", "git status", "cat README.md", "grep -rn light src", "pytest -q", "wc -l notes.txt")
LOAD = """
import http.client, json, sys
port, token, count, start = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
commands = json.loads(sys.argv[5])
line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
wrong = 0
def tell(event, call, command, **more):
    body = json.dumps({"session_id": f"s{call // 25}", "cwd": "/tmp", "permission_mode": "default",
        "hook_event_name": event, "tool_name": "Bash", "tool_use_id": f"t{call}",
        "tool_input": {"command": command}, **more})
    line.request("POST", "/hooks/claude-code", body,
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    answer = line.getresponse()
    return answer.status, answer.read()
for call in range(start // 2, (start + count) // 2):
    command = commands[call % len(commands)]
    status, said = tell("PreToolUse", call, command)
    wrong += status != 200
    told = json.loads(said)["hookSpecificOutput"] if said else {}
    command = told.get("updatedInput", {}).get("command", command)
    # Of ten calls one is interrupted: its end is never told, and its session does not end either.
    if call % 10 < 9:
        wrong += tell("PostToolUse", call, command, tool_response={"stdout": "x"})[0] != 200
print(wrong)
"""


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=int, default=HOURS)
    parser.add_argument("--minutes", type=float, help="go on for so long, whatever the hours")
    parser.add_argument("--share", type=float, default=1.0, help="of one processor, at most")
    parser.add_argument("--settling", type=float, default=30.0, help="minutes that no slope counts")
    parser.add_argument("--model", type=Path, help="a real GGUF file instead of the script")
    options = parser.parse_args(words)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    before = machine()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        pace = Pace(options.share, 60.0 if options.minutes else None)
        day = Day(Path(folder), options.model, pace, ending)
        hours = [day.hour(number) for number in wanted(options.hours, options.minutes)]
    grown = {name: round(hours[-1][name] - hours[0][name], 1) for name in ("memory_mb", "anonymous_mb")}
    leaked = {name: hours[-1][name] - hours[0][name] for name in STEADY if hours[-1][name] > hours[0][name]}
    found = {
        "bench": "day",
        "machine": before,
        "took_s": round(time.monotonic() - begun),
        "processor_share": round(pace.share_so_far(), 3),
        "slopes": slopes([each for each in pace.samples if each["minute"] >= options.settling]),
        "memory_grown_mb": grown["memory_mb"],
        "anonymous_grown_mb": grown["anonymous_mb"],
        "limit_mb": LIMIT_MB,
        "leaked": leaked,
        "reached": max(grown.values()) < LIMIT_MB and not leaked,
        "hours": hours,
        "minutes": pace.samples,
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return 0


def wanted(hours: int, minutes: float | None) -> Iterator[int]:
    """The numbers of the hours; with `minutes` at least two of them."""
    until = time.monotonic() + 60 * (minutes or 0)
    for number in itertools.count():
        if number >= (hours if minutes is None else 2) and time.monotonic() >= until:
            return
        yield number


def slopes(samples: Sequence[dict[str, Any]]) -> dict[str, float]:
    """What each count gains in sixty minutes, by least squares; empty below three samples."""
    if len(samples) < 3:
        return {}
    minutes = [each["minute"] for each in samples]
    return {
        name: round(60 * statistics.linear_regression(minutes, [each[name] for each in samples]).slope, 2)
        for name in ("memory_mb", "anonymous_mb", "python_objects", *STEADY)
    }


class Pace:
    """Keeps to a share of one processor, and knows when to count again. Main thread."""

    def __init__(self, share: float, every_s: float | None) -> None:
        """`every_s`: how often is counted in the midst of an hour; None never."""
        self.samples: list[dict[str, Any]] = []
        self._share = share
        self._every_s = every_s
        self._begun_s = time.monotonic()
        self._spent_before_s = self._spent_s()

    def share_so_far(self) -> float:
        return (self._spent_s() - self._spent_before_s) / max(0.001, time.monotonic() - self._begun_s)

    def rest_s(self) -> float:
        """How long to wait until no more than the share has been taken."""
        spent_s = self._spent_s() - self._spent_before_s
        return max(0.0, spent_s / self._share - (time.monotonic() - self._begun_s))

    def note(self, counted: Callable[[], dict[str, Any]]) -> None:
        """One more sample, once it is time for it."""
        passed_s = time.monotonic() - self._begun_s
        if self._every_s is None or passed_s < self._every_s * (len(self.samples) + 1):
            return
        sample = {"minute": round(passed_s / 60, 1), **counted()}
        self.samples.append(sample)
        sys.stderr.write(json.dumps(sample) + "\n")
        sys.stderr.flush()

    def _spent_s(self) -> float:
        """Of this process and of the children that have ended."""
        return float(sum(psutil.Process().cpu_times()[:4]))


class Day:
    """The program without a screen, and somebody who uses it. Main thread."""

    def __init__(self, folder: Path, model: Path | None, pace: Pace, ending: ExitStack) -> None:
        from PySide6.QtWidgets import QApplication

        from desktop.app import build_core
        from desktop.app.project_parts import executor_in
        from desktop.paths import Paths

        self.app = QApplication.instance() or QApplication([])
        self.core = build_core(Paths.under(folder / "profile"))
        self._pace = pace
        self._set_up(folder, model)
        self._build(ending)
        self._answer_hooks(ending)
        self._sent = 0
        self._wrong = 0
        self._fill_the_pool()
        # One for all hours, as the program has: each is kept until the end, where its calls are settled.
        self._executor = executor_in(self.core, self.core.workspace)
        chain = self.core.extensions
        self._extension = chain.registry.accept(
            chain.registry.install(package(folder / "upper", EXTENSION)).id, on=False
        ).id

    # -- putting it together ----------------------------------------------------------------------

    def _set_up(self, folder: Path, model: Path | None) -> None:
        from desktop.engine.engine import Engine

        core = self.core
        core.settings.change("chat", "workspace", str(folder / "workspace"))
        core.settings.change("hooks", "port", free_port())
        core.settings.change("model", "max_answer_tokens", 48)
        core.settings.change("model", "context_tokens", 2048)
        if model is None:
            settings = core.settings
            backend = ScriptedBackend(ANSWER)
            core.engine = Engine(core.paths, core.bus, lambda: settings.current.model, backend)
            self._backend: ScriptedBackend | None = backend
            core.engine.use(installed(folder / "models"))
        else:
            self._backend = None
            core.engine.use(core.library.import_file(model))

    def _build(self, ending: ExitStack) -> None:
        from desktop.app.windows import DesktopServices, Windows
        from desktop.qt.background import Background, EngineThread
        from desktop.qt.relay import Relay
        from desktop.system.clipboard import QtClipboard
        from desktop.system.main_thread import MainThread
        from desktop.ui.pages.settings_file import SettingsWatch
        from desktop.ui.theme import Theme
        from desktop.ui.tray import Tray

        core = self.core
        ending.callback(core.close)
        self.theme = Theme(self.app)  # type: ignore[arg-type]  # a QApplication
        relay, background = Relay(core.bus), Background()
        self._background = background
        ending.callback(relay.close)
        thread = EngineThread(core.engine)
        thread.start()
        ending.callback(thread.close)
        ending.callback(background.close)
        ending.callback(core.stop)
        self._main_thread = MainThread()
        core.clipboard = QtClipboard(self._main_thread)
        watch = SettingsWatch(core.settings, background)
        ending.callback(watch.close)
        self.tray = Tray(look_every_ms=3_600_000)
        ending.callback(self.tray.close)
        windows = Windows(DesktopServices(core, relay, background, self.tray, ending), watch)
        self.desktop, self.quick = windows.desktop, windows.quick

    def _answer_hooks(self, ending: ExitStack) -> None:
        self.token = self.core.tokens.make("claude-code")
        self.core.answer_hooks()
        ending.callback(self.core.server.close)

    def _fill_the_pool(self) -> None:
        """All threads that the pool may have, each with its line to the database: one more is then a leak."""
        from desktop.qt.background import POOL_THREADS

        together = threading.Barrier(POOL_THREADS)

        def read() -> None:
            together.wait(30)
            self.core.store.conversations()

        for _ in range(POOL_THREADS):
            self._background.run(read)
        self._settle(1.0)

    # -- an hour ----------------------------------------------------------------------------------

    def hour(self, number: int) -> dict[str, Any]:
        """Use it for an hour, and count what it holds then."""
        hooks = self._hooks()
        self.desktop.show_chat()
        for question in range(QUESTIONS):
            self._ask(number, question)
            if question % (QUESTIONS // CYCLES) == 0:
                self._cycle(question)
            if question == QUESTIONS // 2:
                self._extend()
            self._settle(self._pace.rest_s(), pause_s=0.05)
            self._pace.note(lambda: self._counted(number))
        self._wait(lambda: hooks.poll() is not None, "the hooks")
        assert hooks.stdout is not None
        with hooks.stdout as out:
            self._wrong += int(out.read())
        self._call_tools(number)
        for page in range(PAGES):
            self._read(page)
        self._settle(1.0)
        return self._counted(number)

    def _read(self, number: int) -> None:
        """A page as the tool reads it, in a child of its own; the last one never ends by itself."""
        body = b"<p>word" * (500_000 if number == PAGES - 1 else 50)
        page = WebPage("https://example.org/", 200, "text/html", "utf-8", body)
        with contextlib.suppress(UserFacing):
            read(page, Parser(lambda: available().best))

    def _call_tools(self, hour: int) -> None:
        """As an answer calls them: each runs on a thread of its own, which ends."""
        from desktop.tools.calls import Call

        executor, over = self._executor, threading.Event()

        def call() -> None:
            for number, (name, arguments) in enumerate(CALLS):
                ended = executor.run(Call(f"{hour}.{number}", name, arguments), self.core.toolbox)
                self._wrong += ended.failure is not None
            over.set()

        self._background.run(call)
        self._wait(over.is_set, "the tools")

    def _extend(self) -> None:
        """An extension switched on, asked, and switched off: its child comes and goes."""
        chain = self.core.extensions
        chain.registry.set_on(self._extension, True)
        changed = chain.run(Hook.PLAIN, "the sea", About())
        self._wrong += changed.text != "THE SEA"
        chain.registry.set_on(self._extension, False)

    def _hooks(self) -> subprocess.Popen[str]:
        port = self.core.settings.current.hooks.port
        words = (str(port), self.token, str(HOOKS), str(self._sent), json.dumps(COMMANDS))
        self._sent += HOOKS
        return subprocess.Popen([sys.executable, "-c", LOAD, *words], stdout=subprocess.PIPE, text=True)

    def _ask(self, hour: int, number: int) -> None:
        from desktop.chat.events import TurnEnded, TurnFailed

        over = threading.Event()
        endings = [
            self.core.bus.subscribe(kind, lambda _event: over.set()) for kind in (TurnEnded, TurnFailed)
        ]
        text = f"Question {number} of hour {hour} about the sea and its lights?"
        chat = self.desktop.chat
        if number % 10 == 0:
            chat.new_chat(text)
        else:
            chat.pane.composer.set_text(text)
            self._press(chat.pane.composer.text)
        self._wait(over.is_set, f"the answer to {text}")
        for end in endings:
            end()
        self._settle(0.02)

    def _press(self, widget: Any) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        QTest.keyClick(widget, Qt.Key.Key_Return)

    def _cycle(self, number: int) -> None:
        """The chat and one page closed and opened, Quick-ask shown and hidden."""
        pages = self.desktop.pages
        titles = [entry.title for entry in pages._entries]
        self.desktop.show_page(titles[number % len(titles)])
        self._settle(0.05)
        pages.close()
        self.quick.ask.show()
        self._settle(0.02)
        self.quick.ask.hide(give_back=False)
        self.desktop.chat.close()
        self._settle(0.02)
        self.desktop.show_chat()

    def _wait(self, condition: Callable[[], bool], what: str, timeout_s: float = 120.0) -> None:
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited in vain for {what}")
            self._settle(0.005)

    def _settle(self, seconds: float, pause_s: float = 0.002) -> None:
        from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop

        deadline = time.monotonic() + seconds
        while True:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            if time.monotonic() >= deadline:
                return
            time.sleep(pause_s)

    # -- counting ---------------------------------------------------------------------------------

    def _counted(self, number: int) -> dict[str, Any]:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication

        if self._backend is not None:  # it writes down all that it was asked, which is no memory of ours
            self._backend.evaluated.clear()
            self._backend.prompts.clear()
            self._backend.read_ahead.clear()
        gc.collect()
        process = psutil.Process()
        application = self.app
        assert isinstance(application, QApplication)
        timers = [each for each in gc.get_objects() if isinstance(each, QTimer)]
        return {
            "hour": number + 1,
            "memory_mb": round(own_memory_bytes(process) / 1e6, 1),
            "anonymous_mb": round(anonymous_bytes(process) / 1e6, 1),
            "files": process.num_fds() if hasattr(process, "num_fds") else process.num_handles(),
            "threads": threading.active_count(),
            "timers": len(timers),
            "widgets": len(application.allWidgets()),
            "children": len(process.children()),
            "wrong": self._wrong,
            "python_objects": len(gc.get_objects()),
        }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
