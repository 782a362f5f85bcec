"""What is kept of a conversation, as values, and how rows become them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from desktop.chat import attachments, blocks, summaries
from desktop.chat.attachments import Attached
from desktop.chat.blocks import Used
from desktop.chat.summaries import Summary
from desktop.chat.tool_record import ToolRecord
from desktop.database import Row

# A message as it reads now: the text of a streaming one is still in its parts.
MESSAGES = f"""
    SELECT id, conversation_id, role, status, thinking_s, created_at, model,
        answer_tokens, tokens_per_s, total_s, tool, parent_id,
        CASE role WHEN 'user' THEN {attachments.COLUMN} END AS attached,
        CASE role WHEN 'notice' THEN {summaries.COLUMN} END AS summary,
        CASE role WHEN 'assistant' THEN {blocks.COLUMN} END AS used_memory,
        (SELECT count(*) FROM messages s WHERE s.conversation_id = messages.conversation_id
            AND s.parent_id IS messages.parent_id AND s.role <> 'notice' AND s.deleted_with IS NULL)
            AS versions,
        (SELECT count(*) FROM messages s WHERE s.conversation_id = messages.conversation_id
            AND s.parent_id IS messages.parent_id AND s.role <> 'notice' AND s.deleted_with IS NULL
            AND s.id <= messages.id) AS version,
        CASE status WHEN 'streaming' THEN coalesce((SELECT group_concat(text, '') FROM
            (SELECT text FROM parts WHERE message_id = messages.id ORDER BY number)), '')
            ELSE text END AS text,
        CASE status WHEN 'streaming' THEN coalesce((SELECT group_concat(thinking, '') FROM
            (SELECT thinking FROM parts WHERE message_id = messages.id ORDER BY number)), '')
            ELSE thinking END AS thinking
    FROM messages
"""  # noqa: S608 - columns of this room


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    NOTICE = "notice"
    TOOL = "tool"  # a call and its result


class MessageStatus(StrEnum):
    STREAMING = "streaming"
    COMPLETE = "complete"
    STOPPED = "stopped"  # by the user
    LENGTH = "length"  # the longest answer allowed
    CONTEXT_FULL = "context-full"
    REPEATED = "repeated"  # the same over and over
    INTERRUPTED = "interrupted"  # the program ended in the middle
    FAILED = "failed"


@dataclass(frozen=True)
class Conversation:
    """One row of the sidebar. Times are aware, in UTC."""

    id: int
    title: str
    pinned: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Message:
    """One message as it stands on disk."""

    id: int
    conversation_id: int
    role: Role
    text: str
    thinking: str
    thinking_s: float | None
    status: MessageStatus
    created_at: datetime
    model: str
    answer_tokens: int
    tokens_per_s: float
    total_s: float
    tool: ToolRecord | None = None  # of a message with the role TOOL; its text is the result
    parent_id: int | None = None  # what it follows; None at the beginning
    version: int = 1  # among `versions` that follow the same message, counted from 1
    versions: int = 1
    attachments: tuple[Attached, ...] = ()  # of a question
    summary: Summary | None = None  # of a notice that announces one
    memory: Used | None = None  # of an answer: what was remembered before its question


@dataclass(frozen=True)
class Closing:
    """How an answer ended. `model` is "" when none was loaded."""

    status: MessageStatus
    model: str = ""
    thinking_s: float | None = None
    answer_tokens: int = 0
    tokens_per_s: float = 0.0
    total_s: float = 0.0


def conversation_of(row: Row) -> Conversation:
    return Conversation(
        row["id"], row["title"], bool(row["pinned"]), _time(row["created_at"]), _time(row["updated_at"])
    )


def message_of(row: Row) -> Message:
    return Message(
        id=row["id"],
        conversation_id=row["conversation_id"],
        role=Role(row["role"]),
        text=row["text"],
        thinking=row["thinking"],
        thinking_s=row["thinking_s"],
        status=MessageStatus(row["status"]),
        created_at=_time(row["created_at"]),
        model=row["model"],
        answer_tokens=row["answer_tokens"],
        tokens_per_s=row["tokens_per_s"],
        total_s=row["total_s"],
        tool=ToolRecord.read(row["tool"]) if row["tool"] else None,
        parent_id=row["parent_id"],
        version=row["version"],
        versions=row["versions"],
        attachments=attachments.read_column(row["attached"]),
        summary=summaries.read_column(row["summary"]),
        memory=blocks.read_column(row["used_memory"]),
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
