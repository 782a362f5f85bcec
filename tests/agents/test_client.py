"""Both hook clients, the Python file and the native program, against the same real server."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import client
from tests.agents.answering import Answer, Answering, http, says
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
HOOK = b'{"tool":"Bash","input":{"command":"ls"}}'
ANSWER = b'{"decision":"allow"}'
LIMIT = client.LIMIT_BYTES
QUICK_S = 0.3

pytestmark = pytest.mark.children

Client = list[str]
Done = subprocess.CompletedProcess[bytes]


def build_script() -> Any:
    spec = importlib.util.spec_from_file_location("build_hook", ROOT / "packaging/hook_client/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    return Path(build_script().build_local(tmp_path_factory.mktemp("native")))


@pytest.fixture(params=["python", "native"])
def program(request: pytest.FixtureRequest) -> Client:
    if request.param == "python":
        return [sys.executable, "-I", "-S", str(client.__file__)]
    return [str(request.getfixturevalue("native"))]


def run(program: Client, *words: str, hook: bytes = HOOK) -> Done:
    return subprocess.run([*program, *words], input=hook, capture_output=True, timeout=30)


def told(done: Done) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


def test_the_hook_is_posted_and_the_answer_printed(program: Client) -> None:
    """The daemon gets the bytes of stdin with the token; the agent gets the body and nothing else."""
    with Answering(says(http(ANSWER))) as server:
        assert told(run(program, "codex", server.address, "se-cret", "5")) == (0, ANSWER, b"")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert body == HOOK
    assert lines[0] == b"POST /hooks/codex HTTP/1.1"
    assert {b"Authorization: Bearer se-cret", b"Host: 127.0.0.1", b"Connection: close"} < set(lines)


def test_the_token_may_lie_in_a_file(program: Client, tmp_path: Path) -> None:
    """So that no list of processes shows it."""
    (tmp_path / "a token").write_text("from the file\n")
    with Answering(says(http(ANSWER))) as server:
        done = run(program, "codex", server.address, f"@{tmp_path / 'a token'}", "5")
    assert told(done) == (0, ANSWER, b"")
    assert b"Authorization: Bearer from the file\r\n" in server.requests[0]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")
def test_a_unix_socket_serves_as_well(program: Client, tmp_path: Path) -> None:
    """A path in place of a port."""
    with Answering(says(http(ANSWER)), tmp_path / "s") as server:
        assert told(run(program, "codex", server.address, "t", "5")) == (0, ANSWER, b"")


@pytest.mark.parametrize("size", [0, 1, 65_536, LIMIT])
def test_what_is_read_and_answered_may_be_large(program: Client, size: int) -> None:
    """Up to the limit every byte arrives, both ways, also those that are no text."""
    content = bytes(range(256)) * (size // 256 + 1)
    with Answering(says(http(content[:size]))) as server:
        done = run(program, "codex", server.address, "t", "10", hook=content[:size])
    assert told(done) == (0, content[:size], b"")
    assert server.requests[0].partition(b"\r\n\r\n")[2] == content[:size]


PASSED_ON = [
    ((), (0, ANSWER, b"")),
    (("X-Steward-Exit: 0",), (0, ANSWER, b"")),
    (
        ("X-Steward-Exit: 2", "X-Steward-Stderr: Denied%3A%20it%20deletes"),
        (2, ANSWER, b"Denied: it deletes\n"),
    ),
    (("x-steward-exit:2",), (2, ANSWER, b"")),
    (("X-Steward-Exit: 255  ",), (255, ANSWER, b"")),
    (("X-Steward-Stderr: 100%25%20%C3%A4%0Ab",), (0, ANSWER, "100% ä\nb\n".encode())),
    (("X-Steward-Exit: 2", "X-Steward-Stderr: a%zz%4%"), (2, ANSWER, b"a%zz%4%\n")),
    (("X-Other: 9", "Connection: close"), (0, ANSWER, b"")),
]


@pytest.mark.parametrize(("headers", "expected"), PASSED_ON)
def test_exit_code_and_error_output_come_from_headers(
    program: Client, headers: Sequence[str], expected: tuple[int, bytes, bytes]
) -> None:
    """Agents that look at the exit code are told by it."""
    with Answering(says(http(ANSWER, *headers))) as server:
        assert told(run(program, "codex", server.address, "t", "5")) == expected


def test_an_answer_in_pieces_is_put_together(program: Client) -> None:
    """However the network cuts it."""
    whole = http(ANSWER, "X-Steward-Exit: 2")
    with Answering(says(*(whole[at : at + 1] for at in range(len(whole))))) as server:
        assert told(run(program, "codex", server.address, "t", "5")) == (2, ANSWER, b"")


def test_a_line_that_is_kept_open_is_not_waited_for(program: Client) -> None:
    """The answer is whole when its length says so."""

    def answer(line: socket.socket) -> None:
        line.sendall(http(ANSWER))
        server.ended.wait(10)

    with Answering(answer) as server:
        assert told(run(program, "codex", server.address, "t", "5")) == (0, ANSWER, b"")


def test_no_content_is_silence(program: Client) -> None:
    """204 is an answer: no opinion, also for who fails closed."""
    with Answering(says(b"HTTP/1.1 204 No Content\r\n\r\n")) as server:
        assert told(run(program, "codex", server.address, "t", "5", "--fail-closed")) == (0, b"", b"")


def stays_silent(line: socket.socket) -> None:
    """Wait until the client has gone."""
    while line.recv(1024):
        pass


BAD: dict[str, Answer] = {
    "nothing": says(),
    "garbage": says(b"\x00\xff\xfe garbage\r\n\r\n"),
    "another protocol": says(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "headers without end": says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"),
    "headers too long": says(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000 + b"\r\n"),
    "cut in its body": says(http(ANSWER)[:-3]),
    "longer than it says": says(http(ANSWER) + b"more"),
    "no length": says(b"HTTP/1.1 200 OK\r\n\r\n" + ANSWER),
    "a length that is no number": says(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + ANSWER),
    "a huge length": says(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n" + ANSWER),
    "huge": says(http(b"x" * (LIMIT + 1))),
    "refused": says(http(b'{"error":"wrong token"}', status="401 Unauthorized")),
    "a bug": says(http(ANSWER, status="500 Internal Server Error")),
    "moved": says(http(ANSWER, "Location: http://example.org/", status="302 Found")),
    "a status like the right one": says(http(ANSWER, status="2000 OK")),
    "an exit code that is none": says(http(ANSWER, "X-Steward-Exit: 256")),
    "an exit code in words": says(http(ANSWER, "X-Steward-Exit: two")),
    "an empty exit code": says(http(ANSWER, "X-Steward-Exit:")),
    "slow": stays_silent,
}


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_no_answer(program: Client, name: str, closed: bool) -> None:
    """The agent asks by itself, or is told to stop; never is half an answer printed."""
    with Answering(BAD[name]) as server:
        words = ["codex", server.address, "t", str(QUICK_S if name == "slow" else 10)]
        done = run(program, *words, *(["--fail-closed"] if closed else []))
    if closed:
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"Steward did not answer: ")
        assert done.stderr.count(b"\n") == 1
    else:
        assert told(done) == (0, b"", b"")


UNREACHABLE = {
    "nobody listens": lambda _folder: ["codex", str(free_port()), "t", "5"],
    "no socket": lambda folder: ["codex", str(folder / "none"), "t", "5"],
    "a path too long": lambda folder: ["codex", str(folder / ("x" * 300)), "t", "5"],
    "no token file": lambda folder: ["codex", str(free_port()), f"@{folder / 'none'}", "5"],
    "a time-out in words": lambda _folder: ["codex", str(free_port()), "t", "soon"],
    "no time": lambda _folder: ["codex", str(free_port()), "t", "0"],
    "too few words": lambda _folder: ["codex"],
    "no words": lambda _folder: [],
    "too many words": lambda _folder: ["codex", str(free_port()), "t", "5", "6"],
}


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("name", UNREACHABLE)
def test_a_daemon_that_cannot_be_reached(program: Client, tmp_path: Path, name: str, closed: bool) -> None:
    """Nothing is printed; --fail-closed counts wherever it stands."""
    words = UNREACHABLE[name](tmp_path)
    done = run(program, *words, *(["--fail-closed"] if closed else []))
    assert (done.returncode, done.stdout) == (2 if closed else 0, b"")
    assert bool(done.stderr) is closed


def test_a_hook_beyond_the_limit_is_not_sent(program: Client) -> None:
    """It is read to its end all the same, so that the agent's pipe does not break."""
    with Answering(says(http(ANSWER))) as server:
        done = run(program, "codex", server.address, "t", "5", hook=b"x" * (3 * LIMIT))
    assert told(done) == (0, b"", b"")
    assert server.requests == []


def test_the_python_client_imports_next_to_nothing() -> None:
    """Every further module would be paid at every tool call."""
    code = (
        "import sys, time; before = set(sys.modules); "
        f"exec(compile(open({str(client.__file__)!r}).read(), 'client', 'exec'), {{'__name__': 'client'}}); "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert set(done.stdout.split()) == {"_socket"}


def test_the_universal_file_holds_both_programs(tmp_path: Path) -> None:
    """Each part lies where the header says, at a page of its own."""
    build = build_script()
    (tmp_path / "x").write_bytes(b"intel" * 5000)
    (tmp_path / "a").write_bytes(b"arm" * 7)
    made = build.fat(tmp_path / "x", tmp_path / "a")
    words = [int.from_bytes(made[at : at + 4]) for at in range(0, 48, 4)]
    assert words[:2] == [0xCAFEBABE, 2]
    parts = [(words[at], words[at + 2], words[at + 3]) for at in (2, 7)]
    found = {cpu: made[offset : offset + size] for cpu, offset, size in parts}
    assert found == {0x01000007: b"intel" * 5000, 0x0100000C: b"arm" * 7}
    assert [parts[0][1] % 2**12, parts[1][1] % 2**14] == [0, 0]
