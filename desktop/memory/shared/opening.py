"""Which store an address means, and how it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from desktop.errors import UserFacing
from desktop.memory.shared.recorded import ASKING, RecordedStore, recorded
from desktop.memory.shared.store import SharedStore
from desktop.network import Network

POSTGRES = ("postgresql", "postgres")
QDRANT = ("http", "https")
REDIS = ("redis", "rediss")


@dataclass(frozen=True)
class Place:
    """Where a group's memory is: the store's address, the group's name on it, and a cache before it or ""."""

    store: str
    group: str
    cache: str = ""


@dataclass(frozen=True)
class Passwords:
    """For the store and for the cache; None where none is needed."""

    store: str | None = None
    cache: str | None = None


def checked(place: Place) -> Place:
    """Raises UserFacing for what no store can be opened with, a password in an address above all."""
    if not place.group.strip():
        raise _wrong("The group on the server has no name.", "Name it: its members all name it alike.")
    _check_address(place.store, (*POSTGRES, *QDRANT), "postgresql://me@host/steward or https://host:6333")
    if place.cache:
        _check_address(place.cache, REDIS, "redis://host/0")
    return place


def opened(place: Place, passwords: Passwords, network: Network) -> SharedStore:
    """Connect to the server. Blocks up to some seconds; raises UserFacing."""
    place = checked(place)
    store = _connected(place.store, network, lambda: _store(place, passwords.store))
    if not place.cache:
        return store
    from desktop.memory.shared.cache import RedisCache

    return RecordedStore(RedisCache(store, place.cache, place.group, passwords.cache), network, place.cache)


def _connected(address: str, network: Network, connect: Callable[[], SharedStore]) -> SharedStore:
    with recorded(network, "CONNECT", address, ASKING):
        return RecordedStore(connect(), network, address)


def _store(place: Place, password: str | None) -> SharedStore:
    if urlsplit(place.store).scheme in POSTGRES:
        from desktop.memory.shared.postgres import PostgresStore

        return PostgresStore(place.store, place.group, password)
    from desktop.memory.shared.qdrant import QdrantStore

    return QdrantStore(place.store, place.group, password)


def _check_address(address: str, schemes: tuple[str, ...], example: str) -> None:
    try:
        parts = urlsplit(address)
        password = parts.password
    except ValueError as error:
        raise _wrong(f"The address cannot be read: {error}.", f"Write it like {example}.") from error
    if parts.scheme not in schemes:
        raise _wrong("This is no address of a store that can be used.", f"Write it like {example}.")
    if password or any(name.casefold() == "password" for name, _ in parse_qsl(parts.query)):
        raise _wrong(
            "The address has a password in it, which would stand in the settings for all to read.",
            "Leave it out; you are asked for it, and it is kept in the keyring.",
        )


def _wrong(cause: str, action: str) -> UserFacing:
    return UserFacing(cause, "Nothing was changed and nothing was sent.", action, code="team-address")
