"""`steward agents mcp AGENT`: what an agent says on its pipe goes to the running Steward, and the answers
come back.

So no token stands in the agent's settings: the bridge runs as the user and reads the one of this run, and
on Linux and macOS it goes by the socket file, behind which nobody else can listen. Lines of JSON in, lines
of JSON out.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import urlsplit

import structlog

from desktop.agents.tokens import Api, Tokens

log = structlog.get_logger(__name__)

AT_ONCE = 8  # a question to the user waits while others are answered
ANSWERED_WITHIN_S = 150.0  # longer than a question stands on the screen
LONGEST_LINE = 1_000_000
NOT_RUNNING = -32000
ABSENT = (
    "Steward is not running, or does not answer. Start it, and switch on Tools for agents in its settings."
)


@dataclass
class _Asked:
    """A message on its way, and the line that it went by. Held under the bridge's lock."""

    number: str | int | None  # by which it can be taken back; None for what has none
    line: socket.socket | None = None
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True
        if self.line is not None:
            # Wakes the thread that reads from it; to close it is that thread's.
            with suppress(OSError):
                self.line.shutdown(socket.SHUT_RDWR)


class McpBridge:
    """Carries messages between one agent and Steward. `run` blocks until the agent closes its end."""

    def __init__(self, tokens: Tokens, agent: str, port: int, out: IO[str]) -> None:
        """`agent` is a plain word, the name of an agent. `port` is the server's by the settings, which
        Host has to name also on the socket file.
        """
        self._tokens = tokens
        self._agent = agent
        self._port = port
        self._out = out
        self._writing = threading.Lock()
        self._lock = threading.Lock()
        self._asked: dict[str | int, _Asked] = {}  # what has no answer yet, by its number

    def run(self, lines: Iterable[str]) -> None:
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="mcp") as pool:
            for line in lines:
                if line.strip() and not self._is_cancel(line):
                    asked = _Asked(_number(_field(line, "id")))
                    if asked.number is not None:
                        with self._lock:
                            self._asked[asked.number] = asked
                    # Side by side: a question that waits for the user must not hold up what is asked
                    # meanwhile.
                    pool.submit(self._carry, line[:LONGEST_LINE], asked)

    def _is_cancel(self, line: str) -> bool:
        """Whether an agent takes something back; done here. Steward sees that nobody waits any more, and does
        not have to know whose request of that number is meant.
        """
        if _field(line, "method") != "notifications/cancelled":
            return False
        params = _field(line, "params")
        number = _number(params.get("requestId")) if isinstance(params, dict) else None
        with self._lock:
            asked = self._asked.get(number) if number is not None else None
            if asked is not None:
                asked.cancel()
        return True

    def _carry(self, line: str, asked: _Asked) -> None:
        try:
            answer = self._posted(line.encode(), asked)
        except (OSError, ValueError) as error:
            log.info("steward does not answer the agent", reason=str(error))
            answer = _failure(line)
        with self._lock:
            if asked.number is not None and self._asked.get(asked.number) is asked:
                del self._asked[asked.number]
        if answer and not asked.is_cancelled:
            # One message a line: two that are written at once would be none.
            with self._writing:
                self._out.write(answer + "\n")
                self._out.flush()

    def _posted(self, body: bytes, asked: _Asked) -> str:
        """The answer as one line; "" where none is due. Looked up each time: Steward may start anew
        meanwhile.
        """
        api = self._tokens.published()
        if api is None:
            return _failure(body.decode())
        port = urlsplit(api.url).port or self._port
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {api.token}\r\n"
            f"X-Steward-Agent: {self._agent}\r\nContent-Type: application/json\r\n"
            # Closed after one answer, so that its end needs no reading of lengths.
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        with _line(api, port) as line:
            with self._lock:
                asked.line = line
                if asked.is_cancelled:
                    return ""
            try:
                status, content = _exchanged(line, head.encode("ascii", "replace") + body)
            finally:
                with self._lock:
                    asked.line = None
        if status == 202:
            return ""
        if status not in (200, 400):
            return _failure(body.decode(), _said(content))
        return " ".join(content.splitlines())


def _exchanged(line: socket.socket, request: bytes) -> tuple[int, str]:
    """Status and content of the answer. Raises OSError, or ValueError for what is no answer."""
    line.settimeout(ANSWERED_WITHIN_S)
    line.sendall(request)
    answer = bytearray()
    while part := line.recv(65536):
        answer += part
        if len(answer) > LONGEST_LINE:
            raise ValueError("the answer is too long")
    head, _, content = bytes(answer).partition(b"\r\n\r\n")
    words = head.split(maxsplit=2)
    if len(words) < 2:
        raise ValueError("the line ended before an answer")
    return int(words[1]), content.decode()


def _line(api: Api, port: int) -> socket.socket:
    """The connection, by the socket file where there is one: nobody else can listen behind it."""
    if api.socket and hasattr(socket, "AF_UNIX"):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.connect(api.socket)
        except OSError:
            line.close()
            raise
        return line
    return socket.create_connection(("127.0.0.1", port), ANSWERED_WITHIN_S)


def _said(content: str) -> str:
    """What the server's own refusal says."""
    try:
        problem = json.loads(content)
        return f"{problem['error']} {problem['action']}"
    except (ValueError, KeyError, TypeError):
        return ABSENT


def _field(line: str, name: str) -> object:
    """One field of the message on a line; None where there is none that can be read."""
    try:
        found: Any = json.loads(line)
        return found.get(name)
    except (ValueError, AttributeError, RecursionError):
        return None


def _number(said: object) -> str | int | None:
    """The number of a request; None for anything else, such as a list."""
    return said if isinstance(said, str | int) and not isinstance(said, bool) else None


def _failure(line: str, message: str = ABSENT) -> str:
    """The error for one request; "" where the line asks for nothing."""
    number = _field(line, "id")
    if number is None:
        return ""
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": NOT_RUNNING, "message": message}})
