"""A screen reader on a virtual desktop: what it is told by the program, over the real accessibility bus."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.flows.desktop_session import ROOT, DesktopSession, wait_for

PYTHON = "/usr/bin/python3"  # the system's, which has the bindings of AT-SPI
LISTENER = ROOT / "tests" / "flows" / "screen_reader.py"
AWAKE = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "NO_AT_BRIDGE": "0"}

Fact = dict[str, Any]


def is_there() -> bool:
    """Whether this machine has the accessibility bus and its bindings."""
    if not Path(PYTHON).exists():
        return False
    asks = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    return subprocess.run([PYTHON, "-c", asks], capture_output=True).returncode == 0


@dataclass
class Reader:
    """Collects what is heard; newest last."""

    listener: subprocess.Popen[str]
    heard: list[Fact] = field(default_factory=list)
    trees: queue.SimpleQueue[list[Fact]] = field(default_factory=queue.SimpleQueue)

    @property
    def focused(self) -> Fact:
        """What was said to have the keyboard last."""
        focus = [fact for fact in self.heard if fact.get("event", "").endswith("focused")]
        return focus[-1] if focus else {"name": "", "role": ""}

    @property
    def announced(self) -> list[str]:
        return [fact["heard"] for fact in self.heard if fact.get("heard")]

    def tree(self) -> list[Fact]:
        """Every element that is shown now."""
        assert self.listener.stdin is not None
        self.listener.stdin.write("tree\n")
        self.listener.stdin.flush()
        return self.trees.get(timeout=30)

    def until(self, holds: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
        wait_for(holds, f"{what}; last heard {self.heard[-5:]}", timeout_s)

    def tab_to(self, session: DesktopSession, begins: str, most: int = 40, key: str = "Tab") -> Fact:
        """Press Tab until something whose name begins so has the keyboard."""
        for _ in range(most):
            if self.focused["name"].startswith(begins):
                return self.focused
            count = len(self.heard)
            session.key(key)
            deadline = time.monotonic() + 1.0
            while len(self.heard) == count and time.monotonic() < deadline:
                time.sleep(0.01)
        names = [fact["name"] for fact in self.heard if fact.get("event", "").endswith("focused")]
        raise AssertionError(f"Tab never reached {begins!r}, but {names[-most:]}")


@contextmanager
def reading(session: DesktopSession) -> Iterator[Reader]:
    """Listen for as long as the block lasts."""
    command = [PYTHON, str(LISTENER)]
    listener = subprocess.Popen(
        command,
        env=session.environment | AWAKE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    reader = Reader(listener)
    ready = threading.Event()

    def read() -> None:
        assert listener.stdout is not None
        for line in listener.stdout:
            fact = json.loads(line)
            if "ready" in fact:
                ready.set()
            elif "tree" in fact:
                reader.trees.put(fact["tree"])
            else:
                reader.heard.append(fact)

    thread = threading.Thread(target=read, name="screen reader", daemon=True)
    thread.start()
    try:
        assert ready.wait(20), "the accessibility bus did not start"
        yield reader
    finally:
        listener.terminate()
        listener.wait(10)
        thread.join(5)
        for pipe in (listener.stdin, listener.stdout):
            if pipe is not None:
                pipe.close()
