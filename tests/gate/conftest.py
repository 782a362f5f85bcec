"""A database with the gate's tables, and a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    opened = Database(paths.database, MIGRATIONS)
    yield opened
    opened.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    opened = Workspace(folder)
    yield opened
    opened.close()
