"""A shared store on Qdrant: by meaning; words are looked for among the texts that it keeps."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from desktop.memory.item import Layer, MemorySource
from desktop.memory.shared.store import (
    SharedItem,
    StoreRole,
    check,
    fused,
    not_installed,
    not_let_in,
    unreachable,
)

COLLECTION = "steward_memory"
DIMENSIONS = 384
TIMEOUT_S = 5
STATE = "state"
_NAMES = uuid.UUID("6c1f0f1e-51f5-4f0e-9d5c-0f2a5c8f7d10")  # Qdrant takes numbers and UUIDs as ids


class QdrantStore:
    """May be called on any thread."""

    role = StoreRole.UNKNOWN

    def __init__(self, address: str, tenant: str, password: str | None = None) -> None:
        """`address` is a URL; ":memory:" or a folder is a store inside this program. Raises UserFacing."""
        try:
            from qdrant_client import QdrantClient, models
        except ImportError as error:
            raise not_installed("qdrant-client") from error
        self._models = models
        self._address = address
        self._tenant = tenant
        self._client = self._opened(QdrantClient, password)

    def add(self, item: SharedItem, vector: Sequence[float] = ()) -> None:
        check(item)
        payload = {
            "tenant": self._tenant,
            "id": item.id,
            "layer": item.layer.value,
            "text": item.text,
            "source": item.source.value,
            "author": item.author,
            "at": item.at,
            "key": item.key,
            "signature": item.signature,
        }
        numbers = list(vector) if vector else _nowhere()
        point = self._models.PointStruct(id=self._key(item.id), vector=numbers, payload=payload)
        self._ask(self._client.upsert, points=[point], wait=True)
        self._bump()

    def search(
        self, layers: Iterable[Layer], terms: Sequence[str], vector: Sequence[float] = (), limit: int = 20
    ) -> tuple[SharedItem, ...]:
        among = tuple(layers)
        by_words = self._by_words(among, terms)[: 2 * limit]
        by_meaning: tuple[SharedItem, ...] = ()
        if vector:
            found = self._ask(
                self._client.query_points, query=list(vector), query_filter=self._only(among), limit=2 * limit
            )
            by_meaning = tuple(_item(point.payload) for point in found.points)
        return fused(by_words, by_meaning, limit)

    def latest(self, layers: Iterable[Layer], limit: int = 100) -> tuple[SharedItem, ...]:
        newest = sorted(self._all(tuple(layers)), key=lambda item: (-item.at, item.id))
        return tuple(newest[:limit])

    def forget(self, ids: Iterable[str]) -> int:
        wanted = self._models.FieldCondition(key="id", match=self._models.MatchAny(any=list(ids)))
        # With the tenant: an id alone could be somebody else's.
        mine = self._only((), wanted)
        count = int(self._ask(self._client.count, count_filter=mine, exact=True).count)
        self._ask(self._client.delete, points_selector=self._models.FilterSelector(filter=mine), wait=True)
        self._bump()
        return count

    def version(self) -> int:
        found = self._ask(self._client.retrieve, ids=[self._key(STATE)])
        return int(found[0].payload["changed"]) if found else 0

    def close(self) -> None:
        self._client.close()

    # -- inside -------------------------------------------------------------------------------

    def _bump(self) -> None:
        """When something was changed last, in a point of its own, which is in no layer."""
        payload = {"tenant": self._tenant, "id": STATE, "layer": STATE, "changed": time.time_ns()}
        point = self._models.PointStruct(id=self._key(STATE), vector=_nowhere(), payload=payload)
        self._ask(self._client.upsert, points=[point], wait=True)

    def _by_words(self, layers: Sequence[Layer], terms: Sequence[str]) -> list[SharedItem]:
        """The items with most of the words first."""
        # Qdrant has no ranking by words of its own; a group's memory is small enough to be walked through.
        counted = [(sum(t in item.text.casefold() for t in terms), item) for item in self._all(layers)]
        counted.sort(key=lambda pair: (-pair[0], -pair[1].at))
        return [item for count, item in counted if count]

    def _all(self, layers: Sequence[Layer]) -> list[SharedItem]:
        points, _ = self._ask(
            self._client.scroll, scroll_filter=self._only(layers), limit=10_000, with_vectors=False
        )
        return [_item(point.payload) for point in points]

    def _only(self, layers: Sequence[Layer], *more: Any) -> Any:
        """The tenant, always; the layers, where some are named."""
        field, match = self._models.FieldCondition, self._models
        must = [field(key="tenant", match=match.MatchValue(value=self._tenant)), *more]
        if layers:
            among = [layer.value for layer in layers]
            must.append(field(key="layer", match=match.MatchAny(any=among)))
        return self._models.Filter(must=must)

    def _key(self, item_id: str) -> str:
        """The key of a point: the same id of two tenants gives two."""
        return str(uuid.uuid5(_NAMES, f"{self._tenant}\n{item_id}"))

    def _ask(self, method: Callable[..., Any], **values: Any) -> Any:
        try:
            return method(COLLECTION, **values)
        except Exception as error:  # the client raises errors of httpx, grpc and its own
            raise unreachable(self._address, error) from error

    def _opened(self, client: Any, password: str | None) -> Any:
        try:
            if "://" in self._address:
                made = client(url=self._address, api_key=password, timeout=TIMEOUT_S)
            else:
                made = client(
                    **({"location": ":memory:"} if self._address == ":memory:" else {"path": self._address})
                )
            if not made.collection_exists(COLLECTION):
                size = self._models.VectorParams(size=DIMENSIONS, distance=self._models.Distance.COSINE)
                made.create_collection(COLLECTION, vectors_config=size)
        except Exception as error:  # as above
            if getattr(error, "status_code", None) in (401, 403):
                raise not_let_in(self._address, error, password) from error
            raise unreachable(self._address, error) from error
        return made


def _nowhere() -> list[float]:
    """The vector of what has none: Qdrant wants one of each point."""
    return [0.0] * (DIMENSIONS - 1) + [1e-6]


def _item(payload: dict[str, Any]) -> SharedItem:
    return SharedItem(
        payload["id"],
        Layer(payload["layer"]),
        payload["text"],
        MemorySource(payload["source"]),
        payload["author"],
        payload["at"],
        key=payload.get("key", ""),  # points of before there were signatures have neither
        signature=payload.get("signature", ""),
    )
