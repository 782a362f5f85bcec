"""Connections by hand: slow, broken, many at once. None delays another, none is answered with an allow."""

from __future__ import annotations

import contextlib
import socket
import time

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.server import connection
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
