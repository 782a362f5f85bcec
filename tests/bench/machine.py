"""What a figure was measured on."""

from __future__ import annotations

import platform
import subprocess
import sysconfig
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


def own_memory_bytes(process: psutil.Process) -> int:
    """psutil's `uss` of a program with Qt, as if no other program had loaded the same Qt.

    `uss` leaves out each page that somebody else has loaded as well: it falls by 35 MB as soon as a second
    program runs from these packages, a test for example.
    """
    qt = tuple(f"{sysconfig.get_path('platlib')}/{each}/" for each in ("PySide6", "shiboken6"))
    return sum(
        each.rss if each.path.startswith(qt) else each.private_clean + each.private_dirty
        for each in process.memory_maps(grouped=True)
    )


def anonymous_bytes(process: psutil.Process) -> int:
    """What no file holds, so that it does not move with what other programs map. 0 where nobody tells."""
    return sum(getattr(each, "anonymous", 0) for each in process.memory_maps(grouped=True))


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
