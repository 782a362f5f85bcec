"""A real profile with a scripted model, and packages of extensions made from a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.app import build_core
from desktop.app.services import Services
from desktop.chat.extension_texts import AnswerRewriter
from desktop.chat.store import Message
from desktop.engine.engine import Engine, start_thread
from desktop.events import Event
from desktop.paths import Paths
from tests.fakes.scripted_model import ScriptedBackend, installed

MANIFEST = """
id = "{id}"
version = "{version}"
api = 1
hooks = [{hooks}]
{more}
[permissions]
{permissions}
"""


def package(
    folder: Path,
    code: str,
    hooks: tuple[str, ...] = ("on_plain_text",),
    *,
    version: str = "1.0",
    more: str = "",
    permissions: str = "state = true",
) -> Path:
    """A package in `folder`, whose name is its id."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = ", ".join(f'"{each}"' for each in hooks)
    text = MANIFEST.format(id=folder.name, version=version, hooks=listed, more=more, permissions=permissions)
    (folder / "extension.toml").write_text(text, encoding="utf-8")
    (folder / "extension.py").write_text(code, encoding="utf-8")
    return folder


@dataclass
class World:
    """`events` is all that was announced."""

    services: Services
    backend: ScriptedBackend
    folder: Path
    events: list[Event]

    def add(self, name: str, code: str, *hooks: str, **more: str) -> str:
        """Install an extension and switch it on; its id."""
        chain = self.services.extensions
        made = chain.registry.install(package(self.folder / name, code, hooks, **more))
        chain.registry.accept(made.id, on=True)
        return made.id

    def ask(self, text: str, conversation_id: int = 0, **more: object) -> Message:
        """The closed answer, as it is once extensions are done with it too."""
        store, texts = self.services.store, self.texts
        conversation_id = conversation_id or store.create().id
        answer = self.services.turns.run(conversation_id, text, **more)  # type: ignore[arg-type]
        assert texts.wait(60.0)
        return store.message(answer.id)

    @property
    def texts(self) -> AnswerRewriter:
        return self.services.extension_texts

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


@contextmanager
def world(paths: Paths, folder: Path, backend: ScriptedBackend) -> Iterator[World]:
    """Everything ends with the block."""
    services = build_core(paths)
    services.settings.change("memory", "enabled", True)
    services.settings.change("model", "threads", 1)
    engine = Engine(paths, services.bus, lambda: services.settings.current.model, backend)
    services.engine = engine
    engine.use(installed(folder, "tiny"))
    thread = start_thread(engine)
    events: list[Event] = []
    services.bus.subscribe(Event, events.append)
    made = World(services, backend, folder / "packages", events)
    assert made.texts.wait(0)
    try:
        yield made
    finally:
        engine.close()
        thread.join()
        services.close()
