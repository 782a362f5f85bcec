"""Connections, also of the socket file: how many there may be, and who is at their other end."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import structlog
from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

from desktop.agents.tokens import GREETING
from desktop.server.auth import (
    BUG,
    HEAD_TOO_LONG,
    NOT_HTTP,
    PACKED,
    TOO_LARGE,
    TOO_SLOW,
    Refusal,
    Refused,
    peer_uid,
    problem,
)

log = structlog.get_logger(__name__)

MOST_CONNECTIONS = 512
KEEP_ALIVE_S = 75.0
HEAD_S = 10.0

FIRST_LINE_BYTES, REASON_CHARACTERS = 256, 80

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


class OpenConnection(Protocol):
    """One connection. `busy`: a request is being answered."""

    busy: bool

    def end(self) -> None:
        """Close at once."""
        ...


class OpenConnections:
    """All connections of one server. When there are too many, the one that has been idle longest goes.

    So whoever opens connections and says nothing loses them to those that do; only when every one is being
    answered, the new one goes. Loop thread only.
    """

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._most = most
        self._here: dict[OpenConnection, None] = {}  # in order of last use

    def __len__(self) -> int:
        return len(self._here)

    def came(self, connection: OpenConnection) -> None:
        if len(self._here) >= self._most:
            idle = next((each for each in self._here if not each.busy), connection)
            log.warning("too many connections; one is closed", count=len(self._here), new=idle is connection)
            self.left(idle)
            idle.end()
            if idle is connection:
                return
        self._here[connection] = None

    def used(self, connection: OpenConnection) -> None:
        if self._here.pop(connection, self) is not self:
            self._here[connection] = None

    def left(self, connection: OpenConnection) -> None:
        self._here.pop(connection, None)

    def end(self) -> None:
        """Close all of them at once."""
        for each in tuple(self._here):
            each.end()


class ProtocolSwitch(asyncio.Protocol):
    """A new connection: whose program it is, and by its first bytes what it speaks."""

    def __init__(
        self,
        crowd: OpenConnections,
        proven: Callable[[], asyncio.Protocol],
        http: Callable[[], asyncio.Protocol],
    ) -> None:
        """`proven` and `http` make the protocols that go on with it."""
        self._crowd = crowd
        self._proven, self._http = proven, http
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._got = b""
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        # The file's mode keeps others out; this holds where a folder's rights were changed.
        if not _is_own_user(transport):
            log.warning("another user's program came to the socket file")
            transport.abort()
            return
        self._crowd.came(self)

    def connection_lost(self, exc: BaseException | None) -> None:  # noqa: ARG002 - asyncio's form
        self._leave()

    def data_received(self, data: bytes) -> None:
        self._got += data
        if len(self._got) < len(GREETING) and GREETING.startswith(self._got):
            if self._timer is None:
                # One byte and then silence would hold a connection for ever.
                self._timer = asyncio.get_running_loop().call_later(HEAD_S, self.end)
            return
        self._leave()
        assert self._transport is not None
        is_proven = self._got.startswith(GREETING)
        goes_on = FirstBytes(self._proven() if is_proven else self._http(), self._got)
        if not is_proven and isinstance(self._transport, FileTransport):
            self._transport.hand_over(goes_on)
        else:
            goes_on.connection_made(self._transport)

    def end(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

    def _leave(self) -> None:
        self._crowd.left(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class FirstBytes(asyncio.Protocol):
    """Gives a connection to `protocol`, with the bytes that have come already."""

    def __init__(self, protocol: asyncio.Protocol, got: bytes) -> None:
        self._protocol = protocol
        self._got = got

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_protocol(self._protocol)
        self._protocol.connection_made(transport)
        self._protocol.data_received(self._got)


Unread = Callable[[bytes, Refusal], web.Response]


class Connection(web.RequestHandler):
    """Speaks HTTP; counts itself, and closes on a slow head."""

    def __init__(
        self,
        server: web.Server,
        crowd: OpenConnections,
        loop: asyncio.AbstractEventLoop,
        unread: Unread = lambda _first_line, refusal: problem(refusal),
    ) -> None:
        """`unread` words what the parser refuses, by the first line of it."""
        super().__init__(server, loop=loop, **LIMITS)
        self._unread = unread
        self._crowd = crowd
        self._head_timer: asyncio.TimerHandle | None = None
        self._first_line = b""  # of what the parser may refuse, which then tells nobody where it was going
        self._in_request = False  # its head is here
        self.busy = False  # it is here whole, and being answered

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._crowd.came(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._stop_timer()
        self._crowd.left(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # aiohttp's own time-out is for connections that have had an answer: a first head may come byte by
        # byte for ever (slow loris).
        if not self._in_request and self._head_timer is None:
            self._first_line = data[:FIRST_LINE_BYTES].partition(b"\n")[0]
            self._head_timer = asyncio.get_running_loop().call_later(HEAD_S, self._on_slow_head)
        super().data_received(data)

    def began(self) -> None:
        """The head of a request is complete."""
        self._stop_timer()
        self._in_request = True
        self._crowd.used(self)

    def arrived(self) -> None:
        """All of the request is here; until then whoever sends it may have to make room."""
        self.busy = True
        self._crowd.used(self)

    def ended(self) -> None:
        self._in_request = self.busy = False

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
            # The library repeats all that it could not read, a token among it.
            log.info("a request could not be read", status=status, reason=(message or "")[:REASON_CHARACTERS])
        refusal = BUG if status == 500 else HEAD_TOO_LONG if isinstance(exc, LineTooLong) else NOT_HTTP
        answer = self._unread(self._first_line, refusal)
        # What was half read leaves bytes behind that would be taken for the next request.
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
    if os.name == "nt" or not isinstance(transport, FileTransport):
        return True
    uid = peer_uid(transport.get_extra_info("socket"))
    return uid is None or uid == os.geteuid()


MOST_OF_ONE = 32


class Arrivals:
    """Of each sender only so many may be on their way; the one that began first goes when another comes.

    So whoever begins requests and does not end them takes the room from nobody but himself. Loop thread only.
    """

    def __init__(self, most_of_one: int = MOST_OF_ONE) -> None:
        self._most = most_of_one
        self._of: defaultdict[Hashable, dict[object, Callable[[], None]]] = defaultdict(dict)

    def began(self, sender: Hashable, ticket: object, end: Callable[[], None]) -> None:
        """`end` is called when this one is to go; `ticket` names it until then."""
        under_way = self._of[sender]
        # The oldest goes, not the newest: whoever fills the room with half requests must not keep others out.
        if len(under_way) >= self._most:
            oldest = next(iter(under_way))
            log.warning("a request that did not arrive makes room", count=len(under_way))
            under_way.pop(oldest)()
        under_way[ticket] = end

    def ended(self, sender: Hashable, ticket: object) -> None:
        """Say that the answer is here, or does not come any more. Safe to call twice."""
        under_way = self._of.get(sender)
        if under_way is None:
            return
        under_way.pop(ticket, None)
        if not under_way:
            del self._of[sender]

    @contextmanager
    def one(self, sender: Hashable, end: Callable[[], None]) -> Iterator[None]:
        """Counts while the block runs."""
        ticket = object()
        self.began(sender, ticket, end)
        try:
            yield
        finally:
            self.ended(sender, ticket)


LARGEST_BYTES = 1024 * 1024
ARRIVES_S = 10.0


async def read_body(request: web.Request) -> bytes:
    """All of it. Raises Refused when it is packed, larger than `LARGEST_BYTES`, or slow to come."""
    # A small body can unpack to one that fills the memory.
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refused(PACKED)
    # Told by the head already: nothing of it need be taken.
    if (request.content_length or 0) > LARGEST_BYTES:
        raise Refused(TOO_LARGE)
    try:
        async with asyncio.timeout(ARRIVES_S):
            body = await request.read()
    except TimeoutError:
        raise Refused(TOO_SLOW) from None
    except web.HTTPRequestEntityTooLarge:  # in chunks, whose sum no head tells
        raise Refused(TOO_LARGE) from None
    except web.RequestPayloadError as error:  # a chunk without a size, or one that is none
        raise Refused(NOT_HTTP) from error
    connection = request.protocol
    assert isinstance(connection, Connection)
    connection.arrived()
    return body


# -- the socket file ---------------------------------------------------------------------------

# Connections of the socket file, by which hook clients come: two short texts each way, and it is over.
#
# asyncio's own transports take a task, a future and three more turns of the loop for each, a tenth of all
# that a hook costs. What comes by HTTP, and may be longer, is handed over to them. Loop thread only.

READ_BYTES = 64 * 1024  # at once; a larger buffer is mapped and given back by the system for each hook
ACCEPTS_AGAIN_S = 1.0

# Of these accepting more would not help; the system goes on telling that somebody waits.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

# The loop itself holds its tasks only weakly.
_handed_over: set[asyncio.Task[object]] = set()


class FileListener:
    """Takes what comes by the socket file, until `close`."""

    def __init__(self, listening: socket.socket, connect: Callable[[], asyncio.Protocol]) -> None:
        """`connect` makes the protocol of a new connection."""
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._connect = connect
        self._again: asyncio.TimerHandle | None = None
        self._accept()

    def close(self) -> None:
        """Take nobody new. Connections that are there go on."""
        if self._again is not None:
            self._again.cancel()
        self._loop.remove_reader(self._listening.fileno())
        self._listening.close()

    def _accept(self) -> None:
        self._loop.add_reader(self._listening.fileno(), self._on_connection)

    def _on_connection(self) -> None:
        # One at a time: to look for a second one that is not there costs more than another turn.
        try:
            connection, _address = self._listening.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno not in _EXHAUSTED:
                raise
            log.error("no connection can be accepted for a moment", error=str(error))
            self._loop.remove_reader(self._listening.fileno())
            self._again = self._loop.call_later(ACCEPTS_AGAIN_S, self._accept)
            return
        connection.setblocking(False)
        FileTransport(self._loop, connection, self._connect()).begin()


class FileTransport(asyncio.Transport):
    """What a protocol of ours needs of a transport. It is told of the end within `close`, not after it."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, connection: socket.socket, protocol: asyncio.Protocol
    ) -> None:
        super().__init__({"socket": connection})
        self._loop = loop
        self._socket = connection
        self._descriptor = connection.fileno()
        self._protocol = protocol
        self._unsent = bytearray()
        self._is_closing = False  # nothing is read any more; what is unsent still goes out
        self._is_over = False

    def begin(self) -> None:
        """Tell the protocol, and read."""
        self._protocol.connection_made(self)
        # A client speaks first, and most have done so by now.
        if not self._is_closing:
            self._on_readable()
        if not self._is_closing:
            self._loop.add_reader(self._descriptor, self._on_readable)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def is_closing(self) -> bool:
        return self._is_closing

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send it now, or as soon as the other side takes more."""
        if self._is_over:
            return
        if not self._unsent:
            try:
                data = data[self._socket.send(data) :]
            except (BlockingIOError, InterruptedError):
                log.debug("the other side does not read", characters=len(data))
            except OSError:  # it has gone
                self.abort()
                return
            if not data:
                return
            self._loop.add_writer(self._descriptor, self._on_writable)
        self._unsent += data

    def close(self) -> None:
        if self._is_closing:
            return
        self._stop_reading()
        if not self._unsent:
            self._end()

    def abort(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        if self._unsent:
            self._unsent.clear()
            self._loop.remove_writer(self._descriptor)
        if not self._is_closing:
            self._stop_reading()
        # Later: whoever writes need not expect that the connection is gone within.
        self._loop.call_soon(self._end)

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """Go on with a transport of asyncio's, of which `protocol` is told; this one tells nobody more."""
        self._stop_reading()
        self._is_over = True
        going_on = self._loop.connect_accepted_socket(lambda: protocol, self._socket)
        task = self._loop.create_task(going_on)
        _handed_over.add(task)
        task.add_done_callback(_handed_over.discard)

    # -- inside -------------------------------------------------------------------------------

    def _on_readable(self) -> None:
        try:
            data = self._socket.recv(READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # it has gone
            self.abort()
            return
        if not data:
            self.close()
            return
        try:
            self._protocol.data_received(data)
        except Exception:  # the outermost edge of a connection
            log.exception("a connection ends by a mistake")
            self.abort()

    def _on_writable(self) -> None:
        try:
            sent = self._socket.send(self._unsent)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # it has gone
            self.abort()
            return
        del self._unsent[:sent]
        if self._unsent:
            return
        self._loop.remove_writer(self._descriptor)
        if self._is_closing:
            self._end()

    def _stop_reading(self) -> None:
        self._is_closing = True
        self._loop.remove_reader(self._descriptor)

    def _end(self) -> None:
        self._is_over = True
        self._socket.close()
        self._protocol.connection_lost(None)
