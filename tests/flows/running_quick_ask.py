"""Quick-ask running on a virtual desktop beside another program's window, and a keyboard of the X server."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.flows.desktop_session import ROOT, DesktopSession, wait_for
from tests.flows.other_window import TITLE as TERMINAL

KEYSYMS = {"Control_L": 0xFFE3, "Shift_L": 0xFFE1, "space": 0x20}
HOTKEY = ("Control_L", "Shift_L", "space")


class Keyboard:
    """Presses keys through the X server, as a real keyboard would."""

    def __init__(self, display: str) -> None:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._xtst = ctypes.CDLL("libXtst.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(display.encode()))
        self._codes = {
            name: self._x11.XKeysymToKeycode(self._display, ctypes.c_ulong(sym))
            for name, sym in KEYSYMS.items()
        }

    def press(self, *names: str, hold_s: float = 0.03) -> float:
        """Down and up again; the moment before the last key went down."""
        for name in names[:-1]:
            self._fake(name, True)
        self._x11.XSync(self._display, 0)
        moment = time.perf_counter()
        self._fake(names[-1], True)
        self._x11.XFlush(self._display)
        time.sleep(hold_s)  # as long as a finger stays
        for name in reversed(names):
            self._fake(name, False)
        self._x11.XSync(self._display, 0)
        return moment

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)

    def _fake(self, name: str, down: bool) -> None:
        self._xtst.XTestFakeKeyEvent(self._display, self._codes[name], int(down), ctypes.c_ulong(0))


@dataclass
class Program:
    """The running program and what it says."""

    process: subprocess.Popen[str]
    facts: list[dict[str, Any]] = field(default_factory=list)

    def count(self, name: str) -> int:
        return sum(name in fact for fact in self.facts)

    def next(self, name: str, seen: int) -> dict[str, Any]:
        """The fact after the first `seen` of that name."""
        found = wait_for(lambda: [f for f in self.facts if name in f][seen:], name, 60)
        return dict(found[0])

    def settle(self) -> None:
        """Until nothing more was said for two seconds: what follows a press comes after it."""
        said = -1
        while said < len(self.facts):
            said = len(self.facts)
            time.sleep(2)

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


@contextmanager
def program(session: DesktopSession, profile: Path, *more: str) -> Iterator[Program]:
    """The program with its hotkey, ready."""
    command = [sys.executable, "-m", "tests.flows.quick_ask_program", str(profile), *more]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=session.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    running = Program(process)

    def read() -> None:
        assert process.stdout is not None
        running.facts.extend(json.loads(line) for line in process.stdout)

    reader = threading.Thread(target=read, name="program reader", daemon=True)
    reader.start()
    try:
        running.next("started", 0)
        yield running
    finally:
        running.tell("quit")
        process.wait(20)
        reader.join(10)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


@contextmanager
def terminal(session: DesktopSession) -> Iterator[str]:
    """A window of another program, with the focus."""
    window = subprocess.Popen(
        [sys.executable, "-m", "tests.flows.other_window"],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield session.activate_window(TERMINAL)
    finally:
        window.terminate()
        window.wait(10)
