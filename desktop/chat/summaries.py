"""Summaries of older messages on disk.

A summary belongs to the notice that announces it, and so to the branch of the conversation that the notice
stands in: it counts from there on, until it is undone. The messages themselves stay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.database import Connection, Database, Migration

ROOM = "summaries"


@dataclass(frozen=True)
class Summary:
    """`kept_from` is the id of the first message that the model still reads itself. `sources` name where
    words of others in what was summarised came from."""

    id: int
    notice_id: int
    text: str
    kept_from: int
    count: int
    sources: tuple[str, ...] = ()
    is_undone: bool = False


def _table(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE summaries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            notice_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            kept_from INTEGER NOT NULL,
            count INTEGER NOT NULL,
            sources TEXT NOT NULL,
            is_undone INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX summaries_by_notice ON summaries (notice_id)")
    connection.execute("CREATE INDEX summaries_by_conversation ON summaries (conversation_id)")


MIGRATIONS = (Migration(1, "summaries of older messages", _table, ROOM),)

# Of one row of `messages`: the summary that it announces, as JSON; null for most.
COLUMN = (
    "(SELECT json_array(id, notice_id, text, kept_from, count, sources, is_undone)"
    " FROM summaries WHERE notice_id = messages.id)"
)


def read_column(value: str | None) -> Summary | None:
    """The inverse of `COLUMN`."""
    return _summary(json.loads(value)) if value else None


class Summaries:
    """Of all conversations. Methods may be called on any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        conversation_id: int,
        notice_id: int,
        text: str,
        kept_from: int,
        count: int,
        sources: Sequence[str],
    ) -> None:
        """Keep what the model wrote about `count` messages before `kept_from`."""
        self._database.write(
            lambda c: c.execute(
                "INSERT INTO summaries (conversation_id, notice_id, text, kept_from, count, sources)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (conversation_id, notice_id, text, kept_from, count, json.dumps(list(sources))),
            )
        )

    def undo(self, summary_id: int) -> None:
        """The model reads the messages themselves again."""
        self._database.write(
            lambda c: c.execute("UPDATE summaries SET is_undone = 1 WHERE id = ?", (summary_id,))
        )

    def of(self, conversation_id: int) -> tuple[Summary, ...]:
        """Those that were not undone, the latest first."""
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT id, notice_id, text, kept_from, count, sources, is_undone FROM summaries"
                " WHERE conversation_id = ? AND is_undone = 0 ORDER BY id DESC",
                (conversation_id,),
            ).fetchall()
        )
        return tuple(_summary(tuple(row)) for row in rows)


def _summary(row: Sequence[object]) -> Summary:
    number, notice, text, kept_from, count, sources, undone = row
    return Summary(
        int(str(number)),
        int(str(notice)),
        str(text),
        int(str(kept_from)),
        int(str(count)),
        tuple(json.loads(str(sources))),
        bool(undone),
    )
