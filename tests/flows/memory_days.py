"""The program without its windows, used on different days: what flows about memory need.

The clock is only for the dates of what is said and remembered; everything else is as it is for the user.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.app import Services, build_core
from desktop.chat.conversation_memory import MemoryBlock, MemoryUsed
from desktop.chat.store import Message
from desktop.engine.engine import Engine, start_thread
from desktop.memory.events import FixesFound
from desktop.memory.item import Item
from desktop.models.library import InstalledModel
from desktop.paths import Paths
from tests.fakes.asker import FakeAsker
from tests.fakes.scripted_model import ScriptedBackend

MONDAY = 1_795_420_800.0  # 23 November 2026, 08:00 UTC
DAY_S = 86_400.0


class Days:
    """A profile in use. `now` is the date of what is remembered."""

    def __init__(self, core: Services, engine: Engine | None) -> None:
        self.core, self.person, self.now = core, FakeAsker(), MONDAY
        core.asker = self.person
        if engine is not None:
            core.engine = engine
        self.used: list[MemoryBlock] = []
        self.found: list[FixesFound] = []
        core.bus.subscribe(MemoryUsed, lambda event: self.used.append(event.block))
        core.bus.subscribe(FixesFound, self.found.append)
        memory = core.memory
        # The conversations' as well: what a conversation still shows is known by when it was said.
        for part in (core.store, memory.store, memory.search, memory.hindsight, memory.capture):
            part._clock = lambda: self.now

    @property
    def root(self) -> Path:
        return self.core.workspace.root

    def later(self, days: float) -> None:
        self.now += days * DAY_S

    def chat(self) -> int:
        return self.core.store.create().id

    def say(self, text: str, conversation_id: int | None = None) -> Message:
        """In a new conversation, unless one is named."""
        return self.core.turns.run(conversation_id or self.chat(), text)

    def block(self) -> str:
        """What the model was told last of what is remembered."""
        return self.used[-1].text if self.used else ""

    def items(self) -> tuple[Item, ...]:
        return self.core.memory.store.latest(limit=1000)

    def raw_bytes(self) -> bytes:
        """All of the database's files, whatever their names."""
        folder = self.core.paths.database.parent
        return b"".join(f.read_bytes() for f in folder.glob(f"{self.core.paths.database.name}*"))


@contextmanager
def days(
    profile: Path,
    model: InstalledModel,
    backend: ScriptedBackend | None = None,
    workspace: Path | None = None,
) -> Iterator[Days]:
    """A program with `model`, until the end; with `backend` scripted. `workspace`: a chosen project."""
    core = build_core(Paths.under(profile))
    core.settings.change("chat", "workspace", str(workspace or ""))
    core.settings.change("model", "threads", 1 if backend is not None else 0)
    engine = None
    if backend is not None:
        engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    lived = Days(core, engine)
    core.engine.use(model)
    thread: threading.Thread = start_thread(core.engine)
    try:
        yield lived
    finally:
        core.engine.close()
        thread.join()
        core.close()
