"""Hooks: what only reads is answered on the spot, the rest is held until somebody decides.

They come from the hook client, proven (`proven.py`), or by HTTP. There the general token speaks as the client
does. An agent's own token there is that of an entry from an older Steward, which sends it in clear, perhaps
to a proxy: what asks nobody is answered, the rest denied until it is installed again. A token that has ended
is a denial, too, because agents pass over an error and run the tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog
from aiohttp import web

from desktop.agents.action import BadPayload, Reply
from desktop.server.arrivals import Arrivals
from desktop.server.body import read_body
from desktop.server.connection import Connection
from desktop.server.doors import Doorkeeper, Speaker
from desktop.server.errors import BUG, CLOSING, NO_AGENT, TOO_LARGE, Refused, problem, unreadable
from desktop.server.held_calls import HeldCalls
from desktop.server.waiting import HELD, TooManyHeld, held

if TYPE_CHECKING:
    from desktop.agents.case import Held
    from desktop.agents.handler import AgentHandler

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
        doors: Doorkeeper,
        calls: HeldCalls,
        knows: Callable[[str], bool],
        arrivals: Arrivals,
    ) -> None:
        self._handler = handler
        self._doors = doors
        self._calls = calls
        self._arrivals = arrivals
        self._held: set[Held] = set()
        self.knows = knows
        self.is_closing = False

    # -- of the hook client -------------------------------------------------------------------

    def at_once(self, agent: str, body: bytes) -> Reply | Held:
        """The answer, or what `later` waits for. Raises BadPayload."""
        return self._handler.quick(agent, body)

    async def later(self, waiting: Held) -> Reply:
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

    # -- by HTTP ------------------------------------------------------------------------------

    async def answer(self, request: web.Request) -> web.Response:
        agent = request.match_info["agent"]
        if not self.knows(agent):
            return problem(NO_AGENT)
        if self.is_closing:
            return problem(CLOSING)
        speaker = self._doors.speaker(request.headers)
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
        head = b"" if refused.refusal is not TOO_LARGE else await _head(request)
        try:
            return in_http(self._handler.unread(agent, head, refused.refusal.error.rstrip(".").lower()))
        except BadPayload:
            raise refused from None

    async def _decided(
        self, agent: str, speaker: Speaker | str | None, body: bytes, request: web.Request
    ) -> web.Response:
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
