"""Memory that asks the chat model what texts are about: for the sets of `blind_memory.py`, and what it costs.

    python -m tests.bench.memory_subjects [--cases FILE]

prints what a question about oneself waits for memory, with the facts of FILE kept, and by turns what the
first token of the same question to the same model alone takes.

What the model answered is kept in a file where one is named: reading a set costs minutes, and what is done
with it is tried many times. The model is the recommended one of this computer's own profile.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pickle
import statistics
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desktop.database import Database
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory, RecallSources
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.vectors.minilm import Array
from desktop.memory.vectors.subject_search import TABLE, SubjectReader, SubjectSearch, read_words
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


# -- what it costs --------------------------------------------------------------------------------

QUESTIONS = 12
PLAIN = "You are a helpful assistant."


def cost(cases: Path) -> dict[str, Any]:
    """Seconds by the clock: on a quiet computer."""
    rows = [row for row in tomllib.loads(cases.read_text(encoding="utf-8"))["rows"] if row["fact"]]
    rows = [row for row in rows if row["language"] == "en"][: 2 * QUESTIONS]
    with tempfile.TemporaryDirectory() as folder, talking(Path(folder), installed_model()) as talk:
        engine, memory, subjects = talk.core.engine, talk.core.memory, talk.core.subjects
        for row in rows:
            memory.record("told", "user", row["fact"], MemorySource.USER)
        began = time.perf_counter()
        VectorWriter(memory.store.database, subjects, table=TABLE).write_all()
        reading_s = (time.perf_counter() - began) / len(rows)
        waits_s, bare_s, candidates = [], [], []
        for row in itertools.islice(rows, QUESTIONS):
            asked = memory.search.question(row["question"], asks_model=True)
            began = time.perf_counter()
            found = subjects.candidates(asked)
            if found:
                waits_s.append(time.perf_counter() - began)
                candidates.append(len(found))
            messages = (Message("system", PLAIN), Message("user", row["question"]))
            began = time.perf_counter()
            engine.submit(GenerateRequest("bare", messages, Sampling(temperature=0, max_tokens=1))).text()
            bare_s.append(time.perf_counter() - began)
    return {
        "memory_s": round(statistics.median(waits_s), 2),
        "memory_worst_s": round(max(waits_s), 2),
        "first_token_alone_s": round(statistics.median(bare_s), 2),
        "read_together": round(statistics.mean(candidates), 1),
        "questions": len(waits_s),
        "a_memory_s": round(reading_s, 2),
    }


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cases", type=Path, default=Path(__file__).parent / "blind_memory_recall_plain.toml"
    )
    json.dump(cost(parser.parse_args(words).cases), sys.stdout)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
