"""A ranker that is made when it is first needed: few switch it on, and its libraries are large."""

from __future__ import annotations

from collections.abc import Callable

from desktop.memory.search import Ids, Question, Ranker


class LateRanker:
    """Ranks nothing while `wanted` says no. May be called on any thread, as what it stands for."""

    def __init__(
        self, name: str, weight: float, wanted: Callable[[], bool], made: Callable[[], Ranker]
    ) -> None:
        """`made` gives the ranker, always the same one."""
        self.name = name
        self.weight = weight
        self._wanted = wanted
        self._made = made

    def rank(self, question: Question) -> Ids:
        return self._made().rank(question) if self._wanted() else ()

    def fits(self, question: Question, ids: Ids) -> bool:
        return self._wanted() and self._made().fits(question, ids)
