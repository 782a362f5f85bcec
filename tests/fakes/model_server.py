"""A model server on this computer that answers as a test says, well or badly, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler"], None]


def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """One piece of a streamed answer."""
    record = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}
    return b"data: " + json.dumps(record).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}\n\n'


def words(*pieces: str) -> Answer:
    """A good answer in these pieces."""
    said = [event({"content": each}) for each in pieces]
    return stream(b"".join((*said, event({}, "stop"), USAGE, DONE)))


def calls(*wanted: tuple[str, str]) -> Answer:
    """Calls of tools, name and arguments as text, each in two halves."""
    parts = []
    for index, (name, arguments) in enumerate(wanted):
        half = len(arguments) // 2
        first = {"index": index, "id": f"c{index}", "type": "function"}
        parts += [
            event({"tool_calls": [{**first, "function": {"name": name, "arguments": arguments[:half]}}]}),
            event({"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]}),
        ]
    return stream(b"".join((*parts, event({}, "tool_calls"), DONE)))


def stream(body: bytes, content_type: str = "text/event-stream") -> Answer:
    """Any bytes, and the end of the line."""

    def answer(handler: Handler) -> None:
        handler.head(200, content_type)
        handler.wfile.write(body)

    return answer


def status(code: int, body: bytes = b"", **headers: str) -> Answer:
    """A refusal."""

    def answer(handler: Handler) -> None:
        handler.head(code, "application/json", length=len(body), **headers)
        handler.wfile.write(body)

    return answer


def for_ever(piece: bytes, content_type: str = "text/event-stream") -> Answer:
    """The same over and over, until the other side hangs up."""

    def answer(handler: Handler) -> None:
        handler.head(200, content_type)
        while not handler.server_of.closing.is_set():
            handler.wfile.write(piece)

    return answer


def silence(before: bytes = b"", head: bool = True) -> Answer:
    """Nothing more, and the line stays open."""

    def answer(handler: Handler) -> None:
        if head:
            handler.head(200, "text/event-stream")
            handler.wfile.write(before)
            handler.wfile.flush()
        handler.server_of.began.set()
        handler.connection.settimeout(30)
        try:
            gone = handler.connection.recv(1) == b""
        except OSError:
            gone = True
        if gone:
            handler.server_of.hung_up.set()

    return answer


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server_of: ModelServer

    def do_GET(self) -> None:
        self.server_of.seen.append((self.path, dict(self.headers), {}))
        body = json.dumps({"data": [{"id": each} for each in self.server_of.models]}).encode()
        (self.server_of.listing or status(200, body))(self)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server_of.seen.append((self.path, dict(self.headers), body))
        answers = self.server_of.answers
        try:
            (answers.pop(0) if len(answers) > 1 else answers[0])(self)
        except OSError:  # the other side has had enough
            self.server_of.hung_up.set()

    def head(self, code: int, content_type: str, length: int | None = None, **headers: str) -> None:
        self.send_response(code)
        self.send_header("content-type", content_type)
        if length is not None:
            self.send_header("content-length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *_args: Any) -> None:
        """Tests print nothing."""


@dataclass
class ModelServer:
    """`answers` are given one after another, the last one again and again; `seen` has path, headers and body
    of each request."""

    answers: list[Answer] = field(default_factory=lambda: [words("Hello", " there")])
    models: tuple[str, ...] = ("big-model",)
    listing: Answer | None = None
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def shown(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the questions."""
        return [body for path, _headers, body in self.seen if path.endswith("/chat/completions")]

    @property
    def text(self) -> str:
        """All that it was sent."""
        return json.dumps([body for _path, _headers, body in self.seen], ensure_ascii=False)


@contextmanager
def model_server(*answers: Answer) -> Iterator[ModelServer]:
    """Listens until the block ends."""
    server = ModelServer(list(answers) or [words("Hello", " there")])
    handler = type("OneHandler", (Handler,), {"server_of": server})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    server.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        http.server_close()
        thread.join()
