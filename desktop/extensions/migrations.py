"""The tables of the extensions: what each keeps, and the latest lines of its log."""

from __future__ import annotations

from desktop.database import Connection, Migration

ROOM = "extensions"


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


MIGRATIONS = (Migration(1, "state and log of extensions", _tables, ROOM),)
