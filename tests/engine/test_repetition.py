"""Answers that never end, told from those that only repeat something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.engine.repetition import LONGEST_PERIOD, LOOK_EVERY, REPEATED_TOKENS, repeats

LONG = 2_048


def noticed(answer: list[int]) -> int:
    """At how many tokens it is stopped; 0 where it never is."""
    return next((length for length in range(1, len(answer) + 1) if repeats(answer[:length])), 0)


@pytest.mark.parametrize("period", [1, 2, 7, 31, 64, LONGEST_PERIOD])
def test_the_same_over_and_over_is_stopped(period: int) -> None:
    """A word, a line or a few lines: after some six hundred tokens, not at the limit of the length."""
    start, piece = list(range(1000, 1100)), list(range(period))
    answer = (start + piece * LONG)[:LONG]
    at = noticed(answer)
    assert 0 < at <= len(start) + REPEATED_TOKENS + LONGEST_PERIOD + LOOK_EVERY


@pytest.mark.parametrize(
    "answer",
    [
        list(range(LONG)),
        [*range(40)] * 10 + list(range(LONG)),  # a refrain
        [number for line in range(400) for number in (1, 2, line + 10, 3)],  # numbered lines
        [number for row in range(30) for number in ([0] * 16 + [row % 2 + 5])],  # a matrix
    ],
)
def test_what_only_repeats_something_goes_on(answer: list[int]) -> None:
    """Lists, tables and refrains are answers."""
    assert noticed(answer) == 0


@given(st.lists(st.integers(0, 3), min_size=LONGEST_PERIOD, max_size=LONGEST_PERIOD), st.integers(1, 96))
def test_any_piece_is_noticed(piece: list[int], period: int) -> None:
    """Whatever it is that comes back."""
    assert noticed((piece[:period] * LONG)[:LONG]) > 0
