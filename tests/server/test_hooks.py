"""Hooks over HTTP: what reads goes through, what waits is held, and no error allows anything."""

from __future__ import annotations

import hashlib
import hmac
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import httpx
import pytest

from desktop.agents import client
from desktop.agents.action import Reply
from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.paths import Paths
from desktop.server import connection, hooks, server
from desktop.server.hooks import EXIT_HEADER, STDERR_HEADER
from desktop.server.server import RequestHandlers, RouteServices, Server, application
from desktop.server.sockets import Endpoint, PortChanged
from tests.server import raw
from tests.server.conftest import ALLOW, Running, SmallHandler
from tests.shipped import command_tables


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
    rooms = RouteServices(server._hooks, server._classify, server._metrics, str, server._authenticator, 1, "")
    routes = [route for route in application(rooms).router.routes() if route.method != "HEAD"]
    served = {(route.resource.canonical, route.method) for route in routes}
    assert served == {(path, method.upper()) for path, methods in described.items() for method in methods}
    for path in ("/api/grants", "/api/approve", "/api/settings", "/grants", "/hooks"):
        assert client.post(path, headers=running.general).status_code == 404


LS = b'{"command": "ls"}'

RM = b'{"command": "rm x"}'


def address(running: Running, by_file: bool = False) -> str:
    return str(running.paths.hook_socket) if by_file else str(running.port)


def ask(running: Running, token: str, body: bytes = LS, agent: str = "small") -> tuple[int, bytes, bytes]:
    return client.ask(agent, address(running), token.encode(), 10, body)


class Line:
    """The client's side by hand."""

    def __init__(self, port: int, token: str) -> None:
        self.key = hashlib.sha256(token.encode()).digest()
        self.line = socket.create_connection(("127.0.0.1", port), 10)
        self.nonces = b""

    def mac(self, label: bytes, content: bytes) -> bytes:
        return hmac.new(self.key, label + b"\n" + self.nonces + content, hashlib.sha256).hexdigest().encode()

    def meet(self, nonce: bytes = b"a" * 32) -> bytes:
        name = hashlib.sha256(b"steward key\n" + self.key).hexdigest()[:16].encode()
        self.line.sendall(b"STEWARD/1 " + name + b" " + nonce + b"\n")
        greeting = b""
        while not greeting.endswith(b"\n"):
            greeting += self.line.recv(1) or b"\n"
        self.nonces = nonce + b" " + greeting.split()[0] + b"\n"
        return greeting.strip()

    def request(self, body: bytes = LS, what: bytes = b"hooks/small") -> bytes:
        proof = self.mac(b"request", what + b"\n" + body)
        return what + f" {len(body)} ".encode() + proof + b"\n" + body

    def rest(self) -> bytes:
        return raw.until_closed(self.line)


@contextmanager
def line(running: Running, token: str | None = None) -> Iterator[Line]:
    made = Line(running.port, token or running.agent_token)
    with made.line:
        yield made


@pytest.mark.parametrize("by_file", [False, True])
def test_a_proven_hook_is_answered(running: Running, by_file: bool) -> None:
    """By the port and by the socket file; the agent's token and the general one."""
    for token in (running.agent_token, running.tokens.general()):
        told = client.ask("small", address(running, by_file), token.encode(), 10, LS)
        assert told == (0, ALLOW.body, b"")


def test_the_server_proves_itself_first(running: Running) -> None:
    """With what only who knows the token can compute, anew for every line."""
    with line(running) as one, line(running) as other:
        first, second = one.meet(), other.meet()
        assert first.split()[1] == one.mac(b"server", b"")
        assert first != second


@pytest.mark.parametrize("token", ["made up", "", "0" * 43])
def test_a_token_that_is_not_known_is_told_so(running: Running, token: str) -> None:
    """The client then refuses or lets the agent ask; nothing is decided."""
    with pytest.raises(client.Unanswered, match="does not know this token"):
        ask(running, token)


def test_a_token_ends_with_the_installation(running: Running) -> None:
    """What another process makes or ends counts at once."""
    again = Tokens(running.paths).make("small")
    with pytest.raises(client.Unanswered):
        ask(running, running.agent_token)
    assert ask(running, again)[1] == ALLOW.body
    Tokens(running.paths).forget("small")
    with pytest.raises(client.Unanswered):
        ask(running, again)


@pytest.mark.parametrize(
    ("body", "agent", "says"),
    [
        (LS, "other", "for something else"),
        (LS, "nobody", "No agent of this name"),
        (b"garbage", "small", "could not be read"),
        (b'{"command": "fail"}', "small", "mistake of its own"),
        (b'{"command": "fail later"}', "small", "mistake of its own"),
    ],
)
def test_what_cannot_be_answered_is_no_answer_and_says_why(
    running: Running, body: bytes, agent: str, says: str
) -> None:
    """Proven all the same, so that nobody else can refuse in its name."""
    with pytest.raises(client.Unanswered, match=says):
        ask(running, running.agent_token, body, agent)


def test_a_request_is_good_for_its_own_line_only(running: Running) -> None:
    """Heard on one line and sent on another it is nothing."""
    with line(running) as first, line(running) as second:
        first.meet()
        second.meet()
        second.line.sendall(first.request())
        assert second.rest() == b""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b'"ls"', b'"rm"'),
        lambda text: text.replace(b"hooks/small", b"hooks/other"),
        lambda text: text[:-1] + b" ",
        lambda text: text + b" ",
        lambda text: text.replace(b" 17 ", b" 16 "),
        lambda text: text.replace(b" 17 ", b" -1 "),
        lambda text: b"no request\n",
        lambda text: b"x" * 5000,
    ],
)
def test_a_changed_request_ends_the_line(running: Running, change: object) -> None:
    """Without a word, and without a look at what it holds."""
    with line(running) as one:
        one.meet()
        with suppress(ConnectionError):
            one.line.sendall(change(one.request()))  # type: ignore[operator] # a lambda of the table
        assert one.rest() == b""
    assert running.handler.held == []


HALF = [b"STEWARD/1 ", b"STEWARD/1 x y\n", b"STEWARD/2 " + b"0" * 16, b"STEWARD/1 " * 100]


@pytest.mark.parametrize("start", HALF)
def test_what_is_no_greeting_ends_the_line(
    running: Running, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, or when it stays half said."""
    monkeypatch.setattr(hooks, "ARRIVES_S", 0.2)
    monkeypatch.setattr(connection, "HEAD_S", 0.2)
    with raw.line_to(running.port) as one:
        one.sendall(start)
        assert b"allow" not in raw.until_closed(one)


def test_a_greeting_in_pieces_is_put_together(running: Running) -> None:
    """Also where its first bytes might be those of HTTP."""
    with line(running) as one:
        send = one.line.sendall
        name = hashlib.sha256(b"steward key\n" + one.key).hexdigest()[:16].encode()
        for each in b"STEWARD/1 " + name + b" " + b"b" * 32 + b"\n":
            send(bytes((each,)))
            time.sleep(0.001)
        assert len(one.line.recv(200)) == 98


def test_what_is_too_large_is_refused(running: Running) -> None:
    """By its size alone."""
    with line(running) as one:
        one.meet()
        one.line.sendall(b"hooks/small 2000000 " + b"0" * 64 + b"\n")
        assert b"larger than 1 MB" in one.rest()


def test_a_held_hook_gets_the_answer_of_the_click(running: Running) -> None:
    """And one whose client goes takes its question along."""
    with line(running) as stays, line(running) as goes:
        for number, each in enumerate((stays, goes), 1):
            each.meet()
            each.line.sendall(each.request(RM))
            running.handler.wait_for(lambda number=number: len(running.handler.held) == number)
        goes.line.close()
        running.handler.wait_for(lambda: len(running.handler.dropped) == 1)
        assert running.handler.dropped == [running.handler.held[1]]
        running.handler.held[0].answer(ALLOW)
        assert stays.rest().endswith(ALLOW.body)


def test_ending_answers_held_hooks(running: Running) -> None:
    """With no opinion, proven."""
    with line(running) as one:
        one.meet()
        one.line.sendall(one.request(RM))
        running.handler.wait_for(lambda: len(running.handler.held) == 1)
        running.server.close()
        assert one.rest().startswith(b"0 0 0 ")


def test_figures_are_for_the_user(running: Running) -> None:
    """`steward launch` looks there whether its daemon answers."""
    deadline = time.monotonic() + 10
    general = running.tokens.general().encode()
    figures = client.exchange(address(running), general, "figures", b"", deadline)[1]
    assert b"steward_uptime_seconds" in figures
    with pytest.raises(client.Unanswered, match="something else"):
        client.exchange(address(running), running.agent_token.encode(), "figures", b"", deadline)


@pytest.mark.parametrize("how", ["http", "proven", "by an old entry"])
def test_stalled_requests_starve_nobody(running: Running, how: str) -> None:
    """Six hundred that know a token and do not end: the next hook is answered, and most of them are gone."""
    token = running.agent_token if how == "by an old entry" else running.tokens.general()
    lines = []
    try:
        for _ in range(600):
            if how == "proven":
                one = Line(running.port, running.agent_token)
                lines.append(one.line)
                one.meet()
                one.line.sendall(one.request()[:-3])
            else:
                lines.append(socket.create_connection(("127.0.0.1", running.port), 10))
                lines[-1].sendall(raw.hook("ls", token)[:-3])
        assert ask(running, running.agent_token)[1] == ALLOW.body
        with raw.line_to(running.port) as other:
            other.sendall(raw.hook("ls", running.tokens.general()))
            assert raw.answer(other) == (200, ALLOW.body)
        assert raw.until_closed(lines[0]) == b""
        assert len(running.server._crowd) < 100
    finally:
        for each in lines:
            each.close()


@pytest.mark.parametrize("token", ["agent", "ended", "none", "of another"])
@pytest.mark.parametrize("command", ["ls", "rm x"])
def test_an_entry_of_an_older_steward_is_denied_what_asks(running: Running, token: str, command: str) -> None:
    """It sends its token in clear; with one that is not known everything is denied, and never by an error,
    which agents pass over."""
    known = {"agent": running.agent_token, "ended": "x" * 43, "of another": running.tokens.make("other")}
    headers = {"Authorization": f"Bearer {known[token]}"} if token in known else {}
    with raw.line_to(running.port) as one:
        body = f'{{"command": "{command}"}}'.encode()
        one.sendall(raw.request("/hooks/small", "POST", body, **headers))
        status, told = raw.answer(one)
    assert status == 200
    if (token, command) == ("agent", "ls"):
        assert told == ALLOW.body
    else:
        assert b'"deny"' in told
        assert b"steward agents install small" in told
    assert running.handler.held == []


# -- the port is another program's ------------------------------------------------------------


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        yield stranger.getsockname()[1]


def made(paths: Paths, bus: Bus, port: int) -> tuple[Server, SmallHandler]:
    handler = SmallHandler()
    commands = Commands(Classifier(command_tables()))
    endpoint = Endpoint(lambda: port, paths.hook_socket)
    return Server(RequestHandlers(handler, commands, dict), Tokens(paths), endpoint, bus), handler


def test_with_the_port_taken_hooks_come_by_the_file(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told who has the port, and taken as soon as that program ends."""
    monkeypatch.setattr(server, "PORT_EVERY_S", 0.05)
    told: list[UserFacing | None] = []
    bus.subscribe(PortChanged, lambda event: told.append(event.refusal))
    with taken_port() as port:
        one, _handler = made(paths, bus, port)
        one.start()
        try:
            assert one.address is None
            assert one.port_refusal is not None
            assert one.port_refusal.code == "port-taken"
            assert told == [one.port_refusal]
            token = Tokens(paths).make("small").encode()
            both = f"{paths.hook_socket}:{port}"
            assert client.ask("small", both, token, 10, LS)[1] == ALLOW.body
            published = Tokens(paths).published()
            assert published is not None
            assert published.address == str(paths.hook_socket)
        except BaseException:
            one.close()
            raise
    try:
        deadline = time.monotonic() + 20
        while one.address is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert one.address == f"http://127.0.0.1:{port}"
        assert one.port_refusal is None
        assert told[-1] is None
        assert client.ask("small", str(port), token, 10, LS)[1] == ALLOW.body
        again = Tokens(paths).published()
        assert again is not None
        assert again.address == f"{paths.hook_socket}:{port}"
    finally:
        one.close()


def test_without_file_and_port_there_is_no_server(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where there are no such files."""
    monkeypatch.setattr("desktop.server.sockets.listen_on_file", lambda _path: None)
    with taken_port() as port, pytest.raises(UserFacing) as raised:
        made(paths, bus, port)[0].start()
    assert raised.value.code == "port-taken"
