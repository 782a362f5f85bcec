"""How far a download is, and how the user steers it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from desktop.errors import Cancelled
from desktop.events import Bus, Event
from desktop.models.reasons import ModelReason
from desktop.reasons import Reason

PUBLISH_EVERY_S = 0.1
SPEED_WINDOW_S = 5.0


class DownloadPhase(StrEnum):
    QUEUED = "queued"
    CONNECTING = "connecting"
    DOWNLOADING = "downloading"
    PAUSED = "paused"
    WAITING = "waiting"
    VERIFYING = "verifying"
    INSTALLING = "installing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def reason(self) -> Reason:
        """What the user reads while it lasts."""
        return _PHASES[self].of()


_PHASES = {
    DownloadPhase.QUEUED: ModelReason.PHASE_QUEUED,
    DownloadPhase.CONNECTING: ModelReason.PHASE_CONNECTING,
    DownloadPhase.DOWNLOADING: ModelReason.PHASE_DOWNLOADING,
    DownloadPhase.PAUSED: ModelReason.PHASE_PAUSED,
    DownloadPhase.WAITING: ModelReason.PHASE_WAITING,
    DownloadPhase.VERIFYING: ModelReason.PHASE_VERIFYING,
    DownloadPhase.INSTALLING: ModelReason.PHASE_INSTALLING,
    DownloadPhase.DONE: ModelReason.PHASE_DONE,
    DownloadPhase.FAILED: ModelReason.PHASE_FAILED,
    DownloadPhase.CANCELLED: ModelReason.PHASE_CANCELLED,
}


@dataclass(frozen=True)
class DownloadProgress(Event):
    """Where a download stands. `bytes_total` and `seconds_left` are None while unknown."""

    model_id: str
    phase: DownloadPhase
    bytes_done: int
    bytes_total: int | None
    bytes_per_s: float
    seconds_left: float | None
    note: Reason | None = None  # what is known beside the phase
    failure: Reason | None = None  # why the download has failed, or waits before it tries again


class DownloadControl:
    """The user's hand on one download. All methods may be called on any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.is_paused = False
        self.is_cancelled = False
        self._interrupts: list[Callable[[], None]] = []

    @property
    def is_interrupted(self) -> bool:
        """Whether the download should let go of its line now."""
        return self.is_paused or self.is_cancelled

    def pause(self) -> None:
        """Stop using the network until `resume`; what has arrived is kept."""
        self._set(paused=True)

    def resume(self) -> None:
        self._set(paused=False)

    def cancel(self) -> None:
        """End the download with Cancelled. What has arrived is kept for another time."""
        self._set(cancelled=True)

    def checkpoint(self, on_pause: Callable[[], None] = lambda: None) -> None:
        """Wait while paused (calling `on_pause` first); raises Cancelled."""
        with self._changed:
            paused = self.is_paused and not self.is_cancelled
        if paused:
            on_pause()
        with self._changed:
            self._changed.wait_for(lambda: self.is_cancelled or not self.is_paused)
            if self.is_cancelled:
                raise Cancelled

    def wait(self, seconds: float) -> None:
        """Wait that long, or until the user does something."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_cancelled or self.is_paused, timeout=seconds)

    @contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Within the block, pause and cancel call `interrupt` so that a blocked read wakes."""
        with self._changed:
            self._interrupts.append(interrupt)
            # Pause may have been pressed between the last look and this line.
            already = self.is_interrupted
        try:
            if already:
                interrupt()
            yield
        finally:
            with self._changed:
                self._interrupts.remove(interrupt)

    def _set(self, *, paused: bool | None = None, cancelled: bool = False) -> None:
        with self._changed:
            self.is_paused = self.is_paused if paused is None else paused
            self.is_cancelled = self.is_cancelled or cancelled
            # Called under the lock: a line that has just been given back must not be cut.
            for interrupt in self._interrupts if self.is_interrupted else ():
                interrupt()
            self._changed.notify_all()


class TransferRate:
    """Bytes per second over the last few seconds. Not thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._samples: deque[tuple[float, int]] = deque()

    def add(self, count: int) -> None:
        at = self._now()
        # Together while they are close: a fast line brings thousands of pieces a second.
        if self._samples and at - self._samples[-1][0] < PUBLISH_EVERY_S / 2:
            last_at, last = self._samples[-1]
            self._samples[-1] = (last_at, last + count)
        else:
            self._samples.append((at, count))
        while at - self._samples[0][0] > SPEED_WINDOW_S:
            self._samples.popleft()

    def forget(self) -> None:
        """Start again, after a pause or a broken line."""
        self._samples.clear()

    @property
    def bytes_per_s(self) -> float:
        if not self._samples:
            return 0.0
        # The first moments would promise anything: a quarter of a second counts at least.
        elapsed = self._now() - self._samples[0][0]
        return sum(count for _, count in self._samples) / max(elapsed, 0.25)


class Progress:
    """Counts one download and publishes DownloadProgress: each change of phase, else ten a second.

    Used by the download's own thread only.
    """

    def __init__(
        self, bus: Bus, model_id: str, bytes_total: int | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._bus = bus
        self._id = model_id
        self._now = now
        self._speed = TransferRate(now)
        self._published_at = float("-inf")
        self._note: Reason | None = None
        self._failure: Reason | None = None
        self.phase = DownloadPhase.QUEUED
        self.bytes_done = 0
        self.bytes_total = bytes_total

    def enter(self, phase: DownloadPhase, note: Reason | None = None, failure: Reason | None = None) -> None:
        """Begin `phase`; published at once when anything has changed."""
        # Time in which nothing could come says nothing about the line.
        if phase in (DownloadPhase.PAUSED, DownloadPhase.WAITING):
            self._speed.forget()
        # Said once: a phase may be entered again with every piece.
        changed = (phase, note, failure) != (self.phase, self._note, self._failure)
        self.phase, self._note, self._failure = phase, note, failure
        if changed or self._published_at == float("-inf"):
            self._publish()

    def at(self, bytes_done: int) -> None:
        """Set where the download stands without counting it as speed (resumed, hashed again)."""
        self.bytes_done = bytes_done
        self._tick()

    def add(self, count: int) -> None:
        """`count` bytes have arrived."""
        self.bytes_done += count
        self._speed.add(count)
        self._tick()

    def _tick(self) -> None:
        if self._now() - self._published_at >= PUBLISH_EVERY_S:
            self._publish()

    def _publish(self) -> None:
        self._published_at = self._now()
        speed = self._speed.bytes_per_s
        self._bus.publish(
            DownloadProgress(
                self._id,
                self.phase,
                self.bytes_done,
                self.bytes_total,
                speed,
                self._left(speed),
                self._note,
                self._failure,
            )
        )

    def _left(self, speed: float) -> float | None:
        if self.phase is not DownloadPhase.DOWNLOADING or speed <= 0 or self.bytes_total is None:
            return None
        return max(self.bytes_total - self.bytes_done, 0) / speed
