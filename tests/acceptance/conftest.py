"""How a check of the list finds the tests that hold it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bootstrap.testing import LONGEST_SLOW_TEST_S

ROOT = Path(__file__).resolve().parents[2]
RUN = "STEWARD_ACCEPTANCE"  # set to 1 the tests are run, else it is only made sure that they are there

# As slow as they are elsewhere: a processor that is only imitated says nothing for minutes.
SLOW = ("-o", f"faulthandler_timeout={LONGEST_SLOW_TEST_S}", "--show-capture=no")

Holds = Callable[..., None]


@pytest.fixture
def holds() -> Holds:
    """`holds("tests/x.py::test_y", …)`: each of them is there and not left out for ever.

    They run where they stand, once; `STEWARD_ACCEPTANCE=1 dev.py test -- tests/acceptance` runs those of each
    check here, too, and fails with them.
    """

    def check(*names: str) -> None:
        assert names
        for name in names:
            file, _, function = name.partition("::")
            assert function in _tests(ROOT / file), f"{name} is not there"
        if os.environ.get(RUN) == "1":
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SLOW, *names]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            # From the front: what an installer printed would fill the end.
            assert done.returncode == 0, done.stdout[:8000] + done.stderr[-2000:]
            assert " passed" in done.stdout or "." in done.stdout.splitlines()[0], done.stdout[-2000:]

    return check


@cache
def _tests(file: Path) -> frozenset[str]:
    """The names of the test functions in `file`, without those that are always skipped or may fail."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(
        each.name
        for each in functions
        if each.name.startswith("test_") and not any(_gives_up(mark) for mark in each.decorator_list)
    )


def _gives_up(mark: ast.expr) -> bool:
    words = ast.unparse(mark)
    return "xfail" in words or words.startswith("pytest.mark.skip(")
