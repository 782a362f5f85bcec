"""The number of threads: measured, stored, watched."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from desktop.engine.engine import Engine, start_thread
from desktop.engine.host import physical_cores, processor_name
from desktop.engine.inference import ContextShape, Decoded
from desktop.engine.thread_tuning import (
    FIRST_RETRY_S,
    WINDOW_TOKENS,
    Calibration,
    CalibrationFile,
    ThreadChange,
    ThreadRates,
    ThreadTuning,
    ThroughputWatch,
    best,
    calibration_key,
    candidates,
)
from desktop.events import Bus
from desktop.paths import Paths
from desktop.settings import ModelSettings
from tests.engine.conftest import PlentyOfMemory, ask
from tests.fakes.scripted_model import ScriptedBackend, ScriptedModel, installed


@pytest.mark.parametrize(
    ("cores", "tried"),
    [
        (1, (1,)),
        (2, (1, 2)),
        (4, (1, 2, 3, 4)),
        (10, (1, 2, 3, 4, 6, 8, 10)),
        (16, (1, 2, 3, 4, 6, 8, 12, 16)),
    ],
)
def test_candidates_end_with_all_cores(cores: int, tried: tuple[int, ...]) -> None:
    """Few steps where there are many cores."""
    assert candidates(cores) == tried


@pytest.mark.parametrize(
    ("rates", "threads"),
    [({1: 27, 2: 40}, 2), ({1: 27, 2: 9}, 1), ({1: 27, 2: 27.5}, 1), ({1: 10, 2: 19, 4: 19.2, 8: 12}, 2)],
)
def test_fewer_threads_win_when_more_gain_nothing(rates: dict[int, float], threads: int) -> None:
    """A few per cent are not worth a core that other programs could use."""
    assert best(rates) == threads


@dataclass
class TimedModel:
    """Computes a token in a time that depends on the threads."""

    seconds: dict[int, Callable[[int], float]]
    now: float = 0.0
    open: int = 0
    threads: int = 0
    calls: Iterator[int] = field(default_factory=count)

    def new_context(self, shape: ContextShape) -> TimedModel:
        self.open += 1
        return self

    def set_threads(self, threads: int, batch_threads: int) -> None:
        self.threads = threads

    def cut(self, sequence: int, position: int) -> bool:
        return True

    def decode(self, tokens: list[int], position: int, sequence: int) -> Decoded:
        self.now += self.seconds[self.threads](next(self.calls))
        return Decoded.DONE

    def close(self) -> None:
        self.open -= 1


def calibrate(model: TimedModel) -> ThreadRates:
    calibration = Calibration(model, len(model.seconds), clock=lambda: model.now)  # type: ignore[arg-type]
    while (result := calibration.step()) is None:
        pass
    calibration.close()
    return result


def test_calibration_finds_the_fastest_and_frees_its_context() -> None:
    """Two threads that take half the time win."""
    model = TimedModel({1: lambda n: 0.04, 2: lambda n: 0.02})
    assert calibrate(model) == ThreadRates(2, {1: 25.0, 2: 50.0}, steady=True)
    assert model.open == 0


def test_calibration_of_a_slow_model_is_bounded() -> None:
    """A token that takes half a second is measured a few times, not a dozen."""
    model = TimedModel({1: lambda n: 0.5, 2: lambda n: 0.4})
    assert calibrate(model).threads == 2
    assert model.now < 4.5


def test_a_busy_computer_is_noticed() -> None:
    """Measurements that disagree are good for now, and taken again after the next load."""
    model = TimedModel({1: lambda n: 0.02 if n % 4 < 2 else 0.2})
    assert not calibrate(model).steady


@pytest.mark.parametrize("content", ["", "[]", "{", '{"key": 7}', '{"key": {"threads": 2}}', "\0"])
def test_a_damaged_calibration_file_is_measured_anew(tmp_path: Path, content: str) -> None:
    """It is no error, and what is written next replaces it."""
    path = tmp_path / "calibration.json"
    path.write_text(content)
    file = CalibrationFile(path)
    assert file.read("key") is None
    file.write("key", ThreadRates(2, {1: 1.0, 2: 2.0}))
    assert file.read("key") == ThreadRates(2, {1: 1.0, 2: 2.0})


def test_the_calibration_file_is_bounded(tmp_path: Path) -> None:
    """Old entries go."""
    file = CalibrationFile(tmp_path / "calibration.json")
    for number in range(70):
        file.write(str(number), ThreadRates(1, {1: 1.0}))
    assert len(json.loads((tmp_path / "calibration.json").read_text())) == 64
    assert file.read("0") is None
    assert file.read("69") is not None


def test_another_build_or_processor_is_measured_itself() -> None:
    """The key changes with everything the result depends on."""
    keys = {
        calibration_key(*change) for change in (("m", "b", "p", 2), ("n", "b", "p", 2), ("m", "c", "p", 2))
    }
    assert len(keys | {calibration_key("m", "b", "p", 4)}) == 4


@pytest.mark.parametrize(
    ("stored", "busy", "threads", "idle"),
    [(2, 0.0, 2, False), (2, 3.0, 2, False), (0, 0.2, 4, True), (0, 1.4, 3, True), (0, 9.0, 1, True)],
)
def test_where_the_number_comes_from(
    tmp_path: Path, stored: int, busy: float, threads: int, idle: bool
) -> None:
    """What was measured here before, else the cores that other programs leave, until it is measured."""
    file = CalibrationFile(tmp_path / "calibration.json")
    if stored:
        file.write("key", ThreadRates(stored, {1: 10.0, stored: 20.0}))
    model = ScriptedModel(ScriptedBackend(), "cpu")
    tuning = ThreadTuning(model, file, "key", 4, lambda: 0.0, busy)
    assert (tuning.threads, tuning.wants_idle_time) == (threads, idle)
    assert tuning.prefill_threads == (4 if stored else threads)


class Drive:
    """A watch and the rates that the machine gives."""

    def __init__(self) -> None:
        self.watch = ThroughputWatch(ThreadRates(2, {1: 27.0, 2: 40.0}))
        self.now = 0.0

    def tokens(self, rate: float, windows: int = 1) -> list[ThreadChange]:
        changes = []
        for _ in range(windows * WINDOW_TOKENS):
            self.now += 1 / rate
            change = self.watch.decoded(1 / rate, self.now)
            if change is not None:
                changes.append(change)
                break
        return changes


def test_steady_tokens_change_nothing() -> None:
    """A little slower than measured is no collapse: contexts grow."""
    assert Drive().tokens(30, windows=20) == []


def test_a_collapse_drops_a_thread_and_later_tries_it_again() -> None:
    """While a core is shared one thread computes; when it is free again both do."""
    drive = Drive()
    assert drive.tokens(12) == [ThreadChange(1, "other programs need the processor")]
    assert drive.watch.held_back
    assert drive.tokens(26) == []  # the change helped, and is kept
    drive.now += FIRST_RETRY_S
    assert [change.threads for change in drive.tokens(26)] == [2]
    assert drive.tokens(40, windows=10) == []
    assert not drive.watch.held_back


def test_a_change_that_does_not_help_is_taken_back() -> None:
    """When one thread is as slow as two, the computer is just busy."""
    drive = Drive()
    assert [change.threads for change in drive.tokens(12)] == [1]
    assert [change.threads for change in drive.tokens(11)] == [2]
    assert drive.tokens(12, windows=3) == []  # and not tried again at once


def test_trying_again_becomes_rarer() -> None:
    """Each trial that fails doubles the time to the next."""
    drive = Drive()
    drive.tokens(12)
    drive.tokens(26)
    waits = []
    for _ in range(3):
        begun = drive.now
        while not drive.tokens(26):
            pass
        waits.append(drive.now - begun)
        assert [change.threads for change in drive.tokens(12)] == [1]
    assert waits[0] < waits[1] < waits[2]


def test_very_slow_tokens_are_noticed_before_a_window_is_full() -> None:
    """Three tokens of a second each are enough."""
    drive = Drive()
    for _ in range(2):
        assert drive.watch.decoded(1.0, 1.0) is None
    assert drive.watch.decoded(1.0, 3.0) == ThreadChange(1, "other programs need the processor")


def test_the_engine_measures_while_nobody_waits(
    paths: Paths, bus: Bus, memory: PlentyOfMemory, tmp_path: Path
) -> None:
    """After the first answer every candidate is measured and the result is stored; the context is freed."""
    backend = ScriptedBackend("Done.")
    engine = Engine(paths, bus, ModelSettings, backend, memory=memory)
    thread = start_thread(engine)
    engine.use(installed(tmp_path / "models"))
    try:
        engine.submit(ask()).text(10)
        while not paths.calibration.exists():
            time.sleep(0.005)
    finally:
        engine.close()
        thread.join(10)
    (entry,) = json.loads(paths.calibration.read_text()).values()
    assert [int(threads) for threads in entry["tokens_per_s"]] == list(candidates(physical_cores()))
    assert backend.open_contexts == 0


def test_the_processor_has_a_name() -> None:
    """Some word that tells this computer's processor from another's."""
    assert processor_name()
