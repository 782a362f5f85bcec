"""The sockets that the server listens on: a port of this computer, and a file that only the user can open."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog

from desktop.errors import UserFacing
from desktop.events import Event
from desktop.paths import ensure
from desktop.server.reasons import ServerReason

log = structlog.get_logger(__name__)

IPV4, IPV6 = "127.0.0.1", "::1"

BACKLOG = 256
ANY_PORT_TRIES = 8
CONNECT_S = 0.5


# This computer has no IPv6, or none on its loopback.
_NO_IPV6 = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})


@dataclass(frozen=True)
class Endpoint:
    """Where hooks are to come: the port of the settings, asked for at each start, and the socket file."""

    port: Callable[[], int]
    file: Path


@dataclass(frozen=True)
class ListenSockets:
    """All that a server listens on: `ports` on the loopback addresses, and perhaps a socket file.

    Without `ports` another program has them, as `refusal` says; hook clients come by the file then.
    """

    port: int
    ports: tuple[socket.socket, ...]
    path: Path | None = None
    file: socket.socket | None = None
    inode: int = 0
    refusal: UserFacing | None = None

    def close(self) -> None:
        """Close all of it, and remove the file if it is still ours. Safe to call twice."""
        for each in (*self.ports, *((self.file,) if self.file else ())):
            each.close()
        if self.path is None:
            return
        try:
            # Another Steward may have put its own there meanwhile.
            if self.path.lstat().st_ino == self.inode:
                self.path.unlink()
        except FileNotFoundError:
            log.debug("the socket file is gone already", path=str(self.path))


def listen(port: int, path: Path) -> ListenSockets:
    """Listen on this very port of the loopback addresses, and on the file `path` where there can be one.

    Raises UserFacing (`port-taken`) where there is neither.
    """
    # The file first: hooks can come by it also where another program has the port.
    file = listen_on_file(path)
    inode = path.lstat().st_ino if file is not None else 0
    try:
        ports = listen_on_port(port)
    except UserFacing as error:
        if file is None:
            raise
        return ListenSockets(port, (), path, file, inode, error)
    number = int(ports[0].getsockname()[1])
    return ListenSockets(number, ports, path if file is not None else None, file, inode)


def listen_on_port(port: int) -> tuple[socket.socket, ...]:
    """Bound and listening sockets on both loopback addresses, on this very port; 0 takes a free one.

    Raises UserFacing (`port-taken`) that names what answers there; another port is never taken instead,
    because the agents have been told this one.
    """
    for _ in range(ANY_PORT_TRIES):
        first = _named(socket.AF_INET, IPV4, port)
        number = int(first.getsockname()[1])
        try:
            second = _bound_ipv6(number)
        except UserFacing:
            first.close()
            # Of a given port there is only the one: agents have been told it.
            if port:
                raise
            continue  # free on one address and taken on the other: try the next free one
        return (first, second) if second else (first,)
    raise UserFacing(ServerReason.NO_FREE_PORT.of())


def _bound_ipv6(port: int) -> socket.socket | None:
    if not socket.has_ipv6:
        return None
    try:
        return _named(socket.AF_INET6, IPV6, port)
    except OSError as error:
        if error.errno in _NO_IPV6:
            return None
        raise


def listen_if_free(port: int) -> tuple[socket.socket, ...]:
    """Like `listen_on_port`, at once and without looking who has it: nothing where somebody does."""
    made: list[socket.socket] = []
    try:
        made.append(_bound(socket.AF_INET, IPV4, port))
        if socket.has_ipv6:
            made.append(_bound(socket.AF_INET6, IPV6, port))
    except OSError as error:
        if made and error.errno in _NO_IPV6:
            return tuple(made)
        for each in made:
            each.close()
        return ()
    return tuple(made)


def _named(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    """Raises UserFacing (`port-taken`) that names who has it."""
    try:
        return _bound(family, address, port)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise _taken(address, port) from error
        raise


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        _make_ours(made)
        made.bind((address, port))
        made.listen(BACKLOG)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made


def _make_ours(made: socket.socket) -> None:
    """A restart may bind at once; on Windows the same option would let others bind beside us."""
    if sys.platform == "win32":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if made.family == socket.AF_INET6:
        # IPv4 has a socket of its own; one that takes both could not be bound beside it.
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)


def listen_on_file(path: Path) -> socket.socket | None:
    """A Unix socket at `path` with mode 0600; None where there can be none, which the log explains.

    What a killed process left there is removed; what somebody answers on is not.
    """
    if sys.platform == "win32":
        return None
    try:
        ensure(path.parent)
        if _is_free(path):
            return _listening_file(path)
        log.warning("the socket file is in use or no socket; agents reach the port alone", path=str(path))
    except OSError as error:  # such as a path longer than an address of a socket holds
        log.warning("no socket file; agents reach the port alone", path=str(path), error=str(error))
    return None


def _listening_file(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(str(path))
        path.chmod(0o600)  # nobody can connect before it listens
        made.listen(BACKLOG)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made


def _is_free(path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return True
    # Only a socket of this user's is taken for a leftover; any other file of that name stays.
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid() or _answers(path):
        return False
    path.unlink(missing_ok=True)
    return True


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(CONNECT_S)
        try:
            caller.connect(str(path))
        except ConnectionRefusedError:
            return False
        except OSError:  # busy or slow is not dead
            return True
    return True


def _taken(address: str, port: int) -> UserFacing:
    return UserFacing(ServerReason.PORT_TAKEN.of(port=port, program=who_answers(address, port)))


PATIENCE_S = 1.0
LONGEST_ANSWER_BYTES = 16_384


@dataclass(frozen=True)
class OtherSteward:
    """Another Steward."""

    version: str
    pid: int


def who_answers(address: str, port: int) -> str:
    """In words, for the middle of a sentence. Takes at most a second or so; never raises."""
    steward = steward_at(address, port)
    if steward is not None:
        return f"another Steward (version {steward.version}, process {steward.pid})"
    return _owner(port) or "another program"


def steward_at(address: str, port: int) -> OtherSteward | None:
    """The Steward that answers there; None for silence and for strangers."""
    try:
        facts = json.loads(_asked(address, port).partition(b"\r\n\r\n")[2])
        if facts["program"] == "steward":
            # Shown to the user, in a terminal too, and sent by whatever program is there.
            version = "".join(filter(str.isprintable, str(facts["version"])[:40]))
            return OtherSteward(version, int(facts["pid"]))
    # Also what is nested deeper than Python follows, and a number that is none: a start must not fail for it.
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        log.info("no Steward answers there", port=port, error=str(error))
    return None


def _asked(address: str, port: int) -> bytes:
    request = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    answer = b""
    # For all of the answer: a program that sends a byte now and then must not hold up a start.
    deadline = time.monotonic() + PATIENCE_S
    with socket.create_connection((address, port), PATIENCE_S) as line:
        line.sendall(request)
        while len(answer) < LONGEST_ANSWER_BYTES and (left_s := deadline - time.monotonic()) > 0:
            line.settimeout(left_s)
            part = line.recv(4096)
            if not part:
                break
            answer += part
    return answer


def _owner(port: int) -> str:
    """The program that listens, where the system tells: it does for programs of the same user."""
    try:
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and tuple(found.laddr)[1:] == (port,) and found.pid:
                return f"{psutil.Process(found.pid).name()} (process {found.pid})"
    except (psutil.Error, OSError) as error:
        log.info("the system does not tell who listens", port=port, error=str(error))
    return ""


@dataclass(frozen=True)
class PortChanged(Event):
    """Another program has the server's port, as `refusal` says; or it is the server's again: None."""

    refusal: UserFacing | None
