"""Reminders through the real program: set by another process, shown, killed, missed, listed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.flows.desktop_session import ROOT, DesktopSession, stop, wait_for

pytestmark = [pytest.mark.desktop]

SET = """
import sys
from pathlib import Path
from desktop.app import build_core
from desktop.paths import Paths
core = build_core(Paths.under(Path(sys.argv[1])))
for text in sys.argv[3:]:
    print(core.reminders.set_reminder(text, sys.argv[2]))
core.close()
"""


def _set(session: DesktopSession, profile: Path, when: str, *texts: str) -> str:
    command = [sys.executable, "-c", SET, str(profile), when, *texts]
    done = subprocess.run(
        command, cwd=ROOT, env=session.environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def _shown(session: DesktopSession, count: int) -> list[dict[str, Any]]:
    """The notifications so far, once there are `count`."""

    def found() -> list[dict[str, Any]]:
        facts = [fact for fact in session.facts if "notification" in fact]
        return facts if len(facts) >= count else []

    notifications: list[dict[str, Any]] = wait_for(found, f"{count} notifications")
    return notifications


def test_due_killed_missed_and_listed(session: DesktopSession, tmp_path: Path, artefacts: Path) -> None:
    """Nothing is set when the program starts; a reminder of another process reaches it all the same."""
    profile = tmp_path / "profile"
    program = session.start("--profile", str(profile), "run", "--hidden")
    try:
        session.tray_item()
        wait_for(lambda: list(profile.rglob("reminders")), "the marker")
        said = _set(session, profile, "in 2 seconds", "call Anna")
        assert "while Steward runs" in said
        first = _shown(session, 1)[0]
        assert (first["notification"], first["body"]) == ("Reminder", "call Anna")
    finally:
        stop(program, signal.SIGKILL)
    _set(session, profile, "in 1 second", "buy milk", "water the plants")
    due_s = time.monotonic() + 1.5
    wait_for(lambda: time.monotonic() > due_s, "the moment to pass")
    program = session.start("--profile", str(profile), "run", "--hidden")
    try:
        missed = _shown(session, 2)[1]
        assert missed["notification"] == "While Steward was not running:"
        assert missed["body"] == "• buy milk\n• water the plants"
        session.choose_in_tray("3 reminders are due")
        session.activate_window("Steward")
        session.screenshot(artefacts / "reminders.png")
    finally:
        out, err = stop(program)
    assert "Traceback" not in err, err
    assert out == ""
