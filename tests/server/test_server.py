"""The server's life: it starts on its port or says why not, and ends with nothing left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agents.tokens import Tokens
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.judge import ModelVerdict
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.server import server as module
from desktop.server.held_calls import HeldCalls
from desktop.server.openapi import Classified, ClassifiedMany, ClassifyOne
from desktop.server.server import MOST_AT_ONCE, NotUnderstood, RequestHandlers, Server, read
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


# -- POST /api/classify ------------------------------------------------------------------------

UNKNOWN_PROGRAM = "frobnicate --all things"


def classify(running: Running, client: httpx.Client, content: object) -> httpx.Response:
    return client.post("/api/classify", json=content, headers=running.general)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls -la", ("READ", "READ", "allow")),
        ("mkdir new", ("CREATE", "CREATE", "ask")),
        ("sed -i s/a/b/ x", ("UPDATE", "UPDATE", "ask")),
        ("rm -rf build", ("DELETE", "DELETE", "ask")),
        ('bash -c "$X"', ("CREATE", "UNKNOWN", "ask")),
        ("cat ~/.ssh/id_rsa", ("READ", "READ", "ask")),
    ],
)
def test_the_class_is_given_in_four_words(
    running: Running, client: httpx.Client, command: str, words: tuple[str, str, str]
) -> None:
    """What the text does not show is CREATE in four words, UNKNOWN beside it, and asks."""
    answer = classify(running, client, {"command": command})
    assert answer.status_code == 200
    found = answer.json()
    assert (found["classification"], found["class"], found["gate"]) == words
    assert found["command"] == command
    assert found["reason"]
    assert found["ms"] >= 0


def test_shell_and_folder_are_taken_into_account(running: Running, client: httpx.Client) -> None:
    """The same words mean something else in another shell."""
    line = {"command": "Remove-Item x", "shell": "powershell", "cwd": "/tmp"}
    assert classify(running, client, line).json()["class"] == "DELETE"


def test_a_batch_is_answered_in_order(running: Running, client: httpx.Client) -> None:
    """Lines may be texts or objects; every answer stands where its line stood."""
    lines = ["ls", {"command": "rm x"}, {"command": "Get-ChildItem", "shell": "powershell"}]
    answer = classify(running, client, {"commands": lines})
    found = ClassifiedMany.model_validate(renamed(answer.json()))
    assert [each.class_name for each in found.results] == ["READ", "DELETE", "READ"]
    assert running.judge.timeouts_s == [], "tables knew them all"


def test_a_judge_that_is_late_is_named_and_asks(running: Running, client: httpx.Client) -> None:
    """With a millisecond for the model the reason says that it timed out, and the gate asks."""
    asked = {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 1}
    found = classify(running, client, asked).json()
    assert (found["classification"], found["class"], found["gate"]) == ("CREATE", "UNKNOWN", "ask")
    assert "timed out" in found["reason"]
    assert found["tier"] == 4
    assert running.judge.timeouts_s == [0.001]


def test_without_a_model_the_time_out_is_named_too(running: Running, client: httpx.Client) -> None:
    """Whoever gives the model a millisecond hears that none answered in it, also where none is loaded."""
    running.judge.is_there = False
    found = classify(running, client, {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 1}).json()
    assert found["gate"] == "ask"
    assert "time-out of 1 ms" in found["reason"]
    assert found["tier"] == 2, "the tables decided"
    assert "time-out" not in classify(running, client, {"command": UNKNOWN_PROGRAM}).json()["reason"]


def test_the_judge_gives_an_opinion_and_decides_nothing(running: Running, client: httpx.Client) -> None:
    """It stands beside the verdict, labelled, and the verdict stays what the tables say."""
    running.judge.opinion = ModelVerdict(Effect.READ, 0.99, {"READ": 0.99}, "Small model", 12.0)
    found = classify(running, client, {"command": UNKNOWN_PROGRAM, "inference_timeout_ms": 90_000}).json()
    assert found["judge"] == {"class": "READ", "probability": 0.99, "model": "Small model", "ms": 12.0}
    assert (found["classification"], found["gate"]) == ("CREATE", "ask")
    assert "Small model thinks" in found["reason"]
    assert running.judge.timeouts_s == [2.0], "more than two seconds are not waited for"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[1]", "the request"),
        (b"{}", "command"),
        (b'{"command": 5}', "command"),
        (b'{"command": "ls", "shell": "fish"}', "shell"),
        (b'{"command": "ls", "inference_timeout_ms": 0}', "inference_timeout_ms"),
        (b'{"command": "ls", "inference_timeout_ms": "soon"}', "inference_timeout_ms"),
        (b'{"commands": []}', "commands"),
        (b'{"commands": "ls"}', "commands"),
        (b'{"commands": [5]}', "commands.0"),
        (json.dumps({"commands": ["ls"] * 1001}).encode(), "commands"),
        (b'{"command": "' + b"\xff\xfe" + b'"}', "JSON"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_what_cannot_be_read_is_explained(
    running: Running, client: httpx.Client, body: bytes, named: str
) -> None:
    """The error names the place; nothing is classified."""
    answer = client.post("/api/classify", content=body, headers=running.general)
    assert answer.status_code == 400
    assert named in answer.json()["error"]
    assert answer.json()["action"]


@given(st.text(max_size=50))
def test_every_text_is_a_command(command: str) -> None:
    """What the command line holds is not looked at before it is classified."""
    found = read(json.dumps({"command": command}).encode())
    assert found == ClassifyOne(command=command)


@given(st.binary(max_size=200))
def test_noise_is_not_understood(body: bytes) -> None:
    """Reading fails in one way, whatever the bytes."""
    with pytest.raises(NotUnderstood, match=r"."):
        read(body)


@pytest.mark.parametrize("whose", ["agent", "none"])
def test_agents_tokens_do_not_open_the_api(running: Running, client: httpx.Client, whose: str) -> None:
    """What an agent has is good for its hook alone."""
    headers = {"Authorization": f"Bearer {running.agent_token}"} if whose == "agent" else {}
    answer = client.post("/api/classify", json={"command": "ls"}, headers=headers)
    assert answer.status_code == (403 if whose == "agent" else 401)


def test_hooks_are_answered_while_a_judge_thinks(running: Running, client: httpx.Client) -> None:
    """The model is waited for elsewhere; and of the API only so many wait at once."""
    running.judge.may_answer.clear()
    port, at_once = running.port, MOST_AT_ONCE
    body = json.dumps({"command": UNKNOWN_PROGRAM}).encode()
    asked = raw.request("/api/classify", "POST", body, **running.general)
    lines = [raw.socket.create_connection(("127.0.0.1", port), 10) for _ in range(at_once)]
    try:
        for line in lines:
            line.sendall(asked)
        wait_until(lambda: len(running.judge.timeouts_s) == at_once)
        assert running.hook(client, "ls").status_code == 200
        assert classify(running, client, {"command": UNKNOWN_PROGRAM}).status_code == 503
        assert classify(running, client, {"command": "ls"}).status_code == 200
        running.judge.may_answer.set()
        assert {raw.answer(line)[0] for line in lines} == {200}
    finally:
        running.judge.may_answer.set()
        for line in lines:
            line.close()


def test_a_batch_that_nobody_waits_for_ends(running: Running) -> None:
    """The rest of the lines is not worked on once the connection is gone."""
    running.judge.may_answer.clear()
    body = json.dumps({"commands": [f"{UNKNOWN_PROGRAM} {number}" for number in range(50)]}).encode()
    with raw.line_to(running.port) as line:
        line.sendall(raw.request("/api/classify", "POST", body, **running.general))
        wait_until(lambda: len(running.judge.timeouts_s) == 1)
    wait_until(lambda: len(running.server._crowd) == 0)
    running.judge.may_answer.set()
    wait_until(lambda: running.server._calls.count == 0)
    assert len(running.judge.timeouts_s) < 5


def test_a_long_batch_goes_on_without_the_judge(
    running: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand unknown programs do not take half an hour; the reason says what was left out."""
    monkeypatch.setattr("desktop.server.server.LONGEST_BATCH_S", -1.0)
    answer = classify(running, client, {"commands": [UNKNOWN_PROGRAM, "ls"]}).json()
    assert "was not asked" in answer["results"][0]["reason"]
    assert "was not asked" not in answer["results"][1]["reason"]
    assert running.judge.timeouts_s == []


def test_many_batches_at_once_keep_every_answer(running: Running) -> None:
    """Batches on several threads do not mix."""

    def one(number: int) -> list[str]:
        with httpx.Client(base_url=f"http://127.0.0.1:{running.port}", trust_env=False) as own:
            lines = [f"ls {number}-{line}" for line in range(30)]
            results = classify(running, own, {"commands": lines}).json()["results"]
            assert [each["command"] for each in results] == lines
            return [Classified.model_validate(renamed(each)).class_name for each in results]

    with ThreadPoolExecutor(4) as pool:
        assert all(set(each) == {"READ"} for each in pool.map(one, range(8)))


def renamed(content: object) -> object:
    """The wire's `class` under its name in Python, as often as it occurs."""
    return json.loads(json.dumps(content).replace('"class":', '"class_name":'))


def wait_until(condition: object, timeout_s: float = 10.0) -> None:
    pause = threading.Event()
    for _ in range(round(timeout_s / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come to that in time")
