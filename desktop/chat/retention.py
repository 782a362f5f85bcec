"""Deleting old conversations where the user has asked for that, and taking what was deleted out of the file.

Pinned ones stay, and so does what is open or being answered. The first time that something would be deleted
under a number of days it is only said; a day later it is done.

SQLite overwrites deleted rows at once (`secure_delete`), but an index of words keeps the words of a deleted
message until its segments are merged, and the write-ahead log keeps pages as they were until it is emptied.
Both are done here, at a quiet moment and in steps: each is a transaction of some milliseconds, so that no
other write waits for the whole.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.chat.migrations import SEARCH_INDEXES
from desktop.chat.store import ChatStore, Conversation
from desktop.database import Connection, Database

DAY_S = 86_400.0
WARNING_S = DAY_S  # between saying and doing


@dataclass(frozen=True)
class Warned:
    """Under which number of days it was said, and when, in seconds since 1970; kept as one word of JSON."""

    days: int = 0
    at: float = 0.0

    @classmethod
    def read(cls, text: str) -> Warned:
        """What was kept; nothing for a text that is none."""
        try:
            days, at = json.loads(text)
            return cls(int(days), float(at))
        except (ValueError, TypeError):
            return cls()

    def kept(self) -> str:
        return json.dumps([self.days, self.at])


@dataclass(frozen=True)
class RetentionOutcome:
    """What there is to say: `due` will be deleted in a day, or `deleted` were just now."""

    due: int = 0
    deleted: int = 0


class Retention:
    """`days` 0 keeps everything. `remember` keeps what was said. Called on a pool thread."""

    def __init__(
        self,
        database: Database,
        store: ChatStore,
        days: Callable[[], int],
        warned: Callable[[], str],
        remember: Callable[[str], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._store = store
        self._days = days
        self._warned = warned
        self._remember = remember
        self._clock = clock

    def due(self, keep: frozenset[int] = frozenset()) -> tuple[Conversation, ...]:
        """What is older than the days that were asked for."""
        days = self._days()
        if days <= 0:
            return ()
        now = self._clock()
        before = now - days * DAY_S
        listed = self._store.conversations(limit=-1)
        came_at = _came_at(listed, now, self._database.read(_imported))
        return tuple(
            each
            for each in listed
            if not each.pinned
            and each.id not in keep
            and max(each.updated_at.timestamp(), came_at[each.id]) < before
        )

    def apply(self, keep: frozenset[int] = frozenset()) -> RetentionOutcome:
        """Say it or do it; `keep` names what is open."""
        if self._days() <= 0 and self._warned():
            self._remember("")  # asked for again one day, it is said again
        due = self.due(keep)
        if not due:
            return RetentionOutcome()
        now, warned = self._clock(), Warned.read(self._warned())
        # Fewer days than were warned about delete more: that is said anew.
        if warned.days == 0 or warned.days > self._days():
            self._remember(Warned(self._days(), now).kept())
            return RetentionOutcome(due=len(due))
        if now - warned.at < WARNING_S:
            return RetentionOutcome()
        self._database.write(lambda connection: _delete_old(connection, [each.id for each in due]))
        return RetentionOutcome(deleted=len(due))


def _imported(connection: Connection) -> dict[int, float]:
    return dict(connection.execute("SELECT conversation_id, came_at FROM imported_conversations").fetchall())


def _came_at(
    conversations: Iterable[Conversation], now: float, imported: Mapping[int, float]
) -> dict[int, float]:
    """For each the earliest time at which it can have come here: it came after all that were here before.

    The clock may have been set back when it was written, and one from elsewhere came with its import,
    whatever its own times say: a history of years that is imported today is not deleted tomorrow.
    """
    found, latest = {}, 0.0
    for each in sorted(conversations, key=lambda conversation: conversation.id):
        created = imported.get(each.id, each.created_at.timestamp())
        latest = max(latest, created) if created <= now else latest
        found[each.id] = latest
    return found


def _delete_old(connection: Connection, ids: list[int]) -> None:
    """With all that belongs to them; the purge takes their words out of the indexes."""
    connection.executemany("DELETE FROM conversations WHERE id = ?", [(each,) for each in ids])


PAGES = 64  # of an index that one step merges
UNCHANGED = 2  # SQLite counts fewer changes where there was nothing to merge
REST_S = 0.01  # between two steps, for those who wait to write


class DeletedTextPurge:
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
        # Hidden at both looks: undo of these is over.
        conversations, messages = (a & b for a, b in zip(now, self._seen, strict=True))
        self._seen = now
        if conversations or messages:
            self._database.write(lambda connection: _delete_hidden(connection, conversations, messages))
        return self.finish()

    def finish(self) -> bool:
        """Take the words of deleted messages out of the indexes and the log; False when it was put off."""
        if not self._database.read(_is_due):
            return True
        self._database.write(_unmark)  # what is deleted from here on needs another pass
        for index in SEARCH_INDEXES:
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
            # Merging keeps a core busy; somebody waits for an answer.
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


def _delete_hidden(connection: Connection, conversations: frozenset[int], messages: frozenset[int]) -> None:
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


# -- what the user wants forgotten -------------------------------------------------------------

# What the user wants forgotten leaves the conversations too: each sentence about it becomes a mark.
#
# A chat is the user's own text and stays; but "forgotten" would not be true while the words stand in it,
# in its title, in a draft or in the indexes of the search. What is marked cannot be brought back.

MARK, GERMAN_MARK = "[forgotten]", "[vergessen]"
Mended = Callable[[str], str]

# Tables, their keys, and the columns that hold text, or text inside JSON.
_TEXTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "messages": ("id", ("text", "thinking")),
    "conversations": ("id", ("title",)),
    "summaries": ("id", ("text",)),
    "drafts": ("conversation_id", ("text",)),
    "changed_requests": ("question_id", ("text",)),
    "shown_answers": ("answer_id", ("text",)),
}
_JSON: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "messages": ("id", ("tool", "reason")),
    "drafts": ("conversation_id", ("attachments",)),
}


@dataclass(frozen=True)
class ForgottenWords:
    """In the database of the conversations. Any thread but the main one: every message is looked at."""

    database: Database

    def said_by_user(self) -> list[str]:
        """What the user wrote in any conversation, the oldest first."""
        if not self.database.read(_has_conversations):
            return []
        statement = "SELECT text FROM messages WHERE role = 'user' AND text <> '' ORDER BY id"
        return [row["text"] for row in self.database.read(lambda c: c.execute(statement).fetchall())]

    def mark(self, mended: Mended) -> Mapping[int, str]:
        """Write each text anew as `mended` has it; what the messages say that read otherwise now, by id.

        Blocks of memory that hold such words go: they are put together anew for the next question.
        """
        # The terminal's memory may be opened before there ever was a conversation.
        if not self.database.read(_has_conversations):
            return {}
        changed = self.database.write(lambda connection: _mark_all(connection, mended))
        # At once, not when a window is idle: there may be none.
        DeletedTextPurge(self.database).finish()
        self.database.scrub()
        return changed


def _has_conversations(connection: Connection) -> bool:
    statement = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'messages_forgotten'"
    return connection.execute(statement).fetchone() is not None


def _mark_all(connection: Connection, mended: Mended) -> dict[int, str]:
    said: dict[int, str] = {}
    for table, (key, columns) in _TEXTS.items():
        for column in columns:
            new = _mark_column(connection, (table, key, column), mended)
            said.update(new if (table, column) == ("messages", "text") else {})
    for table, (key, columns) in _JSON.items():
        for column in columns:
            _mark_column(connection, (table, key, column), lambda text: _in_json(text, mended))
    _mark_attachments(connection, mended)
    for row in connection.execute("SELECT question_id, text FROM blocks").fetchall():
        if mended(row["text"]) != row["text"]:
            connection.execute("DELETE FROM blocks WHERE question_id = ?", (row["question_id"],))
    connection.execute("INSERT OR IGNORE INTO messages_forgotten VALUES (1)")
    return said


def _mark_column(connection: Connection, place: tuple[str, str, str], mended: Mended) -> dict[int, str]:
    table, key, column = place
    rows = connection.execute(
        f"SELECT {key} AS row_key, {column} AS text FROM {table} WHERE {column} <> ''"  # noqa: S608 - ours
    )
    texts = [(int(row["row_key"]), row["text"], mended(row["text"])) for row in rows.fetchall()]
    changed = {row_key: new for row_key, old, new in texts if new != old}
    statement = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"  # noqa: S608 - ours
    connection.executemany(statement, [(new, row_key) for row_key, new in changed.items()])
    return changed


def _mark_attachments(connection: Connection, mended: Mended) -> None:
    """Written anew as rows: their index knows of rows that come and go, not of changed ones."""
    for row in connection.execute("SELECT * FROM attachments").fetchall():
        new = {**dict(row), "text": mended(row["text"]), "name": mended(row["name"])}
        if new == dict(row):
            continue
        connection.execute("DELETE FROM attachments WHERE id = ?", (row["id"],))
        columns, values = ", ".join(new), ", ".join(f":{name}" for name in new)
        connection.execute(
            f"INSERT INTO attachments ({columns}) VALUES ({values})",  # noqa: S608 - names of our own columns
            new,
        )


def _in_json(text: str, mended: Mended) -> str:
    value = json.loads(text)
    new = _mended_value(value, mended)
    return text if new == value else json.dumps(new, ensure_ascii=False)


def _mended_value(value: Any, mended: Mended) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {key: _mended_value(each, mended) for key, each in value.items()}
    if isinstance(value, list):
        return [_mended_value(each, mended) for each in value]
    return value
