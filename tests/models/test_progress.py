"""Speed, time left, and how often progress is told."""

from __future__ import annotations

import threading

import pytest

from desktop.errors import Cancelled
from desktop.events import Bus
from desktop.models.progress import DownloadControl, DownloadPhase, Progress
from tests.fakes.clock import SetTime
from tests.models.conftest import Heard


@pytest.fixture
def clock() -> SetTime:
    return SetTime(100.0)


def test_speed_and_time_left(bus: Bus, heard: Heard, clock: SetTime) -> None:
    """A steady line: its speed, and the rest divided by it."""
    progress = Progress(bus, "m", 10_000, clock)
    progress.enter(DownloadPhase.DOWNLOADING)
    for _ in range(40):
        clock.now += 0.1
        progress.add(100)
    last = heard.events[-1]
    assert last.bytes_done == 4000
    assert last.bytes_per_s == pytest.approx(1000, rel=0.05)
    assert last.seconds_left == pytest.approx(6, rel=0.05)


def test_speed_follows_the_last_seconds(bus: Bus, heard: Heard, clock: SetTime) -> None:
    """An old burst is forgotten."""
    progress = Progress(bus, "m", None, clock)
    progress.enter(DownloadPhase.DOWNLOADING)
    progress.add(1_000_000)
    for _ in range(80):
        clock.now += 0.1
        progress.add(10)
    assert heard.events[-1].bytes_per_s == pytest.approx(100, rel=0.1)
    assert heard.events[-1].seconds_left is None


def test_at_most_ten_a_second(bus: Bus, heard: Heard, clock: SetTime) -> None:
    """A thousand chunks in a second are told about ten times, a change of phase always."""
    progress = Progress(bus, "m", 1000, clock)
    progress.enter(DownloadPhase.CONNECTING)
    progress.enter(DownloadPhase.DOWNLOADING)
    for _ in range(1000):
        clock.now += 0.001
        progress.add(1)
    progress.enter(DownloadPhase.VERIFYING)
    assert 11 <= len(heard.events) <= 14
    assert heard.events[-1].bytes_done == 1000


def test_pause_forgets_the_speed(bus: Bus, heard: Heard, clock: SetTime) -> None:
    """After a pause the speed is measured anew."""
    progress = Progress(bus, "m", 1000, clock)
    progress.enter(DownloadPhase.DOWNLOADING)
    progress.add(500)
    progress.enter(DownloadPhase.PAUSED)
    assert heard.events[-1].bytes_per_s == 0


def test_control_releases_everyone_who_waits() -> None:
    """Resume wakes a paused download; cancel ends it."""
    control = DownloadControl()
    control.pause()
    paused, ended = threading.Event(), threading.Event()

    def wait() -> None:
        control.checkpoint(paused.set)
        ended.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert paused.wait(60)
    assert not ended.is_set()
    control.resume()
    waiting.join(60)
    assert ended.is_set()
    control.cancel()
    with pytest.raises(Cancelled):
        control.checkpoint()


def test_interrupt_reaches_a_line_that_is_just_opening() -> None:
    """A pause that came before the line was there still cuts it."""
    control = DownloadControl()
    cut: list[str] = []
    control.pause()
    with control.interruptible(lambda: cut.append("cut")):
        assert cut == ["cut"]
    control.cancel()
    assert cut == ["cut"]
