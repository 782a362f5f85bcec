"""What checks say when they fail: counts, the first failure, the places that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.builder.check import (
    LONGEST_FAILURE,
    Counts,
    FailurePlace,
    counts,
    essence,
    first_failure,
    is_complete,
    places,
)

PYTEST = """..F.F                                                    [100%]
=================================== FAILURES ===================================
___________________________________ test_slug __________________________________

    def test_slug():
>       assert slug("A B") == "a-b"
E       AssertionError: assert 'A_B' == 'a-b'

test_text.py:4: AssertionError
__________________________________ test_other __________________________________

    def test_other():
>       other()

test_text.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
text.py:7: in other
E   ValueError
=========================== short test summary info ============================
FAILED test_text.py::test_slug
2 failed, 3 passed in 0.02s
"""
UNITTEST = """.F
======================================================================
FAIL: test_one (test_roman.RomanTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_roman.py", line 8, in test_one
    self.assertEqual(number_of("I"), 1)
AssertionError: 0 != 1

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
"""
COUNTED = {
    "pytest": (PYTEST, Counts(3, 2)),
    "pytest, all": ("...\n3 passed in 0.01s\n", Counts(3, 0)),
    "pytest, a file that cannot be read": ("1 error in 0.10s\n", Counts(0, 1)),
    "unittest": (UNITTEST, Counts(1, 1)),
    "unittest, all": ("Ran 4 tests in 0.1s\n\nOK\n", Counts(4, 0)),
    "node": ("not ok 1 - x\n# tests 3\n# pass 2\n# fail 1\n", Counts(2, 1)),
    "jest": ("Tests:       1 failed, 4 passed, 5 total\n", Counts(4, 1)),
    "mocha": ("  3 passing (5ms)\n  1 failing\n", Counts(3, 1)),
    "go": ("--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n", Counts(1, 1)),
    "cargo": ("test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\n", Counts(2, 1)),
    "cargo, and no examples in comments": (
        "test result: ok. 2 passed; 0 failed; 0 ignored\n\n   Doc-tests gcd\n\nrunning 0 tests\n\n"
        "test result: ok. 0 passed; 0 failed; 0 ignored\n",
        Counts(2, 0),
    ),
    "nothing said": ("Segmentation fault\n", Counts()),
}


@pytest.mark.parametrize("name", COUNTED)
def test_tests_are_counted_as_their_program_says(name: str) -> None:
    """What a program does not say is not guessed."""
    output, wanted = COUNTED[name]
    assert counts(output) == wanted


@pytest.mark.parametrize(
    ("output", "least", "is_whole"),
    [
        ("3 passed in 0.01s", 3, True),
        ("2 passed in 0.01s", 3, False),
        ("", 3, False),
        ("", 0, True),
        ("PASS\n", 1, True),
        ("ok  \texample\t0.01s\n", 1, True),
        ("--- FAIL: TestA\n", 2, False),
    ],
)
def test_a_pass_needs_as_many_tests_as_before(output: str, least: int, is_whole: bool) -> None:
    """Go's program names none where all pass, and says that it came to its end."""
    assert is_complete(output, least) == is_whole


def test_a_test_that_prints_a_result_does_not_count() -> None:
    """The program's own last line is believed."""
    assert counts(f"99 passed\n{PYTEST}") == Counts(3, 2)


def test_the_first_failure_is_one_test_s() -> None:
    """With what was expected and what came, and nothing of the next test."""
    told = first_failure(PYTEST)
    assert "'A_B' == 'a-b'" in told
    assert "test_other" not in told
    assert "number_of" in first_failure(UNITTEST)


def test_a_long_failure_keeps_both_ends() -> None:
    """A small model reads no more than it is good for."""
    told = first_failure(f"error: begin\n{'x' * 9000}\nend")
    assert len(told) <= LONGEST_FAILURE
    assert told.startswith("error: begin")
    assert told.endswith("end")


LINES = {
    "pytest": ("text.py:7: AssertionError", 7),
    "python": ('  File "text.py", line 12, in f', 12),
    "python, where it hangs": ('  File "text.py", line 3 in f', 3),
    "compiler": ("text.py:5:9: error: expected ';'", 5),
    "node": ("    at slug (text.py:5:9)", 5),
    "typescript": ("text.py(6,1): error TS2304", 6),
    "rust": ("  --> text.py:8:3", 8),
    "go": ("\ttext.py:9 +0x1d", 9),
}


@pytest.mark.parametrize("name", LINES)
def test_places_are_read(tmp_path: Path, name: str) -> None:
    """File and line in the way of each language, relative to the project."""
    said, line = LINES[name]
    (tmp_path / "text.py").write_text("")
    assert places(f"error\n{said}\n", tmp_path)[0] == FailurePlace("text.py", line)


@pytest.mark.parametrize("said", ["/etc/passwd.py:3: error", "../text.py:3: error", "gone.py:3: error"])
def test_a_place_elsewhere_is_none(tmp_path: Path, said: str) -> None:
    """Only files of the project are worked on."""
    assert places(said, tmp_path) == ()


def test_the_same_failure_is_known_again() -> None:
    """Addresses, times, folders and lines differ from run to run; what was expected does not."""
    one = "x.py:3: <Box at 0x7f01> took 0.31s in /tmp/a/b"
    other = "x.py:9: <Box at 0x55aa> took 1.2s in /home/c/b"
    assert essence(one) == essence(other)
    assert essence("expected 1") != essence("expected 2")
