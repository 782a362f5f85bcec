"""Why a conversation refuses something: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class ChatReason(ReasonCode):
    """See resources/messages/en/chat.toml."""

    BUSY = "chat.chat-busy"
    BUG = "chat.bug"
    TOOLS_OFF = "chat.no-tools"
    MEMORY_OFF = "chat.memory-off"
    MESSAGE_TOO_LONG = "chat.message-too-long"
    NOTHING_TO_SUMMARISE = "chat.nothing-to-summarise"
    SUMMARY_NO_ROOM = "chat.summary-no-room"
    SUMMARY_EMPTY = "chat.summary-empty"
    OCR_MISSING = "chat.ocr-missing"
    OCR_EMPTY = "chat.ocr-empty"
    NO_ORDINARY_FILE = "chat.no-ordinary-file"
    FILE_TOO_LARGE = "chat.file-too-large"
    TEXT_TOO_LONG = "chat.text-too-long"
    IS_FOLDER = "chat.is-folder"
    NO_SKILL = "chat.no-skill"
    NO_TEXT = "chat.no-text"
    EXPORT_REFUSED = "chat.export-refused"
    SESSION_NOT_SAVED = "chat.session-not-saved"
    SESSION_DAMAGED = "chat.session-damaged"
    IMPORT_NEWER = "chat.chats-newer"
    IMPORT_UNREADABLE = "chat.chats-unreadable"
    IMPORT_UNKNOWN = "chat.chats-unknown"
    TOO_SLOW = "chat.read-too-slow"
    TOO_MUCH_MEMORY = "chat.read-too-large"
    BROKEN_FILE = "chat.file-broken"
    READING_STOPPED = "chat.reading-stopped"
    AN_EXTENSION = "chat.an-extension"
    OVER_ONE_GB = "chat.over-one-gb"
    NOT_TEXT = "chat.not-text"
