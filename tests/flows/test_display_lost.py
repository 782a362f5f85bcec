"""The server of the display dies under the real program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.paths import Paths
from desktop.qt.interrupts import STATUS
from desktop.system.crash_reports import CrashWatch
from tests.flows.desktop_session import ROOT, DesktopSession, wait_for
from tests.flows.profile import drafts
from tests.flows.test_versions import with_a_model

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(180)]


def test_it_ends_in_order_with_one_line_and_keeps_what_was_typed(
    session: DesktopSession, tmp_path: Path
) -> None:
    """No traceback, no report of a crash at the next start, and the draft is there."""
    profile = tmp_path / "profile"
    with_a_model(profile)
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.flows.scripted_program", str(profile)],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        session.activate_window("Steward$", 90)
        session.type("Remember the milk")
        wait_for(lambda: drafts(profile) == ["Remember the milk"], "the draft on disk")
        assert session.screen is not None
        session.screen.kill()
        said, errors = program.communicate(timeout=60)
    finally:
        program.kill()
    assert (program.returncode, "Traceback" in errors + said) == (STATUS, False), errors + said
    told = [line for line in said.splitlines() if "error" in line.split("]")[0]]
    assert len(told) == 1
    assert "the display is gone" in told[0]
    assert drafts(profile) == ["Remember the milk"]
    core = build_core(Paths.under(profile))
    watch = CrashWatch(core.paths, core.crash_reports)
    assert watch.start() is None
    watch.stop()
    core.close()
