"""The time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool, tool


def _now() -> datetime:
    return datetime.now().astimezone()


def time_tool(now: Callable[[], datetime] = _now) -> Tool:
    """`now` gives an aware time."""

    def current_time() -> str:
        """Show the current time, date and weekday."""
        at = now()
        return f"{at:%H:%M:%S} on {at:%A, %Y-%m-%d}, time zone {at.tzname()} (UTC{at:%z})"

    return tool(current_time, Effect.READ)
