"""Every test leaves the process as it found it: no thread, no child process, no Qt timer stays behind."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import platformdirs
import psutil
import pytest

import tests.bytecode  # noqa: F401 - also where nobody named it as a plugin
from desktop.events import Bus
from desktop.paths import Paths
from tests.schemas import copied_schemas, disk_not_waited_for

ROOT = Path(__file__).resolve().parent.parent
HAS_QT = importlib.util.find_spec("PySide6") is not None

# A busy machine gets there later: five seconds, the default, end some test of thousands there. Who waits for
# what never comes says for how long.
LONGEST_WAIT_MS = 60_000
if HAS_QT and importlib.util.find_spec("pytestqt") is not None:
    from pytestqt.qtbot import QtBot

    for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitCallback):
        wait.__kwdefaults__["timeout"] = LONGEST_WAIT_MS

# Without a screen, a pointer or a window manager of somebody's: the same everywhere. Flows start the program
# on a virtual desktop of their own and choose the platform themselves. The screen is one that people have:
# Qt's own offscreen one is 800 pixels wide, into which windows would be fitted.
if HAS_QT:
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={ROOT / 'tests' / 'screen.json'}")

# The keyring and the session bus of whoever runs the tests are not theirs to ask: a locked one would wait for
# a password. A test of a real keyring or bus starts its own, and says so to what it starts.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)

# A busy machine must not fail a property.
hypothesis.settings.register_profile("steward", deadline=None)
hypothesis.settings.load_profile("steward")

# A run in the background of a script, or under nohup, is told to ignore these, and would hand that on to each
# command whose end by a signal is tested.
for each in (signal.SIGINT, signal.SIGHUP) if sys.platform != "win32" else ():
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)

GRACE_TURNS = 300  # of 10 ms and more: a busy machine, which makes each longer, waits longer too


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The real SmolLM2 file, fetched once by the product's own downloader and kept outside the tree."""
    from desktop.app import build_core
    from desktop.models.progress import DownloadControl

    folder = os.environ.get("STEWARD_TEST_MODELS")
    root = Path(folder) if folder else platformdirs.user_cache_path("steward-dev") / "models"
    core = build_core(Paths.under(root))
    try:
        return core.setup.get("smollm2-135m", DownloadControl()).path
    finally:
        core.close()  # with the line to the index, which a later test would find left open


def pytest_collection() -> None:
    """Nearly all that collecting makes stays: looking for garbage meanwhile walks it again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What collecting has made stays until the end, so that no later collection of garbage walks it: tens of
    thousands of items and all modules, a quarter of a second each time that a window's remains are collected.
    """
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _schemas() -> Iterator[None]:
    with copied_schemas(), disk_not_waited_for():
        yield


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A profile of its own."""
    return Paths.under(tmp_path / "profile")


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails the test that leaves a thread or a child process alive."""
    threads = set(threading.enumerate())
    children = _children()
    yield
    left = _wait_until_gone(threads, children)
    assert not left, f"left behind: {left}"


def _wait_until_gone(threads: set[threading.Thread], children: set[psutil.Process]) -> list[object]:
    for _ in range(GRACE_TURNS):
        left: list[object] = [t for t in threading.enumerate() if t not in threads and t.is_alive()]
        left += [c for c in _children() - children if _is_alive(c)]
        left += _active_timers()
        if not left:
            break
        time.sleep(0.01)
    return left


def _children() -> set[psutil.Process]:
    """Those of this process. Looking through all processes, as psutil does, costs more than most tests."""
    tasks = Path("/proc/self/task")
    if not (tasks / str(threading.get_native_id()) / "children").exists():
        return set(psutil.Process().children())
    found = set()
    for task in tasks.iterdir():
        with contextlib.suppress(OSError, psutil.NoSuchProcess):  # it ended while we looked
            found |= {psutil.Process(int(pid)) for pid in (task / "children").read_text().split()}
    return found


def _is_alive(child: psutil.Process) -> bool:
    try:
        return bool(child.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _active_timers() -> list[object]:
    """Qt timers that belong to the application itself outlive every window."""
    if "PySide6.QtWidgets" not in sys.modules:
        return []
    from PySide6.QtCore import QCoreApplication, QTimer

    app = QCoreApplication.instance()
    return [t for t in app.findChildren(QTimer) if t.isActive()] if app else []
