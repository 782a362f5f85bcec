"""What is still being installed while the first window is open: `dev.py finish`, followed line by line.

A first start from a checkout opens the window with a first set of packages (bootstrap/first_window.py). The
rest comes behind it, in a process of its own that ends with the program and goes on at the next start. Until
then a package that is not there yet is told from one that is missing: see `awaited_packages`.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import structlog
from PySide6.QtCore import QObject, QProcess, Signal

from desktop.errors import UserFacing
from desktop.reasons import Reason
from desktop.system.reasons import SystemReason

log = structlog.get_logger(__name__)

END_MS = 5000  # what it started is ended first


class InstallationStep(StrEnum):
    """The steps as bootstrap/telling.py names them."""

    STARTING = "starting"
    WAITING = "waiting"
    SYSTEM = "system"
    PACKAGES = "packages"
    UNPACKING = "unpacking"
    ENGINE = "engine"
    COMPILING = "compiling"
    ENGINE_INSTALLING = "engine-installing"
    TRYING = "trying"


@dataclass(frozen=True)
class InstallationProgress:
    """Where it is. What is None is not known, or does not belong to the step."""

    step: InstallationStep = InstallationStep.STARTING
    share: float | None = None  # of everything, 0 to 1
    seconds_left: float | None = None  # until everything is there; from what was measured in this run
    bytes_done: int | None = None
    bytes_total: int | None = None
    count_done: int | None = None
    count_total: int | None = None


@dataclass(frozen=True)
class Ran:
    """One run, at its end: for the log of what used the network. `begun_at` as ISO 8601, in UTC."""

    begun_at: str
    seconds: float
    received_bytes: int
    exit_code: int


class NotInstalledYet(UserFacing, ImportError):
    """A package was asked for that may be on its way: who can do without it goes on, as with any ImportError;
    anybody else is told to wait.
    """


class _Awaited:
    """The last of all finders: whatever reaches it is not there."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises NotInstalledYet for a package; a part that a package lacks is none of ours."""
        if "." in name:
            return None
        raise NotInstalledYet(SystemReason.NOT_INSTALLED_YET.of())


@contextmanager
def awaited_packages() -> Iterator[None]:
    """Until this ends, packages that are not there are on their way."""
    finder = _Awaited()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        importlib.invalidate_caches()


class Installation(QObject):
    """One run of `dev.py finish`, and the next one after it failed. Main thread only."""

    changed = Signal()  # `progress` or `error`
    ended = Signal(object)  # Ran: a run, also one that failed
    done = Signal()  # once: everything is there

    def __init__(self, program: Path, parent: QObject | None = None) -> None:
        """`program`: the checkout's dev.py."""
        super().__init__(parent)
        self._program = program
        self._process: QProcess | None = None
        self._read: Callable[[], bytes] = bytes
        self._unread = b""
        self._told: dict[str, object] = {}  # the last thing that it said
        self._begun, self._begun_at, self._received_bytes = 0.0, "", 0
        self.progress = InstallationProgress()
        self.error: UserFacing | None = None
        self.is_done = False

    def start(self) -> None:
        """Begin, or go on from where the last run ended; what has arrived is kept."""
        self.progress, self.error = InstallationProgress(), None
        self._unread, self._told = b"", {}
        self._begun, self._received_bytes = time.monotonic(), 0
        self._begun_at = datetime.now(UTC).isoformat(timespec="seconds")
        process = QProcess(self)
        # What it says for people goes to the terminal that Steward was started in, as every set-up does.
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._on_output)
        process.errorOccurred.connect(self._on_process_error)
        process.finished.connect(lambda code, _status: self._on_finished(code))
        self._process = process
        self._read = lambda: bytes(process.readAllStandardOutput().data())
        # The environment's own Python would be replaced under itself.
        base = getattr(sys, "_base_executable", sys.executable)
        process.start(base, [str(self._program), "finish"])
        self.changed.emit()

    def close(self) -> None:
        """End it, with what it has started."""
        process, self._process = self._process, None
        if process is None or process.state() == QProcess.ProcessState.NotRunning:
            return
        process.blockSignals(True)
        process.terminate()
        if not process.waitForFinished(END_MS):
            process.kill()
            process.waitForFinished(END_MS)

    def _on_output(self) -> None:
        *lines, self._unread = (self._unread + self._read()).split(b"\n")
        for line in lines:
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            log.warning("not a line of the set-up", line=line[:200])
            return
        self._told = event
        if "step" in event:
            self.progress = _progress(event)
            self._received_bytes = self.progress.bytes_done or self._received_bytes
            self.changed.emit()

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._fail(SystemReason.SET_UP_FAILED.of(detail=str(self._program)))

    def _on_finished(self, code: int) -> None:
        seconds = round(time.monotonic() - self._begun, 3)
        self.ended.emit(Ran(self._begun_at, seconds, self._received_bytes, code))
        if code == 0 and self._told.get("done"):
            self.is_done = True
            self.done.emit()
        else:
            self._fail(_reason(self._told, code))

    def _fail(self, reason: Reason) -> None:
        self.error = UserFacing(reason)
        log.warning("the set-up failed", reason=str(reason))
        self.changed.emit()


def _progress(event: dict[str, object]) -> InstallationProgress:
    def number(name: str) -> float | None:
        value = event.get(name)
        return value if isinstance(value, int | float) else None

    def whole(name: str) -> int | None:
        value = number(name)
        return int(value) if value is not None else None

    known = event["step"] in set(InstallationStep)
    return InstallationProgress(
        InstallationStep(str(event["step"])) if known else InstallationStep.STARTING,
        number("share"),
        number("left_s"),
        whole("bytes"),
        whole("of_bytes"),
        whole("count"),
        whole("of"),
    )


_CAUSES = {
    "offline": SystemReason.SET_UP_OFFLINE,
    "disk-full": SystemReason.SET_UP_DISK_FULL,
    "wrong-hash": SystemReason.SET_UP_WRONG_HASH,
}


def _reason(event: dict[str, object], code: int) -> Reason:
    """Why a run ended without being done."""
    detail, kind = str(event.get("detail", "")), str(event.get("failed", ""))
    if kind in _CAUSES:
        return _CAUSES[kind].of()
    if kind == "by-hand":
        return SystemReason.SET_UP_BY_HAND.of(command=detail)
    if kind:
        return SystemReason.SET_UP_FAILED.of(detail=detail)
    return SystemReason.SET_UP_ENDED.of(code=code)
