"""What a figure was measured on."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]


def machine() -> dict[str, object]:
    """Processor, memory, system, load and commit: a figure without them is no figure."""
    return {
        "processor": _processor(),
        "cores": psutil.cpu_count(logical=False),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_before": round(psutil.getloadavg()[0], 2),
        "commit": _commit(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout.strip()
