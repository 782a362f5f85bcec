"""Notes that the assistant keeps for the user: added, never changed by it; the user sees and edits them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from desktop.database import Connection, Database, Migration
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.tools.tool import Plan, Tool, tool

SHOWN = 10
LONGEST = 4000  # characters of one note


def _notes(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            text TEXT NOT NULL
        )
        """,
        """
        CREATE VIRTUAL TABLE notes_words USING fts5 (
            text, content = 'notes', content_rowid = 'id', tokenize = 'porter unicode61'
        )
        """,
        """
        CREATE TRIGGER notes_words_insert AFTER INSERT ON notes BEGIN
            INSERT INTO notes_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
        """
        CREATE TRIGGER notes_words_delete AFTER DELETE ON notes BEGIN
            INSERT INTO notes_words (notes_words, rowid, text) VALUES ('delete', old.id, old.text);
        END
        """,
        """
        CREATE TRIGGER notes_words_update AFTER UPDATE OF text ON notes BEGIN
            INSERT INTO notes_words (notes_words, rowid, text) VALUES ('delete', old.id, old.text);
            INSERT INTO notes_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
    ):
        connection.execute(statement)


MIGRATIONS = (Migration(1, "notes", _notes, room="tools"),)


@dataclass(frozen=True)
class Note:
    """`at` in seconds since 1970."""

    id: int
    at: float
    text: str

    @property
    def line(self) -> str:
        return f"{datetime.fromtimestamp(self.at).astimezone():%Y-%m-%d %H:%M}  {self.text}"


class Notes:
    """All methods may be called on any thread."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(self.save_note, Effect.CREATE, plan=self._plan_save),
            tool(self.recall_notes, Effect.READ),
        )

    def save_note(self, content: str) -> str:
        """Store a fact that the user tells you to remember.

        content: the text to remember
        """
        text = _checked(content)
        self._database.write(
            lambda c: c.execute("INSERT INTO notes (at, text) VALUES (?, ?)", (self._clock(), text))
        )
        return f"Noted: {text}"

    def recall_notes(self, query: str = "") -> str:
        """Recall the facts that the user told you to remember.

        query: words to look for; empty for the latest
        """
        found = self.find(query) if query.strip() else self.latest()
        if not found and query.strip():
            found = self.latest()
        return "\n".join(note.line for note in found) or "There are no notes yet."

    def latest(self, limit: int = SHOWN) -> tuple[Note, ...]:
        """The newest first."""
        return self._select("ORDER BY id DESC LIMIT ?", (limit,))

    def find(self, query: str, limit: int = SHOWN) -> tuple[Note, ...]:
        """Notes with any of the words, best first."""
        words = [word.replace('"', '""') for word in query.replace("\0", " ").split()]
        if not words:
            return ()
        return self._select(
            "JOIN notes_words ON notes_words.rowid = notes.id"
            " WHERE notes_words MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"*' for word in words), limit),
        )

    def change(self, note_id: int, text: str) -> None:
        """The user's own correction."""
        checked = _checked(text)
        self._database.write(
            lambda c: c.execute("UPDATE notes SET text = ? WHERE id = ?", (checked, note_id))
        )

    def remove(self, note_id: int) -> None:
        self._database.write(lambda c: c.execute("DELETE FROM notes WHERE id = ?", (note_id,)))

    def _select(self, rest: str, values: tuple[object, ...]) -> tuple[Note, ...]:
        statement = f"SELECT notes.id, notes.at, notes.text FROM notes {rest}"  # noqa: S608 - from this file
        rows = self._database.read(lambda c: c.execute(statement, values).fetchall())
        return tuple(Note(row["id"], row["at"], row["text"]) for row in rows)

    def _plan_save(self, content: str) -> Plan:
        says = "Adds to your notes in Steward."
        return Plan("Save a note?", says, Effect.CREATE, parts=(content,), own_notes=True)


def _checked(content: str) -> str:
    text = content.strip()
    if not text:
        raise UserFacing(
            "The note is empty.", "Nothing was saved.", "Say what to remember.", code="note-empty"
        )
    if len(text) > LONGEST:
        raise UserFacing(
            f"The note has {len(text):,} characters; {LONGEST:,} are allowed.",
            "Nothing was saved.",
            "Write it to a file instead.",
            code="note-too-long",
        )
    return text
