"""When a model has to go: idle, low memory, battery."""

from __future__ import annotations

import subprocess
import sys

import pytest

from desktop.engine.host import MB, reason_to_unload
from desktop.settings import ModelSettings

PLENTY = 8_000 * MB


@pytest.mark.parametrize(
    ("settings", "idle_s", "available", "on_battery", "reason"),
    [
        ({}, 599, PLENTY, False, None),
        ({}, 600, PLENTY, False, "idle"),
        ({}, 180, PLENTY, True, "idle, on battery"),
        ({}, 179, PLENTY, True, None),
        ({"unload_after_minutes": 2}, 120, PLENTY, True, "idle, on battery"),
        ({"battery_minutes": 0}, 180, PLENTY, True, None),
        ({"battery_minutes": 0}, 600, PLENTY, True, "idle"),
        ({"unload_after_minutes": 0}, 86_400, PLENTY, False, None),
        ({"unload_after_minutes": 0}, 180, PLENTY, True, "idle, on battery"),
        ({}, 0, 499 * MB, False, "memory is low"),
        ({"low_memory_mb": 0}, 0, 1 * MB, False, None),
    ],
)
def test_a_model_goes_when_nobody_needs_it_or_others_need_the_memory(
    settings: dict[str, int], idle_s: float, available: int, on_battery: bool, reason: str | None
) -> None:
    """On battery sooner; each of the three can be switched off."""
    assert reason_to_unload(ModelSettings(**settings), idle_s, available, on_battery) == reason


@pytest.mark.children
@pytest.mark.skipif(sys.platform != "linux", reason="how the C library of others keeps memory is theirs")
def test_large_blocks_go_back_to_the_system_also_between_others() -> None:
    """A hundred megabytes are freed while small things lie behind each block: none of it stays with us."""
    code = """
import ctypes, psutil
from desktop.engine.host import return_large_blocks
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
return_large_blocks()
libc.free(libc.malloc(30_000_000))
before = psutil.Process().memory_info().rss
blocks = []
for _ in range(10):
    block = libc.malloc(10_000_000)
    ctypes.memset(block, 1, 10_000_000)
    blocks.append(block)
    ctypes.memset(libc.malloc(50_000), 1, 50_000)
for block in blocks:
    libc.free(block)
print(psutil.Process().memory_info().rss - before)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 10 * MB
