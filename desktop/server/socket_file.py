"""Connections of the socket file, by which hook clients come: two short texts each way, and it is over.

asyncio's own transports take a task, a future and three more turns of the loop for each, a tenth of all that
a hook costs. What comes by HTTP, and may be longer, is handed over to them. Loop thread only.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)

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
