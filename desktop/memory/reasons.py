"""Why memory refuses or fails: the codes of the sentences in resources/messages."""

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
    NOT_SHAREABLE = "memory.not-shareable"
