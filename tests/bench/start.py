"""`dev.py bench start`: how fast the tray appears, and what the program costs while nobody uses it.

Each run starts the real program on a virtual desktop with a real tray host; the clock stops when the host
hears of the icon. The baseline is a Qt program with nothing but a tray icon, started in turn with ours.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import structlog

from desktop.app import build_core
from desktop.events import Bus
from desktop.models.library import Library
from desktop.paths import Paths
from tests.bench.machine import machine, own_memory_bytes
from tests.bench.search import Texts, fill
from tests.flows.desktop_session import DesktopSession, desktop_session, stop, wait_for

MODEL = "qwen2.5-coder-1.5b"
MANY_MESSAGES = 200_000
BARE = """
import sys
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
app = QApplication(sys.argv)
picture = QPixmap(16, 16); picture.fill()
tray = QSystemTrayIcon(QIcon(picture)); tray.show()
app.exec()
"""


def measure(runs: int, idle_s: float) -> dict[str, object]:
    with desktop_session() as session, tempfile.TemporaryDirectory(prefix="steward-bench-") as profile:
        ours = [sys.executable, "-m", "desktop", "--profile", profile, "run", "--hidden"]
        bare = [sys.executable, "-c", BARE]
        for command in (ours, bare):
            _start_s(session, command)  # warm the disk cache
        pairs = [(_start_s(session, ours), _start_s(session, bare)) for _ in range(runs)]
        idle = _idle(session, ours, idle_s)
        after_unload = _after_unload(session, Path(profile) / "with model")
        full = _full_profile(session, Path(profile) / "full", runs, idle_s)
    return {
        "bench": "start",
        "machine": machine(),
        "runs": runs,
        "tray_visible_s": _summary([pair[0] for pair in pairs]),
        "bare_qt_tray_s": _summary([pair[1] for pair in pairs]),
        "ratio": round(statistics.median(pair[0] / pair[1] for pair in pairs), 2),
        "idle": idle,
        "after_unload": after_unload,
        "full_profile": full,
        "targets": {
            "tray_visible_s": 1.0,
            "idle_cpu_percent": 1.0,
            "idle_unique_mb": 112,
            "after_unload_unique_mb": 160,
            "full_profile_tray_visible_s": 1.5,
            "full_profile_idle_grown_mb": 10,
        },
    }


def _full_profile(session: DesktopSession, profile: Path, runs: int, idle_s: float) -> dict[str, object]:
    """The same with 10,000 conversations of twenty messages each."""
    core = build_core(Paths.under(profile))
    core.database.write(lambda c: fill(c, Texts(), MANY_MESSAGES))
    core.close()
    command = [sys.executable, "-m", "desktop", "--profile", str(profile), "run", "--hidden"]
    _start_s(session, command)
    times = [_start_s(session, command) for _ in range(runs)]
    size_mb = core.paths.database.stat().st_size / 1e6
    idle = _idle(session, command, idle_s)
    return {"file_mb": round(size_mb), "tray_visible_s": _summary(times), "idle": idle}


def _start_s(session: DesktopSession, command: list[str]) -> float:
    before = len(session.facts)
    started_s = time.perf_counter()
    process = subprocess.Popen(
        command, env=session.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        return float(_wait_for_icon(session, before)["at_s"]) - started_s
    finally:
        stop(process)


def _idle(session: DesktopSession, command: list[str], idle_s: float) -> dict[str, float]:
    before = len(session.facts)
    process = subprocess.Popen(
        command, env=session.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        _wait_for_icon(session, before)
        time.sleep(35)  # the tray is looked for during the first 30 s
        watched = psutil.Process(process.pid)
        busy_before = sum(watched.cpu_times()[:2])
        time.sleep(idle_s)
        busy_s = sum(watched.cpu_times()[:2]) - busy_before
        return {
            "watched_s": idle_s,
            "cpu_percent": round(100 * busy_s / idle_s, 3),
            **_memory_mb(watched),
            "threads": watched.num_threads(),
        }
    finally:
        stop(process)


def _after_unload(session: DesktopSession, profile: Path) -> dict[str, float] | str:
    """Memory of the app with its window open, after the model was loaded and given back."""
    model = Library(Paths.default(), Bus()).find(MODEL)
    if model is None:
        return f"{MODEL} is not installed"
    core = build_core(Paths.under(profile))
    core.settings.change("model", "active", core.library.import_file(model.path).id)
    core.settings.change("model", "unload_after_minutes", 1)
    command = [sys.executable, "-m", "desktop", "--profile", str(profile)]
    process = subprocess.Popen(
        command, env=session.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        watched, log = psutil.Process(process.pid), Paths.under(profile).log_file
        wait_for(lambda: log.exists() and "model loaded" in log.read_text(), "the loaded model", 120)
        loaded = watched.memory_full_info()
        wait_for(lambda: "model unloaded" in log.read_text(), "the model to be unloaded", 180)
        time.sleep(2)
        return {
            "loaded_rss_mb": round(loaded.rss / 1e6, 1),
            **_memory_mb(watched),
        }
    finally:
        stop(process)


def _memory_mb(watched: psutil.Process) -> dict[str, float]:
    """All its pages, and those that no other program has loaded as well: the bounds are on the latter.

    The second falls with every other program of this environment that runs beside it, this bench included;
    the first is what is compared between two profiles.
    """
    unique_bytes = watched.memory_full_info().uss
    return {
        "own_mb": round(own_memory_bytes(watched) / 1e6, 1),
        "unique_mb": round(unique_bytes / 1e6, 1),
    }


def _wait_for_icon(session: DesktopSession, before: int) -> dict[str, object]:
    found = wait_for(lambda: [f for f in session.facts[before:] if "item" in f], "the tray icon")
    return dict(found[0])


def _summary(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 3),
        "min": round(min(values), 3),
        "max": round(max(values), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--idle-s", type=float, default=30.0)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    print(json.dumps(measure(arguments.runs, arguments.idle_s), indent=2))


if __name__ == "__main__":
    main()
