"""The chat's tables, step by step. A step is never edited after a release.

Ids are never used again: a view may still hear of a message that is gone.
"""

from __future__ import annotations

from desktop.database import Connection, Migration

SEARCH_INDEXES = ("messages_terms", "messages_pieces", "attachments_terms", "attachments_pieces")

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


# `deleted_at`: hidden, and can still come back; `seen_from`: the first message that the model sees.
_CONVERSATIONS = """
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        deleted_at REAL,
        seen_from INTEGER NOT NULL DEFAULT 0
    )
"""

# `thinking_s`, `answer_tokens`, `tokens_per_s` and `total_s` are of an answer; `status` says how it ended.
_MESSAGES = """
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
"""

# What an answer grew by while it was written: joined to the message in one step when it ends.
_PARTS = """
    CREATE TABLE parts (
        message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        thinking TEXT NOT NULL,
        PRIMARY KEY (message_id, number)
    ) WITHOUT ROWID
"""

# The first index of words, which step 1 of "chat search" takes away. SQLite keeps it by these triggers.
_WORDS = (
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
)


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(statement)


def _conversations_and_messages(connection: Connection) -> None:
    _run(
        connection,
        _CONVERSATIONS,
        "CREATE INDEX conversations_by_use ON conversations (updated_at DESC)",
        _MESSAGES,
        "CREATE INDEX messages_by_conversation ON messages (conversation_id, id)",
        "CREATE INDEX messages_streaming ON messages (status) WHERE status = 'streaming'",
        _PARTS,
        *_WORDS,
    )


def _tool_calls(connection: Connection) -> None:
    """What a message of the role "tool" says about its call, as JSON; its text is the result."""
    connection.execute("ALTER TABLE messages ADD COLUMN tool TEXT NOT NULL DEFAULT ''")


def _versions(connection: Connection) -> None:
    """A conversation becomes a tree; what there was is one branch, one message after another."""
    _run(
        connection,
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
    )


def _names(connection: Connection) -> None:
    """'' (nobody yet), 'rule', 'model' or 'user'; of old names nobody knows, so that none is changed."""
    connection.execute("ALTER TABLE conversations ADD COLUMN named_by TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE conversations SET named_by = 'user' WHERE title <> 'New chat'")


def _attachments(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE attachments (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            path TEXT NOT NULL,
            tainted_by TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            is_estimate INTEGER NOT NULL,
            whole_tokens INTEGER NOT NULL,
            text TEXT NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX attachments_by_message ON attachments (message_id, id)")


def _summaries(connection: Connection) -> None:
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


def _memory_blocks(connection: Connection) -> None:
    _run(
        connection,
        """
        CREATE TABLE blocks (
            question_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            tokens INTEGER NOT NULL,
            untrusted TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE block_items (
            question_id INTEGER NOT NULL REFERENCES blocks (question_id) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            item_id INTEGER NOT NULL,
            layer TEXT NOT NULL,
            date TEXT NOT NULL,
            why TEXT NOT NULL,
            score REAL NOT NULL,
            PRIMARY KEY (question_id, place)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX block_items_by_item ON block_items (item_id)",
    )


def _said(connection: Connection) -> None:
    """Which memories are the words of a message, so that they go with it."""
    connection.execute(
        """
        CREATE TABLE said (
            message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            item_id INTEGER NOT NULL,
            PRIMARY KEY (message_id, item_id)
        ) WITHOUT ROWID
        """
    )


def _presets(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE presets (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            preset TEXT NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE conversation_presets (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            preset TEXT NOT NULL
        )
        """
    )


def _drafts(connection: Connection) -> None:
    """No foreign key: the draft of a new chat belongs to no conversation."""
    connection.execute(
        """
        CREATE TABLE drafts (
            conversation_id INTEGER PRIMARY KEY,
            text TEXT NOT NULL,
            attachments TEXT NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TRIGGER drafts_of_deleted AFTER DELETE ON conversations BEGIN
            DELETE FROM drafts WHERE conversation_id = old.id;
        END
        """
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
    """A mark that words of deleted messages are still in the segments of an index; `retention.py` reads it.

    It is set here once: messages may have been deleted before there was a mark.
    """
    connection.execute("CREATE TABLE messages_forgotten (mark INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO messages_forgotten VALUES (1)")
    connection.execute(
        "CREATE TRIGGER messages_forgotten_delete AFTER DELETE ON messages WHEN old.text <> ''"
        " BEGIN INSERT OR IGNORE INTO messages_forgotten VALUES (1); END"
    )


def _merged_segments(connection: Connection) -> None:
    """Segments of the indexes that may hold deleted words and are being merged, for `retention.py`.

    They are kept here, so that a merge that takes minutes is not lost with the process. The mark is set once
    more: before this step a merge could end before all was merged.
    """
    connection.execute("INSERT OR IGNORE INTO messages_forgotten VALUES (1)")
    connection.execute(
        """
        CREATE TABLE merged_segments (
            search_index TEXT NOT NULL,
            segment INTEGER NOT NULL,
            PRIMARY KEY (search_index, segment)
        ) WITHOUT ROWID
        """
    )


def _attachment_search(connection: Connection) -> None:
    """They are never changed, only added and deleted."""
    connection.execute(_TERMS.format(table="attachments", columns="name, text"))
    connection.execute(_PIECES.format(table="attachments"))
    _run(
        connection,
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
    )


def _texts_of_extensions(connection: Connection) -> None:
    """Beside the messages and never in them: what was asked and answered stays as it was."""
    _run(
        connection,
        """
        CREATE TABLE changed_requests (
            question_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            changed_by TEXT NOT NULL,
            is_undone INTEGER NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE TABLE shown_answers (
            answer_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            upto INTEGER NOT NULL,
            changed_by TEXT NOT NULL,
            is_undone INTEGER NOT NULL DEFAULT 0
        )
        """,
    )


def _pinned(connection: Connection) -> None:
    """Whether a memory was there for every question; until now the words of `why` told it."""
    connection.execute("ALTER TABLE block_items ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0")
    connection.execute("UPDATE block_items SET is_pinned = 1 WHERE why = 'is pinned'")


def _reasons(connection: Connection) -> None:
    """Of a notice its code and values, as JSON, beside the English text; "" for those from before."""
    connection.execute("ALTER TABLE messages ADD COLUMN reason TEXT NOT NULL DEFAULT ''")


def _owners(connection: Connection) -> None:
    """Which process writes a message that streams; "" for nobody known, and for all that are closed."""
    connection.execute("ALTER TABLE messages ADD COLUMN owner TEXT NOT NULL DEFAULT ''")


def _servers(connection: Connection) -> None:
    """Which server answers a conversation, and what the user has agreed to send there; most have none."""
    connection.execute(
        """
        CREATE TABLE conversation_servers (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            server TEXT NOT NULL,
            origin TEXT NOT NULL DEFAULT '',
            with_memory INTEGER NOT NULL DEFAULT 0,
            with_tools INTEGER NOT NULL DEFAULT 1,
            since INTEGER NOT NULL DEFAULT 0
        )
        """
    )


def _imports(connection: Connection) -> None:
    """When a conversation came with an import: its own times are those of another program or computer."""
    connection.execute(
        """
        CREATE TABLE imported_conversations (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            came_at REAL NOT NULL
        )
        """
    )


def _projects(connection: Connection) -> None:
    """A name over what exists: most conversations belong to none. A project that goes leaves its chats."""
    _run(
        connection,
        """
        CREATE TABLE chat_projects (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL COLLATE NOCASE UNIQUE,
            folder TEXT NOT NULL DEFAULT '',
            instructions TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '',
            made_at REAL NOT NULL
        )
        """,
        """
        CREATE TABLE conversation_projects (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            project_id INTEGER NOT NULL REFERENCES chat_projects (id) ON DELETE CASCADE
        )
        """,
        "CREATE INDEX conversation_projects_by_project ON conversation_projects (project_id)",
    )


def _file_parts(connection: Connection) -> None:
    """A text that was too large, as it was read for an answer: most answers have none."""
    connection.execute(
        """
        CREATE TABLE file_parts (
            answer_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            of INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            lines INTEGER NOT NULL,
            end INTEGER NOT NULL,
            text TEXT NOT NULL,
            seconds REAL NOT NULL,
            PRIMARY KEY (answer_id, number)
        ) WITHOUT ROWID
        """
    )


def _folders(connection: Connection) -> None:
    """A folder that a conversation looks into, and its texts by their words: most have none."""
    _run(
        connection,
        """
        CREATE TABLE conversation_folders (
            conversation_id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            folder TEXT NOT NULL,
            left_out INTEGER NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE TABLE folder_files (
            id INTEGER PRIMARY KEY,
            conversation_id INTEGER NOT NULL
                REFERENCES conversation_folders (conversation_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            size_bytes INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            UNIQUE (conversation_id, name)
        )
        """,
        """
        CREATE TABLE folder_passages (
            id INTEGER PRIMARY KEY,
            file_id INTEGER NOT NULL REFERENCES folder_files (id) ON DELETE CASCADE,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            text TEXT NOT NULL
        )
        """,
        "CREATE INDEX folder_passages_by_file ON folder_passages (file_id)",
        "CREATE VIRTUAL TABLE folder_words USING fts5 (words)",
        """
        CREATE TRIGGER folder_words_gone AFTER DELETE ON folder_passages BEGIN
            DELETE FROM folder_words WHERE rowid = old.id;
        END
        """,
    )


MIGRATIONS = (
    Migration(1, "conversations and messages", _conversations_and_messages),
    Migration(2, "tool calls", _tool_calls),
    Migration(3, "versions of messages", _versions),
    Migration(4, "who named a conversation", _names),
    Migration(5, "codes of notices", _reasons),
    Migration(6, "who writes a message that streams", _owners),
    Migration(1, "words and pieces of messages", _terms_and_pieces, "chat search"),
    Migration(2, "a mark for words to be forgotten", _forgotten, "chat search"),
    Migration(3, "segments that are being merged", _merged_segments, "chat search"),
    Migration(1, "attachments of messages", _attachments, "attachments"),
    # A room of its own: it needs the table above, which came after the other indexes.
    Migration(1, "words and pieces of attachments", _attachment_search, "attachment search"),
    Migration(1, "summaries of older messages", _summaries, "summaries"),
    Migration(1, "blocks of memory", _memory_blocks, "blocks"),
    Migration(2, "what of memory is a message", _said, "blocks"),
    Migration(3, "which memories were pinned", _pinned, "blocks"),
    Migration(1, "presets", _presets, "presets"),
    Migration(1, "drafts", _drafts, "drafts"),
    Migration(1, "requests and answers as extensions made them", _texts_of_extensions, "extension texts"),
    Migration(1, "model servers of conversations", _servers, "model servers"),
    Migration(1, "when conversations were imported", _imports, "imports of chats"),
    Migration(1, "projects, and which conversations are theirs", _projects, "projects"),
    Migration(1, "texts that were read in parts", _file_parts, "file parts"),
    Migration(1, "folders of conversations", _folders, "folders of chats"),
)
