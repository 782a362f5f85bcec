"""Conversations as files: exported and imported, as Markdown to read, and as the session of a command.

The file in which conversations leave Steward and come back is one JSON object: `format` is "steward-chats",
`version` is 1. Each conversation has its messages in an order in which every message stands after the one
that it follows (`parent`, an `id` of the same conversation, null for the first); several that follow the same
one are versions of each other. `open` is the last message of the branch that was open. Times are RFC 3339 in
UTC. What a reader does not know it leaves alone. `chat_imports` reads such files, and other programs'.

An import is one transaction: all of a file or nothing. A conversation that is here already, begun at the same
moment under the same title, is left out. Changes that a call made are changes of another computer's files, so
there is nothing to undo about them here.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.chat import attachments as attached
from desktop.chat import messages as rows
from desktop.chat.attachments import Attached, Attachment, AttachmentKind
from desktop.chat.messages import Message, MessageStatus, Role, ToolRecord
from desktop.chat.reasons import ChatReason
from desktop.chat.store import UNTITLED, ChatStore
from desktop.database import Connection, Database
from desktop.errors import UserFacing
from desktop.paths import write_atomically

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
    kind: AttachmentKind
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


_ABOUT = ("name", "kind", "path", "tainted_by", "tokens", "is_estimate", "whole_tokens")


@dataclass(frozen=True)
class Imported:
    """How many conversations and messages came in, and how many conversations were here already."""

    conversations: int
    messages: int
    known: int


class ChatExchange:
    """Any thread."""

    def __init__(
        self, database: Database, store: ChatStore, program: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._store = store
        self._program = program
        self._clock = clock

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
                    open=self._database.read(lambda c, number=each.id: rows.leaf(c, number)),  # type: ignore[misc]
                    messages=tuple(self._message(message) for message in messages),
                )
            )
        return ChatsForm(program=self._program, conversations=tuple(forms))

    def import_chats(self, chats: ChatsForm) -> Imported:
        """Add what is not here yet."""
        now = self._clock()
        return self._database.write(lambda connection: _insert_all(connection, chats, now))

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


def _insert_all(connection: Connection, chats: ChatsForm, now: float) -> Imported:
    conversations = messages = known = 0
    for each in chats.conversations:
        if not each.messages:
            continue
        # The same file twice, or a profile that was copied: nothing is there two times.
        if _is_known(connection, each):
            known += 1
            continue
        messages += _insert(connection, each, now)
        conversations += 1
    return Imported(conversations, messages, known)


def _is_known(connection: Connection, conversation: ConversationForm) -> bool:
    began = _seconds(conversation.created_at)
    found = connection.execute(
        "SELECT 1 FROM conversations WHERE title = ? AND abs(created_at - ?) < 0.001 AND deleted_at IS NULL",
        (conversation.title.strip() or UNTITLED, began),
    ).fetchone()
    return found is not None


def _insert(connection: Connection, conversation: ConversationForm, now: float) -> int:
    """`now` in seconds since 1970. Returns how many messages it has."""
    cursor = connection.execute(
        "INSERT INTO conversations (title, pinned, created_at, updated_at) VALUES (?, ?, ?, ?)",
        (
            conversation.title.strip() or UNTITLED,
            int(conversation.pinned),
            _seconds(conversation.created_at),
            # From the future it would stand above all that is ever written here, and never grow old.
            min(_seconds(conversation.updated_at), now),
        ),
    )
    conversation_id = cursor.lastrowid
    assert conversation_id is not None
    connection.execute("INSERT INTO imported_conversations VALUES (?, ?)", (conversation_id, now))
    numbers: dict[int, int] = {}  # of the file, here
    last = None
    for message in conversation.messages:
        # Ids of the file are numbers of another database; only their order is kept.
        numbers[message.id] = number = _insert_message(connection, conversation_id, message)
        parent = numbers.get(message.parent) if message.parent is not None else None
        connection.execute("UPDATE messages SET parent_id = ? WHERE id = ?", (parent, number))
        last = number if message.role is not Role.NOTICE else last
    wanted = numbers.get(conversation.open) if conversation.open is not None else None
    # Where the file names no open branch, the newest message ends it.
    if (leaf := wanted or last) is not None:
        rows.open_branch(connection, leaf)
    return len(numbers)


def _insert_message(connection: Connection, conversation_id: int, message: MessageForm) -> int:
    # No turn goes on with it here.
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
    # Undo would touch files of this computer for changes of another one.
    record = ToolRecord.read(json.dumps({"ending": "", **(message.tool or {}), "changes": []}))
    return record.as_json()


# Within what a calendar has: the first and last days of it belong to no year in another time zone.
_FIRST_S = 0.0
_LAST_S = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def _seconds(moment: datetime) -> float:
    """Since 1970. What no calendar could show in every time zone is moved to where one can."""
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return max(_FIRST_S, min(seconds, _LAST_S))


_SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Steward", Role.TOOL: "Tool", Role.NOTICE: "Note"}


def write_json(chats: ChatsForm, target: Path) -> None:
    """Replace `target` whole or not at all. Raises UserFacing."""
    text = json.dumps(chats.model_dump(mode="json"), ensure_ascii=False, indent=1)
    _write(target, text + "\n")


def write_markdown(chats: ChatsForm, target: Path) -> tuple[Path, ...]:
    """One conversation into the file `target`, several into the folder `target`. Raises UserFacing."""
    return write_each(chats, target, (".md", ".markdown"), markdown)


def write_each(
    chats: ChatsForm, target: Path, endings: tuple[str, ...], text_of: Callable[[ConversationForm], str]
) -> tuple[Path, ...]:
    """One conversation into the file `target` where that has one of `endings`, else each into a file of the
    folder `target` with the first of them. Raises UserFacing."""
    if len(chats.conversations) == 1 and target.suffix.lower() in endings:
        _write(target, text_of(chats.conversations[0]))
        return (target,)
    written: list[Path] = []
    for conversation in chats.conversations:
        path = _free(target, file_name(conversation), endings[0], written)
        _write(path, text_of(conversation))
        written.append(path)
    return tuple(written)


# -- Markdown -------------------------------------------------------------------------------------


def markdown(conversation: ConversationForm) -> str:
    """The open branch as it reads, and after it what other versions there are."""
    branch = open_branch(conversation)
    others = [message for message in conversation.messages if message not in branch]
    spoken = [m for m in others if m.role is not Role.NOTICE]
    began = f"{conversation.created_at:%Y-%m-%d %H:%M} UTC"
    parts = [f"# {conversation.title}", f"_Begun {began}, exported from Steward._"]
    parts += [_told(message) for message in branch]
    if spoken:
        parts += ["---", "# Other versions", *(_told(message) for message in spoken)]
    return "\n\n".join(parts) + "\n"


def _told(message: MessageForm) -> str:
    who = _SPEAKERS[message.role]
    if message.role is Role.ASSISTANT and message.model:
        who += f" ({message.model})"
    if message.role is Role.TOOL and message.tool:
        who += f" ({message.tool.get('name', '')})"
    lines = [f"## {who} · {message.created_at:%Y-%m-%d %H:%M} UTC"]
    lines += [f"_Attached: {each.name}_" for each in message.attachments]
    text = message.text.strip()
    lines.append(_fenced(text) if message.role is Role.TOOL and text else text)
    return "\n\n".join(line for line in lines if line)


def _fenced(text: str) -> str:
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    return f"{'`' * (longest + 1)}\n{text}\n{'`' * (longest + 1)}"


def file_name(conversation: ConversationForm) -> str:
    """The day and the title, in characters that every system takes."""
    # Composed letters: names that come from an HFS+ disk of macOS are decomposed, and would be others.
    title = unicodedata.normalize("NFC", conversation.title)
    title = re.sub(r"[^\w\- ]+", " ", title)
    title = " ".join(title.split())[:60].strip() or "chat"
    return f"{conversation.created_at:%Y-%m-%d} {title}"


def _free(folder: Path, name: str, ending: str, taken: list[Path]) -> Path:
    path, number = folder / f"{name}{ending}", 1
    while path in taken:
        number += 1
        path = folder / f"{name} {number}{ending}"
    return path


# -- files ----------------------------------------------------------------------------------------


def _write(target: Path, text: str) -> None:
    try:
        write_atomically(target, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UserFacing(
            ChatReason.EXPORT_REFUSED.of(target=target, error=error.strerror or str(error))
        ) from error


class StoredMessage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: Role
    text: str
    thinking: str = ""
    status: MessageStatus = MessageStatus.COMPLETE
    model: str = ""
    tool: dict[str, Any] | None = None  # of a call: its name, arguments and end


class StoredSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int = 1
    messages: list[StoredMessage] = []


class SessionFile:
    """The file is replaced whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load_into(self, store: ChatStore, conversation_id: int) -> int:
        """Append what the file holds; returns how many messages. A missing file is an empty session."""
        stored = self._read()
        try:
            # All of them before the first is added: a damaged file leaves nothing behind.
            records = [
                ToolRecord.read(json.dumps(each.tool)) if each.tool else None for each in stored.messages
            ]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserFacing(ChatReason.SESSION_DAMAGED.of(path=self._path)) from error
        for message, record in zip(stored.messages, records, strict=True):
            status = (
                MessageStatus.INTERRUPTED if message.status is MessageStatus.STREAMING else message.status
            )
            if record is not None:
                store.close_call(store.add_call(conversation_id, record).id, record, message.text)
                continue
            store.add(conversation_id, message.role, message.text, status, message.model)
        return len(stored.messages)

    def save(self, messages: tuple[Message, ...]) -> None:
        """Raises UserFacing when the disk refuses; the old content is then still there."""
        stored = StoredSession(messages=[_stored(message) for message in messages])
        text = json.dumps(stored.model_dump(mode="json"), ensure_ascii=False, indent=1)
        try:
            write_atomically(self._path, text.encode())
        except OSError as error:
            raise UserFacing(
                ChatReason.SESSION_NOT_SAVED.of(path=self._path, error=error.strerror or str(error))
            ) from error

    def _read(self) -> StoredSession:
        try:
            return StoredSession.model_validate_json(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return StoredSession()
        except (OSError, UnicodeDecodeError, ValidationError) as error:
            raise UserFacing(ChatReason.SESSION_DAMAGED.of(path=self._path)) from error


def _stored(message: Message) -> StoredMessage:
    return StoredMessage(
        role=message.role,
        text=message.text,
        thinking=message.thinking,
        status=message.status,
        model=message.model,
        tool=json.loads(message.tool.as_json()) if message.tool is not None else None,
    )
