"""An engine on its own thread, with a scripted model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.engine.engine import Engine, start_thread
from desktop.engine.host import HostMemory
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.events import Bus
from desktop.paths import Paths
from desktop.settings import ModelSettings
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import ScriptedBackend, installed

StartEngine = Callable[..., Engine]


class PlentyOfMemory(HostMemory):
    """A computer with as much memory as the test says."""

    def __init__(self) -> None:
        self.available = 8_000_000_000
        self.total = 16_000_000_000

    def available_bytes(self) -> int:
        return self.available

    def total_bytes(self) -> int:
        return self.total


@pytest.fixture
def memory() -> PlentyOfMemory:
    return PlentyOfMemory()


@pytest.fixture
def start_engine(paths: Paths, bus: Bus, memory: PlentyOfMemory, tmp_path: Path) -> Iterator[StartEngine]:
    """Starts engines that use a scripted model; all are closed after the test."""
    running: list[tuple[Engine, threading.Thread]] = []

    def start(
        backend: ScriptedBackend,
        clock: FakeClock | None = None,
        current: Callable[[], ModelSettings] | None = None,
        **settings: Any,
    ) -> Engine:
        chosen = ModelSettings(**{"threads": 2, **settings})  # a number, so that nothing is calibrated
        engine = Engine(paths, bus, current or (lambda: chosen), backend, clock, memory)
        running.append((engine, start_thread(engine)))
        engine.use(installed(tmp_path / "models", is_recurrent=backend.whole_only))
        return engine

    yield start
    for engine, thread in running:
        engine.close()
        thread.join(10)


def ask(
    text: str = "Good morning",
    conversation: str = "a",
    priority: Priority = Priority.CHAT,
    system: str = "",
    max_tokens: int = 100,
    **more: Any,
) -> GenerateRequest:
    """A request with one question."""
    messages = (Message("system", system),) * bool(system) + (Message("user", text),)
    sampling = Sampling(temperature=0, max_tokens=max_tokens)
    return GenerateRequest(conversation, messages, sampling, priority, **more)
