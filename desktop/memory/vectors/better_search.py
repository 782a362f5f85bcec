"""Search by meaning, as the user switches it: fetch the model, and make vectors while nobody waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.memory.vectors.minilm import MINILM, Array
from desktop.memory.vectors.ranker import VECTORS, VectorRanker, VectorTable
from desktop.models.download import SingleFile
from desktop.models.progress import DownloadControl

log = structlog.get_logger(__name__)

BATCH = 8  # items: a few hundred milliseconds
BUSY_S = 2.0  # until it is looked again whether the computer is free
PAUSE_S = 0.05  # between batches, for others


@dataclass(frozen=True)
class BetterState:
    """`waiting` is how many memories are found by words alone until they have been read."""

    is_on: bool
    is_fetched: bool
    waiting: int = 0


class BetterSearch:
    """`switch_on` may take minutes; all methods on pool threads."""

    def __init__(
        self,
        files: SingleFile,
        vectors: VectorRanker,
        writer: VectorWriter,
        set_on: Callable[[bool], object],
    ) -> None:
        """`set_on` changes the setting that `vectors` looks at."""
        self._files = files
        self._vectors = vectors
        self._writer = writer
        self._set_on = set_on

    @property
    def download_bytes(self) -> int:
        return MINILM.size_bytes or 0

    @property
    def model_id(self) -> str:
        """What the events of the download name."""
        return MINILM.id

    def state(self) -> BetterState:
        is_on = self._vectors.is_on
        fetched = self._files.path(MINILM).exists()
        return BetterState(is_on, fetched, self._writer.waiting if is_on else 0)

    def switch_on(self, control: DownloadControl | None = None) -> None:
        """Fetch the model if it is not there, and use it. Raises UserFacing or Cancelled."""
        self._files.get(MINILM, control)
        self._set_on(True)
        self._writer.wake()

    def switch_off(self) -> None:
        """Find by words alone again, and give the memory back. The file and what was read stay."""
        self._set_on(False)
        self._writer.wake()


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
        """Only where the words are still those that were looked at."""
        for row, vector in zip(rows, made, strict=True):
            # There may be one of another model.
            table = self._table.name
            connection.execute(f"DELETE FROM {table} WHERE item_id = ?", (row["id"],))  # noqa: S608 - our own
            connection.execute(
                f"INSERT INTO {table} (item_id, model, vector)"  # noqa: S608 - our own
                " SELECT id, ?, ? FROM memory_items WHERE id = ? AND text = ?",
                (self._vectors.model, vector.astype("<f2").tobytes(), row["id"], row["text"]),
            )
