"""The tables of memory, step by step. A step is never edited after a release.

`memory_words` keeps its own copy of what is indexed: the words of the turns around an item change after it
was stored, and an index that is told other words at a deletion than at the insertion is broken for good.
"""

from __future__ import annotations

from desktop.database import Connection, Migration
from desktop.memory.current_statements import Statements
from desktop.memory.item import Layer, MemoryKind, MemorySource, NewItem
from desktop.memory.statements import read_statements
from desktop.memory.text import read_vocabulary
from desktop.paths import resources

ROOM = "memory"


def _items(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE memory_items (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            layer TEXT NOT NULL,
            scope TEXT NOT NULL,
            kind TEXT NOT NULL,
            source TEXT NOT NULL,
            status TEXT NOT NULL,
            text TEXT NOT NULL,
            at REAL NOT NULL,
            speaker TEXT NOT NULL DEFAULT '',
            thread TEXT NOT NULL DEFAULT '',
            origin TEXT NOT NULL DEFAULT '',
            topic TEXT NOT NULL DEFAULT '',
            supersedes INTEGER REFERENCES memory_items (id) ON DELETE SET NULL,
            superseded_by INTEGER REFERENCES memory_items (id) ON DELETE SET NULL,
            used INTEGER NOT NULL DEFAULT 0,
            used_at REAL
        )
        """,
        "CREATE INDEX memory_items_by_thread ON memory_items (thread, id) WHERE thread != ''",
        "CREATE INDEX memory_items_by_topic ON memory_items (layer, scope, topic) WHERE topic != ''",
        "CREATE INDEX memory_items_by_layer ON memory_items (layer, scope)",
        "CREATE INDEX memory_items_by_kind ON memory_items (kind, status, id)",
        "CREATE INDEX memory_items_supersedes ON memory_items (supersedes) WHERE supersedes IS NOT NULL",
        "CREATE INDEX memory_items_superseded ON memory_items (superseded_by) WHERE superseded_by > 0",
        """
        CREATE VIRTUAL TABLE memory_words USING fts5 (
            said, speaker, near, dates, tokenize = 'porter unicode61 remove_diacritics 2'
        )
        """,
        """
        CREATE VIRTUAL TABLE memory_grams USING fts5 (
            text, content = 'memory_items', content_rowid = 'id', tokenize = 'trigram', detail = 'none'
        )
        """,
        """
        CREATE TRIGGER memory_grams_insert AFTER INSERT ON memory_items BEGIN
            INSERT INTO memory_grams (rowid, text) VALUES (new.id, new.text);
        END
        """,
        """
        CREATE TRIGGER memory_grams_delete AFTER DELETE ON memory_items BEGIN
            INSERT INTO memory_grams (memory_grams, rowid, text) VALUES ('delete', old.id, old.text);
        END
        """,
        """
        CREATE TRIGGER memory_grams_update AFTER UPDATE OF text ON memory_items BEGIN
            INSERT INTO memory_grams (memory_grams, rowid, text) VALUES ('delete', old.id, old.text);
            INSERT INTO memory_grams (rowid, text) VALUES (new.id, new.text);
        END
        """,
        "CREATE TABLE memory_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
        "INSERT INTO memory_state VALUES ('version', 0)",
    ):
        connection.execute(statement)


def _events_and_fixes(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE memory_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            what TEXT NOT NULL,
            tool TEXT NOT NULL,
            arguments TEXT NOT NULL,
            ok INTEGER NOT NULL,
            seconds REAL NOT NULL,
            tag TEXT NOT NULL,
            error TEXT NOT NULL,
            error_class TEXT NOT NULL,
            session TEXT NOT NULL,
            project TEXT NOT NULL,
            distilled INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX memory_events_by_group ON memory_events (tool, project, tag, id)",
        "CREATE INDEX memory_events_new ON memory_events (tool, project, tag) WHERE distilled = 0",
        """
        CREATE TABLE memory_problems (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash TEXT NOT NULL UNIQUE,
            tool TEXT NOT NULL,
            program TEXT NOT NULL,
            error_class TEXT NOT NULL,
            cause TEXT NOT NULL,
            codes TEXT NOT NULL,
            message TEXT NOT NULL,
            context TEXT NOT NULL,
            seen INTEGER NOT NULL,
            first_at REAL NOT NULL,
            last_at REAL NOT NULL
        )
        """,
        "CREATE INDEX memory_problems_by_cause ON memory_problems (tool, program, cause, last_at)",
        "CREATE VIRTUAL TABLE memory_problem_words USING fts5 (message, tokenize = 'porter unicode61')",
        """
        CREATE TABLE memory_fixes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            problem_id INTEGER NOT NULL REFERENCES memory_problems (id) ON DELETE CASCADE,
            before TEXT NOT NULL,
            after TEXT NOT NULL,
            layer TEXT NOT NULL,
            scope TEXT NOT NULL,
            example TEXT NOT NULL,
            applications INTEGER NOT NULL,
            successes INTEGER NOT NULL,
            last_at REAL NOT NULL,
            forbidden INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX memory_fixes_by_problem ON memory_fixes (problem_id)",
    ):
        connection.execute(statement)


def _take_over_notes(connection: Connection) -> None:
    """Notes from before there was a memory, with their times. They were written by the model at the user's
    wish.
    """
    there = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'notes'"
    ).fetchone()
    if there is None:
        return
    rows = connection.execute("SELECT at, text FROM notes ORDER BY id").fetchall()
    for at, text in rows:
        cursor = connection.execute(
            "INSERT INTO memory_items (layer, scope, kind, source, status, text, at)"
            " VALUES ('user', '', 'note', 'model', 'kept', ?, ?)",
            (text, at),
        )
        connection.execute(
            "INSERT INTO memory_words (rowid, said, speaker, near, dates)"
            " VALUES (?, ?, '', '', strftime('%d %Y d%Y%m%d', ?, 'unixepoch', 'localtime'))",
            (cursor.lastrowid, text, at),
        )
    # Moved, not copied: what is forgotten here must not be left there.
    connection.execute("DELETE FROM notes")
    connection.execute("INSERT INTO notes_words (notes_words) VALUES ('optimize')")


def _vectors(connection: Connection) -> None:
    """What an embedding model makes of each item."""
    _vector_table(connection, "vectors")


_VECTOR_TABLE = (
    """
        CREATE TABLE memory_KIND (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            item_id INTEGER NOT NULL UNIQUE REFERENCES memory_items (id) ON DELETE CASCADE,
            model TEXT NOT NULL,
            vector BLOB NOT NULL
        )
        """,
    """
        CREATE TRIGGER memory_KIND_words AFTER UPDATE OF text ON memory_items BEGIN
            DELETE FROM memory_KIND WHERE item_id = old.id;
        END
        """,
    """
        CREATE TRIGGER memory_KIND_gone AFTER DELETE ON memory_KIND BEGIN
            UPDATE memory_state SET value = value + 1 WHERE name = 'KIND_gone';
        END
        """,
    "INSERT INTO memory_state VALUES ('KIND_gone', 0)",
)


def _vector_table(connection: Connection, kind: str) -> None:
    """Numbers of 16 bits for each item, in `memory_<kind>`. They go when the item or its words go.

    `<kind>_gone` grows with each that goes, so that copies in memory, of any process, are read anew.
    """
    for statement in _VECTOR_TABLE:
        connection.execute(statement.replace("KIND", kind))


def _authors(connection: Connection) -> None:
    """The keys by which the members of a group sign, as they were first seen or accepted."""
    connection.execute(
        """
        CREATE TABLE memory_authors (
            team TEXT NOT NULL,
            author TEXT NOT NULL,
            key TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (team, author)
        ) WITHOUT ROWID
        """
    )


def _topics(connection: Connection) -> None:
    """What each memory of the user's states, of the earlier ones too; a note's one topic lay in its row."""
    for statement in (
        """
        CREATE TABLE memory_topics (
            item_id INTEGER NOT NULL REFERENCES memory_items (id) ON DELETE CASCADE,
            topic TEXT NOT NULL,
            kind TEXT NOT NULL,
            detail TEXT NOT NULL,
            corrects INTEGER NOT NULL,
            is_new INTEGER NOT NULL,
            PRIMARY KEY (item_id, topic, kind, detail)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX memory_topics_by_topic ON memory_topics (topic)",
        "DROP INDEX memory_items_by_topic",
        "ALTER TABLE memory_items DROP COLUMN topic",
    ):
        connection.execute(statement)
    tables = resources() / "memory"
    statements = Statements(read_statements(tables / "facts.toml", read_vocabulary(tables / "words.toml")))
    # In their order: a "no, it's on Friday" is about what stands before it.
    for row in connection.execute("SELECT * FROM memory_items ORDER BY id").fetchall():
        new = NewItem(
            *(row["text"], Layer(row["layer"]), row["scope"], MemoryKind(row["kind"])),
            source=MemorySource(row["source"]),
            speaker=row["speaker"],
            thread=row["thread"],
            at=row["at"],
        )
        statements.keep(connection, row["id"], new)


def _subjects(connection: Connection) -> None:
    """What each memory is about, as numbers of the chat model; made while nobody waits, and anew for another
    model. `memory_neutral` has for each model what it writes of no text in particular.
    """
    _vector_table(connection, "subjects")
    connection.execute(
        "CREATE TABLE memory_neutral (model TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
    )


MIGRATIONS = (
    Migration(1, "items and their words", _items, room=ROOM),
    Migration(2, "events and known fixes", _events_and_fixes, room=ROOM),
    Migration(3, "notes of the tools", _take_over_notes, room=ROOM),
    Migration(4, "vectors of items", _vectors, room=ROOM),
    Migration(5, "keys of a group's members", _authors, room=ROOM),
    Migration(6, "what is stated", _topics, room=ROOM),
    Migration(7, "what memories are about", _subjects, room=ROOM),
)
