"""The tables that make messages and attachments findable; `search.py` reads them, triggers keep them.

`messages_terms` holds words: unstemmed, because a stemmer knows one language, without accents, and with an
index of beginnings of one to three letters. `messages_pieces` holds three characters in a row, without their
places, for scripts that put no spaces between words and for parts of words. Two spaces after each text give
its last two characters a piece of their own. `attachments_terms` and `attachments_pieces` hold the same of
the names and texts of attachments.
"""

from __future__ import annotations

from desktop.database import Connection, Migration

ROOM = "chat search"
ATTACHMENTS_ROOM = "attachment search"
INDEXES = ("messages_terms", "messages_pieces", "attachments_terms", "attachments_pieces")

_TERMS = """
    CREATE VIRTUAL TABLE {table}_terms USING fts5 (
        {columns}, content = '{table}', content_rowid = 'id',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    )
"""
_PIECES = """
    CREATE VIRTUAL TABLE {table}_pieces USING fts5 (
        text, content = '', columnsize = 0, detail = 'none', tokenize = 'trigram'
    )
"""
_ADD = (
    "INSERT INTO messages_terms (rowid, text) VALUES (new.id, new.text);"
    "INSERT INTO messages_pieces (rowid, text) VALUES (new.id, new.text || '  ');"
)
_TAKE = (
    "INSERT INTO messages_terms (messages_terms, rowid, text) VALUES ('delete', old.id, old.text);"
    "INSERT INTO messages_pieces (messages_pieces, rowid, text) VALUES ('delete', old.id, old.text || '  ');"
)


def _terms_and_pieces(connection: Connection) -> None:
    """Takes the place of `messages_words`, whose English stems lost what was being typed."""
    for name in ("insert", "delete", "update"):
        connection.execute(f"DROP TRIGGER IF EXISTS messages_words_{name}")
    connection.execute("DROP TABLE IF EXISTS messages_words")
    connection.execute(_TERMS.format(table="messages", columns="text"))
    connection.execute(_PIECES.format(table="messages"))
    connection.execute(
        "CREATE VIRTUAL TABLE messages_pieces_vocabulary USING fts5vocab (messages_pieces, 'row')"
    )
    connection.execute("INSERT INTO messages_terms (messages_terms) VALUES ('rebuild')")
    connection.execute("INSERT INTO messages_pieces (rowid, text) SELECT id, text || '  ' FROM messages")
    connection.execute(f"CREATE TRIGGER messages_found_insert AFTER INSERT ON messages BEGIN {_ADD} END")
    connection.execute(f"CREATE TRIGGER messages_found_delete AFTER DELETE ON messages BEGIN {_TAKE} END")
    connection.execute(
        f"CREATE TRIGGER messages_found_update AFTER UPDATE OF text ON messages BEGIN {_TAKE} {_ADD} END"
    )


def _forgotten(connection: Connection) -> None:
    """A mark that words of deleted messages are still in the segments of an index; `forgetting.py` reads it.

    It is set here once: messages may have been deleted before there was a mark.
    """
    connection.execute("CREATE TABLE messages_forgotten (mark INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO messages_forgotten VALUES (1)")
    connection.execute(
        "CREATE TRIGGER messages_forgotten_delete AFTER DELETE ON messages WHEN old.text <> ''"
        " BEGIN INSERT OR IGNORE INTO messages_forgotten VALUES (1); END"
    )


def _attachments(connection: Connection) -> None:
    """They are never changed, only added and deleted."""
    connection.execute(_TERMS.format(table="attachments", columns="name, text"))
    connection.execute(_PIECES.format(table="attachments"))
    for statement in (
        "CREATE VIRTUAL TABLE attachments_pieces_vocabulary USING fts5vocab (attachments_pieces, 'row')",
        "INSERT INTO attachments_terms (attachments_terms) VALUES ('rebuild')",
        """
        INSERT INTO attachments_pieces (rowid, text)
            SELECT id, name || ' ' || text || '  ' FROM attachments
        """,
        """
        CREATE TRIGGER attachments_found_insert AFTER INSERT ON attachments BEGIN
            INSERT INTO attachments_terms (rowid, name, text) VALUES (new.id, new.name, new.text);
            INSERT INTO attachments_pieces (rowid, text)
                VALUES (new.id, new.name || ' ' || new.text || '  ');
        END
        """,
        """
        CREATE TRIGGER attachments_found_delete AFTER DELETE ON attachments BEGIN
            INSERT INTO attachments_terms (attachments_terms, rowid, name, text)
                VALUES ('delete', old.id, old.name, old.text);
            INSERT INTO attachments_pieces (attachments_pieces, rowid, text)
                VALUES ('delete', old.id, old.name || ' ' || old.text || '  ');
            INSERT OR IGNORE INTO messages_forgotten VALUES (1);
        END
        """,
    ):
        connection.execute(statement)


MIGRATIONS = (
    Migration(1, "words and pieces of messages", _terms_and_pieces, ROOM),
    Migration(2, "a mark for words to be forgotten", _forgotten, ROOM),
)

# Of a room of its own: it needs the table of `attachments.py`, which came later than the tables above.
ATTACHMENT_MIGRATIONS = (Migration(1, "words and pieces of attachments", _attachments, ATTACHMENTS_ROOM),)
