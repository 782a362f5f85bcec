"""Conversations on disk. This file owns the tables of `migrations.py`; everyone else calls its methods.

A streaming answer grows in the table `parts`, one short row a batch, so that a commit costs the same at
the end of a long answer as at its start; closing the answer joins them. What a killed process left open is
joined at the next start and marked as interrupted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import astuple

from desktop.chat import attachments as attached
from desktop.chat import messages
from desktop.chat.attachments import Attachment, AttachmentKind, Draft
from desktop.chat.messages import (
    FOLDER_OF,
    MESSAGES,
    AnswerEnding,
    Conversation,
    Deleted,
    ExtensionText,
    FilePart,
    Message,
    MessageStatus,
    Role,
    ToolRecord,
    conversation_of,
    message_of,
)
from desktop.chat.presets import Presets
from desktop.chat.search import ChatSearch, SearchResults
from desktop.chat.titles import UNTITLED, title_of
from desktop.database import Connection, Database
from desktop.presence import Presence
from desktop.reasons import Reason

__all__ = [
    "UNTITLED",
    "AnswerEnding",
    "ChatStore",
    "Conversation",
    "Deleted",
    "Message",
    "MessageStatus",
    "Role",
    "title_of",
]

# What belongs to a chat is known by its number: permissions, the cache of the model, what can be undone.
# Those of histories that nobody keeps begin where the user's own does not get to.
FIRST_FORGOTTEN = 1 << 50

_WITH_PROJECT = (
    "SELECT conversations.*, chat_projects.id AS project_id, chat_projects.name AS project FROM conversations"
    " LEFT JOIN conversation_projects ON conversation_projects.conversation_id = conversations.id"
    " LEFT JOIN chat_projects ON chat_projects.id = conversation_projects.project_id"
)


NOBODY: frozenset[str] = frozenset()


class ChatStore:
    """All methods may be called on any thread; writes return when they are committed."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float] = time.time,
        presence: Presence | None = None,
    ) -> None:
        """`presence`: of this process, where others may be at work in the same database."""
        self._database = database
        self._owner = presence.name if presence is not None else ""
        self._clock = clock
        self._search = ChatSearch(database, clock)
        self.presets = Presets(database)
        # Before anybody reads: a streaming message without a turn would stream for ever.
        with presence.others() if presence is not None else nullcontext(NOBODY) as living:
            if living is not None:
                database.write(lambda c: _recover(c, living))

    @property
    def database(self) -> Database:
        """For what else is kept beside the messages, such as blocks of memory."""
        return self._database

    # -- conversations ------------------------------------------------------------------------

    def create(self, title: str = UNTITLED, project_id: int = 0) -> Conversation:
        """Start an empty conversation, in a project where one is named; one with a title keeps it."""
        now = self._clock()

        def insert(connection: Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO conversations (title, created_at, updated_at, named_by) VALUES (?, ?, ?, ?)",
                (title, now, now, "" if title == UNTITLED else "user"),
            )
            assert cursor.lastrowid is not None
            # One that was deleted meanwhile is none.
            connection.execute(
                "INSERT INTO conversation_projects SELECT ?, id FROM chat_projects WHERE id = ?",
                (cursor.lastrowid, project_id),
            )
            return cursor.lastrowid

        return self.get(self._database.write(insert))

    def get(self, conversation_id: int) -> Conversation:
        """Raises KeyError when there is no such conversation (or it was deleted)."""
        row = self._database.read(
            lambda c: c.execute(
                f"{_WITH_PROJECT} WHERE conversations.id = ? AND deleted_at IS NULL", (conversation_id,)
            ).fetchone()
        )
        if row is None:
            raise KeyError(conversation_id)
        return conversation_of(row)

    def conversations(self, limit: int = 1000) -> tuple[Conversation, ...]:
        """Those that have messages, pinned or not, last used first."""
        rows = self._database.read(
            lambda c: c.execute(
                f"{_WITH_PROJECT} WHERE deleted_at IS NULL"  # noqa: S608 - from this file
                " AND EXISTS (SELECT 1 FROM messages WHERE conversation_id = conversations.id"
                " AND deleted_with IS NULL)"
                " ORDER BY updated_at DESC, conversations.id DESC LIMIT ?",
                (limit,),
            ).fetchall()
        )
        return tuple(conversation_of(row) for row in rows)

    def rename(self, conversation_id: int, title: str) -> None:
        """By the user: it keeps this name. An empty title is ignored."""
        if title.strip():
            self._database.write(
                lambda c: c.execute(
                    "UPDATE conversations SET title = ?, named_by = 'user' WHERE id = ?",
                    (title.strip(), conversation_id),
                )
            )

    def may_be_named(self, conversation_id: int) -> bool:
        """Whether a conversation has its name by rule: the model may find a better one."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT 1 FROM conversations WHERE id = ? AND named_by = 'rule' AND deleted_at IS NULL",
                (conversation_id,),
            ).fetchone()
        )
        return row is not None

    def name_by_model(self, conversation_id: int, title: str) -> bool:
        """False where the user was faster."""
        sql = "UPDATE conversations SET title = ?, named_by = 'model' WHERE id = ? AND named_by = 'rule'"
        # Decided in the statement: the user may have typed a name meanwhile.
        changed = self._database.write(lambda c: c.execute(sql, (title, conversation_id)).rowcount)
        return changed > 0

    def set_pinned(self, conversation_id: int, pinned: bool) -> None:
        self._set(conversation_id, "pinned", int(pinned))

    def delete(self, conversation_id: int) -> None:
        """Hide it; `restore` brings it back until the program ends, then it is gone."""
        self._set(conversation_id, "deleted_at", self._clock())

    def restore(self, conversation_id: int) -> None:
        self._set(conversation_id, "deleted_at", None)

    def seen_from(self, conversation_id: int) -> int:
        """The id of the first message of the open branch that the model still sees; 0: all of them."""
        return self._database.read(lambda c: messages.seen_from(c, conversation_id))

    def set_seen_from(self, conversation_id: int, message_id: int) -> None:
        """For the open branch, as it is and goes on."""
        self._database.write(lambda c: messages.set_seen_from(c, conversation_id, message_id))

    # -- messages -----------------------------------------------------------------------------

    def message(self, message_id: int) -> Message:
        """Raises KeyError."""
        return self._database.read(lambda c: messages.message(c, message_id))

    def messages(
        self, conversation_id: int, before: int | None = None, limit: int | None = 60, since: int = 0
    ) -> tuple[Message, ...]:
        """The newest `limit` messages of the open branch with `since` <= id < `before`, oldest first.

        A streaming answer has what was committed so far.
        """
        return self._database.read(lambda c: messages.branch(c, conversation_id, before, limit, since))

    def all_messages(self, conversation_id: int) -> tuple[Message, ...]:
        """Those of all branches, oldest first; `parent_id` says what each follows."""
        rows = self._database.read(
            lambda c: c.execute(
                f"{MESSAGES} WHERE conversation_id = ? AND deleted_with IS NULL ORDER BY id",
                (conversation_id,),
            ).fetchall()
        )
        return tuple(message_of(row) for row in rows)

    def message_count(self, conversation_id: int) -> int:
        """On all branches."""
        row = self._database.read(
            lambda c: c.execute(
                "SELECT count(*) FROM messages WHERE conversation_id = ? AND deleted_with IS NULL",
                (conversation_id,),
            ).fetchone()
        )
        return int(row[0])

    def add(
        self,
        conversation_id: int,
        role: Role,
        text: str,
        status: MessageStatus = MessageStatus.COMPLETE,
        model: str = "",
    ) -> Message:
        """Append one message to the open branch."""
        # Read in the same transaction: what is returned is what was written, at no further read.
        return self._database.write(
            lambda c: messages.message(c, self._insert(c, conversation_id, role, text, status, model))
        )

    def add_notice(self, conversation_id: int, reason: Reason) -> Message:
        """Append a line about the conversation itself; its text is English, for search and export."""

        def write(connection: Connection) -> Message:
            number = self._insert(
                connection, conversation_id, Role.NOTICE, str(reason), MessageStatus.COMPLETE, ""
            )
            said = json.dumps(reason.as_json(), ensure_ascii=False)
            connection.execute("UPDATE messages SET reason = ? WHERE id = ?", (said, number))
            return messages.message(connection, number)

        return self._database.write(write)

    def open_turn(
        self,
        conversation_id: int,
        question: str,
        instead_of: int | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> tuple[Message, Message]:
        """Store the question and an empty, streaming answer in one transaction.

        `instead_of`: the question becomes another version of that one, on a branch of its own, and what went
        along with that one goes along with it.
        """

        def insert(connection: Connection) -> tuple[Message, Message]:
            done, streaming = MessageStatus.COMPLETE, MessageStatus.STREAMING
            asked = self._insert(connection, conversation_id, Role.USER, question, done, "", instead_of)
            if attachments:
                attached.insert(connection, asked, attachments)
            # The question in other words is asked about the same files.
            if instead_of is not None and not attachments:
                attached.copy(connection, instead_of, asked)
            answer = self._insert(connection, conversation_id, Role.ASSISTANT, "", streaming, "")
            if _is_unnamed(connection, conversation_id):
                title = title_of(Draft(question, tuple(attachments)).words)
                connection.execute(
                    "UPDATE conversations SET title = ?, named_by = 'rule' WHERE id = ?",
                    (title, conversation_id),
                )
            # Read where they were written: a turn reads its conversation once more, and nothing else.
            return messages.message(connection, asked), messages.message(connection, answer)

        return self._database.write(insert)

    def attached(self, conversation_id: int, kind: AttachmentKind) -> frozenset[str]:
        """The names of what went along with any question of a conversation."""
        return self._database.read(lambda c: attached.names(c, conversation_id, kind))

    def open_answer(self, conversation_id: int, instead_of: int | None = None) -> Message:
        """An empty, streaming answer; `instead_of`: as another version of that message."""
        streaming = MessageStatus.STREAMING
        return self._database.write(
            lambda c: messages.message(
                c, self._insert(c, conversation_id, Role.ASSISTANT, "", streaming, "", instead_of)
            )
        )

    def reopen(self, message_id: int) -> Message:
        """Make a closed answer stream again; what it holds becomes its first part."""

        def update(connection: Connection) -> Message:
            connection.execute(
                "UPDATE messages SET status = ?, owner = ? WHERE id = ?",
                (MessageStatus.STREAMING, self._owner, message_id),
            )
            connection.execute(
                "INSERT INTO parts SELECT id, 0, text, thinking FROM messages WHERE id = ?", (message_id,)
            )
            return messages.message(connection, message_id)

        return self._database.write(update)

    def folder(self, conversation_id: int) -> str:
        """That a conversation looks into; "" for none."""
        row = self._database.read(lambda c: c.execute(FOLDER_OF, (conversation_id,)).fetchone())
        return str(row["folder"]) if row is not None else ""

    def attach(self, question_id: int, along: Sequence[Attachment]) -> Message:
        """Put something to a question that was asked already; the question as it reads now."""

        def write(connection: Connection) -> Message:
            attached.insert(connection, question_id, along)
            return messages.message(connection, question_id)

        return self._database.write(write)

    def keep_part(self, answer_id: int, part: FilePart) -> Message:
        """Keep what was read of a text for an answer; the answer as it reads now."""

        def write(connection: Connection) -> Message:
            # One that was read in other sizes before a restart is told anew from where it began.
            connection.execute(
                "DELETE FROM file_parts WHERE answer_id = ? AND number >= ?", (answer_id, part.number)
            )
            connection.execute(
                "INSERT INTO file_parts (answer_id, number, of, first, last, lines, end, text, seconds)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (answer_id, *astuple(part)),
            )
            return messages.message(connection, answer_id)

        return self._database.write(write)

    def begin_again(self, message_id: int) -> Message:
        """Take back the words of a streaming answer; the parts that it was made of stay."""

        def write(connection: Connection) -> Message:
            connection.execute("DELETE FROM parts WHERE message_id = ?", (message_id,))
            connection.execute("UPDATE messages SET text = '', thinking = '' WHERE id = ?", (message_id,))
            return messages.message(connection, message_id)

        return self._database.write(write)

    def grow(self, message_id: int, text: str, thinking: str) -> None:
        """Append to a streaming answer; committed when this returns."""
        self._database.write(lambda c: _grow(c, message_id, text, thinking))

    def close_answer(
        self, message_id: int, closing: AnswerEnding, text: str = "", thinking: str = ""
    ) -> Message:
        """Append the last `text` and `thinking`, join the parts and set the final status, in one
        transaction."""

        def update(connection: Connection) -> Message:
            if text or thinking:
                _grow(connection, message_id, text, thinking)
            _join_parts(connection, message_id, closing.status)
            connection.execute(
                "UPDATE messages SET model = coalesce(nullif(?, ''), model), thinking_s = ?,"
                " answer_tokens = ?, tokens_per_s = ?, total_s = ? WHERE id = ?",
                (
                    closing.model,
                    closing.thinking_s,
                    closing.answer_tokens,
                    closing.tokens_per_s,
                    closing.total_s,
                    message_id,
                ),
            )
            return messages.message(connection, message_id)

        return self._database.write(update)

    def add_call(self, conversation_id: int, record: ToolRecord) -> Message:
        """A call that begins; what a kill leaves of it is marked as interrupted at the next start."""

        def insert(connection: Connection) -> Message:
            streaming = MessageStatus.STREAMING
            message_id = self._insert(connection, conversation_id, Role.TOOL, "", streaming, "")
            _set_tool(connection, message_id, record)
            return messages.message(connection, message_id)

        return self._database.write(insert)

    def close_call(self, message_id: int, record: ToolRecord, result: str) -> Message:
        """What came of a call. Raises KeyError where its conversation was deleted since."""

        def update(connection: Connection) -> Message:
            connection.execute(
                "UPDATE messages SET text = ?, status = ?, owner = '' WHERE id = ?",
                (result, MessageStatus.COMPLETE, message_id),
            )
            _set_tool(connection, message_id, record)
            return messages.message(connection, message_id)

        return self._database.write(update)

    def remove(self, message_id: int) -> None:
        """Take one message out for good; what follows it stays."""
        self._database.write(lambda c: messages.take_out(c, message_id))

    # -- summaries ----------------------------------------------------------------------------

    def add_summary(
        self,
        conversation_id: int,
        notice_id: int,
        text: str,
        kept_from: int,
        count: int,
        sources: Sequence[str],
    ) -> None:
        """Keep what the model wrote about `count` messages before `kept_from`."""
        self._database.write(
            lambda c: c.execute(
                "INSERT INTO summaries (conversation_id, notice_id, text, kept_from, count, sources)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (conversation_id, notice_id, text, kept_from, count, json.dumps(list(sources))),
            )
        )

    def undo_summary(self, summary_id: int) -> None:
        """The model reads the messages themselves again."""
        self._database.write(
            lambda c: c.execute("UPDATE summaries SET is_undone = 1 WHERE id = ?", (summary_id,))
        )

    # -- what extensions made of messages -----------------------------------------------------

    def set_changed(self, message: Message, made: ExtensionText) -> Message:
        """Keep what extensions made of a question or an answer, beside it; the message as it reads now."""
        table, key = _CHANGED_TABLES[message.role]
        values: dict[str, object] = {
            key: message.id,
            "text": made.text,
            "changed_by": json.dumps(made.by),
            "is_undone": int(made.is_undone),
        }
        if message.role is Role.ASSISTANT:
            values["upto"] = made.upto
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        statement = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names from here

        def write(connection: Connection) -> Message:
            connection.execute(statement, tuple(values.values()))
            return messages.message(connection, message.id)

        return self._database.write(write)

    def undo_changed(self, message_id: int, undone: bool = True) -> Message:
        """Have a message count in its own words again, or not. Raises KeyError."""

        def write(connection: Connection) -> Message:
            for table, key in _CHANGED_TABLES.values():
                connection.execute(
                    f"UPDATE {table} SET is_undone = ? WHERE {key} = ?",  # noqa: S608 - names from here
                    (int(undone), message_id),
                )
            return messages.message(connection, message_id)

        return self._database.write(write)

    def forget_extension(self, extension_id: str) -> tuple[Message, ...]:
        """Take out every text that an extension had a part in: all messages are what they were without it.

        Returns those messages, as they read now.
        """

        def write(connection: Connection) -> tuple[Message, ...]:
            ids: list[int] = []
            for table, key in _CHANGED_TABLES.values():
                rows = connection.execute(
                    f"DELETE FROM {table} WHERE EXISTS"  # noqa: S608 - names from here
                    f" (SELECT 1 FROM json_each(changed_by) WHERE value = ?) RETURNING {key}",
                    (extension_id,),
                ).fetchall()
                ids += [row[0] for row in rows]
            return tuple(messages.message(connection, each) for each in ids)

        return self._database.write(write)

    # -- versions -----------------------------------------------------------------------------

    def head(self, message_id: int) -> int:
        """The message with which the version begins that a message belongs to (`messages.head`)."""
        return self._database.read(lambda c: messages.head(c, message_id))

    def versions(self, message_id: int) -> tuple[int, ...]:
        """The ids of a message and of the others that follow the same one, oldest first."""
        return self._database.read(lambda c: messages.versions(c, message_id))

    def open_branch(self, message_id: int) -> None:
        """Open the branch that a message is on, to the end where it was left last."""
        self._database.write(lambda c: messages.open_branch(c, message_id))

    def hide(self, message_id: int) -> Deleted:
        """Delete a message with all that follows it; `unhide` brings it back until the next start."""
        message = self.message(message_id)
        return Deleted(message, self._database.write(lambda c: messages.hide(c, message_id)))

    def unhide(self, message_id: int) -> bool:
        """Bring back what was deleted with a message, and open it; False where it is gone for good."""
        return self._database.write(lambda c: messages.unhide(c, message_id))

    # -- search -------------------------------------------------------------------------------

    def search(self, typed: str) -> SearchResults:
        """The conversations and messages for what is in the search box; see `search.py`."""
        return self._search.find(typed)

    # -- inside -------------------------------------------------------------------------------

    def _insert(
        self,
        connection: Connection,
        conversation_id: int,
        role: Role,
        text: str,
        status: MessageStatus,
        model: str,
        instead_of: int | None = None,
    ) -> int:
        """At the end of the open branch, or beside another message."""
        now = self._clock()
        owner = self._owner if status is MessageStatus.STREAMING else ""
        parent = messages.leaf(connection, conversation_id)
        # A version follows what the other one follows.
        if instead_of is not None:
            parent = messages.parent(connection, instead_of)
        cursor = connection.execute(
            "INSERT INTO messages (conversation_id, role, text, status, model, created_at, owner)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (conversation_id, role, text, status, model, now, owner),
        )
        connection.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (now, conversation_id))
        assert cursor.lastrowid is not None
        messages.attach(connection, cursor.lastrowid, parent)
        return cursor.lastrowid

    def _set(self, conversation_id: int, column: str, value: object) -> None:
        statement = f"UPDATE conversations SET {column} = ? WHERE id = ?"  # noqa: S608 - a name from this file
        self._database.write(lambda c: c.execute(statement, (value, conversation_id)))


_CHANGED_TABLES = {
    Role.USER: ("changed_requests", "question_id"),
    Role.ASSISTANT: ("shown_answers", "answer_id"),
}


def _is_unnamed(connection: Connection, conversation_id: int) -> bool:
    """Whether nobody has named a conversation yet, the rule included."""
    row = connection.execute(
        "SELECT 1 FROM conversations WHERE id = ? AND named_by = '' AND title = ?",
        (conversation_id, UNTITLED),
    ).fetchone()
    return row is not None


def _grow(connection: Connection, message_id: int, text: str, thinking: str) -> None:
    connection.execute(
        "INSERT INTO parts SELECT ?, coalesce(max(number), 0) + 1, ?, ? FROM parts WHERE message_id = ?",
        (message_id, text, thinking, message_id),
    )


def _set_tool(connection: Connection, message_id: int, record: ToolRecord) -> None:
    connection.execute("UPDATE messages SET tool = ? WHERE id = ?", (record.as_json(), message_id))


def _recover(connection: Connection, living: Collection[str]) -> None:
    """Close what a killed process left open, and forget what was deleted before this start.

    `living` are the other processes that are at work here.
    """
    rows = connection.execute("SELECT id, owner FROM messages WHERE status = 'streaming'").fetchall()
    for row in rows:
        if row["owner"] not in living:
            _join_parts(connection, row["id"], MessageStatus.INTERRUPTED)
    # They may take a deletion back, and are about to write into the chat that they have opened.
    if living:
        return
    # Undo ends with the program.
    connection.execute("DELETE FROM messages WHERE deleted_with IS NOT NULL")
    connection.execute("DELETE FROM conversations WHERE deleted_at IS NOT NULL")
    # A chat that was opened and never used.
    connection.execute("DELETE FROM conversations WHERE id NOT IN (SELECT conversation_id FROM messages)")


def _join_parts(connection: Connection, message_id: int, status: MessageStatus) -> None:
    rows = connection.execute(
        "SELECT text, thinking FROM parts WHERE message_id = ? ORDER BY number", (message_id,)
    ).fetchall()
    connection.execute(
        "UPDATE messages SET text = ?, thinking = ?, status = ?, owner = '' WHERE id = ?",
        ("".join(row["text"] for row in rows), "".join(row["thinking"] for row in rows), status, message_id),
    )
    connection.execute("DELETE FROM parts WHERE message_id = ?", (message_id,))
