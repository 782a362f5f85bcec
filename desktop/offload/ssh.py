"""The line to a worker: OpenSSH's own client, one shared connection, nothing forwarded.

Everything about the host (address, port, user, key, jump hosts) is the user's ssh configuration. A host whose
key ssh does not know is not spoken to: nobody could be asked here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.errors import WithReason
from desktop.offload.reasons import OffloadReason
from desktop.offload.workers import Worker
from desktop.paths import PRIVATE_FOLDER, ensure

# Programs of this computer that builds elsewhere need, with the package that Debian has them in.
NEEDED_HERE = {"ssh": "openssh-client", "rsync": "rsync", "git": "git"}
CONNECT_S = 5
KEPT_S = 600  # how long the shared connection outlives its last user
ALIVE_S, ALIVE_TIMES = 5, 3  # after so many unanswered questions a line is given up
_SHORT = 80  # a socket's path may have 104 bytes on some systems, and ssh adds a suffix of 17


class Unreachable(WithReason):
    """No connection; `reason` is ssh's own last line."""


class SshConnection:
    """The connection to one worker. Any thread and any process: they share it by its socket."""

    def __init__(self, worker: Worker, runtime: Path) -> None:
        """`runtime` is the profile's folder for sockets."""
        self.worker = worker
        self._socket = _socket_path(runtime, worker)

    @property
    def words(self) -> tuple[str, ...]:
        """`ssh …` up to the host, for a command that goes through the shared connection."""
        return (*self._common, "-o", "ControlMaster=no", self.worker.host)

    @property
    def for_rsync(self) -> str:
        """The same without the host, as rsync's -e wants it: one text that it splits at blanks by itself."""
        words = (*self._common, "-o", "ControlMaster=no")
        return " ".join(f'"{word}"' if " " in word else word for word in words)

    def is_open(self) -> bool:
        """Whether somebody listens at the socket."""
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
            try:
                probe.connect(str(self._socket))
            except OSError:
                return False
        return True

    def open(self) -> None:
        """Make the shared connection where there is none. Raises Unreachable."""
        if self.is_open():
            return
        if shutil.which("ssh") is None:
            raise Unreachable(OffloadReason.PROGRAM_MISSING_HERE.of(name="ssh", package=NEEDED_HERE["ssh"]))
        ensure(self._socket.parent)
        words = (*self._common, "-f", "-N", "-M", "-o", f"ControlPersist={KEPT_S}", self.worker.host)
        # Its own session: Ctrl+C at the terminal must not end what other commands use, too. Its standard
        # error is a file, because the process that stays behind would hold a pipe open for good.
        with _told(self._socket) as told:
            try:
                with told.open("wb") as file:
                    done = subprocess.run(
                        words,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=file,
                        timeout=CONNECT_S * 4,
                        start_new_session=True,
                        check=False,
                    )
            except subprocess.TimeoutExpired as error:
                why = OffloadReason.UNREACHABLE.of(worker=self.worker.name, why="no answer")
                raise Unreachable(why) from error
            said = told.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        # Two that come at once: the second finds the socket taken, and may use it.
        if done.returncode and not self._comes_up():
            last = said[-1] if said else f"ssh ended with {done.returncode}"
            raise Unreachable(OffloadReason.UNREACHABLE.of(worker=self.worker.name, why=last))

    def close(self) -> None:
        """End the shared connection, if there is one."""
        if self.is_open():
            words = (*self._common, "-O", "exit", self.worker.host)
            subprocess.run(words, capture_output=True, timeout=CONNECT_S, check=False)

    def shell(self, script: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
        """Run `script` in the worker's bash. Raises subprocess.TimeoutExpired."""
        words = (*self.words, "bash", "-s")
        return subprocess.run(
            words, input=script.encode(), capture_output=True, timeout=timeout_s, check=False
        )

    def _comes_up(self) -> bool:
        for _ in range(20):
            if self.is_open():
                return True
            time.sleep(0.05)
        return False

    @property
    def _common(self) -> tuple[str, ...]:
        given = ("-F", self.worker.ssh_config) if self.worker.ssh_config else ()
        options = {
            "ControlPath": str(self._socket),
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "ConnectTimeout": str(CONNECT_S),
            "ServerAliveInterval": str(ALIVE_S),
            "ServerAliveCountMax": str(ALIVE_TIMES),
            # Nothing of this computer is within the worker's reach by way of the connection.
            "ForwardAgent": "no",
            "ForwardX11": "no",
            "ClearAllForwardings": "yes",
            "PermitLocalCommand": "no",
            "RequestTTY": "no",
            "LogLevel": "ERROR",
        }
        return (
            "ssh",
            *given,
            *(word for name, value in options.items() for word in ("-o", f"{name}={value}")),
        )


@contextmanager
def _told(place: Path) -> Iterator[Path]:
    """A file for what ssh says while it connects."""
    file = place.with_name(f"{place.name}.{time.monotonic_ns()}.log")
    file.touch(mode=0o600)
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _socket_path(runtime: Path, worker: Worker) -> Path:
    """Short enough for a socket, wherever the profile lies."""
    whole = "\0".join((str(runtime), worker.name, worker.host, worker.ssh_config))
    name = hashlib.sha256(whole.encode()).hexdigest()[:16]
    for folder in (runtime / "offload", Path.home() / ".cache" / "steward-ssh"):
        if len(str(folder / name)) <= _SHORT:
            return folder / name
    return _own_temporary() / name


def _own_temporary() -> Path:
    """A folder for temporary files that is this user's alone; anybody could have made one of its name."""
    import tempfile  # in few profiles it comes to this

    place = Path(tempfile.gettempdir()) / f"steward-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=PRIVATE_FOLDER)
    found = place.lstat()
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return place if is_own else Path(tempfile.mkdtemp(prefix="steward-"))
