"""What is read off a diff: marks, numbers, counts, and the words that changed."""

from __future__ import annotations

import difflib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.ui.permission.shown_text import (
    BETWEEN,
    LONGEST_COLOURED,
    MOST_COMPARED,
    counts,
    read_change,
    stretches,
    without_notation,
)
from tests.processor_time import processor_time


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
    with processor_time() as spent:
        stretches((unit * LONGEST_COLOURED)[:LONGEST_COLOURED], "bash")
    assert spent.at_rest_s < 1


@pytest.mark.parametrize(("command", "shell"), [("rm x", "fish"), ("a;" * LONGEST_COLOURED, "bash")])
def test_what_is_unknown_or_too_long_has_one_colour(command: str, shell: str) -> None:
    """No guess is made."""
    assert stretches(command, shell) == ()


DIFF = """--- a.txt
+++ a.txt
@@ -9,4 +9,3 @@
 kept
--- gone
-x = old(1)
+x = new(1)
 kept too
\\ No newline at end of file
@@ -40 +39,2 @@
-end
+end
++++ more
"""

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n same\n*** Delete File: b.py\n*** End Patch\n"

LINE = st.text(alphabet="ab -+@\\", max_size=6)


def test_every_line_has_its_mark_and_number() -> None:
    """A removed line that begins with two dashes is no header, for the hunk says how long it is."""
    read = [(line.mark, line.number, line.text) for line in read_change(DIFF)]
    assert read[:3] == [("", 0, "--- a.txt"), ("", 0, "+++ a.txt"), ("", 0, "@@ -9,4 +9,3 @@")]
    assert read[3:8] == [
        (" ", 9, "kept"),
        ("-", 10, "-- gone"),
        ("-", 11, "x = old(1)"),
        ("+", 10, "x = new(1)"),
        (" ", 11, "kept too"),
    ]
    assert [(mark, number) for mark, number, _ in read[8:]] == [
        ("", 0),
        ("", 0),
        ("-", 40),
        ("+", 39),
        ("+", 40),
    ]
    assert counts(read_change(DIFF)) == (3, 3)


def test_people_are_not_shown_the_notation_of_diffs() -> None:
    """Which file it is says the title, which lines the numbers; a gap between two places is marked."""
    shown = [(line.mark, line.text) for line in without_notation(read_change(DIFF))]
    assert shown[:2] == [(" ", "kept"), ("-", "-- gone")]
    assert shown[4:] == [
        (" ", "kept too"),
        # Here the end of the last line is all that differs between two lines.
        ("", "\\ No newline at end of file"),
        ("", BETWEEN),
        ("-", "end"),
        ("+", "end"),
        ("+", "+++ more"),
    ]
    new_file = "--- a\n+++ a\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n"
    assert [line.text for line in without_notation(read_change(new_file))] == ["one"]


def test_the_files_of_a_change_of_several_are_named() -> None:
    """There no title says which lines belong to which."""
    two = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"
    said = [line.text for line in without_notation(read_change(two)) if not line.mark]
    assert said == ["--- a", "+++ a", "--- b", "+++ b"]


def test_a_patch_without_numbers_is_read_by_its_letters() -> None:
    """Nothing of it is left out, and no number is made up."""
    lines = read_change(PATCH)
    assert "".join(f"{line.mark}{line.text}\n" for line in lines) == PATCH
    assert counts(lines) == (1, 1)
    assert {line.number for line in lines} == {0}


def test_the_words_that_changed_are_told() -> None:
    """Those that the other line lacks; lines with nothing in common are not compared."""
    old, new = (line for line in read_change("@@ -1 +1 @@\n-x = old(1)\n+x = new(1)\n") if line.mark)
    assert [old.text[slice(*span)] for span in old.changed] == ["old"]
    assert [new.text[slice(*span)] for span in new.changed] == ["new"]
    apart = read_change("@@ -1 +1 @@\n-abc\n+xyz()\n")
    assert not any(line.changed for line in apart)


def test_a_change_of_very_many_lines_is_compared_only_in_part() -> None:
    """The dialog may not keep anybody waiting."""
    many = "".join(f"-x {n}\n+y {n}\n" for n in range(2 * MOST_COMPARED))
    assert sum(bool(line.changed) for line in read_change(many)) == 2 * MOST_COMPARED


@given(st.lists(LINE), st.lists(LINE))
def test_nothing_of_a_change_is_lost(before: list[str], after: list[str]) -> None:
    """Whatever the lines look like, old and new file stand in what is read, with their numbers."""
    diff = "\n".join(difflib.unified_diff(before, after, "a", "a", n=99, lineterm=""))
    lines = read_change(diff)
    if before != after:
        assert [line.text for line in lines if line.mark in ("-", " ")] == before
        new = [line for line in lines if line.mark in ("+", " ")]
        assert [line.text for line in new] == after
        assert [line.number for line in new] == list(range(1, len(after) + 1))
    assert [f"{line.mark}{line.text}" for line in lines] == diff.split("\n")
