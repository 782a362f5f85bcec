"""A pytest plugin for the run without Qt: `pytest -p tests.without_qt`.

It leaves out the tests of the rooms that need Qt, and refuses to run where Qt can be imported: that would
prove nothing. It writes down what has passed, for `tests.lanes`.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

LEFT_OUT = (
    "qt",
    "ui",
    "system",
    "flows",
    "bench",
    "test_dev.py",
)  # the last says the same with and without Qt
TESTS = Path(__file__).parent
PASSED = "STEWARD_PASSED_WITHOUT_QT"  # the file for the names of the tests that passed
_passed: dict[str, bool] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("qt_api", "belongs to pytest-qt, which is not installed here")


def pytest_configure() -> None:
    if importlib.util.find_spec("PySide6"):
        raise pytest.UsageError(
            "PySide6 is installed here; the run without Qt belongs in an environment without it"
        )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if needs_qt(collection_path) else None


def needs_qt(path: Path) -> bool:
    """Whether it is one of the rooms left out here, or lies in one."""
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).parts[:1] in {(room,) for room in LEFT_OUT}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test has passed when set-up, call and tear-down have."""
    _passed[report.nodeid] = _passed.get(report.nodeid, True) and report.passed


def pytest_sessionfinish() -> None:
    if file := os.environ.get(PASSED):
        names = sorted(name for name, passed in _passed.items() if passed)
        Path(file).write_text("\n".join(names), encoding="utf-8")
