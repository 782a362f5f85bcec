"""Requests that mean harm, sent by hand to the real server: none is obeyed, and the next one is answered."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.server import raw
from tests.server.conftest import ALLOW, Running

BODY = b'{"command": "ls"}'
NESTED = b"[" * 5_000 + b"]" * 5_000


def told(running: Running, request: bytes) -> bytes:
    """All that the server says before the line ends."""
    with raw.line_to(running.port) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
        return raw.until_closed(line)


def post(running: Running, *headers: str, body: bytes = BODY, path: str = "/hooks/small") -> bytes:
    """A request with the user's right token; `{port}` in a header is the server's."""
    lines = [f"POST {path} HTTP/1.1", f"Authorization: Bearer {running.token}"]
    lines += [each.replace("{port}", str(running.port)) for each in headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


LENGTH = f"Content-Length: {len(BODY)}"
HOST = "Host: 127.0.0.1:{port}"
# A request inside the body of another: a server that loses count answers both.
INNER = (
    b"POST /hooks/small HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Authorization: Bearer {token}\r\nContent-Length: 17\r\n\r\n"
)

# Two ways of telling where a body ends, or none.
SMUGGLED: dict[str, tuple[str, ...]] = {
    "length and chunks": (HOST, "Content-Length: 5", "Transfer-Encoding: chunked"),
    "chunks and length": (HOST, "Transfer-Encoding: chunked", "Content-Length: 5"),
    "two lengths": (HOST, "Content-Length: 5", "Content-Length: 17"),
    "a list of lengths": (HOST, "Content-Length: 5, 17"),
    "a length with a sign": (HOST, "Content-Length: +5"),
    "a length below none": (HOST, "Content-Length: -1"),
    "a length with blanks in it": (HOST, "Content-Length: 1 7"),
    "a length in hexadecimal": (HOST, "Content-Length: 0x11"),
    "a length in other digits": (HOST, "Content-Length: \xb2\xb3"),
    "an endless length": (HOST, "Content-Length: " + "9" * 40),
    "an unknown coding": (HOST, "Transfer-Encoding: xchunked"),
    "chunks twice": (HOST, "Transfer-Encoding: chunked, chunked"),
    "chunks, then identity": (HOST, "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
    "a coding behind a tab": (HOST, "Transfer-Encoding:\tchunked", "Content-Length: 5"),
    "a coding in odd letters": (HOST, "Transfer-Encoding: cHuNkEd", "Content-Length: 5"),
    "a coding behind a control character": (HOST, "Transfer-Encoding: \x0bchunked", "Content-Length: 5"),
    "a name with a blank": (HOST, "Content-Length : 5", "Transfer-Encoding: chunked"),
    "a folded line": (HOST, "X: y", " Content-Length: 5", LENGTH),
    "a name with a control character": (HOST, "Content\x01-Length: 5"),
    "a value with a zero": (HOST, "X: a\x00b", LENGTH),
    "a value with a line feed": (HOST, "X: a\nContent-Length: 0", LENGTH),
    "a value with a return": (HOST, "X: a\rContent-Length: 0", LENGTH),
    "a line without a colon": (HOST, "nonsense", LENGTH),
    "a name that is empty": (HOST, ": x", LENGTH),
}


@pytest.mark.parametrize("kind", SMUGGLED)
def test_no_request_hides_in_another(running: Running, kind: str) -> None:
    """At most one answer comes, so nothing behind the first is taken for a request of its own."""
    inner = INNER.replace(b"{token}", running.token.encode()) + b'{"command": "rm x"}'
    said = told(running, post(running, *SMUGGLED[kind], body=b"0\r\n\r\n" + inner))
    assert said.count(b"HTTP/1.1 200") <= 1
    assert running.handler.held == []
    assert still_answers(running)


def still_answers(running: Running) -> bool:
    with raw.line_to(running.port) as line:
        line.sendall(raw.hook("ls", running.token))
        return raw.answer(line) == (200, ALLOW.body)


CHUNKS = {
    "no number": b"x\r\nls\r\n0\r\n\r\n",
    "a number without an end": b"f" * 5_000,
    "a number below none": b"-5\r\nls\r\n0\r\n\r\n",
    "a number too large": b"ffffffffffffffffff\r\nls",
    "an extension without an end": b"5;" + b"a" * 70_000,
    "no line behind a chunk": b"11\r\n" + BODY + b"0\r\n\r\n",
    "a line feed alone": b"11\n" + BODY + b"\n0\n\n",
    "half a chunk": b"11\r\n" + BODY[:5],
    "a trailer that gives leave": b'a\r\n{"command"\r\n0\r\nAuthorization: Bearer x\r\n\r\n',
    "a thousand empty words": b"1\r\n \r\n" * 1_000,
}


@pytest.mark.parametrize("kind", CHUNKS)
def test_a_body_in_bad_pieces_allows_nothing(running: Running, kind: str) -> None:
    """Whatever is said of the pieces."""
    said = told(running, post(running, HOST, "Transfer-Encoding: chunked", body=CHUNKS[kind]))
    assert b'"allow"' not in said
    assert running.handler.held == []
    assert still_answers(running)


# Names that a page's address may have been given to reach this computer.
FOREIGN = [
    *("evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.evil.example"),
    *("evil.example:80@127.0.0.1:{port}", "127.0.0.1@evil.example", "localhost:1", "127.0.0.1:65536"),
    *("127.0.0.1:{port}.evil.example", "evil.example#127.0.0.1:{port}", "evil.example/127.0.0.1:{port}"),
    *(
        "0x7f000001:1",
        "2130706433:1",
        "0177.0.0.1:1",
        "127.1:1",
        "[::ffff:127.0.0.1]:1",
        "[::1].evil.example",
    ),
    *("localhost\tevil.example", "localhost evil.example", "localhost,evil.example", "localhost\xa0", "*"),
    *("7f000001.c0a80001.rbndr.us:{port}", "a.localhost.evil:{port}", "xn--lcalhost-54a:{port}", "0.0.0.0:1"),
]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_name_that_leads_here_is_not_ours(running: Running, name: str) -> None:
    """A page whose name was bound to this computer afterwards gets no answer, with the right token too."""
    said = told(running, post(running, f"Host: {name}", LENGTH))
    assert b'"allow"' not in said
    assert b"Access-Control-Allow" not in said
    assert running.handler.held == []


def test_two_names_and_none_are_no_name(running: Running) -> None:
    """A name beside the right one, before or behind it, and none at all."""
    for headers in (
        (HOST, "Host: evil.example", LENGTH),
        ("Host: evil.example", HOST, LENGTH),
        ("Host:", LENGTH),
        (LENGTH,),
    ):
        assert b'"allow"' not in told(running, post(running, *headers)), headers


ORIGINS = [
    *("https://evil.example", "null", "file://", "http://127.0.0.1.evil.example", "chrome-extension://abc"),
    *(
        "http://localhost.evil.example:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}/",
        "vscode-webview://x",
    ),
    *(
        "http://127.0.0.1:{port}@evil.example",
        "HTTP://EVIL.EXAMPLE",
        "",
        " ",
        "http://localhost:{port}, https://e",
    ),
    *("https://127.0.0.1:{port}", "moz-extension://x", "http://[::1]:1", "data:", "about:blank"),
]


@pytest.mark.parametrize("origin", [each for each in ORIGINS if each.strip()])
def test_no_page_is_answered(running: Running, origin: str) -> None:
    """Whatever origin a browser tells, with the right token and the right name."""
    said = told(running, post(running, HOST, f"Origin: {origin}", LENGTH))
    assert b'"allow"' not in said
    assert b"Access-Control-Allow" not in said


TOKENS = {
    "none": "",
    "empty": "Authorization:",
    "the word alone": "Authorization: Bearer",
    "another word": "Authorization: Basic {token}",
    "in small letters twice": "Authorization: bearer bearer {token}",
    "cut by one": "Authorization: Bearer {cut}",
    "longer by one": "Authorization: Bearer {token}x",
    "in quotes": 'Authorization: Bearer "{token}"',
    "its hash": "Authorization: Bearer {hash}",
    "with a zero behind": "Authorization: Bearer {token}\x00",
    "a star": "Authorization: Bearer *",
    "in another field": "X-Authorization: Bearer {token}",
    "as a cookie": "Cookie: token={token}",
    "very long": "Authorization: Bearer " + "a" * 7_000,
    "not text": "Authorization: Bearer \xff\xfe",
    "two of them, the second right": "Authorization: Bearer x\r\nAuthorization: Bearer {token}",
    "a list": "Authorization: Bearer x, Bearer {token}",
}


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_is_whole_and_in_its_place_or_none(running: Running, kind: str) -> None:
    """What is near it opens nothing."""
    values = {
        "token": running.token,
        "cut": running.token[:-1],
        "hash": hashlib.sha256(running.token.encode()).hexdigest(),
    }
    header = TOKENS[kind].format(**values)
    host = f"Host: 127.0.0.1:{running.port}"
    lines = ["POST /hooks/small HTTP/1.1", host, LENGTH, *([header] if header else []), "", ""]
    said = told(running, "\r\n".join(lines).encode("latin-1") + BODY)
    assert b'"allow"' not in said
    assert running.handler.held == []


def test_a_token_in_the_address_is_none_and_no_guess_is_logged(
    running: Running, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """A thousand guesses open nothing, and neither they nor the right one stand in a log or an answer."""
    caplog.set_level(logging.DEBUG)
    guesses = [secrets.token_urlsafe(32) for _ in range(1_000)]
    with raw.line_to(running.port) as line:
        for guess in guesses:
            line.sendall(raw.hook("ls", guess))
            status, body = raw.answer(line)
            assert status != 200 or b'"decision": "deny"' in body, body
            assert guess.encode() not in body
    path = f"/hooks/small?token={running.token}&access_token={running.token}"
    host = f"127.0.0.1:{running.port}"
    said = told(running, raw.request(path, "POST", BODY, host))
    assert b'"allow"' not in said
    printed = caplog.text + "".join(capsys.readouterr())
    assert running.token not in printed
    assert not [guess for guess in guesses if guess in printed]


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "a list": b"[]",
    "a word": b'"ls"',
    "a number": b"1",
    "null": b"null",
    "no command": b"{}",
    "a command that is none": b'{"command": null}',
    "a command that is a number": b'{"command": 1}',
    "a command in a list": b'{"command": ["ls"]}',
    "half": b'{"command": "ls"',
    "two values": b'{"command": "ls"}{"command": "ls"}',
    "a comma too much": b'{"command": "ls",}',
    "deep": b'{"command": ' + NESTED + b"}",
    "not a number": b'{"command": NaN}',
    "a huge number": b'{"command": ' + b"9" * 5_000 + b"}",
    "UTF-16": '{"command": "ls"}'.encode("utf-16"),
    "UTF-7": b"+AHsAIg-command+ACI-: +ACI-ls+ACIAfQ-",
    "broken UTF-8": b'{"command": "l\xff\xfes"}',
    "a lone surrogate": b'{"command": "\\ud800"}',
    "a zero": b'{"command": "l\x00s"}',
    "a form": b"command=ls",
    "XML": b"<command>ls</command>",
    "parts": b'--x\r\nContent-Disposition: form-data; name="command"\r\n\r\nls\r\n--x--',
    "the later of two names": b'{"command": "ls", "command": "rm -rf x"}',
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_no_hook_is_not_allowed(running: Running, kind: str) -> None:
    """Of two values for one name the later counts, which is the one that the agent would run."""
    with raw.line_to(running.port) as line:
        line.sendall(post(running, HOST, f"Content-Length: {len(BODIES[kind])}", body=BODIES[kind]))
        # Whoever closes at once gets no answer at all, which would look like a refusal.
        wait_until(lambda: bool(running.handler.held) or not line_is_open(line))
        line.shutdown(socket.SHUT_WR)
        said = raw.until_closed(line)
    assert b'"decision": "allow"' not in said
    assert still_answers(running)


def wait_until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1_000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come to that in time")


def line_is_open(line: socket.socket) -> bool:
    """Whether no answer has come yet."""
    line.setblocking(False)
    try:
        return not line.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    finally:
        line.settimeout(10)


PATHS = [
    *(
        "/hooks/../hooks/small",
        "/hooks//small",
        "//hooks/small",
        "/hooks/small/",
        "/hooks/%73mall%2f..",
        "/hooks/",
    ),
    *("/hooks/small%00", "/hooks/SMALL", "/Hooks/small", "/hooks/small;x", "/hooks/%2e%2e/health", "*"),
    *("http://evil.example/hooks/small", "/hooks/small#x", "/hooks/" + "a" * 3_000, "/hooks/nobody"),
]


@pytest.mark.parametrize("path", PATHS)
def test_another_way_to_say_a_path_reaches_nobody_else(running: Running, path: str) -> None:
    """It is the agent's own path or none; nothing outside the routes is reached."""
    said = told(running, post(running, HOST, LENGTH, path=path))
    assert said.count(b"HTTP/1.1 200") <= 1
    assert b"Traceback" not in said
    assert b"evil.example" not in said
    assert still_answers(running)


METHODS = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "HEAD", "PROPFIND", "post", "PRI"]


@pytest.mark.parametrize("method", METHODS)
def test_another_method_decides_nothing(running: Running, method: str) -> None:
    """TRACE does not say back what it was sent, CONNECT opens no tunnel."""
    request = post(running, HOST, LENGTH, "X-Method-Override: POST").replace(b"POST", method.encode(), 1)
    said = told(running, request)
    assert b'"allow"' not in said
    assert running.token.encode() not in said


UPGRADES = [
    ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA"),
    ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
    ("Connection: keep-alive, authorization",),
    ("Expect: 200-nonsense",),
]


@pytest.mark.parametrize("headers", UPGRADES, ids=[each[0] for each in UPGRADES])
def test_no_other_protocol_is_begun(running: Running, headers: tuple[str, ...]) -> None:
    """What is asked for beside the request changes nothing."""
    said = told(running, post(running, HOST, LENGTH, *headers))
    assert b"101 Switching" not in said
    assert still_answers(running)


IDLE = """
import socket, sys
lines = []
for _ in range(1000):
    try:
        lines.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5))
    except OSError:
        pass
print(len(lines), flush=True)
sys.stdin.read()
"""


@pytest.mark.children
def test_a_thousand_lines_that_say_nothing_starve_nobody(running: Running) -> None:
    """They come from another program, and a hook is answered beside them."""
    command = [sys.executable, "-I", "-c", IDLE, str(running.port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert int(other.stdout.readline()) > 500
        assert still_answers(running)
        other.stdin.close()


def test_the_table_is_as_long_as_it_says() -> None:
    """A shortened one would prove less."""
    tables = (SMUGGLED, CHUNKS, FOREIGN, ORIGINS, TOKENS, BODIES, PATHS, METHODS, UPGRADES)
    assert sum(map(len, tables)) >= 145
    assert json.loads(ALLOW.body) == {"decision": "allow"}
