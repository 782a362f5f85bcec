"""A small model with the same shape as the real one, and a store with vectors."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from desktop.database import Database
from desktop.memory.memory import Memory
from desktop.memory.vectors.minilm import Array, normalised
from desktop.memory.vectors.ranker import VectorRanker
from desktop.memory.vectors.vector_store import VectorWriter

WIDTH, LAYERS, WIDE = 24, 2, 48
# Words that mean the same have the same direction here.
MEANINGS = {
    "car": "auto",
    "automobile": "auto",
    "vehicle": "auto",
    "physician": "doctor",
    "dentist": "doctor",
}


class ByMeaning:
    """Numbers by hashing words, after a table of what means the same."""

    id = "by-meaning"
    dimensions = 64
    is_there = True

    def __init__(self) -> None:
        self.asked = 0
        self.forgotten = 0

    def question(self, text: str) -> Array:
        return self.texts((text,))[0]

    def texts(self, texts: Sequence[str]) -> Array:
        self.asked += len(texts)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for number, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()):
                meant = MEANINGS.get(word, word)
                seed = int.from_bytes(hashlib.sha256(meant.encode()).digest()[:4], "little")
                rows[number] += (
                    np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
                )
        return normalised(rows)

    def forget(self) -> None:
        self.forgotten += 1


@pytest.fixture
def embedder() -> ByMeaning:
    return ByMeaning()


@pytest.fixture
def vectors(database: Database, embedder: ByMeaning) -> VectorRanker:
    return VectorRanker(database, embedder)


@pytest.fixture
def writer(memory: Memory, vectors: VectorRanker) -> VectorWriter:
    return VectorWriter(memory.store.database, vectors)


def tensors(seed: int = 1, pieces: int = 40) -> dict[str, Array]:
    """Random weights of a small encoder, under the names that files have."""
    made = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return made.standard_normal(shape).astype(np.float32) * np.float32(0.3)

    found = {
        "embeddings.word_embeddings.weight": some(pieces, WIDTH),
        "embeddings.position_embeddings.weight": some(32, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": some(WIDTH),
        "embeddings.LayerNorm.bias": some(WIDTH),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part, shape in (
            *((f"attention.self.{each}", (WIDTH, WIDTH)) for each in ("query", "key", "value")),
            ("attention.output.dense", (WIDTH, WIDTH)),
            ("intermediate.dense", (WIDE, WIDTH)),
            ("output.dense", (WIDTH, WIDE)),
        ):
            found[f"{name}.{part}.weight"], found[f"{name}.{part}.bias"] = some(*shape), some(shape[0])
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{name}.{part}.weight"], found[f"{name}.{part}.bias"] = some(WIDTH), some(WIDTH)
    return found


def write_safetensors(path: Path, values: dict[str, Array]) -> None:
    """As the format's description has it: length, header in JSON, data."""
    header, data = {}, b""
    for name, value in values.items():
        raw = value.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": value.shape,
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
