"""What went wrong, kept on this computer and sent nowhere: crashes, bugs, a window that hung.

A report is a text file of the profile, without secrets, shortened, and only the latest are kept. How the last
run ended is known from its marker: it is removed by an orderly end, so one that a dead process left behind
tells of a crash; what the native crash handler wrote meanwhile goes into the report.
"""

from __future__ import annotations

import faulthandler
import json
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TextIO

import psutil
import structlog

from desktop import __version__
from desktop.gate.redaction import Redactor
from desktop.paths import Paths, ensure, open_regular, private, read_own, write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

KEPT = 10
LONGEST_CHARACTERS = 60_000
SAME_BUG_S = 60.0  # one that repeats itself is written once a minute at most
SUFFIX = ".txt"
_ENDS = (signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


class CrashKind(StrEnum):
    """What a report tells of. The values are parts of file names."""

    CRASH = "crash"
    KILLED = "killed"  # when is not known: the moment of such a report is that of the start
    BUG = "bug"
    HANG = "hang"


@dataclass(frozen=True)
class CrashReport:
    """One file. `at` is in seconds since 1970, `line` its first line of meaning."""

    path: Path
    kind: CrashKind
    at: float
    line: str

    def text(self) -> str:
        """The whole report; "" where the file is gone meanwhile."""
        try:
            return read_own(self.path).decode("utf-8", "replace")
        except OSError:
            return ""


class CrashReports:
    """The folder of reports. Any thread."""

    def __init__(
        self, paths: Paths, redactor: Callable[[], Redactor], clock: Callable[[], float] = time.time
    ) -> None:
        """`redactor` is asked for when the first report is written."""
        self._paths = paths
        self._redactor = redactor
        self._clock = clock
        self._lock = threading.Lock()
        self._latest: dict[str, float] = {}

    def reports(self) -> tuple[CrashReport, ...]:
        """The newest first."""
        found = sorted(self._paths.crashes.glob(f"*{SUFFIX}"), reverse=True)
        return tuple(report for path in found if (report := _read_head(path)) is not None)

    def write(self, kind: CrashKind, line: str, details: str, at: float | None = None) -> Path | None:
        """Keep a report; None where the same was written a moment ago or the disk refuses. Never raises."""
        now = self._clock() if at is None else at
        with self._lock:
            if now - self._latest.get(line, -SAME_BUG_S) < SAME_BUG_S:
                return None
            self._latest[line] = now
            try:
                return self._written(kind, line, details, now)
            except Exception as error:  # what tells of errors must not make one
                log.warning("a report could not be written", reason=str(error))
                return None

    def forget(self, report: CrashReport) -> None:
        """Delete it."""
        report.path.unlink(missing_ok=True)

    def _written(self, kind: CrashKind, line: str, details: str, at: float) -> Path:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(at))
        path = ensure(self._paths.crashes) / f"{stamp}-{kind.value}{SUFFIX}"
        redact = self._redactor().text
        blocks = "\n\n".join(redact(block) for block in details[:LONGEST_CHARACTERS].split("\n\n"))
        head = {"kind": kind.value, "at": round(at, 3), "line": redact(line)[:300]}
        # The user's name stands in most paths, and a report may be sent to somebody.
        text = f"{json.dumps(head)}\n{_about()}\n\n{blocks}\n".replace(str(Path.home()), "~")
        write_atomically(path, text.encode())
        # Names begin with the time, so that their order is that of time.
        for old in sorted(self._paths.crashes.glob(f"*{SUFFIX}"), reverse=True)[KEPT:]:
            old.unlink(missing_ok=True)
        log.info("report written", path=str(path), kind=kind.value)
        return path


class CrashWatch:
    """Listens for an end that nobody wants. Made once by a program that stays. Main thread."""

    def __init__(self, paths: Paths, reports: CrashReports) -> None:
        self._paths = paths
        self._reports = reports
        self._faults: TextIO | None = None
        self._hooks = (sys.excepthook, threading.excepthook)
        self._before: dict[int, Any] = {}  # what was done at such a signal

    def start(self) -> CrashReport | None:
        """Begin; returns the report of the last run where that ended unexpectedly.

        Until a loop runs that takes such signals, and after it again, SIGTERM and SIGHUP end the program at
        once; who sends them wants an end, so that no marker stays.
        """
        found = self._look_back()
        try:
            self._mark()
        except OSError as error:
            log.warning("crashes will not be noticed", reason=str(error))
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_main
        threading.excepthook = self._on_thread
        for number in _ENDS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, self._on_told_to_end)
        return found

    def stop(self) -> None:
        """An orderly end."""
        sys.excepthook, threading.excepthook = self._hooks
        while self._before:
            signal.signal(*self._before.popitem())
        if self._faults is not None:
            faulthandler.disable()
            self._faults.close()
            self._faults = None
        for path in (self._paths.fault_log, self._paths.running_marker):
            path.unlink(missing_ok=True)

    # -- the last run -----------------------------------------------------------------------------

    def _look_back(self) -> CrashReport | None:
        marker = _read_marker(self._paths.running_marker)
        # Where another Steward has this profile, its marker tells of no end.
        if marker is None or _is_running(marker) or _was_switched_off(marker):
            return None
        faults = self._paths.fault_log
        native = _read_faults(faults)
        first = native.splitlines()[0] if native else "Ended without a trace: killed, or memory ran out"
        details = native or "Nothing was written before the end."
        kind = CrashKind.CRASH if native else CrashKind.KILLED
        at = faults.stat().st_mtime if native else float(marker.get("at", 0.0))
        path = self._reports.write(kind, first, f"Started {marker.get('started', '')}\n\n{details}", at)
        return _read_head(path) if path is not None else None

    def _mark(self) -> None:
        now = time.time()
        started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        marker = {"pid": os.getpid(), "at": now, "started": started}
        write_atomically(self._paths.running_marker, json.dumps(marker).encode())
        ensure(self._paths.logs)
        # Opened now: a process that is crashing can open nothing any more.
        self._faults = open(self._paths.fault_log, "w", encoding="utf-8", opener=private)  # noqa: SIM115 - until the end
        faulthandler.enable(self._faults, all_threads=True)

    # -- this run ---------------------------------------------------------------------------------

    def _on_told_to_end(self, number: int, _frame: FrameType | None) -> None:
        self.stop()
        signal.raise_signal(number)  # as if nobody had listened, or as who listened before wants it

    def _on_main(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        # Ctrl+C is the user's wish.
        if not issubclass(kind, KeyboardInterrupt):
            self._reports.write(CrashKind.BUG, _line(error), _trace(kind, error, trace))
        # Who listened before still hears it: a bug stays loud.
        self._hooks[0](kind, error, trace)

    def _on_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            name = caught.thread.name if caught.thread is not None else "a thread"
            details = f"In {name}\n\n{_trace(caught.exc_type, caught.exc_value, caught.exc_traceback)}"
            self._reports.write(CrashKind.BUG, _line(caught.exc_value), details)
        self._hooks[1](caught)


def stacks() -> str:
    """Where every thread is now, without the values of variables."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for number, frame in sys._current_frames().items():
        lines = "".join(traceback.format_stack(frame))
        parts.append(f"Thread {names.get(number, number)}\n{lines}")
    return "\n".join(parts)


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _trace(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    return "".join(traceback.format_exception(kind, error, trace))


def _about() -> str:
    return (
        f"Steward {__version__}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()}, {platform.machine()}"
    )


LONGEST_HEAD_BYTES = 100_000


def _read_head(path: Path) -> CrashReport | None:
    try:
        with BufferedReader(open_regular(path)) as file:
            head = json.loads(file.readline(LONGEST_HEAD_BYTES))
        return CrashReport(path, CrashKind(head["kind"]), float(head["at"]), str(head["line"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not one of ours


def _read_faults(path: Path) -> str:
    try:
        return read_own(path).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _read_marker(path: Path) -> dict[str, Any] | None:
    return read_object(path, "The mark of the last run") or None


def _is_running(marker: dict[str, Any]) -> bool:
    """Whether the process of the marker still runs; a later one with its number does not count."""
    try:
        return psutil.Process(int(marker["pid"])).create_time() <= float(marker["at"]) + 1.0
    except (psutil.Error, KeyError, ValueError, TypeError):
        return False


def _was_switched_off(marker: dict[str, Any]) -> bool:
    """The computer was started since: that is no crash of ours."""
    try:
        return float(marker["at"]) < psutil.boot_time()
    except (KeyError, ValueError, TypeError):
        return True
