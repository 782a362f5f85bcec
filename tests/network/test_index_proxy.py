"""The proxy that lets confined commands reach package indexes and nothing else."""

from __future__ import annotations

import base64
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest

from desktop.network import Network, RequestRecord
from desktop.network.index_proxy import IndexProxy
from desktop.settings import NetworkSettings

PROJECT = "/home/ada/project"


class Index(BaseHTTPRequestHandler):
    """Answers with what it was asked, and remembers the fields."""

    seen: list[dict[str, str]]

    def do_GET(self) -> None:
        type(self).seen.append(dict(self.headers))
        body = f"{self.command} {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Quiet."""


@pytest.fixture
def index() -> Iterator[int]:
    Index.seen = []
    server = HTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@contextmanager
def proxy(
    port: int, hosts: tuple[str, ...] = ("localhost",), *, offline: bool = False, near: bool = True
) -> Iterator[tuple[IndexProxy, Network]]:
    """With an index on this computer standing in for a public one."""
    network = Network(lambda: NetworkSettings(offline=offline))
    may_reach = {"may_reach": lambda _address: True} if near else {}
    made = IndexProxy(network, lambda: hosts, ports=(port, port), **may_reach)
    try:
        yield made, network
    finally:
        made.close()


def get(address: str, url: str) -> tuple[int, str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": address}))
    try:
        with opener.open(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def tunnel(address: str, target: str) -> bytes:
    """What CONNECT answers, and through it a request."""
    place = urlsplit(address)
    code = base64.b64encode(f"{place.username}:{place.password}".encode()).decode()
    with socket.create_connection((place.hostname, place.port), 10) as line:
        line.sendall(f"CONNECT {target} HTTP/1.1\r\nProxy-Authorization: Basic {code}\r\n\r\n".encode())
        said = line.recv(4096)
        if b" 200 " in said.split(b"\r\n")[0]:
            line.sendall(b"GET /through HTTP/1.0\r\n\r\n")
            while piece := line.recv(4096):
                said += piece
    return said


def logged(network: Network) -> RequestRecord:
    """The only request; it is written down a moment after its answer has been sent."""
    deadline = time.monotonic() + 10
    while not network.log:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return network.log[0]


def test_plain_requests_reach_an_index(index: int) -> None:
    """As the index expects them, without the proxy's secret, and logged with their reason."""
    with proxy(index) as (made, network):
        assert get(made.address(PROJECT), f"http://localhost:{index}/simple/?q=a") == (
            200,
            "GET /simple/?q=a",
        )
    assert not {name.lower() for name in Index.seen[0]} & {"proxy-authorization", "proxy-connection"}
    record = logged(network)
    assert (record.host, str(record.why), record.outcome) == (
        "localhost",
        f"A command in {PROJECT}",
        "connected",
    )
    assert record.received_bytes > 0


def test_tunnels_reach_an_index(index: int) -> None:
    """Bytes pass both ways until the index has said all."""
    with proxy(index) as (made, _):
        assert tunnel(made.address(PROJECT), f"localhost:{index}").endswith(b"GET /through")


@pytest.mark.parametrize(
    "target",
    [
        "example.org:{}",
        "localhost:1",
        "127.0.0.1:{}",
        "[::1]:{}",
        "notlocalhost:{}",
        "localhost.evil.example:{}",
    ],
)
def test_everything_else_is_refused_by_name(index: int, target: str) -> None:
    """Before its name is looked up."""
    with proxy(index) as (made, network):
        assert b" 403 " in tunnel(made.address(PROJECT), target.format(index))
        assert made.take_refused(PROJECT) == (target.rpartition(":")[0].strip("[]"),)
        assert logged(network).outcome == "refused"


@pytest.mark.parametrize("target", ["localhost", "a b", "http://localhost", "user@localhost:{}", ""])
def test_what_is_no_request_is_refused(index: int, target: str) -> None:
    """Also one without a port."""
    with proxy(index) as (made, _):
        status = tunnel(made.address(PROJECT), target.format(index)).split(b" ")[1]
    assert status in (b"400", b"403")
    assert Index.seen == []


def test_names_below_a_listed_one_pass(index: int) -> None:
    """Where the list says so."""
    with proxy(index, (".localhost",)) as (made, _):
        tunnel(made.address(PROJECT), f"a.localhost:{index}")  # whether it is found is the system's business
        assert made.take_refused(PROJECT) == ()
        assert b" 403 " in tunnel(made.address(PROJECT), f"localhost:{index}")


def test_a_name_of_this_network_is_refused(index: int) -> None:
    """A listed name may not lead back to this computer or to its neighbours."""
    with proxy(index, near=False) as (made, _):
        assert b" 403 " in tunnel(made.address(PROJECT), f"localhost:{index}")
        assert made.take_refused(PROJECT) == ("localhost",)


def test_without_the_secret_nobody_is_served(index: int) -> None:
    """No program of another's, nor one whose project mode has ended."""
    with proxy(index) as (made, _):
        address = made.address(PROJECT)
        bare = "http://" + address.rpartition("@")[2]
        assert get(bare, f"http://localhost:{index}/")[0] == 407
        assert get(address.replace("project:", "project:x"), f"http://localhost:{index}/")[0] == 407
        made.keep((PROJECT,))
        assert get(address, f"http://localhost:{index}/")[0] != 407
        Index.seen.clear()
        made.keep(())
        assert get(address, f"http://localhost:{index}/")[0] == 407
    assert Index.seen == []


def test_offline_nothing_leaves(index: int) -> None:
    """The switch holds for commands too."""
    with proxy(index, offline=True) as (made, _):
        status, words = get(made.address(PROJECT), f"http://localhost:{index}/")
    assert status == 503
    assert "offline" in words


def test_projects_have_addresses_of_their_own(index: int) -> None:
    """So that what was refused is known of the right one."""
    with proxy(index) as (made, _):
        one, other = made.address("/one"), made.address("/other")
        assert one != other
        assert made.address("/one") == one
        get(other, f"http://example.org:{index}/")
        assert (made.take_refused("/one"), made.take_refused("/other")) == ((), ("example.org",))


def test_nothing_listens_before_it_is_asked_nor_after_the_end(index: int) -> None:
    """A port is open only while a project needs it."""
    with proxy(index) as (made, _):
        address = made.address(PROJECT)
    with pytest.raises((urllib.error.URLError, OSError)):
        get(address, f"http://localhost:{index}/")


def test_a_client_that_says_nothing_holds_nobody_up(index: int) -> None:
    """Each connection waits by itself."""
    with proxy(index) as (made, _):
        place = made.address(PROJECT).rpartition("@")[2].split(":")
        with socket.create_connection((place[0], int(place[1]))):
            assert get(made.address(PROJECT), f"http://localhost:{index}/")[0] == 200
