"""A pytest plugin for runs that share the tests between them: `pytest -p tests.lanes`.

A run takes a file of tests when it comes to the first of them, and leaves those that another has taken.
What has passed where there is no Qt (`tests.without_qt`) is not run once more. With `--rooms-with-qt` only
the rooms are taken that are left out there: such a run need not wait for what passes.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from tests.without_qt import PASSED, needs_qt

CLAIMS = "STEWARD_CLAIMS"  # the folder in which a file of tests is claimed


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rooms-with-qt", action="store_true", help="only the rooms that need Qt")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Claims(Path(os.environ[CLAIMS])))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    only = config.getoption("--rooms-with-qt") and collection_path.suffix == ".py"
    return True if only and not needs_qt(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--rooms-with-qt"):
        return
    passed = set(Path(os.environ[PASSED]).read_text(encoding="utf-8").splitlines())
    done = [item for item in items if item.nodeid in passed]
    items[:] = [item for item in items if item.nodeid not in passed]
    config.hook.pytest_deselected(items=done)


class Claims:
    """Which files of tests are this run's. A claim is a file that can be made once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours: dict[Path, bool] = {}

    def take(self, file: Path) -> bool:
        """Whether this run has the tests of `file`; asked again, it says the same."""
        if file not in self._ours:
            self._ours[file] = self._claim(hashlib.sha256(str(file).encode()).hexdigest())
        return self._ours[file]

    def _claim(self, name: str) -> bool:
        try:
            (self._folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """As pytest's own loop, over the tests that are ours. A test must know which one comes after it, to
        leave to it what both share; so a file is taken when the last test before it begins."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        ours = (item for item in session.items if self.take(item.path))
        item = next(ours, None)
        while item is not None:
            following = next(ours, None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            item = following
        return True
