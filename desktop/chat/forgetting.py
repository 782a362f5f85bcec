"""What was deleted is gone from the file too, once it can no longer be undone.

SQLite overwrites deleted rows at once (`secure_delete`), but an index of words keeps the words of a deleted
message until its segments are merged, and the write-ahead log keeps pages as they were until it is emptied.
Both are done here, at a quiet moment and in steps: each is a transaction of some milliseconds, so that no
other write waits for the whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from desktop.chat.search_index import INDEXES
from desktop.database import Connection, Database

PAGES = 64  # of an index that one step merges
UNCHANGED = 2  # SQLite counts fewer changes where there was nothing to merge
REST_S = 0.01  # between two steps, for those who wait to write


class Forgetting:
    """Called on a pool thread, by one at a time."""

    def __init__(self, database: Database, is_busy: Callable[[], bool] = lambda: False) -> None:
        """While `is_busy` nothing is done: somebody waits for an answer."""
        self._database = database
        self._is_busy = is_busy
        self._rest = threading.Event()
        self._seen: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    def tidy(self) -> bool:
        """Delete what was hidden at the last call already, and finish; True when nothing is left to do.

        Undo is offered for some seconds only, so between two calls it is over.
        """
        now = self._database.read(_hidden)
        conversations, messages = (a & b for a, b in zip(now, self._seen, strict=True))
        self._seen = now
        if conversations or messages:
            self._database.write(lambda connection: _delete(connection, conversations, messages))
        return self.finish()

    def finish(self) -> bool:
        """Take the words of deleted messages out of the indexes and the log; False when it was put off."""
        if not self._database.read(_is_due):
            return True
        self._database.write(_unmark)  # what is deleted from here on needs another pass
        for index in INDEXES:
            if not self._merge(index):
                self._database.write(_mark)
                return False
        self._database.scrub()
        return True

    def _merge(self, index: str) -> bool:
        """Into one segment, which holds no deleted word any more. False: somebody needs the processor."""
        pages = -PAGES  # negative: begin to merge all segments, also where they are few
        while self._database.write(lambda c, pages=pages: _step(c, index, pages)):  # type: ignore[misc]
            pages = PAGES
            if self._is_busy():
                return False
            self._rest.wait(REST_S)
        return True


def _step(connection: Connection, index: str, pages: int) -> bool:
    """Whether there was something to do."""
    before = connection.total_changes
    connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))  # noqa: S608 - a name of ours
    return connection.total_changes - before >= UNCHANGED


def _hidden(connection: Connection) -> tuple[frozenset[int], frozenset[int]]:
    """Conversations and messages that are deleted but still there."""
    chats = connection.execute("SELECT id FROM conversations WHERE deleted_at IS NOT NULL").fetchall()
    messages = connection.execute("SELECT id FROM messages WHERE deleted_with IS NOT NULL").fetchall()
    return frozenset(row["id"] for row in chats), frozenset(row["id"] for row in messages)


def _delete(connection: Connection, conversations: frozenset[int], messages: frozenset[int]) -> None:
    """Only what is hidden still: it may have been taken back meanwhile."""
    connection.executemany(
        "DELETE FROM messages WHERE id = ? AND deleted_with IS NOT NULL", [(each,) for each in messages]
    )
    connection.executemany(
        "DELETE FROM conversations WHERE id = ? AND deleted_at IS NOT NULL",
        [(each,) for each in conversations],
    )


def _is_due(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM messages_forgotten").fetchone() is not None


def _mark(connection: Connection) -> None:
    connection.execute("INSERT OR IGNORE INTO messages_forgotten VALUES (1)")


def _unmark(connection: Connection) -> None:
    connection.execute("DELETE FROM messages_forgotten")
