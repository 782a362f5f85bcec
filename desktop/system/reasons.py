"""Why system refuses or fails: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class SystemReason(ReasonCode):
    """See resources/messages/en/system.toml."""

    AUTOSTART_FAILED = "system.autostart-failed"
    CLIPBOARD_UNKNOWN = "system.clipboard-unknown"
    WINDOW_BUSY = "system.window-busy"
    NO_PROFILE = "system.no-profile"
    RUNNING = "system.running"
    KEYRING_LOCKED = "system.keyring-locked"
    SECRETS_DAMAGED = "system.secrets-damaged"
    KEYRING_REFUSED = "system.keyring-refused"
    SELECTION_EXCLUDED = "system.selection-excluded"
    SELECTION_NOT_ALLOWED = "system.selection-not-allowed"
    INSTANCE_REFUSED = "system.instance-refused"
    INSTANCE_SILENT = "system.instance-silent"
    ARGUMENTS_TOO_LONG = "system.arguments-too-long"
    INSTANCE_SERVING = "system.instance-serving"
    UPDATE_UNTRUSTED = "system.update-untrusted"
    NO_UPDATE_SOURCE = "system.no-update-source"
    FOLDER_NOT_OURS = "system.folder-not-ours"
    RELEASE_TOO_LONG = "system.release-too-long"
    NO_RELEASE_FILE = "system.no-release-file"
    NOT_OUR_RELEASE_FILE = "system.not-our-release-file"
    ENTRY_NOT_REMOVED = "system.entry-not-removed"
    SCREEN_NOT_ALLOWED = "system.screen-not-allowed"
    SCREEN_NO_ANSWER = "system.screen-no-answer"
    SCREEN_NO_PORTAL = "system.screen-no-portal"
    SCREEN_CLOSED_TO_PROGRAMS = "system.screen-closed-to-programs"
    PICTURE_NOT_ENCODED = "system.picture-not-encoded"
    PICTURE_MISSING = "system.picture-missing"
    KEY_DAMAGED = "system.key-damaged"
    SIGNATURE_OF_ANOTHER_KIND = "system.signature-of-another-kind"
    SIGNED_WITH_ANOTHER_KEY = "system.signed-with-another-key"
    SIGNATURE_WRONG = "system.signature-wrong"
    KEY_OF_ANOTHER_KIND = "system.key-of-another-kind"
    SIGNATURE_DAMAGED = "system.signature-damaged"
