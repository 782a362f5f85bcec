"""The sockets: this port or none, only this computer, and a file that only the user can open."""

from __future__ import annotations

import os
import socket
import stat
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.server.sockets import listen, listen_on_file, listen_on_port, steward_at


@contextmanager
def stranger(answers: bytes | None, address: str = "127.0.0.1") -> Iterator[int]:
    """A program that has a port: it says `answers` to whoever comes, or nothing (None)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen()
        ending = threading.Event()

        def serve() -> None:
            while not ending.is_set():
                line, _ = listener.accept()
                with line:
                    line.settimeout(5)
                    if answers is None:
                        ending.wait(5)
                    else:
                        line.recv(4096)
                        line.sendall(answers)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            ending.set()
            socket.create_connection((address, listener.getsockname()[1])).close()
            thread.join()


STEWARD = b'HTTP/1.1 200 OK\r\n\r\n{"program":"steward","version":"9.9","pid":4711}'


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        (STEWARD, "another Steward (version 9.9, process 4711)"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>", f"process {os.getpid()}"),
        (b"220 mail.example ESMTP\r\n", f"process {os.getpid()}"),
        (b"", f"process {os.getpid()}"),
        (None, f"process {os.getpid()}"),
    ],
)
def test_a_taken_port_names_who_has_it(answers: bytes | None, named: str) -> None:
    """The error says what answers there and never takes another port instead."""
    with stranger(answers) as port, pytest.raises(UserFacing) as raised:
        listen_on_port(port)
    assert raised.value.code == "port-taken"
    assert named in raised.value.cause
    assert str(port) in raised.value.cause
    assert raised.value.action


def test_a_stranger_on_the_other_loopback_address_counts() -> None:
    """`localhost` may lead there, so that half a port is not ours either."""
    with stranger(STEWARD, "::1") as port, pytest.raises(UserFacing, match="another Steward"):
        listen_on_port(port)


@pytest.mark.parametrize(
    "body",
    [
        b'{"program":"other","version":"1","pid":1}',
        b'{"program":"steward"}',
        b'["steward"]',
        b'{"program":"steward","version":"1","pid":"x"}',
        b'{"program":"steward","version":"1","pid":1e999}',
        b"[" * 16_000,
        b'{"program":' * 1_400,
        b"\xff" * 100_000,
    ],
)
def test_what_only_looks_like_steward_is_a_stranger(body: bytes) -> None:
    """Whatever a stranger answers, it is read without trust."""
    with stranger(b"HTTP/1.1 200 OK\r\n\r\n" + body) as port:
        assert steward_at("127.0.0.1", port) is None


def test_what_a_stranger_says_moves_nothing_in_a_terminal() -> None:
    """Another user's program may have the port, and the error is printed."""
    body = b'HTTP/1.1 200 OK\r\n\r\n{"program":"steward","version":"1\\u001b[2J\\u202e.0","pid":7}'
    with stranger(body) as port:
        found = steward_at("127.0.0.1", port)
    assert found is not None
    assert found.version == "1[2J.0"


def test_only_this_computer_is_listened_on() -> None:
    """Both loopback addresses, the same port, and nothing else."""
    sockets = listen_on_port(0)
    try:
        names = {each.getsockname()[0] for each in sockets}
        assert names == {"127.0.0.1", "::1"}
        assert len({each.getsockname()[1] for each in sockets}) == 1
    finally:
        for each in sockets:
            each.close()


def test_a_port_can_be_had_again_at_once() -> None:
    """Connections of a server that has just ended do not keep the next one from its port."""
    sockets = listen_on_port(0)
    port = sockets[0].getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)):
        line, _ = accept(sockets[0])
        line.close()  # the server's side ends first: its address stays in TIME_WAIT
    for each in sockets:
        each.close()
    again = listen_on_port(port)
    assert again[0].getsockname()[1] == port
    for each in again:
        each.close()


def test_the_socket_file_is_for_the_user_alone(tmp_path: Path) -> None:
    """Mode 0600 in a folder of mode 0700."""
    path = tmp_path / "run" / "hooks.socket"
    with listen_on_file(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_a_killed_process_left_is_replaced(tmp_path: Path) -> None:
    """A file on which nobody answers is stale."""
    path = tmp_path / "hooks.socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    made = listen_on_file(path)
    assert made is not None
    with made, socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))


@pytest.mark.parametrize("what", ["answering", "a file", "a folder", "a link"])
def test_what_is_not_ours_to_remove_stays(tmp_path: Path, what: str) -> None:
    """A socket that somebody answers on, and everything that is no socket, is left as it is."""
    path = tmp_path / "hooks.socket"
    with socket.socket(socket.AF_UNIX) as other:
        if what == "answering":
            other.bind(str(path))
            other.listen()
        elif what == "a file":
            path.write_text("precious")
        elif what == "a folder":
            path.mkdir()
        else:
            path.symlink_to("/etc/passwd")
        before = path.lstat()
        assert listen_on_file(path) is None
        assert path.lstat() == before


def test_a_path_too_long_for_a_socket_leaves_the_port(tmp_path: Path) -> None:
    """An address of a socket holds some hundred bytes; a deep profile folder goes on without."""
    path = tmp_path / ("deep" * 40) / "hooks.socket"
    listening = listen(0, path)
    try:
        assert listening.file is None
        assert listening.port > 0
    finally:
        listening.close()


def test_a_folder_that_cannot_be_made_leaves_the_port(tmp_path: Path) -> None:
    """The runtime folder may be in the way of something."""
    (tmp_path / "run").write_text("a file")
    listening = listen(0, tmp_path / "run" / "hooks.socket")
    try:
        assert listening.file is None
    finally:
        listening.close()


def test_closing_removes_only_its_own_file(tmp_path: Path) -> None:
    """Another process may have put its own in the place meanwhile."""
    path = tmp_path / "hooks.socket"
    listening = listen(0, path)
    path.unlink()
    path.write_text("somebody else's")
    listening.close()
    assert path.read_text() == "somebody else's"
    own = listen(0, tmp_path / "own.socket")
    own.close()
    own.close()
    assert not own.path.exists()


def accept(listener: socket.socket) -> tuple[socket.socket, object]:
    listener.setblocking(True)
    line, address = listener.accept()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
    return line, address
