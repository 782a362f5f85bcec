"""Deleting old conversations where the user has asked for that, and taking what was deleted out of the file.

Pinned ones stay, and so does what is open or being answered. The first time that something would be deleted
under a number of days it is only said; a day later it is done.

SQLite overwrites deleted rows at once (`secure_delete`), but an index of words keeps the words of a deleted
message until its segments are merged, and the write-ahead log keeps pages as they were until it is emptied.
Both are done here, at a quiet moment and in steps: each is a transaction of some milliseconds, so that no
other write waits for the whole, and between them are rests, so that a long history costs no more of the
processor at a time than a short one.
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
SHARE = 0.005  # of a processor, which the merge may take on average while the program is at rest
PORTION_S = 0.02  # of the processor's time, in one go
BUSY_S = 60.0  # until the next look while somebody is being answered
# A level of an index is merged once it has as many segments. With SQLite's four, three messages that come in
# while all others are being merged would end that merge unfinished.
FEWEST_SEGMENTS = 2


class DeletedTextPurge:
    """Called on a pool thread, by one at a time. How far it is stands in the database, after a kill too."""

    def __init__(
        self,
        database: Database,
        is_busy: Callable[[], bool] = lambda: False,
        processor_s: Callable[[], float] = time.thread_time,
    ) -> None:
        """While `is_busy` nothing is merged: somebody waits for an answer. `processor_s` is what the calling
        thread has taken of the processor."""
        self._database = database
        self._is_busy = is_busy
        self._processor_s = processor_s
        self._rest = threading.Event()
        self._seen: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    def delete_hidden(self) -> None:
        """Delete what was hidden at the last call already. Their words go by `advance`.

        Undo is offered for some seconds only, so between two calls it is over.
        """
        now = self._database.read(_hidden)
        # Hidden at both looks: undo of these is over.
        conversations, messages = (a & b for a, b in zip(now, self._seen, strict=True))
        self._seen = now
        if conversations or messages:
            self._database.write(lambda connection: _delete_hidden(connection, conversations, messages))

    def advance(self) -> float | None:
        """Take some of the words of deleted messages out of the indexes, and at the end out of the log.

        Returns in how many seconds to go on, None when nothing is left. A merge writes a whole index anew,
        which takes seconds of a processor for a history of years; so it is done in portions, with rests that
        keep it below SHARE.
        """
        taken_s = 0.0
        while taken_s < PORTION_S:
            if not self._database.read(_is_due):
                return None
            if self._is_busy():
                return BUSY_S
            taken_s += self._step()
            self._rest.wait(REST_S)
        return taken_s / SHARE

    def finish(self) -> None:
        """All of it at once, for whoever waits until the words are gone."""
        if self._database.read(_is_marked):
            # What was deleted since the merge under way began is in other segments: one merge for all.
            self._database.write(_begin)
        while self._database.read(_is_due):
            self._step()
            self._rest.wait(REST_S)

    def _step(self) -> float:
        """One transaction of some milliseconds; the processor's seconds that it took."""
        if self._database.read(_is_merged):
            # Last, for pages with the words are in the log until their merge is done.
            self._database.scrub()
            self._database.write(_unmark)
            return 0.0
        return self._database.write(self._merge)

    def _merge(self, connection: Connection) -> float:
        began_s = self._processor_s()
        merge = _go_on if _under_way(connection) else _begin
        merge(connection)
        return self._processor_s() - began_s


# What is deleted sets the mark; while the segments of that moment are merged, and until the log is empty, the
# other one stands in its place, so that what is deleted meanwhile is seen to need another pass.
_MARKED, _MERGING = 1, 2


def _is_due(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM messages_forgotten").fetchone() is not None


def _is_marked(connection: Connection) -> bool:
    found = connection.execute("SELECT 1 FROM messages_forgotten WHERE mark = ?", (_MARKED,))
    return found.fetchone() is not None


def _is_merged(connection: Connection) -> bool:
    """No segment is left of a pass whose log is still to be emptied."""
    found = connection.execute("SELECT 1 FROM messages_forgotten WHERE mark = ?", (_MERGING,))
    return found.fetchone() is not None and not _under_way(connection)


def _unmark(connection: Connection) -> None:
    connection.execute("DELETE FROM messages_forgotten WHERE mark = ?", (_MERGING,))


def _under_way(connection: Connection) -> str:
    """The index that is being merged, "" when none is."""
    found = connection.execute("SELECT search_index FROM merged_segments LIMIT 1").fetchone()
    return str(found[0]) if found else ""


def _begin(connection: Connection) -> None:
    """Begin to merge all segments of each index into one, which holds no deleted word any more."""
    connection.execute("DELETE FROM merged_segments")
    for index in SEARCH_INDEXES:
        segments = connection.execute(f"SELECT DISTINCT segid FROM {index}_idx").fetchall()  # noqa: S608 - ours
        if len(segments) < FEWEST_SEGMENTS:
            continue  # a deletion is in a segment of its own, so none has happened
        connection.executemany(
            "INSERT INTO merged_segments VALUES (?, ?)", [(index, row[0]) for row in segments]
        )
        _command(connection, index, "usermerge", FEWEST_SEGMENTS)
        _command(connection, index, "merge", -1)  # negative: begin with all segments, also where they are few
        _tick_off(connection, index)
    connection.execute("INSERT OR IGNORE INTO messages_forgotten VALUES (?)", (_MERGING,))
    connection.execute("DELETE FROM messages_forgotten WHERE mark = ?", (_MARKED,))


def _go_on(connection: Connection) -> None:
    index, before = _under_way(connection), connection.total_changes
    _command(connection, index, "merge", PAGES)
    if connection.total_changes - before < UNCHANGED:
        # What was to be merged is, yet a segment has its number: SQLite gave it out again before we looked.
        _begin(connection)
    else:
        _tick_off(connection, index)


def _tick_off(connection: Connection, index: str) -> None:
    """Strike out the segments that are merged: they are gone all at once, when the merge ends."""
    connection.execute(
        f"DELETE FROM merged_segments WHERE search_index = ? AND NOT EXISTS"  # noqa: S608 - a name of ours
        f" (SELECT 1 FROM {index}_idx WHERE segid = merged_segments.segment)",
        (index,),
    )


def _command(connection: Connection, index: str, name: str, value: int) -> None:
    connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES (?, ?)", (name, value))  # noqa: S608 - ours


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
