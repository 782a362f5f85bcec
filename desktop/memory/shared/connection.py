"""Which store an address means, and the way to it: closed in offline mode, every question logged.

What the store answered lately may be kept in Redis for all who ask the same: never the truth, only faster. An
answer is kept under the tenant, the question and the store's version, so that a change by anybody makes it
unfindable; after five minutes it is gone anyway. Where Redis does not answer, the store is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import structlog

from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemorySource
from desktop.memory.reasons import MemoryReason
from desktop.memory.shared.store import SharedItem, SharedStore, StoreRole, not_installed
from desktop.network import Network, NetworkReason, because
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

POSTGRES = ("postgresql", "postgres")
QDRANT = ("http", "https")
REDIS = ("redis", "rediss")
ASKING = NetworkReason.FOR_SHARED_MEMORY.of()
SHARING = NetworkReason.FOR_SHARING.of()
FORGETTING = NetworkReason.FOR_WITHDRAWING.of()


@dataclass(frozen=True)
class TeamAddress:
    """Where a group's memory is: the store's address, the group's name on it, and a cache before it or ""."""

    store: str
    group: str
    cache: str = ""


@dataclass(frozen=True)
class Passwords:
    """The passwords of the store and of the cache; None where none is needed."""

    store: str | None = None
    cache: str | None = None


def checked(place: TeamAddress) -> TeamAddress:
    """Raises UserFacing for what no store can be opened with, a password in an address above all."""
    if not place.store:  # before anything else: without a server a group needs no name
        raise UserFacing(MemoryReason.SHARED_OFF.of())
    if not place.group.strip():
        raise UserFacing(MemoryReason.GROUP_WITHOUT_NAME.of())
    _check_address(place.store, (*POSTGRES, *QDRANT), "postgresql://me@host/steward or https://host:6333")
    if place.cache:
        _check_address(place.cache, REDIS, "redis://host/0")
    return place


def _check_address(address: str, schemes: tuple[str, ...], example: str) -> None:
    try:
        parts = urlsplit(address)
        password = parts.password
    except ValueError as error:
        raise UserFacing(MemoryReason.ADDRESS_UNREADABLE.of(error=str(error), example=example)) from error
    if parts.scheme not in schemes:
        raise UserFacing(MemoryReason.NO_STORE_ADDRESS.of(example=example))
    if password or any(name.casefold() == "password" for name, _ in parse_qsl(parts.query)):
        raise UserFacing(MemoryReason.CREDENTIALS_IN_ADDRESS.of())


def opened(place: TeamAddress, passwords: Passwords, network: Network) -> SharedStore:
    """Connect to the server. Blocks up to some seconds; raises UserFacing."""
    place = checked(place)
    store = _connected(place.store, network, lambda: _store(place, passwords.store))
    if not place.cache:
        return store
    return RecordedStore(RedisCache(store, place.cache, place.group, passwords.cache), network, place.cache)


def _connected(address: str, network: Network, connect: Callable[[], SharedStore]) -> SharedStore:
    with recorded(network, "CONNECT", address, ASKING):
        return RecordedStore(connect(), network, address)


def _store(place: TeamAddress, password: str | None) -> SharedStore:
    if urlsplit(place.store).scheme in POSTGRES:
        from desktop.memory.shared.postgres import PostgresStore

        return PostgresStore(place.store, place.group, password)
    from desktop.memory.shared.qdrant import QdrantStore

    return QdrantStore(place.store, place.group, password)


class RecordedStore:
    """Stands before a store; `address` is that of the server which is really asked."""

    def __init__(self, store: SharedStore, network: Network, address: str) -> None:
        self._store = store
        self._network = network
        self._address = address

    @property
    def role(self) -> StoreRole:
        return self._store.role

    def add(self, item: SharedItem, vector: Sequence[float] = ()) -> None:
        with recorded(self._network, "ADD", self._address, SHARING):
            self._store.add(item, vector)

    def search(
        self, layers: Iterable[Layer], terms: Sequence[str], vector: Sequence[float] = (), limit: int = 20
    ) -> tuple[SharedItem, ...]:
        with recorded(self._network, "SEARCH", self._address, ASKING):
            return self._store.search(layers, terms, vector, limit)

    def latest(self, layers: Iterable[Layer], limit: int = 100) -> tuple[SharedItem, ...]:
        with recorded(self._network, "LIST", self._address, ASKING):
            return self._store.latest(layers, limit)

    def forget(self, ids: Iterable[str]) -> int:
        with recorded(self._network, "DELETE", self._address, FORGETTING):
            return self._store.forget(ids)

    def version(self) -> int:
        with recorded(self._network, "VERSION", self._address, ASKING):
            return self._store.version()

    def close(self) -> None:
        self._store.close()


@contextmanager
def recorded(network: Network, method: str, address: str, why: Reason) -> Iterator[None]:
    """Raises NetworkFailure `offline` before anything is sent."""
    with because(why), network.connection(method, address) as record:
        yield
        record("ok")


# -- the cache -------------------------------------------------------------------------------------

CACHED_S = 300
CACHE_TIMEOUT_S = 0.5


class RedisCache:
    """A shared store before which answers are kept."""

    def __init__(self, store: SharedStore, address: str, tenant: str, password: str | None = None) -> None:
        """`address` is `redis://host/0`. Raises UserFacing where the package is missing."""
        try:
            import redis  # only who names a cache has to have its package
        except ImportError as error:
            raise not_installed("redis") from error
        self._store = store
        self._tenant = tenant
        self._errors: tuple[type[Exception], ...] = (redis.RedisError,)
        self._redis: Any = redis.Redis.from_url(
            address, password=password, socket_timeout=CACHE_TIMEOUT_S, socket_connect_timeout=CACHE_TIMEOUT_S
        )

    @property
    def role(self) -> StoreRole:
        return self._store.role

    def add(self, item: SharedItem, vector: Sequence[float] = ()) -> None:
        self._store.add(item, vector)

    def search(
        self, layers: Iterable[Layer], terms: Sequence[str], vector: Sequence[float] = (), limit: int = 20
    ) -> tuple[SharedItem, ...]:
        among = tuple(layers)
        key = self._key(among, terms, vector, limit)
        # A cache that does not answer costs half a second at most, and never the answer.
        kept = self._kept(key)
        if kept is None:
            kept = self._store.search(among, terms, vector, limit)
            self._keep(key, kept)
        return kept

    def latest(self, layers: Iterable[Layer], limit: int = 100) -> tuple[SharedItem, ...]:
        return self._store.latest(layers, limit)

    def forget(self, ids: Iterable[str]) -> int:
        """Delete these, and what Redis kept of them: nothing of the tenant stays there."""
        count = self._store.forget(ids)
        try:
            # Key by key: a server may hold other programs' data, and KEYS would stop it.
            for key in self._redis.scan_iter(f"{self._prefix}*"):
                self._redis.delete(key)
        except self._errors as error:
            log.warning("answers may stay in Redis for five minutes", reason=str(error))
        return count

    def version(self) -> int:
        return self._store.version()

    def close(self) -> None:
        self._redis.close()
        self._store.close()

    # -- inside -------------------------------------------------------------------------------

    @property
    def _prefix(self) -> str:
        """Of the tenant's keys; hashed, so that no name of one is the beginning of another's."""
        return f"steward:{hashlib.sha256(self._tenant.encode()).hexdigest()[:24]}:"

    def _key(self, layers: Sequence[Layer], terms: Sequence[str], vector: Sequence[float], limit: int) -> str:
        # Rounded: two computers may differ in the last digits of the same vector.
        numbers = [round(float(number), 4) for number in vector]
        # With the version of the store, so that a change by anybody makes the answer unfindable.
        asked = json.dumps([[*layers], [*terms], numbers, limit, self._store.version()])
        return self._prefix + hashlib.sha256(asked.encode()).hexdigest()

    def _kept(self, key: str) -> tuple[SharedItem, ...] | None:
        try:
            text = self._redis.get(key)
        except self._errors as error:
            log.info("Redis does not answer", reason=str(error))
            return None
        return None if text is None else tuple(_read(each) for each in json.loads(text))

    def _keep(self, key: str, items: tuple[SharedItem, ...]) -> None:
        try:
            self._redis.set(key, json.dumps([asdict(item) for item in items]), ex=CACHED_S)
        except self._errors as error:
            log.info("Redis keeps nothing", reason=str(error))


def _read(values: dict[str, Any]) -> SharedItem:
    item = SharedItem(**values)
    return replace(item, layer=Layer(item.layer), source=MemorySource(item.source))
