"""A handler with everything behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.paths import Paths
from tests.agents.gatehouse import Gatehouse


@pytest.fixture
def house(paths: Paths, tmp_path: Path) -> Iterator[Gatehouse]:
    opened = Gatehouse(paths, tmp_path)
    yield opened
    opened.close()
