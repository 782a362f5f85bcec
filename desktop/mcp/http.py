"""A server at an address: each message is a POST, the answer one JSON object or a stream of events.

    transport = HttpTransport(name, network, url, headers, inbox)
    transport.send(line)

Every request goes through `Network`, so it stands on the page of that name, is refused offline, and
follows no redirect: what is sent was meant for that host. A request has a thread of its own while it is
under way, and is posted once the notifications sent before it have arrived; the server is given no standing
connection to speak on. A stream whose events are numbered and that ends before the answer is taken up
behind its last event.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.errors import UserFacing
from desktop.mcp.client import Inbox
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import DISCOVER, LINE_BYTES, Malformed, decoded, one_line
from desktop.network import Network, NetworkFailure, Response, because
from desktop.reasons import Reason

MOST_RESUMES = 20
MOST_REPLIES = 8  # to what the server asks, under way at the same time: each has a thread
# A server says how long to wait before its stream is taken up; one that says nothing gets a second.
RESUME_WAIT_S, LONGEST_RESUME_WAIT_S = 1.0, 10.0
# What is sent behind a notification waits for it so long: "initialized" must not be overtaken by the first
# request, and a server that swallows a notification must not hold up all that follows.
ORDER_S = 10.0
STALL_S = 120.0  # a call may compute for long before it says anything; its own time limit ends it sooner
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
JSON, EVENTS = "application/json", "text/event-stream"
NAMED = frozenset({"tools/call"})  # methods whose `name` stands in a header too, as of 2026-07-28


@dataclass
class _Progress:
    """How far the answer to one request has come."""

    answered: bool = False
    last_id: str = ""  # of the last event that had one
    wait_s: float = RESUME_WAIT_S


@dataclass(frozen=True)
class _Event:
    """One event of a stream. `number` is its id, `wait_ms` how long to wait before the stream is taken up;
    "" and None where it says none."""

    data: bytes
    number: str = ""
    wait_ms: int | None = None


class HttpTransport:
    """Thread-safe. `close` wakes whoever waits for an answer."""

    def __init__(
        self, name: str, network: Network, url: str, headers: Mapping[str, str], inbox: Inbox
    ) -> None:
        """`headers` go along with every request."""
        self._name = name
        self._network = network
        self._url = url
        self._own = dict(headers)
        self._inbox = inbox
        self._lock = threading.Lock()
        self._session = ""
        self._version = ""
        self._closed = False
        self._closing = threading.Event()
        self._open: set[Response] = set()
        self._threads: set[threading.Thread] = set()
        self._notifying: set[threading.Thread] = set()  # of `_threads`, those of notifications
        self._replying: set[threading.Thread] = set()  # and those of replies
        self._answering: dict[Response, object] = {}  # the numbers of requests whose answers come
        self._forgotten: set[object] = set()  # requests for whose answers nobody waits

    def send(self, line: bytes) -> None:
        """Begin the request; what comes of it is delivered to the inbox. Raises UserFacing once it is
        closed."""
        message = json.loads(line)
        # A thread each, so that Stop and the time limit reach whoever waits for an answer that never comes.
        with self._lock:
            if self._closed:
                raise UserFacing(McpReason.NOTE_ENDED.of(server=self._name))
            thread = threading.Thread(
                target=self._post,
                args=(line, message, tuple(self._notifying)),
                name=f"mcp {self._name} post",
                daemon=True,
            )
            is_reply = "method" not in message
            if is_reply and len(self._replying) >= MOST_REPLIES:
                raise UserFacing(McpReason.FLOOD.of(server=self._name))
            self._threads.add(thread)
            if is_reply:
                self._replying.add(thread)
            if "id" not in message:
                self._notifying.add(thread)
            thread.start()  # before the lock is let go: what is sent next may have to wait for it

    def forget(self, number: int) -> None:
        """Nobody waits for this answer any more: its stream is read no further, however long it goes on."""
        with self._lock:
            self._forgotten.add(number)
            waiting = [each for each, asked in self._answering.items() if asked == number]
        for each in waiting:
            each.interrupt()

    def close(self, why: Reason | None = None) -> None:  # noqa: ARG002 - as of every transport
        """Cut every request short; returns when their threads have ended."""
        with self._lock:
            self._closed = True
            waiting, threads = tuple(self._open), tuple(self._threads)
        self._closing.set()
        for each in waiting:
            each.interrupt()
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(STALL_S)

    # -- one request --------------------------------------------------------------------------

    def _post(self, line: bytes, message: Mapping[str, Any], before: Sequence[threading.Thread]) -> None:
        progress = _Progress()
        until = time.monotonic() + ORDER_S
        try:
            for each in before:
                each.join(max(0.0, until - time.monotonic()))
            with because(McpReason.FOR_CALL.of(server=self._name)):
                self._asked("POST", line.strip(), message, progress)
                if "id" in message and "method" in message:
                    self._take_up(message, progress)
        except NetworkFailure as failure:
            # Nothing arrives in parts here. What the server may have done by then nobody knows.
            self._failed(message, failure.keeping(McpReason.NOTHING_HERE.of()))
        except UserFacing as error:
            self._failed(message, error)
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())
                self._notifying.discard(threading.current_thread())
                self._replying.discard(threading.current_thread())
                if "method" in message:
                    self._forgotten.discard(message.get("id"))

    def _asked(self, method: str, body: bytes, message: Mapping[str, Any], progress: _Progress) -> None:
        headers = self._headers(message)
        if progress.last_id:
            headers["Last-Event-ID"] = progress.last_id
        with self._network.asked(method, self._url, body, headers, STALL_S) as response:
            with self._lock:
                if self._closed:
                    return
                if self._is_forgotten(message):
                    return
                self._open.add(response)
                self._answering[response] = message.get("id")
            try:
                self._read(response, message, progress)
            except NetworkFailure:
                # A line that broke is taken up where the server numbers its events.
                if not progress.last_id:
                    raise
            finally:
                with self._lock:
                    self._open.discard(response)
                    self._answering.pop(response, None)

    def _take_up(self, message: Mapping[str, Any], progress: _Progress) -> None:
        """Ask for the rest of a stream that ended before the answer, as often as it breaks off. Raises
        UserFacing where there is no rest to ask for."""
        for _try in range(MOST_RESUMES):
            if self._is_forgotten(message):
                return
            if progress.answered or not progress.last_id or self._closing.wait(progress.wait_s):
                break
            self._asked("GET", b"", message, progress)
        if not progress.answered and not self._closed:
            raise UserFacing(McpReason.STREAM_CUT.of(server=self._name))

    def _is_forgotten(self, message: Mapping[str, Any]) -> bool:
        return "method" in message and message.get("id") in self._forgotten

    def _headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        params = message.get("params") or {}
        method = str(message.get("method", ""))
        headers = {
            **self._own,
            "Content-Type": JSON,
            "Accept": f"{JSON}, {EVENTS}",
            "Accept-Encoding": "identity",  # unpacked it could be of any size
        }
        if self._session:
            headers[SESSION] = self._session
        # As of 2026-07-28 each request says what it is also to those that only look at headers; older servers
        # pass over it.
        if method:
            headers["mcp-method"] = method
        if method in NAMED:
            headers["mcp-name"] = _header_value(str(params.get("name", "")))
        if "_meta" in params:
            headers[VERSION] = DISCOVER
        elif self._version:
            headers[VERSION] = self._version
        return headers

    def _read(self, response: Response, message: Mapping[str, Any], progress: _Progress) -> None:
        kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
        is_request = "id" in message and "method" in message
        if response.status < 300:
            self._note_session(response)
        if kind == EVENTS and response.status < 300:
            self._read_events(response, message, progress)
            return
        body = _whole(response)
        # A session that the server has forgotten: the next call opens another.
        is_forgotten = response.status == 404 and bool(self._session)
        # Refusals come with a status of their own and, from good servers, with an error that says more.
        if kind == JSON and _is_message(body) and not is_forgotten:
            progress.answered = True
            self._deliver(_of_request(body, message) if response.status >= 300 else body, message)
        elif response.status >= 300:
            raise UserFacing(self._of_status(response.status))
        elif is_request:
            raise UserFacing(McpReason.HTTP_KIND.of(server=self._name, kind=one_line(kind, 60) or "?"))

    def _read_events(self, response: Response, message: Mapping[str, Any], progress: _Progress) -> None:
        for event in _events(response):
            progress.last_id = event.number or progress.last_id
            if event.wait_ms is not None:
                progress.wait_s = min(event.wait_ms / 1000, LONGEST_RESUME_WAIT_S)
            # The first event of a stream often holds nothing but a number to begin from.
            if event.data.strip():
                progress.answered = progress.answered or _is_answer(event.data, message)
                self._deliver(event.data, message)

    def _note_session(self, response: Response) -> None:
        session = str(response.headers.get(SESSION, ""))
        if session and session.isascii() and session.isprintable() and len(session) < 500:
            self._session = session

    def _deliver(self, body: bytes, message: Mapping[str, Any]) -> None:
        if message.get("method") == "initialize":
            self._version = _version_in(body)
        self._inbox.on_line(body.replace(b"\n", b" "))

    def _of_status(self, status: int) -> Reason:
        if status in (401, 403):
            return McpReason.HTTP_SIGN_IN.of(server=self._name, status=status)
        return McpReason.HTTP_STATUS.of(server=self._name, status=status)

    def _failed(self, message: Mapping[str, Any], error: UserFacing) -> None:
        """A request that came to nothing ends the connection: the next call opens another, with a new
        session."""
        if self._closed or self._is_forgotten(message):
            return
        # A notice that nobody took is no loss.
        if "id" in message and "method" in message:
            self._inbox.on_end(error.reason)
        else:
            self._inbox.note(str(error))


def _whole(response: Response) -> bytes:
    body = bytearray()
    for chunk in response.chunks():
        body += chunk
        if len(body) > LINE_BYTES:  # one more byte than is read at all, so that the reader says why
            break
    return bytes(body)


def _events(response: Response) -> Iterator[_Event]:
    """The events of a stream, with their data joined over its lines."""
    lines: list[bytes] = []
    held, size = b"", 0
    for chunk in response.chunks():
        *whole, held = (held + chunk).split(b"\n")
        for line in whole:
            bare = line.rstrip(b"\r")
            if bare:
                lines.append(bare)
                size += len(bare)
            elif lines:
                yield _event(lines)
                lines, size = [], 0
        if size + len(held) > LINE_BYTES:
            yield _Event(b"\n".join((*lines, held[: LINE_BYTES + 1])))
            return
    if lines:
        yield _event(lines)


def _event(lines: Sequence[bytes]) -> _Event:
    data: list[bytes] = []
    number, wait_ms = "", None
    for line in lines:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                data.append(value)
            case b"id":
                number = _plain_number(value)
            case b"retry" if value.isdigit() and len(value) < 10:
                wait_ms = int(value)
    return _Event(b"\n".join(data), number, wait_ms)


def _plain_number(value: bytes) -> str:
    """The id of an event, where it may stand in a header."""
    text = value.decode("utf-8", "replace")
    return text if text.isascii() and text.isprintable() and len(text) < 500 else ""


def _is_answer(data: bytes, message: Mapping[str, Any]) -> bool:
    try:
        found = decoded(data.replace(b"\n", b" "))
    except Malformed:
        return True  # the client says what is wrong with it; nothing better follows
    return "method" not in found and found.get("id") == message.get("id")


def _of_request(body: bytes, message: Mapping[str, Any]) -> bytes:
    """A refusal that names no request is the answer to the one that it came for."""
    try:
        found = decoded(body.replace(b"\n", b" "))
    except Malformed:
        return body
    if found.get("id") is not None or "error" not in found:
        return body
    return json.dumps({**found, "id": message.get("id")}).encode()


def _is_message(body: bytes) -> bool:
    return body.lstrip()[:1] == b"{"


def _version_in(body: bytes) -> str:
    """What the server answered the handshake with; the client judges it."""
    try:
        result = decoded(body.replace(b"\n", b" ")).get("result")
    except Malformed:
        return ""
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    return version if isinstance(version, str) and len(version) < 40 and version.isascii() else ""


def _header_value(text: str) -> str:
    """As the protocol wants what a header cannot hold as it stands."""
    if text.isascii() and text.isprintable() and text == text.strip():
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="
