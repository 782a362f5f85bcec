"""What the chat announces. Published on the thread of the turn."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.chat.store import Message
from desktop.errors import UserFacing
from desktop.events import Event


@dataclass(frozen=True)
class ConversationsChanged(Event):
    """The list changed: one was made, renamed, pinned, deleted or used."""


@dataclass(frozen=True)
class TurnStarted(Event):
    """Question and empty answer are stored; `question` is None when an answer is regenerated."""

    conversation_id: int
    question: Message | None
    answer: Message


@dataclass(frozen=True)
class AnswerGrew(Event):
    """The parts that were appended; they are on disk before this is published.

    `text_at` and `thinking_at` are the lengths before: a view that read the message a moment later knows
    by them what it already has.
    """

    conversation_id: int
    message_id: int
    text: str
    thinking: str
    text_at: int
    thinking_at: int


@dataclass(frozen=True)
class TextsChanged(Event):
    """What extensions made of a question or an answer has changed; `message` is as it reads now.

    Of an answer that is still growing, `message` has the text that was on disk a moment ago.
    """

    conversation_id: int
    message: Message


@dataclass(frozen=True)
class MessageChanged(Event):
    """Something beside its words has changed: a part of a text was read for it, or something was put to it
    after it was asked. `message` is as it lies on disk."""

    conversation_id: int
    message: Message


@dataclass(frozen=True)
class FolderRead(Event):
    """Of the files of a conversation's folder that are new or have changed, so many are indexed."""

    conversation_id: int
    done: int
    total: int


@dataclass(frozen=True)
class FolderChanged(Event):
    """A conversation has got a folder, has none any more, or what is in it was indexed."""

    conversation_id: int


@dataclass(frozen=True)
class TurnEnded(Event):
    """The whole answer with its final status."""

    conversation_id: int
    answer: Message


@dataclass(frozen=True)
class TurnFailed(Event):
    """No (further) answer came; `answer` holds what there is, with status FAILED."""

    conversation_id: int
    answer: Message
    error: UserFacing


@dataclass(frozen=True)
class NoticeAdded(Event):
    """Something the reader must know about the conversation itself."""

    conversation_id: int
    notice: Message


@dataclass(frozen=True)
class NoticeChanged(Event):
    """The summary that a notice announces was undone."""

    conversation_id: int
    notice: Message


@dataclass(frozen=True)
class MessageRemoved(Event):
    """A message in which nothing was said is gone from the conversation."""

    conversation_id: int
    message_id: int


@dataclass(frozen=True)
class MessagesHidden(Event):
    """These are no longer on the open branch: another version goes on from here. They are kept."""

    conversation_id: int
    message_ids: tuple[int, ...]


@dataclass(frozen=True)
class BranchChanged(Event):
    """Another branch is open, or a part of it is gone: what is shown has to be read again.

    `message_id` is what the reader should see; None: the end.
    """

    conversation_id: int
    message_id: int | None = None


@dataclass(frozen=True)
class CallAdded(Event):
    """The model called a tool; `message` has the role TOOL and stands before the answer to come."""

    conversation_id: int
    message: Message


@dataclass(frozen=True)
class CallClosed(Event):
    """The call is over; its message has the result."""

    conversation_id: int
    message: Message


@dataclass(frozen=True)
class SaidBeforeCall(Event):
    """A message that a call follows is closed; the turn goes on."""

    conversation_id: int
    answer: Message
