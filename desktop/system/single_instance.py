"""One Steward per profile: a second start hands its arguments to the first and is done.

Two things, because each alone has a hole. A file lock decides who is first; the operating system lets go of
it at any death, so nothing stale can stay. A local socket carries the arguments; what a killed process left
of it is removed by the next holder of the lock. Both lie in a folder that only the user can enter, since
whoever reaches the socket can open windows here.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog
from filelock import FileLock, Timeout
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure
from desktop.reasons import Reason
from desktop.system.reasons import SystemReason

log = structlog.get_logger(__name__)

# An address of a socket holds 104 bytes (macOS); Qt first binds under a longer, temporary name beside it.
LONGEST_SOCKET_PATH = 80
LARGEST_MESSAGE_BYTES = 64 * 1024
ACKNOWLEDGED = b"ok\n"


@dataclass(frozen=True)
class LaterStart:
    """What a later start asked for: its arguments, and on Wayland its leave to take the focus."""

    arguments: tuple[str, ...]
    activation_token: str = ""


class SingleInstance(QObject):
    """Holds a profile, or finds that another process holds it. Main thread only."""

    asked = Signal(object)  # LaterStart

    def __init__(self, paths: Paths, patience_s: float = 10.0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths = paths
        self._patience_s = patience_s
        self._lock = FileLock(paths.instance_lock, mode=0o600)
        self._server: QLocalServer | None = None

    def start(self, arguments: Sequence[str]) -> bool:
        """True: this process is the first, and `asked` tells of later ones. False: the first has been told.

        Raises UserFacing (`instance-silent`) when the first process does not answer in time,
        (`instance-serving`) when that is `steward serve`, which has no window, and (`instance-refused`)
        when the folder cannot be used.
        """
        deadline = time.monotonic() + self._patience_s
        message = _encoded(LaterStart(tuple(arguments), os.environ.get("XDG_ACTIVATION_TOKEN", "")))
        while True:
            # The lock decides and not the socket, which a killed process leaves behind.
            if self._take_lock():
                self._listen()
                return True
            if _send(_socket_name(self._paths), message, deadline):
                return False
            if time.monotonic() >= deadline:
                raise _silent(self._paths)
            time.sleep(0.05)  # the first is between taking the lock and listening, or is just leaving

    def close(self) -> None:
        """Stop listening and let the next start be the first. Safe to call twice."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.release()

    def _take_lock(self) -> bool:
        try:
            ensure(self._paths.instance_lock.parent)
            self._lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError as error:
            raise _refused(str(error)) from error
        return True

    def _listen(self) -> None:
        name = _socket_name(self._paths)
        QLocalServer.removeServer(name)  # left by a process that was killed; we hold the lock
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_new_connection)
        if not server.listen(name):
            self._lock.release()
            raise _refused(server.errorString())
        self._server = server

    @Slot()
    def _on_new_connection(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()):
            # No closure here: one that holds `self` would end it inside the socket's own destructor.
            socket.readyRead.connect(self._on_ready_read)
            socket.disconnected.connect(socket.deleteLater)
            self._read(socket)  # what came before the signal was connected

    @Slot()
    def _on_ready_read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            # A line that never ends must not fill the memory.
            if socket.bytesAvailable() > LARGEST_MESSAGE_BYTES:
                socket.abort()
            return
        later = _decoded(bytes(socket.readLine(LARGEST_MESSAGE_BYTES).data()))
        if later is None:
            socket.abort()
            return
        # Answered before it is acted upon: the later start waits for it, and windows take their time.
        socket.write(ACKNOWLEDGED)
        socket.flush()
        socket.disconnectFromServer()
        self.asked.emit(later)


def _send(name: str, message: bytes, deadline: float) -> bool:
    """Whether the process behind `name` took the message. Blocks until it did, refused, or `deadline`."""
    _allow_foreground()
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_left_ms(deadline)):
        return False
    socket.write(message)
    answer = b""
    while len(answer) < len(ACKNOWLEDGED) and socket.waitForReadyRead(_left_ms(deadline)):
        answer += bytes(socket.readAll().data())
    socket.abort()
    return answer == ACKNOWLEDGED


def _allow_foreground() -> None:
    """Windows lets only the process that has the user's attention pass it on; the first one needs it."""
    if sys.platform == "win32":
        import ctypes

        any_process = -1
        ctypes.windll.user32.AllowSetForegroundWindow(any_process)


def _left_ms(deadline: float) -> int:
    return max(1, round((deadline - time.monotonic()) * 1000))


def _encoded(later: LaterStart) -> bytes:
    content = {"arguments": list(later.arguments), "activation_token": later.activation_token}
    message = json.dumps(content).encode() + b"\n"
    if len(message) > LARGEST_MESSAGE_BYTES:
        raise UserFacing(SystemReason.ARGUMENTS_TOO_LONG.of())
    return message


def _decoded(line: bytes) -> LaterStart | None:
    """The message; None for anything that we would not have sent."""
    try:
        content = json.loads(line)
        arguments, token = content["arguments"], content["activation_token"]
    except (ValueError, KeyError, TypeError):
        log.warning("a message to the running instance was not understood", size_bytes=len(line))
        return None
    if not isinstance(arguments, list) or not all(isinstance(part, str) for part in [*arguments, token]):
        log.warning("a message to the running instance was not understood", size_bytes=len(line))
        return None
    return LaterStart(tuple(arguments), token)


def _socket_name(paths: Paths) -> str:
    """Where the first process of this profile listens: a path, on Windows the name of a pipe."""
    lock = paths.instance_lock
    digest = hashlib.sha256(os.fsencode(lock)).hexdigest()[:16]
    if sys.platform == "win32":
        return f"steward-{digest}"
    beside = lock.with_suffix(".socket")
    if len(os.fsencode(beside)) <= LONGEST_SOCKET_PATH:
        return str(beside)
    return str(_private_folder() / digest)


def _private_folder() -> Path:
    """A folder with a short name that is ours alone; another user may have made one before us."""
    folder = Path(tempfile.gettempdir()) / f"steward-{os.getuid()}"
    ensure(folder)
    # Not through a link, which another user could have put there to lead us elsewhere.
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not ours or stat.S_IMODE(found.st_mode) & 0o077:
        raise _refused(SystemReason.FOLDER_NOT_OURS.of(folder=folder))
    return folder


def _refused(reason: Reason | str) -> UserFacing:
    return UserFacing(SystemReason.INSTANCE_REFUSED.of(reason=reason))


def _silent(paths: Paths) -> UserFacing:
    api = Tokens(paths).published()
    if api is not None and psutil.pid_exists(api.pid):  # it holds the lock without having a window
        return UserFacing(SystemReason.INSTANCE_SERVING.of(pid=api.pid))
    return UserFacing(SystemReason.INSTANCE_SILENT.of())
