"""The agents' tables, step by step. A step is never edited after a release."""

from __future__ import annotations

from desktop.database import Connection, Migration

ROOM = "agents"


def _rewriting(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE rewriting (
            agent TEXT NOT NULL,
            version TEXT NOT NULL,
            standing TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (agent, version)
        )
        """
    )


MIGRATIONS = (Migration(1, "what agents made of rewritten commands", _rewriting, ROOM),)
