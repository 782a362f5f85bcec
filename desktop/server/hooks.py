"""`POST /hooks/<agent>`: what only reads is answered on the spot, the rest is held until somebody decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog
from aiohttp import web

from desktop.agents.action import BadPayload, Reply
from desktop.server.body import read_body
from desktop.server.doors import Doorkeeper
from desktop.server.errors import BUG, CLOSING, NO_AGENT, TOO_LARGE, Refused, problem, unreadable
from desktop.server.held_calls import HeldCalls
from desktop.server.waiting import HELD, TooManyHeld, held

if TYPE_CHECKING:
    from desktop.agents.case import Held
    from desktop.agents.handler import AgentHandler

log = structlog.get_logger(__name__)

# What a program that an agent starts has, and an HTTP answer has not.
EXIT_HEADER = "X-Steward-Exit"
STDERR_HEADER = "X-Steward-Stderr"
LONGEST_STDERR = 1300  # characters, of which each may become three when quoted
HEAD_BYTES = 64 * 1024  # where agents say in which mode they run
HEAD_ARRIVES_S = 2.0


class HookRoute:
    """Answers hooks. An error status is no opinion to every agent; no error is ever an allow. Loop thread."""

    def __init__(
        self, handler: AgentHandler, doors: Doorkeeper, calls: HeldCalls, knows: Callable[[str], bool]
    ) -> None:
        self._handler = handler
        self._doors = doors
        self._calls = calls
        self._knows = knows
        self._held: set[Held] = set()
        self._closing = False

    async def answer(self, request: web.Request) -> web.Response:
        agent = request.match_info["agent"]
        if not self._knows(agent):
            return problem(NO_AGENT)
        if (refusal := self._doors.for_agent(request.headers, agent)) is not None:
            return problem(refusal)
        if self._closing:
            return problem(CLOSING)
        try:
            body = await read_body(request)
        except Refused as refused:
            return await self._unread(agent, request, refused)
        try:
            return await self._decided(agent, body, request)
        except BadPayload as error:
            return unreadable(error)
        except Exception:  # the outermost edge of a request
            log.exception("a hook could not be answered", agent=agent)
            return problem(BUG)

    async def _unread(self, agent: str, request: web.Request, refused: Refused) -> web.Response:
        """What is too large to read must not run for that reason, where an error would let it."""
        head = b"" if refused.refusal is not TOO_LARGE else await _head(request)
        try:
            return in_http(self._handler.unread(agent, head, refused.refusal.error.rstrip(".").lower()))
        except BadPayload:
            raise refused from None

    async def _decided(self, agent: str, body: bytes, request: web.Request) -> web.Response:
        first = self._handler.quick(agent, body)
        if isinstance(first, Reply):
            return in_http(first)
        request[HELD] = True
        return in_http(await self._decided_later(first))

    async def _decided_later(self, waiting: Held) -> Reply:
        """The question is withdrawn when the client goes; whoever would hear the answer is not there."""
        self._held.add(waiting)
        try:
            return await held(self._calls, lambda: self._handler.hold(waiting))
        except TooManyHeld:
            log.error("too many held calls; this one is not asked", count=self._calls.count)
            return self._handler.give_up(waiting)
        except asyncio.CancelledError:
            self._handler.drop(waiting)
            raise
        finally:
            self._held.discard(waiting)

    def close(self) -> None:
        """Withdraw every question, which answers its hook with no opinion; later hooks are refused."""
        self._closing = True
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
