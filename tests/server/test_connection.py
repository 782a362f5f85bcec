"""Connections by hand: slow, broken, many at once. None delays another, none is answered with an allow."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.server import connection
from desktop.server.connection import FileListener, FileTransport
from desktop.server.sockets import listen_on_file
from tests.server import raw
from tests.server.conftest import ALLOW, Running


def test_one_connection_serves_many_requests(running: Running) -> None:
    """Keep-alive: an agent does not connect anew for each hook."""
    with raw.line_to(running.port) as line:
        for _ in range(20):
            line.sendall(raw.hook("ls", running.token))
            assert raw.answer(line) == (200, ALLOW.body)


def test_requests_sent_ahead_are_answered_in_order(running: Running) -> None:
    """Pipelining: the one that waits holds those behind it, and no answer changes places."""
    with raw.line_to(running.port) as line:
        commands = ["ls", "rm x", "ls"]
        line.sendall(b"".join(raw.hook(command, running.token) for command in commands))
        assert raw.answer(line) == (200, ALLOW.body)
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        running.handler.held[0].answer(running.handler.held[0].reply)
        assert raw.answer(line) == (200, b"")
        assert raw.answer(line) == (200, ALLOW.body)


def test_connection_close_is_honoured(running: Running) -> None:
    """The small hook client reads until the line ends."""
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("ls", running.token, Connection="close"))
        everything = raw.until_closed(line)
    assert everything.startswith(b"HTTP/1.1 200")
    assert everything.endswith(ALLOW.body)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a TLS greeting
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /hooks/small HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /hooks/small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST /hooks/small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"POST /hooks/small HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"\r\n\r\n\x00\x00",
    ],
)
def test_what_is_no_request_gets_an_error_and_the_line_ends(running: Running, garbage: bytes) -> None:
    """Errors of the parser have the form of all errors."""
    with raw.line_to(running.port) as line:
        line.sendall(garbage)
        line.shutdown(socket.SHUT_WR)
        everything = raw.until_closed(line)
    assert not everything or (everything.startswith(b"HTTP/1.") and b" 400 " in everything[:16])
    assert not everything or b'"error":' in everything
    assert b"allow" not in everything.lower()


def test_garbage_is_told_so_while_the_line_is_open(running: Running) -> None:
    """A client with a mistake hears of it, as JSON."""
    with raw.line_to(running.port) as line:
        line.sendall(b"NONSENSE\r\n\r\n")
        status, told = raw.answer(line)
    assert status == 400
    assert b'"action":' in told


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_no_noise_ends_the_server(running: Running, noise: bytes) -> None:
    """After any bytes the next request is answered."""
    with raw.line_to(running.port) as line, contextlib.suppress(ConnectionError):
        line.sendall(noise)
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("ls", running.token))
        assert raw.answer(line) == (200, ALLOW.body)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"POST /hooks/sm",
        b"POST /hooks/small HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    ],
)
def test_a_slow_head_is_not_waited_for(
    running: Running, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    """Who sends one byte now and then is let go; who says nothing at all may stay a while."""
    monkeypatch.setattr(connection, "HEAD_S", 0.2)
    with raw.line_to(running.port) as line:
        line.sendall(start)
        if start:
            with contextlib.suppress(ConnectionError):
                for _ in range(10):
                    line.sendall(b"x")
                    time.sleep(0.05)
            assert raw.until_closed(line) == b""
        else:
            time.sleep(0.5)
            line.sendall(raw.hook("ls", running.token))
            assert raw.answer(line)[0] == 200


def test_a_slow_body_is_not_waited_for(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets 408 and the line ends; others are answered meanwhile."""
    monkeypatch.setattr(connection, "ARRIVES_S", 0.3)
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("ls", running.token)[:-3])
        assert running.hook(client, "ls").status_code == 200
        status, told = raw.answer(line)
        assert status == 408
        assert b"in time" in told


def test_slow_lines_do_not_delay_others(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred half requests leave the loop free; who waited for one would wait for an hour."""
    monkeypatch.setattr(connection, "HEAD_S", 3600.0)
    lines = [socket.create_connection(("127.0.0.1", running.port), 10) for _ in range(100)]
    try:
        for line in lines:
            line.sendall(b"POST /hooks/small HTTP/1.1\r\nHost:")
        assert running.hook(client, "ls").status_code == 200
    finally:
        for line in lines:
            line.close()


def test_beyond_the_bound_the_longest_idle_line_goes(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds lines and says nothing does not shut out the rest; a held call keeps its line."""
    monkeypatch.setattr(running.server._crowd, "_most", 5)
    with raw.line_to(running.port) as held:
        held.sendall(raw.hook("rm x", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        lines = [socket.create_connection(("127.0.0.1", running.port), 10) for _ in range(20)]
        try:
            assert running.hook(client, "ls").status_code == 200
            assert raw.until_closed(lines[0]) == b""
            assert len(running.server._crowd) <= 5
            running.handler.held[0].answer(ALLOW)
            assert raw.answer(held) == (200, ALLOW.body)
        finally:
            for line in lines:
                line.close()


def test_when_every_line_is_being_answered_the_new_one_goes(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open dialog is not given up for a newcomer."""
    monkeypatch.setattr(running.server._crowd, "_most", 1)
    with raw.line_to(running.port) as held:
        held.sendall(raw.hook("rm x", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        with raw.line_to(running.port) as new:
            assert raw.until_closed(new) == b""
        running.handler.held[0].answer(ALLOW)
        assert raw.answer(held) == (200, ALLOW.body)


def test_the_socket_file_answers_the_same(running: Running) -> None:
    """HTTP may come by the file; it needs its token all the same."""
    transport = httpx.HTTPTransport(uds=str(running.paths.hook_socket))
    with httpx.Client(base_url="http://localhost", transport=transport, trust_env=False) as client:
        assert running.hook(client, "ls").json() == {"decision": "allow"}
        assert client.post("/hooks/small", json={"command": "ls"}).json()["decision"] == "deny"


def test_another_user_at_the_socket_file_is_not_heard(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system says whose program it is; what it sends is not looked at."""
    monkeypatch.setattr(connection, "peer_uid", lambda _socket: 12345)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        line.connect(str(running.paths.hook_socket))
        with contextlib.suppress(ConnectionError):
            line.sendall(raw.hook("ls", running.token))
        assert raw.until_closed(line) == b""


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "[::1]:{port}"}, 200),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Mode": "cors"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/health", "/hooks/small", "/openapi.json", "/nowhere"])
def test_foreign_names_and_pages_are_refused_everywhere(
    running: Running, client: httpx.Client, headers: dict[str, str], status: int, path: str
) -> None:
    """Before the route, also with the right token."""
    sent = {name: value.format(port=running.port) for name, value in headers.items()}
    method, content = ("POST", b'{"command": "ls"}') if "hooks" in path else ("GET", b"")
    answer = client.request(method, path, content=content, headers={**running.bearer, **sent})
    assert answer.status_code == (404 if status == 200 and path == "/nowhere" else status)
    assert "Access-Control-Allow-Origin" not in answer.headers


# -- the socket file ---------------------------------------------------------------------------

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no socket file here")

LARGE = bytes(range(256)) * 20_000  # more than the system holds for a socket


class Seen(asyncio.Protocol):
    """Does what the test says with what comes."""

    def __init__(self, answer: Callable[[FileTransport, bytes], None]) -> None:
        self.answer = answer
        self.got = b""
        self.ends = 0
        self.over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, FileTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.got += data
        self.answer(self.transport, data)

    def connection_lost(self, exc: BaseException | None) -> None:
        assert exc is None
        self.ends += 1
        self.over.set()


def take(_transport: FileTransport, _data: bytes) -> None:
    """Say nothing."""


async def with_one(
    folder: Path,
    answer: Callable[[FileTransport, bytes], None],
    client: Callable[[socket.socket], bytes],
) -> tuple[Seen, bytes]:
    """One connection: what `client`, on a thread, got of it, once both sides are done."""
    listening = listen_on_file(folder / "s")
    assert listening is not None
    seen = Seen(answer)
    listener = FileListener(listening, lambda: seen)

    def talk() -> bytes:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(30)
            line.connect(str(folder / "s"))
            return client(line)

    got = await asyncio.to_thread(talk)
    await asyncio.wait_for(seen.over.wait(), 30)
    listener.close()
    await asyncio.sleep(0)
    return seen, got


def all_of(line: socket.socket) -> bytes:
    parts = []
    while part := line.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def test_an_answer_that_does_not_fit_arrives_whole(tmp_path: Path) -> None:
    """`close` comes right behind it, as with every answer; the end is told once."""

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(LARGE)
        transport.write(b"end")
        transport.close()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert got == LARGE + b"end"
    assert seen.ends == 1


def test_what_is_closed_is_not_read_any_more(tmp_path: Path) -> None:
    """One request and its answer; what follows goes nowhere."""

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(b"done")
        transport.close()
        transport.close()
        transport.write(b"more")
        transport.abort()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"one")
        return line.recv(100) + line.recv(100)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert (seen.got, got, seen.ends) == (b"one", b"done", 1)


def test_a_client_that_goes_ends_it(tmp_path: Path) -> None:
    """So that a question is withdrawn whose asker has gone."""

    def client(line: socket.socket) -> bytes:
        line.sendall(b"half")
        return b""

    seen, _ = asyncio.run(with_one(tmp_path, take, client))
    assert (seen.got, seen.ends) == (b"half", 1)


def test_a_mistake_of_the_protocol_ends_it(tmp_path: Path) -> None:
    """Nobody is left waiting for an answer that does not come."""

    def answer(_transport: FileTransport, _data: bytes) -> None:
        raise RuntimeError("a bug")

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert (got, seen.ends) == (b"", 1)


def test_the_end_is_not_told_within_a_write(tmp_path: Path) -> None:
    """Whoever writes goes on with what it has, as with asyncio's transports."""
    within: list[int] = []

    def answer(transport: FileTransport, _data: bytes) -> None:
        peer.close()
        transport.write(b"to nobody")
        transport.write(b"to nobody")
        within.append(seen.ends)

    async def both() -> None:
        FileTransport(asyncio.get_running_loop(), own, seen).begin()
        await asyncio.wait_for(seen.over.wait(), 30)

    own, peer = socket.socketpair()
    own.setblocking(False)
    peer.sendall(b"go")
    seen = Seen(answer)
    asyncio.run(both())
    assert (within, seen.ends, seen.transport.is_closing()) == ([0], 1, True)


def test_it_goes_on_when_the_system_has_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of descriptors nobody is turned away: who waits is taken a moment later."""
    monkeypatch.setattr("desktop.server.connection.ACCEPTS_AGAIN_S", 0.01)
    refused: list[int] = []

    class Full(socket.socket):
        def accept(self) -> tuple[socket.socket, object]:
            if len(refused) < 2:
                refused.append(1)
                raise OSError(errno.EMFILE, "no more")
            return super().accept()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(b"taken")
        transport.close()

    def listen(path: Path) -> socket.socket:
        listening = listen_on_file(path)
        assert listening is not None
        return Full(fileno=listening.detach())

    async def run() -> bytes:
        seen = Seen(answer)
        listener = FileListener(listen(tmp_path / "s"), lambda: seen)

        def talk() -> bytes:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(30)
                line.connect(str(tmp_path / "s"))
                return client(line)

        got = await asyncio.to_thread(talk)
        listener.close()
        return got

    assert asyncio.run(run()) == b"taken"
    assert len(refused) == 2
