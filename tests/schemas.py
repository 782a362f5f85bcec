"""What a run of tests need not do again and again: make the tables of a new database, and wait for the disk.

The migrations of a whole profile are some forty transactions, which cost a test more than what it shows. Each
set of tables is made by them once, and then copied. A file that holds anything, and steps that no other test
has had, are migrated as ever.

What a process has written outlives it without the disk; only a loss of power takes it, and no test of this
process is one. The programs that tests start write as ever.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop import database
from desktop.database import WAIT_S, WRITER_STATEMENTS, Connection, Database, Migration


@contextmanager
def copied_schemas() -> Iterator[None]:
    """Until its end, a database that is made anew in this process is a copy if its like was made before."""
    made: dict[tuple[Migration, ...], Connection] = {}
    lock = threading.Lock()
    migrate = database.migrate

    def migrate_or_copy(connection: Connection, migrations: Sequence[Migration], path: Path) -> None:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None:
            migrate(connection, migrations, path)
            return
        with lock:
            first = made.get(tuple(migrations))
            if first is not None:
                first.backup(connection)
                return
            migrate(connection, migrations, path)
            first = made[tuple(migrations)] = sqlite3.connect(":memory:", check_same_thread=False)
            connection.backup(first)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "migrate", migrate_or_copy)
        yield
    for each in made.values():
        each.close()


@contextmanager
def disk_not_waited_for() -> Iterator[None]:
    """Until its end, this process hands its files to the system and goes on."""
    connect = Database._connect

    def connect_without_disk(
        self: Database, statements: int = WRITER_STATEMENTS, wait_s: float = WAIT_S
    ) -> Connection:
        connection = connect(self, statements, wait_s=wait_s)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_connect", connect_without_disk)
        patch.setattr(os, "fsync", lambda _descriptor: None)
        yield
