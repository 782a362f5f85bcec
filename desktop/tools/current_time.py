"""The time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from desktop.gate.verdict import Effect
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Tool, ToolHint, tool

CURRENT_TIME_HINT = ToolHint(
    r"\b(what|which|tell|check|current|know|how late|wie|welche\w*|wann|sag\w*)\b.*\b(time|date|day|late"
    r"|uhr\w*|spät|datum|tag|wochentag)\b.*(\bit\b|\bnow\b|\btoday\b|\bheute\b|\bjetzt\b|\bes"
    r"\b|\bplease\b)|\b(current|today.?s) (time|date)\b|\b(the|what) (date|time|day) (is it|today|now)"
    r"\b|\bthe (date|time)[,.?]?( please)?\W*$|\buhrzeit\b",
)


def _now() -> datetime:
    return datetime.now().astimezone()


def time_tool(now: Callable[[], datetime] = _now) -> Tool:
    """`now` gives an aware time."""

    def current_time() -> str:
        """Show the current time, date and weekday."""
        at = now()
        return f"{at:%H:%M:%S} on {at:%A, %Y-%m-%d}, time zone {at.tzname()} (UTC{at:%z})"

    return tool(current_time, Effect.READ, verb=ToolReason.VERB_CURRENT_TIME, hint=CURRENT_TIME_HINT)
