"""How fast Quick-ask is: `python -m tests.bench.quick_ask` prints JSON.

The real program with its hotkey on a virtual desktop with a window manager. Keys are pressed through the X
server (XTEST). Measured are the time from the press to the window being painted with the focus in its field,
while no model is loaded, the time that a rule takes from the last letter to its suggestion on the screen, and
how long a short question waits for its first word with the model loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.bench.machine import machine
from tests.bench.quick_ask_first_token import MODEL
from tests.flows.desktop_session import ROOT, DesktopSession, desktop_session, missing_programs
from tests.flows.running_quick_ask import Keyboard, program, terminal

RUNS = 40
APART_S = 0.6  # Qt holds a lost focus for 0.4 s; sooner a window would seem active before it is
SHOWN_LIMIT_MS, RULE_LIMIT_MS = 100.0, 50.0
QUESTIONS = ("12 * 8.5 + 3", "5 km in miles", "time in Tokyo", "days until 24 december", "open settings")
QUESTIONS += ("remind me at 3 pm to call Anna", "15% of 240", "what day is 3 weeks from now")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--profile", type=Path, help="where the model of the first-token figure is installed")
    parser.add_argument("--model", default=MODEL)
    arguments = parser.parse_args()
    missing = missing_programs()
    if missing:
        sys.stderr.write(f"a virtual desktop needs {', '.join(missing)}\n")
        return 1
    before = machine()
    with tempfile.TemporaryDirectory() as folder, desktop_session(tray=False) as session, terminal(session):
        shown, hidden, idle = _presses(session, Path(folder), arguments.runs)
    figures = {
        "press_to_focused_ms": _figure(shown, SHOWN_LIMIT_MS),
        "first_press_ms": round(shown[0], 1),
        "press_to_hidden_ms": _figure(hidden, SHOWN_LIMIT_MS),
        "rule_to_suggestion_ms": _figure(_rules(), RULE_LIMIT_MS),
        "idle_cpu_percent": idle,
        "first_token_one_core": _first_token(arguments.profile, arguments.model),
    }
    json.dump(
        {"bench": "quick_ask", "machine": before, "runs": arguments.runs, **figures}, sys.stdout, indent=2
    )
    sys.stdout.write("\n")
    return 0


def _presses(session: DesktopSession, profile: Path, runs: int) -> tuple[list[float], list[float], float]:
    keyboard = Keyboard(session.environment["DISPLAY"])
    shown, hidden = [], []
    with program(session, profile) as running:
        time.sleep(1.0)
        for number in range(runs):
            pressed = keyboard.press("Control_L", "Shift_L", "space")
            shown.append((running.next("ready", number)["at_s"] - pressed) * 1000)
            time.sleep(0.2)
            pressed = keyboard.press("Control_L", "Shift_L", "space")
            hidden.append((running.next("hidden", number)["at_s"] - pressed) * 1000)
            time.sleep(APART_S)
        idle = psutil.Process(running.process.pid).cpu_percent(None)
        idle = psutil.Process(running.process.pid).cpu_percent(3.0)
    keyboard.close()
    return shown, hidden, idle


def _rules() -> list[float]:
    """From the last letter to the repainted window, in this process, offscreen."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.quick_ask_rules", *QUESTIONS],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def _first_token(profile: Path | None, model: str) -> dict[str, object]:
    """Of short questions, with the model loaded; in a process of its own, on one core."""
    place = () if profile is None else ("--profile", str(profile))
    command = [sys.executable, "-m", "tests.bench.quick_ask_first_token", "--model", model, *place]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def _figure(runs: list[float], limit: float) -> dict[str, object]:
    p95 = sorted(runs)[max(0, -(-len(runs) * 95 // 100) - 1)]
    return {
        "p95": round(p95, 1),
        "median": round(statistics.median(runs), 1),
        "worst": round(max(runs), 1),
        "limit": limit,
        "reached": p95 <= limit,
        "runs": [round(run, 1) for run in runs],
    }


if __name__ == "__main__":
    sys.exit(main())
