"""Ranks items by likeness of meaning: one more ranker beside words and parts of words, and how the user
switches it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import structlog

from desktop.database import AMONG, Database, Row, among
from desktop.memory.item import OWN_SPEAKER
from desktop.memory.meanings import everyday_meanings
from desktop.memory.search import Ids, MemoryQuery, allowed
from desktop.memory.vectors.minilm import MINILM, Array
from desktop.memory.vectors.vector_store import VectorMatrix

if TYPE_CHECKING:
    from desktop.memory.vectors.vector_store import VectorWriter
    from desktop.models.download import SingleFile
    from desktop.models.progress import DownloadControl

log = structlog.get_logger(__name__)

LOOKED_AT = 600  # of the most like, before their view is looked at
ENOUGH = 50  # of them in the view, and no more are asked for
LEAST = 0.3  # of the cosine; hardly a filter: of random turns a third are above it
# Of the cosine, from which on a memory is told by its meaning alone. What is asked about oneself has its
# answer in memory more often than what is asked about the world: docs/measurements.md, memory.
SURE_OF_OWN, SURE_OF_WORLD = 0.40, 0.55
WEIGHT = 1.0  # where words count 3
LONGEST = 2000  # characters of an item that are looked at
READ_AS = "German in English words"
UNNAMED = ("", OWN_SPEAKER)  # before a sentence, these say nothing, and make all sentences more alike


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
        """Items that are surely about the same, in whatever words."""
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
