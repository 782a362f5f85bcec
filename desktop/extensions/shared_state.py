"""State that a team shares: one hash in its Redis for each extension, small, and never trusted.

The server is the one that the group's memory has before its store. Other programs may use it and everybody in
the group may read it, so a value comes back only to the extension that asked, as any text from outside. Keys
lie apart from those of the memory, which are swept when a memory is taken back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from desktop.errors import UserFacing
from desktop.extensions.state import StateFull
from desktop.memory.shared.store import not_installed
from desktop.network import Network, NetworkReason, because

MOST_ENTRIES, VALUE_BYTES, KEY_CHARACTERS = 200, 5_000, 200
TIMEOUT_S = 0.5


class RedisState:
    """`requests.SharedState` on a server. Connects with the first question; thread-safe."""

    def __init__(
        self, address: str, tenant: str, password: Callable[[], str | None], network: Network
    ) -> None:
        """`address` is `redis://host/0`; `password` may block on the keyring."""
        self._address = address
        self._tenant = hashlib.sha256(tenant.encode()).hexdigest()[:24]
        self._password = password
        self._network = network
        self._client: Any = None

    def get(self, extension: str, key: str) -> str | None:
        found = self._asked("HGET", extension, key)
        return found.decode("utf-8", errors="replace") if found is not None else None

    def put(self, extension: str, key: str, value: str) -> None:
        """Raises StateFull for what is too large, and where 200 entries are there already."""
        if not 0 < len(key) <= KEY_CHARACTERS or len(value.encode()) > VALUE_BYTES:
            raise StateFull
        is_known = self._asked("HEXISTS", extension, key)
        # Nobody's entry is thrown out for another's: who was used last only each computer knows for itself.
        if not is_known and self._asked("HLEN", extension) >= MOST_ENTRIES:
            raise StateFull
        self._asked("HSET", extension, key, value)

    def delete(self, extension: str, key: str) -> None:
        self._asked("HDEL", extension, key)

    def keys(self, extension: str) -> tuple[str, ...]:
        """In no order."""
        return tuple(each.decode("utf-8", errors="replace") for each in self._asked("HKEYS", extension))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _asked(self, command: str, extension: str, *words: str) -> Any:
        """Raises OSError where the server does not answer or may not be asked."""
        import redis

        why = NetworkReason.FOR_EXTENSION.of(name=extension)
        try:
            with because(why), self._network.connection("REDIS", self._address) as record:
                found = self._connected().execute_command(
                    command, f"steward-extensions:{self._tenant}:{extension}", *words
                )
                record("200")
                return found
        except (redis.RedisError, UserFacing) as error:
            raise OSError(str(error)) from error

    def _connected(self) -> Any:
        import redis

        if self._client is None:
            self._client = redis.Redis.from_url(
                self._address,
                password=self._password(),
                socket_timeout=TIMEOUT_S,
                socket_connect_timeout=TIMEOUT_S,
            )
        return self._client


def shared_state(
    address: str, tenant: str, password: Callable[[], str | None], network: Network
) -> RedisState | None:
    """None where no team with a Redis server is set up. Raises UserFacing where the package is missing."""
    if not address or not tenant:
        return None
    try:
        import redis  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise not_installed("redis") from error
    return RedisState(address, tenant, password, network)
