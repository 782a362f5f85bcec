"""A processor that is too old is told in words before a library stops the program."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.system.processor import BITS, lacking, missing_features, refusal

ROOT = Path(__file__).resolve().parents[2]
ALL = sum(1 << bit for bit in BITS.values())


@pytest.mark.parametrize("name", BITS)
def test_each_feature_that_is_not_there_is_named(name: str) -> None:
    assert lacking(ALL & ~(1 << BITS[name])) == (name,)


def test_a_processor_that_has_all_is_not_refused() -> None:
    """Also where it has more than is asked for."""
    assert lacking(0xFFFFFFFF) == ()


def test_this_processor_is_as_the_system_says() -> None:
    """The bits are read at their places: the kernel names the same features."""
    told = Path("/proc/cpuinfo")
    if platform.machine() != "x86_64" or not told.exists():
        pytest.skip("no list of an x86-64 processor's features")
    flags = set(told.read_text(encoding="utf-8").partition("\nflags")[2].partition("\n")[0].split())
    words = {"SSE3": "pni", "SSSE3": "ssse3", "CMPXCHG16B": "cx16", "SSE4.1": "sse4_1", "SSE4.2": "sse4_2"}
    wanted = {name: word in flags for name, word in {**words, "POPCNT": "popcnt"}.items()}
    missing = missing_features()
    assert {name: name not in missing for name in wanted} == wanted


def test_the_refusal_names_cause_and_what_is_needed() -> None:
    assert "lacks SSE4.2, POPCNT" in refusal(("SSE4.2", "POPCNT"))
    assert "x86-64-v2" in refusal(("SSE4.2",))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-user is missing")
@pytest.mark.parametrize(("processor", "code"), [("core2duo", 1), ("Nehalem", 0)])
def test_the_program_itself_says_so(processor: str, code: int) -> None:
    """The real command on an emulated processor, before anything heavy is loaded."""
    command = ["qemu-x86_64", "-cpu", processor, sys.executable, "-P", "-m", "desktop", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == code, done.stderr
    assert ("too old for Steward" in done.stderr) == bool(code)
