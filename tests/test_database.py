"""SQLite behind one door."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from desktop.database import AMONG, Connection, Database, Migration, _apply, _copy, _log_ahead, among
from desktop.errors import UserFacing


def _first(connection: Connection) -> None:
    connection.execute("CREATE TABLE words (word TEXT NOT NULL)")


def _second(connection: Connection) -> None:
    connection.execute("ALTER TABLE words ADD COLUMN language TEXT NOT NULL DEFAULT 'en'")


def _broken(connection: Connection) -> None:
    connection.execute("INSERT INTO words (word) VALUES ('half')")
    raise ZeroDivisionError


ONE = (Migration(1, "words", _first),)
TWO = (*ONE, Migration(2, "languages", _second))


def _words(database: Database) -> list[str]:
    return [row["word"] for row in database.read(lambda c: c.execute("SELECT word FROM words").fetchall())]


def _add(database: Database, word: str) -> None:
    database.write(lambda c: c.execute("INSERT INTO words (word) VALUES (?)", (word,)))


def test_writes_are_seen_by_reads_on_any_thread(tmp_path: Path) -> None:
    """A write is committed when it returns, so another thread reads it at once."""
    database = Database(tmp_path / "d.sqlite3", ONE)
    _add(database, "door")
    seen: list[list[str]] = []
    reader = threading.Thread(target=lambda: seen.append(_words(database)))
    reader.start()
    reader.join()
    database.close()
    assert seen == [["door"]]


def test_a_thread_that_ends_leaves_no_file_open(tmp_path: Path) -> None:
    """Calls of tools run on threads of their own: a day of them must not use up the files of a process."""
    database = Database(tmp_path / "d.sqlite3", ONE)
    _add(database, "door")
    assert _words(database) == ["door"]
    process = psutil.Process()
    gc.disable()  # nothing may wait for it
    try:
        before = _open_files(process)
        for _ in range(20):
            reader = threading.Thread(target=_words, args=(database,))
            reader.start()
            reader.join()
        # SQLite itself keeps what another connection may still have locked, and takes it again.
        assert _open_files(process) <= before + 2
    finally:
        gc.enable()
    assert _words(database) == ["door"]
    database.close()


def _open_files(process: psutil.Process) -> int:
    return int(process.num_fds() if os.name == "posix" else process.num_handles())


def test_a_start_waits_for_another_that_makes_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself does not, where both put it into WAL mode."""
    other = sqlite3.connect(tmp_path / "app.db", isolation_level=None)
    other.execute("CREATE TABLE mine (word TEXT)")
    other.execute("BEGIN IMMEDIATE")
    looks = []

    def let_go(seconds: float) -> None:
        looks.append(seconds)
        other.execute("COMMIT")

    monkeypatch.setattr("desktop.database.time.sleep", let_go)
    connection = sqlite3.connect(tmp_path / "app.db", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        _log_ahead(connection, wait_s=0.0)
    _log_ahead(connection, wait_s=30.0)
    assert len(looks) == 1
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()
    other.close()


def test_a_failing_write_is_rolled_back_and_raised(tmp_path: Path) -> None:
    """The caller gets the error, the table is as before, the next write works."""
    database = Database(tmp_path / "d.sqlite3", ONE)

    def fails(connection: Connection) -> None:
        connection.execute("INSERT INTO words (word) VALUES ('half')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write(fails)
    _add(database, "whole")
    assert _words(database) == ["whole"]
    database.close()


def test_a_read_cannot_write(tmp_path: Path) -> None:
    """Whoever tries to write through `read` is refused by SQLite itself."""
    database = Database(tmp_path / "d.sqlite3", ONE)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.read(lambda c: c.execute("INSERT INTO words (word) VALUES ('x')"))
    database.close()


def test_an_old_file_is_brought_up_to_date_and_kept(tmp_path: Path) -> None:
    """Migrations run in order on old data, and the old file is copied first."""
    path = tmp_path / "d.sqlite3"
    old = Database(path, ONE)
    _add(old, "door")
    old.close()
    new = Database(path, TWO)
    rows = new.read(lambda c: c.execute("SELECT word, language FROM words").fetchall())
    new.close()
    assert [tuple(row) for row in rows] == [("door", "en")]
    assert (tmp_path / "d.sqlite3.before-2").exists()


def test_a_migration_that_fails_leaves_the_old_schema(tmp_path: Path) -> None:
    """Half a migration never stays."""
    path = tmp_path / "d.sqlite3"
    Database(path, ONE).close()
    with pytest.raises(ZeroDivisionError):
        Database(path, (*ONE, Migration(2, "broken", _broken)))
    database = Database(path, TWO)
    assert _words(database) == []
    database.close()


def test_kill_9_during_a_migration_loses_nothing(tmp_path: Path) -> None:
    """A process killed inside a migration leaves a file that the next start migrates whole."""
    path = tmp_path / "d.sqlite3"
    database = Database(path, ONE)
    _add(database, "door")
    database.close()
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from tests.test_database import ONE, Database, Migration, _second
        def dies(connection):
            _second(connection)
            connection.execute("DELETE FROM words")
            os.kill(os.getpid(), signal.SIGKILL)
        Database(Path({str(path)!r}), (*ONE, Migration(2, "dies", dies)))
        """
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parent.parent)
    assert killed.returncode == -9
    database = Database(path, TWO)
    assert _words(database) == ["door"]
    database.close()


def _lamps(connection: Connection) -> None:
    connection.execute("CREATE TABLE lamps (name TEXT NOT NULL)")


def _colours(connection: Connection) -> None:
    connection.execute("ALTER TABLE lamps ADD COLUMN colour TEXT NOT NULL DEFAULT 'white'")


LAMPS = (Migration(1, "lamps", _lamps, room="lamps"),)
LAMPS_TWO = (*LAMPS, Migration(2, "colours", _colours, room="lamps"))


def test_each_room_counts_for_itself(tmp_path: Path) -> None:
    """A room that joins later starts at 1 while others grow, and the old data is copied each time."""
    path = tmp_path / "d.sqlite3"
    for migrations in (ONE, (*ONE, *LAMPS), (*LAMPS, *TWO), (*TWO, *LAMPS_TWO), (*LAMPS_TWO, *TWO)):
        database = Database(path, migrations)
        _add(database, "door")
        database.close()
    database = Database(path, (*TWO, *LAMPS_TWO))
    assert _words(database) == ["door"] * 5
    assert database.read(lambda c: c.execute("SELECT name, colour FROM lamps").fetchall()) == []
    database.close()
    copies = sorted(each.name.removeprefix("d.sqlite3.") for each in tmp_path.glob("*.before-*"))
    assert copies == ["before-2", "before-lamps-1", "before-lamps-2"]


def test_a_room_that_is_not_handed_in_is_left_alone(tmp_path: Path) -> None:
    """A part of the program opens the file without knowing every room."""
    path = tmp_path / "d.sqlite3"
    Database(path, (*ONE, *LAMPS)).close()
    without_lamps = Database(path, ONE)
    _add(without_lamps, "door")
    without_lamps.close()
    whole = Database(path, (*ONE, *LAMPS))
    assert _words(whole) == ["door"]
    whole.close()


def test_one_newer_room_is_enough_to_refuse_and_nothing_is_changed(tmp_path: Path) -> None:
    """No other room is brought up to date in a file that is refused."""
    path = tmp_path / "d.sqlite3"
    Database(path, (*ONE, *LAMPS_TWO)).close()
    with pytest.raises(UserFacing) as refusal:
        Database(path, (*TWO, *LAMPS))
    assert refusal.value.code == "database-newer"
    Database(path, (*ONE, *LAMPS_TWO)).close()


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"this is no database, just some text that is long enough to be read" * 20, "database-damaged")],
)
def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, content: bytes, code: str) -> None:
    """A file that is no database is named in the message and not changed."""
    path = tmp_path / "d.sqlite3"
    path.write_bytes(content)
    with pytest.raises(UserFacing) as refusal:
        Database(path, ONE)
    assert refusal.value.code == code
    assert path.read_bytes() == content


def test_a_file_from_a_newer_version_is_refused(tmp_path: Path) -> None:
    """An old program does not touch what a newer one wrote."""
    path = tmp_path / "d.sqlite3"
    Database(path, TWO).close()
    with pytest.raises(UserFacing) as refusal:
        Database(path, ONE)
    assert refusal.value.code == "database-newer"


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    """When SQLite finds no room the user reads it; what was stored stays readable."""
    database = Database(tmp_path / "d.sqlite3", ONE)
    _add(database, "door")

    def fills(connection: Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        connection.execute("INSERT INTO words (word) VALUES (?)", ("x" * 100_000,))

    with pytest.raises(UserFacing) as refusal:
        database.write(fills)
    assert refusal.value.code == "disk-full"
    assert _words(database) == ["door"]
    database.close()


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_an_older_file_is_made_its_owners_alone(tmp_path: Path) -> None:
    """Also where a version before this one made it readable for others."""
    path = tmp_path / "steward.sqlite3"
    path.touch(mode=0o644)
    path.chmod(0o644)
    Database(path, ()).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_deleted_is_in_no_file(tmp_path: Path) -> None:
    """Overwritten in the database, and out of the write-ahead log after `scrub`."""
    database = Database(tmp_path / "steward.sqlite3", ())
    try:
        database.write(lambda c: c.execute("CREATE TABLE t (text TEXT)"))
        database.write(lambda c: c.execute("INSERT INTO t VALUES ('plumcake')"))
        assert b"plumcake" in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        database.write(lambda c: c.execute("DELETE FROM t"))
        database.scrub()
        assert b"plumcake" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    finally:
        database.close()


@pytest.mark.parametrize("wanted", [(), (2,), (3, 1, 3), range(5_000), ("b",), ("'", '"', "\n")])
def test_a_list_of_any_length_is_one_value(tmp_path: Path, wanted: Sequence[int | str]) -> None:
    """Numbers and texts; the statement is the same for all, so that one of it is kept compiled."""
    database = Database(tmp_path / "letters", ())
    database.write(lambda c: c.execute("CREATE TABLE letters (id INTEGER PRIMARY KEY, letter TEXT)"))
    rows = [(1, "a"), (2, "b"), (3, "'"), (4, "\n")]
    database.write(lambda c: c.executemany("INSERT INTO letters VALUES (?, ?)", rows))
    for column, place in (("id", 0), ("letter", 1)):
        statement = f"SELECT id FROM letters WHERE {column} {AMONG} ORDER BY id"
        found = database.read(lambda c, s=statement: c.execute(s, (among(wanted),)).fetchall())
        assert [row["id"] for row in found] == [row[0] for row in rows if row[place] in wanted]
    database.close()


def test_no_statement_has_a_question_mark_for_each_value() -> None:
    """Each length would be a statement of its own, of which every connection keeps 64."""
    root = Path(__file__).resolve().parent.parent / "desktop"
    found = [path.name for path in root.rglob("*.py") if '"?" * len(' in path.read_text(encoding="utf-8")]
    assert found == ["store.py"]  # of a table's columns, which are always as many


def test_steps_that_another_program_has_just_done_are_not_done_again(tmp_path: Path) -> None:
    """Two that start at once have read the same number; the second had ended with "table already exists"."""
    file = tmp_path / "d.sqlite3"
    slow = sqlite3.connect(file, isolation_level=None)
    quick = Database(file, TWO)
    _add(quick, "kept")
    for step in TWO:
        _apply(slow, step)
    assert _words(quick) == ["kept"]
    quick.close()
    slow.close()


def test_a_copy_from_before_is_not_replaced_by_one_from_after(tmp_path: Path) -> None:
    """The second of two programs that migrate at once copies what the first has made already."""
    file, kept = tmp_path / "d.sqlite3", tmp_path / "d.sqlite3.before-2"
    Database(file, ONE).close()
    Database(file, TWO).close()
    before = kept.read_bytes()
    late = sqlite3.connect(file)
    _copy(late, kept, {"chat": 1})
    late.close()
    assert kept.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["d.sqlite3", kept.name]
