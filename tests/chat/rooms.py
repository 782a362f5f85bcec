"""A chat with a scripted model on its own engine thread, for tests of what goes along and of the context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.chat.store import ChatStore
from desktop.chat.turns import Turns
from desktop.engine.engine import Engine, start_thread
from desktop.events import Bus, Event
from desktop.paths import Paths
from desktop.settings import Settings
from tests.fakes.scripted_model import ScriptedBackend, installed


class Room:
    """`events` is all that was announced."""

    def __init__(self, paths: Paths, store: ChatStore, backend: ScriptedBackend, settings: Settings) -> None:
        self.bus, self.store, self.backend = Bus(), store, backend
        self.engine = Engine(paths, self.bus, lambda: settings.model, backend)
        self.turns = Turns(store, self.engine, self.bus, lambda: settings)
        self.events: list[Event] = []
        self.bus.subscribe(Event, self.events.append)

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


@contextmanager
def room(
    paths: Paths,
    store: ChatStore,
    folder: Path,
    backend: ScriptedBackend,
    context_tokens: int = 4096,
    history_turns: int = 0,
) -> Iterator[Room]:
    """The engine ends with the test."""
    settings = Settings(
        model={"threads": 1, "context_tokens": context_tokens, "max_answer_tokens": 64},
        chat={"history_turns": history_turns},
    )
    made = Room(paths, store, backend, settings)
    made.engine.use(installed(folder, "tiny"))
    thread = start_thread(made.engine)
    try:
        yield made
    finally:
        made.engine.close()
        thread.join()
