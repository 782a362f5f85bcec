"""A server at an address on this computer: JSON, streams of events, refusals and hostile answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.mcp.http import MOST_REPLIES
from desktop.mcp.servers import Servers
from desktop.settings import McpServer
from tests.mcp.conftest import House
from tests.mcp.test_servers import call

TOOL = {
    "name": "echo",
    "description": "Says it.",
    "inputSchema": {"properties": {"text": {"type": "string"}}},
}


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


# What servers that know no handshake find amiss with one, first of all.
REFUSALS = {"other version": -32022, "no header": -32020, "no meta": -32602, "no method": -32601}


class Handler(BaseHTTPRequestHandler):
    """Answers as `mode` says, and keeps what it was asked."""

    mode = "json"
    replies = 0
    over: threading.Event
    seen: list[tuple[dict[str, str], dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.mode == "slow notifications" and "id" not in body:
            time.sleep(0.2)
        headers = {key.lower(): value for key, value in self.headers.items()}
        type(self).seen.append((headers, body))
        method = body.get("method")
        if method is None:
            type(self).replies += 1
            self.over.wait(20.0)
            self._send(202, b"", "text/plain")
        elif "id" not in body:
            self._send(202, b"", "text/plain")
        elif method == "initialize" and self.mode in REFUSALS:
            error = {"code": REFUSALS[self.mode], "message": "no", "data": {"supported": ["2026-07-28"]}}
            self._send(400, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode())
        elif method == "initialize":
            self._answer(body, {"protocolVersion": "2025-11-25", "capabilities": {}})
        elif method == "server/discover":
            self._answer(body, {"supportedVersions": ["2026-07-28"], "capabilities": {}})
        elif method == "tools/list":
            self._answer(body, {"tools": [TOOL]})
        else:
            self._called(body)

    def do_GET(self) -> None:
        """The rest of a stream that was cut behind event-1."""
        headers = {key.lower(): value for key, value in self.headers.items()}
        type(self).seen.append((headers, {"method": "GET"}))
        call = next(body for _headers, body in self.seen if body["method"] == "tools/call")
        if self.mode == "cut again" or headers.get("last-event-id") != "event-1":
            self._send(200, b"id: event-1\nretry: 1\ndata: \n\n", "text/event-stream")
        else:
            text = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": said("hello")})
            self._send(200, f"id: event-2\ndata: {text}\n\n".encode(), "text/event-stream")

    def _called(self, body: dict[str, Any]) -> None:
        match self.mode:
            case "cut":
                self._send(200, b"data: \n\n", "text/event-stream")
            case "taken up" | "cut again":
                self._send(200, b"id: event-1\nretry: 1\ndata: \n\n", "text/event-stream")
            case "forgotten":
                error = {"code": -32001, "message": "Session not found"}
                self._send(404, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
            case "nameless refusal":
                error = {"code": -32000, "message": "Bad Request: no such thing"}
                self._send(400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
            case "gone":
                self._send(404, b"")
            case "wants a key":
                self._send(401, b"")
            case "moved":
                self.send_response(307)
                self.send_header("location", "http://localhost:9/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()
            case "page":
                self._send(200, b"<html>", "text/html")
            case "endless" | "drips" | "asks in a flood":
                self._streams(body)
            case _:
                self._answer(body, said(body["params"]["arguments"]["text"]))

    def _streams(self, body: dict[str, Any]) -> None:
        if self.mode == "asks in a flood":
            ping = '{{"jsonrpc": "2.0", "id": "q{}", "method": "ping"}}'
            asked = "".join(f"data: {ping.format(number)}\n\n" for number in range(500))
            done = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": said("hello")})
            self._send(200, f"{asked}data: {done}\n\n".encode(), "text/event-stream")
        elif self.mode == "drips":
            self._drips()
        else:
            self._endless()

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            for _ in range(10_000):
                self.wfile.write(b"data: " + b"x" * 10_000 + b"\n")
        except OSError:  # the other side has had enough, which is what is wanted
            return

    def _drips(self) -> None:
        """For as long as anybody listens."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            while not self.over.wait(0.01):
                self.wfile.write(b": still there\n\n")
        except OSError:
            self.over.set()

    def _answer(self, body: dict[str, Any], result: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result})
        if self.mode == "events":
            notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
            self._send(
                200, f": hi\nevent: message\ndata: {notice}\n\ndata: {text}\n\n".encode(), "text/event-stream"
            )
        else:
            self._send(200, text.encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("mcp-session-id", "s1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Quiet."""


Start = Callable[..., tuple[Servers, type[Handler]]]


@pytest.fixture
def start(house: House) -> Iterator[Start]:
    made: list[ThreadingHTTPServer] = []

    def begin(mode: str, **settings: Any) -> tuple[Servers, type[Handler]]:
        handler = type("One", (Handler,), {"mode": mode, "seen": [], "over": threading.Event()})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,)).start()
        made.append(server)
        url = f"http://127.0.0.1:{server.server_address[1]}/mcp"
        house.settings = {"it": McpServer(url=url, **settings)}
        return house.servers(), handler

    yield begin
    house.made[0].close() if house.made else None
    house.core.network.close()
    for each in made:
        each.shutdown()
        each.server_close()


@pytest.mark.parametrize("mode", ["json", "events", "taken up", *REFUSALS])
def test_a_call_goes_there_and_back(start: Start, house: House, mode: str) -> None:
    """With one JSON object, with a stream of events, without a handshake, and with a stream that is cut
    before the answer; each is in the log of requests."""
    servers, handler = start(mode, headers={"Authorization": "keyring:k"})
    house.secrets = {"k": "Bearer 1"}
    servers.look("it")
    assert call(servers) == "hello"
    headers, body = handler.seen[-1]
    assert headers["authorization"] == "Bearer 1"
    assert (headers.get("last-event-id") == "event-1") == (mode == "taken up")
    if mode in REFUSALS:
        assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "echo")
        assert body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    else:
        assert headers["mcp-protocol-version"] == "2025-11-25"
    records = [each for each in house.core.network.log if each.method == "POST"]
    assert str(records[-1].why) == "Tools of the server it"
    assert records[-1].host == "127.0.0.1"


def test_no_request_overtakes_a_notification(start: Start) -> None:
    """A server may refuse what comes before "initialized", however slow the line was that it came on."""
    servers, handler = start("slow notifications")
    servers.look("it")
    assert [body["method"] for _headers, body in handler.seen] == [
        "initialize",
        "notifications/initialized",
        "tools/list",
    ]


@pytest.mark.parametrize("mode", ["json", "events"])
def test_a_session_is_kept(start: Start, mode: str) -> None:
    """As the server names it with the handshake, in whichever form it answers that."""
    servers, handler = start(mode)
    servers.look("it")
    assert [headers.get("mcp-session-id") for headers, _body in handler.seen] == [None, "s1", "s1"]


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("gone", "http-status"),
        ("wants a key", "http-sign-in"),
        ("moved", "http-status"),
        ("page", "http-kind"),
        ("endless", "line-too-long"),
        ("cut", "stream-cut"),
        ("cut again", "stream-cut"),
        ("forgotten", "http-status"),
        ("nameless refusal", "refused"),
    ],
)
def test_what_goes_wrong_there_is_a_sentence(start: Start, mode: str, code: str) -> None:
    """No redirect is followed, nothing without an end is read, and no page is taken for an answer."""
    servers, _handler = start(mode)
    servers.look("it")
    with pytest.raises(UserFacing) as failed:
        call(servers, timeout_s=20.0)
    assert failed.value.code == code


def test_what_a_server_asks_in_a_flood_starts_no_flood(start: Start) -> None:
    """Each reply is a request of its own: a few are under way, the others are not sent."""
    servers, handler = start("asks in a flood")
    servers.look("it")
    try:
        assert call(servers, timeout_s=20.0) == "hello"
        posting = [each for each in threading.enumerate() if each.name == "mcp it post"]
        assert len(posting) <= MOST_REPLIES + 1  # that of the call may just be ending
        assert handler.replies <= MOST_REPLIES
    finally:
        handler.over.set()


def test_an_answer_that_never_ends_is_not_listened_to_any_longer(start: Start) -> None:
    """After the call's own time the stream is shut; the next call needs no other session."""
    servers, handler = start("drips")
    servers.look("it")
    with pytest.raises(UserFacing) as failed:
        call(servers, timeout_s=0.3)
    assert failed.value.code == "silent"
    assert handler.over.wait(20.0)
    handler.mode = "json"
    assert call(servers) == "hello"
    assert [body.get("method") for _headers, body in handler.seen].count("initialize") == 1


def test_a_session_that_was_forgotten_is_begun_anew(start: Start) -> None:
    """The call that finds out fails; the next one shakes hands again."""
    servers, handler = start("forgotten")
    servers.look("it")
    with pytest.raises(UserFacing):
        call(servers, timeout_s=20.0)
    handler.mode = "json"
    assert call(servers) == "hello"
    assert [body["method"] for _headers, body in handler.seen].count("initialize") == 2


def test_offline_nothing_is_sent(start: Start, house: House) -> None:
    """The switch of the Network page holds for servers too."""
    servers, handler = start("json")
    house.core.settings.change("network", "offline", True)
    with pytest.raises(UserFacing) as failed:
        servers.look("it")
    assert failed.value.code == "offline"
    assert handler.seen == []
