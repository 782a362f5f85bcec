"""What a child said: its beginning and its end are kept, what lies between is counted."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Output:
    """Standard output and error together, in the order in which they came."""

    head: bytes
    tail: bytes
    dropped_bytes: int

    @property
    def total_bytes(self) -> int:
        return len(self.head) + len(self.tail) + self.dropped_bytes

    def text(self) -> str:
        """The output as UTF-8; other bytes become U+FFFD, and a line says how much is missing."""
        if not self.dropped_bytes:
            return (self.head + self.tail).decode(errors="replace")
        notice = f"\n[… {self.dropped_bytes:,} bytes left out …]\n"
        return self.head.decode(errors="replace") + notice + self.tail.decode(errors="replace")


class BoundedOutput:
    """Collects output in bounded memory: at most `limit_bytes` and one chunk. Used by one thread."""

    def __init__(self, limit_bytes: int) -> None:
        self._head_limit = limit_bytes // 2
        self._tail_limit = limit_bytes - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped = 0

    @property
    def total_bytes(self) -> int:
        return len(self._head) + self._tail_bytes + self._dropped

    def add(self, chunk: bytes) -> None:
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:] if room < len(chunk) else b""
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
            self._drop()

    def _drop(self) -> None:
        """Whole chunks from the front while the limit is met without them; the last cut is in `output`."""
        while self._tail_bytes - len(self._tail[0]) >= self._tail_limit:
            gone = len(self._tail.popleft())
            self._tail_bytes -= gone
            self._dropped += gone

    def output(self) -> Output:
        """What is kept so far."""
        tail = b"".join(self._tail)
        over = max(0, len(tail) - self._tail_limit)
        return Output(bytes(self._head), tail[over:], self._dropped + over)
