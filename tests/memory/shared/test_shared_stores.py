"""One contract for every shared store, on the real servers; and whose memory it is, in every query."""

from __future__ import annotations

import http.server
import itertools
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemorySource
from desktop.memory.shared.connection import RedisCache
from desktop.memory.shared.postgres import PostgresStore
from desktop.memory.shared.qdrant import QdrantStore
from desktop.memory.shared.store import SharedItem, SharedStore
from tests.memory.shared.servers import postgres, redis

Make = Callable[[str], SharedStore]
STORES = ("postgres", "qdrant", "redis before postgres")
_tenants = itertools.count()


@pytest.fixture(scope="module")
def addresses() -> Iterator[Callable[[str], str]]:
    """The servers, started once for all tests of this file; asked for one that is not there, a test skips."""
    known: dict[str, str | BaseException] = {}
    with ExitStack() as ending:
        for name, server in (("postgres", postgres), ("redis", redis)):
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="steward-")))
            try:
                known[name] = ending.enter_context(server(folder))
            except pytest.skip.Exception as reason:
                known[name] = reason

        def address(name: str) -> str:
            found = known[name]
            if isinstance(found, BaseException):
                raise found
            return found

        yield address


@pytest.fixture
def make(request: pytest.FixtureRequest, addresses: Callable[[str], str], tmp_path: Path) -> Iterator[Make]:
    """Makes the store of the test's kind for a tenant; all of them see the same server."""
    made: list[SharedStore] = []
    run = next(_tenants)
    shared: list[Any] = []

    def of(tenant: str) -> SharedStore:
        mine = f"{tenant} {run}"
        store: SharedStore
        if request.param == "qdrant":
            pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra “team”)")
            store = QdrantStore(":memory:", mine)
            shared.append(store._client)
            store._client = shared[0]  # one server for all tenants of the test
        else:
            # Both are asked for before anything is opened, which nobody would close where one is missing.
            before = addresses("redis") if request.param == "redis before postgres" else ""
            store = PostgresStore(addresses("postgres"), mine)
            store = RedisCache(store, before, mine) if before else store
        made.append(store)
        return store

    yield of
    for each in made:
        each.close()


every = pytest.mark.parametrize("make", STORES, indirect=True)


def item(number: int, text: str, layer: Layer = Layer.TEAM, at: float = 0.0) -> SharedItem:
    return SharedItem(f"i{number}", layer, text, MemorySource.USER, "anna", at or float(number))


def direction(seed: int) -> list[float]:
    return [float(n) for n in np.random.default_rng(seed).standard_normal(384)]


@every
def test_what_is_added_is_found_by_its_words(make: Make) -> None:
    """With all that is known of it; more of the words is better; other layers are not looked into."""
    store = make("a")
    store.add(item(1, "The release branch is cut on Thursdays"))
    store.add(item(2, "Releases are announced in the channel on Friday"))
    store.add(item(3, "The branch office is in Leipzig", Layer.COMPANY))
    found = store.search((Layer.TEAM,), ("release", "branch"))
    assert [each.id for each in found][:1] == ["i1"]
    assert found[0].text == "The release branch is cut on Thursdays"
    assert (found[0].layer, found[0].source, found[0].author, found[0].at) == (
        Layer.TEAM,
        MemorySource.USER,
        "anna",
        1.0,
    )
    assert "i3" not in {each.id for each in found}
    assert {each.id for each in store.search((Layer.TEAM, Layer.COMPANY), ("branch",))} == {"i1", "i3"}
    assert store.search((Layer.TEAM,), ("zeppelin",)) == ()
    assert store.search((Layer.TEAM,), ()) == ()


@every
def test_what_means_something_to_a_server_is_a_word(make: Make) -> None:
    """Quotes, operators, and the beginnings of other statements."""
    store = make("a")
    store.add(item(1, "it's 100% | done & dusted"))
    for term in ("it's", "'; DROP TABLE steward_memory; --", "a | b", "!done", "100%", "\\", "%(x)s", ":*"):
        store.search((Layer.TEAM,), (term.casefold(),))
    assert [each.id for each in store.latest((Layer.TEAM,))] == ["i1"]


@every
def test_added_again_it_is_replaced(make: Make) -> None:
    """There is one of each id, and the old words are not found."""
    store = make("a")
    store.add(item(1, "the stand-up is at nine"))
    store.add(item(1, "the stand-up is at ten"))
    assert [each.text for each in store.latest((Layer.TEAM,))] == ["the stand-up is at ten"]
    assert store.search((Layer.TEAM,), ("nine",)) == ()


@every
def test_the_newest_come_first(make: Make) -> None:
    """As many as are asked for."""
    store = make("a")
    for number in (1, 3, 2):
        store.add(item(number, f"note {number}"))
    assert [each.id for each in store.latest((Layer.TEAM,), 2)] == ["i3", "i2"]


@every
def test_the_version_grows_with_every_change(make: Make) -> None:
    """Also with a change that another connection makes."""
    store, other = make("a"), make("a")
    versions = [store.version()]
    other.add(item(1, "one"))
    versions.append(store.version())
    store.add(item(1, "another"))
    versions.append(store.version())
    other.forget(("i1",))
    versions.append(store.version())
    assert len(set(versions)) == 4


@every
def test_what_is_forgotten_is_gone(make: Make) -> None:
    """By words, by date, and from what was kept of answers."""
    store = make("a")
    store.add(item(1, "the vault code is on the wall"))
    assert store.search((Layer.TEAM,), ("vault",))
    assert store.forget(("i1", "i2")) == 1
    assert store.search((Layer.TEAM,), ("vault",)) == ()
    assert store.latest((Layer.TEAM,)) == ()


@every
def test_two_tenants_never_see_each_other(make: Make) -> None:
    """Not by words, by meaning, by date or by version; nor can one forget or replace what the other has."""
    mine, theirs = make("mine"), make("theirs")
    vector = direction(1)
    theirs.add(item(1, "their secret plan"), vector)
    before = theirs.version()
    mine.add(item(1, "my own plan"), direction(2))
    assert [each.text for each in mine.search((Layer.TEAM,), ("plan",), vector)] == ["my own plan"]
    assert [each.text for each in mine.latest((Layer.TEAM,))] == ["my own plan"]
    assert mine.forget(("i1",)) == 1
    assert [each.text for each in theirs.latest((Layer.TEAM,))] == ["their secret plan"]
    assert theirs.version() == before


@every
def test_too_much_and_too_private_is_not_sent(make: Make) -> None:
    """A layer of this computer, nothing at all, and a whole book."""
    store = make("a")
    for wrong in (item(1, "mine", Layer.USER), item(2, "  "), item(3, "x" * 3000)):
        with pytest.raises(UserFacing, match=r"can be shared"):
            store.add(wrong)
    assert store.latest((Layer.TEAM,)) == ()


@pytest.mark.parametrize("make", ["qdrant", "postgres"], indirect=True)
def test_meaning_finds_what_no_word_names(make: Make) -> None:
    """The nearest first, where the store knows vectors."""
    store = make("a")
    if isinstance(store, PostgresStore) and not store.has_vectors:
        pytest.skip("pgvector is not installed")
    store.add(item(1, "automobile"), direction(1))
    store.add(item(2, "harbour"), direction(2))
    assert [each.id for each in store.search((Layer.TEAM,), ("car",), direction(1), 1)] == ["i1"]


@pytest.mark.parametrize("make", ["postgres"], indirect=True)
def test_every_statement_names_the_tenant(make: Make) -> None:
    """What is really sent: each statement has the tenant in its condition or its values."""
    store = make("a")
    assert isinstance(store, PostgresStore)
    sent: list[tuple[str, dict[str, object]]] = []
    connection = store._connection

    class Watched:
        def execute(self, statement: str, values: dict[str, object]) -> object:
            sent.append((statement, values))
            return connection.execute(statement, values)

        def close(self) -> None:
            connection.close()

    store._connection = Watched()
    store.add(item(1, "one"), direction(1) if store.has_vectors else ())
    store.search((Layer.TEAM,), ("one",), direction(1))
    store.latest((Layer.TEAM,))
    store.version()
    store.forget(("i1",))
    assert len(sent) >= 7
    for statement, values in sent:
        assert values["tenant"] == store._tenant
        is_insert = statement.startswith("INSERT INTO") and "(tenant," in statement
        assert is_insert or "tenant = %(tenant)s" in statement, statement
    store._connection = connection


@pytest.mark.parametrize("make", ["redis before postgres"], indirect=True)
def test_an_answer_is_kept_until_somebody_changes_something(make: Make) -> None:
    """The second time the store is asked for its version alone."""
    store = make("a")
    assert isinstance(store, RedisCache)
    store.add(item(1, "the stand-up is at nine"))
    first = store.search((Layer.TEAM,), ("stand",))
    inner = store._store
    asked: list[str] = []
    real = inner.search

    def counted(*args: Any) -> tuple[SharedItem, ...]:
        asked.append("search")
        return real(*args)

    inner.search = counted  # type: ignore[method-assign]
    assert store.search((Layer.TEAM,), ("stand",)) == first
    assert asked == []
    make("a").add(item(2, "stand back"))
    assert len(store.search((Layer.TEAM,), ("stand",))) > len(first)
    assert asked == ["search"]


@pytest.mark.parametrize("make", ["redis before postgres"], indirect=True)
def test_without_redis_the_store_is_asked(make: Make) -> None:
    """A cache that is away costs time, no answer."""
    store = make("a")
    assert isinstance(store, RedisCache)
    store.add(item(1, "the stand-up is at nine"))
    import redis as package

    store._redis = package.Redis.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.2)
    assert store.search((Layer.TEAM,), ("nine",))
    assert store.forget(("i1",)) == 1


def test_a_server_that_is_away_is_said_with_what_still_works() -> None:
    """Cause, what was not lost, what to do."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra “team”)")
    with pytest.raises(UserFacing) as caught:
        PostgresStore("postgresql://me@127.0.0.1:1/steward", "a")
    assert caught.value.code == "shared-memory-unreachable"
    assert "on this computer is used as always" in caught.value.not_lost


class Locked(http.server.BaseHTTPRequestHandler):
    """Lets nobody in, in the way that Qdrant does without its key."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_about: object) -> None:
        """Nothing: what is asked for does not matter."""


# The client warns of what it makes of this server, and of a key that goes unencrypted.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("key", "code"), [(None, "shared-memory-locked"), ("wrong", "shared-memory-refused")]
)
def test_a_server_that_wants_a_key_is_not_called_silent(key: str | None, code: str) -> None:
    """Whoever forgot it, or mistyped it, is told so."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra “team”)")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Locked) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with pytest.raises(UserFacing) as refused:
                QdrantStore(f"http://127.0.0.1:{server.server_port}", "shop", key)
        finally:
            server.shutdown()
            thread.join()
    assert refused.value.code == code
