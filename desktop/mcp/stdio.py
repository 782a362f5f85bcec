"""A server as a child process: lines of JSON in and out, held to what it may do, ended with all it started.

    transport = StdioTransport(launch, on_line=…, on_end=…, note=…)
    transport.send(line)
    transport.close()

Between Steward and the server stands the supervisor of the sandbox, which ends the whole tree when Steward
is gone; the confining client of the sandbox gives the rights up before the server's program is started.
Standard error goes to the log of the server and never to a model.

One thread reads what the server says, one its standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.errors import UserFacing
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import LINE_BYTES, one_line
from desktop.reasons import Reason
from desktop.sandbox.process import MARK_VARIABLE, ProcessMarks, default_launcher, new_marks, report_in

log = structlog.get_logger(__name__)

READ_BYTES = 64 * 1024
WRITE_S = 10.0  # a server that does not read what it is told for so long hangs
END_S = 0.5  # for a server that ends by itself once nobody writes to it any more
FORCE_S = 8.0  # the supervisor has ended the tree by then
GRACE_S = 0.3
# Servers in JavaScript start a handful of helpers; a fork bomb gets no further than this.
PROCESSES = 64
MEMORY_BYTES = 2_000_000_000
FILE_BYTES = 2_000_000_000
OPEN_FILES = 16_384
NOTE_CHARACTERS = 1000
# Of what a server writes to its log so much is looked at in a while, some thousand lines; each counts for
# more than its letters.
MOST_NOTES_BYTES, NOTE_COST, NOTES_SPAN_S = 250_000, 200, 2.0
NO_WINDOW = 0x08000000  # CREATE_NO_WINDOW
WINDOWS = os.name == "nt"


@dataclass(frozen=True)
class Launch:
    """What is started. `argv` already has the words that confine it."""

    server: str
    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    memory_bytes: int = MEMORY_BYTES


class StdioTransport:
    """One running server. `send` and `close` may be called on any thread; the rest comes on its own."""

    def __init__(
        self,
        launch: Launch,
        on_line: Callable[[bytes], None],
        on_end: Callable[[Reason], None],
        note: Callable[[str], None],
    ) -> None:
        """Starts the server. `on_end` is called once, with why, when nothing comes from it any more; `note`
        takes lines for its log. Raises UserFacing where it cannot be started."""
        self._launch = launch
        self._on_line, self._on_end, self._note = on_line, on_end, note
        self._write_lock = threading.Lock()
        self._close_lock = threading.Lock()
        self._closed = False
        self._noted_from, self._noted = time.monotonic(), 0  # of its standard error
        self._trouble: Reason | None = None
        self._marks: ProcessMarks | None = None
        self._status = self._control = -1
        try:
            self._process = self._start()
        except OSError as error:
            self._close_descriptors()
            why = os.strerror(error.errno) if error.errno else str(error)
            raise UserFacing(McpReason.NOT_STARTED.of(server=launch.server, why=why)) from error
        if not WINDOWS:
            assert self._process.stdin is not None
            # A server that never reads must not hold a call for ever.
            os.set_blocking(self._process.stdin.fileno(), False)
        self._threads = [
            threading.Thread(target=target, name=f"mcp {launch.server} {name}", daemon=True)
            for name, target in (("out", self._read), ("err", self._read_errors))
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Raises UserFacing where the server has ended or does not read."""
        with self._write_lock:
            try:
                self._write(line)
            except (OSError, ValueError) as error:  # ValueError: its input is closed already
                raise UserFacing(self._trouble or self._died()) from error

    def forget(self, number: int) -> None:
        """Nobody waits for this answer any more; when it comes it is a line like others."""

    def close(self, why: Reason | None = None) -> None:
        """End the server and all that it started; returns when it is gone. `why` is what calls are told."""
        with self._close_lock:
            self._trouble = self._trouble or why
            if self._closed:
                return
            self._closed = True
            self._end()
        # Before the descriptors: a number closed under a reader may be another file by the next read.
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(FORCE_S)
        self._close_descriptors()

    # -- starting -----------------------------------------------------------------------------

    def _start(self) -> subprocess.Popen[bytes]:
        return self._start_alone() if WINDOWS else self._start_supervised()

    def _start_alone(self) -> subprocess.Popen[bytes]:
        launch = self._launch
        return subprocess.Popen(
            launch.argv,
            cwd=launch.folder,
            env=dict(launch.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=NO_WINDOW,
            bufsize=0,
        )

    def _start_supervised(self) -> subprocess.Popen[bytes]:
        launch, self._marks = self._launch, new_marks()
        folder = os.open(launch.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._status, status = os.pipe()
        control, self._control = os.pipe()
        task = {
            "argv": list(launch.argv),
            "folder": folder,
            "method": "none",  # the confining client among the words of `argv` does it
            "writable": [],
            "control": control,
            "status": status,
            "queue_mark": self._marks.queue_bytes,
            "cgroup": self._marks.folder,
            "processes": PROCESSES,
            "memory_bytes": launch.memory_bytes,
            "file_bytes": FILE_BYTES,
            "open_files": OPEN_FILES,
            "grace_s": GRACE_S,
        }
        try:
            return subprocess.Popen(
                [*default_launcher(), json.dumps(task)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**launch.environment, "PWD": str(launch.folder), MARK_VARIABLE: self._marks.word},
                pass_fds=(folder, control, status),
                # Ctrl+C in a terminal is for Steward, which ends its servers by itself.
                start_new_session=True,
                bufsize=0,
            )
        finally:
            for each in (folder, control, status):
                os.close(each)

    # -- writing ------------------------------------------------------------------------------

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        if WINDOWS:
            self._process.stdin.write(line)
            return
        handle, left = self._process.stdin.fileno(), memoryview(line)
        deadline = time.monotonic() + WRITE_S
        while left:
            _, ready, _ = select.select([], [handle], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                self._trouble = McpReason.SILENT.of(server=self._launch.server)
                raise TimeoutError
            with contextlib.suppress(
                BlockingIOError
            ):  # another thread cannot have taken the room: a spurious wake
                left = left[os.write(handle, left) :]

    # -- reading ------------------------------------------------------------------------------

    def _read(self) -> None:
        """Whole lines, as they come. What is longer than a line may be ends the server."""
        assert self._process.stdout is not None
        handle = self._process.stdout.fileno()
        held: list[bytes] = []
        size = 0
        while chunk := _chunk(handle):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                whole = b"".join((*held, line))
                held, size = [], 0
                self._told(whole)
            held.append(rest)
            size += len(rest)
            # Counted before the line is whole: one without an end must not fill the memory.
            if size > LINE_BYTES:
                self._give_up(McpReason.LINE_TOO_LONG.of(server=self._launch.server))
                break
        # An end that was wanted has its reason already.
        if not self._closed:
            self._trouble = self._trouble or self._why_ended()
        self._on_end(self._trouble or self._died())

    def _told(self, line: bytes) -> None:
        stripped = line.strip()
        if stripped:
            self._on_line(stripped)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        handle = self._process.stderr.fileno()
        held = b""
        while chunk := _chunk(handle):
            if self._is_flood():
                held = chunk.rpartition(b"\n")[2]
                continue
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                self._note_line(line)
            if len(held) > READ_BYTES:  # nobody reads a line as long as that
                self._note_line(held)
                held = b""
        self._note_line(held)

    def _is_flood(self) -> bool:
        """What a server says without an end nobody reads, and each line costs more here than there."""
        now = time.monotonic()
        if now - self._noted_from > NOTES_SPAN_S:
            self._noted_from, self._noted = now, 0
        return self._noted > MOST_NOTES_BYTES

    def _note_line(self, line: bytes) -> None:
        self._noted += min(len(line), NOTE_CHARACTERS) + NOTE_COST
        text = one_line(line[: 4 * NOTE_CHARACTERS].decode("utf-8", "replace"), NOTE_CHARACTERS)
        if text:
            self._note(text)

    def _why_ended(self) -> Reason:
        """Of a server that ended by itself: what the supervisor says of it."""
        said = self._status_lines()
        refused = next((each for each in said if each.get("event") == "refused"), None)
        if refused is not None:
            why = os.strerror(refused["errno"]) if refused.get("errno") else str(refused["reason"])
            return McpReason.NOT_STARTED.of(server=self._launch.server, why=why)
        return self._died()

    def _status_lines(self) -> list[dict[str, Any]]:
        if self._status < 0:
            return []
        said, deadline = b"", time.monotonic() + 1.0
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([self._status], [], [], left)
            chunk = os.read(self._status, READ_BYTES) if ready else b""
            if not chunk:
                break
            said += chunk
        return [report for line in said.splitlines() if (report := report_in(line)) is not None]

    def _died(self) -> Reason:
        return McpReason.DIED.of(server=self._launch.server)

    # -- ending -------------------------------------------------------------------------------

    def _give_up(self, why: Reason) -> None:
        """From the reading thread: nothing more is read, the rest is ended by `close`."""
        self._trouble = self._trouble or why
        self._kill()

    def _end(self) -> None:
        """As the protocol says: close its input, wait, ask, then force."""
        process = self._process
        with self._write_lock, contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._kill()
        try:
            process.wait(FORCE_S)
        except subprocess.TimeoutExpired:
            log.error("the supervisor of a server hangs and is killed", pid=process.pid)
            process.kill()
            process.wait()
            if self._marks is not None:
                self._marks.end_all()

    def _kill(self) -> None:
        if WINDOWS:
            self._kill_tree()
            return
        with contextlib.suppress(OSError):  # it has just ended by itself
            os.write(self._control, b"t")

    def _kill_tree(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(self._process.pid)
            for each in (*parent.children(recursive=True), parent):
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()

    def _close_descriptors(self) -> None:
        for name in ("_status", "_control"):
            handle = getattr(self, name)
            setattr(self, name, -1)
            if handle >= 0:
                os.close(handle)
        process = getattr(self, "_process", None)
        for stream in (process.stdout, process.stderr) if process is not None else ():
            if stream is not None:
                stream.close()
        if self._marks is not None:
            self._marks.close()


def _chunk(handle: int) -> bytes:
    try:
        return os.read(handle, READ_BYTES)
    except OSError:  # closed while we read: the end of the server
        return b""
