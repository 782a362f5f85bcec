"""What extensions keep: values under keys, at most a megabyte each, the least recently used going first.

Compressed with zlib at its fastest: text of a few hundred bytes, which is what is kept, comes out about as
small as with zstd, and Python 3.11 has no other in its own library. Beside it the log, of which the latest
lines stay.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from desktop.database import Connection, Database, Migration


def _tables(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE extension_state (
            extension TEXT NOT NULL,
            key TEXT NOT NULL,
            value BLOB NOT NULL,
            size_bytes INTEGER NOT NULL,
            used INTEGER NOT NULL,
            PRIMARY KEY (extension, key)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX extension_state_by_use ON extension_state (extension, used)",
        """
        CREATE TABLE extension_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            extension TEXT NOT NULL,
            at REAL NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL
        )
        """,
        "CREATE INDEX extension_log_by_extension ON extension_log (extension, id)",
    ):
        connection.execute(statement)


MIGRATIONS = (Migration(1, "state and log of extensions", _tables, room="extensions"),)


MOST_BYTES = 1_000_000  # of one extension, compressed, keys and rows counted
ROW_BYTES = 64  # what a row costs beside key and value
VALUE_BYTES = 256_000  # of one value before it is compressed
KEY_CHARACTERS = 200
LOG_LINES = 500
FASTEST = 1


class StateFull(Exception):
    """A value that is too large to be kept, or no value."""


@dataclass(frozen=True)
class LogLine:
    """`at` in seconds since 1970; `kind`: "said" by the extension, "failed", or "asked" for something."""

    at: float
    kind: str
    text: str


@dataclass(frozen=True)
class StateSize:
    """How much an extension keeps, and how many entries."""

    size_bytes: int
    entries: int


class StateStore:
    """The tables of `migrations.py`. Thread-safe."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def get(self, extension: str, key: str) -> str | None:
        """The JSON under `key`, which is now the most recently used."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT value FROM extension_state WHERE extension = ? AND key = ?", (extension, key)
            ).fetchone()
        )
        if row is None:
            return None
        # Nobody waits for it: a turn that is lost with the program costs an order, not a value.
        self._database.write_soon(lambda c: _touch(c, extension, key))
        return zlib.decompress(row["value"]).decode()

    def put(self, extension: str, key: str, value: str) -> None:
        """Keep `value`; others go where there is no room. Raises StateFull."""
        if not 0 < len(key) <= KEY_CHARACTERS or len(value.encode()) > VALUE_BYTES:
            raise StateFull
        packed = zlib.compress(value.encode(), FASTEST)
        # Keys count as well: a million empty values would otherwise cost nothing.
        size = len(packed) + len(key.encode()) + ROW_BYTES
        if size > MOST_BYTES:
            raise StateFull

        def write(connection: Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO extension_state VALUES (?, ?, ?, ?, ?)",
                (extension, key, packed, size, _next(connection, extension)),
            )
            _make_room(connection, extension)

        self._database.write(write)

    def delete(self, extension: str, key: str) -> None:
        self._database.write(
            lambda c: c.execute(
                "DELETE FROM extension_state WHERE extension = ? AND key = ?", (extension, key)
            )
        )

    def keys(self, extension: str) -> tuple[str, ...]:
        """The most recently used first."""
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT key FROM extension_state WHERE extension = ? ORDER BY used DESC", (extension,)
            ).fetchall()
        )
        return tuple(row["key"] for row in rows)

    def kept(self, extension: str) -> StateSize:
        row = self._database.read(
            lambda c: c.execute(
                "SELECT coalesce(sum(size_bytes), 0), count(*) FROM extension_state WHERE extension = ?",
                (extension,),
            ).fetchone()
        )
        return StateSize(int(row[0]), int(row[1]))

    def forget(self, extension: str) -> None:
        """State and log, out of the file and its write-ahead log."""

        def write(connection: Connection) -> None:
            connection.execute("DELETE FROM extension_state WHERE extension = ?", (extension,))
            connection.execute("DELETE FROM extension_log WHERE extension = ?", (extension,))

        self._database.write(write)
        self._database.scrub()

    # -- the log ------------------------------------------------------------------------------

    def note(self, extension: str, kind: str, text: str) -> None:
        """Nobody waits for it."""
        at = self._clock()

        def write(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO extension_log (extension, at, kind, text) VALUES (?, ?, ?, ?)",
                (extension, at, kind, text),
            )
            connection.execute(
                "DELETE FROM extension_log WHERE extension = ?1 AND id <= (SELECT id FROM extension_log"
                " WHERE extension = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (extension, LOG_LINES),
            )

        self._database.write_soon(write)

    def log(self, extension: str, limit: int = LOG_LINES) -> tuple[LogLine, ...]:
        """The latest lines, oldest first."""
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT at, kind, text FROM extension_log WHERE extension = ? ORDER BY id DESC LIMIT ?",
                (extension, limit),
            ).fetchall()
        )
        return tuple(LogLine(row["at"], row["kind"], row["text"]) for row in reversed(rows))


def _next(connection: Connection, extension: str) -> int:
    row = connection.execute(
        "SELECT coalesce(max(used), 0) + 1 FROM extension_state WHERE extension = ?", (extension,)
    ).fetchone()
    return int(row[0])


def _touch(connection: Connection, extension: str, key: str) -> None:
    connection.execute(
        "UPDATE extension_state SET used = ? WHERE extension = ? AND key = ?",
        (_next(connection, extension), extension, key),
    )


def _make_room(connection: Connection, extension: str) -> None:
    total = connection.execute(
        "SELECT sum(size_bytes) FROM extension_state WHERE extension = ?", (extension,)
    ).fetchone()[0]
    # One after another by use: most writes need no room at all, and those that do need one or two rows.
    while total > MOST_BYTES:
        row = connection.execute(
            "SELECT key, size_bytes FROM extension_state WHERE extension = ? ORDER BY used LIMIT 1",
            (extension,),
        ).fetchone()
        connection.execute(
            "DELETE FROM extension_state WHERE extension = ? AND key = ?", (extension, row["key"])
        )
        total -= row["size_bytes"]
