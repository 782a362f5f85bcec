"""Whether this processor has what the libraries of the program are compiled for: x86-64-v2 (2009 and newer).

Asked before the first of them is loaded: an instruction that a processor lacks ends a program without a word.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable, Iterable

# Bits of ECX of CPUID leaf 1 (Intel, Software Developer's Manual, volume 2A, CPUID).
BITS = {"SSE3": 0, "SSSE3": 9, "CMPXCHG16B": 13, "SSE4.1": 19, "SSE4.2": 20, "POPCNT": 23}
# Windows tells no POPCNT: no processor has SSE4.2 without it (winnt.h, IsProcessorFeaturePresent).
WINDOWS_FEATURES = {"SSE3": 13, "CMPXCHG16B": 14, "SSSE3": 36, "SSE4.1": 37, "SSE4.2": 38}
ECX = 2


class _Leaf(ctypes.Structure):
    """struct cpuid_feature of <sys/platform/x86.h>, glibc 2.33: what there is, and what may be used."""

    _fields_ = (("cpuid", ctypes.c_uint * 4), ("active", ctypes.c_uint * 4))


def missing_features() -> tuple[str, ...]:
    """What this processor lacks; empty also where nobody tells. Costs well under a millisecond."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ()
    if sys.platform == "win32":
        return _without(WINDOWS_FEATURES, ctypes.windll.kernel32.IsProcessorFeaturePresent)
    ecx = _first_leaf()
    return () if ecx is None else lacking(ecx)


def lacking(ecx: int) -> tuple[str, ...]:
    """Names of the features whose bits are not set."""
    return tuple(name for name, bit in BITS.items() if not ecx >> bit & 1)


def refusal(missing: Iterable[str]) -> str:
    """What the user is told."""
    return (
        f"This processor is too old for Steward: it lacks {', '.join(missing)}.\n"
        "Nothing was changed.\n"
        "Steward needs a processor of the level x86-64-v2, as built since about 2009.\n"
    )


def _first_leaf() -> int | None:
    """ECX of CPUID leaf 1 as glibc saw it; None with another C library."""
    try:
        ask = ctypes.CDLL(None).__x86_get_cpuid_feature_leaf
    except (AttributeError, OSError, TypeError):
        return None
    ask.argtypes, ask.restype = [ctypes.c_uint], ctypes.POINTER(_Leaf)
    found = ask(0)
    return int(found.contents.cpuid[ECX]) if found else None


def _without(features: dict[str, int], has: Callable[[int], int]) -> tuple[str, ...]:
    return tuple(name for name, number in features.items() if not has(number))
