"""Requests that are still on their way, counted by who sends them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

import structlog

log = structlog.get_logger(__name__)

MOST_OF_ONE = 32


class Arrivals:
    """Of each sender only so many may be on their way; the one that began first goes when another comes.

    So whoever begins requests and does not end them takes the room from nobody but himself. Loop thread only.
    """

    def __init__(self, most_of_one: int = MOST_OF_ONE) -> None:
        self._most = most_of_one
        self._of: defaultdict[Hashable, dict[object, Callable[[], None]]] = defaultdict(dict)

    def began(self, sender: Hashable, ticket: object, end: Callable[[], None]) -> None:
        """`end` is called when this one is to go; `ticket` names it until then."""
        under_way = self._of[sender]
        if len(under_way) >= self._most:
            oldest = next(iter(under_way))
            log.warning("a request that did not arrive makes room", count=len(under_way))
            under_way.pop(oldest)()
        under_way[ticket] = end

    def ended(self, sender: Hashable, ticket: object) -> None:
        """It is here, or does not come any more. Safe to call twice."""
        under_way = self._of.get(sender)
        if under_way is None:
            return
        under_way.pop(ticket, None)
        if not under_way:
            del self._of[sender]

    @contextmanager
    def one(self, sender: Hashable, end: Callable[[], None]) -> Iterator[None]:
        """Counts while the block runs."""
        ticket = object()
        self.began(sender, ticket, end)
        try:
            yield
        finally:
            self.ended(sender, ticket)
