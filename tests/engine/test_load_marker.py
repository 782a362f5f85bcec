"""A crash while loading is remembered, and nothing else is."""

from __future__ import annotations

import json
import os
import time

import pytest

from desktop.engine.load_marker import LoadMarker
from desktop.paths import Paths, ensure

GONE = 999_999_999  # no system gives out such a process number


@pytest.fixture
def marker(paths: Paths) -> LoadMarker:
    ensure(paths.data)
    return LoadMarker(paths.load_marker)


def left_behind(paths: Paths, model_id: str, pid: int = GONE, written_at: float | None = None) -> None:
    at = time.time() if written_at is None else written_at
    paths.load_marker.write_text(json.dumps({"model_id": model_id, "pid": pid, "time": at}))


def test_an_orderly_load_leaves_no_trace(marker: LoadMarker, paths: Paths) -> None:
    """The file is there in between and gone afterwards."""
    marker.begin("a")
    assert json.loads(paths.load_marker.read_text())["pid"] == os.getpid()
    marker.end()
    assert not paths.load_marker.exists()
    assert not marker.crashed("a")


@pytest.mark.parametrize(
    ("pid", "age_s", "crashed"),
    [(GONE, 0, True), (os.getpid(), 0, False), (os.getpid(), 10**9, True)],
)
def test_only_a_dead_process_has_crashed(
    marker: LoadMarker, paths: Paths, pid: int, age_s: int, crashed: bool
) -> None:
    """One that still runs is loading; one that started later merely has the number."""
    left_behind(paths, "a", pid, time.time() - age_s)
    assert marker.crashed("a") == crashed
    assert not marker.crashed("b")


def test_loading_another_model_does_not_forget_the_crash(marker: LoadMarker, paths: Paths) -> None:
    """The crash is remembered until that very model has been loaded."""
    left_behind(paths, "a")
    marker.begin("b")
    marker.end()
    assert marker.crashed("a")
    marker.begin("a")
    marker.end()
    assert not marker.crashed("a")
    assert not paths.load_marker.exists()


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"model_id": 7}', b'{"model_id": "a", "pid": "x"}']
)
def test_a_damaged_marker_keeps_nothing_from_loading(
    marker: LoadMarker, paths: Paths, content: bytes
) -> None:
    """It is replaced by the next load."""
    paths.load_marker.write_bytes(content)
    assert not marker.crashed("b")
    marker.begin("b")
    marker.end()
    assert not marker.crashed("b")
