"""A store on a real database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.paths import Paths


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> ChatStore:
    return ChatStore(database)
