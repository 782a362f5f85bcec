"""A memory of its own, at a time that tests set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from desktop.database import Database
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.store import MemoryStore
from desktop.paths import Paths, resources

MONDAY = 1_763_366_400.0  # 17 November 2025, 08:00 UTC
DAY_S = 86_400.0


@dataclass
class Clock:
    """Seconds since 1970, as a test wants them."""

    now: float = MONDAY

    def __call__(self) -> float:
        return self.now

    def days(self, count: float) -> None:
        self.now += count * DAY_S


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(read_rules(resources() / "redaction.toml"))


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


@pytest.fixture
def memory(database: Database, redactor: Redactor, clock: Clock) -> Iterator[Memory]:
    memory = Memory(database, redactor, clock=clock)
    yield memory
    memory.close()


@pytest.fixture
def store(memory: Memory) -> MemoryStore:
    return memory.store


def count(text: str) -> int:
    """Tokens, about as a model counts them."""
    return len(text) // 4 + 1
