"""What an extension may ask for: its state within its room, pages of declared hosts over a real line."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from desktop.database import Database
from desktop.extensions import state
from desktop.extensions.manifest import Manifest, Permissions
from desktop.extensions.process import RequestRefused
from desktop.extensions.requests import HostRequests, HostServices
from desktop.extensions.state import MIGRATIONS, StateFull, StateStore
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings

SOON = 5.0
RELEASED = threading.Event()  # slow servers may answer


@pytest.fixture
def store(paths: Paths) -> Iterator[StateStore]:
    database = Database(paths.database, MIGRATIONS)
    yield StateStore(database)
    database.close()


class Pages(BaseHTTPRequestHandler):
    """`/to` leads to the host that the query names; `/slow` answers when the test lets it."""

    def do_GET(self) -> None:
        if self.path.startswith("/to"):
            self.send_response(302)
            self.send_header("Location", self.path.partition("?")[2])
            self.end_headers()
            return
        if self.path == "/slow":
            RELEASED.wait(60)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=nonsense")
        self.end_headers()
        self.wfile.write(b"x" * 400_000 if self.path == "/large" else "Grüße".encode())

    def log_message(self, *_words: Any) -> None:
        """Quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    RELEASED.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://localhost:{server.server_address[1]}"
    RELEASED.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def network() -> Iterator[Network]:
    """The product's own, for which the loopback is a public place for once."""
    made = Network(NetworkSettings, may_reach=lambda _address: True)
    yield made
    made.close()


def wishes(store: StateStore, network: Network, *hosts: str, has_state: bool = True) -> HostRequests:
    manifest = Manifest("demo", "1", "extension.py", "Demo", permissions=Permissions(tuple(hosts), has_state))
    return HostRequests(manifest, store, HostServices(lambda: network))


def fetch(asked: HostRequests, url: str, within_s: float = SOON) -> str:
    return str(asked.answer({"ask": "fetch", "url": url}, time.monotonic() + within_s))


def test_a_declared_host_is_fetched_and_logged(store: StateStore, network: Network, address: str) -> None:
    """On the page Network with the extension's name, and in its own log."""
    asked = wishes(store, network, "localhost")
    assert fetch(asked, f"{address}/a?q=1") == "Grüße"
    assert str(network.log[-1].why) == "The extension demo"
    store.delete("demo", "nothing")  # writes are made in their order, and nobody waits for those of the log
    assert [line.kind for line in store.log("demo")] == ["asked"]
    assert len(fetch(asked, f"{address}/large")) == 256_000


def test_a_redirect_to_another_host_is_refused(store: StateStore, network: Network, address: str) -> None:
    """Agreed to was the one, not where it leads."""
    port = address.rpartition(":")[2]
    asked = wishes(store, network, "localhost")
    assert fetch(asked, f"{address}/to?/a") == "Grüße"
    with pytest.raises(RequestRefused, match="not one of the hosts"):
        fetch(asked, f"{address}/to?http://127.0.0.1:{port}/a")


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://other.example/", "file:///etc/passwd", "http://[::1", "", "localhost"],
)
def test_other_hosts_are_refused_before_anything_is_sent(
    store: StateStore, network: Network, url: str
) -> None:
    """Nothing is even looked up."""
    with pytest.raises(RequestRefused):
        fetch(wishes(store, network, "localhost"), url)
    assert network.log == ()


def test_offline_and_a_slow_server_are_refusals(store: StateStore, network: Network, address: str) -> None:
    """The call that waits for it ends before the server answers."""
    with pytest.raises(RequestRefused):
        fetch(wishes(store, network, "localhost"), f"{address}/slow", within_s=0.3)
    assert not RELEASED.is_set()
    offline = Network(lambda: NetworkSettings(offline=True), may_reach=lambda _address: True)
    with pytest.raises(RequestRefused, match="offline"):
        fetch(wishes(store, offline, "localhost"), f"{address}/a")
    offline.close()


def test_state_that_was_not_declared_is_refused(store: StateStore, network: Network) -> None:
    """Also that of a team, and a team's where none is connected."""
    asked = wishes(store, network, has_state=False)
    for kind in ("state", "shared"):
        with pytest.raises(RequestRefused):
            asked.answer({"ask": f"{kind}.get", "key": "a"}, time.monotonic() + SOON)


def test_the_least_recently_used_entry_goes_first(store: StateStore) -> None:
    """Reading counts as use; another extension's room is its own."""
    store.put("other", "a", '"kept"')
    text = "".join(chr(33 + number * 7919 % 90) for number in range(40_000))
    sizes = []
    for number in range(60):
        store.put("demo", str(number), f'"{number}{text[number * 50 :]}"')
        assert store.get("demo", "0") is not None
        sizes.append(store.kept("demo").size_bytes)
    assert max(sizes) <= state.MOST_BYTES
    keys = store.keys("demo")
    assert keys[:2] == ("0", "59") or keys[:2] == ("59", "0")
    assert "1" not in keys or len(keys) == 60
    assert store.get("other", "a") == '"kept"'


@pytest.mark.parametrize(("key", "value"), [("", "1"), ("k" * 201, "1"), ("k", "x" * 256_001)])
def test_what_is_too_large_is_no_value(store: StateStore, key: str, value: str) -> None:
    """And nothing goes for it."""
    store.put("demo", "a", "1")
    with pytest.raises(StateFull):
        store.put("demo", key, value)
    assert store.keys("demo") == ("a",)


def test_forgetting_leaves_neither_state_nor_log(store: StateStore, paths: Paths, tmp_path: Path) -> None:
    """Not in the file, not in its write-ahead log."""
    store.put("demo", "zebra-key", '"zebra-value"')
    store.note("demo", "said", "zebra-line")
    store.forget("demo")
    assert store.kept("demo").entries == 0
    files = [each for each in paths.data.iterdir() if each.name.startswith("steward.sqlite3")]
    assert not any(b"zebra" in each.read_bytes() for each in files)
