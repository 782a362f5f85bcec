"""Colours help the eye to take a command line apart."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.ui.permission.syntax import LONGEST_COLOURED, stretches


def coloured(command: str, shell: str = "bash") -> list[tuple[str, str]]:
    return [(command[s.start : s.end], s.colour) for s in stretches(command, shell)]


@pytest.mark.parametrize(
    ("command", "shell", "expected"),
    [
        ("rm -rf x", "bash", [("rm", "code_name")]),
        ("a | b; c", "bash", [("a", "code_name"), ("b", "code_name"), ("c", "code_name")]),
        ("ls\nrm x", "bash", [("ls", "code_name"), ("rm", "code_name")]),
        ("cat 'a b'", "bash", [("cat", "code_name"), ("'a b'", "code_string")]),
        ("echo $x", "bash", [("echo", "code_name"), ("$x", "code_number")]),
        ("Remove-Item $x # c", "powershell", [("Remove-Item", "code_name"), ("# c", "secondary")]),
        ("del a & rem x", "cmd", [("del", "code_keyword")]),
    ],
)
def test_words_get_their_colour(command: str, shell: str, expected: list[tuple[str, str]]) -> None:
    """Programs, strings, variables and comments are told apart, in each shell."""
    found = coloured(command, shell)
    assert [each for each in expected if each in found] == expected


@given(st.text(), st.sampled_from(["bash", "powershell", "cmd"]))
def test_stretches_lie_in_the_text_and_never_overlap(command: str, shell: str) -> None:
    """Whatever is written, also carriage returns, which lexers like to take out."""
    found = stretches(command, shell)
    assert all(0 <= s.start < s.end <= len(command) for s in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize("unit", ["'", '"', "$(", "a;", "`", "<<", "$((", 'x="', "\\", "{", "=a "])
def test_a_text_made_to_be_slow_is_coloured_soon(unit: str) -> None:
    """The longest line that is coloured takes far less than a second, whatever it is made of."""
    start = time.process_time()
    stretches((unit * LONGEST_COLOURED)[:LONGEST_COLOURED], "bash")
    assert time.process_time() - start < 1


@pytest.mark.parametrize(("command", "shell"), [("rm x", "fish"), ("a;" * LONGEST_COLOURED, "bash")])
def test_what_is_unknown_or_too_long_has_one_colour(command: str, shell: str) -> None:
    """No guess is made."""
    assert stretches(command, shell) == ()
