"""A conversation in one JSON file, for `steward chat --session FILE.json`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from desktop.chat.store import ChatStore, Message, MessageStatus, Role
from desktop.errors import UserFacing
from desktop.paths import write_atomically


class StoredMessage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: Role
    text: str
    thinking: str = ""
    status: MessageStatus = MessageStatus.COMPLETE
    model: str = ""


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
        for message in stored.messages:
            status = (
                MessageStatus.INTERRUPTED if message.status is MessageStatus.STREAMING else message.status
            )
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
                f"The session could not be written to {self._path} ({error.strerror}).",
                "The file still holds the conversation as it was saved last.",
                "Free some space, or choose another place with --session.",
                code="session-not-saved",
            ) from error

    def _read(self) -> StoredSession:
        try:
            return StoredSession.model_validate_json(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return StoredSession()
        except (OSError, UnicodeDecodeError, ValidationError) as error:
            raise UserFacing(
                f"{self._path} is not a session file of Steward.",
                "It was not changed.",
                "Choose another name with --session, or move that file away.",
                code="session-damaged",
            ) from error


def _stored(message: Message) -> StoredMessage:
    return StoredMessage(
        role=message.role,
        text=message.text,
        thinking=message.thinking,
        status=message.status,
        model=message.model,
    )
