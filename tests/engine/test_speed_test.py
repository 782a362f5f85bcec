"""The loaded model's speed is measured: briefly, last, and so that it can be ended."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.engine.engine import start_thread
from desktop.engine.speed_test import SpeedMeasured, SpeedTest
from desktop.events import Bus
from desktop.models.fit import MeasuredSpeeds, SpeedFile
from desktop.paths import Paths
from tests.engine.conftest import StartEngine
from tests.fakes.scripted_model import ScriptedBackend


def test_the_loaded_model_is_measured_and_kept(start_engine: StartEngine, paths: Paths, bus: Bus) -> None:
    """The event tells pickers; the second time it is known already."""
    engine = start_engine(
        ScriptedBackend("one two three four five six seven eight nine ten " * 8, token_s=0.001)
    )
    heard: list[SpeedMeasured] = []
    bus.subscribe(SpeedMeasured, heard.append)
    test = SpeedTest(engine, file := SpeedFile(paths.fit, "here"), bus)
    measured = test.run_once()
    assert measured is not None
    assert measured.tokens_per_s > 0
    assert measured.prompt_tokens_per_s > 0
    assert file.read() == MeasuredSpeeds((measured,))
    assert [each.measured for each in heard] == [measured]
    assert test.run_once() is None


def test_without_a_model_nothing_is_measured(start_engine: StartEngine, paths: Paths, bus: Bus) -> None:
    """And nothing is raised."""
    engine = start_engine(ScriptedBackend())
    engine.use(None)
    assert SpeedTest(engine, SpeedFile(paths.fit, "here"), bus).run() is None


@pytest.mark.model
@pytest.mark.timeout(120)
def test_a_real_model_is_measured_and_the_test_can_be_ended(tmp_path: Path, smollm2: Path) -> None:
    """A cancelled one keeps nothing; the whole one gives figures that a picker can show."""
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("model", "context_tokens", 1024)
    core.engine.use(core.library.import_file(smollm2))
    thread = start_thread(core.engine)
    try:
        threading.Timer(0.3, core.speed_test.cancel).start()
        assert core.speed_test.run() is None
        assert core.speed_file.read() == MeasuredSpeeds()
        measured = core.speed_test.run()
        assert measured is not None
        choices = core.setup.choices(1024)
        assert all(choice.speed is not None for choice in choices)
    finally:
        core.close()
        thread.join()
