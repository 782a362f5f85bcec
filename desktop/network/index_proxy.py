"""The way out for commands that are confined to a project: a proxy on the loopback, to package indexes alone.

    proxy = IndexProxy(network, hosts)
    address = proxy.address("/home/ada/project")     # listens from here on

CONNECT to port 443 and plain requests to port 80, by the host's name; everything else is refused by name, so
that the user can be told. Each project has a secret of its own in its address: whose request it is, is then
known, and nobody else's programs are served. A name is looked up here, all its addresses have to be public,
and the connection goes to the one that was looked at.
"""

from __future__ import annotations

import base64
import binascii
import secrets
import select
import socket
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import structlog

from desktop.network.addresses import is_public
from desktop.network.client import Network
from desktop.network.failures import NetworkFailure
from desktop.network.log import because
from desktop.network.reasons import NetworkReason

log = structlog.get_logger(__name__)

HEAD_BYTES = 32 * 1024
HEAD_TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 10.0
IDLE_TIMEOUT_S = 300.0
PIECE_BYTES = 64 * 1024
MOST_CONNECTIONS = 64
MOST_REFUSED = 50
USER = "project"
SECURE, PLAIN = 443, 80


@dataclass(frozen=True)
class ProxyTarget:
    """Where a request is to go. `head` is what is sent on, empty for CONNECT."""

    method: str
    host: str
    port: int
    head: bytes

    @property
    def url(self) -> str:
        return f"{'https' if self.port == SECURE else 'http'}://{self.host}"


class ProxyRefused(Exception):
    """Answered with this status and these words; `host` is what was refused by name, or empty."""

    def __init__(self, status: int, words: str, host: str = "") -> None:
        super().__init__(words)
        self.status = status
        self.host = host


class IndexProxy:
    """Thread-safe. Nothing listens before the first `address`, nor after `close`."""

    def __init__(
        self,
        network: Network,
        hosts: Callable[[], Iterable[str]],
        may_reach: Callable[[str], bool] = is_public,
        ports: tuple[int, int] = (SECURE, PLAIN),
    ) -> None:
        """`hosts` names what is let through (".example.org": all below it), asked at each request.

        `may_reach` says of a numeric address whether a connection may go there; `ports` are those of CONNECT
        and of plain requests.
        """
        self._network = network
        self._hosts = hosts
        self._may_reach = may_reach
        self._ports = ports
        self._lock = threading.Lock()
        self._listening: socket.socket | None = None
        self._secrets: dict[str, str] = {}  # of a project: its secret
        self._refused: dict[str, deque[str]] = {}
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)

    def address(self, project: str) -> str:
        """The URL for the commands of `project`, the same until `keep` leaves it out. Raises OSError."""
        with self._lock:
            if self._listening is None:
                # On the loopback alone, and any free port: the address carries it along with the secret.
                self._listening = socket.create_server(("127.0.0.1", 0))
                threading.Thread(
                    target=self._accept, args=(self._listening,), name="index proxy", daemon=True
                ).start()
            secret = self._secrets.setdefault(project, secrets.token_urlsafe(18))
            return f"http://{USER}:{secret}@127.0.0.1:{self._listening.getsockname()[1]}"

    def take_refused(self, project: str) -> tuple[str, ...]:
        """Hosts that commands of `project` were refused since this was asked last, each once."""
        with self._lock:
            return tuple(dict.fromkeys(self._refused.pop(project, ())))

    def keep(self, projects: Collection[str]) -> None:
        """The addresses of all other projects are good for nothing any more."""
        with self._lock:
            for known in (self._secrets, self._refused):
                for project in known.keys() - set(projects):
                    del known[project]

    def close(self) -> None:
        """Stop listening; connections that are open end by themselves."""
        with self._lock:
            listening, self._listening = self._listening, None
            self._secrets.clear()
        if listening is not None:
            listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
            listening.close()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:  # closed
                return
            # So many at once are a loop or an attack: the line is dropped without a word.
            if not self._places.acquire(blocking=False):
                line.close()
                continue
            threading.Thread(target=self._serve, args=(line,), name="index proxy line", daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        try:
            with line:
                self._answer(line)
        except OSError as error:  # the command hung up, or the index did
            log.debug("a line of the index proxy ended", error=str(error))
        finally:
            self._places.release()

    def _answer(self, line: socket.socket) -> None:
        project = ""
        try:
            line.settimeout(HEAD_TIMEOUT_S)
            head, rest = _head(line)
            project = self._project(head)
            wanted = _wanted(head)
            with because(NetworkReason.FOR_COMMAND.of(project=project)):
                self._pass_on(line, wanted, rest)
        except ProxyRefused as refused:
            # Only a command of ours may have the user told about a host.
            if refused.host and project:
                with self._lock:
                    self._refused.setdefault(project, deque(maxlen=MOST_REFUSED)).append(refused.host)
            line.sendall(_answer_of(refused))

    def _project(self, head: bytes) -> str:
        """Whose secret stands in the request. Raises Refused."""
        given = _field(head, b"proxy-authorization")
        kind, _, code = given.partition(b" ")
        try:
            user, _, secret = base64.b64decode(code, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            user = secret = ""
        with self._lock:
            known = list(self._secrets.items())
        for project, expected in known:
            # In the same time for every guess, so that how long it takes gives nothing away.
            is_same = secrets.compare_digest(secret.encode(), expected.encode())
            if kind.lower() == b"basic" and user == USER and is_same:
                return project
        raise ProxyRefused(407, "Steward's proxy serves only commands that Steward has confined.")

    def _pass_on(self, line: socket.socket, wanted: ProxyTarget, rest: bytes) -> None:
        try:
            with self._network.connection(wanted.method, wanted.url) as record:
                if not self._is_listed(wanted):
                    record("refused")
                    words = (
                        f"{wanted.host} port {wanted.port} is not a package index that Steward lets through."
                    )
                    raise ProxyRefused(403, words, wanted.host)
                with self._connected(wanted) as far:
                    record("connected")
                    if wanted.head:
                        far.sendall(wanted.head)
                    else:
                        line.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    far.sendall(rest)
                    record.received(_relayed(line, far))
        except NetworkFailure as failure:
            raise ProxyRefused(503, str(failure)) from failure

    def _is_listed(self, wanted: ProxyTarget) -> bool:
        port = self._ports[0] if wanted.method == "CONNECT" else self._ports[1]
        names = tuple(self._hosts())
        # With the dot, so that evil-example.org is not below example.org.
        below = any(name.startswith(".") and wanted.host.endswith(name) for name in names)
        return wanted.port == port and (wanted.host in names or below)

    def _connected(self, wanted: ProxyTarget) -> socket.socket:
        try:
            found = socket.getaddrinfo(wanted.host, wanted.port, type=socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError) as error:
            raise ProxyRefused(502, f"{wanted.host} was not found.") from error
        addresses = [str(each[4][0]) for each in found]
        if not all(map(self._may_reach, addresses)):
            raise ProxyRefused(403, f"{wanted.host} is an address of this computer or near it.", wanted.host)
        for address in addresses:
            try:
                # To the address that was looked at: asked once more, the name might answer differently.
                return socket.create_connection((address, wanted.port), CONNECT_TIMEOUT_S)
            except OSError as error:
                log.debug("an address of an index did not answer", host=wanted.host, error=str(error))
        raise ProxyRefused(502, f"{wanted.host} does not answer.")


def _head(line: socket.socket) -> tuple[bytes, bytes]:
    """Up to the empty line, and what came behind it. Raises Refused."""
    text = b""
    while b"\r\n\r\n" not in text:
        piece = line.recv(PIECE_BYTES)
        text += piece
        if not piece or len(text) > HEAD_BYTES:
            raise ProxyRefused(400, "This is no request to a proxy.")
    head, _, rest = text.partition(b"\r\n\r\n")
    return head, rest


def _field(head: bytes, name: bytes) -> bytes:
    for each in head.split(b"\r\n")[1:]:
        key, _, value = each.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return b""


def _wanted(head: bytes) -> ProxyTarget:
    """Raises Refused for what is no request to a proxy."""
    first, *fields = head.split(b"\r\n")
    try:
        method, target, version = first.decode("ascii").split(" ")
        place = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host, port = (place.hostname or "").rstrip("."), place.port
    except (UnicodeDecodeError, ValueError) as error:
        raise ProxyRefused(400, "This is no request to a proxy.") from error
    if not host or not version.startswith("HTTP/1.") or place.username is not None:
        raise ProxyRefused(400, "This is no request to a proxy.")
    if method == "CONNECT":
        return ProxyTarget(method, host, port or 0, b"")
    if place.scheme != "http":
        raise ProxyRefused(400, "This is no request to a proxy.")
    path = place._replace(scheme="", netloc="", fragment="").geturl() or "/"
    # The secret of the project goes no further than here, and what follows on the same line would not be
    # looked at.
    own = (b"proxy-", b"connection:", b"keep-alive:")
    kept = [each for each in fields if not each.lower().startswith(own)]
    lines = [f"{method} {path} {version}".encode("ascii"), *kept, b"Connection: close"]
    return ProxyTarget(method, host, port or PLAIN, b"\r\n".join(lines) + b"\r\n\r\n")


def _relayed(near: socket.socket, far: socket.socket) -> int:
    """Pass bytes both ways until both ends are done or nothing has come for long; how many came from afar."""
    received = 0
    open_ends = {near: far, far: near}
    for each in open_ends:
        each.settimeout(IDLE_TIMEOUT_S)
    while open_ends:
        ready, _, _ = select.select(list(open_ends), [], [], IDLE_TIMEOUT_S)
        if not ready:
            break
        for each in ready:
            piece = each.recv(PIECE_BYTES)
            received += len(piece) if each is far else 0
            other = far if each is near else near
            if piece:
                other.sendall(piece)
            else:
                del open_ends[each]
                # One end may be done while the other still sends: half closed, as TCP means it.
                other.shutdown(socket.SHUT_WR)
    return received


def _answer_of(refused: ProxyRefused) -> bytes:
    body = f"{refused}\n".encode()
    ask = "Proxy-Authenticate: Basic realm=Steward\r\n" if refused.status == 407 else ""
    head = f"HTTP/1.1 {refused.status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n{ask}"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
