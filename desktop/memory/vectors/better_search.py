"""Search by meaning, as the user switches it: fetch the model, and make vectors while nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop.memory.vectors.minilm import MINILM
from desktop.memory.vectors.ranker import VectorRanker
from desktop.memory.vectors.vector_store import VectorWriter
from desktop.models.download import SingleFile
from desktop.models.progress import DownloadControl


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
