"""Time, as the engine sees it; tests put their own in its place."""

from __future__ import annotations

import threading
import time


class Clock:
    """Seconds that only ever grow, and waiting."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        """Wait until notified or `timeout_s` seconds have passed; the condition is held."""
        condition.wait(timeout_s)
