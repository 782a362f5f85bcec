"""Rules of `.gitignore` files: those of Git, and those that somebody wrote to do harm."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pathspec import GitIgnoreSpec

from desktop.sandbox.workspace import Workspace
from desktop.tools.ignore_rules import IgnoreRules, walk

PATTERNS = some.lists(
    some.sampled_from(["*", "**", "/", "a", "b", "?", "[ab]", "[!a]", "[^/]", "!", "\\*", ".", "a*", "**/"]),
    min_size=1,
    max_size=8,
).map("".join)
NAMES = some.lists(some.text("ab.*", min_size=1, max_size=6), min_size=1, max_size=4).map(tuple)
HOSTILE = [
    ("*a*a*a*a*a*a*a*a*a*a*a*a*b", ("a" * 200,)),
    ("*[a]*[a]*[a]*[a]*[a]*[a]*[a]*b", ("a" * 200,)),
    ("*?*?*?*?*?*?*?*?*?*?*b", ("a" * 200,)),
    ("a*\\**\\**\\**\\**\\**\\*b", ("a" + "*" * 200,)),
    ("a**a**a**a**a**a**a**b", ("a" * 200,)),
    ("**/a" * 20 + "/b", ("a",) * 200),
    ("/".join(["**/*a*a*a*"] * 8), ("aaaaaaaaaa",) * 100),
    ("*" * 900 + "b", ("a" * 200,)),
    ("*a" * 5_000, ("a" * 200,)),
]


@pytest.mark.children
def test_no_pattern_takes_for_ever() -> None:
    """Each would keep the whole program from running for longer than anybody lives."""
    # In a process of its own: while such an expression is matched nothing else runs, no time limit of a test.
    asks = "from tests.tools.test_ignore_rules import *\nfor line, parts in HOSTILE:\n"
    asks += "    assert not IgnoreRules.of(line, 0).say(parts, is_folder=False), line\n"
    subprocess.run([sys.executable, "-c", asks], check=True, timeout=100)


@pytest.mark.parametrize("line", ["[z-a]", "a\\", "[z-a]*\n*.log", "(?P<x>\n*.log", "\0", "!"])
def test_a_line_that_is_no_rule_costs_no_other(line: str) -> None:
    """As Git does, which passes over what it cannot read."""
    rules = IgnoreRules.of(f"{line}\n*.log", 0)
    assert rules.say(("x.log",), is_folder=False) is True
    assert rules.say(("x.txt",), is_folder=False) is None


@settings(max_examples=400, deadline=None)
@given(PATTERNS, NAMES, some.booleans())
def test_what_is_ignored_is_what_was_ignored(line: str, parts: tuple[str, ...], is_folder: bool) -> None:
    """Bounding a pattern changes how long it takes and nothing else."""
    if line.count("**") > 2:
        return
    try:
        usual = GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return
    path = "/".join(parts) + ("/" if is_folder else "")
    assert IgnoreRules.of(line, 0).say(parts, is_folder) is usual.check_file(path).include


def test_a_walk_goes_on_beside_a_hostile_file(tmp_path: Path) -> None:
    """What a stranger's folder says of itself keeps nobody from looking into it."""
    (tmp_path / ".gitignore").write_text("*a*a*a*a*a*a*a*a*a*a*b\n[z-a]\nsecret*\n")
    for name in ("a" * 100, "secret.txt", "seen.txt"):
        (tmp_path / name).write_text("x")
    workspace = Workspace(tmp_path)
    found = {place.parts[-1] for place, _entry in walk(workspace.place("."), 100)}
    workspace.close()
    assert found == {".gitignore", "a" * 100, "seen.txt"}
