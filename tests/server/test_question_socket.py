"""The socket for questions of a terminal, against whoever else comes to it."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from desktop.agents.tokens import key_digits, key_name
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure
from desktop.server.question_socket import MOST_AT_ONCE, QuestionSocket, Said, Say, ask_running
from desktop.state_file import read_object

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no socket files")

NONCE = b"0" * 32


class Echo:
    """Says what was asked, once it may."""

    def __init__(self, request: Said, say: Say, may: threading.Event) -> None:
        self._request, self._say, self._may = request, say, may

    def run(self) -> Said:
        self._say({"grew": self._request["question"]})
        self._may.wait()
        return {"answer": 1}

    def stop(self, is_ending: bool) -> None:
        self._may.set()


class Open:
    """An open socket, and what came through it."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.begun: list[Said] = []
        self.may = threading.Event()
        self.socket = QuestionSocket(paths, self._begin)

    def _begin(self, request: Said, say: Say) -> Echo:
        self.begun.append(request)
        return Echo(request, say, self.may)

    def key(self) -> str:
        return key_digits(read_object(self.paths.question_token, "It")["token"])

    def said_to(self, sent: bytes) -> bytes:
        """All that is answered to these bytes, after which nothing is sent any more."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.paths.question_socket))
            answer = b""
            # What it does not read to the end it cuts off.
            with suppress(ConnectionResetError, BrokenPipeError):
                line.sendall(sent)
                line.shutdown(socket.SHUT_WR)
                while part := line.recv(65_536):
                    answer += part
            return answer


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    room = Open(Paths.under(tmp_path))
    with closing(room.socket):
        assert room.socket.open()
        yield room


def test_what_is_said_comes_line_by_line(opened: Open) -> None:
    """The first while the rest is not known yet; the last one without its mark."""
    lines = ask_running(opened.paths, {"question": "Why?\n", "other": "ü"})
    assert lines is not None
    assert next(lines) == {"grew": "Why?\n"}
    opened.may.set()
    assert list(lines) == [{"answer": 1}]
    assert opened.begun == [{"question": "Why?\n", "other": "ü"}]


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\0" * 100_000,
        b"STEWARD/1 " + b"0" * 16 + b" " + NONCE + b"\n",  # the key of another
        b"STEWARD/1 " + b"x" * 300,
    ],
)
def test_who_does_not_know_the_token_hears_nothing(opened: Open, sent: bytes) -> None:
    """Not even that it is Steward that listens."""
    assert opened.said_to(sent) == b""
    assert opened.begun == []


@pytest.mark.parametrize(
    "request_",
    [
        b"ask 2 " + b"0" * 64 + b"\n{}",  # a proof that is none
        b"ask 999999999 " + b"0" * 64 + b"\n",
        b"hooks/codex 2 " + b"0" * 64 + b"\n{}",
        b"ask -1 " + b"0" * 64 + b"\n",
        b"ask 5 " + b"0" * 64 + b"\n{}",  # less than it says
    ],
)
def test_who_proves_nothing_asks_nothing(opened: Open, request_: bytes) -> None:
    """The name of the key is no secret, and a request has to come whole."""
    greeting = f"STEWARD/1 {key_name(opened.key())} ".encode() + NONCE + b"\n"
    assert opened.said_to(greeting + request_).count(b"\n") == 1
    assert opened.begun == []


HOSTILE: dict[str, Callable[[Path], object]] = {
    "nothing": lambda file: file.write_bytes(b""),
    "garbage": lambda file: file.write_bytes(b"\x00\xff" * 300),
    "another type": lambda file: file.write_text('{"token": [1]}'),
    "deep": lambda file: file.write_text("[" * 100_000),
    "a folder": lambda file: file.mkdir(),
    "a pipe": os.mkfifo,
    "a link to itself": lambda file: file.symlink_to(file.name),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", ["questions.json", "questions.socket"])
def test_whatever_lies_in_its_place_nobody_is_asked_and_nothing_fails(
    tmp_path: Path, what: str, name: str
) -> None:
    """The command answers by itself, and the program starts, with its door or without."""
    paths = Paths.under(tmp_path)
    ensure(paths.runtime)
    paths.question_token.write_text('{"token": "left"}')
    (paths.runtime / name).unlink(missing_ok=True)
    HOSTILE[what](paths.runtime / name)
    assert ask_running(paths, {"question": "Why?"}) is None
    with closing(Open(paths).socket) as door:
        door.open()


def test_more_than_are_answered_at_once_are_refused(opened: Open) -> None:
    """They hear so, and those under way go on."""
    lines = [ask_running(opened.paths, {"question": str(number)}) for number in range(MOST_AT_ONCE)]
    first = [next(each) for each in lines if each is not None]
    assert len(first) == MOST_AT_ONCE
    one_more = ask_running(opened.paths, {"question": "more"})
    assert one_more is not None
    with pytest.raises(UserFacing, match="does not answer"):
        next(one_more)
    opened.may.set()
    assert all(list(each) == [{"answer": 1}] for each in lines if each is not None)


def test_it_closes_while_nobody_reads(opened: Open) -> None:
    """Neither a line that only stands open nor an answer under way keeps the program."""
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(opened.paths.question_socket))
        lines = ask_running(opened.paths, {"question": "Why?"})
        assert lines is not None
        next(lines)
        opened.socket.close()
        assert list(lines) == [{"answer": 1}]
    assert not opened.paths.question_socket.exists()
    assert ask_running(opened.paths, {"question": "Why?"}) is None
