"""Long texts cut for a small model: the beginning and the end, and how much is missing between."""

from __future__ import annotations

SHOWN_BYTES = 4200  # a little more than the file tools show by themselves, so that nothing is cut twice


def head_tail(text: str, limit: int = SHOWN_BYTES) -> str:
    """`text`, or its beginning and end with a notice between. `limit` in bytes of UTF-8."""
    raw = text.encode(errors="replace")
    if len(raw) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    start = raw[:head].decode("utf-8", "ignore")
    end = raw[-tail:].decode("utf-8", "ignore")
    return f"{start}\n[… {len(raw) - head - tail:,} bytes left out …]\n{end}"
