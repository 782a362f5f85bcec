"""What of memory was told to the model, and before which question: a block is made once and stays.

It belongs to its question, and so to that question's branch of the conversation; it goes with it. When
something in it is forgotten, the whole block goes: the rest of it is found again by the next question.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from desktop.database import Connection, Database, Migration
from desktop.memory.context import PINNED, AssembledContext, UsedItem
from desktop.memory.item import Layer

ROOM = "blocks"


@dataclass(frozen=True)
class Block:
    """`text` is exactly what the model was told. `untrusted` names where its quotations come from."""

    question_id: int
    text: str
    tokens: int
    items: tuple[UsedItem, ...]
    untrusted: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether something in it was found for the question, and is not there for every one."""
        return any(item.why != PINNED for item in self.items)

    @property
    def ids(self) -> frozenset[int]:
        """Of the memories in it."""
        return frozenset(item.id for item in self.items)


@dataclass(frozen=True)
class Used:
    """What an answer says of the block before its question."""

    question_id: int
    memories: int
    tokens: int


# Of one row of `messages`, an answer: the block of the question that it answers, as JSON.
COLUMN = """(
    WITH RECURSIVE up (id, role, parent_id) AS (
        SELECT m.id, m.role, m.parent_id FROM messages m WHERE m.id = messages.parent_id
        UNION ALL
        SELECT m.id, m.role, m.parent_id FROM messages m JOIN up ON m.id = up.parent_id
            WHERE up.role <> 'user'
    )
    SELECT json_array(b.question_id, (SELECT count(*) FROM block_items i
        WHERE i.question_id = b.question_id), b.tokens)
        FROM up JOIN blocks b ON b.question_id = up.id WHERE up.role = 'user'
)"""


def read_column(value: str | None) -> Used | None:
    """The inverse of `COLUMN`."""
    return Used(*json.loads(value)) if value else None


def _blocks(connection: Connection) -> None:
    for statement in (
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
    ):
        connection.execute(statement)


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


MIGRATIONS = (
    Migration(1, "blocks of memory", _blocks, room=ROOM),
    Migration(2, "what of memory is a message", _said, room=ROOM),
)


class Blocks:
    """In the database of the conversations. All methods may be called on any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, question_id: int, context: AssembledContext, untrusted: Iterable[str] = ()) -> Block:
        """Keep what is told before a question that has no block yet."""
        sources = tuple(dict.fromkeys(untrusted))
        block = Block(question_id, context.content, context.total_tokens, context.items, sources)

        def insert(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO blocks VALUES (?, ?, ?, ?)",
                (question_id, block.text, block.tokens, "\n".join(sources)),
            )
            rows = [
                (question_id, place, item.id, item.layer.value, item.date, item.why, item.score)
                for place, item in enumerate(block.items)
            ]
            connection.executemany("INSERT INTO block_items VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

        self._database.write(insert)
        return block

    def of(self, question_ids: Collection[int]) -> Mapping[int, Block]:
        """The blocks of those questions that have one."""
        return self._database.read(lambda c: _read(c, tuple(question_ids)))

    def was_kept(self, message_id: int, item_ids: Iterable[int]) -> None:
        """These memories are the words of a message."""
        rows = [(message_id, item_id) for item_id in item_ids]
        self._database.write(lambda c: c.executemany("INSERT INTO said VALUES (?, ?)", rows))

    def kept_with(self, message_id: int) -> tuple[int, ...]:
        """The memories that are words of what was deleted with a message."""
        statement = (
            "SELECT item_id FROM said JOIN messages ON messages.id = said.message_id WHERE deleted_with = ?"
        )
        rows = self._database.read(lambda c: c.execute(statement, (message_id,)).fetchall())
        return tuple(row["item_id"] for row in rows)

    def conversations(self) -> frozenset[str]:
        """Those that there are, also the ones that may still come back."""
        rows = self._database.read(lambda c: c.execute("SELECT id FROM conversations").fetchall())
        return frozenset(str(row["id"]) for row in rows)

    def forget(self, ids: frozenset[int] | None) -> int:
        """Delete every block with one of these memories in it, None: every block; returns how many."""

        def delete(connection: Connection) -> int:
            if ids is None:
                return connection.execute("DELETE FROM blocks").rowcount
            found: set[int] = set()
            for item_id in ids:
                rows = connection.execute("SELECT question_id FROM block_items WHERE item_id = ?", (item_id,))
                found.update(row["question_id"] for row in rows.fetchall())
            connection.executemany("DELETE FROM blocks WHERE question_id = ?", [(each,) for each in found])
            return len(found)

        count = self._database.write(delete)
        if count:
            self._database.scrub()
        return count


def _read(connection: Connection, question_ids: tuple[int, ...]) -> dict[int, Block]:
    marks = ", ".join("?" * len(question_ids))
    rows = connection.execute(f"SELECT * FROM blocks WHERE question_id IN ({marks})", question_ids)  # noqa: S608
    items = connection.execute(
        f"SELECT * FROM block_items WHERE question_id IN ({marks}) ORDER BY question_id, place",  # noqa: S608
        question_ids,
    )
    of: dict[int, list[UsedItem]] = {}
    for row in items.fetchall():
        item = UsedItem(row["item_id"], Layer(row["layer"]), row["date"], row["why"], row["score"])
        of.setdefault(row["question_id"], []).append(item)
    return {
        row["question_id"]: Block(
            row["question_id"],
            row["text"],
            row["tokens"],
            tuple(of.get(row["question_id"], ())),
            tuple(row["untrusted"].splitlines()),
        )
        for row in rows.fetchall()
    }
