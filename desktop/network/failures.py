"""What can go wrong on the way out; httpx's exceptions become ours here."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop.errors import UserFacing
from desktop.network.reasons import NetworkReason
from desktop.reasons import Reason

if TYPE_CHECKING:
    import httpx

# Where a request has failed for one of these, the same request may succeed a little later.
_MAY_PASS = frozenset(
    {
        NetworkReason.TOO_SLOW,
        NetworkReason.NO_NETWORK,
        NetworkReason.CONNECT_FAILED,
        NetworkReason.PROXY_FAILED,
        NetworkReason.STALLED,
        NetworkReason.LINE_CUT,
        NetworkReason.ENDED_EARLY,
        NetworkReason.SERVER_FAILED,
    }
)
LONGEST_REASON = 200  # characters of what a library says
KEPT, GOES_ON = NetworkReason.KEPT.of(), NetworkReason.GOES_ON.of()


class NetworkFailure(UserFacing):
    """A request that did not succeed. `may_pass`: the same request may succeed a little later.

    The value `kept` of its reason says what is left of an answer of which a part had come.
    """

    def __init__(self, reason: Reason, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.may_pass = reason.code in _MAY_PASS
        self.status = status

    def with_nothing_begun(self) -> NetworkFailure:
        """The same of a request that is made in one go: there is no part of it that could be kept."""
        return self.keeping(NetworkReason.NOTHING_CHANGED.of())

    def keeping(self, kept: Reason) -> NetworkFailure:
        """The same with another sentence about what was not lost, from whoever knows what was asked: only a
        download goes on where it broke off."""
        said = {"kept": kept, "again": NetworkReason.TRY_AGAIN.of()}
        values = tuple((name, said.get(name, value)) for name, value in self.reason.values)
        return NetworkFailure(replace(self.reason, values=values), self.status)


def refuse_status(url: str, raw: httpx.Response) -> None:
    status = raw.status_code
    if raw.is_success or status == 416:
        return
    if status == 407:
        raise NetworkFailure(
            NetworkReason.PROXY_FAILED.of(reason=NetworkReason.WANTS_CREDENTIALS.of(), kept=KEPT)
        )
    raise NetworkFailure(_of_status(status, url), status)


def _of_status(status: int, url: str) -> Reason:
    host = host_of(url)
    if status in (401, 403):
        return NetworkReason.LICENCE_NOT_ACCEPTED.of(host=host, status=status, kept=KEPT)
    if status in (404, 410):
        return NetworkReason.NOT_FOUND.of(host=host, path=place_of(url)[1], status=status, kept=KEPT)
    # Too early, too many, too slow: the server asks for patience and has not refused.
    if status >= 500 or status in (408, 425, 429):
        return NetworkReason.SERVER_FAILED.of(host=host, status=status, kept=KEPT)
    return NetworkReason.REQUEST_REFUSED.of(host=host, status=status, kept=KEPT)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn httpx's exceptions into ours: the one place that knows both."""
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise _failure(url, error) from error
    except httpx.InvalidURL as error:
        raise NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=url, reason=str(error))) from error


def _failure(url: str, error: httpx.HTTPError) -> NetworkFailure:
    import httpx

    # Of a server that speaks something else the library repeats what it said, all of it.
    host, reason = host_of(url), str(error)[:LONGEST_REASON] or NetworkReason.NO_REASON.of()
    # Proxy and connection errors are transport errors too: the narrower ones come first.
    if isinstance(error, httpx.UnsupportedProtocol):
        return NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=url, reason=reason))
    if isinstance(error, httpx.ProxyError):
        return NetworkFailure(NetworkReason.PROXY_FAILED.of(reason=reason, kept=KEPT))
    if isinstance(error, httpx.ConnectTimeout):
        silent = NetworkReason.NO_ANSWER_IN_TIME.of()
        return NetworkFailure(NetworkReason.CONNECT_FAILED.of(host=host, reason=silent, kept=KEPT))
    if isinstance(error, httpx.ConnectError):
        return NetworkFailure(_not_connected(host, error))
    if isinstance(error, httpx.TimeoutException):
        return NetworkFailure(NetworkReason.STALLED.of(host=host, kept=KEPT, again=GOES_ON))
    if isinstance(error, httpx.TransportError):
        return NetworkFailure(NetworkReason.LINE_CUT.of(host=host, reason=reason, kept=KEPT, again=GOES_ON))
    return NetworkFailure(NetworkReason.ANSWER_INVALID.of(host=host, reason=reason, kept=KEPT))


def _not_connected(host: str, error: Exception) -> Reason:
    """httpx says only that it could not connect; why stands in what its error was raised from."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or str(cause)
            return NetworkReason.TLS_FAILED.of(host=host, reason=reason)
        if isinstance(cause, socket.gaierror):
            return NetworkReason.NO_NETWORK.of(host=host, kept=KEPT)
        if isinstance(cause, OSError) and cause.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return NetworkReason.NO_NETWORK.of(host=host, kept=KEPT)
        if isinstance(cause, ConnectionRefusedError):
            # In the user's language and without its number, which the system's own words have.
            refused = NetworkReason.CONNECTION_REFUSED.of()
            return NetworkReason.CONNECT_FAILED.of(host=host, reason=refused, kept=KEPT)
        cause = cause.__cause__ or cause.__context__
    said = str(error) or NetworkReason.CONNECTION_REFUSED.of()
    return NetworkReason.CONNECT_FAILED.of(host=host, reason=said, kept=KEPT)


def host_of(url: str) -> str:
    return place_of(url)[0] or url


def place_of(url: str) -> tuple[str, str]:
    """Host and path, for people: empty where the address makes no sense."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.hostname or "", parts.path
