"""Why cli refuses or fails: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class CliReason(ReasonCode):
    """See resources/messages/en/cli.toml."""

    NO_SUCH_CHAT = "cli.no-such-chat"
    NO_AGENT = "cli.no-agent"
    CHANGE_UNANSWERED = "cli.change-unanswered"
    NO_QUESTION = "cli.no-question"
    FILE_UNREADABLE = "cli.file-unreadable"
    GRANT_UNKNOWN = "cli.grant-unknown"
    NOTHING_TO_UNDO = "cli.nothing-to-undo"
    RULE_UNKNOWN = "cli.rule-unknown"
    EXPORT_UNREADABLE = "cli.export-unreadable"
    NO_DAEMON = "cli.no-daemon"
    EXTENSION_UNANSWERED = "cli.extension-unanswered"
    EXTENSION_KEPT = "cli.extension-kept"
    SERVERS_UNANSWERED = "cli.servers-unanswered"
    REMOVAL_UNANSWERED = "cli.removal-unanswered"
    MEMORY_UNKNOWN = "cli.memory-unknown"
    EXPORT_FAILED = "cli.export-failed"
    MODEL_UNNAMED = "cli.model-unnamed"
    NOT_MEASURED = "cli.not-measured"
    NOBODY_TO_ASK = "cli.nobody-to-ask"
    ALLOW_ONCE = "cli.allow-once"
    COPIES_ARE_KEPT = "cli.copies-are-kept"
    NO_MODEL = "cli.no-model"
    MODEL_UNKNOWN = "cli.model-unknown"
    MODEL_NOT_INSTALLED = "cli.model-not-installed"
    NO_MATCH = "cli.no-match"
    NOTHING_TO_EXPORT = "cli.nothing-to-export"
    SECRET_NOT_KEPT = "cli.secret-not-kept"  # noqa: S105 - a code
    MEMORY_UNCLEAR = "cli.memory-unclear"
    HASH_UNKNOWN = "cli.hash-unknown"
    ANSWERING = "cli.answering"
    RUNNING_UNANSWERING = "cli.running-unanswering"
    PROGRAM_UNKNOWN = "cli.program-unknown"
    ARGUMENT_NO_TEXT = "cli.argument-no-text"
    NAME_TOO_LONG = "cli.name-too-long"
    NUMBER_TOO_LARGE = "cli.number-too-large"
    PROGRAM_FAILED = "cli.program-failed"
