"""What the user wants forgotten leaves the conversations too: each sentence about it becomes a mark.

A chat is the user's own text and stays; but "forgotten" would not be true while the words stand in it, in its
title, in a draft or in the indexes of the search. What is marked cannot be brought back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.chat.retention import DeletedTextPurge
from desktop.database import Connection, Database

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
