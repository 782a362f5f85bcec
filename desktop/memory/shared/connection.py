"""Which store an address means, and the way to it: closed in offline mode, every question logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from desktop.errors import UserFacing
from desktop.memory.item import Layer
from desktop.memory.reasons import MemoryReason
from desktop.memory.shared.store import SharedItem, SharedStore, StoreRole
from desktop.network import Network, NetworkReason, because
from desktop.reasons import Reason

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
    """For the store and for the cache; None where none is needed."""

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
    # Only who names a cache has to have its package.
    from desktop.memory.shared.redis_cache import RedisCache

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
