"""Which places a session has made itself: where nothing was when it named them first."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable

MOST = 2_000  # places, of all sessions; one that is forgotten counts as somebody else's


class Scratch:
    """Methods may be called on any thread; they look at the disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[str, str], None] = OrderedDict()

    def taken(self, session: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Of absolute `paths` those where something stands that this session did not make."""
        return tuple(path for path in paths if path.startswith("/") and self._is_taken(session, path))

    def _is_taken(self, session: str, path: str) -> bool:
        key = (session, os.path.normpath(path))
        with self._lock:
            if not os.path.lexists(path):
                self._made[key] = None
                self._made.move_to_end(key)
                if len(self._made) > MOST:
                    self._made.popitem(last=False)
                return False
            return key not in self._made or os.path.islink(path)
