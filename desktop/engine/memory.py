"""How much memory there is, how much we hold, giving it back, and when a model has to go."""

from __future__ import annotations

import ctypes
import sys

import psutil

from desktop.engine.power import on_battery
from desktop.settings import ModelSettings

MB = 1_000_000
PRESSURE_CHECK_S = 5.0  # how often memory is looked at while a model is loaded
SOONEST_S = 1.0  # nothing wakes an idle program more often
MMAP_THRESHOLD = -3  # malloc.h


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

    def on_battery(self) -> bool:
        """Whether the computer runs on its battery now."""
        return on_battery()

    def trim(self) -> None:
        """Return freed memory to the system where the C library keeps it for itself (glibc)."""
        release = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
        if release is not None:
            release(0)


def return_large_blocks() -> None:
    """From now on what is larger than a megabyte goes back to the system when it is freed.

    Without a limit that is set glibc raises its own to 32 MB with the first large block, and the states of
    parked conversations leave holes between them: 130 MB after a hundred turns.
    """
    limit = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if limit is not None:
        limit(MMAP_THRESHOLD, 1 << 20)


def idle_limit_s(settings: ModelSettings, on_battery: bool) -> float:
    """How long a model may be idle; 0 for ever."""
    limit = settings.unload_after_minutes
    if on_battery and settings.battery_minutes:
        limit = min(limit, settings.battery_minutes) if limit else settings.battery_minutes
    return limit * 60.0


def reason_to_unload(
    settings: ModelSettings, idle_s: float, available_bytes: int, on_battery: bool = False
) -> str | None:
    """Why a model that has been idle so long has to go, or None."""
    limit_s = idle_limit_s(settings, on_battery)
    if limit_s and idle_s >= limit_s:
        return "idle, on battery" if on_battery and settings.battery_minutes else "idle"
    if available_bytes < settings.low_memory_mb * MB:
        return "memory is low"
    return None


def seconds_to_next_look(settings: ModelSettings, idle_s: float) -> float:
    """How long a loaded model may be left alone."""
    left = settings.unload_after_minutes * 60 - idle_s if settings.unload_after_minutes else PRESSURE_CHECK_S
    return max(min(left, PRESSURE_CHECK_S), SOONEST_S)
