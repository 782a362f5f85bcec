"""A pytest plugin for the runs with Qt that share the tests between them: `pytest -p tests.lanes`.

What has passed where there is no Qt (`tests.without_qt`) is not run once more, and a file of which all has is
not even collected. With `--rooms-with-qt` only the rooms are taken that are left out there: such a run need
not wait for what passes. With `--rooms-below` only the others: the rooms with Qt are through.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.claims import CLAIMS, Claims, OneModel
from tests.without_qt import needs_qt, passed


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rooms-with-qt", action="store_true", help="only the rooms that need Qt")
    parser.addoption("--rooms-below", action="store_true", help="all but the rooms that need Qt")


def pytest_configure(config: pytest.Config) -> None:
    folder = Path(os.environ[CLAIMS])
    config.pluginmanager.register(Claims(folder / "with-qt"))
    config.pluginmanager.register(OneModel(folder))
    config.pluginmanager.register(Rest(config))


class Rest:
    """What is left for this run."""

    def __init__(self, config: pytest.Config) -> None:
        self._with_qt = bool(config.getoption("--rooms-with-qt"))
        self._below = bool(config.getoption("--rooms-below"))
        self._root = config.rootpath
        self._passed = frozenset() if self._with_qt else passed()

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if collection_path.suffix != ".py" or collection_path.name == "__init__.py":
            return None
        if needs_qt(collection_path):
            return True if self._below else None
        if self._with_qt:
            return True
        name = collection_path.relative_to(self._root).as_posix()
        return True if name in self._passed else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        done = [item for item in items if item.nodeid in self._passed]
        items[:] = [item for item in items if item.nodeid not in self._passed]
        config.hook.pytest_deselected(items=done)
