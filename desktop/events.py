"""Facts go up: the bus, and the base of all events.

Each room keeps its own event types beside the code that publishes them. Handlers run on the publisher's
thread, at once and in order of subscription; one that must not (widgets) hands over by itself
(`qt/relay.py`).
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Event:
    """Something that has happened. Frozen, because it crosses threads."""


E = TypeVar("E", bound=Event)


class Bus:
    """Publish and subscribe by event type. All methods may be called on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handlers: dict[type[Event], tuple[Callable[[Any], None], ...]] = defaultdict(tuple)

    def subscribe(self, kind: type[E], handler: Callable[[E], None]) -> Callable[[], None]:
        """Call `handler` for every event of `kind` or a subclass; returns the function that ends it."""
        with self._lock:
            self._handlers[kind] = (*self._handlers[kind], handler)

        def unsubscribe() -> None:
            with self._lock:
                self._handlers[kind] = tuple(h for h in self._handlers[kind] if h is not handler)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Tell everyone who asked. A handler that fails is logged and does not stop the publisher."""
        for kind in type(event).__mro__:
            for handler in self._handlers.get(kind, ()):
                try:
                    handler(event)
                except Exception:  # the edge between publisher and listener
                    log.exception("event handler failed", event_type=type(event).__name__)
