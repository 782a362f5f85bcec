"""The vectors of items as they lie on disk and in memory: who makes them, and what compares them.

A table for each kind of numbers, by triggers without the numbers of what was forgotten or changed.
`VectorWriter` makes what is missing while nobody waits; `VectorMatrix` holds a question against all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import structlog

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.memory.vectors.minilm import Array

log = structlog.get_logger(__name__)

AT_ONCE = 4096  # rows that are widened together: they stay in the processor's cache
GROWTH = 1.25
READ = 5000  # rows of one reading
BATCH = 8  # items: a few hundred milliseconds
BUSY_S = 2.0  # until it is looked again whether the computer is free
PAUSE_S = 0.05  # between batches, for others
IdArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class VectorTable:
    """Where vectors lie: the table, the counter in `memory_state` of those that went, and of which items they
    are made, as SQL over `i`."""

    name: str = "memory_vectors"
    gone: str = "vectors_gone"
    items: str = "1"


VECTORS = VectorTable()


class Vectors(Protocol):
    """What makes the vectors of items: `vectors_of` gives a row for each."""

    @property
    def model(self) -> str: ...

    @property
    def is_on(self) -> bool: ...

    def vectors_of(self, rows: Sequence[Row]) -> Array: ...

    def forget(self) -> None: ...


class VectorWriter:
    """A thread of its own. `wake` after something was stored; `close` ends it before the database closes."""

    def __init__(
        self,
        database: Database,
        vectors: Vectors,
        is_idle: Callable[[], bool] = lambda: True,
        table: VectorTable = VECTORS,
        batch: int = BATCH,
    ) -> None:
        """`batch` items are read before it is looked again whether the computer is free."""
        self._database = database
        self._vectors = vectors
        self._is_idle = is_idle
        self._table = table
        self._batch_items = batch
        self._without = (
            f"memory_items i LEFT JOIN {table.name} v ON v.item_id = i.id AND v.model = ?"
            f" WHERE v.id IS NULL AND {table.items}"
        )
        self._work = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vectors", daemon=True)

    def start(self) -> None:
        """Begin with what there is."""
        self._work.set()
        self._thread.start()

    def wake(self) -> None:
        """There may be new items, or the setting is another. Any thread; returns at once."""
        self._work.set()

    def close(self) -> None:
        """End after the batch under way. Safe to call twice."""
        self._closing.set()
        self._work.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def waiting(self) -> int:
        """How many items have no vector of this model yet."""
        statement = f"SELECT count(*) FROM {self._without}"  # noqa: S608 - from this file
        row = self._database.read(lambda c: c.execute(statement, (self._vectors.model,)).fetchone())
        return int(row[0])

    def write_all(self) -> int:
        """Make all that are missing now, on this thread; returns how many. Raises OSError or ValueError."""
        count = 0
        while made := self._batch():
            count += made
        return count

    # -- inside -------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            self._work.wait()
            self._work.clear()
            try:
                self._work_off()
            except (OSError, ValueError, UserFacing) as error:
                log.warning("no vectors are made", reason=str(error))

    def _work_off(self) -> None:
        while self._vectors.is_on and not self._closing.is_set():
            # An answer under way needs the processor more.
            if not self._is_idle():
                self._closing.wait(BUSY_S)
            elif self._batch():
                self._closing.wait(PAUSE_S)
            else:
                return
        # Switched off: what the model takes in memory is given back.
        if not self._vectors.is_on:
            self._vectors.forget()

    def _batch(self) -> int:
        rows = self._database.read(self._missing)
        if not rows:
            return 0
        made = self._vectors.vectors_of(rows)
        self._database.write(lambda c: self._insert(c, rows, made))
        return len(rows)

    def _missing(self, connection: Connection) -> list[Row]:
        """The newest first: they are asked for most."""
        statement = f"SELECT i.id, i.speaker, i.text FROM {self._without} ORDER BY i.id DESC LIMIT ?"  # noqa: S608
        return connection.execute(statement, (self._vectors.model, self._batch_items)).fetchall()

    def _insert(self, connection: Connection, rows: Sequence[Row], made: Array) -> None:
        """Insert vectors whose words are still those that were looked at."""
        for row, vector in zip(rows, made, strict=True):
            # There may be one of another model.
            table = self._table.name
            connection.execute(f"DELETE FROM {table} WHERE item_id = ?", (row["id"],))  # noqa: S608 - our own
            connection.execute(
                f"INSERT INTO {table} (item_id, model, vector)"  # noqa: S608 - our own
                " SELECT id, ?, ? FROM memory_items WHERE id = ? AND text = ?",
                (self._vectors.model, vector.astype("<f2").tobytes(), row["id"], row["text"]),
            )


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
