"""The server's life: it starts on its port or says why not, and ends with nothing left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from desktop.agents.tokens import Tokens
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.paths import Paths
from desktop.server import server as module
from desktop.server.held_calls import HeldCalls
from desktop.server.server import RequestHandlers, Server
from desktop.server.sockets import Endpoint
from tests.server import raw
from tests.server.conftest import ALLOW, Running, SmallHandler, any_port
from tests.shipped import command_tables

ROOT = Path(__file__).resolve().parents[2]


def made(paths: Paths, bus: Bus, port: int = 0, handler: SmallHandler | None = None) -> Server:
    commands = Commands(Classifier(command_tables()))
    endpoint = Endpoint(lambda: port, paths.hook_socket)
    return Server(RequestHandlers(handler or SmallHandler(), commands, dict), Tokens(paths), endpoint, bus)


def test_the_address_is_published_and_withdrawn(paths: Paths, bus: Bus) -> None:
    """Other programs of this user find it in the runtime folder, as long as it is true."""
    server = made(paths, bus)
    port = server.start()
    published = Tokens(paths).published()
    assert published is not None
    assert published.url == server.address == f"http://127.0.0.1:{port}"
    answer = httpx.get(f"{published.url}/metrics", headers={"Authorization": f"Bearer {published.token}"})
    assert answer.status_code == 200
    server.close()
    server.close()
    assert server.address is None
    assert Tokens(paths).published() is None
    assert not paths.hook_socket.exists()


def test_the_interpreter_is_shared_in_small_pieces_while_it_answers(paths: Paths, bus: Bus) -> None:
    """A thread that computes keeps no hook waiting for long; afterwards all is as it was."""
    before = sys.getswitchinterval()
    server = made(paths, bus)
    server.start()
    assert sys.getswitchinterval() == pytest.approx(0.001)
    server.close()
    assert sys.getswitchinterval() == before


def test_both_loopback_addresses_answer(running: Running) -> None:
    """`localhost` is one or the other, as the system likes."""
    for host in ("127.0.0.1", "[::1]", "localhost"):
        assert httpx.get(f"http://{host}:{running.port}/health", trust_env=False).status_code == 200


def test_a_restart_takes_the_same_port_at_once(paths: Paths, bus: Bus) -> None:
    """Agents have been told the port; lines that were open do not keep it taken."""
    first = made(paths, bus)
    port = first.start()
    with raw.line_to(port) as line:
        line.sendall(raw.request())
        assert raw.answer(line)[0] == 200
        first.close()
        second = made(paths, bus, port)
        assert second.start() == port
        assert httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).json()["pid"] == os.getpid()
        second.close()


def test_a_second_server_on_the_port_says_who_is_there(running: Running, bus: Bus, tmp_path: Path) -> None:
    """Another profile's Steward is named, and goes on answering; the second one answers by its file."""
    other = Paths.under(tmp_path / "other")
    second = made(other, bus, running.port)
    second.start()
    try:
        assert second.port_refusal is not None
        assert second.port_refusal.code == "port-taken"
        assert f"process {os.getpid()}" in second.port_refusal.cause
        published = Tokens(other).published()
        assert published is not None
        assert (published.url, published.socket) == ("", str(other.hook_socket))
        assert httpx.get(f"http://127.0.0.1:{running.port}/health", trust_env=False).status_code == 200
    finally:
        second.close()
    assert Tokens(other).published() is None


def test_after_the_end_it_is_not_started_any_more(paths: Paths, bus: Bus) -> None:
    """Whoever starts it meanwhile is told so."""
    server = made(paths, bus)
    server.start()
    server.close()
    with pytest.raises(Cancelled):
        server.start()


def test_an_address_that_cannot_be_published_is_an_error(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients would not find it; the port is let go."""

    def full(_tokens: Tokens, _url: str, _socket: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Tokens, "publish", full)
    with pytest.raises(UserFacing, match="No space left"):
        made(paths, bus).start()
    assert not paths.hook_socket.exists()


def test_a_mistake_at_the_start_is_loud_and_leaves_nothing(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error reaches whoever starts it, and the threads end."""

    def broken(_rooms: object) -> object:
        raise RuntimeError("a bug")

    monkeypatch.setattr(module, "application", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        made(paths, bus).start()
    assert Tokens(paths).published() is None
    assert not paths.hook_socket.exists()


def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine fifty answers may take longer than what is promised for one that is not."""
    for name in ("LAST_ANSWERS_S", "LAST_CALLS_S", "THREAD_ENDS_S"):
        monkeypatch.setattr(module, name, 60.0)


def test_ending_waits_for_two_seconds_at_most(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its loop is stuck: all that is waited for has a limit, and the limits add up to no more."""
    waits: list[float] = []
    join, close_calls = threading.Thread.join, HeldCalls.close

    def counted(thread: threading.Thread, timeout: float | None = None) -> None:
        if thread.name == "server":
            assert timeout is not None
            waits.append(timeout)
        else:
            join(thread, timeout)

    def counted_calls(calls: HeldCalls, timeout_s: float) -> bool:
        waits.append(timeout_s)
        return close_calls(calls, timeout_s)

    monkeypatch.setattr(threading.Thread, "join", counted)
    monkeypatch.setattr(HeldCalls, "close", counted_calls)
    server = made_for_small(paths, bus, SmallHandler())
    server.start()
    thread, stuck = server._thread, threading.Event()
    assert thread is not None
    assert server._loop is not None
    server._loop.call_soon_threadsafe(stuck.wait)
    server.close()
    assert len(waits) == 2
    assert sum(waits) <= 2.0
    # What the loop says to those who still wait fits into what its thread is given.
    assert 2 * module.LAST_ANSWERS_S < module.THREAD_ENDS_S
    stuck.set()
    join(thread, 60)


def test_held_calls_are_answered_with_no_opinion_at_the_end(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can click any more; the agents ask by themselves."""
    patient(monkeypatch)
    handler = SmallHandler()
    server = made_for_small(paths, bus, handler)
    port = server.start()
    token = published_token(paths)
    lines = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(50)]
    for line in lines:
        line.sendall(raw.hook("rm x", token))
    handler.wait_for(lambda: len(handler.held) == 50)
    server.close()
    for line in lines:
        assert raw.answer(line) == (200, b"")
        line.close()
    assert len(handler.dropped) == 50


def test_a_handler_that_does_not_let_go_does_not_keep_it_from_ending(paths: Paths, bus: Bus) -> None:
    """The line is closed without an answer, which is no opinion."""

    class Stubborn(SmallHandler):
        def drop(self, held: object) -> None:
            self.dropped.append(held)

    handler = Stubborn()
    server = made_for_small(paths, bus, handler)
    port = server.start()
    token = published_token(paths)
    with raw.line_to(port) as line:
        line.sendall(raw.hook("rm x", token))
        handler.wait_for(lambda: len(handler.held) == 1)
        server.close()
        assert ALLOW.body not in raw.until_closed(line)
    handler.end()


def published_token(paths: Paths) -> str:
    published = Tokens(paths).published()
    assert published is not None
    return published.token


def made_for_small(paths: Paths, bus: Bus, handler: SmallHandler) -> Server:
    commands = Commands(Classifier(command_tables()))
    return Server(RequestHandlers(handler, commands, dict), Tokens(paths), any_port(paths), bus)


PROGRAM = """
import json, sys
from pathlib import Path
from desktop.events import Bus
from desktop.paths import Paths
from tests.server.conftest import SmallHandler
from tests.server.test_server import made_for_small
from desktop.agents.tokens import Tokens
paths = Paths.under(Path(sys.argv[1]))
handler = SmallHandler()
server = made_for_small(paths, Bus(), handler)
print(json.dumps({"port": server.start(), "token": Tokens(paths).published().token}), flush=True)
handler.wait_for(lambda: len(handler.held) == 1)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.children
def test_a_kill_while_a_hook_is_held_allows_nothing(tmp_path: Path) -> None:
    """The line ends without an answer; the next start finds port, file and token as they should be."""
    profile = tmp_path / "profile"
    command = [sys.executable, "-P", "-c", PROGRAM, str(profile)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    with subprocess.Popen(command, **pipes) as program:
        said = program.stdout
        # the log goes to stdout where nobody has set it up
        facts = json.loads(next(text for text in said if text.startswith("{")))
        with raw.line_to(facts["port"]) as line:
            line.sendall(raw.hook("rm x", facts["token"]))
            assert next(text for text in said if text == "held\n")
            program.send_signal(signal.SIGKILL)
            assert raw.until_closed(line) == b""
    paths = Paths.under(profile)
    assert paths.hook_socket.exists(), "a killed process leaves its file"
    again = made(paths, Bus(), facts["port"])
    assert again.start() == facts["port"]
    again.close()
    assert not paths.hook_socket.exists()
