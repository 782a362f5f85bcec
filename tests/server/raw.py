"""HTTP by hand, for what no client library would send."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def line_to(port: int, timeout_s: float = 10.0) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout_s) as line:
        yield line


def request(
    path: str = "/health", method: str = "GET", body: bytes = b"", host: str = "127.0.0.1", **headers: str
) -> bytes:
    """One request; underscores in the names of headers become hyphens."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def hook(command: str, token: str, **headers: str) -> bytes:
    body = f'{{"command": "{command}"}}'.encode()
    return request("/hooks/small", "POST", body, Authorization=f"Bearer {token}", **headers)


def until_closed(line: socket.socket) -> bytes:
    """Everything that comes; a reset counts as an end."""
    parts = []
    try:
        while part := line.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        parts.append(b"")
    return b"".join(parts)


def answer(line: socket.socket) -> tuple[int, bytes]:
    """Status and body of one answer; the rest of the line stays unread."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        assert byte, f"the line ended after {head!r}"
        head += byte
    size = 0
    for each in head.split(b"\r\n"):
        name, _, value = each.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    body = b""
    while len(body) < size:
        part = line.recv(size - len(body))
        assert part, "the answer was cut off"
        body += part
    return int(head.split(b" ")[1]), body
