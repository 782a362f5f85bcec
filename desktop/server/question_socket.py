"""Questions of `steward ask` to the Steward that runs: its model is in memory already.

    client: greeting, proof, and one request; then it only listens       (`agents/tokens.py`)
    server: one JSON object a line, as the answer comes; the last one is marked

A Unix socket of its own, because the server for hooks runs only where agents are. The token lies beside it in
the runtime folder, which commands that are confined do not see: a path alone would let these use Steward's
tools. A line that ends early is a stop on one side, and on the other the end of the program. POSIX only.
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Protocol

import structlog

from desktop.agents import client
from desktop.agents.tokens import (
    LINE_BYTES,
    TOKEN_BYTES,
    RequestHead,
    ServerHandshake,
    asked,
    greeted,
    key_digits,
    key_name,
)
from desktop.errors import UserFacing
from desktop.paths import Paths, write_atomically
from desktop.server.reasons import ServerReason
from desktop.server.sockets import listen_on_file
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

ASK = "ask"  # the only thing that can be requested
LARGEST_BYTES = 32_000_000  # of a request: a question may be as long as a file that is asked about
MOST_AT_ONCE = 8
MEET_S = 10.0  # for the greeting and the request
LOOK_S = 0.2  # how often it is looked whether somebody still listens
ENDS_S = 2.0  # for answers that are stopped because the program ends
LAST = "last"  # is true in the line that ends an answer

Said = Mapping[str, Any]  # one line
Say = Callable[[Said], None]


class TerminalQuestion(Protocol):
    """One question that is being answered."""

    def run(self) -> Said:
        """Answer, saying what there is to show meanwhile; returns the last line. Blocks; any thread."""
        ...

    def stop(self, is_ending: bool) -> None:
        """Nobody waits any more, or the program ends. Any thread, also before and after `run`."""
        ...


Begin = Callable[[Said, Say], TerminalQuestion]


class QuestionSocket:
    """The program's end. `open` and `close` on any thread."""

    def __init__(self, paths: Paths, begin: Begin) -> None:
        """`begin` gets the request and what says the lines of its answer, which never blocks."""
        self._paths = paths
        self._begin = begin
        self._token = secrets.token_urlsafe(TOKEN_BYTES)
        self._lock = threading.Lock()
        self._listening: socket.socket | None = None
        self._under_way: dict[_Answering, threading.Thread] = {}
        self._is_closed = False

    def open(self) -> bool:
        """Listen; False where there can be no socket, which the log explains."""
        with self._lock:
            if self._is_closed or self._listening is not None:
                return False
            listening = listen_on_file(self._paths.question_socket)
            if listening is None:
                return False
            try:
                write_atomically(self._paths.question_token, json.dumps({"token": self._token}).encode())
            except OSError as error:
                log.warning("questions of the terminal are not taken", error=str(error))
                listening.close()
                return False
            listening.setblocking(True)
            self._listening = listening
        threading.Thread(target=self._accept, args=(listening,), name="questions", daemon=True).start()
        return True

    def close(self) -> None:
        """Take no more, and stop what is being answered. Safe to call twice."""
        with self._lock:
            self._is_closed = True
            listening, self._listening = self._listening, None
            under_way = dict(self._under_way)
        if listening is not None:
            with contextlib.suppress(OSError):
                # It wakes whoever waits in accept, which closing alone does not.
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
            for left in (self._paths.question_socket, self._paths.question_token):
                with contextlib.suppress(OSError):
                    left.unlink()
        for answering in under_way:
            answering.end()
        deadline = time.monotonic() + ENDS_S
        for thread in under_way.values():
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                line, _address = listening.accept()
            except OSError as error:
                if self._is_closed:
                    return
                log.error("no question can be taken for a moment", error=str(error))
                time.sleep(1.0)
                continue
            answering = _Answering(line, self._token, self._begin)
            thread = threading.Thread(target=self._answer, args=(answering,), name="question", daemon=True)
            with self._lock:
                is_taken = not self._is_closed and len(self._under_way) < MOST_AT_ONCE
                if is_taken:
                    self._under_way[answering] = thread
            if is_taken:
                thread.start()
            else:
                line.close()

    def _answer(self, answering: _Answering) -> None:
        try:
            answering.run()
        except (OSError, ValueError) as error:  # whoever asks has gone, or speaks another form
            log.info("a question of the terminal ended", error=str(error))
        except Exception:  # the outermost edge of this thread
            log.exception("a question of the terminal failed")
        finally:
            with self._lock:
                del self._under_way[answering]


class _Answering:
    """One line, from the greeting to its end. `end` on any thread, the rest on one."""

    def __init__(self, line: socket.socket, token: str, begin: Begin) -> None:
        self._line = line
        self._digits = key_digits(token)
        self._begin = begin
        self._got = b""
        self._said: queue.SimpleQueue[Said] = queue.SimpleQueue()
        self._question: TerminalQuestion | None = None
        self._is_ending = False

    def end(self) -> None:
        """The program ends."""
        self._is_ending = True
        if (question := self._question) is not None:
            question.stop(is_ending=True)
        else:  # a line that only stands open
            with contextlib.suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)

    def run(self) -> None:
        with self._line:
            # Of a line that is proven: who does not know the token gets no word.
            request = self._request()
            self._line.settimeout(None)
            self._question = question = self._begin(request, self._said.put)
            if self._is_ending:
                question.stop(is_ending=True)
            # Answered on a thread of its own: here it is noticed when nobody listens any more.
            thread = threading.Thread(target=self._run, args=(question,), name="terminal turn", daemon=True)
            thread.start()
            try:
                self._pass_on()
            finally:
                question.stop(is_ending=False)
                thread.join()

    def _run(self, question: TerminalQuestion) -> None:
        last: Said = {}
        try:
            last = question.run()
        finally:
            self._said.put({**last, LAST: True})

    def _pass_on(self) -> None:
        while True:
            try:
                said = self._said.get(timeout=LOOK_S)
            except queue.Empty:
                if self._has_hung_up():
                    return
                continue
            self._line.sendall(json.dumps(said).encode() + b"\n")
            if LAST in said:
                return

    def _has_hung_up(self) -> bool:
        """Nothing is sent any more after the request, so what can be read is the end."""
        self._line.setblocking(False)
        try:
            self._line.recv(1)
        except BlockingIOError:
            return False
        finally:
            self._line.setblocking(True)
        return True

    # -- the request ------------------------------------------------------------------------------

    def _request(self) -> Said:
        """Raises OSError and ValueError for anything but a request by who knows the token."""
        deadline = time.monotonic() + MEET_S
        hello = greeted(self._read_line(deadline))
        if hello is None or hello.key_name != key_name(self._digits):
            raise ValueError("it does not know the token")
        handshake = ServerHandshake(self._digits, hello.nonce)
        self._line.sendall(handshake.greeting())
        head = asked(self._read_line(deadline))
        if head is None or head.what != ASK or head.size > LARGEST_BYTES:
            raise ValueError("it is no question")
        body = self._read_body(head, deadline)
        if not handshake.is_true(head, body):
            raise ValueError("it was not what its sender has proven")
        request = json.loads(body)
        if not isinstance(request, dict):
            raise ValueError("it is no object")
        return request

    def _read_line(self, deadline: float) -> bytes:
        while b"\n" not in self._got:
            if len(self._got) > LINE_BYTES:
                raise ValueError("its line is too long")
            self._more(deadline)
        line, _, self._got = self._got.partition(b"\n")
        return line

    def _read_body(self, head: RequestHead, deadline: float) -> bytes:
        parts, size = [self._got], len(self._got)
        while size < head.size:
            self._got = b""
            self._more(deadline)
            parts.append(self._got)
            size += len(self._got)
        return b"".join(parts)

    def _more(self, deadline: float) -> None:
        # Anew for each part: a byte now and then does not hold the line beyond its deadline.
        self._line.settimeout(max(0.001, deadline - time.monotonic()))
        part = self._line.recv(65_536)
        if not part:
            raise ValueError("it has gone")
        self._got += part


# -- the terminal's end -------------------------------------------------------------------------------


def ask_running(paths: Paths, request: Said) -> Generator[Said, None, None] | None:
    """What the Steward of this profile says, line by line, the last one without its mark; None where none
    takes questions. Closing the generator stops the answer.

    The generator raises UserFacing: `program-silent`, `program-ended`.
    """
    if sys.platform == "win32":
        return None
    token = _token(paths.question_token)
    if not token:
        return None
    try:
        line = client.connected(str(paths.question_socket), time.monotonic() + MEET_S)
    except TimeoutError as error:
        raise UserFacing(ServerReason.PROGRAM_SILENT.of()) from error
    # It was killed and could not take its socket along; or something else lies there, or another user's.
    except (client.Failed, OSError):
        return None
    return _Talk(line, bytes.fromhex(key_digits(token)), time.monotonic() + MEET_S).lines(request)


def _token(path: Path) -> str:
    token = read_object(path, "The token for questions of the terminal").get("token")
    return token if isinstance(token, str) else ""


class _Talk(client.Talk):
    """A line that is proven as that of a hook, and goes on for as long as there is something to say."""

    def lines(self, request: Said) -> Generator[Said, None, None]:
        with contextlib.closing(self._line):
            try:
                self._meet()
                body = json.dumps(request).encode()
                proof = self._mac(b"request", ASK.encode() + b"\n" + body)
                self._line.sendall(f"{ASK} {len(body)} ".encode() + proof + b"\n" + body)
            except (client.Failed, OSError, ValueError) as error:
                raise UserFacing(ServerReason.PROGRAM_SILENT.of()) from error
            # A model may read for minutes before its first word; a program that dies ends the line.
            self._line.settimeout(None)
            while True:
                said = self._said()
                is_last = said.pop(LAST, False)
                yield said
                if is_last:
                    return

    def _said(self) -> dict[str, Any]:
        parts = [self._got]
        try:
            while b"\n" not in parts[-1]:
                part = self._line.recv(65_536)
                if not part:
                    raise UserFacing(ServerReason.PROGRAM_ENDED.of())
                parts.append(part)
            line, _, self._got = b"".join(parts).partition(b"\n")
            said: dict[str, Any] = json.loads(line)
        except (OSError, ValueError) as error:
            raise UserFacing(ServerReason.PROGRAM_ENDED.of()) from error
        return said
