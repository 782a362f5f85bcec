"""How much memory there is, how much we hold, and giving it back."""

from __future__ import annotations

import ctypes
import sys

import psutil
import structlog

log = structlog.get_logger(__name__)


def available_bytes() -> int:
    """What programs can get without swapping."""
    return int(psutil.virtual_memory().available)


def total_bytes() -> int:
    return int(psutil.virtual_memory().total)


def resident_bytes() -> int:
    """What this process holds now."""
    return int(psutil.Process().memory_info().rss)


def physical_cores() -> int:
    """Cores this process may compute on; two threads of one core count once where that is known."""
    allowed = len(psutil.Process().cpu_affinity()) if hasattr(psutil.Process, "cpu_affinity") else None
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    return max(min(physical, allowed or physical), 1)


def trim() -> None:
    """Return freed memory to the system where the C library keeps it for itself (glibc)."""
    if not sys.platform.startswith("linux"):
        return
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if release is not None:
        release(0)
