"""Sizes, speeds and times read as people say them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.models.reasons import ModelReason
from desktop.network import KEPT, NetworkReason
from desktop.network.failures import GOES_ON
from desktop.reasons import Reason, size_text
from desktop.ui.models.words import (
    amount_text,
    breakable,
    path_text,
    percent,
    phase_text,
    speed_text,
    time_left_text,
)


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (999_499, "999 kB"),
        (999_900, "1.0 MB"),
        (4_200_000, "4.2 MB"),
        (98_362_432, "98 MB"),
        (999_999_999, "1.0 GB"),
        (1_117_320_768, "1.1 GB"),
        (24_000_000_000, "24 GB"),
    ],
)
def test_size(size_bytes: int, expected: str) -> None:
    """Units of a thousand, two or three digits."""
    assert size_text(size_bytes) == expected


@given(st.integers(0, 10**13))
def test_size_never_shows_a_thousand_of_a_unit(size_bytes: int) -> None:
    """1000 MB is 1.0 GB; only gigabytes may grow beyond."""
    number, unit = size_text(size_bytes).split(" ")
    assert unit == "GB" or float(number) < 1000


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, ""),
        (0, "a few seconds left"),
        (9, "a few seconds left"),
        (34, "about 30 seconds left"),
        (55, "about 1 minute left"),
        (89, "about 1 minute left"),
        (180, "about 3 minutes left"),
        (5399, "about 90 minutes left"),
        (5400, "about 2 hours left"),
        (86400, "about 24 hours left"),
    ],
)
def test_time_left(seconds: float | None, expected: str) -> None:
    """Rounded to what an estimate is worth, with the right plural."""
    assert time_left_text(seconds) == expected


def progress(
    phase: DownloadPhase, done: int, total: int | None = 1_117_320_768, note: Reason | None = None
) -> DownloadProgress:
    return DownloadProgress("m", phase, done, total, 4_200_000.0, 151.0, note)


@pytest.mark.parametrize(
    ("shown", "amount"),
    [
        (
            progress(DownloadPhase.DOWNLOADING, 480_000_000),
            "480 MB of 1.1 GB · 4.2 MB/s · about 3 minutes left",
        ),
        (progress(DownloadPhase.PAUSED, 480_000_000), "480 MB of 1.1 GB"),
        (progress(DownloadPhase.DOWNLOADING, 480_000_000, None), "480 MB · 4.2 MB/s · about 3 minutes left"),
        (progress(DownloadPhase.VERIFYING, 1_117_320_768), "1.1 GB of 1.1 GB"),
    ],
)
def test_amount(shown: DownloadProgress, amount: str) -> None:
    """Speed and time only while bytes arrive."""
    assert amount_text(shown) == amount


@pytest.mark.parametrize("phase", list(DownloadPhase))
def test_every_phase_has_words(phase: DownloadPhase) -> None:
    """No phase is shown as its code name, and the download's own note goes first."""
    assert phase_text(progress(phase, 0)) not in ("", phase.value)
    asking = ModelReason.ASKING_INDEX.of()
    assert phase_text(progress(phase, 0, note=asking)) == "Asking the package index"


def test_a_wait_names_its_cause() -> None:
    """Why the line broke, and when it is tried again."""
    failure = NetworkReason.STALLED.of(host="example.org", kept=KEPT, again=GOES_ON)
    again = ModelReason.TRYING_AGAIN.of(seconds=8)
    waits = replace(progress(DownloadPhase.WAITING, 0, note=again), failure=failure)
    assert phase_text(waits) == "example.org stopped sending. Trying again in 8 s"


@pytest.mark.parametrize(
    ("done", "total", "expected"),
    [(0, 100, 0), (999, 1000, 99), (1000, 1000, 100), (1001, 1000, 100), (5, None, None), (5, 0, None)],
)
def test_percent(done: int, total: int | None, expected: int | None) -> None:
    """100 only when nothing is missing; unknown stays unknown."""
    assert percent(progress(DownloadPhase.DOWNLOADING, done, total)) == expected


def test_speed_says_nothing_without_a_measurement() -> None:
    """A zero is no speed."""
    assert speed_text(0) == ""


def test_paths_under_home_are_short() -> None:
    """The home folder is written as ~, other paths in full."""
    assert path_text(Path.home() / "models" / "a.gguf") == str(Path("~/models/a.gguf"))
    assert path_text(Path("/opt/a.gguf")) == str(Path("/opt/a.gguf"))


@given(st.text(alphabet="ab-_./", max_size=30))
def test_breaking_changes_nothing_visible(text: str) -> None:
    """Taking the invisible marks out gives the name back."""
    assert breakable(text).replace("\u200b", "") == text
