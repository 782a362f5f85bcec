"""What a shared store answered lately, kept in Redis for all who ask the same: never the truth, only faster.

An answer is kept under the tenant, the question and the store's version, so that a change by anybody makes
it unfindable; after five minutes it is gone anyway. Where Redis does not answer, the store is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import structlog

from desktop.memory.item import Layer, MemorySource
from desktop.memory.shared.store import SharedItem, SharedStore, StoreRole, not_installed

log = structlog.get_logger(__name__)

KEPT_S = 300
TIMEOUT_S = 0.5


class RedisCache:
    """A shared store before which answers are kept."""

    def __init__(self, store: SharedStore, address: str, tenant: str, password: str | None = None) -> None:
        """`address` is `redis://host/0`. Raises UserFacing where the package is missing."""
        try:
            import redis
        except ImportError as error:
            raise not_installed("redis") from error
        self._store = store
        self._tenant = tenant
        self._errors: tuple[type[Exception], ...] = (redis.RedisError,)
        self._redis: Any = redis.Redis.from_url(
            address, password=password, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
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
        """Also what was kept of them: nothing of the tenant stays in Redis."""
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
            self._redis.set(key, json.dumps([asdict(item) for item in items]), ex=KEPT_S)
        except self._errors as error:
            log.info("Redis keeps nothing", reason=str(error))


def _read(values: dict[str, Any]) -> SharedItem:
    item = SharedItem(**values)
    return replace(item, layer=Layer(item.layer), source=MemorySource(item.source))
