"""A pytest plugin for the run without Qt: `pytest -p tests.without_qt`.

It leaves out the tests of the rooms that need Qt, and refuses to run where Qt can be imported: that would
prove nothing. It writes down what has passed, for `tests.lanes`. Several such runs share the files of tests,
where a folder for their claims is named.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.claims import CLAIMS, Claims

LEFT_OUT = (
    "qt",
    "ui",
    "system",
    "flows",
    "bench",
    "test_dev.py",
)  # the last says the same with and without Qt
TESTS = Path(__file__).parent
PASSED = "STEWARD_PASSED_WITHOUT_QT"  # the folder in which each run names what passed: tests, and whole files
_passed: dict[str, bool] = {}
_collected: dict[str, set[str]] = {}  # by file, also what is then left out by a marker


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("qt_api", "belongs to pytest-qt, which is not installed here")


def pytest_configure(config: pytest.Config) -> None:
    if folder := os.environ.get(CLAIMS):
        config.pluginmanager.register(Claims(Path(folder) / "without-qt"))
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        _collected.setdefault(item.nodeid.partition("::")[0], set()).add(item.nodeid)


def pytest_sessionfinish() -> None:
    if folder := os.environ.get(PASSED):
        tests = {name for name, has_passed in _passed.items() if has_passed}
        files = {file for file, names in _collected.items() if names <= tests}
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / str(os.getpid())).write_text("\n".join(sorted(tests | files)), encoding="utf-8")


def passed() -> frozenset[str]:
    """What the runs without Qt have named."""
    runs = Path(os.environ[PASSED])
    texts = [run.read_text(encoding="utf-8") for run in runs.iterdir()] if runs.is_dir() else []
    return frozenset(name for text in texts for name in text.splitlines())
