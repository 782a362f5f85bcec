"""Events as they happen, taken without keeping the caller waiting: a bounded queue, and a thread that writes.

An event is what a tool was called with and whether it worked, never what it gave back.

Secrets are gone before an event is in the queue. When the queue is full the event is dropped and counted; the
figures say so. A kill loses what is in the queue and nothing that was written.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import structlog

from desktop.database import Database
from desktop.gate.redaction import Cleaner

log = structlog.get_logger(__name__)

QUEUE = 1000
BATCH = 50
FLUSH_S = 0.1
TOLD_EVERY_S = 2.0  # at the most: notes are made of hundreds of events, however few are new
LONGEST_VALUE = 300  # characters of one argument: enough to tell calls apart, too few for a file's content
LONGEST_ERROR = 600
MOST_ARGUMENTS = 20
Row = tuple[object, ...]


class CaptureLevel(StrEnum):
    """Which events are kept."""

    ALL = "all"
    SAMPLED = "sampled"  # one in N that went well, and all that failed
    ERRORS = "errors"
    OFF = "off"


@dataclass(frozen=True)
class CaptureMode:
    """`one_in` counts only in the mode SAMPLED."""

    mode: CaptureLevel = CaptureLevel.ALL
    one_in: int = 10


@dataclass(frozen=True)
class CaptureFigures:
    """`dropped` for want of room, `failed` because the disk refused; `p99_ms` is what capture took its
    callers.
    """

    written: int
    waiting: int
    dropped: int
    failed: int
    p99_ms: float


class EventKind(StrEnum):
    """What kind of event."""

    TOOL = "tool"  # a call of the assistant's own tools
    COMMAND = "command"  # a command line that was judged, also one of a coding agent
    ERROR = "error"


@dataclass(frozen=True)
class TrajectoryEvent:
    """`error` is "" where it went well. `at` in seconds since 1970, 0: now. `project` is a folder or ""."""

    tool: str
    ok: bool
    what: EventKind = EventKind.TOOL
    arguments: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    tags: tuple[str, ...] = ()
    error: str = ""
    error_class: str = ""
    at: float = 0.0
    session: str = ""
    project: str = ""


@dataclass(frozen=True)
class StoredEvent:
    """One row of `memory_events`, cleaned."""

    id: int
    at: float
    what: EventKind
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    seconds: float
    tag: str
    error: str
    session: str
    project: str


class MemoryCapture:
    """`capture` may be called on any thread, the main thread too. `close` writes what is waiting."""

    def __init__(
        self,
        database: Database,
        cleaner: Cleaner,
        mode: Callable[[], CaptureMode] = CaptureMode,
        written: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`written` is called on the notes thread after what was written, at most every two seconds and
        before `flush` and `close` return.
        """
        self._database = database
        self._cleaner = cleaner
        self._mode = mode
        self._written_batch = written
        self._clock = clock
        self._condition = threading.Condition()
        self._queue: deque[Row] = deque()
        self._times_ms: deque[float] = deque(maxlen=1024)
        self._seen = self._written = self._dropped = self._failed = 0
        self._in_hand = 0
        self._told_at = -math.inf  # by the monotonic clock
        self._is_untold = False  # written since
        self._flushing = 0  # callers that wait for all of it
        self._closed = False
        self._thread = threading.Thread(target=self._write_loop, name="notes writer", daemon=True)
        self._thread.start()

    def capture(self, event: TrajectoryEvent) -> bool:
        """Keep `event`, if the mode wants it and there is room. Never waits for the disk, never raises for
        it.
        """
        begun = time.perf_counter()
        if not self._wanted(event):
            return False
        # Before it is queued: nothing that waits in memory holds a secret.
        row = clean_row(event, self._cleaner, self._clock())
        with self._condition:
            kept = not self._closed and len(self._queue) < QUEUE
            if kept:
                self._queue.append(row)
                # The writer sleeps for the first event or for a full batch: waking it for each would cost the
                # caller.
                if len(self._queue) == 1 or len(self._queue) == BATCH:
                    self._condition.notify_all()
            else:
                self._dropped += 1
            self._times_ms.append((time.perf_counter() - begun) * 1000)
        return kept

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until all that was captured is written and distilled; False when that took too long."""
        with self._condition:
            self._flushing += 1
            self._condition.notify_all()
            try:
                return self._condition.wait_for(self._is_done, timeout_s)
            finally:
                self._flushing -= 1

    def forget_everything(self) -> None:
        """Delete what was captured, also what waits to be written."""
        with self._condition:
            # Before the flush: what waits must not be written after all.
            self._queue.clear()
        self.flush()
        self._database.write(lambda c: c.execute("DELETE FROM memory_events"))
        self._database.scrub()

    def close(self) -> None:
        """Write what is waiting and end the thread. Safe to call twice; before the database closes."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self._thread.join()

    @property
    def figures(self) -> CaptureFigures:
        with self._condition:
            times = sorted(self._times_ms) or [0.0]
            p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
            waiting = len(self._queue) + self._in_hand
            return CaptureFigures(self._written, waiting, self._dropped, self._failed, round(p99, 3))

    # -- inside -------------------------------------------------------------------------------

    def _wanted(self, event: TrajectoryEvent) -> bool:
        mode = self._mode()
        # Failures are kept in every mode but OFF: from them something is learned.
        if mode.mode is CaptureLevel.ALL or (mode.mode is not CaptureLevel.OFF and not event.ok):
            return True
        if mode.mode is not CaptureLevel.SAMPLED:
            return False
        with self._condition:
            self._seen += 1
            return self._seen % max(1, mode.one_in) == 0

    def _write_loop(self) -> None:
        while self._wait():
            if rows := self._next():
                self._write(rows)
            if self._is_telling_due():
                self._tell()

    def _write(self, rows: list[Row]) -> None:
        try:
            self._database.write(lambda c: c.executemany(_INSERT, rows))
        except Exception:  # the edge of the thread: the disk's trouble must not end it
            log.exception("captured events could not be written", count=len(rows))
            self._count(failed=len(rows))
        else:
            self._count(written=len(rows))

    def _wait(self) -> bool:
        """Until there is something to do; False at the end, when all is written and told."""
        with self._condition:
            # Nothing ticks while nothing happens: the clock counts only where something is still to be told.
            left_s = max(0.0, self._told_at + TOLD_EVERY_S - time.monotonic()) if self._is_untold else None
            self._condition.wait_for(lambda: self._queue or self._is_hurried(), left_s)
            return not (self._closed and self._is_done())

    def _next(self) -> list[Row]:
        """The next batch: fifty at once, or what there is 100 ms after its first."""
        with self._condition:
            if self._queue and not self._is_hurried():
                self._condition.wait_for(lambda: len(self._queue) >= BATCH or self._is_hurried(), FLUSH_S)
            rows = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
            self._in_hand = len(rows)
            return rows

    def _count(self, written: int = 0, failed: int = 0) -> None:
        with self._condition:
            self._in_hand = 0
            self._written += written
            self._failed += failed
            self._is_untold = self._is_untold or written > 0
            self._condition.notify_all()

    def _is_done(self) -> bool:
        return not (self._queue or self._in_hand or self._is_untold)

    def _is_hurried(self) -> bool:
        """Somebody waits for the end, or it is the end."""
        return self._closed or (self._flushing > 0 and not self._is_done())

    def _is_telling_due(self) -> bool:
        with self._condition:
            # Each telling reads what its groups have held so far: after every batch of a busy agent it took
            # more than all the writing.
            is_last = self._is_hurried() and not self._queue
            return self._is_untold and (is_last or time.monotonic() - self._told_at >= TOLD_EVERY_S)

    def _tell(self) -> None:
        try:
            self._written_batch()
        except Exception:  # the same edge: distilling is for later, capture goes on
            log.exception("distilling failed")
        with self._condition:
            self._told_at, self._is_untold = time.monotonic(), False
            self._condition.notify_all()


_INSERT = (
    "INSERT INTO memory_events (at, what, tool, arguments, ok, seconds, tag, error, error_class, session, "
    "project) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

# Made once: in a spelling that is not its own `json.dumps` makes one for each value.
_WRITER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str)


def clean_row(event: TrajectoryEvent, cleaner: Cleaner, now: float) -> tuple[object, ...]:
    """The values of a row of `memory_events`, cut short and cleaned; takes well under a millisecond."""
    # Enough to tell two calls apart; a call with more carries data, not a request.
    pairs = list(event.arguments.items())[:MOST_ARGUMENTS]
    arguments = cleaner.value({str(name): _cut(value) for name, value in pairs})
    return (
        event.at or now,
        event.what.value,
        event.tool,
        _WRITER.encode(arguments),
        int(event.ok),
        event.seconds,
        event.tags[0] if event.tags else "",
        cleaner.text(_shorter(event.error, LONGEST_ERROR)),
        event.error_class,
        event.session,
        event.project,
    )


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return _shorter(value, LONGEST_VALUE)
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return _shorter(json.dumps(value, ensure_ascii=False, default=str), LONGEST_VALUE)


def _shorter(text: str, longest: int) -> str:
    """Cut at white space: half a secret would not be recognised. Without any, nothing of it is kept."""
    if len(text) <= longest:
        return text
    head = text[:longest]
    # A secret that is cut in two has no checksum any more and would be kept.
    place = max(head.rfind(space) for space in " \n\t")
    return f"{head[: place + 1].rstrip()} …"
