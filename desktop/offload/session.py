"""The other end of resources/offload/session.sh: one call on a worker, from its lock to its receipt.

The call's standard output is this process's own: no byte of it passes through here. Its standard error does,
because the worker's words to us are lines in it, told apart by a nonce that no program can know.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from desktop.offload.ssh import SshConnection
from desktop.paths import resources

HEARTBEAT_S = 5.0
_MARK = b"\x1e"
_LONGEST_SAID = 4_096  # bytes of one of the worker's own lines
_PIECE = 65_536
LOST = ("lost",)  # the line has ended; nothing more will be said


@dataclass(frozen=True)
class WorkerCall:
    """What the worker is told. Paths are those of this computer; `sub` is the folder below `root`."""

    key: str
    root: str
    sub: str
    home: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    token: str
    clock: int  # seconds since 1970, here and now
    need_kb: int
    wait_s: int
    mask: int  # of the rights of new files
    caches: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    fetch: str = ""
    locks: str = ""
    launch: tuple[str, ...] = ()
    has_network: bool = False

    def script(self, nonce: str) -> str:
        """Values in front, then the program; every value is quoted for the shell."""
        plain = {
            "nonce": nonce,
            "key": self.key,
            "root": self.root,
            "sub": self.sub,
            "home": self.home,
            "token": self.token,
            "clock": str(self.clock),
            "need_kb": str(self.need_kb),
            "wait_s": str(self.wait_s),
            "mask": f"{self.mask:04o}",
            "fetch": self.fetch,
            "locks": self.locks,
            "network": str(int(self.has_network)),
        }
        lists: Mapping[str, Iterable[str]] = {
            "words": self.words,
            "environment": tuple(f"{name}={value}" for name, value in self.environment.items()),
            "caches": self.caches,
            "stays": self.stays,
            "launch": self.launch,
        }
        return values(plain, lists) + (resources() / "offload" / "session.sh").read_text(encoding="utf-8")


def values(plain: Mapping[str, str], lists: Mapping[str, Iterable[str]]) -> str:
    """Assignments for bash. The folders in `stays` keep their stars: `find` reads them."""
    lines = [f"{name}={shlex.quote(value)}" for name, value in plain.items()]
    lines += [f"{name}=({shlex.join(each)})" for name, each in lists.items()]
    return "\n".join(lines) + "\n"


class WorkerSession:
    """One call under way. One thread calls; `interrupt` may come from a signal's handler."""

    def __init__(self, line: SshConnection, call: WorkerCall, stdout: IO[bytes] | int | None = None) -> None:
        """`stdout` None: this process's own. Raises OSError where ssh cannot be started."""
        self._nonce = os.urandom(16).hex()
        self._said: queue.Queue[tuple[str, ...]] = queue.Queue()
        self._ended = threading.Event()
        self._process = subprocess.Popen(
            (*line.words, "bash", "-s"),
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            # Ctrl+C at the terminal is ours to pass on: ssh would only drop the line.
            start_new_session=True,
        )
        threading.Thread(target=self._listen, name="offload stderr", daemon=True).start()
        self._tell(call.script(self._nonce))
        threading.Thread(target=self._beat, name="offload heartbeat", daemon=True).start()

    def hear(self, timeout_s: float | None = None) -> tuple[str, ...]:
        """The worker's next words; LOST once the line has ended, or nothing was heard in time."""
        try:
            return self._said.get(timeout=timeout_s)
        except queue.Empty:
            return LOST

    def go(self) -> None:
        """The mirror is as it should be: begin."""
        self._tell("go\n")

    def interrupt(self, hard: bool = False) -> None:
        """Pass on SIGINT, or SIGTERM."""
        self._tell("term\n" if hard else "int\n")

    def done(self, token: str) -> None:
        """All is fetched; the mirror is now known by `token`."""
        self._tell(f"done {token}\n")
        self.close()

    def close(self) -> None:
        """End the line. What still runs there is ended by the worker."""
        self._ended.set()
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError):  # the line is dead already
            stdin.close()
        try:
            self._process.wait(timeout=HEARTBEAT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _tell(self, text: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(text.encode())
            stdin.flush()
        except (OSError, ValueError):  # dead or closed: `hear` says LOST
            return

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            self._tell(".\n")

    def _listen(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        splitter = OutputSplitter(self._nonce)
        while piece := os.read(stderr.fileno(), _PIECE):
            plain, said = splitter.feed(piece)
            _write(plain)
            for words in said:
                self._said.put(words)
        _write(splitter.rest())
        self._said.put(LOST)


class OutputSplitter:
    """Tells the worker's own lines from what the command writes. Pure but for what it holds back."""

    def __init__(self, nonce: str) -> None:
        self._head = _MARK + nonce.encode() + b" "
        self._held = b""

    def feed(self, piece: bytes) -> tuple[bytes, list[tuple[str, ...]]]:
        """What is the command's, and the worker's lines, of all that is complete by now."""
        text, plain = self._held + piece, b""
        said: list[tuple[str, ...]] = []
        while True:
            at = text.find(_MARK)
            if at < 0:
                self._held = b""
                return plain + text, said
            plain, text = plain + text[:at], text[at:]
            if not self._head.startswith(text[: len(self._head)]):
                plain, text = plain + text[:1], text[1:]
                continue
            end = text.find(b"\n")
            # A line of ours that has not come whole; nobody else can begin one with the nonce.
            if len(text) < len(self._head) or end < 0:
                self._held = text
                return plain, said
            words = text[len(self._head) : end].decode("utf-8", "replace")[:_LONGEST_SAID]
            said.append(tuple(words.split(" ")))
            text = text[end + 1 :]

    def rest(self) -> bytes:
        """What was held back, at the end."""
        held, self._held = self._held, b""
        return b"" if held.startswith(self._head) else held


def _write(data: bytes) -> None:
    while data:
        try:
            data = data[os.write(sys.stderr.fileno(), data) :]
        except OSError:  # nobody reads it any more; the command goes on as it would here
            return


def launch_words(partition: str, options: Sequence[str]) -> tuple[str, ...]:
    """What stands before the runner: nothing, or Slurm's own program, which queues, places and limits it."""
    if not partition:
        return ()
    # -X: an interrupt is passed on at once. The streams stay apart and unlabelled.
    return ("srun", "-X", "--quiet", "--ntasks=1", f"--partition={partition}", "--chdir=/", *options)
