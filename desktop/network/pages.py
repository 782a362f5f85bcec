"""Pages whose address somebody else has chosen: a model, or a page before.

Such an address may name a router, a printer or a service of this computer. So each host is looked up here,
every one of its addresses must be public, and the connection goes to the address that was checked, not to
the name once more (a name may answer differently the second time). Redirects are followed one by one, each
checked again. Each request has a connection of its own: the client knows connections by their address, and
would send a request for one name over a connection whose certificate was that of another.
"""

from __future__ import annotations

import socket
import threading
import time
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop import cancellation
from desktop.network.abort import AbortHandle
from desktop.network.addresses import is_near_name, is_public_name
from desktop.network.failures import KEPT, NetworkFailure, refuse_status
from desktop.network.reasons import NetworkReason
from desktop.reasons import Reason

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 5
HEADERS = {
    "User-Agent": "Steward (desktop assistant; reads pages its user asks for)",
    "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
# Ports of services that take lines of text for commands; browsers refuse them too (Fetch standard).
OTHER_SERVICES = frozenset(
    {
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53),
        *(69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135),
        *(137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548),
        *(554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060),
        *(5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    }
)


@dataclass(frozen=True)
class PageLimits:
    """How much of a page is fetched, and how long that may take."""

    size_bytes: int = 4 * 1024 * 1024
    time_s: float = 20.0


@dataclass(frozen=True)
class WebPage:
    """What came. `url` is where the redirects ended, `kind` the media type, `is_cut` when it was longer."""

    url: str
    status: int
    kind: str
    charset: str | None
    body: bytes
    is_cut: bool = False


def fetch(
    client: httpx.Client,
    url: str,
    limits: PageLimits,
    may_reach: Callable[[str], bool],
    by_proxy: bool = False,
    hosts: Container[str] | None = None,
) -> WebPage:
    """Get `url`, following redirects, to `hosts` alone where they are given. A proxy looks names up by
    itself; then only what can be seen here is checked. Raises NetworkFailure and httpx's errors."""
    until = time.monotonic() + limits.time_s
    place = _parsed(url)
    for _ in range(MOST_REDIRECTS + 1):
        cancellation.check()
        # At every step anew: a page that was agreed to may lead to one that was not.
        if hosts is not None and place.host not in hosts:
            raise NetworkFailure(NetworkReason.LEADS_ELSEWHERE.of(host=place.host))
        address = _checked(place, may_reach, by_proxy)
        with _sent(client, place, address, until) as raw:
            if not raw.has_redirect_location:
                refuse_status(str(place), raw)
                body, is_cut = _body(raw, place.host, limits.size_bytes, until)
                return WebPage(str(place), raw.status_code, _kind(raw), raw.charset_encoding, body, is_cut)
            place = _parsed(str(place.join(raw.headers["Location"])))
    raise _makes_no_sense(place.host, NetworkReason.ENDLESS_REDIRECTS.of())


def origin_of(url: str) -> tuple[str, str]:
    """Scheme, host and port of a page as they are sent, and the host's name for people.

    Raises NetworkFailure where no page can be fetched from there.
    """
    place = _parsed(url)
    return f"{place.scheme}://{place.netloc.decode('ascii')}", place.host


def refuse_near(url: str, may_reach: Callable[[str], bool]) -> None:
    """Raise NetworkFailure where the address alone says that no page is fetched from there. No name is looked
    up for it, which somebody else would see.
    """
    place = _parsed(url)
    host = _host_of(place)
    if is_near_name(host):
        raise NetworkFailure(NetworkReason.ADDRESS_PRIVATE.of(host=place.host))
    with suppress(socket.gaierror, UnicodeError):  # a name, which may lead anywhere
        found = socket.getaddrinfo(host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        _addresses_of(found, place, may_reach)


def _parsed(url: str) -> httpx.URL:
    """One parser for the check and the request, so that they cannot read an address differently."""
    import httpx

    try:
        place = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=url, reason=str(error))) from error
    if place.scheme not in ("http", "https") or not place.host:
        raise NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=url, reason=NetworkReason.NOT_HTTP.of()))
    if place.userinfo:
        secret = NetworkReason.HOLDS_CREDENTIALS.of()
        raise NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=place.host, reason=secret))
    if place.port in OTHER_SERVICES:
        other = NetworkReason.NOT_A_PORT_OF_PAGES.of(port=place.port)
        raise NetworkFailure(NetworkReason.ADDRESS_INVALID.of(url=url, reason=other))
    return place


def _checked(place: httpx.URL, may_reach: Callable[[str], bool], by_proxy: bool) -> str | None:
    """The address to connect to; None leaves that to the proxy."""
    host = _host_of(place)
    try:
        found = socket.getaddrinfo(host, place.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        if by_proxy and is_public_name(host):
            return None
        if by_proxy:
            raise NetworkFailure(NetworkReason.ADDRESS_PRIVATE.of(host=place.host)) from error
        raise NetworkFailure(NetworkReason.NO_NETWORK.of(host=place.host, kept=KEPT)) from error
    addresses = _addresses_of(found, place, may_reach)
    return None if by_proxy else addresses[0]


def _host_of(place: httpx.URL) -> str:
    """As it is sent: a name in another script is looked up in its ASCII form."""
    return place.raw_host.decode("ascii").strip("[]")


def _addresses_of(
    found: Iterable[tuple[Any, ...]], place: httpx.URL, may_reach: Callable[[str], bool]
) -> list[str]:
    """The addresses that a lookup has found. Raises NetworkFailure where one of them may not be reached."""
    addresses = [str(each[4][0]) for each in found]
    # One private address among public ones is enough: which one is taken is the system's choice.
    if not addresses or not all(may_reach(each) for each in addresses):
        raise NetworkFailure(NetworkReason.ADDRESS_PRIVATE.of(host=place.host))
    return addresses


class _Deadline(AbortHandle):
    """Ends the request when its time is over, whatever its server was about to say.

    A limit for each read alone would let a server go on for ever that sends a byte now and then.
    """

    def __init__(self, until: float) -> None:
        super().__init__()
        self.is_over = False
        self._timer = threading.Timer(max(0.0, until - time.monotonic()), self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.is_over = True
        self.abort()


@contextmanager
def _sent(
    client: httpx.Client, place: httpx.URL, address: str | None, until: float
) -> Iterator[httpx.Response]:
    """The head of the answer; the body is read from it. Both end at `until`."""
    import httpx

    name = place.raw_host.decode("ascii")
    # To the number that was checked. The name still goes into Host and TLS, or no certificate would fit.
    target = place if address is None else place.copy_with(host=address)
    headers = {**HEADERS, "Host": place.netloc.decode("ascii")}
    with _Deadline(until) as deadline:
        extensions = {"sni_hostname": name, "trace": deadline.on_event}
        request = client.build_request("GET", target, headers=headers, extensions=extensions)
        try:
            raw = client.send(request, stream=True)
            try:
                yield raw
            finally:
                raw.close()
        except httpx.TransportError as error:
            if deadline.is_over:
                raise NetworkFailure(NetworkReason.TOO_SLOW.of(host=place.host)) from error
            raise


def _body(raw: httpx.Response, host: str, size_bytes: int, until: float) -> tuple[bytes, bool]:
    """At most `size_bytes`, unpacked here piece by piece, so that a packed gigabyte never lies in memory."""
    unpack = _unpacker(raw, host)
    body = bytearray()
    for chunk in raw.iter_raw():
        cancellation.check()
        body += unpack(chunk, size_bytes + 1 - len(body))
        if len(body) > size_bytes:
            return bytes(body[:size_bytes]), True
        # A server that sends a byte now and then never stalls, and would hold the answer up for ever.
        if time.monotonic() > until:
            raise NetworkFailure(NetworkReason.TOO_SLOW.of(host=host))
    return bytes(body), False


def _unpacker(raw: httpx.Response, host: str) -> Callable[[bytes, int], bytes]:
    encoding = raw.headers.get("Content-Encoding", "identity").strip().casefold()
    if encoding == "identity":
        return lambda chunk, _most: chunk
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise _makes_no_sense(host, NetworkReason.PACKED_AS.of(encoding=encoding))
    packed = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # either header

    def unpack(chunk: bytes, most: int) -> bytes:
        try:
            return packed.decompress(packed.unconsumed_tail + chunk, most)
        except zlib.error as error:
            raise _makes_no_sense(host, NetworkReason.NOT_UNPACKED.of()) from error

    return unpack


def _kind(raw: httpx.Response) -> str:
    return str(raw.headers.get("Content-Type", "")).partition(";")[0].strip().casefold()


def _makes_no_sense(host: str, reason: Reason) -> NetworkFailure:
    return NetworkFailure(NetworkReason.ANSWER_INVALID.of(host=host, reason=reason, kept=KEPT))
