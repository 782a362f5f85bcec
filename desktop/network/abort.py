"""One request's connection, to be ended from another thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from typing import Any

import structlog

log = structlog.get_logger(__name__)


class AbortHandle:
    """Ends a request from another thread, also while its answer has not begun.

    A handle serves one request, over a connection of its own: a shared connection could not be closed
    without ending the other requests on it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream: Any = None
        self._aborted = False

    def abort(self) -> None:
        """Wake whoever waits for the server; a request that has not connected yet fails as soon as it has."""
        with self._lock:
            self._aborted, stream = True, self._stream
        shut(stream)

    def on_event(self, name: str, info: Mapping[str, Any]) -> None:
        """What httpcore tells of a request under way."""
        # The last of these is the one that is read: a proxy's tunnel and TLS lie on top of the first.
        if name.endswith(("connect_tcp.complete", "start_tls.complete")):
            with self._lock:
                self._stream, is_aborted = info["return_value"], self._aborted
            if is_aborted:
                shut(self._stream)


def shut(stream: Any) -> None:
    """End the connection of one of httpcore's streams, whoever reads from it. Any thread."""
    # Closing it would not wake the thread that reads; shutting it down does.
    connection = stream.get_extra_info("socket") if stream is not None else None
    if connection is not None:
        try:
            # The plain socket's shutdown: the one of an SSL socket would pull the rug from the reader.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError as error:  # it was closed already, which is what was wanted
            log.debug("nothing to interrupt", error=str(error))
