"""Both hook clients, the Python file and the native program, against the same real server."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.agents import client
from tests.agents.answering import NONCE, TOKEN, Answer, Answering, Raw, Talk, says
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
HOOK = b'{"tool":"Bash","input":{"command":"ls"}}'
ANSWER = b'{"decision":"allow"}'
LIMIT = client.LIMIT_BYTES
QUICK_S = 0.3

pytestmark = pytest.mark.children
unix = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")

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


def test_the_hook_is_sent_and_the_answer_printed(program: Client) -> None:
    """The daemon gets the bytes of stdin, proven; the agent gets the body and nothing else."""
    with Answering(says(ANSWER)) as server:
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (0, ANSWER, b"")
    (request,) = server.requests
    assert (request.what, request.body, request.was_proven) == ("hooks/codex", HOOK, True)


def test_the_token_never_travels(program: Client) -> None:
    """Neither whole nor as its hash, and no two calls begin alike."""
    with Answering(says(ANSWER)) as server:
        for _ in range(2):
            run(program, "codex", server.address, TOKEN, "5")
    digest = hashlib.sha256(TOKEN.encode()).hexdigest().encode()
    assert not any(TOKEN.encode() in head or digest in head for head in server.heads)
    assert server.heads[0] != server.heads[1]


def test_the_token_may_lie_in_a_file(program: Client, tmp_path: Path) -> None:
    """So that no list of processes shows it; what stands behind the first line is not part of it."""
    (tmp_path / "a token").write_text(f"{TOKEN}\nelse ask\n")
    with Answering(says(ANSWER)) as server:
        done = run(program, "codex", server.address, f"@{tmp_path / 'a token'}", "5")
    assert told(done) == (0, ANSWER, b"")


@unix
def test_a_unix_socket_serves_as_well(program: Client, tmp_path: Path) -> None:
    """A path in place of a port."""
    with Answering(says(ANSWER), tmp_path / "s") as server:
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (0, ANSWER, b"")


@unix
def test_of_two_addresses_the_first_that_takes_the_call_is_used(program: Client, tmp_path: Path) -> None:
    """The socket where there is one, else the port."""
    with Answering(says(b"port")) as port:
        address = f"{tmp_path / 's'}:{port.address}"
        assert told(run(program, "codex", address, TOKEN, "5")) == (0, b"port", b"")
        with Answering(says(b"file"), tmp_path / "s"):
            assert told(run(program, "codex", address, TOKEN, "5")) == (0, b"file", b"")
    assert len(port.requests) == 1


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_no_proxy_is_asked(program: Client, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """It would see the hook, and could answer it."""
    with Answering(says(b"evil")) as proxy, Answering(says(ANSWER)) as server:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.address}")
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (0, ANSWER, b"")
    assert proxy.heads == []


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 65_536, LIMIT])
def test_what_is_read_and_answered_may_be_large(program: Client, size: int) -> None:
    """Up to the limit every byte arrives and is proven, both ways, also those that are no text."""
    content = bytes(range(256)) * (size // 256 + 1)
    with Answering(says(content[:size])) as server:
        done = run(program, "codex", server.address, TOKEN, "10", hook=content[:size])
    assert told(done) == (0, content[:size], b"")
    assert (server.requests[0].body, server.requests[0].was_proven) == (content[:size], True)


PASSED_ON = [
    (says(ANSWER, "2", b"Denied: it deletes"), (2, ANSWER, b"Denied: it deletes\n")),
    (says(ANSWER, "255"), (255, ANSWER, b"")),
    (says(b"", "0", "100% ä\nb".encode()), (0, b"", "100% ä\nb\n".encode())),
    (says(b"", "2", b"x" * 5000), (2, b"", b"x" * 5000 + b"\n")),
    (says(), (0, b"", b"")),
]


@pytest.mark.parametrize(("answer", "expected"), PASSED_ON)
def test_exit_code_and_error_output_are_the_daemons(
    program: Client, answer: Answer, expected: tuple[int, bytes, bytes]
) -> None:
    """Agents that look at the exit code are told by it."""
    with Answering(answer) as server:
        assert told(run(program, "codex", server.address, TOKEN, "5", "--fail-closed")) == expected


def test_an_answer_in_pieces_is_put_together(program: Client) -> None:
    """However the network cuts it."""

    def answer(talk: Talk) -> None:
        whole = talk.sealed(ANSWER, "2")
        for at in range(len(whole)):
            talk.send(whole[at : at + 1])

    with Answering(answer) as server:
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (2, ANSWER, b"")


def test_a_line_that_is_kept_open_is_not_waited_for(program: Client) -> None:
    """The answer is whole when its length says so."""

    def answer(talk: Talk) -> None:
        talk.send(talk.sealed(ANSWER))
        server.ended.wait(10)

    with Answering(answer) as server:
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (0, ANSWER, b"")


def stays_silent(line: socket.socket) -> None:
    """Wait until the client has gone."""
    while line.recv(1024):
        pass


def sends(content: bytes) -> Raw:
    return lambda line: line.sendall(content)


# Who cannot prove to know the token: not Steward, whatever is said.
STRANGERS: dict[str, Raw] = {
    "nothing": sends(b""),
    "garbage": sends(b"\x00\xff\xfe garbage\r\n\r\n"),
    "another protocol": sends(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "an allow": sends(b"0 0 20 " + b"0" * 64 + b"\n" + ANSWER),
    "an allow by HTTP": sends(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n" + ANSWER),
    "a wrong proof": sends(b"0" * 32 + b" " + b"0" * 64 + b"\n"),
    "an empty proof": sends(b"0" * 32 + b" \n"),
    "a line without end": sends(b"0" * 100_000),
    "slow": stays_silent,
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_not_believed_and_learns_nothing(program: Client, name: str) -> None:
    """What it says is no answer; it gets neither the token nor the hook."""
    with Answering(raw=STRANGERS[name]) as server:
        words = ["codex", server.address, TOKEN, str(QUICK_S if name == "slow" else 10)]
        assert told(run(program, *words)) == (0, b"", b"")
        done = run(program, *words, "--fail-closed")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Steward did not answer, and nothing was run: ")
    assert all(HOOK not in head and TOKEN.encode() not in head for head in server.heads)


def test_what_was_once_said_is_good_for_no_other_line(program: Client) -> None:
    """A stranger that has heard a whole talk cannot repeat its server's part."""
    heard: list[bytes] = []

    def overhears(talk: Talk) -> None:
        heard.append(NONCE + b" " + talk.mac(b"server", b"") + b"\n")
        heard.append(talk.sealed(ANSWER))
        talk.send(heard[1])

    with Answering(overhears) as server:
        assert told(run(program, "codex", server.address, TOKEN, "5")) == (0, ANSWER, b"")
    with Answering(raw=sends(b"".join(heard))) as stranger:
        assert told(run(program, "codex", stranger.address, TOKEN, "5")) == (0, b"", b"")


def bad(change: Callable[[bytes], bytes]) -> Answer:
    return lambda talk: talk.send(change(talk.sealed(ANSWER)))


# Said by who knows the token, and yet no answer.
BAD: dict[str, Answer] = {
    "nothing": bad(lambda _answer: b""),
    "cut in its body": bad(lambda answer: answer[:-3]),
    "longer than it says": bad(lambda answer: answer + b"more"),
    "another body": bad(lambda answer: answer.replace(b"allow", b"allov")),
    "another code": bad(lambda answer: b"2" + answer[1:]),
    "another size": bad(lambda answer: answer.replace(b"0 0 20", b"0 1 19")),
    "no proof": bad(lambda answer: answer.partition(b" ")[0] + b"\n"),
    "a huge size": bad(lambda answer: answer.replace(b" 20 ", b" 99999999999999999999 ")),
    "a size that is no number": bad(lambda answer: answer.replace(b" 20 ", b" -1 ")),
    "an exit code that is none": says(ANSWER, "256"),
    "an exit code in words": says(ANSWER, "two"),
    "a refusal": says(b"", "-", b"The hook could not be read."),
    "slow": lambda talk: stays_silent(talk.line),
}


@pytest.mark.parametrize("how", ["open", "guards", "closed"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_no_answer(program: Client, name: str, how: str) -> None:
    """The agent asks by itself, or is told to stop; never is half an answer printed."""
    with Answering(BAD[name]) as server:
        words = ["codex", server.address, TOKEN, str(QUICK_S if name == "slow" else 10)]
        flags = {"open": [], "guards": ["--guards"], "closed": ["--fail-closed"]}[how]
        done = run(program, *words, *flags)
    if how == "open":
        assert told(done) == (0, b"", b"")
    else:
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"Steward did not answer, and nothing was run: ")
        assert done.stderr.count(b"\n") == 1


UNREACHABLE = {
    "nobody listens": lambda _folder: ["codex", str(free_port()), "t", "5"],
    "no socket": lambda folder: ["codex", str(folder / "none"), "t", "5"],
    "a port that is no number": lambda _folder: ["codex", "²", "t", "5"],
    "one that no port has": lambda _folder: ["codex", "9" * 5000, "t", "5"],
    "neither": lambda folder: ["codex", f"{folder / 'none'}:{free_port()}", "t", "5"],
    "a path too long": lambda folder: ["codex", str(folder / ("x" * 300)), "t", "5"],
    "no token file": lambda folder: ["codex", str(free_port()), f"@{folder / 'none'}", "5"],
    "an empty token file": lambda folder: ["codex", str(free_port()), f"@{_empty(folder)}", "5"],
    "a time-out in words": lambda _folder: ["codex", str(free_port()), "t", "soon"],
    "no time": lambda _folder: ["codex", str(free_port()), "t", "0"],
    "too few words": lambda _folder: ["codex"],
    "no words": lambda _folder: [],
    "too many words": lambda _folder: ["codex", str(free_port()), "t", "5", "6"],
}


def _empty(folder: Path) -> Path:
    (folder / "empty").write_text("\n")
    return folder / "empty"


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("name", UNREACHABLE)
def test_a_daemon_that_cannot_be_reached(program: Client, tmp_path: Path, name: str, closed: bool) -> None:
    """Nothing is printed; --fail-closed counts wherever it stands."""
    words = UNREACHABLE[name](tmp_path)
    done = run(program, *words, *(["--fail-closed"] if closed else []))
    assert (done.returncode, done.stdout) == (2 if closed else 0, b"")
    assert bool(done.stderr) is closed


@unix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another")
def test_another_users_socket_is_not_spoken_to(native: Path, tmp_path: Path) -> None:
    """The system says whose program listens; it hears nothing, not even a greeting."""
    tmp_path.chmod(0o755)
    for each in (tmp_path, *tmp_path.parents[:-1]):
        each.chmod(each.stat().st_mode | 0o055)
    program = tmp_path / "steward-hook"
    shutil.copy(native, program)
    with Answering(says(ANSWER), tmp_path / "s") as server:
        (tmp_path / "s").chmod(0o777)
        words = [str(program), "codex", server.address, TOKEN, "5", "--fail-closed"]
        done = subprocess.run(words, input=HOOK, capture_output=True, timeout=30, user=65534)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"another user" in done.stderr
    assert server.heads == []


def test_a_hook_beyond_the_limit_is_not_sent(program: Client) -> None:
    """It is read to its end all the same, so that the agent's pipe does not break."""
    with Answering(says(ANSWER)) as server:
        done = run(program, "codex", server.address, TOKEN, "5", hook=b"x" * (3 * LIMIT))
    assert told(done) == (0, b"", b"")
    assert server.requests == []


RULES = """
else {otherwise}
lost {lost}
refuse-in bypassPermissions danger
ask-in acceptEdits auto
reads view glob
ask {{"decision":"ask"}}
"""
SILENT, REFUSED, ASKS = (0, b""), (2, b""), (0, b'{"decision":"ask"}')
WITHOUT = [
    # else, lost, hook, not running, gone while it waited
    ("silence", "ask", b"{}", SILENT, ASKS),
    ("silence", "refuse", b"{}", SILENT, REFUSED),
    ("ask", "refuse", b"{}", ASKS, REFUSED),
    ("refuse", "silence", b"{}", REFUSED, SILENT),
    ("nonsense", "nonsense", b"{}", REFUSED, REFUSED),
    ("silence", "ask", b'{"permission_mode":"default"}', SILENT, ASKS),
    ("silence", "ask", b'{"permission_mode" :\n "bypassPermissions"}', REFUSED, REFUSED),
    ("silence", "ask", b'{"permission_mode":"danger"}', REFUSED, REFUSED),
    ("silence", "ask", b'{"permission_mode":"acceptEdits"}', ASKS, ASKS),
    ("silence", "ask", b'{"permission_mode":"default","x":{"permission_mode":"auto"}}', ASKS, ASKS),
    ("silence", "ask", rb'{"x":"\"permission_mode\":\"danger\""}', SILENT, ASKS),
    ("ask", "ask", b'{"tool_name":"view"}', SILENT, ASKS),
    ("ask", "ask", b'{"toolName": "glob"}', SILENT, ASKS),
    ("ask", "ask", b'{"toolName":"bash"}', ASKS, ASKS),
    ("ask", "ask", b'{"toolName":"bash","toolArgs":{"toolName":"view"}}', ASKS, ASKS),
    ("ask", "ask", b'{"toolName":"view","toolArgs":{"tool_name":"bash"}}', ASKS, ASKS),
    ("ask", "ask", b'{"toolName":["view"]}', ASKS, ASKS),
    ("ask", "ask", b'{"tool_name":"view","permission_mode":"bypassPermissions"}', REFUSED, REFUSED),
]


@pytest.mark.parametrize(("otherwise", "lost", "hook", "absent", "gone"), WITHOUT)
def test_without_an_answer_the_agent_is_held_where_it_would_not_ask(
    program: Client,
    tmp_path: Path,
    otherwise: str,
    lost: str,
    hook: bytes,
    absent: tuple[int, bytes],
    gone: tuple[int, bytes],
) -> None:
    """As the file beside the token says: with Steward not there, and gone while the question was open."""
    file = tmp_path / "token"
    file.write_text(TOKEN + RULES.format(otherwise=otherwise, lost=lost))
    words = [f"@{file}", "5", "--guards"]
    done = run(program, "codex", str(free_port()), *words, hook=hook)
    assert (done.returncode, done.stdout) == absent
    with Answering(lambda _talk: None) as server:
        done = run(program, "codex", server.address, *words, hook=hook)
    assert (done.returncode, done.stdout) == gone
    with Answering(tokens=lambda: ()) as server:
        done = run(program, "codex", server.address, *words, hook=hook)
    assert (done.returncode, done.stdout) == gone, "a token that it does not know"


def test_without_rules_only_a_session_that_asks_nobody_is_refused(program: Client) -> None:
    """A token in the words, or a file of an older Steward."""
    port = str(free_port())
    for hook, expected in ((b"{}", SILENT), (b'{"permission_mode":"bypassPermissions"}', REFUSED)):
        done = run(program, "codex", port, TOKEN, "5", "--guards", hook=hook)
        assert (done.returncode, done.stdout) == expected


def test_the_python_client_imports_next_to_nothing() -> None:
    """Every further module would be paid at every tool call."""
    code = (
        "import sys, time; before = set(sys.modules); "
        f"exec(compile(open({str(client.__file__)!r}).read(), 'client', 'exec'), {{'__name__': 'client'}}); "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert set(done.stdout.split()) in ({"_socket", "_sha2"}, {"_socket", "_sha256"})


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
