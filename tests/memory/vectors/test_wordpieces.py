"""Texts become the pieces that the model was trained with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.memory.vectors.wordpieces import WordPieces
from desktop.paths import resources

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
