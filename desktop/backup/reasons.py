"""Why backup refuses or fails: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class BackupReason(ReasonCode):
    """See resources/messages/en/backup.toml."""

    BACKUP_NEWER = "backup.backup-newer"
    BACKUP_DAMAGED = "backup.backup-damaged"
    BACKUP_UNREADABLE = "backup.backup-unreadable"
    RESTORE_REFUSED = "backup.restore-refused"
    RESTORE_UNFINISHED = "backup.restore-unfinished"
    DISK_FULL = "backup.disk-full"
    BACKUP_REFUSED = "backup.backup-refused"
    CONTENTS_TOO_LONG = "backup.contents-too-long"
    CUT_SHORT = "backup.cut-short"
    TOO_COSTLY = "backup.too-costly"
    CHANGED_SINCE = "backup.changed-since"
    LONGER_THAN_LISTED = "backup.longer-than-listed"
    HASH_DIFFERS = "backup.hash-differs"
    NO_CONVERSATIONS = "backup.no-conversations"
    DATABASE_DAMAGED = "backup.database-damaged"
    CONTENTS_UNREADABLE = "backup.contents-unreadable"
    NOT_A_BACKUP = "backup.not-a-backup"
    FILES_UNKNOWN = "backup.files-unknown"
    VERSION_UNKNOWN = "backup.version-unknown"
