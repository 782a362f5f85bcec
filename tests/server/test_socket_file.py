"""Connections of the socket file, on a real loop and real sockets."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.server.socket_file import FileListener, FileTransport
from desktop.server.sockets import listen_on_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no socket file here")

LARGE = bytes(range(256)) * 20_000  # more than the system holds for a socket


class Seen(asyncio.Protocol):
    """Does what the test says with what comes."""

    def __init__(self, answer: Callable[[FileTransport, bytes], None]) -> None:
        self.answer = answer
        self.got = b""
        self.ends = 0
        self.over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, FileTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.got += data
        self.answer(self.transport, data)

    def connection_lost(self, exc: BaseException | None) -> None:
        assert exc is None
        self.ends += 1
        self.over.set()


def take(_transport: FileTransport, _data: bytes) -> None:
    """Say nothing."""


async def with_one(
    folder: Path,
    answer: Callable[[FileTransport, bytes], None],
    client: Callable[[socket.socket], bytes],
) -> tuple[Seen, bytes]:
    """One connection: what `client`, on a thread, got of it, once both sides are done."""
    listening = listen_on_file(folder / "s")
    assert listening is not None
    seen = Seen(answer)
    listener = FileListener(listening, lambda: seen)

    def talk() -> bytes:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(30)
            line.connect(str(folder / "s"))
            return client(line)

    got = await asyncio.to_thread(talk)
    await asyncio.wait_for(seen.over.wait(), 30)
    listener.close()
    await asyncio.sleep(0)
    return seen, got


def all_of(line: socket.socket) -> bytes:
    parts = []
    while part := line.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def test_an_answer_that_does_not_fit_arrives_whole(tmp_path: Path) -> None:
    """`close` comes right behind it, as with every answer; the end is told once."""

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(LARGE)
        transport.write(b"end")
        transport.close()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert got == LARGE + b"end"
    assert seen.ends == 1


def test_what_is_closed_is_not_read_any_more(tmp_path: Path) -> None:
    """One request and its answer; what follows goes nowhere."""

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(b"done")
        transport.close()
        transport.close()
        transport.write(b"more")
        transport.abort()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"one")
        return line.recv(100) + line.recv(100)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert (seen.got, got, seen.ends) == (b"one", b"done", 1)


def test_a_client_that_goes_ends_it(tmp_path: Path) -> None:
    """So that a question is withdrawn whose asker has gone."""

    def client(line: socket.socket) -> bytes:
        line.sendall(b"half")
        return b""

    seen, _ = asyncio.run(with_one(tmp_path, take, client))
    assert (seen.got, seen.ends) == (b"half", 1)


def test_a_mistake_of_the_protocol_ends_it(tmp_path: Path) -> None:
    """Nobody is left waiting for an answer that does not come."""

    def answer(_transport: FileTransport, _data: bytes) -> None:
        raise RuntimeError("a bug")

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    seen, got = asyncio.run(with_one(tmp_path, answer, client))
    assert (got, seen.ends) == (b"", 1)


def test_the_end_is_not_told_within_a_write(tmp_path: Path) -> None:
    """Whoever writes goes on with what it has, as with asyncio's transports."""
    within: list[int] = []

    def answer(transport: FileTransport, _data: bytes) -> None:
        peer.close()
        transport.write(b"to nobody")
        transport.write(b"to nobody")
        within.append(seen.ends)

    async def both() -> None:
        FileTransport(asyncio.get_running_loop(), own, seen).begin()
        await asyncio.wait_for(seen.over.wait(), 30)

    own, peer = socket.socketpair()
    own.setblocking(False)
    peer.sendall(b"go")
    seen = Seen(answer)
    asyncio.run(both())
    assert (within, seen.ends, seen.transport.is_closing()) == ([0], 1, True)


def test_it_goes_on_when_the_system_has_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of descriptors nobody is turned away: who waits is taken a moment later."""
    monkeypatch.setattr("desktop.server.socket_file.ACCEPTS_AGAIN_S", 0.01)
    refused: list[int] = []

    class Full(socket.socket):
        def accept(self) -> tuple[socket.socket, object]:
            if len(refused) < 2:
                refused.append(1)
                raise OSError(errno.EMFILE, "no more")
            return super().accept()

    def client(line: socket.socket) -> bytes:
        line.sendall(b"go")
        return all_of(line)

    def answer(transport: FileTransport, _data: bytes) -> None:
        transport.write(b"taken")
        transport.close()

    def listen(path: Path) -> socket.socket:
        listening = listen_on_file(path)
        assert listening is not None
        return Full(fileno=listening.detach())

    async def run() -> bytes:
        seen = Seen(answer)
        listener = FileListener(listen(tmp_path / "s"), lambda: seen)

        def talk() -> bytes:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(30)
                line.connect(str(tmp_path / "s"))
                return client(line)

        got = await asyncio.to_thread(talk)
        listener.close()
        return got

    assert asyncio.run(run()) == b"taken"
    assert len(refused) == 2
