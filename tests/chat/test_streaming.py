"""Thinking and answer, told apart while they stream."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.streaming import ThinkingSplitter

CASES = [
    ("plain", "Hello there", "", "Hello there"),
    ("thinking first", "<think>\nHm.\n</think>\n\nYes.", "Hm.\n", "Yes."),
    ("other spelling", "<thinking>Hm.</thinking>Yes.", "Hm.", "Yes."),
    ("empty thinking", "<think>\n\n</think>\n\nYes.", "", "Yes."),
    ("a tag in the answer is text", "Write <think> to think.", "", "Write <think> to think."),
    ("after the answer nothing is thinking", "A <think>b</think> c", "", "A <think>b</think> c"),
    ("never closed", "<think>Hm, wait", "Hm, wait", ""),
    ("half a tag at the end", "a < b <thi", "", "a < b <thi"),
    ("white space before", "\n <think>x</think>y", "x", "y"),
]


@pytest.mark.parametrize(("raw", "thinking", "text"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
@given(cuts=st.lists(st.integers(0, 40), max_size=8))
def test_split_does_not_depend_on_where_the_pieces_end(
    raw: str, thinking: str, text: str, cuts: list[int]
) -> None:
    """However the stream is cut, thinking and answer come out the same."""
    splitter = ThinkingSplitter()
    bounds = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})
    splits = [splitter.feed(raw[a:b]) for a, b in itertools.pairwise(bounds)]
    splits.append(splitter.finish())
    assert "".join(s.thinking for s in splits) == thinking
    assert "".join(s.text for s in splits) == text
