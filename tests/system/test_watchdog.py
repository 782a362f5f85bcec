"""A main thread that does not answer leaves a report of where it is."""

from __future__ import annotations

import time

import pytest
from pytestqt.qtbot import QtBot

from desktop.gate.redaction import Redactor
from desktop.paths import Paths
from desktop.system.crash_reports import CrashKind, CrashReports
from desktop.system.watchdog import Watchdog


@pytest.fixture
def reports(paths: Paths) -> CrashReports:
    return CrashReports(paths, lambda: Redactor(()))


def hold_the_window_up(seconds: float) -> None:
    time.sleep(seconds)


def test_a_stalled_window_is_reported_once_with_the_stack(qtbot: QtBot, reports: CrashReports) -> None:
    """However long it lasts; afterwards it goes on watching."""
    watchdog = Watchdog(reports, stall_s=0.3, every_s=0.05)
    watchdog.start()
    qtbot.wait(200)
    assert reports.reports() == ()
    hold_the_window_up(1.2)
    qtbot.waitUntil(lambda: len(reports.reports()) == 1)
    watchdog.close()
    (report,) = reports.reports()
    assert report.kind is CrashKind.HANG
    assert "hold_the_window_up" in report.text()


def test_a_window_that_answers_leaves_nothing(qtbot: QtBot, reports: CrashReports) -> None:
    """And closing does not wait for the next look."""
    watchdog = Watchdog(reports, stall_s=5.0, every_s=0.02)
    watchdog.start()
    qtbot.wait(150)
    watchdog.close()
    assert reports.reports() == ()


def test_a_computer_that_slept_did_not_hang(qtbot: QtBot, reports: CrashReports) -> None:
    """Where the clock jumps far beyond the wait, the computer slept."""
    jumps = iter([0.0, 0.0, *[100.0] * 50])
    watchdog = Watchdog(reports, stall_s=0.3, every_s=0.05, clock=lambda: next(jumps, 100.0))
    watchdog.start()
    hold_the_window_up(0.3)
    qtbot.wait(100)
    watchdog.close()
    assert reports.reports() == ()
