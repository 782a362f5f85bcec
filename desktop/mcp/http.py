"""A server at an address: each message is a POST, the answer one JSON object or a stream of events.

    transport = HttpTransport(name, network, url, headers, inbox)
    transport.send(line)

Every request goes through `Network`, so it stands on the page of that name, is refused offline, and
follows no redirect: what is sent was meant for that host. A request has a thread of its own while it is
under way; the server is given no standing connection to speak on.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.errors import UserFacing
from desktop.mcp.client import Inbox
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import DISCOVER, LINE_BYTES, Malformed, decoded, one_line
from desktop.network import Network, NetworkFailure, Response, because
from desktop.reasons import Reason

STALL_S = 120.0  # a call may compute for long before it says anything; its own time limit ends it sooner
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
JSON, EVENTS = "application/json", "text/event-stream"
NAMED = frozenset({"tools/call"})  # methods whose `name` stands in a header too, as of 2026-07-28


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
        self._open: set[Response] = set()
        self._threads: set[threading.Thread] = set()

    def send(self, line: bytes) -> None:
        """Begin the request; what comes of it is delivered to the inbox. Raises UserFacing once it is
        closed."""
        message = json.loads(line)
        # A thread each, so that Stop and the time limit reach whoever waits for an answer that never comes.
        thread = threading.Thread(
            target=self._post, args=(line, message), name=f"mcp {self._name} post", daemon=True
        )
        with self._lock:
            if self._closed:
                raise UserFacing(McpReason.NOTE_ENDED.of(server=self._name))
            self._threads.add(thread)
        thread.start()

    def close(self, why: Reason | None = None) -> None:  # noqa: ARG002 - as of every transport
        """Cut every request short; returns when their threads have ended."""
        with self._lock:
            self._closed = True
            waiting, threads = tuple(self._open), tuple(self._threads)
        for each in waiting:
            each.interrupt()
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(STALL_S)

    # -- one request --------------------------------------------------------------------------

    def _post(self, line: bytes, message: Mapping[str, Any]) -> None:
        try:
            with because(McpReason.FOR_CALL.of(server=self._name)):
                self._asked(line, message)
        except NetworkFailure as failure:
            # Nothing arrives in parts here. What the server may have done by then nobody knows.
            self._failed(message, failure.keeping(McpReason.NOTHING_HERE.of()))
        except UserFacing as error:
            self._failed(message, error)
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _asked(self, line: bytes, message: Mapping[str, Any]) -> None:
        headers = self._headers(message)
        with self._network.post(self._url, line.strip(), headers, STALL_S) as response:
            with self._lock:
                if self._closed:
                    return
                self._open.add(response)
            try:
                self._read(response, message)
            finally:
                with self._lock:
                    self._open.discard(response)

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
        if (
            "_meta" in params
        ):  # each request of 2026-07-28 says what it is also to those that only look at headers
            headers |= {VERSION: DISCOVER, "mcp-method": method}
            if method in NAMED:
                headers["mcp-name"] = _header_value(str(params.get("name", "")))
        elif self._version:
            headers[VERSION] = self._version
        return headers

    def _read(self, response: Response, message: Mapping[str, Any]) -> None:
        kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
        is_request = "id" in message and "method" in message
        if kind == EVENTS and response.status < 300:
            for data in _events(response):
                self._deliver(data, message)
            return
        body = _whole(response)
        # Refusals come with a status of their own and, from good servers, with an error that says more.
        if kind == JSON and body.strip() and _is_message(body):
            self._note_session(response)
            self._deliver(body, message)
        elif response.status >= 300:
            raise UserFacing(self._of_status(response.status))
        elif is_request:
            raise UserFacing(McpReason.HTTP_KIND.of(server=self._name, kind=one_line(kind, 60) or "?"))

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
        if self._closed:
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


def _events(response: Response) -> Iterator[bytes]:
    """The data of each event of a stream, joined over its lines."""
    data: list[bytes] = []
    held, size = b"", 0
    for chunk in response.chunks():
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            bare = line.rstrip(b"\r")
            if not bare and data:
                yield b"\n".join(data)
                data, size = [], 0
            elif bare.startswith(b"data:"):
                data.append(bare[5:].removeprefix(b" "))
                size += len(bare)
        if size + len(held) > LINE_BYTES:
            yield b"\n".join((*data, held[: LINE_BYTES + 1]))
            return
    if data:
        yield b"\n".join(data)


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
