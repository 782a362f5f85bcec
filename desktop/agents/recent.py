"""The last verdicts, for the activity page: a thousand of them, and never more text than fits."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace

from desktop.agents.events import HookDecided, HookRan

MOST = 1_000
MOST_CHARACTERS = 10_000_000  # an agent may send commands of a megabyte


class Recent:
    """Methods may be called on any thread."""

    def __init__(self, most: int = MOST, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._most_characters = most_characters
        self._lock = threading.Lock()
        self._events: deque[HookDecided] = deque()
        self._characters = 0

    def add(self, event: HookDecided) -> None:
        """The oldest go where there are too many; the newest stays whatever its size."""
        with self._lock:
            self._events.append(event)
            self._characters += len(event.text)
            while len(self._events) > 1 and self._is_too_much():
                self._characters -= len(self._events.popleft().text)

    def ran(self, event: HookRan) -> None:
        """What became of one of them."""
        with self._lock:
            for place, each in enumerate(self._events):
                if each.id == event.id:
                    changes = event.changes or each.changes
                    self._events[place] = replace(each, ran=event.ran, refused=event.refused, changes=changes)

    def listed(self) -> tuple[HookDecided, ...]:
        """The newest last."""
        with self._lock:
            return tuple(self._events)

    def _is_too_much(self) -> bool:
        return len(self._events) > self._most or self._characters > self._most_characters
