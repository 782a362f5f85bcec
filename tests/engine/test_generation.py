"""Answers become text piece by piece."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.engine.generation import LONGEST_PERIOD, LOOK_EVERY, REPEATED_TOKENS, AnswerText, repeats


def spoken(pieces: list[bytes], stop: tuple[str, ...] = ()) -> tuple[list[str], bool]:
    answer = AnswerText(stop)
    shown = []
    for piece in pieces:
        shown.append(answer.push(piece))
        if answer.stopped:
            break
    shown.append(answer.finish())
    return shown, answer.stopped


@given(st.text(), st.lists(st.integers(0, 40)))
def test_characters_are_never_cut_in_two(text: str, cuts: list[int]) -> None:
    """However the bytes are cut, each piece is whole characters and together they are the text."""
    raw = text.encode()
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    pieces = [raw[a:b] for a, b in pairwise(places)]
    shown, _ = spoken(pieces)
    assert "".join(shown) == text
    assert all("\ufffd" not in piece for piece in shown) or "\ufffd" in text


@pytest.mark.parametrize(
    ("pieces", "stop", "text", "stopped"),
    [
        (["Hello", " wor", "ld"], ("xyz",), "Hello world", False),
        (["Hello\n", "User", ": more"], ("\nUser:",), "Hello", True),
        (["a", "ST", "OP", "b"], ("STOP",), "a", True),
        (["a", "ST", "x"], ("STOP",), "aSTx", False),
        (["aSTOPb"], ("STOP", "a"), "", True),
        (["end S"], ("STOP",), "end S", False),
        (["aab", "aac"], ("aac",), "aab", True),
        (["plain"], ("",), "plain", False),
    ],
)
def test_nothing_of_a_stop_text_is_shown(
    pieces: list[str], stop: tuple[str, ...], text: str, stopped: bool
) -> None:
    """Text that may become a stop text is held back until that is decided."""
    shown, ended = spoken([piece.encode() for piece in pieces], stop)
    assert ("".join(shown), ended) == (text, stopped)


@given(st.text("ab\n", max_size=30), st.text("ab\n", min_size=1, max_size=4), st.integers(1, 5))
def test_a_stop_text_is_found_wherever_tokens_end(text: str, stop: str, size: int) -> None:
    """What is shown is all before the first stop text, for every way of cutting the answer."""
    pieces = [text[i : i + size].encode() for i in range(0, len(text), size)]
    shown, stopped = spoken(pieces, (stop,))
    assert "".join(shown) == text.split(stop)[0]
    assert stopped == (stop in text)


def test_a_broken_character_at_the_end_is_shown_as_such() -> None:
    """An answer that ends inside a character shows the replacement character once."""
    shown, _ = spoken([b"a\xe2\x82"])
    assert "".join(shown) == "a\ufffd"


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
