"""What every shared store can do, whichever server it runs on.

A store belongs to one tenant: a group of people who see the same. No method takes a tenant, so none can be
left out or mixed up; the store puts its own into every query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemorySource
from desktop.memory.reasons import MemoryReason

LONGEST = 2000  # characters of one item


@dataclass(frozen=True)
class SharedItem:
    """One memory of a layer beyond this computer. `at` in seconds since 1970; `author` as the server knows
    the person, `key` and `signature` the author's own, in hex, or "" (see authors.py). `score` compares only
    within one search.
    """

    id: str
    layer: Layer
    text: str
    source: MemorySource
    author: str
    at: float
    score: float = 0.0
    key: str = ""
    signature: str = ""


class StoreRole(StrEnum):
    """What a login may do with a group's memory."""

    OWNER = "owner"
    """Read, share, withdraw, and change the tables."""
    MEMBER = "member"
    """Read, share and withdraw."""
    READER = "reader"
    """Only read."""
    UNKNOWN = "unknown"
    """The server has no way to ask: Qdrant tells a key's rights to nobody."""


class SharedStore(Protocol):
    """Methods block, may be called on any thread, and raise UserFacing where the server is silent or the
    login may not do it.
    """

    @property
    def role(self) -> StoreRole:
        """What the login may do, as the server said when the connection was made."""

    def add(self, item: SharedItem, vector: Sequence[float] = ()) -> None:
        """Store it, or replace the one with its id. Its text has been cleaned and shown to the user."""

    def search(
        self, layers: Iterable[Layer], terms: Sequence[str], vector: Sequence[float] = (), limit: int = 20
    ) -> tuple[SharedItem, ...]:
        """The best of these layers, by words and, where a vector is given and the store knows vectors, by
        meaning.
        """

    def latest(self, layers: Iterable[Layer], limit: int = 100) -> tuple[SharedItem, ...]:
        """The newest first."""

    def forget(self, ids: Iterable[str]) -> int:
        """Delete these for good; how many there were."""

    def version(self) -> int:
        """Grows with every change that anybody makes; for caches."""

    def close(self) -> None:
        """End the connection. Safe to call twice."""


def check(item: SharedItem) -> None:
    """Raises UserFacing for what does not belong into a shared store."""
    if not item.layer.is_shared or not item.text.strip() or len(item.text) > LONGEST:
        raise UserFacing(MemoryReason.NOT_SHAREABLE.of(most=LONGEST))


def fused(
    by_words: Sequence[SharedItem], by_meaning: Sequence[SharedItem], limit: int
) -> tuple[SharedItem, ...]:
    """By rank, words counting three times as much: ranks compare across servers, scores do not."""
    scores: dict[str, float] = {}
    items = {item.id: item for item in (*by_words, *by_meaning)}
    for weight, ranked in ((3.0, by_words), (1.0, by_meaning)):
        for place, item in enumerate(ranked, start=1):
            scores[item.id] = scores.get(item.id, 0.0) + weight / (10.0 + place)
    best = sorted(scores, key=lambda key: -scores[key])[:limit]
    return tuple(replace(items[key], score=round(scores[key], 5)) for key in best)


def unreachable(where: str, error: Exception) -> UserFacing:
    """The server did not do what it was asked."""
    return UserFacing(MemoryReason.SHARED_MEMORY_UNREACHABLE.of(where=where, reason=_first_line(error)))


def not_let_in(where: str, error: Exception, password: str | None) -> UserFacing:
    """The server answered, and refused this login or asked for the password that is missing."""
    if not password:
        return UserFacing(MemoryReason.SHARED_MEMORY_LOCKED.of(where=where))
    return UserFacing(MemoryReason.SHARED_MEMORY_REFUSED.of(where=where, reason=_first_line(error)))


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def not_installed(what: str) -> UserFacing:
    return UserFacing(MemoryReason.SHARED_MEMORY_MISSING.of(what=what))
