"""A tiny real server for hook clients: it reads one request whole, then says exactly what a test wants."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

WAIT_S = 10.0
Answer = Callable[[socket.socket], None]


def says(*parts: bytes) -> Answer:
    """Send these bytes and close."""

    def answer(line: socket.socket) -> None:
        for part in parts:
            line.sendall(part)

    return answer


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Answering:
    """Listens on a free port of 127.0.0.1, or on a Unix socket; keeps the requests."""

    def __init__(self, answer: Answer, path: Path | None = None) -> None:
        self._answer = answer
        self.requests: list[bytes] = []
        self.ended = threading.Event()  # lets an answer wait until the test is over
        family = socket.AF_INET if path is None else socket.AF_UNIX
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.bind(("127.0.0.1", 0) if path is None else str(path))
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
                self.requests.append(_request(line))
                try:
                    self._answer(line)
                except OSError:
                    continue  # the client had enough


def _request(line: socket.socket) -> bytes:
    """One request whole, or what came of it."""
    got = b""
    while not _is_whole(got):
        part = line.recv(65_536)
        if not part:
            break
        got += part
    return got


def _is_whole(got: bytes) -> bool:
    head, end, body = got.partition(b"\r\n\r\n")
    fields = dict(each.lower().split(b": ", 1) for each in head.split(b"\r\n")[1:] if b": " in each)
    return bool(end) and len(body) >= int(fields.get(b"content-length", b"0"))
