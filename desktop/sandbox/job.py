"""A child process on Windows: a job object holds it and all that it starts, and ends them in one step.

The system ends a job with the last handle to it, so that nothing outlives Steward, however that ends. The
command is held before its first instruction runs. There is no polite end: a program without a window and
without our terminal cannot be asked.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import psutil

from desktop.sandbox.output import BoundedOutput

NO_WINDOW, SUSPENDED = 0x0800_0000, 0x4  # winbase.h, for CreateProcess
MAY_HOLD = 0x0101  # winnt.h: PROCESS_SET_QUOTA | PROCESS_TERMINATE
END_WITH_HANDLE, END_WHEN_CRASHED, LIMIT_PROCESSES = 0x2000, 0x400, 0x8  # winnt.h: JOB_OBJECT_LIMIT_
ACCOUNTING, EXTENDED_LIMITS = 1, 9  # winnt.h: JOBOBJECTINFOCLASS
PEAK_OF_JOB = 3  # among the four sizes of the extended limits
READ_BYTES = 64 * 1024
LOOK_S = 0.02  # between two looks at a running command
SETTLE_S = 0.2  # for the console of a command that has ended, which the system ends a little later
ENDED_S = 5.0


class _BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("smallest_set", ctypes.c_size_t),
        ("largest_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", _BasicLimits),
        ("transfers", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


class _Accounting(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION."""

    _fields_ = (
        ("times", ctypes.c_int64 * 4),
        ("page_faults", ctypes.c_uint32),
        ("ever", ctypes.c_uint32),
        ("active", ctypes.c_uint32),
        ("ended", ctypes.c_uint32),
    )


class JobObject:
    """One job object. Raises OSError where the system refuses. Used by one thread."""

    def __init__(self, processes: int) -> None:
        """More than `processes` at once are seen, one more than that cannot be started at all."""
        self._kernel: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009
        for name in ("CreateJobObjectW", "OpenProcess"):
            getattr(self._kernel, name).restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._checked(self._kernel.CreateJobObjectW(None, None)))
        flags = END_WITH_HANDLE | END_WHEN_CRASHED | LIMIT_PROCESSES
        # One more than is allowed, so that the one too many is seen and the command is told why it was ended.
        limits = _Limits(basic=_BasicLimits(flags=flags, processes=processes + 1))
        self._checked(
            self._kernel.SetInformationJobObject(
                self._handle, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )

    def hold(self, pid: int) -> None:
        """This process, and from now on whatever it starts."""
        process = ctypes.c_void_p(self._checked(self._kernel.OpenProcess(MAY_HOLD, False, pid)))
        try:
            self._checked(self._kernel.AssignProcessToJobObject(self._handle, process))
        finally:
            self._kernel.CloseHandle(process)

    def running(self) -> int:
        """How many processes of the job live."""
        accounting = _Accounting()
        self._checked(
            self._kernel.QueryInformationJobObject(
                self._handle, ACCOUNTING, ctypes.byref(accounting), ctypes.sizeof(accounting), None
            )
        )
        return int(accounting.active)

    def peak_bytes(self) -> int:
        """The most memory that all of them together had."""
        limits = _Limits()
        self._checked(
            self._kernel.QueryInformationJobObject(
                self._handle, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits), None
            )
        )
        return int(limits.memory[PEAK_OF_JOB])

    def end(self) -> None:
        """End all processes now."""
        self._checked(self._kernel.TerminateJobObject(self._handle, 1))

    def close(self) -> None:
        """Ends what still runs."""
        self._kernel.CloseHandle(self._handle)

    def _checked(self, answer: int | None) -> int:
        if not answer:
            raise OSError(None, "the job object was refused", None, getattr(ctypes, "get_last_error")())  # noqa: B009
        return answer


@dataclass(frozen=True)
class JobResult:
    """What came of one command."""

    code: int | None  # None of one that was ended
    why: str  # it was ended; empty when it ended by itself
    left: int  # processes that it left running, and that were ended with it


def run(
    argv: tuple[str, ...],
    folder: str,
    environment: dict[str, str],
    kept: BoundedOutput,
    processes: int,
    until: Callable[[int, int], str],
) -> JobResult:
    """Start it and wait for its end; its output goes into `kept`, on a thread of its own.

    Every `LOOK_S` `until(running processes, most memory so far)` may name a reason to end it. Raises OSError
    when it cannot be started.
    """
    job = JobObject(processes)
    try:
        process = _started(argv, folder, environment, job)
        reader = threading.Thread(target=_read, args=(process.stdout, kept), name="output", daemon=True)
        reader.start()
        why = ""
        while not why and process.poll() is None:
            _pause(process)
            why = until(job.running(), job.peak_bytes())
        left = 0 if why else _left(job)
        # Also of a command that has ended well: what it left running goes with it.
        job.end()
        process.wait(ENDED_S)
        reader.join(ENDED_S)
        return JobResult(None if why else process.returncode, why, left)
    finally:
        job.close()


def _started(
    argv: tuple[str, ...], folder: str, environment: dict[str, str], job: JobObject
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # Not one instruction runs before the job holds it: what it started earlier would be outside.
        creationflags=NO_WINDOW | SUSPENDED,
    )
    try:
        job.hold(process.pid)
    # Without the job nothing would end what it starts, so it does not run at all.
    except OSError:
        process.kill()
        raise
    psutil.Process(process.pid).resume()
    return process


def _read(output: IO[bytes], kept: BoundedOutput) -> None:
    with output:
        while chunk := os.read(output.fileno(), READ_BYTES):
            kept.add(chunk)


def _pause(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(LOOK_S)
    except subprocess.TimeoutExpired:
        return


def _left(job: JobObject) -> int:
    """Processes that a command which has ended leaves behind."""
    deadline = time.monotonic() + SETTLE_S
    while (left := job.running()) and time.monotonic() < deadline:
        time.sleep(LOOK_S)
    return left
