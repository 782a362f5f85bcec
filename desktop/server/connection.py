"""One connection, and how many there may be."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any

import structlog
from aiohttp import web

from desktop.server.doors import peer_uid
from desktop.server.errors import BUG, NOT_HTTP, problem

log = structlog.get_logger(__name__)

MOST_CONNECTIONS = 512
KEEP_ALIVE_S = 75.0
HEAD_S = 10.0
LINGERING_S = 2.0  # reads on for so long after refusing what is too large, so that the refusal is seen

LIMITS: dict[str, Any] = {
    "keepalive_timeout": KEEP_ALIVE_S,
    "lingering_time": LINGERING_S,
    "max_line_size": 4096,
    "max_field_size": 8190,
    "max_headers": 64,
    "auto_decompress": False,
    "access_log": None,
}


class Crowd:
    """All connections of one server. When there are too many, the one that has been idle longest goes.

    So whoever opens connections and says nothing loses them to those that do; only when every one is being
    answered, the new one goes. Loop thread only.
    """

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._most = most
        self._here: dict[Connection, None] = {}  # in order of last use

    def __len__(self) -> int:
        return len(self._here)

    def came(self, connection: Connection) -> None:
        if len(self._here) >= self._most:
            idle = next((each for each in self._here if not each.busy), connection)
            log.warning("too many connections; one is closed", count=len(self._here), new=idle is connection)
            self.left(idle)
            idle.end()
            if idle is connection:
                return
        self._here[connection] = None

    def used(self, connection: Connection) -> None:
        if self._here.pop(connection, self) is not self:
            self._here[connection] = None

    def left(self, connection: Connection) -> None:
        self._here.pop(connection, None)


class Connection(web.RequestHandler):
    """Counts itself, closes on a slow head, and on a stranger at the other end of a Unix socket."""

    def __init__(self, server: web.Server, crowd: Crowd, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(server, loop=loop, **LIMITS)
        self._crowd = crowd
        self._head_timer: asyncio.TimerHandle | None = None
        self.busy = False  # a request is being answered

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not _is_own_user(transport):
            log.warning("another user's program came to the socket file")
            self.end()
            return
        self._crowd.came(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._stop_timer()
        self._crowd.left(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.busy and self._head_timer is None:
            self._head_timer = asyncio.get_running_loop().call_later(HEAD_S, self._on_slow_head)
        super().data_received(data)

    def began(self) -> None:
        """The head of a request is complete."""
        self._stop_timer()
        self.busy = True
        self._crowd.used(self)

    def ended(self) -> None:
        self.busy = False

    def end(self) -> None:
        """Close at once; a request under way is cancelled."""
        if self.transport is not None:
            self.transport.abort()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """What the parser refuses, and what nobody caught, in the form of all errors."""
        self._stop_timer()
        if status == 500:
            log.error("a request failed", path=request.path, exc_info=exc)
        else:
            log.info("a request could not be read", status=status, reason=message)
        answer = problem(BUG if status == 500 else NOT_HTTP)
        answer.force_close()
        return answer

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _on_slow_head(self) -> None:
        self._head_timer = None
        log.info("the head of a request did not arrive in time")
        self.end()


def _is_own_user(transport: asyncio.BaseTransport) -> bool:
    """Always true on TCP, where tokens tell; on a Unix socket the system says who is there."""
    connection = transport.get_extra_info("socket")
    if os.name == "nt" or connection.family != socket.AF_UNIX:
        return True
    uid = peer_uid(connection)
    return uid is None or uid == os.geteuid()
