"""A database that a test is given as a copy is the one that its migrations would make."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop import database
from desktop.app import build_core
from desktop.database import Connection, Database, Migration, migrate
from desktop.paths import Paths
from tests.schemas import copied_schemas


def lying_in(path: Path, steps: tuple[Migration, ...]) -> list[object]:
    """Every table, index, trigger, row and number of a database that is made at `path`."""
    made = Database(path, steps)
    try:
        return made.read(contents)
    finally:
        made.close()


def contents(connection: Connection) -> list[object]:
    def rows(query: str) -> list[object]:
        return [tuple(row) for row in connection.execute(query)]

    tables = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    )
    names = [row[0] for row in connection.execute(tables)]
    pragmas = ("user_version", "journal_mode", "page_size", "auto_vacuum", "integrity_check")
    return [
        rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"),
        *(rows(f"SELECT * FROM {name}") for name in names),
        *(rows(f"PRAGMA {name}") for name in pragmas),
    ]


def test_a_copy_is_what_the_migrations_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the whole program, with the versions of their rooms and what the steps wrote."""
    core = build_core(Paths.under(tmp_path / "profile"))
    steps = core.migrations
    core.close()
    lying_in(tmp_path / "first", steps)
    copied = lying_in(tmp_path / "copied", steps)
    # The name here is bound while tests are collected, before anything is copied.
    monkeypatch.setattr(database, "migrate", migrate)
    assert copied == lying_in(tmp_path / "migrated", steps)


def test_each_set_of_steps_is_applied_once(tmp_path: Path) -> None:
    """The second new file gets what the first was given; one that holds something is migrated."""
    applied: list[int] = []

    def step(number: int) -> Migration:
        def apply(connection: Connection) -> None:
            applied.append(number)
            connection.execute(f"CREATE TABLE t{number} (x)")

        return Migration(number, "a table", apply)

    steps = (step(1), step(2))
    with copied_schemas():
        first, second = (lying_in(tmp_path / name, steps) for name in ("first", "second"))
        assert first == second
        assert applied == [1, 2]
        lying_in(tmp_path / "third", steps[:1])
        assert applied == [1, 2, 1]
        assert lying_in(tmp_path / "third", steps) == first
        assert applied == [1, 2, 1, 2]
