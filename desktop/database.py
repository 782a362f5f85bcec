"""SQLite, and nothing else knows it.

One file in WAL mode. Reads run on the caller's thread with a connection of that thread; writes run one
after another on a thread of their own, each in one transaction. A kill at any moment loses at most the
transaction under way: committed text survives, because WAL is replayed at the next start.

Migrations are numbered functions in `migrations.py` of the room that owns the tables; they are handed in,
applied in order inside one transaction each, and never edited after release. Each room counts for itself, so
that rooms grow without knowing of each other: `Database(path, (*chat.MIGRATIONS, *gate.MIGRATIONS))`. The
file is copied before the first of them runs.
"""

from __future__ import annotations

import errno
import json
import os
import queue
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import structlog

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.paths import ensure
from desktop.reasons import ReasonCode

log = structlog.get_logger(__name__)


class DatabaseReason(ReasonCode):
    """See resources/messages/en/database.toml."""

    DATABASE_REFUSED = "database.database-refused"
    DATABASE_NEWER = "database.database-newer"
    DISK_FULL = "database.disk-full"
    DATABASE_DAMAGED = "database.database-damaged"
    NOT_COPIED = "database.not-copied"


Connection = sqlite3.Connection
Row = sqlite3.Row
T = TypeVar("T")
CACHE_KB = 512
# Compiled statements that a connection keeps, 8 KB each. Every thread of the pool reads for every page and
# chat, so that a day fills all of them; the one writer has the more kinds.
READER_STATEMENTS, WRITER_STATEMENTS = 24, 64
ANOTHER_LOOK_S = 0.01  # at a file that another program puts into WAL mode
WAIT_S = 15.0  # for others that write; starts that follow each other took five more than once
# Two that start at once migrate by turns, and SQLite lets whoever asks first go first, not who has waited.
START_WAIT_S = 30.0
# A condition for a list of any length, whose value is `among(list)`. With a question mark for each, every
# length was a statement of its own: each connection keeps some of them compiled, 40 KB and more apiece.
AMONG = "IN (SELECT value FROM json_each(?))"
Task = Callable[[Connection], Any]


# Its number is SQLite's own `user_version`, as in files from before other rooms had tables; the numbers of
# the others are in the table `schema_versions`.
FIRST_ROOM = "chat"


class _Reader:
    """The connection of one thread, which alone keeps it: it closes when the thread ends.

    By hand: a connection and its compiled statements hold each other until the garbage collector comes by.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


@dataclass(frozen=True)
class _Queued:
    """A write that waits for its turn; `token` is of the work that asked for it."""

    fn: Task
    future: Future[Any]
    token: cancellation.Token | None


@dataclass(frozen=True)
class Migration:
    """One numbered step of a room's tables. `number` counts from 1 without gaps, in each room."""

    number: int
    title: str
    apply: Callable[[Connection], None]
    room: str = FIRST_ROOM


class Database:
    """The one database of a profile. Thread-safe; `close` ends its writer thread."""

    def __init__(self, path: Path, migrations: Sequence[Migration]) -> None:
        """Open or create `path` and bring its schema up to date. Raises UserFacing."""
        self._path = path
        try:
            ensure(path.parent)
            _make_private(path)
        except OSError as error:
            raise self._user_facing(error) from error
        self._local = threading.local()
        # Weakly: calls of tools, questions of agents and answers to programs run on threads that end, each
        # with two open files and a cache.
        self._readers: weakref.WeakSet[_Reader] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._tasks: queue.SimpleQueue[_Queued | None] = queue.SimpleQueue()
        self._closed = False
        self._open(migrations)
        self._writer = threading.Thread(target=self._write_loop, name="database writer", daemon=True)
        self._writer.start()

    def read(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn` on this thread with a connection that cannot write."""
        return fn(self._reader())

    def write(self, fn: Callable[[Connection], T]) -> T:
        """Run `fn` in one transaction on the writer thread; returns when it is committed.

        Raises what `fn` raises (rolled back), UserFacing when the disk refuses, or Cancelled when the work
        that asked for it was given up while it waited for its turn.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the database is closed")
            self._tasks.put(_Queued(fn, future, cancellation.current()))
        return future.result()

    def write_soon(self, fn: Callable[[Connection], object]) -> None:
        """As `write`, for what nobody waits for: returns at once. What it raises goes to the log."""
        future: Future[object] = Future()
        future.add_done_callback(_log_failure)
        with self._lock:
            if self._closed:
                raise RuntimeError("the database is closed")
            self._tasks.put(_Queued(fn, future, None))

    def close(self) -> None:
        """Finish the writes under way and close every connection. Safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._tasks.put(None)
        self._writer.join()
        for reader in list(self._readers):
            reader.connection.close()

    def scrub(self) -> None:
        """Take what was deleted out of the write-ahead log too; in the file itself it is overwritten at once.

        Waits for the write under way. While another process reads, the log stays as it is until later.
        """
        connection = self._connect()
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()

    @property
    def folder(self) -> Path:
        """Where its file lies."""
        return self._path.parent

    def backups(self) -> tuple[Path, ...]:
        """The copies that were made before migrations."""
        return tuple(sorted(self._path.parent.glob(f"{self._path.name}.before-*")))

    # -- opening ------------------------------------------------------------------------------

    def _open(self, migrations: Sequence[Migration]) -> None:
        try:
            connection = self._connect(wait_s=START_WAIT_S)
            try:
                migrate(connection, migrations, self._path)
            finally:
                connection.close()
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._user_facing(error) from error

    def _connect(self, statements: int = WRITER_STATEMENTS, wait_s: float = WAIT_S) -> Connection:
        connection = sqlite3.connect(
            self._path,
            timeout=wait_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=statements,
        )
        connection.row_factory = sqlite3.Row
        _log_ahead(connection, wait_s)
        # NORMAL: a commit survives the death of the process; only a power cut may take the last ones.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What the user deletes is overwritten, not only unlinked.
        connection.execute("PRAGMA secure_delete = ON")
        # Each thread has a connection, and each its own cache, which fills in the course of a day; the
        # system's cache of files holds the rest.
        connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        return connection

    def _reader(self) -> Connection:
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = _Reader(self._connect(READER_STATEMENTS))
            reader.connection.execute("PRAGMA query_only = ON")
            self._local.reader = reader
            with self._lock:
                self._readers.add(reader)
        return reader.connection

    # -- the writer thread --------------------------------------------------------------------

    def _write_loop(self) -> None:
        connection = self._connect()
        while (task := self._tasks.get()) is not None:
            self._run(connection, task)
        connection.close()

    def _run(self, connection: Connection, task: _Queued) -> None:
        future = task.future
        try:
            # Most writes belong to no call that somebody could give up; for them there is nothing to look at.
            if task.token is None:
                result = _committed(connection, task.fn)
            else:
                with cancellation.held(task.token), cancellation.effect():
                    result = _committed(connection, task.fn)
        except BaseException as error:  # carried to the caller's thread as a value
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            future.set_exception(self._translated(error))
        else:
            future.set_result(result)

    def _translated(self, error: BaseException) -> BaseException:
        if isinstance(error, sqlite3.OperationalError):
            log.error("database refused a write", error=str(error))
            return self._user_facing(error)
        return error

    def _user_facing(self, error: sqlite3.Error | OSError) -> UserFacing:
        # Extended codes carry the primary one in their lowest byte.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
        if code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) == errno.ENOSPC:
            return UserFacing(DatabaseReason.DISK_FULL.of())
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return UserFacing(DatabaseReason.DATABASE_DAMAGED.of(path=self._path))
        return UserFacing(DatabaseReason.DATABASE_REFUSED.of(path=self._path, text=str(error)))


def _log_ahead(connection: Connection, wait_s: float) -> None:
    """Put the file into WAL mode, in which it stays. SQLite does not wait for another program that does the
    same at that moment, as two first starts do, so this does, `wait_s` at most."""
    until = time.monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() >= until:
                raise
            time.sleep(ANOTHER_LOOK_S)
        else:
            return


def _committed(connection: Connection, fn: Task) -> Any:
    connection.execute("BEGIN IMMEDIATE")
    result = fn(connection)
    connection.execute("COMMIT")
    return result


def among(values: Iterable[int | str]) -> str:
    """The value for an `AMONG`."""
    return json.dumps(tuple(values))


def _log_failure(done: Future[object]) -> None:
    error = done.exception()
    if error is not None:
        log.error("a write that nobody waits for failed", error=str(error))


def _make_private(path: Path) -> None:
    """Make the file readable for its owner alone; SQLite gives its side files the same mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError:
        log.warning("the database's mode could not be set", path=str(path))


def migrate(connection: Connection, migrations: Sequence[Migration], path: Path) -> None:
    """Apply what is missing, in order; copies the file to `*.before-N` first when it held data.

    A room that the file knows and `migrations` does not is left as it is.
    """
    rooms = {each.room: [m for m in migrations if m.room == each.room] for each in migrations}
    versions = {room: _version(connection, room) for room in rooms}
    if any(versions[room] > len(steps) for room, steps in rooms.items()):
        raise UserFacing(DatabaseReason.DATABASE_NEWER.of(path=path))
    missing = [step for room, steps in rooms.items() for step in steps[versions[room] :]]
    if missing and _holds_data(connection):
        _copy(connection, _copy_path(path, missing[0].room, rooms), versions)
    for migration in missing:
        _apply(connection, migration)


def _version(connection: Connection, room: str) -> int:
    """The number of the last step that was applied for `room`."""
    if room == FIRST_ROOM:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_versions'").fetchone():
        return 0
    found = connection.execute("SELECT number FROM schema_versions WHERE room = ?", (room,)).fetchone()
    return int(found[0]) if found else 0


def _holds_data(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def _copy_path(path: Path, room: str, rooms: Mapping[str, Sequence[Migration]]) -> Path:
    prefix = "" if room == FIRST_ROOM else f"{room}-"
    return path.with_name(f"{path.name}.before-{prefix}{len(rooms[room])}")


def _apply(connection: Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Two programs that start at once want the same steps; the second to get here finds them done.
    if _version(connection, migration.room) >= migration.number:
        connection.execute("ROLLBACK")
        return
    try:
        migration.apply(connection)
        _set_version(connection, migration)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    log.info("database migrated", room=migration.room, number=migration.number, title=migration.title)


def _set_version(connection: Connection, migration: Migration) -> None:
    if migration.room == FIRST_ROOM:
        connection.execute(f"PRAGMA user_version = {int(migration.number)}")
        return
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_versions (room TEXT PRIMARY KEY, number INTEGER NOT NULL)"
    )
    connection.execute(
        "INSERT OR REPLACE INTO schema_versions VALUES (?, ?)", (migration.room, migration.number)
    )


def _copy(connection: Connection, target: Path, versions: Mapping[str, int] | None = None) -> None:
    """Whole or not at all, and only of what has these versions: another program may be at the steps already,
    and has kept a copy of what was there before them.
    """
    made = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        _make_private(made)
        copy = sqlite3.connect(made)
        try:
            connection.backup(copy)
            is_wanted = all(_version(copy, room) == number for room, number in (versions or {}).items())
        finally:
            copy.close()
        if is_wanted:
            os.replace(made, target)
    finally:
        made.unlink(missing_ok=True)


@dataclass(frozen=True)
class FileFacts:
    """What a database file says of itself: the last step of each room, and whether it is whole."""

    schema: Mapping[str, int]
    is_whole: bool


def copy_file(source: Path, target: Path) -> None:
    """A whole copy of a database that other threads and processes may be using; raises OSError or UserFacing.

    SQLite's backup: what is committed meanwhile is in it whole or not at all.
    """
    try:
        connection = sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=5.0)
        try:
            connection.execute("PRAGMA query_only = ON")
            _copy(connection, target, {})  # whatever it has
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        raise OSError(str(error)) from error
    except sqlite3.DatabaseError as error:
        raise UserFacing(DatabaseReason.NOT_COPIED.of(source=source, error=str(error))) from error


def facts_of(path: Path) -> FileFacts:
    """Look at a database file without changing it or bringing its schema up to date."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            whole = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            return FileFacts(_all_versions(connection), whole)
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return FileFacts({}, is_whole=False)


def known_schema(migrations: Sequence[Migration]) -> dict[str, int]:
    """The number of the last step of each room."""
    return {room: sum(m.room == room for m in migrations) for room in {m.room for m in migrations}}


def _all_versions(connection: Connection) -> dict[str, int]:
    versions = {FIRST_ROOM: _version(connection, FIRST_ROOM)}
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_versions'").fetchone():
        versions.update(connection.execute("SELECT room, number FROM schema_versions").fetchall())
    return versions
