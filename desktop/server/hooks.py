"""Hooks: what only reads is answered on the spot, the rest is held until somebody decides.

They come from the hook client, proven (`agents/tokens.py`), or by HTTP. There the general token speaks as the
client does. An agent's own token there is that of an entry from an older Steward, which sends it in clear,
perhaps to a proxy: what asks nobody is answered, the rest denied until it is installed again. A token that
has ended is a denial, too, because agents pass over an error and run the tool.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog
from aiohttp import web

from desktop.agents.action import BadPayload, Reply
from desktop.agents.tokens import (
    LINE_BYTES,
    REFUSED,
    UNKNOWN,
    Key,
    RequestHead,
    ServerHandshake,
    Tokens,
    asked,
    greeted,
)
from desktop.server.auth import (
    BUG,
    CLOSING,
    NO_AGENT,
    NO_ROUTE,
    OTHER_TOKEN,
    TOO_LARGE,
    Authenticator,
    Refusal,
    Refused,
    Speaker,
    problem,
    unreadable,
)
from desktop.server.connection import (
    ARRIVES_S,
    LARGEST_BYTES,
    Arrivals,
    Connection,
    OpenConnections,
    read_body,
)
from desktop.server.held_calls import HELD, HeldCalls, TooManyHeld, held
from desktop.server.metrics import Metrics

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.agents.hook_request import PendingHook

log = structlog.get_logger(__name__)

HOOK_ROUTE = "/hooks/{agent}"

# What a program that an agent starts has, and an HTTP answer has not.
EXIT_HEADER = "X-Steward-Exit"
STDERR_HEADER = "X-Steward-Stderr"
LONGEST_STDERR = 1300  # characters, of which each may become three when quoted

ENDED = (
    "Steward does not know this session's token, so nothing was run. Run: steward agents install {} - then "
    "start the agent again."
)

OUTDATED = (
    "This hook was installed by an older Steward and sends its token in clear, so Steward only lets through "
    "what needs no question. Run: steward agents install {} - then start the agent again."
)

HEAD_BYTES = 64 * 1024  # where agents say in which mode they run
HEAD_ARRIVES_S = 2.0


class HookRoute:
    """Answers hooks. An error is no opinion to most agents; no error is ever an allow. Loop thread."""

    def __init__(
        self,
        handler: AgentHandler,
        authenticator: Authenticator,
        calls: HeldCalls,
        arrivals: Arrivals,
    ) -> None:
        self._handler = handler
        self._authenticator = authenticator
        self._calls = calls
        self._arrivals = arrivals
        self._held: set[PendingHook] = set()
        self.knows = handler.knows
        self.is_closing = False

    # -- of the hook client -------------------------------------------------------------------

    def at_once(self, agent: str, body: bytes) -> Reply | PendingHook:
        """The answer, or what `later` waits for. Raises BadPayload."""
        return self._handler.quick(agent, body)

    async def later(self, waiting: PendingHook) -> Reply:
        """The question is withdrawn when the client goes; whoever would hear the answer is not there."""
        self._held.add(waiting)
        try:
            return await held(self._calls, lambda: self._handler.hold(waiting))
        except TooManyHeld:
            # Answered and not left waiting: a hook that times out lets most agents run the tool.
            log.error("too many held calls; this one is not asked", count=self._calls.count)
            return self._handler.give_up(waiting)
        except asyncio.CancelledError:
            self._handler.drop(waiting)
            raise
        finally:
            self._held.discard(waiting)

    # -- by HTTP ------------------------------------------------------------------------------

    async def answer(self, request: web.Request) -> web.Response:
        agent = request.match_info["agent"]
        if not self.knows(agent):
            return problem(NO_AGENT)
        if self.is_closing:
            return problem(CLOSING)
        speaker = self._authenticator.speaker(request.headers)
        connection = request.protocol
        assert isinstance(connection, Connection)
        try:
            with self._arrivals.one(speaker, connection.end):
                body = await read_body(request)
        except Refused as refused:
            return await self._unread(agent, request, refused)
        try:
            return await self._decided(agent, speaker, body, request)
        except BadPayload as error:
            return unreadable(error)
        except Exception:  # the outermost edge of a request
            log.exception("a hook could not be answered", agent=agent)
            return problem(BUG)

    async def _unread(self, agent: str, request: web.Request, refused: Refused) -> web.Response:
        """What is too large to read must not run for that reason, where an error would let it."""
        # The beginning tells the mode, and with it whether an error would let it run.
        head = b"" if refused.refusal is not TOO_LARGE else await _head(request)
        try:
            return in_http(self._handler.unread(agent, head, refused.refusal.error.rstrip(".").lower()))
        except BadPayload:
            raise refused from None

    async def _decided(
        self, agent: str, speaker: Speaker | str | None, body: bytes, request: web.Request
    ) -> web.Response:
        # A denial and no error: agents pass over an error and run the tool.
        if speaker is not Speaker.USER and speaker != agent:
            return in_http(self._handler.turned_away(agent, body, ENDED.format(agent)))
        first = self._handler.quick(agent, body)
        if isinstance(first, Reply):
            return in_http(first)
        if speaker is not Speaker.USER:
            return in_http(self._handler.refuse(first, OUTDATED.format(agent)))
        request[HELD] = True
        return in_http(await self.later(first))

    def close(self) -> None:
        """Withdraw every question, which answers its hook with no opinion; later hooks are refused."""
        # First, so that what is withdrawn below is not asked again by a hook that comes just now.
        self.is_closing = True
        for waiting in tuple(self._held):
            self._handler.drop(waiting)


async def _head(request: web.Request) -> bytes:
    try:
        async with asyncio.timeout(HEAD_ARRIVES_S):
            return await request.content.read(HEAD_BYTES)
    except TimeoutError:
        return b""


def in_http(reply: Reply) -> web.Response:
    """The agent's own answer as the body; exit code and error text beside it, for the hook client."""
    answer = web.Response(body=reply.body, content_type="application/json" if reply.body else "text/plain")
    if reply.exit_code:
        answer.headers[EXIT_HEADER] = str(reply.exit_code)
    if reply.stderr:
        answer.headers[STDERR_HEADER] = quote(reply.stderr[:LONGEST_STDERR], safe=" ")
    return answer


FIGURES = "figures"


@dataclass(frozen=True)
class HookLineParts:
    """What the lines of one server share. `tasks` are the answers that somebody waits for."""

    tokens: Tokens
    hooks: HookRoute
    metrics: Metrics
    figures: Callable[[], str]
    arrivals: Arrivals
    crowd: OpenConnections
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class HookLine(asyncio.Protocol):
    """Loop thread only. Whatever is not in the form ends the line without a word."""

    def __init__(self, rooms: HookLineParts) -> None:
        self._rooms = rooms
        self._got = bytearray()
        self._step: Callable[[], None] = self._greet
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._key: Key | None = None
        self._handshake: ServerHandshake | None = None
        self._head: RequestHead | None = None
        self._task: asyncio.Task[None] | None = None
        self._began_s = 0.0
        self.busy = False  # a request is being answered

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._timer = asyncio.get_running_loop().call_later(ARRIVES_S, self._on_slow)
        self._rooms.crowd.came(self)

    def connection_lost(self, exc: BaseException | None) -> None:  # noqa: ARG002 - asyncio's form
        self._arrived()
        self._rooms.crowd.left(self)
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._got += data
        self._step()

    def end(self) -> None:
        """Close at once; a request under way is cancelled."""
        if self._transport is not None:
            self._transport.abort()

    # -- what comes, one after the other ------------------------------------------------------

    def _greet(self) -> None:
        line = self._line()
        if line is None:
            return
        said = greeted(line)
        # No answer: whoever speaks another form learns nothing about what listens here.
        if said is None:
            self.end()
            return
        self._key = self._rooms.tokens.key(said.key_name)
        if self._key is None:
            log.info("a hook came with a token that is not known")
            # Told and not left in silence: the client then says that the hooks are to be installed again.
            self._close_with(UNKNOWN)
            return
        self._handshake = ServerHandshake(self._key.digits, said.nonce)
        self._rooms.arrivals.began(self._key.digits, self, self.end)
        self._step = self._take_head
        self._write(self._handshake.greeting())
        if self._got:
            self._step()

    def _take_head(self) -> None:
        line = self._line()
        if line is None:
            return
        self._head = asked(line)
        if self._head is None:
            self.end()
        elif self._head.size > LARGEST_BYTES:
            self._refuse(TOO_LARGE)
        else:
            self._step = self._take_body
            self._step()

    def _take_body(self) -> None:
        assert self._head is not None
        assert self._handshake is not None
        if len(self._got) < self._head.size:
            return
        body = bytes(self._got)
        # Not told why: a program that guesses at proofs gets no hint.
        if len(body) > self._head.size or not self._handshake.is_true(self._head, body):
            log.warning("a request was not what its sender had proven")
            self.end()
            return
        self._arrived()
        self.busy = True
        self._rooms.crowd.used(self)
        # A line carries one request, so that no proof can be used twice.
        self._step = self.end  # nothing may follow
        self._began_s = time.perf_counter()
        self._answer(self._head.what, body)

    def _line(self) -> bytes | None:
        """The next line without its end; None while it is not whole. One that is too long ends all."""
        at = self._got.find(b"\n", 0, LINE_BYTES)
        if at < 0:
            if len(self._got) >= LINE_BYTES:
                self.end()
            return None
        line = bytes(self._got[:at])
        del self._got[: at + 1]
        return line

    def _arrived(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._key is not None:
            self._rooms.arrivals.ended(self._key.digits, self)

    def _on_slow(self) -> None:
        log.info("a hook did not arrive in time")
        self.end()

    # -- answers ------------------------------------------------------------------------------

    def _answer(self, what: str, body: bytes) -> None:
        assert self._key is not None
        kind, _, agent = what.partition("/")
        if what == FIGURES and self._key.agent is None:
            self._close_with(self._sealed("0", b"", self._rooms.figures().encode()))
        elif kind != "hooks" or not agent:
            self._refuse(OTHER_TOKEN if what == FIGURES else NO_ROUTE)
        elif not self._rooms.hooks.knows(agent):
            self._refuse(NO_AGENT)
        elif self._key.agent not in (None, agent):
            self._refuse(OTHER_TOKEN)
        elif self._rooms.hooks.is_closing:
            self._refuse(CLOSING)
        else:
            self._answer_hook(agent, body)

    def _answer_hook(self, agent: str, body: bytes) -> None:
        try:
            first = self._rooms.hooks.at_once(agent, body)
        except BadPayload as error:
            self._refuse(Refusal(400, error.cause, error.action))
        except Exception:  # the outermost edge of a request
            log.exception("a hook could not be answered", agent=agent)
            self._refuse(BUG)
        else:
            if isinstance(first, Reply):
                self._reply(first, held=False)
                return
            self._task = asyncio.get_running_loop().create_task(self._answer_later(agent, first))
            self._rooms.tasks.add(self._task)
            self._task.add_done_callback(self._rooms.tasks.discard)

    async def _answer_later(self, agent: str, waiting: object) -> None:
        try:
            reply = await self._rooms.hooks.later(waiting)  # type: ignore[arg-type] # what at_once returned
        except Exception:  # the outermost edge of a request; a cancelled one has nobody to tell
            log.exception("a held hook could not be answered", agent=agent)
            self._task = None
            self._refuse(BUG)
        else:
            # There is an answer: the end of the connection, which it brings, cancels nothing any more.
            self._task = None
            self._reply(reply, held=True)

    def _reply(self, reply: Reply, held: bool) -> None:
        error = reply.stderr.encode("utf-8", "replace")
        self._close_with(self._sealed(str(reply.exit_code), error, reply.body))
        self._count(200, held)

    def _refuse(self, refusal: Refusal) -> None:
        said = f"{refusal.error} {refusal.action}".encode()
        self._close_with(self._sealed(REFUSED, said, b""))
        self._count(refusal.status, held=False)

    def _count(self, status: int, held: bool) -> None:
        seconds = time.perf_counter() - self._began_s if self._began_s else 0.0
        self._rooms.metrics.answered(HOOK_ROUTE, status, seconds, held)

    def _sealed(self, code: str, error: bytes, output: bytes) -> bytes:
        assert self._handshake is not None
        return self._handshake.answer(code, error, output)

    def _close_with(self, answer: bytes) -> None:
        self._write(answer)
        if self._transport is not None:
            self._transport.close()

    def _write(self, content: bytes) -> None:
        if self._transport is not None:
            self._transport.write(content)
