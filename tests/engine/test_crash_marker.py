"""What a crash leaves behind, and what is not tried again after it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from desktop.engine.crash_marker import CrashMarker, LoadAttempt, LoadStep
from desktop.paths import Paths, ensure

GONE = 999_999_999
A, B = LoadAttempt("a", -1), LoadAttempt("b", -1)
CARD = LoadAttempt("a", -1, card=True)
COMPUTE = replace(A, step=LoadStep.COMPUTE)


@pytest.fixture
def marker(paths: Paths) -> CrashMarker:
    ensure(paths.data)
    return CrashMarker(paths.load_marker)


def crash(path: Path, attempt: LoadAttempt, pid: int = GONE, written_at: float | None = None) -> None:
    """As a process that has died in that step leaves the file."""
    marker = json.loads(path.read_text()) if path.exists() else {}
    at = time.time() if written_at is None else written_at
    path.write_text(json.dumps({**marker, "now": {**asdict(attempt), "pid": pid, "time": at}}))


def test_an_orderly_load_leaves_no_trace(marker: CrashMarker, paths: Paths) -> None:
    """The file is there in between and gone afterwards, also after an exception."""

    def refused() -> None:
        with marker.trying(A):
            assert json.loads(paths.load_marker.read_text())["now"]["pid"] == os.getpid()
            raise ValueError("orderly")

    with pytest.raises(ValueError, match="orderly"):
        refused()
    assert not paths.load_marker.exists()
    assert marker.failed_step("a") is None


@pytest.mark.parametrize(
    ("pid", "age_s", "crashed"),
    [(GONE, 0, True), (os.getpid(), 0, False), (os.getpid(), 10**9, True)],
)
def test_only_a_dead_process_has_crashed(
    marker: CrashMarker, paths: Paths, pid: int, age_s: int, crashed: bool
) -> None:
    """One that still runs is loading; one that started later merely has the number."""
    crash(paths.load_marker, A, pid, time.time() - age_s)
    assert (marker.failed_step("a") is LoadStep.LOAD) == crashed
    assert marker.failed_step("b") is None


def test_the_crash_is_remembered_until_that_very_model_has_computed(
    marker: CrashMarker, paths: Paths
) -> None:
    """Loading is not enough, and another model proves nothing."""
    crash(paths.load_marker, A)
    for attempt in (B, A):
        with marker.trying(attempt):
            pass
    marker.forget(B)
    assert marker.failed_step("a") is LoadStep.LOAD
    marker.forget(A)
    assert marker.failed_step("a") is None
    assert not paths.load_marker.exists()


def test_a_model_that_computes_is_refused_after_the_second_crash(marker: CrashMarker, paths: Paths) -> None:
    """The first may have been a power cut; a success in between begins anew."""
    crash(paths.load_marker, COMPUTE)
    assert marker.failed_step("a") is None
    with marker.trying(A):
        pass
    crash(paths.load_marker, COMPUTE)
    assert marker.failed_step("a") is LoadStep.COMPUTE
    marker.forget(COMPUTE)
    crash(paths.load_marker, COMPUTE)
    assert marker.failed_step("a") is None


@pytest.mark.parametrize("step", LoadStep)
def test_a_crash_with_the_card_counts_for_all_models_and_against_none(
    marker: CrashMarker, paths: Paths, step: LoadStep
) -> None:
    """The driver is the same for all; the model itself may be sound."""
    crash(paths.load_marker, replace(CARD, step=step))
    assert marker.card_failed(-1)
    assert marker.failed_step("a") is None
    marker.forget(A)
    assert marker.card_failed(-1), "the processor proves nothing about the card"


def test_another_setting_or_a_success_gives_the_card_another_chance(
    marker: CrashMarker, paths: Paths
) -> None:
    """Also the setting as it was before, once another one was in use."""
    crash(paths.load_marker, CARD)
    assert not marker.card_failed(20)
    with marker.trying(replace(A, gpu_layers=0)):
        pass
    assert not marker.card_failed(-1)
    crash(paths.load_marker, CARD)
    marker.forget(replace(CARD, model_id="b"))
    assert not marker.card_failed(-1)


def test_another_version_is_tried_anew(marker: CrashMarker, paths: Paths) -> None:
    """Its libraries may do better."""
    crash(paths.load_marker, replace(A, version="0.0.1"))
    assert marker.failed_step("a") is None


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[]", b"\xff", b'{"now": 7}', b'{"past": 7}', b'{"past": [7, {}, {"model_id": 7}]}'),
        b'{"now": {"model_id": "b", "pid": "x"}}',
        b'{"now": {"model_id": "b", "gpu_layers": 0, "card": false, "step": "dance", "version": "1"}}',
    ],
)
def test_a_damaged_marker_keeps_nothing_from_loading(
    marker: CrashMarker, paths: Paths, content: bytes
) -> None:
    """It is replaced by the next load."""
    paths.load_marker.write_bytes(content)
    assert marker.failed_step("b") is None
    assert not marker.card_failed(-1)
    with marker.trying(B):
        assert json.loads(paths.load_marker.read_text())["now"]["model_id"] == "b"
    assert marker.failed_step("b") is None
