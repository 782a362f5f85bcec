"""A desktop to test on: virtual screen, session bus, window manager, tray host; the real program on it."""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("Xvfb", "openbox", "xdotool", "dbus-daemon", "gdbus", "import")


def missing_programs() -> list[str]:
    """What this machine lacks for a virtual desktop."""
    return [name for name in NEEDED if shutil.which(name) is None]


TURN_S = 0.05  # between two looks, most of which start a program to look


def wait_for(condition: Callable[[], Any], what: str, timeout_s: float = 60.0) -> Any:
    """The first true value of `condition`; fails with `what` when none comes in time.

    The time is counted in turns: a busy machine, which makes each longer, waits longer too.
    """
    for _ in range(round(timeout_s / TURN_S)):
        value = condition()
        if value:
            return value
        time.sleep(TURN_S)
    raise AssertionError(f"waited {timeout_s} s and more in vain for {what}")


@dataclass
class DesktopSession:
    """A running virtual desktop. `facts` collects what the tray host says, and when (`at_s`)."""

    environment: dict[str, str]
    screen: subprocess.Popen[str] | None = None  # the server of the display
    facts: list[dict[str, Any]] = field(default_factory=list)

    def start(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """Start `steward` with the arguments on this desktop."""
        return self.run_module("desktop", *arguments, **extra)

    def run_module(self, module: str, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """The same with a program of the tests."""
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env=self.environment | extra,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> str:
        """Run a tool of the desktop and return what it prints."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=30, check=True
        )
        return done.stdout.strip()

    # -- what the user does -------------------------------------------------------------------

    def key(self, *keys: str) -> None:
        self.run("xdotool", "key", "--clearmodifiers", *keys)

    def type(self, text: str) -> None:
        self.run("xdotool", "type", "--clearmodifiers", "--delay", "4", text)

    def click_tray(self) -> None:
        """A left click on the icon that registered last."""
        self._gdbus(self.tray_item(), "/StatusNotifierItem", "org.kde.StatusNotifierItem.Activate", "0", "0")

    def choose_in_tray(self, label: str) -> None:
        """Choose the entry of the tray's menu whose label begins with `label`."""
        item = self.tray_item()
        layout = self._gdbus(
            item, "/MenuBar", "com.canonical.dbusmenu.GetLayout", "0", "--", "-1", "['label']"
        )
        entries = re.findall(r"\((\d+), \{[^}]*'label': <'([^']*)'>", layout)
        number = next(number for number, text in entries if text.replace("_", "").startswith(label))
        self._gdbus(item, "/MenuBar", "com.canonical.dbusmenu.Event", number, "clicked", "<''>", "0")

    def activate_window(self, title: str, timeout_s: float = 60.0) -> str:
        """Wait for a visible window and give it the focus."""
        window = self.wait_for_window(title, timeout_s)
        self.run("xdotool", "windowactivate", "--sync", window)
        return window

    # -- what the user sees -------------------------------------------------------------------

    def windows(self, title: str) -> list[str]:
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        return found.stdout.split()

    def wait_for_window(self, title: str, timeout_s: float = 60.0) -> str:
        return str(wait_for(lambda: self.windows(title), f"a window {title!r}", timeout_s)[0])

    def tray_item(self, timeout_s: float = 60.0) -> str:
        """The bus name of the icon that registered last."""

        def last() -> str | None:
            items = [fact["item"] for fact in self.facts if "item" in fact]
            return items[-1] if items else None

        return str(wait_for(last, "a tray icon", timeout_s)).split("/")[0]

    def screenshot(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.run("import", "-window", "root", str(file))

    def _gdbus(self, name: str, path: str, method: str, *arguments: str) -> str:
        call = ("gdbus", "call", "--session", "-d", name, "-o", path, "-m", method)
        return self.run(*call, *arguments)


@contextmanager
def typed_elsewhere(session: DesktopSession) -> Iterator[list[str]]:
    """Another program's window, with the focus; what is typed there, as it is typed."""
    from tests.flows.other_window import TITLE  # which needs Qt

    window = subprocess.Popen(
        [sys.executable, "-m", "tests.flows.other_window"],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    typed: list[str] = []

    def read() -> None:
        assert window.stdout is not None
        typed.extend(json.loads(line)["text"] for line in window.stdout)

    reader = threading.Thread(target=read, name="terminal reader", daemon=True)
    reader.start()
    session.activate_window(TITLE)
    yield typed
    window.terminate()
    window.wait(10)
    reader.join(10)
    assert window.stdout is not None
    window.stdout.close()


@contextmanager
def desktop_session(size: str = "1280x800x24", tray: bool = True) -> Iterator[DesktopSession]:
    """A fresh desktop, with or without a tray; everything in it is gone afterwards."""
    children: list[subprocess.Popen[str]] = []
    with tempfile.TemporaryDirectory(prefix="steward-desktop-") as runtime:
        try:
            environment = _environment(runtime)
            environment["DISPLAY"] = _start_screen(children, size, environment)
            environment["DBUS_SESSION_BUS_ADDRESS"] = _start_bus(children, environment)
            session = DesktopSession(environment, children[0])
            if tray:
                _start_tray_host(children, session)
            children.append(_child(["openbox"], environment))
            wait_for(lambda: _has_window_manager(session), "the window manager")
            yield session
        finally:
            for child in reversed(children):
                child.terminate()
            for child in reversed(children):
                child.wait(10)
                for pipe in (child.stdout, child.stderr):
                    if pipe is not None:
                        pipe.close()


SETTLED_TURNS = 8  # of TURN_S: longer than what a window puts off to draw it at once


def settle(program: subprocess.Popen[str]) -> None:
    """Until a program has nothing more to do: whatever it was told is done, seen and drawn.

    No thread of it runs or waits for a processor, in several looks one after the other. A busy machine, which
    lets a thread wait, is waited for; a time would not do.
    """
    idle = 0

    def is_settled() -> bool:
        nonlocal idle
        idle = idle + 1 if all(state == "S" for state in _thread_states(program.pid)) else 0
        return idle >= SETTLED_TURNS

    wait_for(is_settled, "the program to have nothing to do")


def _thread_states(pid: int) -> list[str]:
    """R of one that runs or could, D of one that waits for a disk, S of one that sleeps."""
    states = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it ended while we looked
            # After the name in brackets, which may hold anything.
            states.append((task / "stat").read_text().rpartition(")")[2].split()[0])
    return states


ENDING_S, ENDING_TURN_S = 20, 0.5


def stop(process: subprocess.Popen[str], how: int = signal.SIGTERM) -> tuple[str, str]:
    """End a program and return what it printed; it fails where that does nothing for 20 seconds and stays.

    While one of its threads runs, or waits for a processor, no time is counted: a busy machine lets it wait.
    """
    if process.poll() is None:
        process.send_signal(how)
    looks = 0
    while True:
        try:
            return process.communicate(timeout=ENDING_TURN_S)
        except subprocess.TimeoutExpired:
            has_ended = process.poll() is not None  # and a child of it holds what it wrote to
            looks += has_ended or all(state == "S" for state in _thread_states(process.pid))
            if looks * ENDING_TURN_S >= ENDING_S:
                process.kill()
                process.communicate()
                raise


def _environment(runtime: str) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
    }
    return kept | {
        "XDG_RUNTIME_DIR": runtime,
        "XDG_CURRENT_DESKTOP": "KDE",  # the tray protocol of the host
        "QT_QPA_PLATFORM": "xcb",
        "NO_AT_BRIDGE": "1",
    }


def _start_screen(children: list[subprocess.Popen[str]], size: str, environment: dict[str, str]) -> str:
    reader, writer = os.pipe()
    # Without -noreset the server starts anew when its last client leaves: asking for the window manager while
    # that one was still connecting threw it out.
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp", "-noreset"]
    children.append(
        subprocess.Popen(command, env=environment, pass_fds=(writer,), stderr=subprocess.DEVNULL, text=True)
    )
    os.close(writer)
    with os.fdopen(reader) as pipe:
        return f":{pipe.readline().strip()}"


def _start_bus(children: list[subprocess.Popen[str]], environment: dict[str, str]) -> str:
    """What the bus starts, a keyring for one, keeps its files in this desktop's folder, not in the user's."""
    environment = environment | {"XDG_DATA_HOME": f"{environment['XDG_RUNTIME_DIR']}/share"}
    bus = _child(["dbus-daemon", "--session", "--nofork", "--print-address"], environment)
    children.append(bus)
    assert bus.stdout is not None
    return bus.stdout.readline().strip()


def _start_tray_host(children: list[subprocess.Popen[str]], session: DesktopSession) -> None:
    host = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.tray_host"],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    children.append(host)
    ready: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def read() -> None:
        assert host.stdout is not None
        for line in host.stdout:
            fact = json.loads(line) | {"at_s": time.perf_counter()}
            session.facts.append(fact)
            if "ready" in fact:
                ready.put(True)

    threading.Thread(target=read, name="tray host reader", daemon=True).start()
    ready.get(timeout=20)


def _has_window_manager(session: DesktopSession) -> bool:
    shown = subprocess.run(
        ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"],
        env=session.environment,
        capture_output=True,
        text=True,
    )
    return "window id" in shown.stdout


def _child(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def choose_smollm2(session: DesktopSession, program: subprocess.Popen[str]) -> None:
    """On the first page: below the three good ones, after "All models"."""
    settle(program)
    session.key("Tab", "space")
    settle(program)
    session.key("Down", "Down", "Down")
    settle(program)
