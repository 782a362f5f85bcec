"""Reports of crashes, bugs and hangs: kept here, without secrets, and only the latest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop.paths import Paths, ensure
from desktop.system.crash_reports import KEPT, CrashKind, CrashReports, CrashWatch, stacks
from tests.flows.desktop_session import ROOT
from tests.shipped import redactor

KEY = "ghp_" + "0aB1cD2eF3" * 3 + "4gH5iJ"  # the form of a token, of nobody


@pytest.fixture
def reports(paths: Paths) -> CrashReports:
    return CrashReports(paths, redactor)


@pytest.fixture
def watch(paths: Paths, reports: CrashReports) -> Iterator[CrashWatch]:
    watch = CrashWatch(paths, reports)
    yield watch
    watch.stop()


def child(paths: Paths, ending: str) -> subprocess.CompletedProcess[str]:
    """A process that watches for crashes and then ends as `ending` says."""
    profile = str(paths.data.parent)
    code = f"""
        import ctypes, os, signal, sys
        from pathlib import Path
        from desktop.gate.redaction import Redactor
        from desktop.paths import Paths
        from desktop.system.crash_reports import CrashReports, CrashWatch
        paths = Paths.under(Path({profile!r}))
        watch = CrashWatch(paths, CrashReports(paths, lambda: Redactor(())))
        watch.start()
        {ending}
        watch.stop()
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_a_crash_in_native_code_is_told_at_the_next_start(paths: Paths, watch: CrashWatch) -> None:
    """With the place: what the native handler wrote is in the report."""
    assert child(paths, "ctypes.string_at(0)").returncode == -signal.SIGSEGV
    report = watch.start()
    assert report is not None
    assert report.kind is CrashKind.CRASH
    assert "Segmentation fault" in report.line
    assert "string_at" in report.text()


def test_a_kill_is_told_although_nothing_was_written(paths: Paths, watch: CrashWatch) -> None:
    """A process that ran out of memory leaves no trace but its marker."""
    child(paths, "os.kill(os.getpid(), signal.SIGKILL)")
    report = watch.start()
    assert report is not None
    assert "Ended without a trace" in report.line
    assert report.kind is CrashKind.KILLED


@pytest.mark.parametrize("ending", ["pass", "sys.excepthook(ValueError, ValueError('x'), None)"])
def test_an_orderly_end_is_no_crash(paths: Paths, watch: CrashWatch, ending: str) -> None:
    """Also after a bug that the program survived."""
    child(paths, ending)
    assert watch.start() is None


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_an_end_that_somebody_asked_for_is_no_crash(paths: Paths, watch: CrashWatch, number: str) -> None:
    """Also before a loop runs that takes the signal, as while the windows are built; it ends at once."""
    ended = child(paths, f"os.kill(os.getpid(), signal.{number}); print('went on')")
    assert ended.returncode == -getattr(signal, number)
    assert "went on" not in ended.stdout
    assert watch.start() is None


def test_who_outlives_its_terminal_is_not_ended_by_the_end_of_it(paths: Paths) -> None:
    """Under nohup the signal stays ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert child(paths, "os.kill(os.getpid(), signal.SIGHUP); print('went on')").stdout == "went on\n"
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_computer_that_was_switched_off_is_no_crash(paths: Paths, watch: CrashWatch) -> None:
    """The marker is older than the computer's start."""
    ensure(paths.data)
    marker = {"pid": 1, "at": psutil.boot_time() - 100, "started": ""}
    paths.running_marker.write_text(json.dumps(marker), encoding="utf-8")
    assert watch.start() is None


def test_a_second_process_of_the_same_profile_is_no_crash(paths: Paths, watch: CrashWatch) -> None:
    """The process of the marker still runs."""
    ensure(paths.data)
    marker = {"pid": os.getpid(), "at": psutil.Process().create_time() + 1, "started": ""}
    paths.running_marker.write_text(json.dumps(marker), encoding="utf-8")
    assert watch.start() is None


def test_a_bug_on_a_thread_makes_one_report_without_secrets(
    watch: CrashWatch, reports: CrashReports, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread's end is kept with its trace; a key in the message is not. The same again is not written."""
    heard: list[object] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    watch.start()

    def fail() -> None:
        raise RuntimeError(f"refused with {KEY} in {Path.home()}/letters")

    for _ in range(3):
        thread = threading.Thread(target=fail, name="worker-7")
        thread.start()
        thread.join()
    (report,) = reports.reports()
    assert report.kind is CrashKind.BUG
    text = report.text()
    assert "worker-7" in text
    assert "in fail" in text
    assert KEY not in text
    assert str(Path.home()) not in text
    assert len(heard) == 3, "the log hears of each"


def test_only_the_latest_reports_are_kept(reports: CrashReports, paths: Paths) -> None:
    """A program that fails daily does not fill the disk, and a long report is cut."""
    for number in range(KEPT + 5):
        reports.write(CrashKind.BUG, f"number {number}", "x " * 200_000, at=1_700_000_000.0 + number)
    found = reports.reports()
    assert len(found) == KEPT
    assert found[0].line == f"number {KEPT + 4}"
    assert found[0].path.stat().st_size < 64_000


def test_a_folder_that_cannot_be_written_makes_no_second_error(paths: Paths, reports: CrashReports) -> None:
    """What tells of errors must not raise."""
    ensure(paths.logs)
    paths.crashes.write_text("in the way", encoding="utf-8")
    assert reports.write(CrashKind.BUG, "x", "y") is None


def test_the_stacks_name_every_thread() -> None:
    """Without values of variables."""
    ready, ends = threading.Event(), threading.Event()

    def wait_here() -> None:
        private_words = "never in a report"
        ready.set()
        ends.wait()
        del private_words

    thread = threading.Thread(target=wait_here, name="waiting-one")
    thread.start()
    ready.wait()
    text = stacks()
    ends.set()
    thread.join()
    assert "Thread waiting-one" in text
    assert "wait_here" in text
    assert "test_the_stacks_name_every_thread" in text
