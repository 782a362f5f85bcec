"""Sizes as people say them."""

from __future__ import annotations

_UNITS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))


def size_text(size_bytes: float) -> str:
    """`1.1 GB`, `98 MB`, `640 kB`, `12 bytes`; units of a thousand, as file managers show them."""
    for unit, factor in _UNITS:
        if size_bytes >= factor * 0.9995:
            value = size_bytes / factor
            return f"{value:.{1 if value < 9.95 else 0}f} {unit}"
    return f"{size_bytes:.0f} bytes"
