"""Ranks items by likeness of meaning: one more ranker beside words and parts of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import structlog

from desktop.database import Database
from desktop.memory.search import Ids, Question, allowed
from desktop.memory.vectors.bert import Array
from desktop.memory.vectors.matrix import Matrix

log = structlog.get_logger(__name__)

LOOKED_AT = 600  # of the most like, before their view is looked at
ENOUGH = 50  # of them in the view, and no more are asked for
LEAST = 0.3  # of the cosine; hardly a filter: of random turns a third are above it
SURE = 0.55  # of the cosine: of what is surely about the same
WEIGHT = 1.0  # where words count 3


class Embedder(Protocol):
    """Makes numbers of a text. Called on any thread."""

    id: str
    dimensions: int

    @property
    def is_there(self) -> bool: ...

    def question(self, text: str) -> Array: ...

    def texts(self, texts: Sequence[str]) -> Array: ...

    def forget(self) -> None: ...


class Vectors:
    """Ranks nothing while it is switched off or the model is not there. May be called on any thread."""

    name = "meaning"
    weight = WEIGHT

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        enabled: Callable[[], bool] = lambda: True,
        least: Callable[[], float] = lambda: LEAST,
    ) -> None:
        self.embedder = embedder
        self._database = database
        self._matrix = Matrix(database, embedder.id, embedder.dimensions)
        self._enabled = enabled
        self._least = least

    @property
    def is_on(self) -> bool:
        return self._enabled() and self.embedder.is_there

    @property
    def size_bytes(self) -> int:
        """What the vectors take in memory."""
        return self._matrix.size_bytes

    def rank(self, question: Question) -> Ids:
        """The most alike first; a file that cannot be read costs no answer."""
        if not question.terms or not self.is_on:
            return ()
        try:
            asked = self.embedder.question(question.text)
        except (OSError, ValueError) as error:
            log.warning("no search by meaning", reason=str(error))
            return ()
        ids, likeness = self._matrix.likeness(asked)
        return self._best(question, ids, likeness) if len(ids) else ()

    def fits(self, question: Question, ids: Ids) -> bool:
        """Whether one of these is surely about the same, in whatever words."""
        if not ids or not self.is_on:
            return False
        known, likeness = self._matrix.likeness(self.embedder.question(question.text))
        return bool(np.any(likeness[np.isin(known, ids)] >= SURE))

    def forget(self) -> None:
        """Give the memory of model and vectors back."""
        self.embedder.forget()
        self._matrix.forget()

    # -- inside -------------------------------------------------------------------------------

    def _best(self, question: Question, ids: np.typing.NDArray[np.int64], likeness: Array) -> Ids:
        best = _most(likeness, LOOKED_AT)
        inside = self._inside(question, [int(each) for each in ids[best]])
        if len(inside) < min(ENOUGH, question.limit) and len(ids) > LOOKED_AT:
            own = np.isin(ids, self._in_view(question))
            ids, likeness = ids[own], likeness[own]
            best = _most(likeness, question.limit)
            inside = {int(each) for each in ids[best]}
        least = self._least()
        found = [int(ids[n]) for n in best if likeness[n] >= least and int(ids[n]) in inside]
        return found[: question.limit]

    def _inside(self, question: Question, ids: Sequence[int]) -> set[int]:
        where, values = allowed(question)
        marks = ", ".join("?" * len(ids))
        statement = f"SELECT id FROM memory_items WHERE id IN ({marks}) AND {where}"  # noqa: S608 - our own
        rows = self._database.read(lambda c: c.execute(statement, (*ids, *values)).fetchall())
        return {row["id"] for row in rows}

    def _in_view(self, question: Question) -> list[int]:
        where, values = allowed(question)
        statement = f"SELECT id FROM memory_items WHERE {where}"  # noqa: S608 - from our own words
        rows = self._database.read(lambda c: c.execute(statement, values).fetchall())
        return [row["id"] for row in rows]


def _most(likeness: Array, count: int) -> list[int]:
    """The places of the greatest, the greatest first."""
    everything = np.arange(len(likeness))
    some = everything if len(likeness) <= count else np.argpartition(-likeness, count)[:count]
    return [int(n) for n in some[np.argsort(-likeness[some], kind="stable")]]
