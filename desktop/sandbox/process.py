"""A child process with limits: time, output, memory, files, processes, and an end for its whole tree.

    outcome = Child(Command(("git", "status"), folder), Limits()).run()

The child has no terminal input, a clean environment, and a supervisor between it and us
(`sandbox.supervisor`), which ends everything that the child started, also what has turned itself into a
daemon. A command can kill the supervisor above it, and what it has left running then hangs below init, like
any daemon. Three `ProcessMarks` say that it belongs to us, each inherited by every process that a marked one
starts:

- a cgroup of its own (version 2, where this user may make one, as below systemd): the kernel lists and ends
  all that is in it in one step;
- an odd hard limit on the size of message queues, which hardly any program knows and which can't be raised
  again;
- a variable in the environment, for systems without the others.

A process that knows of the marks and takes all of them off gets away, once nobody is above it.

On Windows a job object does the same without a supervisor (`sandbox.job`).
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.sandbox import environment, job
from desktop.sandbox.cgroup import ROOTS, Cgroup, new_cgroup
from desktop.sandbox.confinement import Method, bubblewrap
from desktop.sandbox.held_folder import open_without_links
from desktop.sandbox.output import BoundedOutput, Output
from desktop.sandbox.refusals import SandboxReason, from_os

log = structlog.get_logger(__name__)

READ_BYTES = 64 * 1024
SUPERVISOR_S = 8.0  # it reports within its own FORCE_S, or says that it is at it; longer means that it hangs
DYING_S = 60.0  # the kernel takes seconds to free gigabytes; what takes longer is held by something else
START = "import sys; sys.path.append(sys.argv[1]); from desktop.sandbox.supervisor import main; main()"
# A program that writes beyond the limit dies of this signal; a shell above it tells it as 128 and its number.
_FILE_LIMIT_CODES = frozenset({-signal.SIGXFSZ, 128 + signal.SIGXFSZ}) if os.name == "posix" else frozenset()
MARK_VARIABLE = "STEWARD_CHILD"
QUEUE_BYTES = 819_200  # Linux's own limit of message queues
QUEUE_MARKS = 65_536
_QUEUE_LIMIT = re.compile(rb"^Max msgqueue size\s+\S+\s+(\d+)", re.M)


class ChildEnding(StrEnum):
    EXITED = "exited"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"
    TOO_MUCH_OUTPUT = "too much output"
    TOO_MANY_PROCESSES = "too many processes"
    TOO_MUCH_MEMORY = "too much memory"
    FILE_TOO_LARGE = "file too large"
    UNWATCHED = "unwatched"  # it ended its supervisor, and was ended with all that it had started


_TOLD = frozenset({ChildEnding.TOO_MANY_PROCESSES, ChildEnding.TOO_MUCH_MEMORY})  # what the supervisor sees


@dataclass(frozen=True)
class Limits:
    """What a child may use."""

    time_s: float = 30.0
    output_bytes: int = 1_000_000  # kept; the middle of more is counted
    flood_bytes: int = 256_000_000  # more than this is not even counted: the child is ended
    processes: int = 200  # at the same time
    memory_bytes: int = 4_000_000_000  # of all its processes together; looked at 20 times a second
    file_bytes: int = 4_000_000_000  # each file that it writes; not on Windows
    open_files: int = 16_384  # of each process at the same time, or the system's own limit; not on Windows
    grace_s: float = 0.3  # to tidy up when asked to end


@dataclass(frozen=True)
class Command:
    """What is started: words, never a line for a shell. `folder` is where it works, without links in its
    name: a command that was judged by what is in one folder does not run in another.
    """

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: environment.clean(os.environ))
    method: Method = Method.NONE  # how it is kept from writing and from the network
    # Folders that a confined command may write to all the same, without links in their names either.
    writable: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ChildResult:
    """What came of it. `exit_code` is negative for a signal, None when the child did not end by itself."""

    ending: ChildEnding
    exit_code: int | None
    output: Output
    duration_s: float
    method: Method  # the confinement that was in force
    leftovers: (
        int  # processes still running when the command ended, and ended with it; bubblewrap may hide some
    )
    # Of those, the ones that could not be: of another user, or held in the kernel for a minute.
    survivors: int


def default_launcher() -> tuple[str, ...]:
    """The words that start the supervisor; the task follows. A bundle has no bare interpreter but a verb."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "supervise")
    return (sys.executable, "-I", "-S", "-c", START, str(Path(__file__).resolve().parents[2]))


class Child:
    """One run of one command. `run` blocks its thread; `cancel` may be called on any other."""

    def __init__(
        self, command: Command, limits: Limits | None = None, launcher: Sequence[str] | None = None
    ) -> None:
        self._command = command
        self._limits = limits or Limits()
        self._launcher = tuple(launcher or default_launcher())
        self._lock = threading.Lock()
        self._cancelled = False
        self._wake = -1  # on Windows nobody waits for it: the flag is looked at

    def cancel(self) -> None:
        """End the child and its tree; `run` returns some milliseconds after `grace_s`. Safe at any time."""
        with self._lock:
            self._cancelled = True
            if self._wake >= 0:
                os.write(self._wake, b"c")

    def run(self) -> ChildResult:
        """Start the command and wait for its end; one that was cancelled before is not started.

        Raises UserFacing when it cannot be started, Cancelled when the work it belongs to was given up
        before.
        """
        with cancellation.effect():
            # A cancel that came before the start must not be lost: nobody would send another.
            if self._cancelled:
                return ChildResult(
                    ChildEnding.CANCELLED, None, BoundedOutput(0).output(), 0.0, self._command.method, 0, 0
                )
            return self._in_job() if os.name == "nt" else self._supervised()

    def _supervised(self) -> ChildResult:
        run = _Run(self._command, self._limits, self._launcher)
        try:
            with self._lock:
                self._wake = run.wake_writer
                if self._cancelled:
                    os.write(self._wake, b"c")
            return run.until_the_end()
        finally:
            with self._lock:
                self._wake = -1
            run.close()

    def _in_job(self) -> ChildResult:
        kept, begun = BoundedOutput(self._limits.output_bytes), time.monotonic()
        words, given = self._command.argv, dict(self._command.environment)
        if not self._command.folder.is_dir():  # the system would name the program
            raise from_os(FileNotFoundError(errno.ENOENT, ""), str(self._command.folder))

        def until(running: int, peak_bytes: int) -> str:
            return self._reason_to_end(running, peak_bytes, kept, begun)

        try:
            ended = job.run(words, str(self._command.folder), given, kept, self._limits.processes, until)
        except OSError as error:
            raise _refusal(self._command, {"step": "exec", "errno": error.errno}) from error
        ending = ChildEnding(ended.why) if ended.why else ChildEnding.EXITED
        duration_s = time.monotonic() - begun
        return ChildResult(ending, ended.code, kept.output(), duration_s, Method.NONE, ended.left, 0)

    def _reason_to_end(self, running: int, peak_bytes: int, kept: BoundedOutput, begun: float) -> str:
        reasons = {
            ChildEnding.CANCELLED: self._cancelled,
            ChildEnding.TIMED_OUT: time.monotonic() - begun > self._limits.time_s,
            ChildEnding.TOO_MUCH_OUTPUT: kept.total_bytes > self._limits.flood_bytes,
            ChildEnding.TOO_MANY_PROCESSES: running > self._limits.processes,
            ChildEnding.TOO_MUCH_MEMORY: peak_bytes > self._limits.memory_bytes,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")


class _Run:
    """The pipes and the supervisor of one run. Used by one thread."""

    def __init__(self, command: Command, limits: Limits, launcher: tuple[str, ...]) -> None:
        self._command = command
        self._limits = limits
        self._marks = new_marks()
        self._kept = BoundedOutput(limits.output_bytes)
        self._said = b""  # by the supervisor, not yet a whole line
        self._ended: dict[str, Any] | None = None
        self._swept = False
        self._descriptors: set[int] = set()
        self._wake_reader, self.wake_writer = self._pipe()
        self._output, self._status, self._control = -1, -1, -1
        self._ending = ChildEnding.EXITED
        self._begun = time.monotonic()
        self._deadline = self._begun + limits.time_s
        self._last_s = 0.0  # when reports that it is at it are believed no longer
        try:
            self._process = self._start(launcher)
        except BaseException:
            self.close()
            raise

    # -- starting -----------------------------------------------------------------------------

    def _start(self, launcher: tuple[str, ...]) -> subprocess.Popen[bytes]:
        # Held by a descriptor: a folder that is exchanged before the start is not entered by its name.
        folder = self._open_folder(self._command.folder)
        # And what may be written to: a link put there meanwhile would open what it leads to.
        is_confined = self._command.method is not Method.NONE
        writable = [self._open_folder(each) for each in self._command.writable if is_confined]
        self._output, output = self._pipe()
        self._status, status = self._pipe()
        control, self._control = self._pipe()
        task = {
            "argv": self._argv(writable),
            "folder": folder,
            "method": self._command.method.value,
            "writable": writable,
            "control": control,
            "status": status,
            "queue_mark": self._marks.queue_bytes,
            "cgroup": self._marks.folder,
            "processes": self._limits.processes,
            "memory_bytes": self._limits.memory_bytes,
            "file_bytes": self._limits.file_bytes,
            "open_files": self._limits.open_files,
            "grace_s": self._limits.grace_s,
        }
        process = subprocess.Popen(
            [*launcher, json.dumps(task)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={
                **self._command.environment,
                "PWD": str(self._command.folder),
                MARK_VARIABLE: self._marks.word,
            },
            # Nothing else is inherited: an open database or socket of Steward's would be the command's, too.
            pass_fds=(folder, *writable, control, status),
            # Away from our terminal: a command must neither read what is typed there nor get its Ctrl+C.
            start_new_session=True,
        )
        # Our copies: as long as one is open, the end of a pipe never comes.
        self._close(folder, *writable, output, status, control)
        return process

    def _open_folder(self, path: Path) -> int:
        try:
            folder = open_without_links(path)
        except OSError as error:
            raise from_os(error, str(path)) from error
        self._descriptors.add(folder)
        return folder

    def _argv(self, writable: Sequence[int]) -> list[str]:
        if self._command.method is not Method.BUBBLEWRAP:
            return list(self._command.argv)
        held = zip(writable, map(str, self._command.writable), strict=True)
        words = bubblewrap("bwrap", str(self._command.folder), held)
        return [*words, "--seccomp", "--", *self._command.argv]

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._descriptors.update(ends)
        return ends

    # -- waiting ------------------------------------------------------------------------------

    def until_the_end(self) -> ChildResult:
        # Whoever survives may hold the other end, and reading must not wait for him.
        os.set_blocking(self._output, False)
        with selectors.DefaultSelector() as ready:
            for descriptor in (self._output, self._status, self._wake_reader):
                ready.register(descriptor, selectors.EVENT_READ)
            self._wait(ready)
        self._drain()
        return self._outcome()

    def _wait(self, ready: selectors.BaseSelector) -> None:
        while self._ended is None:
            left = self._deadline - time.monotonic()
            if left <= 0:
                if self._ending is not ChildEnding.EXITED:
                    return  # the supervisor was told and does not answer
                self._end(ChildEnding.TIMED_OUT)
                continue
            for key, _ in ready.select(left):
                if key.fd == self._output and not self._read_output():
                    ready.unregister(self._output)
                elif key.fd == self._status and not self._read_status():
                    return
                elif key.fd == self._wake_reader:
                    # Told once; the byte that stays in the pipe would wake this loop for ever.
                    ready.unregister(self._wake_reader)
                    self._end(ChildEnding.CANCELLED)

    def _end(self, why: ChildEnding) -> None:
        """Have the tree ended, for the first reason that came."""
        if self._ending is ChildEnding.EXITED:
            self._ending, self._deadline = why, time.monotonic() + SUPERVISOR_S
            try:
                os.write(self._control, b"t")
            except BrokenPipeError:  # the supervisor has just ended by itself
                return

    def _read_output(self) -> bool:
        """One chunk; False at the end."""
        chunk = os.read(self._output, READ_BYTES)
        self._kept.add(chunk)
        if self._kept.total_bytes > self._limits.flood_bytes:
            self._end(ChildEnding.TOO_MUCH_OUTPUT)
        return bool(chunk)

    def _drain(self) -> None:
        """What is in the pipe when the command has ended; never waits for more."""
        try:
            while self._kept.total_bytes <= self._limits.flood_bytes:
                chunk = os.read(self._output, READ_BYTES)
                if not chunk:
                    return
                self._kept.add(chunk)
        except BlockingIOError:  # somebody who could not be ended holds the pipe, and is silent
            return

    def _read_status(self) -> bool:
        chunk = os.read(self._status, READ_BYTES)
        *lines, rest = (self._said + chunk).split(b"\n")
        self._said = rest[:LONGEST_REPORT]
        for line in lines:
            message = report_in(line)
            if message is not None:
                self._hear(message)
        return bool(chunk)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["event"] == "refused":
            raise _refusal(self._command, message)
        if message["event"] == "ending":
            now = time.monotonic()
            self._last_s = self._last_s or now + DYING_S + SUPERVISOR_S
            self._deadline = max(self._deadline, min(now + SUPERVISOR_S, self._last_s))
        if message["event"] == "ended":
            self._ended = message

    # -- ending -------------------------------------------------------------------------------

    def _outcome(self) -> ChildResult:
        ended = self._ended or {"code": None, "told": "", "leftovers": 0, "survivors": 0}
        if ended["told"] in _TOLD:
            self._ending = ChildEnding(ended["told"])
        elif self._ending is ChildEnding.EXITED and ended["code"] in _FILE_LIMIT_CODES:
            self._ending = ChildEnding.FILE_TOO_LARGE
        elif self._ending is ChildEnding.EXITED and self._ended is None:
            self._ending = ChildEnding.UNWATCHED
        leftovers = ended["leftovers"] + self._sweep()
        if ended["survivors"]:
            log.error("processes of a command can't be ended", count=ended["survivors"])
        return ChildResult(
            ending=self._ending,
            # A code of what was ended from outside says nothing about the command.
            exit_code=ended["code"] if self._ending is ChildEnding.EXITED else None,
            output=self._kept.output(),
            duration_s=time.monotonic() - self._begun,
            method=self._command.method,
            leftovers=leftovers if self._ending is ChildEnding.EXITED else 0,
            survivors=ended["survivors"],
        )

    def close(self) -> None:
        """Close every pipe, which ends what may still run, and collect the supervisor."""
        self._close(*self._descriptors)
        process = getattr(self, "_process", None)
        if process is None:
            return
        try:
            process.wait(SUPERVISOR_S)
        except subprocess.TimeoutExpired:
            log.error("the supervisor hangs and is killed", pid=process.pid)
            process.kill()
            process.wait()
        self._sweep()
        self._marks.close()

    def _sweep(self) -> int:
        """Without a report from the supervisor, end what carries a mark; how many there were."""
        if self._ended is not None or self._swept:
            return 0
        self._swept = True
        return self._marks.end_all()

    def _close(self, *descriptors: int) -> None:
        for descriptor in self._descriptors.intersection(descriptors):
            os.close(descriptor)
        self._descriptors.difference_update(descriptors)


# What each report says, by kind. A command that is root can write to the supervisor's pipe (`/proc/…/fd`).
LONGEST_REPORT = 20_000  # bytes
_REPORTS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "started": {"pid": int},
    "refused": {"step": str, "reason": str, "errno": (int, type(None))},
    "ending": {},
    "ended": {"code": (int, type(None)), "told": str, "leftovers": int, "survivors": int},
}


def report_in(line: bytes) -> dict[str, Any] | None:
    """A report as the supervisor writes them; None for anything else."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not isinstance(message.get("event"), str):
        return None
    fields = _REPORTS.get(message["event"])
    if fields is None or not all(isinstance(message.get(name, ...), kind) for name, kind in fields.items()):
        return None
    return message


def _refusal(command: Command, message: dict[str, Any]) -> UserFacing:
    name = command.argv[0]
    if message["step"] == "exec":
        return UserFacing(SandboxReason.PROGRAM_MISSING.of(name=name, why=os.strerror(message["errno"] or 0)))
    return UserFacing(SandboxReason.NOT_CONFINED.of(name=name, why=message["reason"]))


@dataclass(frozen=True)
class ProcessMarks:
    """Of one run. `queue_bytes` is 0 and `cgroup` None where the system has no such thing."""

    word: str
    queue_bytes: int
    cgroup: Cgroup | None

    @property
    def folder(self) -> str:
        """The folder of the cgroup; empty where there is none."""
        return str(self.cgroup.path) if self.cgroup is not None else ""

    def end_all(self) -> int:
        """Kill whoever carries one of the marks, until nobody does; how many there were."""
        killed = self.cgroup.end_all() if self.cgroup is not None else 0
        deadline = time.monotonic() + DYING_S
        # Until nobody is found: what is killed may have started something a moment before.
        while found := [process for process in psutil.process_iter() if self._are_on(process)]:
            for process in found:
                process.kill()
            _, dying = psutil.wait_procs(found, timeout=1.0)
            killed += len(found) - len(dying)
            if time.monotonic() > deadline:  # in the kernel, which does not let go of them
                log.error("processes of a command can't be ended", count=len(dying))
                break
        return killed

    def close(self) -> None:
        """Everything has ended."""
        if self.cgroup is not None:
            self.cgroup.close()

    def _are_on(self, process: psutil.Process) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            return self._has_limit(process.pid) or process.environ().get(MARK_VARIABLE) == self.word
        except (psutil.Error, OSError):  # gone, or another user's
            return False

    def _has_limit(self, pid: int) -> bool:
        if not self.queue_bytes:
            return False
        found = _QUEUE_LIMIT.search(Path(f"/proc/{pid}/limits").read_bytes())
        return found is not None and int(found[1]) == self.queue_bytes


def new_marks(cgroups: tuple[Path, ...] = ROOTS) -> ProcessMarks:
    """Marks that no other run has."""
    return ProcessMarks(secrets.token_hex(8), _queue_mark(), new_cgroup(cgroups))


def _queue_mark() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    import resource

    hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
    most = QUEUE_BYTES if hard == resource.RLIM_INFINITY else hard
    # A limit that nobody reaches serves as a mark: children inherit it, and cannot raise it again.
    return max(0, most - 1 - secrets.randbelow(min(QUEUE_MARKS, max(1, most // 2))))
