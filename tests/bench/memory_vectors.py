"""The part of `dev.py bench memory` with likeness of meaning: what it finds more, what it costs."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import psutil

from desktop.database import Connection, Database
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.memory import Memory, RecallSources
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.vectors.minilm import DIMENSIONS, MiniLM
from desktop.memory.vectors.ranker import VectorRanker
from desktop.memory.vectors.vector_store import VectorWriter
from desktop.paths import resources
from tests.bench import memory as bench
from tests.bench.memory_data import store_conversations
from tests.bench.memory_words import Measured as Measurement

BLOCK = 2000  # rows of one write


class Measured:
    """A memory with vectors, closed at the end."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.database = Database(folder / "memory.sqlite3", MIGRATIONS)
        self.embedder = MiniLM(model, resources() / "memory" / "wordpieces.txt")
        self.vectors = VectorRanker(self.database, self.embedder)
        redactor = Redactor(read_rules(resources() / "redaction.toml"))
        self.memory = Memory(self.database, redactor, RecallSources((self.vectors,)))

    def __enter__(self) -> Measured:
        return self

    def __exit__(self, *_error: object) -> None:
        self.memory.close()
        self.database.close()


def recall(folder: Path, model: Path, locomo: Path) -> dict[str, object]:
    """As `bench.recall` does it, ranked and assembled."""
    with Measured(folder, model) as here:
        memory = here.memory
        stored = store_conversations(locomo, memory.store)
        begun = time.thread_time()
        count = VectorWriter(here.database, here.vectors).write_all()
        embedding_ms = (time.thread_time() - begun) * 1000 / count
        asked = [q for q in stored.questions if q.evidence and not q.adversarial]
        ranked = [list(memory.search.scores(memory.search.question(q.text))) for q in asked]
        figures = {**bench.depths(asked, ranked), **bench.budgets(asked, ranked, stored)}
        memory.store.add_all(tuple(bench.own_notes()))
        VectorWriter(here.database, here.vectors).write_all()
        return {
            "ranked": figures,
            "assembled": bench.assembled(memory, asked),
            "adversarial_with_a_block": bench.adversarial(memory, stored),
            "embedding_a_turn_processor_ms": round(embedding_ms, 1),
        }


def with_vectors_of(folder: Path, model: Path, done: Measurement) -> dict[str, int]:
    """`done` with a memory of its own, whose vectors it has made when it wants them."""
    with Measured(folder, model) as here:
        return done(here.memory, VectorWriter(here.database, here.vectors).write_all)


def times(folder: Path, model: Path, items: int, questions: int) -> dict[str, object]:
    """Queries with the question's embedding, each question new. The items' vectors are random: a walk through
    them takes as long as through real ones, and making 100,000 real ones would take an hour.
    """
    process = psutil.Process()
    with Measured(folder, model) as here:
        asked, _ = bench.fill(here.memory, items)
        _random_vectors(here, items)
        before = process.memory_info().rss
        _, figures = bench.timed(here.memory, asked[:questions])
        after = process.memory_info().rss
        embedding = []
        for number, text in enumerate(asked[:questions]):
            begun = time.perf_counter()
            here.embedder.question(f"{text} {number}")
            embedding.append((time.perf_counter() - begun) * 1000)
        return {
            **figures,
            "embedding_of_the_question": bench.spread(embedding),
            "vectors_mb": round(here.vectors.size_bytes / 1e6, 1),
            "resident_mb_more": round((after - before) / 1e6, 1),
            "file_mb": round(bench.size_mb(here.memory), 1),
        }


def _random_vectors(here: Measured, items: int) -> None:
    made = np.random.default_rng(7)

    def insert(connection: Connection, first: int) -> None:
        rows = made.standard_normal((BLOCK, DIMENSIONS)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        blobs = [(first + n, here.vectors.model, row.astype("<f2").tobytes()) for n, row in enumerate(rows)]
        connection.executemany(
            "INSERT INTO memory_vectors (item_id, model, vector) SELECT id, ?2, ?3 FROM memory_items"
            " WHERE id = ?1",
            blobs,
        )

    for first in range(1, items + 1, BLOCK):
        here.database.write(lambda c, first=first: insert(c, first))  # type: ignore[misc]
