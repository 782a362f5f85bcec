"""What has left this computer: every request, its reason and its size, until the program ends.

Of commands that nothing kept from the network it is known only that there were some, and when.

Kept in memory alone: where somebody searched is nobody's business a day later.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog

from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus, Event
from desktop.network.failures import place_of
from desktop.network.reasons import NetworkReason
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

LOG_LENGTH = 200
UNSAID = NetworkReason.NOTHING_SAID.of()

_reason: ContextVar[Reason] = ContextVar("reason of requests", default=UNSAID)


@contextmanager
def because(reason: Reason) -> Iterator[None]:
    """Every request of this thread inside the block is logged with `reason`."""
    token = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(token)


@dataclass(frozen=True)
class RequestRecord:
    """One line of the log. `outcome` is a status, an error code, or pip's exit status; "" before its end.

    `why` is what the request was for; `received_bytes` counts the body of the answer as sent.
    """

    at: str
    method: str
    host: str
    path: str
    outcome: str
    seconds: float
    why: Reason = UNSAID
    received_bytes: int = 0


@dataclass(frozen=True)
class Traffic:
    """How quiet the line is. `quiet_since` is the moment of the latest traffic, or of the start (UTC).

    `open_commands` began since the start, the latest at `opened_at`, and could use the network unseen: with
    any of them, nobody knows how quiet it was.
    """

    quiet_since: datetime
    requests: int = 0
    under_way: int = 0
    open_commands: int = 0
    opened_at: datetime | None = None


@dataclass(frozen=True)
class TrafficChanged(Event):
    """A request began or ended, or a command began that could make one."""

    traffic: Traffic


class OpenRequest:
    """One request that is under way. Call it with the outcome."""

    def __init__(self) -> None:
        self.outcome = "failed"
        self.received_bytes = 0

    def __call__(self, outcome: str) -> None:
        self.outcome = outcome

    def received(self, count: int) -> None:
        """So many bytes of the answer have come."""
        self.received_bytes += count


class RequestLog:
    """Thread-safe. `bus` hears of every change of the traffic."""

    def __init__(
        self, bus: Bus | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._bus = bus
        self._now = now
        self.started = now()
        self._lock = threading.Lock()
        self._records: deque[RequestRecord] = deque(maxlen=LOG_LENGTH)
        self._under_way: dict[OpenRequest, RequestRecord] = {}
        self.traffic = Traffic(self.started)

    @property
    def records(self) -> tuple[RequestRecord, ...]:
        """The latest that have ended, oldest first."""
        with self._lock:
            return tuple(self._records)

    @property
    def under_way(self) -> tuple[RequestRecord, ...]:
        """Those that have not, oldest first, with what has come so far."""
        with self._lock:
            return tuple(
                replace(record, received_bytes=recording.received_bytes)
                for recording, record in self._under_way.items()
            )

    @contextmanager
    def record(self, method: str, url: str) -> Iterator[OpenRequest]:
        """Log what happens inside the block as one request."""
        host, path = place_of(url)
        at, started = self._now().isoformat(timespec="seconds"), time.monotonic()
        recording = OpenRequest()
        record = RequestRecord(at, method, host, path, outcome="", seconds=0.0, why=_reason.get())
        with self._lock:
            self._under_way[recording] = record
        self._change(begun=1)
        try:
            yield recording
        # The code and not the sentence: it is the same in every language.
        except UserFacing as error:
            recording.outcome = error.code
            raise
        except Cancelled:
            recording.outcome = "cancelled"
            raise
        finally:
            seconds = round(time.monotonic() - started, 3)
            outcome, size = recording.outcome, recording.received_bytes
            with self._lock:
                del self._under_way[recording]
                self._records.append(replace(record, outcome=outcome, seconds=seconds, received_bytes=size))
            log.info("request", method=method, host=host, outcome=outcome, seconds=seconds, bytes=size)
            self._change(begun=-1)

    def note(self, record: RequestRecord) -> None:
        """Something has left by way of another program of ours: a build's sources, for its worker."""
        with self._lock:
            self._records.append(record)
        log.info("request", method=record.method, host=record.host, outcome=record.outcome)
        self._change(begun=1)
        self._change(begun=-1)

    def note_open_command(self) -> None:
        """A command began that nothing keeps from the network."""
        with self._lock:
            # Counted, because what such a command does on the network is seen by nobody here.
            commands = self.traffic.open_commands + 1
            self.traffic = replace(self.traffic, open_commands=commands, opened_at=self._now())
        self._tell()

    def _change(self, begun: int) -> None:
        with self._lock:
            before = self.traffic
            self.traffic = replace(
                before,
                quiet_since=self._now(),
                requests=before.requests + max(begun, 0),
                under_way=max(0, before.under_way + begun),
            )
        self._tell()

    def _tell(self) -> None:
        if self._bus is not None:
            self._bus.publish(TrafficChanged(self.traffic))
