"""The vectors of all items in memory, to be compared with a question by one walk through them.

On disk a vector has 16 bits a number, here 8 and one factor: 39 MB for 100,000 items instead of 154, and a
walk of a few milliseconds, because numpy multiplies 32 bits only and 8 are widened faster than 16.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from desktop.database import Connection, Database, Row
from desktop.memory.vectors.bert import Array

AT_ONCE = 4096  # rows that are widened together: they stay in the processor's cache
GROWTH = 1.25
READ = 5000  # rows of one reading

Ids = npt.NDArray[np.int64]


class Matrix:
    """Thread-safe. Takes up what was added since the last question, and drops what was forgotten."""

    def __init__(self, database: Database, model: str, dimensions: int) -> None:
        self._database = database
        self._model = model
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._clear()
        self._gone = 0

    def likeness(self, question: Array) -> tuple[Ids, Array]:
        """The ids of all items that have a vector, and how like the question each is, from -1 to 1."""
        with self._lock:
            self._read()
            count = self._count
            ids, rows, factors = self._ids[:count], self._rows[:count], self._factors[:count]
        found = np.empty(count, np.float32)
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
        self._numbers: Ids = np.empty(0, np.int64)
        self._ids: Ids = np.empty(0, np.int64)
        self._rows: npt.NDArray[np.int8] = np.empty((0, self._dimensions), np.int8)
        self._factors: Array = np.empty(0, np.float32)

    def _read(self) -> None:
        gone = self._database.read(_gone)
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
        statement = "SELECT id FROM memory_vectors WHERE model = ?"
        return [row["id"] for row in connection.execute(statement, (self._model,)).fetchall()]

    def _newer(self, connection: Connection) -> list[Row]:
        statement = (
            "SELECT id, item_id, vector FROM memory_vectors WHERE id > ? AND model = ? ORDER BY id LIMIT ?"
        )
        return connection.execute(statement, (self._last, self._model, READ)).fetchall()

    def _add(self, rows: list[Row]) -> None:
        """New arrays where there is no room: those that a walk has in hand stay as they are."""
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), np.float16)
        wide = vectors.reshape(len(rows), self._dimensions).astype(np.float32)
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


def _gone(connection: Connection) -> int:
    row = connection.execute("SELECT value FROM memory_state WHERE name = 'vectors_gone'").fetchone()
    return int(row["value"])
