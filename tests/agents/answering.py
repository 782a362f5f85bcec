"""A tiny real server for hook clients: it proves itself, reads one request, then says what a test wants.

Its proofs are made with the standard library's HMAC from the words of `desktop/agents/tokens.py`, so that the
clients' own arithmetic is checked against another.
"""

from __future__ import annotations

import hashlib
import hmac
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

WAIT_S = 10.0
TOKEN = "se-cret"
NONCE = b"00112233445566778899aabbccddeeff"


@dataclass(frozen=True)
class Request:
    """What a client asked, after both had proven themselves."""

    what: str
    body: bytes
    was_proven: bool


@dataclass
class Talk:
    """One line, met: the answers that may be given on it."""

    line: socket.socket
    key: bytes
    nonces: bytes

    def mac(self, label: bytes, content: bytes) -> bytes:
        return hmac.new(self.key, label + b"\n" + self.nonces + content, hashlib.sha256).hexdigest().encode()

    def sealed(self, body: bytes = b"", code: str = "0", error: bytes = b"") -> bytes:
        head = f"{code} {len(error)} {len(body)}".encode()
        return head + b" " + self.mac(b"answer", head + b"\n" + error + body) + b"\n" + error + body

    def send(self, content: bytes) -> None:
        self.line.sendall(content)


Answer = Callable[[Talk], None]
Raw = Callable[[socket.socket], None]


def says(body: bytes = b"", code: str = "0", error: bytes = b"") -> Answer:
    """Answer so and close."""
    return lambda talk: talk.send(talk.sealed(body, code, error))


class Answering:
    """Listens on a free port of 127.0.0.1, or on a Unix socket; keeps the requests.

    `raw` speaks in place of all of it, as another program would. `greeting` changes what is said first.
    """

    def __init__(
        self,
        answer: Answer = says(),  # noqa: B008 - it holds nothing
        path: Path | None = None,
        *,
        port: int = 0,
        tokens: Callable[[], tuple[str, ...]] = lambda: (TOKEN,),
        raw: Raw | None = None,
        greeting: Callable[[bytes], bytes] = lambda said: said,
    ) -> None:
        self._answer, self._raw, self._greeting, self._tokens = answer, raw, greeting, tokens
        self.requests: list[Request] = []
        self.heads: list[bytes] = []  # what clients said first
        self.ended = threading.Event()  # lets an answer wait until the test is over
        family = socket.AF_INET if path is None else socket.AF_UNIX
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port) if path is None else str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, name="answering")
        self.address = str(self._socket.getsockname()[1]) if path is None else str(path)

    def __enter__(self) -> Answering:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(WAIT_S)

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            with line:
                line.settimeout(WAIT_S)
                try:
                    self._one(line)
                except OSError:
                    continue  # the client had enough

    def _one(self, line: socket.socket) -> None:
        if self._raw is not None:
            self.heads.append(line.recv(65_536))
            self._raw(line)
            return
        with line.makefile("rb") as said:
            first = said.readline()
            if not first:
                return
            self.heads.append(first)
            _, name, nonce = first.split()
            talk = self._met(line, name, nonce)
            if talk is None:
                line.sendall(b"unknown\n")
                return
            proof = talk.mac(b"server", b"")
            line.sendall(self._greeting(NONCE + b" " + proof + b"\n"))
            head = said.readline()
            if not head:
                return
            what, size, given = head.split()
            body = said.read(int(size))
            proven = given == talk.mac(b"request", what + b"\n" + body)
            self.requests.append(Request(what.decode(), body, proven))
            self._answer(talk)

    def _met(self, line: socket.socket, name: bytes, nonce: bytes) -> Talk | None:
        for token in self._tokens():
            key = hashlib.sha256(token.encode()).digest()
            if hashlib.sha256(b"steward key\n" + key).hexdigest()[:16].encode() == name:
                return Talk(line, key, nonce + b" " + NONCE + b"\n")
        return None
