"""The chat's tables, step by step. A step is never edited after a release.

Ids are never used again: a view may still hear of a message that is gone.
"""

from __future__ import annotations

from desktop.chat import attachments, blocks, drafts, presets, search_index, summaries
from desktop.database import Connection, Migration


def _conversations_and_messages(connection: Connection) -> None:
    for statement in (
        """
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            deleted_at REAL,
            seen_from INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX conversations_by_use ON conversations (updated_at DESC)",
        """
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            text TEXT NOT NULL,
            thinking TEXT NOT NULL DEFAULT '',
            thinking_s REAL,
            status TEXT NOT NULL,
            created_at REAL NOT NULL,
            model TEXT NOT NULL DEFAULT '',
            answer_tokens INTEGER NOT NULL DEFAULT 0,
            tokens_per_s REAL NOT NULL DEFAULT 0,
            total_s REAL NOT NULL DEFAULT 0
        )
        """,
        "CREATE INDEX messages_by_conversation ON messages (conversation_id, id)",
        "CREATE INDEX messages_streaming ON messages (status) WHERE status = 'streaming'",
        """
        CREATE TABLE parts (
            message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            text TEXT NOT NULL,
            thinking TEXT NOT NULL,
            PRIMARY KEY (message_id, number)
        ) WITHOUT ROWID
        """,
        """
        CREATE VIRTUAL TABLE messages_words USING fts5 (
            text, content = 'messages', content_rowid = 'id', tokenize = 'porter unicode61'
        )
        """,
        """
        CREATE TRIGGER messages_words_insert AFTER INSERT ON messages BEGIN
            INSERT INTO messages_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
        """
        CREATE TRIGGER messages_words_delete AFTER DELETE ON messages BEGIN
            INSERT INTO messages_words (messages_words, rowid, text) VALUES ('delete', old.id, old.text);
        END
        """,
        """
        CREATE TRIGGER messages_words_update AFTER UPDATE OF text ON messages BEGIN
            INSERT INTO messages_words (messages_words, rowid, text) VALUES ('delete', old.id, old.text);
            INSERT INTO messages_words (rowid, text) VALUES (new.id, new.text);
        END
        """,
    ):
        connection.execute(statement)


def _tool_calls(connection: Connection) -> None:
    """What a message of the role "tool" says about its call, as JSON; its text is the result."""
    connection.execute("ALTER TABLE messages ADD COLUMN tool TEXT NOT NULL DEFAULT ''")


def _versions(connection: Connection) -> None:
    """A conversation becomes a tree (`tree.py`); what there was is one branch, one message after another."""
    for statement in (
        "ALTER TABLE messages ADD COLUMN parent_id INTEGER",
        "ALTER TABLE messages ADD COLUMN open_child INTEGER",
        "ALTER TABLE messages ADD COLUMN seen_from INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE messages ADD COLUMN deleted_with INTEGER",
        "ALTER TABLE conversations ADD COLUMN leaf_id INTEGER",
        """
        UPDATE messages SET parent_id = (SELECT max(p.id) FROM messages p
            WHERE p.conversation_id = messages.conversation_id AND p.id < messages.id AND p.role <> 'notice')
        """,
        """
        UPDATE conversations SET leaf_id = (SELECT max(m.id) FROM messages m
            WHERE m.conversation_id = conversations.id AND m.role <> 'notice')
        """,
        """
        UPDATE messages SET seen_from = (SELECT c.seen_from FROM conversations c
            WHERE c.id = messages.conversation_id)
            WHERE id IN (SELECT leaf_id FROM conversations WHERE seen_from > 0)
        """,
        "ALTER TABLE conversations DROP COLUMN seen_from",
        "CREATE INDEX messages_by_parent ON messages (conversation_id, parent_id)",
        "CREATE INDEX messages_after ON messages (parent_id)",
        "CREATE INDEX messages_deleted ON messages (deleted_with) WHERE deleted_with IS NOT NULL",
    ):
        connection.execute(statement)


def _names(connection: Connection) -> None:
    """'' (nobody yet), 'rule', 'model' or 'user'; of old names nobody knows, so that none is changed."""
    connection.execute("ALTER TABLE conversations ADD COLUMN named_by TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE conversations SET named_by = 'user' WHERE title <> 'New chat'")


MIGRATIONS = (
    Migration(1, "conversations and messages", _conversations_and_messages),
    Migration(2, "tool calls", _tool_calls),
    Migration(3, "versions of messages", _versions),
    Migration(4, "who named a conversation", _names),
    *search_index.MIGRATIONS,
    *attachments.MIGRATIONS,
    *search_index.ATTACHMENT_MIGRATIONS,
    *summaries.MIGRATIONS,
    *blocks.MIGRATIONS,
    *presets.MIGRATIONS,
    *drafts.MIGRATIONS,
)
