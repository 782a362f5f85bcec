"""A loopback file server that misbehaves on request; `python -m tests.models.file_server FILE` runs it alone.

It counts every byte of a body that it sends, so that a test can prove what was not fetched twice.
"""

from __future__ import annotations

import argparse
import re
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

BLOCK_BYTES = 256 * 1024


@dataclass
class Resource:
    """One path of the server. The lists are used up request by request; empty means well-behaved."""

    body: bytes
    etag: str | None = '"v1"'
    last_modified: str | None = None
    content_type: str = "application/octet-stream"
    cut_after: list[int] = field(default_factory=list)  # close the line after so many bytes of this answer
    stall_after: list[int] = field(default_factory=list)  # send so many bytes, then nothing more
    statuses: list[int] = field(default_factory=list)  # answer with these first
    always_status: int | None = None
    ignore_range: bool = False
    wrong_byte_at: int | None = None
    declare_length: bool = True
    bytes_per_s: int | None = None
    token: str | None = None  # 401 without this bearer token
    accept_json: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)  # beside the usual ones
    redirect: str | None = None


@dataclass(frozen=True)
class Request:
    """What a client asked for."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


class FileServer:
    """Serves `resources` on 127.0.0.1; a context manager."""

    def __init__(self, resources: Mapping[str, Resource] | None = None) -> None:
        self.resources: dict[str, Resource] = dict(resources or {})
        self.requests: list[Request] = []
        self.sent_bytes = 0
        self.released = threading.Event()  # ends every stall
        self.stalling = threading.Event()  # set while an answer stalls
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="file server")

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, path: str, body: bytes, **options: object) -> Resource:
        """Add a resource and return it, to be changed at will."""
        self.resources[path] = Resource(body, **options)  # type: ignore[arg-type]  # the options are its fields
        return self.resources[path]

    def ranges(self) -> list[str | None]:
        """The Range header of each GET, in order."""
        return [request.headers.get("range") for request in self.requests if request.method == "GET"]

    def use_tls(self, context: ssl.SSLContext) -> None:
        """Speak TLS. Call before `start`."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def start(self) -> FileServer:
        self._thread.start()
        return self

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> FileServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def count(self, sent: int) -> None:
        with self._lock:
            self.sent_bytes += sent

    def note(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, address: tuple[str, int], owner: FileServer) -> None:
        super().__init__(address, _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        owner.note(Request(self.command, self.path, headers, body))
        self.close_connection = True
        resource = owner.resources.get(self.path)
        status = _refusal(resource, headers)
        if resource is None or status is not None:
            self._send_head(status or 404, {"Content-Length": "0"})
            return
        if resource.redirect is not None:
            self._send_head(302, {"Location": resource.redirect, "Content-Length": str(len(resource.body))})
            self._send_body(resource, 0)
            return
        self._send(resource, headers)

    def _send(self, resource: Resource, headers: Mapping[str, str]) -> None:
        offset = _offset(resource, headers)
        size = len(resource.body)
        if offset > 0 and offset >= size:
            self._send_head(416, {"Content-Length": "0", "Content-Range": f"bytes */{size}"})
            return
        answer = {"Content-Type": resource.content_type, **resource.headers}
        if resource.declare_length:
            answer["Content-Length"] = str(size - offset)
        if resource.etag:
            answer["ETag"] = resource.etag
        if resource.last_modified:
            answer["Last-Modified"] = resource.last_modified
        if offset:
            answer["Content-Range"] = f"bytes {offset}-{size - 1}/{size}"
        self._send_head(206 if offset else 200, answer)
        if self.command != "HEAD":
            self._send_body(resource, offset)

    def _send_head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def _send_body(self, resource: Resource, offset: int) -> None:
        cut = resource.cut_after.pop(0) if resource.cut_after else None
        stall = resource.stall_after.pop(0) if resource.stall_after else None
        limits = [limit for limit in (cut, stall) if limit is not None]
        view = memoryview(_body(resource))[offset:]
        for block in _blocks(view[: min(limits)] if limits else view, resource.bytes_per_s):
            if resource.bytes_per_s:
                self.server.owner.released.wait(len(block) / resource.bytes_per_s)
            self.wfile.write(block)
            self.server.owner.count(len(block))
        if stall is not None:
            self.server.owner.stalling.set()
            self.server.owner.released.wait(60)
        if cut is not None:
            self.connection.shutdown(socket.SHUT_RDWR)


def _refusal(resource: Resource | None, headers: Mapping[str, str]) -> int | None:
    if resource is None:
        return 404
    if resource.statuses:
        return resource.statuses.pop(0)
    if resource.token is not None and headers.get("authorization") != f"Bearer {resource.token}":
        return 401
    return resource.always_status


def _offset(resource: Resource, headers: Mapping[str, str]) -> int:
    match = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
    guard = headers.get("if-range")
    if match is None or resource.ignore_range:
        return 0
    if guard is not None and guard not in (resource.etag, resource.last_modified):
        return 0
    return int(match.group(1))


def _body(resource: Resource) -> bytes:
    if resource.wrong_byte_at is None:
        return resource.body
    changed = bytearray(resource.body)
    changed[resource.wrong_byte_at] ^= 0xFF
    return bytes(changed)


def _blocks(view: memoryview, bytes_per_s: int | None) -> list[memoryview]:
    size = BLOCK_BYTES if bytes_per_s is None else max(bytes_per_s // 50, 1)
    return [view[start : start + size] for start in range(0, len(view), size)]


def main() -> None:
    """Serve one file until killed; prints the address."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--bytes-per-s", type=int)
    arguments = parser.parse_args()
    server = FileServer()
    server.serve(f"/{arguments.file.name}", arguments.file.read_bytes(), bytes_per_s=arguments.bytes_per_s)
    server.start()
    print(f"{server.url}/{arguments.file.name}", flush=True)


if __name__ == "__main__":
    main()
