"""What is known about the processor."""

from __future__ import annotations

import platform
from pathlib import Path

import psutil


def physical_cores() -> int:
    """Cores this process may compute on; two threads of one core count once where that is known."""
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    process = psutil.Process()
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
