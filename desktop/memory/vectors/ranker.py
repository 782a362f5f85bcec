"""Ranks items by likeness of meaning: one more ranker beside words and parts of words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import structlog

from desktop.database import AMONG, Connection, Database, Row, among
from desktop.memory.item import OWN_SPEAKER
from desktop.memory.meanings import everyday_meanings
from desktop.memory.search import Ids, MemoryQuery, allowed
from desktop.memory.vectors.minilm import Array

log = structlog.get_logger(__name__)

LOOKED_AT = 600  # of the most like, before their view is looked at
ENOUGH = 50  # of them in the view, and no more are asked for
LEAST = 0.3  # of the cosine; hardly a filter: of random turns a third are above it
# Of the cosine, from which on a memory is told by its meaning alone. What is asked about oneself has its
# answer in memory more often than what is asked about the world: docs/benchmarks.md, memory.
SURE_OF_OWN, SURE_OF_WORLD = 0.40, 0.55
WEIGHT = 1.0  # where words count 3
LONGEST = 2000  # characters of an item that are looked at
READ_AS = "German in English words"
UNNAMED = ("", OWN_SPEAKER)  # before a sentence, these say nothing, and make all sentences more alike
AT_ONCE = 4096  # rows that are widened together: they stay in the processor's cache
GROWTH = 1.25
READ = 5000  # rows of one reading
IdArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class VectorTable:
    """Where vectors lie: the table, the counter in `memory_state` of those that went, and of which items they
    are made, as SQL over `i`."""

    name: str = "memory_vectors"
    gone: str = "vectors_gone"
    items: str = "1"


VECTORS = VectorTable()


class Embedder(Protocol):
    """Makes numbers of a text. Called on any thread."""

    id: str
    dimensions: int

    @property
    def is_there(self) -> bool: ...

    def question(self, text: str) -> Array: ...

    def texts(self, texts: Sequence[str]) -> Array: ...

    def forget(self) -> None: ...


class VectorRanker:
    """Ranks nothing while it is switched off or the model is not there. May be called on any thread."""

    name = "meaning"
    weight = WEIGHT
    is_by_words = False

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        enabled: Callable[[], bool] = lambda: True,
        least: Callable[[], float] = lambda: LEAST,
    ) -> None:
        self.embedder = embedder
        self._database = database
        # Vectors of texts that were read otherwise do not compare with these.
        self.model = f"{embedder.id}, {READ_AS}"
        self._matrix = VectorMatrix(database, self.model, embedder.dimensions)
        self._enabled = enabled
        self._least = least

    @property
    def is_on(self) -> bool:
        return self._enabled() and self.embedder.is_there

    @property
    def size_bytes(self) -> int:
        """What the vectors take in memory."""
        return self._matrix.size_bytes

    def rank(self, question: MemoryQuery) -> Ids:
        """The most alike first; a file that cannot be read costs no answer."""
        if not question.terms or not self.is_on:
            return ()
        try:
            # The whole question: meaning is in its small words too.
            asked = self._asked(question)
        except (OSError, ValueError) as error:
            log.warning("no search by meaning", reason=str(error))
            return ()
        ids, likeness = self._matrix.likeness(asked)
        return self._best(question, ids, likeness) if len(ids) else ()

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        """Those that are surely about the same, in whatever words."""
        if not ids or not self.is_on:
            return frozenset()
        # Likeness of a question that no English word was found for says nothing.
        if not everyday_meanings().can_put_into_english(question.text, question.terms):
            return frozenset()
        known, likeness = self._matrix.likeness(self._asked(question))
        least = SURE_OF_OWN if question.is_personal else SURE_OF_WORLD
        return frozenset(int(each) for each in known[np.isin(known, ids) & (likeness >= least)])

    def vectors_of(self, rows: Sequence[Row]) -> Array:
        """One row of length 1 for each item. Raises OSError or ValueError."""
        return self.embedder.texts([_said(row) for row in rows])

    def forget(self) -> None:
        """Give the memory of model and vectors back."""
        self.embedder.forget()
        self._matrix.forget()

    # -- inside -------------------------------------------------------------------------------

    def _asked(self, question: MemoryQuery) -> Array:
        return self.embedder.question(everyday_meanings().in_english(question.text))

    def _best(self, question: MemoryQuery, ids: np.typing.NDArray[np.int64], likeness: Array) -> Ids:
        best = _most(likeness, LOOKED_AT)
        inside = self._inside(question, [int(each) for each in ids[best]])
        # A narrow view may have none of the best of all: then its own items are compared.
        if len(inside) < min(ENOUGH, question.limit) and len(ids) > LOOKED_AT:
            own = np.isin(ids, self._in_view(question))
            ids, likeness = ids[own], likeness[own]
            best = _most(likeness, question.limit)
            inside = {int(each) for each in ids[best]}
        least = self._least()
        found = [int(ids[n]) for n in best if likeness[n] >= least and int(ids[n]) in inside]
        return found[: question.limit]

    def _inside(self, question: MemoryQuery, ids: Sequence[int]) -> set[int]:
        where, values = allowed(question)
        statement = f"SELECT id FROM memory_items WHERE id {AMONG} AND {where}"  # noqa: S608 - our own
        rows = self._database.read(lambda c: c.execute(statement, (among(ids), *values)).fetchall())
        return {row["id"] for row in rows}

    def _in_view(self, question: MemoryQuery) -> list[int]:
        where, values = allowed(question)
        statement = f"SELECT id FROM memory_items WHERE {where}"  # noqa: S608 - from our own words
        rows = self._database.read(lambda c: c.execute(statement, values).fetchall())
        return [row["id"] for row in rows]


def _said(row: Row) -> str:
    """What is looked at: the words, and who said them where that is somebody else than the user. The models
    are of English: German words go in as English ones."""
    text = everyday_meanings().in_english(row["text"][:LONGEST])
    return f"{row['speaker']}: {text}" if row["speaker"] not in UNNAMED else text


def _most(likeness: Array, count: int) -> list[int]:
    """The places of the greatest, the greatest first."""
    everything = np.arange(len(likeness))
    some = everything if len(likeness) <= count else np.argpartition(-likeness, count)[:count]
    return [int(n) for n in some[np.argsort(-likeness[some], kind="stable")]]


class VectorMatrix:
    """The vectors of all items in memory, to be compared with a question by one walk through them.

    On disk a vector has 16 bits a number, here 8 and one factor: 39 MB for 100,000 items instead of 154, and
    a walk of a few milliseconds, because numpy multiplies 32 bits only and 8 are widened faster than 16.

    Thread-safe. Takes up what was added since the last question, and drops what was forgotten."""

    def __init__(self, database: Database, model: str, dimensions: int, table: VectorTable = VECTORS) -> None:
        self._database = database
        self._table = table
        self._model = model
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._clear()
        self._gone = 0

    def likeness(self, question: Array) -> tuple[IdArray, Array]:
        """The ids of all items that have a vector, and how like the question each is, from -1 to 1."""
        with self._lock:
            self._read()
            count = self._count
            ids, rows, factors = self._ids[:count], self._rows[:count], self._factors[:count]
        found = np.empty(count, np.float32)
        # One buffer for all parts: it stays in the processor's cache.
        wide = np.empty((min(AT_ONCE, count), self._dimensions), np.float32)
        for start in range(0, count, AT_ONCE):
            part = rows[start : start + AT_ONCE]
            np.copyto(wide[: len(part)], part)
            np.dot(wide[: len(part)], question, out=found[start : start + len(part)])
        return ids, found * factors

    def forget(self) -> None:
        """Give the memory back; the next question reads it again."""
        with self._lock:
            self._clear()

    @property
    def size_bytes(self) -> int:
        """What it takes in memory now."""
        with self._lock:
            arrays = (self._numbers, self._ids, self._rows, self._factors)
            return sum(array.nbytes for array in arrays)

    # -- inside -------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._count, self._last = 0, 0
        self._numbers: IdArray = np.empty(0, np.int64)
        self._ids: IdArray = np.empty(0, np.int64)
        self._rows: npt.NDArray[np.int8] = np.empty((0, self._dimensions), np.int8)
        self._factors: Array = np.empty(0, np.float32)

    def _read(self) -> None:
        gone = self._database.read(self._read_gone)
        # The counter is in the database, so that what another process forgot is dropped here too.
        if gone != self._gone:
            self._drop()
            self._gone = gone
        while rows := self._database.read(self._newer):
            self._add(rows)

    def _drop(self) -> None:
        """What was forgotten is not kept in memory either."""
        there = np.array(self._database.read(self._all_numbers), np.int64)
        count = self._count
        kept = np.isin(self._numbers[:count], there, assume_unique=True)
        self._numbers, self._ids = self._numbers[:count][kept], self._ids[:count][kept]
        self._rows, self._factors = self._rows[:count][kept], self._factors[:count][kept]
        self._count = len(self._ids)

    def _all_numbers(self, connection: Connection) -> list[int]:
        statement = f"SELECT id FROM {self._table.name} WHERE model = ?"  # noqa: S608 - our own
        return [row["id"] for row in connection.execute(statement, (self._model,)).fetchall()]

    def _newer(self, connection: Connection) -> list[Row]:
        statement = (
            f"SELECT id, item_id, vector FROM {self._table.name}"  # noqa: S608 - our own
            " WHERE id > ? AND model = ? ORDER BY id LIMIT ?"
        )
        return connection.execute(statement, (self._last, self._model, READ)).fetchall()

    def _add(self, rows: list[Row]) -> None:
        """New arrays where there is no room: those that a walk has in hand stay as they are."""
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16)
        wide = vectors.reshape(len(rows), self._dimensions).astype(np.float32)
        # One factor a row: the largest number takes all of the eight bits.
        factors = np.maximum(np.abs(wide).max(axis=1), 1e-12) / 127
        start, end = self._count, self._count + len(rows)
        if end > len(self._ids):
            self._grow(max(end, int(len(self._ids) * GROWTH)))
        self._numbers[start:end] = [row["id"] for row in rows]
        self._ids[start:end] = [row["item_id"] for row in rows]
        self._rows[start:end] = np.round(wide / factors[:, None]).astype(np.int8)
        self._factors[start:end] = factors
        self._count, self._last = end, rows[-1]["id"]

    def _grow(self, size: int) -> None:
        more = size - self._count
        self._numbers = np.append(self._numbers[: self._count], np.zeros(more, np.int64))
        self._ids = np.append(self._ids[: self._count], np.zeros(more, np.int64))
        self._factors = np.append(self._factors[: self._count], np.zeros(more, np.float32))
        room = np.zeros((more, self._dimensions), np.int8)
        self._rows = np.concatenate((self._rows[: self._count], room))

    def _read_gone(self, connection: Connection) -> int:
        statement = "SELECT value FROM memory_state WHERE name = ?"
        return int(connection.execute(statement, (self._table.gone,)).fetchone()["value"])
