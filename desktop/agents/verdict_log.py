"""Writes verdicts to the audit log on a thread of its own, so that no hook waits for the disk."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import structlog

from desktop.agents.events import HookDecided, HookRan
from desktop.errors import UserFacing

log = structlog.get_logger(__name__)

WAITING = 10_000
BATCH = 500
RETRY_S = 1.0

# After the first record: hooks come in bursts, and the answer goes out before this thread works.
GATHER_S = 0.05

Entry = tuple[str, Mapping[str, Any]]


class Audit(Protocol):
    """Where the records go."""

    def append_all(self, entries: Sequence[Entry]) -> int: ...


class Recorder:
    """`put` from any thread. `close` when no hook comes any more; what was put is then written.

    Records are written within moments, in batches of one transaction. With 10,000 waiting the caller writes
    its own. A disk that refuses is tried again until `close`, which tries once more and then says in the
    program's log what could not be written.
    """

    def __init__(self, audit: Audit, waiting: int = WAITING) -> None:
        self._audit = audit
        self._most_waiting = waiting
        # Without an end of its own, which costs a hook ten times as much: `put` counts.
        self._queue: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="hook recorder", daemon=True)
        self._thread.start()

    def put(self, kind: str, record: Mapping[str, Any]) -> None:
        """Have it written; after `close` at once, and only then raises UserFacing when the disk refuses."""
        entry = (kind, record)
        with self._lock:
            if not self._closing.is_set():
                if self._queue.qsize() < self._most_waiting:
                    self._queue.put(entry)
                    return
                # The caller waits for the disk then: losing a verdict would be worse.
                log.warning("audit records wait for the disk", waiting=self._queue.qsize())
        self._audit.append_all([entry])

    def close(self) -> None:
        """Write what waits and end the thread. Safe to call twice."""
        with self._lock:
            if self._closing.is_set():
                return
            self._closing.set()
        # Behind all that waits, so that it is written before the thread ends.
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        ends = False
        while not ends:
            batch, ends = self._batch()
            if batch:
                self._write(batch)
            del batch  # up to 500 records, which would stay in memory until the next hook

    def _batch(self) -> tuple[list[Entry], bool]:
        """What waits, once something does, and whether that was the end."""
        entry = self._queue.get()
        # Bursts are written in one transaction; a single record is not worth the disk's wait.
        if entry is not None:
            self._closing.wait(GATHER_S)
        batch: list[Entry] = []
        while entry is not None:
            batch.append(entry)
            if len(batch) >= BATCH or self._queue.empty():
                return batch, False
            entry = self._queue.get_nowait()  # nobody else takes from it
        return batch, True

    def _write(self, batch: Sequence[Entry]) -> None:
        is_last = False
        while not self._written(batch):
            if is_last:
                log.error("audit records are lost", count=len(batch))
                return
            is_last = self._closing.wait(RETRY_S)

    def _written(self, batch: Sequence[Entry]) -> bool:
        """False where the disk refused and may be asked again."""
        try:
            self._audit.append_all(batch)
        except UserFacing as error:
            log.error("audit records could not be written", count=len(batch), error=str(error))
            return False
        except Exception:  # the edge of the thread: the records after these must still be written
            log.exception("audit records are lost", count=len(batch))
        return True


MOST = 1_000
MOST_CHARACTERS = 10_000_000  # an agent may send commands of a megabyte


class Recent:
    """Methods may be called on any thread."""

    def __init__(self, most: int = MOST, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._most_characters = most_characters
        self._lock = threading.Lock()
        self._events: deque[HookDecided] = deque()
        self._characters = 0

    def add(self, event: HookDecided) -> None:
        """The oldest go where there are too many; the newest stays whatever its size."""
        with self._lock:
            self._events.append(event)
            self._characters += len(event.text)
            while len(self._events) > 1 and self._is_too_much():
                self._characters -= len(self._events.popleft().text)

    def ran(self, event: HookRan) -> None:
        """What became of one of them."""
        with self._lock:
            # From the newest: most calls end soon after they were decided, and each end comes by here.
            for back, each in enumerate(reversed(self._events), start=1):
                if each.id == event.id:
                    changes = event.changes or each.changes
                    updated = replace(each, ran=event.ran, refused=event.refused, changes=changes)
                    self._events[-back] = replace(updated, worker=event.worker, saved_s=event.saved_s)
                    return

    def listed(self) -> tuple[HookDecided, ...]:
        """The newest last."""
        with self._lock:
            return tuple(self._events)

    def _is_too_much(self) -> bool:
        return len(self._events) > self._most or self._characters > self._most_characters
