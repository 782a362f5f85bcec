"""How much memory there is, how much we hold, giving it back, and when a model has to go."""

from __future__ import annotations

import ctypes
import sys

import psutil

from desktop.settings import ModelSettings

MB = 1_000_000
PRESSURE_CHECK_S = 5.0  # how often memory is looked at while a model is loaded
SOONEST_S = 1.0  # nothing wakes an idle program more often


class Memory:
    """This computer's memory. Tests put their own in its place."""

    def available_bytes(self) -> int:
        """What programs can get without swapping."""
        return int(psutil.virtual_memory().available)

    def total_bytes(self) -> int:
        return int(psutil.virtual_memory().total)

    def resident_bytes(self) -> int:
        """What this process holds now."""
        return int(psutil.Process().memory_info().rss)

    def trim(self) -> None:
        """Return freed memory to the system where the C library keeps it for itself (glibc)."""
        release = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
        if release is not None:
            release(0)


def reason_to_unload(settings: ModelSettings, idle_s: float, available_bytes: int) -> str | None:
    """Why a model that has been idle so long has to go, or None."""
    if settings.unload_after_minutes and idle_s >= settings.unload_after_minutes * 60:
        return "idle"
    if available_bytes < settings.low_memory_mb * MB:
        return "memory is low"
    return None


def seconds_to_next_look(settings: ModelSettings, idle_s: float) -> float:
    """How long a loaded model may be left alone."""
    left = settings.unload_after_minutes * 60 - idle_s if settings.unload_after_minutes else PRESSURE_CHECK_S
    return max(min(left, PRESSURE_CHECK_S), SOONEST_S)
