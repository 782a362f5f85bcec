"""Memory that asks the chat model what texts are about, for the sets of `blind_memory.py`.

What the model answered is kept in a file where one is named: reading a set costs minutes, and what is done
with it is tried many times. The model is the recommended one of this computer's own profile.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desktop.database import Database
from desktop.engine.requests import Priority
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.memory import Memory, RecallSources
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.vectors.minilm import Array
from desktop.memory.vectors.subject_search import TABLE, SubjectSearch
from desktop.memory.vectors.subjects import SubjectReader, read_words
from desktop.memory.vectors.vector_store import VectorWriter
from desktop.paths import resources
from tests.flows.real_model import installed_model, talking

WORDS = resources() / "memory" / "subjects.txt"


class KeptReader(SubjectReader):
    """Asks the model for what is not in `kept` yet."""

    def __init__(self, submit: Any, kept: dict[Any, Any]) -> None:
        super().__init__(submit, read_words(WORDS))
        self.kept = kept

    def read(self, text: str, priority: Priority) -> Array | None:
        if text not in self.kept:
            self.kept[text] = super().read(text, priority)
        found: Array | None = self.kept[text]
        return found

    def answers(self, asked: str, told: str, priority: Priority) -> float | None:
        if (asked, told) not in self.kept:
            self.kept[asked, told] = super().answers(asked, told, priority)
        found: float | None = self.kept[asked, told]
        return found


@contextmanager
def opened_with_subjects(
    root: Path, kept: Path | None = None
) -> Iterator[Callable[[str, Callable[[Memory, Callable[[], object]], Any]], Any]]:
    """Gives a memory of its own, by a name, to what is to be done with it; what is to be called after
    something was recorded goes along."""
    answers = pickle.loads(kept.read_bytes()) if kept is not None and kept.exists() else {}
    with tempfile.TemporaryDirectory() as profile, talking(Path(profile), installed_model()) as talk:
        reader = KeptReader(talk.core.engine.submit, answers)

        def opened(name: str, done: Callable[[Memory, Callable[[], object]], Any]) -> Any:
            database = Database(root / f"s-{name}" / "memory.sqlite3", MIGRATIONS)
            subjects = SubjectSearch(database, reader, lambda: "the model of this bench")
            redactor = Redactor(read_rules(resources() / "redaction.toml"))
            memory = Memory(database, redactor, RecallSources(reader=lambda: subjects))
            writer = VectorWriter(database, subjects, table=TABLE)
            try:
                return done(memory, writer.write_all)
            finally:
                memory.close()
                database.close()
                if kept is not None:
                    kept.write_bytes(pickle.dumps(answers))

        yield opened
