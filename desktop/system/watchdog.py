"""Notices a main thread that does not answer, and keeps a report of where every thread is.

A thread asks the main thread for a sign of life every two seconds. That is all it does: a stall ends by
itself or the user ends the program, and the report tells later what held it up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop.system.crash_reports import CrashKind, CrashReports, stacks

log = structlog.get_logger(__name__)

EVERY_S = 2.0
STALL_S = 5.0


class Watchdog(QObject):
    """Made, started and closed on the main thread, which must run its event loop."""

    _asked = Signal()

    def __init__(
        self,
        reports: CrashReports,
        stall_s: float = STALL_S,
        every_s: float = EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._reports = reports
        self._stall_s, self._every_s = stall_s, every_s
        self._clock = clock
        self._answered = threading.Event()
        self._ends = threading.Event()
        self._asked.connect(self._answer, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Watch no longer."""
        self._ends.set()
        self._thread.join()

    @Slot()
    def _answer(self) -> None:
        self._answered.set()

    def _watch(self) -> None:
        while not self._ends.wait(self._every_s):
            self._answered.clear()
            asked = self._clock()
            self._asked.emit()
            if self._wait_for_answer(self._stall_s):
                continue
            if self._clock() - asked < 2 * self._stall_s:  # else the computer itself slept meanwhile
                self._report(asked)
            while not self._ends.is_set() and not self._wait_for_answer(self._every_s):
                pass
            log.warning("the main thread stalled", seconds=round(self._clock() - asked, 1))

    def _wait_for_answer(self, seconds: float) -> bool:
        deadline = self._clock() + seconds
        while not self._ends.is_set() and self._clock() < deadline:
            if self._answered.wait(min(0.5, max(deadline - self._clock(), 0.0))):
                return True
        return self._answered.is_set() or self._ends.is_set()

    def _report(self, asked: float) -> None:
        line = f"The window did not answer for {self._clock() - asked:.0f} seconds"
        self._reports.write(CrashKind.HANG, line, stacks())
