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


def own_memory_bytes(process: psutil.Process) -> int:
    """What it has in memory as if no other program had loaded the same files.

    psutil's `uss` leaves out each page of a file that somebody else has loaded as well. Beside a second
    program of this environment it falls by 35 MB of Qt, and by 39 MB of the interpreter, its packages and the
    system's libraries.
    """
    # What is changed or held by no file is never shared with a program that was started by itself.
    return sum(each.rss for each in process.memory_maps(grouped=True))


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
