"""Memory that is freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

from desktop.engine.host import MB


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
