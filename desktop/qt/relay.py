"""The only crossing from core threads to widgets.

Core code publishes events on any thread; `Relay` carries each one to the main thread by one queued signal
and calls the slots that asked for its type there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop.events import Bus, Event

E = TypeVar("E", bound=Event)


class Relay(QObject):
    """Made, used and closed on the main thread."""

    _arrived = Signal(object, object)

    def __init__(self, bus: Bus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = bus
        self._endings: list[Callable[[], None]] = []
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def listen(
        self, kind: type[E], slot: Callable[[E], None], when: Callable[[E], bool] | None = None
    ) -> Callable[[], None]:
        """Call `slot` on the main thread for every event of `kind`; returns the function that ends it.

        After the ending has been called the slot is not called again, also not for events that were
        already on their way. Where `when` says no, the main thread is not woken; it is asked on the
        publisher's thread, so that it may touch no widget.
        """
        active = True

        def deliver(event: E) -> None:
            if active:
                slot(event)

        def end() -> None:
            nonlocal active
            active = False
            unsubscribe()

        def cross(event: E) -> None:
            if when is None or when(event):
                self._arrived.emit(deliver, event)

        unsubscribe = self._bus.subscribe(kind, cross)
        self._endings.append(end)
        return end

    def close(self) -> None:
        """Stop listening to everything."""
        for end in self._endings:
            end()
        self._endings.clear()

    @Slot(object, object)
    def _deliver(self, slot: Callable[[Any], None], event: Event) -> None:
        slot(event)
