"""The file tools with a workspace, a journal and a trash of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.tools.files import FileOperations
from desktop.tools.trash import Trash


@dataclass(frozen=True)
class Desk:
    """What a test of the file tools looks at."""

    tools: FileOperations
    journal: Journal
    root: Path
    trash: Path


@pytest.fixture
def desk(paths: Paths, tmp_path: Path) -> Iterator[Desk]:
    root, trash = tmp_path / "workspace", tmp_path / "Trash"
    root.mkdir()
    database = Database(paths.database, MIGRATIONS)
    workspace, journal = Workspace(root), Journal(database, paths.journal)
    yield Desk(FileOperations(workspace, journal, Trash(trash).put), journal, root, trash)
    workspace.close()
    database.close()
