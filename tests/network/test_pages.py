"""Pages whose address somebody else has chosen."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable, Iterator

import pytest

from desktop.network import Limits, Network, NetworkFailure
from desktop.settings import NetworkSettings
from tests.models.file_server import FileServer


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


@pytest.fixture
def network() -> Iterator[Network]:
    """One for which this computer counts as the open network."""
    network = Network(NetworkSettings, stall_timeout_s=2, may_reach=lambda address: address == "127.0.0.1")
    yield network
    network.close()


@pytest.fixture
def guarded() -> Iterator[Network]:
    network = Network(NetworkSettings)
    yield network
    network.close()


REFUSED = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://0x7f000001:{port}/",
    "http://2130706433:{port}/",
    "http://127.1:{port}/",
    "http://0:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
)


@pytest.mark.parametrize("url", REFUSED)
def test_no_spelling_reaches_this_computer(server: FileServer, guarded: Network, url: str) -> None:
    """However the address is written, nothing is sent to it."""
    server.serve("/", b"secret")
    with pytest.raises(NetworkFailure) as refused:
        guarded.page(url.format(port=server.port))
    assert refused.value.code in ("address-private", "no-network", "address-invalid")
    assert server.requests == []


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/", "http://", "nonsense", "http://u:p@example.org/"]
)
def test_what_is_no_address(guarded: Network, url: str) -> None:
    """Other schemes, no host, and addresses with a password are refused before a name is looked up."""
    with pytest.raises(NetworkFailure) as refused:
        guarded.page(url)
    assert refused.value.code == "address-invalid"


def test_a_redirect_is_checked_again(server: FileServer, network: Network) -> None:
    """A page of the open network that leads to the network around this computer is not followed."""
    server.serve("/a", b"", redirect=f"http://127.0.0.2:{server.port}/inside")
    server.serve("/inside", b"secret")
    with pytest.raises(NetworkFailure) as refused:
        network.page(server.url + "/a")
    assert refused.value.code == "address-private"
    assert [request.path for request in server.requests] == ["/a"]


def test_a_name_is_looked_up_once(
    server: FileServer, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers differently the second time gains nothing: the checked address is connected to."""
    answers = iter(["127.0.0.1", "127.0.0.2"])
    monkeypatch.setattr(socket, "getaddrinfo", _looked_up(socket.getaddrinfo, answers))
    server.serve("/", b"hello", content_type="text/plain")
    page = network.page(f"http://page.test:{server.port}/")
    assert (page.body, server.requests[0].headers["host"]) == (b"hello", f"page.test:{server.port}")
    assert next(answers) == "127.0.0.2"


def _looked_up(real: Callable[..., object], answers: Iterator[str]) -> Callable[..., object]:
    def look_up(host: object, port: object, *rest: object, **more: object) -> object:
        if host in ("page.test", b"page.test"):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]
        return real(host, port, *rest, **more)

    return look_up


def test_redirects_end(server: FileServer, network: Network) -> None:
    """A circle of redirects is given up."""
    server.serve("/a", b"", redirect="/b")
    server.serve("/b", b"", redirect="/a")
    with pytest.raises(NetworkFailure, match="on and on"):
        network.page(server.url + "/a")


def test_where_it_ended(server: FileServer, network: Network) -> None:
    """The page tells its last address, its kind and its encoding."""
    server.serve("/a", b"", redirect="/b?c=1")
    server.serve("/b?c=1", b"<p>x", content_type="Text/HTML; charset=ISO-8859-1")
    page = network.page(server.url + "/a")
    assert (page.url, page.kind, page.charset) == (server.url + "/b?c=1", "text/html", "iso-8859-1")


def test_long_pages_are_cut(server: FileServer, network: Network) -> None:
    """Never more than the limit, and it says so."""
    server.serve("/", b"x" * 5000)
    page = network.page(server.url + "/", Limits(size_bytes=1000))
    assert (len(page.body), page.is_cut) == (1000, True)


def test_a_packed_gigabyte_is_cut(server: FileServer, network: Network) -> None:
    """What unpacks to far more than it seems ends at the same limit."""
    bomb = gzip.compress(b"0" * 50_000_000)
    server.serve("/", bomb, headers={"Content-Encoding": "gzip"})
    page = network.page(server.url + "/", Limits(size_bytes=100_000))
    assert (page.body, page.is_cut) == (b"0" * 100_000, True)


def test_packed_pages(server: FileServer, network: Network) -> None:
    """A packed page arrives whole."""
    text = "\n".join(f"line {number}" for number in range(20_000)).encode()
    server.serve("/", gzip.compress(text), headers={"Content-Encoding": "gzip"})
    page = network.page(server.url + "/")
    assert (page.body, page.is_cut) == (text, False)


@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("gzip", b"not packed")])
def test_what_cannot_be_unpacked(server: FileServer, network: Network, encoding: str, body: bytes) -> None:
    """An unknown or broken packing is said, not shown as text."""
    server.serve("/", body, headers={"Content-Encoding": encoding})
    with pytest.raises(NetworkFailure) as refused:
        network.page(server.url + "/")
    assert refused.value.code == "answer-invalid"


def test_slow_pages_are_given_up(server: FileServer, network: Network) -> None:
    """A server that drips is left."""
    server.serve("/", b"x" * 100_000, bytes_per_s=2000)
    with pytest.raises(NetworkFailure) as refused:
        network.page(server.url + "/", Limits(time_s=0.2))
    assert refused.value.code == "too-slow"


def test_cookies_are_not_kept(server: FileServer, network: Network) -> None:
    """A site does not recognise the user the second time."""
    server.serve("/", b"x", headers={"Set-Cookie": "who=you; Path=/"})
    network.page(server.url + "/")
    network.page(server.url + "/")
    network.get_text(server.url + "/")
    assert [request.headers.get("cookie") for request in server.requests] == [None, None, None]


def test_offline(server: FileServer) -> None:
    """The offline switch holds for pages too."""
    network = Network(lambda: NetworkSettings(offline=True), may_reach=lambda _address: True)
    with pytest.raises(NetworkFailure) as refused:
        network.page(server.url)
    assert refused.value.code == "offline"
    assert server.requests == []
