"""One line of a hook client: both sides prove that they know the token, then one request and its answer.

Beside HTTP on the same sockets, and without its cost. The form is that of `desktop/agents/proof.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from desktop.agents.action import BadPayload, Reply
from desktop.agents.proof import LINE_BYTES, REFUSED, UNKNOWN, Asked, Meeting, asked, greeted
from desktop.agents.tokens import Key, Tokens
from desktop.server.arrivals import Arrivals
from desktop.server.body import ARRIVES_S, LARGEST_BYTES
from desktop.server.connection import Crowd
from desktop.server.doors import OTHER_TOKEN, Refusal
from desktop.server.errors import BUG, CLOSING, NO_AGENT, NO_ROUTE, TOO_LARGE
from desktop.server.hooks import HOOK_ROUTE, HookRoute
from desktop.server.metrics import Metrics

log = structlog.get_logger(__name__)

FIGURES = "figures"


@dataclass(frozen=True)
class ProvenRooms:
    """What the lines of one server share. `tasks` are the answers that somebody waits for."""

    tokens: Tokens
    hooks: HookRoute
    metrics: Metrics
    figures: Callable[[], str]
    arrivals: Arrivals
    crowd: Crowd
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class ProvenLine(asyncio.Protocol):
    """Loop thread only. Whatever is not in the form ends the line without a word."""

    def __init__(self, rooms: ProvenRooms) -> None:
        self._rooms = rooms
        self._got = bytearray()
        self._step: Callable[[], None] = self._greet
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._key: Key | None = None
        self._meeting: Meeting | None = None
        self._head: Asked | None = None
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
        if said is None:
            self.end()
            return
        self._key = self._rooms.tokens.key(said.key_name)
        if self._key is None:
            log.info("a hook came with a token that is not known")
            self._close_with(UNKNOWN)
            return
        self._meeting = Meeting(self._key.digits, said.nonce)
        self._rooms.arrivals.began(self._key, self, self.end)
        self._step = self._take_head
        self._write(self._meeting.greeting())
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
        assert self._meeting is not None
        if len(self._got) < self._head.size:
            return
        body = bytes(self._got)
        if len(body) > self._head.size or not self._meeting.is_true(self._head, body):
            log.warning("a request was not what its sender had proven")
            self.end()
            return
        self._arrived()
        self.busy = True
        self._rooms.crowd.used(self)
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
        self._rooms.arrivals.ended(self._key, self)

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
            self._refuse(BUG)
        else:
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
        assert self._meeting is not None
        return self._meeting.answer(code, error, output)

    def _close_with(self, answer: bytes) -> None:
        self._write(answer)
        if self._transport is not None:
            self._transport.close()

    def _write(self, content: bytes) -> None:
        if self._transport is not None:
            self._transport.write(content)
