"""The computer below the engine: clock, memory, battery, processor; and when a model has to go."""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
import time
from pathlib import Path

import psutil

from desktop.settings import ModelSettings

MB = 1_000_000
PRESSURE_CHECK_S = 5.0  # how often memory is looked at while a model is loaded
SOONEST_S = 1.0  # nothing wakes an idle program more often
MMAP_THRESHOLD = -3  # malloc.h


class Clock:
    """Seconds that only ever grow, and waiting."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        """Wait until notified or `timeout_s` seconds have passed; the condition is held."""
        condition.wait(timeout_s)


class HostMemory:
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
        # Only glibc has it; others give memory back by themselves.
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


def on_battery() -> bool:
    """False where there is no battery or the system does not tell."""
    try:
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    except OSError:  # a driver that answers nonsense
        return False
    return battery is not None and battery.power_plugged is False


def physical_cores() -> int:
    """Cores this process may compute on; two threads of one core count once where that is known."""
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    process = psutil.Process()
    # A container or `taskset` may leave this process fewer than there are.
    allowed = len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else physical
    return max(min(physical, allowed), 1)


def processor_name() -> str:
    """Its maker's name for it, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


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
