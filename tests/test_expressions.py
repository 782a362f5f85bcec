"""No text holds the program up in a regular expression: neither one that was met, nor one made for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from desktop.builder.spans import _HEADERS, CodeLanguage
from desktop.chat.formulas import _PATH
from desktop.chat.rules import sum_in
from desktop.gate.shell.computed import SUMS
from desktop.memory.statement_patterns import NAME
from desktop.tools.ignore_rules import IgnoreRules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a timer of the processor's time")

FEWEST = 600  # expressions that the program holds, so that a search that finds none is no pass


ROWS: dict[str, Callable[[], object]] = {
    "dots with blanks": lambda: sum_in(". " * 95 + "x"),
    "fillers": lambda: sum_in("um " * 60 + "x"),
    "please": lambda: sum_in("please " * 30 + "x"),
    "articles in one word": lambda: NAME.match("ein" * 60 + "x"),
    "digits of a drawn formula": lambda: _PATH.fullmatch("1" * 200 + "x"),
    "stars before a function of C": lambda: _HEADERS[CodeLanguage.C].search("*" * 60 + "x"),
    "blanks in a program of awk": lambda: SUMS.findall("print" + " " * 400 + "x"),
    "sets of an ignored file": lambda: IgnoreRules.of("*" + "[!a]" * 60, 0),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_has_held_it_up(name: str) -> None:
    """Each once took longer than anybody lives, with the window standing still."""
    from tests.expressions import limited

    with limited(5.0):
        ROWS[name]()


@pytest.mark.slow
def test_every_expression_on_its_own_words() -> None:
    """Every expression of the program comes to an end with a text made of what it looks for."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.expressions"],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    *held_up, last = map(json.loads, done.stdout.splitlines())
    assert held_up == []
    assert last["tried"] > FEWEST
