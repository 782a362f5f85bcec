"""Texts become the pieces that the model was trained with."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.memory.vectors.minilm import HEADS, Array, Bert, WordPieces, gelu
from desktop.paths import resources
from tests.memory.vectors.conftest import LAYERS, WIDTH, tensors, write_safetensors

PIECES = WordPieces(resources() / "memory" / "wordpieces.txt")


# Numbers that the reference implementation (the tokenizers library 0.23, this model's tokenizer.json) gives.
KNOWN = (
    ("That is a happy person", [101, 2008, 2003, 1037, 3407, 2711, 102]),
    ("unbelievably", [101, 4895, 8671, 2666, 3567, 6321, 102]),
    ("Ärger, naïve!", [101, 12098, 4590, 1010, 15743, 999, 102]),
    ("don't  stop\t1/2", [101, 2123, 1005, 1056, 2644, 1015, 1013, 1016, 102]),
    ("東京", [101, 1879, 1755, 102]),
    ("🙂 ok", [101, 100, 7929, 102]),
    ("", [101, 102]),
    ("a" * 150, [101, 100, 102]),
)


@pytest.mark.parametrize(("text", "numbers"), KNOWN)
def test_known_texts(text: str, numbers: list[int]) -> None:
    """As the reference cuts them."""
    assert PIECES.numbers(text, 256) == numbers


@given(st.text(max_size=80), st.integers(min_value=2, max_value=40))
def test_any_text_is_cut(text: str, most: int) -> None:
    """Between start and end, never more than asked for, only numbers that exist."""
    numbers = PIECES.numbers(text, most)
    assert 2 <= len(numbers) <= most
    assert (numbers[0], numbers[-1]) == (101, 102)
    assert all(0 <= number < 30522 for number in numbers)


def plain(weights: dict[str, Array], numbers: list[int]) -> list[float]:
    """The same in loops, one number after another: slow, and with nothing in common but the formulas."""

    def linear(row: list[float], name: str) -> list[float]:
        matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            sum(float(a) * b for a, b in zip(line, row, strict=True)) + float(c)
            for line, c in zip(matrix, bias, strict=True)
        ]

    def norm(row: list[float], name: str) -> list[float]:
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + 1e-12)
        weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [(x - mean) / spread * float(w) + float(b) for x, w, b in zip(row, weight, bias, strict=True)]

    def added(one: list[float], other: list[float]) -> list[float]:
        return [a + b for a, b in zip(one, other, strict=True)]

    words, places = (
        weights["embeddings.word_embeddings.weight"],
        weights["embeddings.position_embeddings.weight"],
    )
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    states = [
        norm(
            [float(a + b + c) for a, b, c in zip(words[n], places[p], kind, strict=True)],
            "embeddings.LayerNorm",
        )
        for p, n in enumerate(numbers)
    ]
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            [linear(s, f"{name}.attention.self.{part}") for s in states] for part in ("query", "key", "value")
        )
        mixed = [[0.0] * WIDTH for _ in states]
        for head in range(HEADS):
            span = range(head * size, (head + 1) * size)
            for i in range(len(states)):
                scores = [sum(q[i][d] * k[j][d] for d in span) / math.sqrt(size) for j in range(len(states))]
                shares = [math.exp(s - max(scores)) for s in scores]
                for d in span:
                    mixed[i][d] = sum(w * v[j][d] for j, w in enumerate(shares)) / sum(shares)
        states = [
            norm(added(s, linear(m, f"{name}.attention.output.dense")), f"{name}.attention.output.LayerNorm")
            for s, m in zip(states, mixed, strict=True)
        ]
        wide = [
            [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in linear(s, f"{name}.intermediate.dense")]
            for s in states
        ]
        states = [
            norm(added(s, linear(w, f"{name}.output.dense")), f"{name}.output.LayerNorm")
            for s, w in zip(states, wide, strict=True)
        ]
    mean = [sum(column) / len(states) for column in zip(*states, strict=True)]
    length = math.sqrt(sum(x * x for x in mean))
    return [x / length for x in mean]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.safetensors"
    write_safetensors(path, tensors())
    return path


def test_it_computes_what_the_formulas_say(file: Path) -> None:
    """Against the formulas written out in loops, alone and beside a longer text."""
    texts = [[2, 7, 9, 3], [2, 5, 3], [2, 11, 12, 13, 14, 15, 3]]
    made = Bert(file).encode(texts)
    assert made.shape == (3, WIDTH)
    for row, text in zip(made, texts, strict=True):
        assert np.allclose(row, plain(tensors(), text), atol=2e-5)


def test_padding_changes_nothing(file: Path) -> None:
    """A text has the same numbers alone and in a batch."""
    bert = Bert(file)
    alone, beside = bert.encode([[2, 7, 3]])[0], bert.encode([[2, 7, 3], list(range(20))])[0]
    assert np.allclose(alone, beside, atol=1e-6)


def test_the_activation_is_the_exact_one() -> None:
    """Within what 32 bits tell apart."""
    values = np.linspace(-6, 6, 1001).astype(np.float32)
    exact = [x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in values.tolist()]
    assert np.abs(gelu(values) - np.array(exact)).max() < 2e-6


@pytest.mark.parametrize("content", [b"", b"GGUF" * 10, b"\xff" * 100])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    """With a reason, not with a crash."""
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.safetensors"):
        Bert(path)


def test_a_file_with_other_weights_is_refused(tmp_path: Path) -> None:
    """A safetensors file of something else."""
    path = tmp_path / "x.safetensors"
    write_safetensors(path, {"lm_head.weight": np.zeros((2, 2), np.float32)})
    with pytest.raises(ValueError, match="no BERT encoder"):
        Bert(path)
