"""Pages whose address somebody else has chosen."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import httpx
import psutil
import pytest

from desktop.network import Network, NetworkFailure, PageLimits
from desktop.network.addresses import is_reachable
from desktop.network.pages import fetch
from desktop.settings import NetworkSettings
from tests.models.file_server import FileServer
from tests.network.self_signed import write_certificate


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


# What this computer takes for no address or name, and another one may: the proxy would look it up.
NUMBERS_TO_OTHERS = (
    *("127.0.0.1.", "127.1.", "2130706433.", "0x7f000001.", "0x.", "192.168.1.1..", "1.2.3.4.5"),
    *("4294967297", "0xffffffffff", "127.0.0.0x", "[::1%25lo]", "[::1%lo]", "[fe80::1%25eth0]"),
    *("127.0.0.1%2eexample", "router", "printer.local", "nas.home.arpa", "metadata.google.internal."),
    *("%31%32%37.0.0.1", "127.0.0.1%00.example.org", "127.0.0.1%09", "localhost.", "page.localhost"),
    *("LOCALHOST.", "127。0。0。1。"),
)


@pytest.mark.parametrize("host", NUMBERS_TO_OTHERS)
def test_no_spelling_reaches_a_computer_by_a_proxy(server: FileServer, host: str) -> None:
    """A proxy looks names up by itself: what may be a number to it, or its own computer, is not handed on."""
    network = Network(lambda: NetworkSettings(proxy=server.url), stall_timeout_s=2)
    with pytest.raises(NetworkFailure) as refused:
        network.page(f"http://{host}/")
    network.close()
    assert refused.value.code in ("address-private", "address-invalid")
    assert server.requests == []


@pytest.mark.parametrize("host", ["pages.invalid", "pages.invalid.", "4.pages.invalid", "0x7f.p-a_g.invalid"])
def test_a_name_that_only_the_proxy_knows_is_asked_by_it(server: FileServer, host: str) -> None:
    """Behind many proxies no name of the open network can be looked up."""
    server.serve(f"http://{host}/", b"hello", content_type="text/plain")
    network = Network(lambda: NetworkSettings(proxy=server.url), stall_timeout_s=2)
    assert network.page(f"http://{host}/").body == b"hello"
    network.close()


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
    with pytest.raises(NetworkFailure, match="redirects endlessly"):
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
    page = network.page(server.url + "/", PageLimits(size_bytes=1000))
    assert (len(page.body), page.is_cut) == (1000, True)


def test_a_packed_gigabyte_is_cut(server: FileServer, network: Network) -> None:
    """What unpacks to far more than it seems ends at the same limit."""
    bomb = gzip.compress(b"0" * 50_000_000)
    server.serve("/", bomb, headers={"Content-Encoding": "gzip"})
    page = network.page(server.url + "/", PageLimits(size_bytes=100_000))
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
        network.page(server.url + "/", PageLimits(time_s=0.2))
    assert refused.value.code == "too-slow"


def test_cookies_are_not_kept(server: FileServer, network: Network) -> None:
    """A site does not recognise the user the second time."""
    server.serve("/", b"x", headers={"Set-Cookie": "who=you; Path=/"})
    network.page(server.url + "/")
    network.page(server.url + "/")
    network.get_text(server.url + "/")
    assert [request.headers.get("cookie") for request in server.requests] == [None, None, None]


# A computer with addresses of the open network of its own, as most have that speak IPv6.
AT_HOME = {
    "eth0": [
        (socket.AF_INET, "93.184.216.34", "255.255.255.240"),
        (socket.AF_INET6, "2a02:8108:1234:5600::5%eth0", "ffff:ffff:ffff:ffff::"),
        (socket.AF_INET6, "2a00:1450:4001:800::9", None),
        (socket.AF_PACKET if hasattr(socket, "AF_PACKET") else -1, "02:42:ac:11:00:02", None),
    ]
}
AROUND = (
    "2a02:8108:1234:5600::5",  # itself
    "2a02:8108:1234:5600:1:2:3:4",  # a printer beside it
    "2a02:8108:1234:56ff::1",  # another part of what its provider gave it
    "2a00:1450:4001:8ff::1",  # the same where the system does not tell the size
    "93.184.216.34",
    "93.184.216.46",
    "2002:5db8:d822::1",  # itself by 6to4
    "::ffff:93.184.216.40",
)
BEYOND = ("2a02:8108:1234:5700::5", "2a00:1450:4001:900::1", "93.184.216.48", "8.8.8.8")


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        name: [
            SimpleNamespace(family=family, address=address, netmask=mask) for family, address, mask in each
        ]
        for name, each in AT_HOME.items()
    }
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("address", AROUND)
def test_the_network_around_may_have_public_addresses(
    guarded: Network, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """A server sees the address that it was asked from and can lead back to it, or to its neighbours."""
    monkeypatch.setattr(socket, "getaddrinfo", _looked_up(socket.getaddrinfo, iter([address])))
    with pytest.raises(NetworkFailure) as refused:
        guarded.page("http://page.test/")
    assert refused.value.code == "address-private"


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("address", BEYOND)
def test_beyond_it_is_the_open_network(address: str) -> None:
    """Neighbours of the same provider are strangers."""
    assert is_reachable(address)


@pytest.mark.parametrize("port", [22, 25, 465, 587, 2049, 6667, 10080])
def test_ports_of_other_services(guarded: Network, port: int) -> None:
    """What is no web server could take a request for words of its own; no browser asks there either."""
    with pytest.raises(NetworkFailure) as refused:
        guarded.page(f"http://page.test:{port}/")
    assert refused.value.code == "address-invalid"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_head_that_drips_is_given_up(tmp_path: Path, scheme: str) -> None:
    """A server that never ends its head is left at the same limit, however often it sends a byte."""
    ending = threading.Event()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    write_certificate(tmp_path / "key", tmp_path / "certificate")
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")

    def drip(plain: socket.socket) -> None:
        with plain if scheme == "http" else context.wrap_socket(plain, server_side=True) as line:
            line.sendall(b"HTTP/1.1 200 OK\r\n")
            while not ending.wait(0.02):
                line.sendall(b"X")

    client = httpx.Client(verify=False)
    with client, _served(drip) as port, pytest.raises(NetworkFailure) as refused:
        fetch(client, f"{scheme}://127.0.0.1:{port}/", PageLimits(time_s=0.5), lambda _address: True)
    ending.set()
    assert refused.value.code == "too-slow"


def test_a_line_is_not_used_for_another_name(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a line that was opened for one name the other's certificate was never asked for."""
    lines: list[bytes] = []

    def answer(line: socket.socket) -> None:
        line.settimeout(10)
        while request := line.recv(4096):
            lines.append(request)
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        lines.append(b"over")

    monkeypatch.setattr(
        socket, "getaddrinfo", _looked_up(socket.getaddrinfo, iter(["127.0.0.1", "127.0.0.1"]))
    )
    with _served(answer) as port:
        network.page(f"http://page.test:{port}/a")
        network.page(f"http://page.test:{port}/b")
    assert [each.partition(b" HTTP")[0] for each in lines] == [b"GET /a", b"over", b"GET /b", b"over"]


@contextmanager
def _served(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that gives each connection, one after the other, to `serve`."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def work() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:  # it was shut down
                    return
                with line, suppress(OSError):
                    serve(line)

        thread = threading.Thread(target=work)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_offline(server: FileServer) -> None:
    """The offline switch holds for pages too."""
    network = Network(lambda: NetworkSettings(offline=True), may_reach=lambda _address: True)
    with pytest.raises(NetworkFailure) as refused:
        network.page(server.url)
    assert refused.value.code == "offline"
    assert server.requests == []
