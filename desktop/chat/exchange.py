"""Conversations out of the database into the exchange form, and from there into a database.

An import is one transaction: all of a file or nothing. A conversation that is here already, begun at the same
moment under the same title, is left out. Changes that a call made are changes of another computer's files, so
there is nothing to undo about them here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from desktop.chat import attachments as attached
from desktop.chat import tree
from desktop.chat.attachments import Attached, Attachment
from desktop.chat.exchange_form import AttachmentForm, ChatsForm, ConversationForm, MessageForm
from desktop.chat.records import Message, MessageStatus, Role
from desktop.chat.store import UNTITLED, ChatStore
from desktop.chat.tool_record import ToolRecord
from desktop.database import Connection, Database

_ABOUT = ("name", "kind", "path", "tainted_by", "tokens", "is_estimate", "whole_tokens")


@dataclass(frozen=True)
class Imported:
    """How many conversations and messages came in, and how many conversations were here already."""

    conversations: int
    messages: int
    known: int


class Exchange:
    """Any thread."""

    def __init__(self, database: Database, store: ChatStore, program: str) -> None:
        self._database = database
        self._store = store
        self._program = program

    def export(self, conversation_ids: Sequence[int] | None = None) -> ChatsForm:
        """These conversations, or all; one that is gone is left out."""
        listed = self._store.conversations(limit=-1)
        chosen = listed if conversation_ids is None else [c for c in listed if c.id in conversation_ids]
        forms = []
        for each in chosen:
            messages = self._store.all_messages(each.id)
            forms.append(
                ConversationForm(
                    title=each.title,
                    pinned=each.pinned,
                    created_at=each.created_at,
                    updated_at=each.updated_at,
                    open=self._database.read(lambda c, number=each.id: tree.leaf(c, number)),  # type: ignore[misc]
                    messages=tuple(self._message(message) for message in messages),
                )
            )
        return ChatsForm(program=self._program, conversations=tuple(forms))

    def import_chats(self, chats: ChatsForm) -> Imported:
        """Add what is not here yet."""
        return self._database.write(lambda connection: _insert_all(connection, chats))

    def _message(self, message: Message) -> MessageForm:
        return MessageForm(
            id=message.id,
            parent=message.parent_id,
            role=message.role,
            text=message.text,
            created_at=message.created_at,
            thinking=message.thinking,
            thinking_s=message.thinking_s,
            status=message.status,
            model=message.model,
            answer_tokens=message.answer_tokens,
            tokens_per_s=message.tokens_per_s,
            total_s=message.total_s,
            tool=json.loads(message.tool.as_json()) if message.tool is not None else None,
            attachments=self._attachments(message.id) if message.attachments else (),
        )

    def _attachments(self, message_id: int) -> tuple[AttachmentForm, ...]:
        return tuple(
            AttachmentForm(text=each.text, **{name: getattr(each.about, name) for name in _ABOUT})
            for each in attached.of_message(self._database, message_id)
        )


def _insert_all(connection: Connection, chats: ChatsForm) -> Imported:
    conversations = messages = known = 0
    for each in chats.conversations:
        if not each.messages:
            continue
        if _is_known(connection, each):
            known += 1
            continue
        messages += _insert(connection, each)
        conversations += 1
    return Imported(conversations, messages, known)


def _is_known(connection: Connection, conversation: ConversationForm) -> bool:
    began = _seconds(conversation.created_at)
    found = connection.execute(
        "SELECT 1 FROM conversations WHERE title = ? AND abs(created_at - ?) < 0.001 AND deleted_at IS NULL",
        (conversation.title.strip() or UNTITLED, began),
    ).fetchone()
    return found is not None


def _insert(connection: Connection, conversation: ConversationForm) -> int:
    cursor = connection.execute(
        "INSERT INTO conversations (title, pinned, created_at, updated_at) VALUES (?, ?, ?, ?)",
        (
            conversation.title.strip() or UNTITLED,
            int(conversation.pinned),
            _seconds(conversation.created_at),
            _seconds(conversation.updated_at),
        ),
    )
    conversation_id = cursor.lastrowid
    assert conversation_id is not None
    numbers: dict[int, int] = {}  # of the file, here
    last = None
    for message in conversation.messages:
        numbers[message.id] = number = _insert_message(connection, conversation_id, message)
        parent = numbers.get(message.parent) if message.parent is not None else None
        connection.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (parent, number))
        last = number if message.role is not Role.NOTICE else last
    wanted = numbers.get(conversation.open) if conversation.open is not None else None
    if (leaf := wanted or last) is not None:
        tree.open_branch(connection, leaf)
    return len(numbers)


def _insert_message(connection: Connection, conversation_id: int, message: MessageForm) -> int:
    interrupted = message.status is MessageStatus.STREAMING
    status = MessageStatus.INTERRUPTED if interrupted else message.status
    cursor = connection.execute(
        "INSERT INTO messages (conversation_id, role, text, thinking, thinking_s, status, created_at, model,"
        " answer_tokens, tokens_per_s, total_s, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            conversation_id,
            message.role,
            message.text,
            message.thinking,
            message.thinking_s,
            status,
            _seconds(message.created_at),
            message.model,
            message.answer_tokens,
            message.tokens_per_s,
            message.total_s,
            _tool(message),
        ),
    )
    number = cursor.lastrowid
    assert number is not None
    attached.insert(connection, number, [_attachment(each) for each in message.attachments])
    return number


def _attachment(form: AttachmentForm) -> Attachment:
    """Without its path: that file, if there is one here, is another."""
    about = Attached(**{name: getattr(form, name) for name in _ABOUT if name != "path"})
    return Attachment(about, form.text)


def _tool(message: MessageForm) -> str:
    """As it was recorded, without changes to undo; "" for what is no call."""
    if message.role is not Role.TOOL:
        return ""
    record = ToolRecord.read(json.dumps({"ending": "", **(message.tool or {}), "changes": []}))
    return record.as_json()


def _seconds(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
