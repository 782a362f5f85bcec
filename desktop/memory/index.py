"""The index of words: what is said, by whom, beside what, and when.

It keeps its own copy of these, because the turns around an item change after it was stored.
"""

from __future__ import annotations

from collections.abc import Iterable

from desktop.database import Connection, Row
from desktop.memory.words import Vocabulary, spaced

NEAR = 2  # turns on either side whose words help to find one


def index(vocabulary: Vocabulary, connection: Connection, ids: Iterable[int]) -> None:
    """Write the words of these anew, as they and their neighbours are now."""
    for item_id in ids:
        row = connection.execute("SELECT * FROM memory_items WHERE id = ?", (item_id,)).fetchone()
        near = " ".join(spaced(text) for text in near_texts(connection, row))
        words = (item_id, spaced(row["text"]), row["speaker"], near, vocabulary.dates(row["at"]))
        connection.execute("DELETE FROM memory_words WHERE rowid = ?", (item_id,))
        connection.execute(
            "INSERT INTO memory_words (rowid, said, speaker, near, dates) VALUES (?, ?, ?, ?, ?)", words
        )


def with_neighbours(connection: Connection, ids: Iterable[int]) -> list[int]:
    """`ids` and those whose index has their words."""
    found = dict.fromkeys(ids)
    for item_id in tuple(found):
        row = connection.execute("SELECT thread FROM memory_items WHERE id = ?", (item_id,)).fetchone()
        if row is None or not row["thread"]:
            continue
        for side, order in (("<", "DESC"), (">", "ASC")):
            rows = connection.execute(
                f"SELECT id FROM memory_items WHERE thread = ? AND id {side} ? ORDER BY id {order} LIMIT ?",  # noqa: S608
                (row["thread"], item_id, NEAR),
            )
            found.update((each["id"], None) for each in rows.fetchall())
    return list(found)


def forget_words(connection: Connection) -> None:
    """FTS5 only marks what is deleted until segments are merged; this merges them."""
    for table in ("memory_words", "memory_grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - from this line


def near_texts(connection: Connection, row: Row) -> list[str]:
    """The texts of the turns around one, in their order."""
    if not row["thread"]:
        return []
    before = connection.execute(
        "SELECT text FROM memory_items WHERE thread = ? AND id < ? ORDER BY id DESC LIMIT ?",
        (row["thread"], row["id"], NEAR),
    ).fetchall()
    after = connection.execute(
        "SELECT text FROM memory_items WHERE thread = ? AND id > ? ORDER BY id LIMIT ?",
        (row["thread"], row["id"], NEAR),
    ).fetchall()
    return [each["text"] for each in (*reversed(before), *after)]
