"""The program without its windows, with the recommended model: what a flow needs to talk with it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from desktop.app import Services, build_core
from desktop.asking import ALLOWED_ONCE, Question
from desktop.chat.store import Message, Role
from desktop.chat.turns import Turns
from desktop.engine.engine import Engine, start_thread
from desktop.engine.requests import GenerateRequest, Stream
from desktop.models.library import InstalledModel, Library
from desktop.paths import Paths
from desktop.tools.calls import CallStatus
from desktop.tools.notes import Notes
from tests.fakes.asker import FakeAsker

MODEL = "qwen2.5-coder-1.5b"


def installed_model() -> InstalledModel:
    """The model of this computer's own profile, or of the one in STEWARD_TEST_PROFILE; skips without it."""
    folder = os.environ.get("STEWARD_TEST_PROFILE")
    core = build_core(Paths.under(Path(folder)) if folder else Paths.default())
    library: Library = core.library
    for model in library.installed():
        if model.id == MODEL and not model.is_missing:
            return model
    pytest.skip(f"{MODEL} is not installed: steward models get {MODEL}")


class Seeded:
    """An engine that samples with a given seed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.seed = 0

    def submit(self, request: GenerateRequest) -> Stream:
        return self._engine.submit(replace(request, sampling=replace(request.sampling, seed=self.seed)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@dataclass(frozen=True)
class Step:
    """What one question led to."""

    text: str
    calls: tuple[tuple[str, dict[str, Any], CallStatus | None], ...]
    results: tuple[str, ...]
    questions: tuple[Question, ...]
    notices: tuple[str, ...]
    seconds: float

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.calls]


class Talk:
    """One conversation at a time with the real model over a workspace."""

    def __init__(self, core: Services, person: FakeAsker) -> None:
        self.core, self.person = core, person
        self.engine = Seeded(core.engine)
        self.turns: Turns = core.turns
        self.turns._services = replace(self.turns._services, engine=self.engine)  # type: ignore[arg-type]
        self.notes = Notes(core.memory.store, core.memory.search)
        self.root = core.workspace.root
        self.conversation_id = 0

    def begin(self, seed: int, files: dict[str, str]) -> None:
        """A new conversation; the workspace has these files, and there are no notes."""
        self.engine.seed = seed
        self.person.answer, self.person.questions = ALLOWED_ONCE, []
        for old in self.root.iterdir():
            old.unlink() if not old.is_dir() else None
        for name, text in files.items():
            (self.root / name).write_text(text, encoding="utf-8")
        self.core.memory.store.forget([note.id for note in self.notes.latest()])
        self.conversation_id = self.core.store.create().id

    def ask(self, text: str) -> Step:
        before = len(self.person.questions)
        after = [each.id for each in self._messages()]
        answer = self.turns.run(self.conversation_id, text)
        new = [each for each in self._messages() if each.id not in after]
        tools = [each for each in new if each.tool is not None]
        return Step(
            text=answer.text,
            calls=tuple((t.tool.name, dict(t.tool.arguments), t.tool.ending) for t in tools if t.tool),
            results=tuple(each.text for each in tools),
            questions=tuple(self.person.questions[before:]),
            notices=tuple(each.text for each in new if each.role is Role.NOTICE),
            seconds=answer.total_s,
        )

    def _messages(self) -> Sequence[Message]:
        return self.core.store.messages(self.conversation_id, limit=None)


@contextmanager
def talking(profile: Path, model: InstalledModel) -> Iterator[Talk]:
    """A program of its own with `model`, until the end."""
    core = build_core(Paths.under(profile))
    person = FakeAsker()
    core.asker = person
    core.engine.use(model)
    thread = start_thread(core.engine)
    try:
        yield Talk(core, person)
    finally:
        core.engine.close()
        thread.join()
        core.close()


def written(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """The table of results, for the documentation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(rows), indent=1, ensure_ascii=False), encoding="utf-8")
