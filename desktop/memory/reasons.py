"""What can be said about memory: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class MemoryReason(ReasonCode):
    """See resources/messages/en/memory.toml."""

    MEMORY_CHANGED = "memory.memory-changed"
    MEMORY_EXPORT_FAILED = "memory.memory-export-failed"
    NOTE_EMPTY = "memory.note-empty"
    NOTE_TOO_LONG = "memory.note-too-long"
    MEMORY_NOT_YOURS = "memory.memory-not-yours"
    FIX_NOT_PROVEN = "memory.fix-not-proven"
    SHARED_MEMORY_UNREACHABLE = "memory.shared-memory-unreachable"
    SHARED_MEMORY_MISSING = "memory.shared-memory-missing"
    SHARED_MEMORY_NO_TABLES = "memory.shared-memory-no-tables"
    SHARED_MEMORY_NO_RIGHTS = "memory.shared-memory-no-rights"
    SHARED_MEMORY_READ_ONLY = "memory.shared-memory-read-only"
    NO_CHANGED_KEY = "memory.no-changed-key"
    MEMORY_UNKNOWN = "memory.memory-unknown"
    SHARED_UNKNOWN = "memory.shared-unknown"
    NOBODY_TO_ASK = "memory.nobody-to-ask"
    NOT_SHAREABLE = "memory.not-shareable"
    REMEMBERED = "memory.remembered"
    REMEMBERED_INSTEAD = "memory.remembered-instead"
    FORGOTTEN = "memory.forgotten"
    NOTHING_ABOUT_THAT = "memory.nothing-about-that"
    WOULD_BE_FORGOTTEN = "memory.would-be-forgotten"
    SECRET_TO_KEEP = "memory.secret-to-keep"  # noqa: S105 - a code
    AND_EARLIER = "memory.and-earlier"
    ALL_DELETED = "memory.all-deleted"
    COPIES_LEFT = "memory.copies-left"
    TWICE = "memory.twice"
    CONTRADICTION = "memory.contradiction"
    NEVER_USED = "memory.never-used"
    WAITING = "memory.waiting"
    SHARED_OFF = "memory.shared-off"
    GROUP_WITHOUT_NAME = "memory.group-without-name"
    ADDRESS_UNREADABLE = "memory.address-unreadable"
    NO_STORE_ADDRESS = "memory.no-store-address"
    CREDENTIALS_IN_ADDRESS = "memory.credentials-in-address"
