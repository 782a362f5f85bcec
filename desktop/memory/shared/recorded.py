"""A shared store whose every question is refused in offline mode, and stands in the log of requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from desktop.memory.item import Layer
from desktop.memory.shared.store import SharedItem, SharedStore
from desktop.network import Network, because

ASKING = "Memory that is shared"
SHARING = "Sharing a memory"
FORGETTING = "Taking back what was shared"


class RecordedStore:
    """Stands before a store; `address` is that of the server which is really asked."""

    def __init__(self, store: SharedStore, network: Network, address: str) -> None:
        self._store = store
        self._network = network
        self._address = address

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
def recorded(network: Network, method: str, address: str, why: str) -> Iterator[None]:
    """Raises NetworkFailure `offline` before anything is sent."""
    with because(why), network.connection(method, address) as record:
        yield
        record("ok")
