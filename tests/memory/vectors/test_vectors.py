"""Search by meaning: made in the background, fused by rank, gone with the item."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from desktop.database import Connection, Database
from desktop.memory.item import Layer, MemoryKind, NewItem
from desktop.memory.memory import Memory
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import LateRanker, Search
from desktop.memory.store import View
from desktop.memory.vectors.minilm import MINILM, MiniLM
from desktop.memory.vectors.ranker import BetterSearch, VectorRanker
from desktop.memory.vectors.vector_store import VectorMatrix, VectorWriter
from desktop.paths import resources
from tests.memory.vectors.conftest import ByMeaning


@pytest.fixture
def search(memory: Memory, vectors: VectorRanker) -> Search:
    return Search(memory.store, (vectors,))


def stored_vectors(memory: Memory) -> list[tuple[int, str]]:
    statement = "SELECT item_id, model FROM memory_vectors ORDER BY item_id"
    rows = memory.store.database.read(lambda c: c.execute(statement).fetchall())
    return [(row["item_id"], row["model"]) for row in rows]


def test_other_words_for_the_same_are_found(memory: Memory, search: Search, writer: VectorWriter) -> None:
    """No word is shared; the reason says so."""
    car = memory.store.add(NewItem("automobile"))
    memory.store.add(NewItem("Anna has two cats"))
    assert search.hits(search.question("car")) == ()
    assert writer.write_all() == 2
    (hit,) = search.hits(search.question("car"))
    assert (hit.item.id, hit.why) == (car.id, MemoryReason.ALIKE_IN_MEANING.of())
    assert search.fits(search.question("car"), (hit,))


def test_what_is_forgotten_is_not_found_nor_kept(
    memory: Memory, search: Search, vectors: VectorRanker, writer: VectorWriter
) -> None:
    """Not in the table, not in memory, in whichever order things are forgotten and added."""
    notes = [memory.store.add(NewItem(f"automobile {number}")) for number in range(5)]
    writer.write_all()
    assert len(search.hits(search.question("car"))) == 5
    memory.forget((notes[1].id, notes[4].id))
    assert [item_id for item_id, _ in stored_vectors(memory)] == [notes[n].id for n in (0, 2, 3)]
    later = memory.store.add(NewItem("vehicle"))
    writer.write_all()
    found = {hit.item.id for hit in search.hits(search.question("car"))}
    assert found == {notes[0].id, notes[2].id, notes[3].id, later.id}
    memory.forget_everything()
    assert stored_vectors(memory) == []
    assert search.hits(search.question("car")) == ()


def test_changed_words_get_new_numbers(memory: Memory, search: Search, writer: VectorWriter) -> None:
    """The old ones go with the old words."""
    note = memory.store.add(NewItem("automobile"))
    writer.write_all()
    memory.store.change(note.id, "dentist")
    assert stored_vectors(memory) == []
    assert writer.waiting == 1
    writer.write_all()
    assert search.hits(search.question("car")) == ()
    assert [hit.item.id for hit in search.hits(search.question("physician"))] == [note.id]


def test_another_model_makes_all_anew(memory: Memory, writer: VectorWriter) -> None:
    """Numbers of two models cannot be compared."""
    memory.store.add(NewItem("automobile"))
    writer.write_all()
    other = ByMeaning()
    other.id = "another"
    vectors = VectorRanker(memory.store.database, other)
    anew = VectorWriter(memory.store.database, vectors)
    assert anew.waiting == 1
    assert anew.write_all() == 1
    assert stored_vectors(memory) == [(1, vectors.model)]


def test_the_view_holds(memory: Memory, vectors: VectorRanker, writer: VectorWriter) -> None:
    """What another project knows is not found, however alike; a narrow view finds its own among many."""
    for number in range(700):
        memory.store.add_all((NewItem(f"automobile {number}", Layer.PROJECT, "/other"),))
    mine = memory.store.add(NewItem("a vehicle of ours", Layer.PROJECT, "/mine"))
    writer.write_all()
    search = Search(memory.store, (vectors,))
    question = search.question("car", View.of(project="/mine"), limit=10)
    assert list(vectors.rank(question)) == [mine.id]
    assert list(vectors.rank(search.question("car", View.of(project="/none")))) == []
    assert list(vectors.rank(search.question("car", kinds=(MemoryKind.EPISODE,)))) == []


def test_switched_off_it_asks_nothing(memory: Memory, database: Database, embedder: ByMeaning) -> None:
    """Neither the model nor the table."""
    vectors = VectorRanker(database, embedder, enabled=lambda: False)
    assert vectors.rank(memory.search.question("car")) == ()
    assert embedder.asked == 0


def test_a_late_ranker_is_made_when_it_is_wanted(memory: Memory, vectors: VectorRanker) -> None:
    """Until then nothing is loaded for it."""
    wanted, made = [False], []

    def make() -> VectorRanker:
        made.append(1)
        return vectors

    late = LateRanker("meaning", 1.0, lambda: wanted[0], make)
    question = memory.search.question("car")
    assert (late.rank(question), late.sure(question, (1,)), made) == ((), frozenset(), [])
    wanted[0] = True
    late.rank(question)
    assert made == [1]


def test_a_file_that_cannot_be_read_costs_no_answer(memory: Memory, tmp_path: Path) -> None:
    """Words are still found."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"nonsense, but long enough to have a header")
    embedder = MiniLM(path, resources() / "memory" / "wordpieces.txt")
    search = Search(memory.store, (VectorRanker(memory.store.database, embedder),))
    note = memory.store.add(NewItem("The shop opens at nine"))
    assert [hit.item.id for hit in search.hits(search.question("shop"))] == [note.id]


def test_eight_bits_rank_as_well_as_thirty_two(memory: Memory) -> None:
    """The first ten of random vectors are the same, and the cosine is right to a hundredth."""
    random, size = np.random.default_rng(5), 3000
    rows = random.standard_normal((size, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    memory.store.add_all([NewItem(f"note {number}") for number in range(size)])

    def insert(connection: Connection) -> None:
        statement = "INSERT INTO memory_vectors (item_id, model, vector) VALUES (?, 'm', ?)"
        blobs = [(n + 1, row.astype("<f2").tobytes()) for n, row in enumerate(rows)]
        connection.executemany(statement, blobs)

    memory.store.database.write(insert)
    ids, likeness = VectorMatrix(memory.store.database, "m", 64).likeness(rows[17])
    exact = rows @ rows[17]
    assert np.abs(likeness - exact).max() < 0.01
    assert set(ids[np.argsort(-likeness)[:10]]) == set(np.argsort(-exact)[:10] + 1)


@pytest.fixture
def running(memory: Memory, vectors: VectorRanker) -> Iterator[tuple[VectorWriter, list[bool]]]:
    idle = [True]
    writer = VectorWriter(memory.store.database, vectors, lambda: idle[0])
    writer.start()
    yield writer, idle
    writer.close()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_vectors_are_made_in_the_background(memory: Memory, running: tuple[VectorWriter, list[bool]]) -> None:
    """What is stored later too, after a wake; nothing while somebody waits for an answer."""
    writer, idle = running
    memory.store.add_all([NewItem(f"note {number}") for number in range(20)])
    writer.wake()
    until(lambda: writer.waiting == 0)
    idle[0] = False
    memory.store.add(NewItem("one more"))
    writer.wake()
    time.sleep(0.2)
    assert writer.waiting == 1
    writer.close()
    writer.close()


def test_switching_on_fetches_and_switching_off_gives_the_memory_back(
    memory: Memory, vectors: VectorRanker, embedder: ByMeaning, writer: VectorWriter
) -> None:
    """The setting follows only after the file is there."""
    order: list[str] = []

    class Files:
        def get(self, file: object, control: object = None) -> Path:
            order.append("fetched")
            return Path("x")

        def path(self, file: object) -> Path:
            return Path("/nowhere")

    better = BetterSearch(Files(), vectors, writer, lambda on: order.append(f"on {on}"))  # type: ignore[arg-type]
    better.switch_on()
    better.switch_off()
    assert order == ["fetched", "on True", "on False"]
    assert better.download_bytes == MINILM.size_bytes
    assert not better.state().is_fetched
