"""A handler with everything behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bootstrap.native import build_native
from desktop.paths import Paths
from desktop.sandbox import confiner
from tests.agents.gatehouse import Gatehouse


@pytest.fixture
def house(paths: Paths, tmp_path: Path) -> Iterator[Gatehouse]:
    opened = Gatehouse(paths, tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def confining() -> None:
    """The native client is compiled and this system has what it needs."""
    build_native()
    if reason := confiner.why_not():
        pytest.skip(str(reason))
