"""Hooks over HTTP: what reads goes through, what waits is held, and no error allows anything."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from desktop.agents.action import Reply
from desktop.server.hooks import EXIT_HEADER, STDERR_HEADER
from desktop.server.routes import Rooms, application
from tests.server import raw
from tests.server.conftest import ALLOW, Running


def test_what_only_reads_is_allowed_at_once(running: Running, client: httpx.Client) -> None:
    """The handler's answer comes back as it is."""
    answer = running.hook(client, "ls")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"decision": "allow"}


def test_what_waits_is_held_until_somebody_answers(running: Running, client: httpx.Client) -> None:
    """The click is the answer of the request."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(running.hook, client, "rm x")
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        assert not asked.done()
        running.handler.held[0].answer(ALLOW)
        assert asked.result().json() == {"decision": "allow"}
    assert running.handler.dropped == []


def test_exit_code_and_error_text_travel_as_headers(running: Running, client: httpx.Client) -> None:
    """A client that an agent starts gets what it needs to end as the agent expects."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(running.hook, client, "rm x")
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        running.handler.held[0].answer(Reply(b"", 2, "No: \n100 % – not here"))
        answer = asked.result()
    assert answer.content == b""
    assert answer.headers[EXIT_HEADER] == "2"
    assert answer.headers[STDERR_HEADER] == "No%3A %0A100 %25 %E2%80%93 not here"


@pytest.mark.parametrize(
    ("path", "token", "body", "status"),
    [
        ("/hooks/small", "small", b'{"command": "ls"}', 200),
        ("/hooks/small", "general", b'{"command": "ls"}', 200),
        ("/hooks/nobody", "small", b'{"command": "ls"}', 404),
        ("/hooks/..%2fsmall", "small", b'{"command": "ls"}', 404),
        ("/hooks/small/", "small", b'{"command": "ls"}', 404),
        ("/hooks/", "small", b'{"command": "ls"}', 404),
        ("/hooks/small", "small", b"", 400),
        ("/hooks/small", "small", b"\x00\xff garbage", 400),
        ("/hooks/small", "small", b"[[[[[[", 400),
        ("/hooks/small", "small", b'{"command": ', 400),
        ("/hooks/small", "small", b'{"command": "fail"}', 500),
        ("/hooks/small", "general", b'{"command": "fail later"}', 500),
    ],
)
def test_errors_are_explained_and_allow_nothing(
    running: Running, client: httpx.Client, path: str, token: str, body: bytes, status: int
) -> None:
    """Each error has its status, says what is wrong and what to do, and holds no decision."""
    known = {"small": running.agent_token, "general": running.tokens.general()}
    headers = {} if token == "none" else {"Authorization": f"Bearer {known.get(token, token)}"}
    answer = client.post(path, content=body, headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert set(answer.json()) == {"error", "action"}
        assert all(answer.json().values())
        assert b"allow" not in answer.content.replace(b"Nothing was allowed", b"")


@pytest.mark.parametrize("chunked", [False, True])
def test_ten_megabytes_are_refused(running: Running, client: httpx.Client, chunked: bool) -> None:
    """Too large is said whether or not the length was told before, and the next hook is answered."""
    body = b'{"command": "' + b"x" * 10_000_000 + b'"}'
    content = iter([body[at : at + 65_536] for at in range(0, len(body), 65_536)]) if chunked else body
    answer = client.post("/hooks/small", content=content, headers=running.bearer)
    assert answer.status_code == 413
    assert "1 MB" in answer.json()["error"]
    assert running.hook(client, "ls").status_code == 200


def test_compressed_bodies_are_not_unpacked(running: Running, client: httpx.Client) -> None:
    """A small body cannot become a large one here."""
    headers = {**running.bearer, "Content-Encoding": "gzip"}
    assert client.post("/hooks/small", content=b"\x1f\x8b", headers=headers).status_code == 415


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "", "nonsense"])
def test_content_type_is_optional(running: Running, client: httpx.Client, content_type: str) -> None:
    """Small clients say nothing about the form, or the wrong thing."""
    headers = {**running.bearer, "Content-Type": content_type} if content_type else running.bearer
    assert client.post("/hooks/small", content=b'{"command": "ls"}', headers=headers).status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_hooks_take_post_alone(running: Running, client: httpx.Client, method: str) -> None:
    """Also no answer to a browser's question whether it may ask."""
    answer = client.request(method, "/hooks/small", headers=running.bearer)
    assert answer.status_code == 405
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_reading_is_answered_while_fifty_dialogs_are_open(running: Running, client: httpx.Client) -> None:
    """The fifty-first hook finds the loop free."""
    lines = [raw.socket.create_connection(("127.0.0.1", running.port), 10) for _ in range(50)]
    try:
        for number, line in enumerate(lines):
            line.sendall(raw.hook(f"rm {number}", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 50)
        assert running.hook(client, "ls").json() == {"decision": "allow"}
        for each in running.handler.held:
            each.answer(ALLOW)
        assert [raw.answer(line) for line in lines] == [(200, ALLOW.body)] * 50
    finally:
        for line in lines:
            line.close()


@pytest.mark.parametrize("how", ["closed", "reset", "half-closed"])
def test_a_client_that_goes_takes_its_question_along(running: Running, how: str) -> None:
    """Nobody would hear the answer, so nobody is asked for it any more."""
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("rm x", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        if how == "half-closed":
            line.shutdown(raw.socket.SHUT_WR)
        else:
            if how == "reset":
                line.setsockopt(raw.socket.SOL_SOCKET, raw.socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            line.close()
        running.handler.wait_for(lambda: len(running.handler.dropped) == 1)
        assert running.handler.dropped == running.handler.held


def test_a_client_that_goes_leaves_the_others_waiting(running: Running) -> None:
    """Only its own question is withdrawn."""
    with raw.line_to(running.port) as stays, raw.line_to(running.port) as goes:
        stays.sendall(raw.hook("rm stays", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        goes.sendall(raw.hook("rm goes", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 2)
        goes.close()
        running.handler.wait_for(lambda: len(running.handler.dropped) == 1)
        assert [each.command for each in running.handler.dropped] == ["rm goes"]
        running.handler.held[0].answer(ALLOW)
        assert raw.answer(stays) == (200, ALLOW.body)


def test_beyond_the_bound_nothing_is_allowed(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no thread left the handler gives the question up, in the agent's own form."""
    monkeypatch.setattr(running.server._calls, "_most", 1)
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("rm first", running.token))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        answer = running.hook(client, "rm second")
        assert (answer.status_code, answer.content) == (200, b"")
        assert [each.command for each in running.handler.given_up] == ["rm second"]


def test_no_route_approves_or_lists_grants(running: Running, client: httpx.Client) -> None:
    """An agent's own shell cannot find a door to its permission; this is all there is."""
    described = client.get("/openapi.json").json()["paths"]
    assert {(path, *methods) for path, methods in described.items()} == {
        ("/api/classify", "post"),
        ("/hooks/{agent}", "post"),
        ("/health", "get"),
        ("/metrics", "get"),
        ("/openapi.json", "get"),
    }
    server = running.server
    rooms = Rooms(server._hooks, server._classify, server._metrics, str, server._doors, 1, "")
    routes = [route for route in application(rooms).router.routes() if route.method != "HEAD"]
    served = {(route.resource.canonical, route.method) for route in routes}
    assert served == {(path, method.upper()) for path, methods in described.items() for method in methods}
    for path in ("/api/grants", "/api/approve", "/api/settings", "/grants", "/hooks"):
        assert client.post(path, headers=running.general).status_code == 404
