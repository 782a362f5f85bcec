"""The file in which conversations leave Steward and come back: its form, version 1.

One JSON object: `format` is "steward-chats", `version` is 1. Each conversation has its messages in an order
in which every message stands after the one that it follows (`parent`, an `id` of the same conversation, null
for the first); several that follow the same one are versions of each other. `open` is the last message of the
branch that was open. Times are RFC 3339 in UTC. What a reader does not know it leaves alone.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from desktop.chat.attachments import Kind
from desktop.chat.records import MessageStatus, Role

FORMAT, VERSION = "steward-chats", 1


# What a database can hold, and a number that means something.
Id = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(ge=0, lt=2**53)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class AttachmentForm(_Form):
    """What went along with a question, with the text that the model read."""

    name: str
    kind: Kind
    text: str
    path: str = ""
    tainted_by: str = ""
    tokens: Count = 0
    is_estimate: bool = True
    whole_tokens: Count = 0


class MessageForm(_Form):
    """One message. `tool` is a call as it was recorded; then `text` is its result."""

    id: Id
    parent: Id | None = None
    role: Role
    text: str
    created_at: datetime
    thinking: str = ""
    thinking_s: Seconds | None = None
    status: MessageStatus = MessageStatus.COMPLETE
    model: str = ""
    answer_tokens: Count = 0
    tokens_per_s: Seconds = 0.0
    total_s: Seconds = 0.0
    tool: dict[str, Any] | None = None
    attachments: tuple[AttachmentForm, ...] = ()


class ConversationForm(_Form):
    """A conversation with all its versions."""

    title: str
    pinned: bool = False
    created_at: datetime
    updated_at: datetime
    open: Id | None = None
    messages: tuple[MessageForm, ...] = ()


class ChatsForm(_Form):
    """The whole file."""

    format: str = FORMAT
    version: int = VERSION
    program: str = ""
    exported_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    conversations: tuple[ConversationForm, ...] = ()


def open_branch(conversation: ConversationForm) -> tuple[MessageForm, ...]:
    """The messages that were in sight, oldest first; all of them where the file does not say."""
    by_id = {message.id: message for message in conversation.messages}
    at = by_id.get(conversation.open) if conversation.open is not None else None
    branch: list[MessageForm] = []
    while at is not None and at not in branch:
        branch.append(at)
        at = by_id.get(at.parent) if at.parent is not None else None
    return tuple(reversed(branch)) or conversation.messages
