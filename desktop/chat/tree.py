"""The messages of a conversation as a tree: what each follows, and which branch is open.

A message that is edited or answered anew gets a sibling; nothing is overwritten. `messages.parent_id` says
what a message follows, `conversations.leaf_id` where the open branch ends, and `messages.open_child` which
way the reader went last, so that coming back to a version brings its whole later thread. Notices hang on the
message that they were told after and are followed by nothing. A child is always newer than its parent: a
branch in the order of its ids is in the order in which it is read.

The functions run inside the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.chat.records import MESSAGES, Message, Role, message_of
from desktop.database import Connection

# The open branch of :conversation, from its end to its beginning.
_BRANCH = """
    WITH RECURSIVE branch (id, parent_id) AS (
        SELECT m.id, m.parent_id FROM messages m JOIN conversations c ON c.leaf_id = m.id
            WHERE c.id = :conversation
        UNION ALL
        SELECT m.id, m.parent_id FROM messages m JOIN branch ON m.id = branch.parent_id
    )
"""

# A message with what follows it on all branches.
_SUBTREE = """
    WITH RECURSIVE subtree (id) AS (
        SELECT id FROM messages WHERE id = :message
        UNION ALL
        SELECT m.id FROM messages m JOIN subtree ON m.parent_id = subtree.id
    )
"""


# The newest :nodes messages of the branch that ends with :end, with the notices told after them.
_PAGE = f"""
    WITH RECURSIVE branch (id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = :end
        UNION ALL
        SELECT m.id, m.parent_id FROM messages m JOIN branch ON m.id = branch.parent_id
        LIMIT :nodes
    )
    {MESSAGES}
    WHERE conversation_id = :conversation AND id >= :since AND id < :before
        AND (id IN (SELECT id FROM branch)
            OR (role = 'notice' AND deleted_with IS NULL
                AND (parent_id IS NULL OR parent_id IN (SELECT id FROM branch))))
    ORDER BY id DESC LIMIT :limit
"""  # noqa: S608 - texts of this file


LAST_ID = 2**63 - 1


@dataclass(frozen=True)
class Deleted:
    """What deleting a message took from the branch that was open: the message itself and `after` more."""

    message: Message
    after: int


def branch(
    connection: Connection, conversation_id: int, before: int | None, limit: int | None, since: int
) -> tuple[Message, ...]:
    """The newest `limit` messages of the open branch with `since` <= id < `before`, oldest first.

    A page of a long conversation costs what is on it: only its own part of the branch is walked.
    """
    end, is_cut = _end_of_page(connection, conversation_id, before)
    rows = connection.execute(
        _PAGE,
        {
            "conversation": conversation_id,
            "since": since,
            "before": LAST_ID if before is None else before,
            "limit": -1 if limit is None else limit,
            "end": end,
            "nodes": limit + 1 if limit is not None and is_cut else -1,
        },
    ).fetchall()
    return tuple(message_of(row) for row in reversed(rows))


def seen_from(connection: Connection, conversation_id: int) -> int:
    """The id of the first message of the open branch that the model still sees; 0: all of them."""
    row = connection.execute(
        """
        WITH RECURSIVE branch (parent_id, seen_from) AS (
            SELECT m.parent_id, m.seen_from FROM messages m JOIN conversations c ON c.leaf_id = m.id
                WHERE c.id = ?
            UNION ALL
            SELECT m.parent_id, m.seen_from FROM messages m JOIN branch ON m.id = branch.parent_id
                WHERE branch.seen_from = 0
        )
        SELECT max(seen_from) FROM branch
        """,
        (conversation_id,),
    ).fetchone()
    return int(row[0] or 0)


def set_seen_from(connection: Connection, conversation_id: int, message_id: int) -> None:
    """From the end of the open branch on; other branches keep theirs."""
    connection.execute(
        "UPDATE messages SET seen_from = ? WHERE id = (SELECT leaf_id FROM conversations WHERE id = ?)",
        (message_id, conversation_id),
    )


def leaf(connection: Connection, conversation_id: int) -> int | None:
    """The last message of the open branch; None while there is none."""
    row = connection.execute("SELECT leaf_id FROM conversations WHERE id = ?", (conversation_id,)).fetchone()
    return row["leaf_id"] if row else None


def attach(connection: Connection, message_id: int, parent_id: int | None) -> None:
    """Hang a new message under `parent_id`; unless it is a notice the open branch now ends with it."""
    connection.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (parent_id, message_id))
    row = connection.execute("SELECT role FROM messages WHERE id = ?", (message_id,)).fetchone()
    if row["role"] != Role.NOTICE:
        _end_at(connection, message_id)
        connection.execute("UPDATE messages SET open_child = ? WHERE id = ?", (message_id, parent_id))


def parent(connection: Connection, message_id: int) -> int | None:
    row = connection.execute("SELECT parent_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    return row["parent_id"] if row else None


def versions(connection: Connection, message_id: int) -> tuple[int, ...]:
    """The ids of a message and its siblings, oldest first."""
    rows = connection.execute(
        "SELECT s.id FROM messages s JOIN messages m ON m.id = ? AND s.conversation_id = m.conversation_id"
        " AND s.parent_id IS m.parent_id WHERE s.role <> 'notice' AND s.deleted_with IS NULL ORDER BY s.id",
        (message_id,),
    ).fetchall()
    return tuple(row["id"] for row in rows)


def head(connection: Connection, message_id: int) -> int:
    """Where the version begins that a message belongs to: a question is its own; an answer begins with the
    first thing that was said or called after its question."""
    first = at = message_id
    while True:
        row = connection.execute("SELECT role, parent_id FROM messages WHERE id = ?", (at,)).fetchone()
        if row is None or row["role"] == Role.USER:
            return at if at == message_id else first
        if row["role"] != Role.NOTICE:
            first = at
        if row["parent_id"] is None:
            return first
        at = row["parent_id"]


def open_branch(connection: Connection, message_id: int) -> None:
    """Open the branch that a message is on, to the end where it was left."""
    end = _end_below(connection, message_id)
    _end_at(connection, end)
    conversation = connection.execute("SELECT conversation_id FROM messages WHERE id = ?", (end,)).fetchone()
    connection.execute(
        f"{_BRANCH} UPDATE messages SET open_child ="  # noqa: S608 - a text of this file
        " (SELECT id FROM branch WHERE parent_id = messages.id) WHERE id IN (SELECT parent_id FROM branch)",
        {"conversation": conversation["conversation_id"]},
    )


def hide(connection: Connection, message_id: int) -> int:
    """Take a message and all that follows it out of the tree, until `unhide`; its siblings stay.

    Returns how many messages of the open branch went along.
    """
    conversation_id, parent_id = connection.execute(
        "SELECT conversation_id, parent_id FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    siblings = [each for each in versions(connection, message_id) if each != message_id]
    count = _count_open(connection, conversation_id, message_id)
    connection.execute(
        f"{_SUBTREE} UPDATE messages SET deleted_with = :message"  # noqa: S608 - a text of this file
        " WHERE deleted_with IS NULL AND id IN (SELECT id FROM subtree)",
        {"message": message_id},
    )
    if not count:
        return 0  # it was on another branch than the open one
    older = [each for each in siblings if each < message_id]
    if siblings:
        open_branch(connection, older[-1] if older else siblings[0])
    else:
        connection.execute("UPDATE conversations SET leaf_id = ? WHERE id = ?", (parent_id, conversation_id))
    return count - 1


def unhide(connection: Connection, message_id: int) -> bool:
    """Bring back what was hidden with a message, and open it; False where it is gone for good."""
    row = connection.execute(
        "SELECT p.deleted_with AS above FROM messages m LEFT JOIN messages p ON p.id = m.parent_id"
        " WHERE m.id = ? AND m.deleted_with = m.id",
        (message_id,),
    ).fetchone()
    if row is None or row["above"] is not None:
        return False
    connection.execute("UPDATE messages SET deleted_with = NULL WHERE deleted_with = ?", (message_id,))
    open_branch(connection, message_id)
    return True


def take_out(connection: Connection, message_id: int) -> None:
    """Remove one message for good; what follows it follows what it followed."""
    row = connection.execute(
        "SELECT conversation_id, parent_id, seen_from FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    if row is None:
        return
    parent_id = row["parent_id"]
    connection.execute("UPDATE messages SET parent_id = ? WHERE parent_id = ?", (parent_id, message_id))
    connection.execute(
        "UPDATE messages SET seen_from = max(seen_from, ?), open_child = nullif(open_child, ?) WHERE id = ?",
        (row["seen_from"], message_id, parent_id),
    )
    connection.execute(
        "UPDATE conversations SET leaf_id = ? WHERE id = ? AND leaf_id = ?",
        (parent_id, row["conversation_id"], message_id),
    )
    connection.execute("DELETE FROM messages WHERE id = ?", (message_id,))


def _end_of_page(connection: Connection, conversation_id: int, before: int | None) -> tuple[int | None, bool]:
    """Where to begin to walk up, and whether all that is above `before` is above there."""
    if before is None:
        return leaf(connection, conversation_id), True
    row = connection.execute("SELECT role, parent_id FROM messages WHERE id = ?", (before,)).fetchone()
    if row is None or row["role"] == Role.NOTICE:
        return leaf(connection, conversation_id), False
    return row["parent_id"], True


def _end_at(connection: Connection, message_id: int) -> None:
    connection.execute(
        "UPDATE conversations SET leaf_id = ?1"
        " WHERE id = (SELECT conversation_id FROM messages WHERE id = ?1)",
        (message_id,),
    )


def _end_below(connection: Connection, message_id: int) -> int:
    """The way that was open last; where none was, the newest."""
    at = message_id
    while True:
        row = connection.execute(
            "SELECT id FROM messages WHERE parent_id = ?1 AND role <> 'notice' AND deleted_with IS NULL"
            " ORDER BY id = (SELECT open_child FROM messages WHERE id = ?1) DESC, id DESC LIMIT 1",
            (at,),
        ).fetchone()
        if row is None:
            return at
        at = row["id"]


def _count_open(connection: Connection, conversation_id: int, message_id: int) -> int:
    """How many messages of the open branch begin with this one; 0 where it is not on it."""
    sql = f"{_BRANCH} SELECT id FROM branch"  # noqa: S608 - a text of this file
    rows = connection.execute(sql, {"conversation": conversation_id}).fetchall()
    ids = [row["id"] for row in rows]
    return ids.index(message_id) + 1 if message_id in ids else 0
