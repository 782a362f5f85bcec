"""The computer below the engine: memory, battery, processor."""

from __future__ import annotations

import ctypes
import platform
import sys
import time
from pathlib import Path

import psutil

MB = 1_000_000
MMAP_THRESHOLD = -3  # malloc.h
LEAST_WATCHED_S = 0.1  # the system counts in hundredths


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
        # Only glibc has `malloc_trim`.
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


class OtherPrograms:
    """How many cores the other programs of this computer keep busy, from when this is made."""

    def __init__(self) -> None:
        self._begun = _processor_times()

    def busy_cores(self) -> float:
        """What runs at a lower priority gives way, and does not count; 0 where too little time has passed."""
        wall_s, all_s, own_s = (now - then for now, then in zip(_processor_times(), self._begun, strict=True))
        return max(all_s - own_s, 0.0) / wall_s if wall_s >= LEAST_WATCHED_S else 0.0


def _processor_times() -> tuple[float, float, float]:
    """Seconds of the clock, of all programs together, and of this one."""
    everybody, own = psutil.cpu_times(), psutil.Process().cpu_times()
    return time.monotonic(), everybody.user + everybody.system, own.user + own.system


def processor_name() -> str:
    """The processor's name as its maker gives it, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
