"""A pytest plugin for the run with Qt that comes after the one without: `pytest -p tests.with_qt`.

What has passed where there is no Qt is not run once more where there is.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.without_qt import PASSED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    passed = set(Path(os.environ[PASSED]).read_text(encoding="utf-8").splitlines())
    done = [item for item in items if item.nodeid in passed]
    items[:] = [item for item in items if item.nodeid not in passed]
    config.hook.pytest_deselected(items=done)
