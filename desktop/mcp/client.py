"""One connection to one server: handshake, list of tools, calls. Our own and thin: the official package costs
64 MB of memory and a second of start.

    client = Client("git", connect, note)
    client.open(30)
    client.tools(30)
    client.call("git_status", {"repo_path": "."}, 30)
    client.close()

Requests may be made on any thread; answers are matched to them by number. What a server asks of us
(sampling, roots, questions to the user) is refused and noted: no capability for it was offered.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from desktop.errors import Cancelled, UserFacing
from desktop.mcp import wire
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import Era, Malformed
from desktop.reasons import Reason

MOST_TOOLS = 200
MOST_PAGES = 50
# Between a question and its answer a server may send notices; this much is a flood.
FLOOD_BYTES = 32_000_000
FLOOD_MESSAGES = 20_000
ERROR_CHARACTERS = 300


class Transport(Protocol):
    """How messages get to a server: `stdio.StdioTransport` or `http.HttpTransport`."""

    def send(self, line: bytes) -> None: ...
    def forget(self, number: int) -> None: ...
    def close(self, why: Reason | None = None) -> None: ...


@dataclass(frozen=True)
class Inbox:
    """Where a transport delivers, on its own threads. `on_end` comes once, after the last line."""

    on_line: Callable[[bytes], None]
    on_end: Callable[[Reason], None]
    note: Callable[[str], None]


Connect = Callable[[Inbox], Transport]


@dataclass
class _Pending:
    """A request that waits for its answer."""

    done: threading.Event = field(default_factory=threading.Event)
    message: Mapping[str, Any] | None = None
    cancelled: bool = False


@dataclass(frozen=True)
class Listing:
    """What a server says of its tools; `cut`: it has more than are looked at."""

    tools: tuple[Mapping[str, Any], ...]
    cut: bool = False


class _RpcError(Exception):
    """The server answered with an error."""

    def __init__(self, code: object, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpClient:
    """Thread-safe. After an end nothing works any more; `ended` says why."""

    def __init__(self, name: str, connect: Connect, note: Callable[[str], None]) -> None:
        """`note` takes lines for the server's log."""
        self._name = name
        self._note = note
        self._connect = connect
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._era: Era | None = None
        self._unasked_bytes = self._unasked = 0
        self._refused: set[str] = set()
        self._transport: Transport | None = None
        self.ended: Reason | None = None
        self.tools_changed = threading.Event()  # the server says that its list is another now

    # -- what is asked ------------------------------------------------------------------------

    def open(self, timeout_s: float) -> None:
        """Connect and agree on a version: by the handshake and, where a server refuses it, by
        `server/discover`. Raises UserFacing."""
        deadline = time.monotonic() + timeout_s
        self._transport = self._connect(Inbox(self._on_line, self._on_end, self._note))
        # The handshake first: of six real servers all know it, and only those in Python the newer way.
        try:
            self._shake_hands(deadline)
        except _RpcError as error:
            # Whatever it says of it: one that speaks only the newer way misses a header or a field before it
            # looks at the method. Where that way leads nowhere either, the first refusal tells more.
            try:
                self._discover(deadline)
            except _RpcError:
                raise self._refusal(error) from error

    def tools(self, timeout_s: float) -> Listing:
        """All tools, page by page. Raises UserFacing."""
        deadline = time.monotonic() + timeout_s
        self.tools_changed.clear()
        found: list[Mapping[str, Any]] = []
        cursor: str | None = None
        # Bounded: a server could hand out a new cursor for ever.
        for _page in range(MOST_PAGES):
            params = {"cursor": cursor} if cursor is not None else {}
            result = self._ask("tools/list", params, deadline)
            listed = result.get("tools")
            if not isinstance(listed, list):
                raise UserFacing(McpReason.NO_RESULT.of(server=self._name, method="tools/list"))
            found += [each for each in listed if isinstance(each, dict)]
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or len(found) > MOST_TOOLS:
                break
        return Listing(tuple(found[:MOST_TOOLS]), cut=len(found) > MOST_TOOLS or isinstance(cursor, str))

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        timeout_s: float,
        on_stop: Callable[[Callable[[], None]], None] = lambda _end: None,
    ) -> Mapping[str, Any]:
        """The result of a call. `on_stop` is handed what to do when the user stops it. Raises UserFacing, and
        Cancelled where it was stopped."""
        params = {"name": tool, "arguments": dict(arguments)}
        result = self._ask("tools/call", params, time.monotonic() + timeout_s, on_stop)
        # 2026-07-28: the server wants an answer from the user first, which was not offered.
        if result.get("resultType") == "input_required":
            raise UserFacing(McpReason.WANTS_INPUT.of(server=self._name))
        return result

    def close(self, why: Reason | None = None) -> None:
        """End the connection; whoever waits is told `why`. Blocks until the server is gone."""
        reason = why or McpReason.NOTE_ENDED.of(server=self._name)
        transport = self._transport
        self._end(reason)
        if transport is not None:
            transport.close(reason)

    # -- the handshake ------------------------------------------------------------------------

    def _shake_hands(self, deadline: float) -> None:
        number, pending = self._begin()
        self._send(wire.initialize(number))
        result = self._wait(number, pending, "initialize", deadline)
        version = result.get("protocolVersion")
        if not isinstance(version, str) or not version:
            raise UserFacing(McpReason.NO_RESULT.of(server=self._name, method="initialize"))
        if version not in wire.KNOWN_VERSIONS:
            shown = wire.one_line(version, 40)
            raise UserFacing(McpReason.OTHER_VERSION.of(server=self._name, version=shown))
        self._era = Era.HANDSHAKE
        self._send(wire.notification("notifications/initialized"))

    def _discover(self, deadline: float) -> None:
        self._era = Era.DISCOVER
        result = self._asked("server/discover", {}, deadline)
        versions = result.get("supportedVersions")
        if not isinstance(versions, list) or wire.DISCOVER not in versions:
            shown = wire.one_line(", ".join(map(str, versions)) if isinstance(versions, list) else "", 80)
            raise UserFacing(McpReason.OTHER_VERSION.of(server=self._name, version=shown))

    def _refusal(self, error: _RpcError) -> UserFacing:
        return UserFacing(
            McpReason.REFUSED.of(server=self._name, why=wire.one_line(str(error), ERROR_CHARACTERS))
        )

    # -- requests -----------------------------------------------------------------------------

    def _ask(
        self,
        method: str,
        params: Mapping[str, Any],
        deadline: float,
        on_stop: Callable[[Callable[[], None]], None] = lambda _end: None,
    ) -> Mapping[str, Any]:
        try:
            return self._asked(method, params, deadline, on_stop)
        except _RpcError as error:
            raise self._refusal(error) from error

    def _asked(
        self,
        method: str,
        params: Mapping[str, Any],
        deadline: float,
        on_stop: Callable[[Callable[[], None]], None] = lambda _end: None,
    ) -> Mapping[str, Any]:
        number, pending = self._begin()
        on_stop(lambda: self._stop(number, pending))
        self._send(wire.request(number, method, params, self._era))
        return self._wait(number, pending, method, deadline)

    def _begin(self) -> tuple[int, _Pending]:
        pending = _Pending()
        with self._lock:
            if self.ended is not None:
                raise UserFacing(self.ended)
            number = next(self._numbers)
            self._pending[number] = pending
            self._unasked = self._unasked_bytes = 0
        return number, pending

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._transport is not None
        self._transport.send(wire.encoded(message))

    def _wait(self, number: int, pending: _Pending, method: str, deadline: float) -> Mapping[str, Any]:
        answered = pending.done.wait(max(0.0, deadline - time.monotonic()))
        with self._lock:
            self._pending.pop(number, None)
        if pending.cancelled:
            raise Cancelled
        # Told although nobody waits any more: a server must not go on working for nobody.
        if not answered:
            self._tell_cancelled(number, method)
            raise UserFacing(McpReason.SILENT.of(server=self._name))
        if pending.message is None:
            raise UserFacing(self.ended or McpReason.DIED.of(server=self._name))
        return self._result(pending.message, method)

    def _result(self, message: Mapping[str, Any], method: str) -> Mapping[str, Any]:
        error = message.get("error")
        if isinstance(error, dict):
            raise _RpcError(error.get("code"), str(error.get("message", "")))
        result = message.get("result")
        if not isinstance(result, dict):
            raise UserFacing(McpReason.NO_RESULT.of(server=self._name, method=method))
        return result

    def _stop(self, number: int, pending: _Pending) -> None:
        """The user's Stop, on whichever thread: the server is told, and nobody waits any longer."""
        if pending.done.is_set():
            return
        pending.cancelled = True
        pending.done.set()
        self._tell_cancelled(number, "tools/call")

    def _tell_cancelled(self, number: int, method: str) -> None:
        if self._transport is not None:
            self._transport.forget(number)
        if method == "initialize":  # which the protocol forbids to cancel
            return
        try:
            params = {"requestId": number, "reason": "stopped"}
            self._send(wire.notification("notifications/cancelled", params))
        except UserFacing:  # a server that does not listen any more need not be told
            return

    # -- what comes ---------------------------------------------------------------------------

    def _on_line(self, line: bytes) -> None:
        try:
            message = wire.decoded(line)
        except Malformed as error:
            self._on_malformed(line, error)
            return
        if "method" in message:
            self._count(line)
            self._on_asked(message)
        elif not self._answered(message):
            self._count(line)
            self._note(str(McpReason.NOTE_STRAY.of(server=self._name)))

    def _answered(self, message: Mapping[str, Any]) -> bool:
        number = message.get("id")
        # `True` is 1 to Python, and no number of a request to anybody else.
        if not isinstance(number, int) or isinstance(number, bool):
            return False
        with self._lock:
            pending = self._pending.pop(number, None)
        if pending is None:
            return False
        pending.message = message
        pending.done.set()
        return True

    def _on_malformed(self, line: bytes, error: Malformed) -> None:
        self._count(line)
        if error.code is McpReason.NOTE_NOT_JSON:
            # Many servers print a greeting where only messages belong; that is no reason to end them.
            shown = wire.one_line(line[:400].decode("utf-8", "replace"), 200)
            self._note(str(McpReason.NOTE_NOT_JSON.of(text=shown)))
            return
        self._give_up(error.code.of(server=self._name))

    def _on_asked(self, message: Mapping[str, Any]) -> None:
        method = wire.one_line(message.get("method"), 80)
        if "id" not in message:
            if method == "notifications/tools/list_changed":
                self.tools_changed.set()
            return
        if method == "ping":
            self._reply(wire.answer(message["id"], {}))
            return
        if method not in self._refused and len(self._refused) < 20:  # each once: the log is for people
            self._refused.add(method)
            self._note(str(McpReason.NOTE_ASKED_FOR.of(method=method)))
        self._reply(wire.refusal(message["id"], "Steward offers no such thing to servers."))

    def _reply(self, message: Mapping[str, Any]) -> None:
        try:
            self._send(message)
        except UserFacing:  # it asked and does not listen; whoever waits for it learns that by himself
            return

    def _count(self, line: bytes) -> None:
        """What nobody asked for; too much of it between two requests ends the server."""
        self._unasked += 1
        self._unasked_bytes += len(line)
        if self._unasked_bytes > FLOOD_BYTES or self._unasked > FLOOD_MESSAGES:
            self._give_up(McpReason.FLOOD.of(server=self._name))

    def _give_up(self, why: Reason) -> None:
        if self.ended is not None:
            return
        self._end(why)
        transport = self._transport
        # Not on this thread, which is the transport's own and which its end waits for.
        if transport is not None:
            threading.Thread(target=transport.close, args=(why,), name=f"mcp {self._name} end").start()

    def _on_end(self, why: Reason) -> None:
        self._end(why)

    def _end(self, why: Reason) -> None:
        # The first reason is the true one: what follows an end is only its consequence.
        with self._lock:
            self.ended = self.ended or why
            waiting, self._pending = list(self._pending.values()), {}
        for each in waiting:
            each.done.set()
