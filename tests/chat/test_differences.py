"""What a difference says, in its own lines."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.differences import MOST_LINES, ChangedFile, asks_what_changed, changed_files
from desktop.chat.receipts import told_difference
from desktop.tools.calls import Call, CallResult, CallStatus

GARDEN = """Unstaged changes:
diff --git a/plants.md b/plants.md
index 52f6e10..b1c990f 100644
--- a/plants.md
+++ b/plants.md
@@ -1,4 +1,4 @@
 # Plants

-- three tomatoes
+- seven tomatoes
 - one fig
"""


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (GARDEN, [("plants.md", ["-- three tomatoes", "+- seven tomatoes"])]),
        (
            "--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+--- two\n"
            "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n",
            [("new.txt", ["+one", "+--- two"]), ("old.txt", ["-gone"])],
        ),
        (
            "--- x.txt\t2026-11-29 10:00\n+++ y.txt\t2026-11-29\n@@ -1 +1 @@\n-a\n+b\n",
            [("y.txt", ["-a", "+b"])],
        ),
        ("On branch main\nnothing to commit", []),
        ("- three tomatoes\n+ seven tomatoes", []),
        ("--- a/x\n+++ b/x\n@@ -0,0 +1,99 @@\n" + "+line\n" * (MOST_LINES + 1), []),
        ("@@ -1 +1 @@\n-a\n+b\n", []),
    ],
)
def test_the_changed_lines_of_each_file(text: str, files: list[tuple[str, list[str]]]) -> None:
    """Of those that are named, without what only stands beside a change; too many are none."""
    assert changed_files(text) == tuple(ChangedFile(name, tuple(lines)) for name, lines in files)


LINES = st.lists(st.sampled_from(["a", "b", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "", "- c"]), max_size=8)


@given(LINES, LINES)
def test_lines_that_look_like_a_head_are_lines(before: list[str], after: list[str]) -> None:
    """What is gone and what is new comes out as it went in, whatever the file holds."""
    text = "\n".join(difflib.unified_diff(before, after, "a/f", "b/f", lineterm=""))
    lines = [line for each in changed_files(text) for line in each.lines]
    wanted: dict[str, list[str]] = {"+": [], "-": []}
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            wanted["-"] += before[i:j]
            wanted["+"] += after[k:m]
    assert {kind: [line[1:] for line in lines if line[0] == kind] for kind in wanted} == wanted


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What changed in this repository?", True),
        ("What did I change since yesterday?", True),
        ("Show me the differences", True),
        ("Was hat sich geändert?", True),
        ("Qu'est-ce qui a changé ?", True),
        ("¿Qué ha cambiado?", True),
        ("Summarise the changes", False),
        ("Warum hat sich das geändert?", False),
        ("Write a commit message for these changes", False),
        ("Change the title", False),
        ("What is in plants.md?", False),
    ],
)
def test_who_asks_what_changed_gets_the_lines(asked: str, answer: bool) -> None:
    """And no words of a model's; what is to be made of them is the model's to say."""
    assert asks_what_changed(asked) is answer
    result = CallResult(Call("1", "git__git_diff_unstaged", {}), CallStatus.DONE, GARDEN)
    told = told_difference([result], asked)
    assert ("-- three tomatoes\n+- seven tomatoes" in told) is answer
    assert "fig" not in told
    assert told_difference([result, result], asked) == ""
