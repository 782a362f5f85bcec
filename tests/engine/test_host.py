"""Memory that is freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from desktop.engine import host
from desktop.engine.host import MB, OtherPrograms


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


def test_other_programs_are_counted_and_this_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """In ten seconds 15 of the processor were used, three of them by this program: 1.2 cores."""
    times = iter([(100.0, 50.0, 7.0), (110.0, 65.0, 10.0)])
    monkeypatch.setattr(host, "_processor_times", lambda: next(times))
    assert OtherPrograms().busy_cores() == pytest.approx(1.2)


@pytest.mark.children
def test_a_program_beside_this_one_is_seen() -> None:
    """What another one computes is in the system's own count."""
    others = OtherPrograms()
    begun = time.monotonic()
    code = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert others.busy_cores() * (time.monotonic() - begun) > 0.4


def test_a_moment_tells_nothing_of_other_programs() -> None:
    """Hundredths of a second are all that the system counts."""
    assert OtherPrograms().busy_cores() == 0.0
