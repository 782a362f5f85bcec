"""The user's pause: for a while the gate has no opinion. It ends by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from desktop.agents.events import PauseChanged
from desktop.events import Bus


class Pause:
    """Methods may be called on any thread."""

    def __init__(self, bus: Bus, now: Callable[[], float] = time.time) -> None:
        self._bus = bus
        self._now = now
        self._lock = threading.Lock()
        self._until: float | None = None
        self._timer: threading.Timer | None = None

    @property
    def until(self) -> float | None:
        """Seconds since 1970; None while the gate works."""
        until = self._until
        if until is not None and self._now() >= until:  # the clock went on while the computer slept
            self.end()
            return None
        return until

    def begin(self, seconds: float) -> None:
        """Pause from now on, for `seconds`."""
        self._set(self._now() + seconds, seconds)

    def end(self) -> None:
        """Work again; without a pause nothing happens."""
        if self._until is not None:
            self._set(None, 0.0)

    def close(self) -> None:
        """End the clock; nobody is told any more."""
        with self._lock:
            self._stop()

    def _set(self, until: float | None, seconds: float) -> None:
        with self._lock:
            self._stop()
            self._until = until
            if until is not None:
                self._timer = threading.Timer(seconds, self.end)
                self._timer.name, self._timer.daemon = "hook pause", True
                self._timer.start()
        self._bus.publish(PauseChanged(until))

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
