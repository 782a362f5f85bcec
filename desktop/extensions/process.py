"""One extension's process, called over a pipe: started late, watched, and ended without asking it.

    keeper = Keeper()
    process = Process(ChildSpec("units", folder, "extension.py", confined=True), keeper, requests, log)
    process.call("on_plain_text", {"text": "…"}, facts, timeout_s=5.0)

A call blocks its thread, which reads the pipe itself; the keeper's one thread ends the process when the limit
is over, and that ends the reading. So a call costs two system calls and no change of threads, and one that
hangs costs its limit.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import structlog

from desktop.errors import WithReason
from desktop.extensions.reasons import ExtensionReason
from desktop.reasons import Reason
from desktop.sandbox import landlock, seccomp

log = structlog.get_logger(__name__)

VERB = "extension-host"  # of the bundle, which has no bare interpreter
START = (
    "import sys; sys.path.append(sys.argv[1]); from desktop.extensions.child import main; main(sys.argv[2:])"
)
PROGRAM = str(Path(__file__).resolve().parents[2])
TEXT_BYTES = 256_000  # of what a callback may give back
# JSON writes a letter beyond ASCII in up to twelve bytes, and a result is wrapped in a few words.
LINE_BYTES = 12 * TEXT_BYTES + 10_000
MEMORY_BYTES = 256_000_000  # of address space; Python itself takes about 30 MB of it
PROCESSOR_S = 120  # in the whole life of a process; one that idles for five minutes begins anew
IDLE_S = 300.0
MOST_REQUESTS, MOST_LOGGED = 2_000, 200  # in one call
# Beside Python's own library: what its compiled modules are linked with, and how the loader finds it.
LIBRARIES = ("/usr/lib", "/lib", "/usr/lib64", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")


class CallFailed(Exception):
    """Nothing came of a call. `counts`: it speaks against the extension, and not only against the moment."""

    def __init__(self, reason: Reason, counts: bool = True) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.counts = counts


class RequestRefused(WithReason):
    """What an extension asked for is not given."""


class Requests(Protocol):
    """Answers what an extension asks for in the middle of a call."""

    def answer(self, request: Mapping[str, Any], until: float, /) -> Any:
        """A JSON value, by `until` on the monotonic clock. Raises RequestRefused."""


@dataclass(frozen=True)
class ChildSpec:
    """What runs in the child. Not `confined`: it can do what the user can do."""

    id: str
    folder: Path
    entry: str
    confined: bool
    memory_bytes: int = MEMORY_BYTES
    processor_s: int = PROCESSOR_S

    def words(self) -> tuple[str, ...]:
        """The words that start it."""
        task = {
            "folder": str(self.folder),
            "entry": self.entry,
            # A bundle's library lies in the same folder, and could not be imported any more.
            "program": "" if _is_bundle() else PROGRAM,
            "confined": self.confined,
            "memory_bytes": self.memory_bytes,
            "processor_s": self.processor_s,
            "readable": [str(self.folder), *_readable()] if self.confined else [],
            "filter": seccomp.program(seccomp.Purpose.ALONE).hex() if self.confined else "",
        }
        return (*_launcher(), json.dumps(task))


def can_confine() -> bool:
    """Whether this system can keep an extension from files, sockets and other processes."""
    return landlock.abi() >= landlock.OLDEST_ABI and seccomp.is_available()


def _is_bundle() -> bool:
    return bool(getattr(sys, "frozen", False))


def _launcher() -> tuple[str, ...]:
    if _is_bundle():
        return (sys.executable, VERB)
    return (sys.executable, "-I", "-S", "-X", "utf8", "-c", START, PROGRAM)


def _readable() -> Iterator[str]:
    if _is_bundle():
        yield from (sys.executable, str(Path(sys.executable).parent))
    else:
        yield from {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    yield from LIBRARIES


def _environment() -> dict[str, str]:
    """Next to nothing: names and tokens of the user's session are none of its business."""
    # Without the first Windows finds no side-by-side assemblies (Python's documentation of subprocess); by
    # the second a bundle finds its libraries.
    needed = ("SYSTEMROOT", "LD_LIBRARY_PATH")
    return {"LANG": "C.UTF-8", **{name: os.environ[name] for name in needed if name in os.environ}}


class ChildKeeper:
    """Starts the children, ends those whose time is over, and all of them in the end. Its thread begins with
    the first child. Thread-safe."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self.idle_s = idle_s
        self._changed = threading.Condition()
        self._wanted: list[tuple[ChildSpec, Future[subprocess.Popen[bytes]]]] = []
        self._until: dict[subprocess.Popen[bytes], float] = {}
        self._looks_at = 0.0
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, spec: ChildSpec) -> subprocess.Popen[bytes]:
        """A child that runs until its time is over. Raises OSError."""
        made: Future[subprocess.Popen[bytes]] = Future()
        with self._changed:
            if self._closed:
                raise OSError("the program ends")
            self._wanted.append((spec, made))
            # A child is ended with the thread that made it (PR_SET_PDEATHSIG), so that is one which stays.
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="extensions", daemon=True)
                self._thread.start()
            self._changed.notify()
        return made.result()

    def expect(self, child: subprocess.Popen[bytes], until: float) -> bool:
        """End the child at `until`; False where it is ended already."""
        with self._changed:
            if child not in self._until:
                return False
            self._until[child] = until
            # Only where the thread would sleep too long: most calls are over before it looks.
            if until < self._looks_at:
                self._changed.notify()
            return True

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """At once; nothing where it is ended already."""
        with self._changed:
            known = self._until.pop(child, None)
        if known is not None:
            _kill(child)

    def close(self) -> None:
        """End all children and the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            with self._changed:
                wanted, self._wanted = self._wanted, []
            for spec, made in wanted:
                self._make(spec, made)
            self._sleep()
        with self._changed:
            left, self._until = list(self._until), {}
        for child in left:
            _kill(child)

    def _sleep(self) -> None:
        now = time.monotonic()
        with self._changed:
            over = [child for child, until in self._until.items() if until <= now]
            for child in over:
                del self._until[child]
        for child in over:
            _kill(child)
        with self._changed:
            if not self._wanted and not self._closed:
                self._looks_at = min(self._until.values(), default=now + self.idle_s)
                self._changed.wait(max(self._looks_at - time.monotonic(), 0))
                self._looks_at = 0.0

    def _make(self, spec: ChildSpec, made: Future[subprocess.Popen[bytes]]) -> None:
        try:
            child = subprocess.Popen(
                spec.words(),
                cwd=spec.folder,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            made.set_exception(error)
            return
        with self._changed:
            self._until[child] = time.monotonic() + self.idle_s
        made.set_result(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        # With what it started, where nothing keeps it from starting anything.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it has ended
            log.debug("an extension had ended by itself", pid=child.pid)
    child.kill()
    child.wait()


class Process:
    """One extension's process. One call at a time; another one waits for it. Thread-safe."""

    def __init__(
        self, spec: ChildSpec, keeper: ChildKeeper, requests: Requests, on_log: Callable[[str], object]
    ) -> None:
        self._spec = spec
        self._keeper = keeper
        self._requests = requests
        self._on_log = on_log
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def call(
        self, function: str, arguments: Mapping[str, Any], facts: Mapping[str, Any], timeout_s: float
    ) -> Any:
        """What the extension's `function` gives back, any JSON value; starting it counts as part of the time.

        Raises CallFailed. Its process is ended then, unless it only raised.
        """
        until = time.monotonic() + timeout_s
        if not self._lock.acquire(timeout=timeout_s):
            raise CallFailed(ExtensionReason.TIMED_OUT.of(seconds=timeout_s), counts=False)
        try:
            return self._called(function, arguments, facts, until)
        except (OSError, EOFError) as error:
            late = time.monotonic() >= until
            self._end()
            timed_out = ExtensionReason.TIMED_OUT.of(seconds=timeout_s)
            raise CallFailed(timed_out if late else ExtensionReason.ENDED.of()) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            # Not what the child of ours would write: something else writes to its pipe.
            self._end()
            raise CallFailed(ExtensionReason.NONSENSE.of()) from error
        finally:
            self._lock.release()

    def end(self) -> None:
        """End the process; the next call starts another one. A call under way fails."""
        child = self._child
        if child is not None:
            self._keeper.end(child)
        # Whoever is reading has read the end by now; the pipes are closed after that and not under it.
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        """Of the process, where one runs."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def _called(
        self, function: str, arguments: Mapping[str, Any], facts: Mapping[str, Any], until: float
    ) -> Any:
        child = self._running(until)
        # Unguessable, so that an answer written before the question fits none.
        call_id = secrets.token_hex(8)
        said = {"id": call_id, "call": function, "arguments": arguments, "context": facts}
        self._write(child, said)
        result = self._until_answered(child, call_id, until)
        self._keeper.expect(child, time.monotonic() + self._keeper.idle_s)
        if "error" in result:
            raise CallFailed(ExtensionReason.RAISED.of(error=_line(result["error"])))
        return result["result"]

    def _running(self, until: float) -> subprocess.Popen[bytes]:
        child = self._child
        if child is not None and self._keeper.expect(child, until) and child.poll() is None:
            return child
        if child is not None:
            # Ended for idleness, or by itself since the last call: neither is this call's fault.
            self._end()
        child = self._child = self._keeper.start(self._spec)
        self._keeper.expect(child, until)
        first = self._until_answered(child, "", until)
        if first.get("ready") is not True:
            self._end()
            raise CallFailed(ExtensionReason.NOT_STARTED.of(error=_line(first.get("error", ""))))
        return child

    def _until_answered(self, child: subprocess.Popen[bytes], call_id: str, until: float) -> dict[str, Any]:
        asked = logged = 0
        while True:
            said = self._read(child)
            if said["id"] != call_id:
                raise ValueError("an answer to another call")
            if "log" in said:
                logged += 1
                if logged <= MOST_LOGGED:
                    self._on_log(_line(said["log"]))
            elif "ask" in said:
                asked += 1
                if asked > MOST_REQUESTS:
                    self._end()
                    raise CallFailed(ExtensionReason.ASKS_TOO_MUCH.of(count=MOST_REQUESTS))
                self._write(child, self._answer(said, until))
            elif said.keys() & {"result", "error", "ready"}:
                return said
            else:
                raise ValueError("neither an answer nor a request")

    def _answer(self, said: Mapping[str, Any], until: float) -> dict[str, Any]:
        try:
            return {"answer": self._requests.answer(said, until)}
        except RequestRefused as refused:
            return {"refused": str(refused.reason)}

    def _write(self, child: subprocess.Popen[bytes], said: Mapping[str, Any]) -> None:
        assert child.stdin is not None
        child.stdin.write(json.dumps(said).encode() + b"\n")
        child.stdin.flush()

    def _read(self, child: subprocess.Popen[bytes]) -> dict[str, Any]:
        assert child.stdout is not None
        # Never more than that: who writes without an end would otherwise fill our memory.
        line = child.stdout.readline(LINE_BYTES)
        if not line.endswith(b"\n"):
            raise ValueError("a line without an end") if len(line) == LINE_BYTES else EOFError
        said = json.loads(line)
        if not isinstance(said, dict):
            raise ValueError("no object")
        return said

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        self._keeper.end(child)
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what it had not read is thrown away with it
                log.debug("a pipe was cut", extension=self._spec.id)


def _line(said: object) -> str:
    """One line of an extension's, to be shown in a log: no line ends and nothing that steers a terminal."""
    text = said if isinstance(said, str) else repr(said)
    return "".join(each if each.isprintable() else " " for each in text[:600])
