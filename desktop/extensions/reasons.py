"""What can be said about extensions: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class ExtensionReason(ReasonCode):
    """See resources/messages/en/extensions.toml."""

    # What it may do.
    CHANGES_QUESTIONS = "extensions.changes-questions"
    CHANGES_ANSWERS = "extensions.changes-answers"
    DRAWS_TAGS = "extensions.draws-tags"
    BRINGS_TOOLS = "extensions.brings-tools"
    ASKS_HOSTS = "extensions.asks-hosts"
    ADDS_TO_PROMPT = "extensions.adds-to-prompt"
    HEARS_EVENTS = "extensions.hears-events"
    KEEPS_STATE = "extensions.keeps-state"
    SHARES_STATE = "extensions.shares-state"
    CONFINED = "extensions.confined"
    UNCONFINED = "extensions.unconfined"

    # What is wrong with a manifest.
    MANIFEST_REFUSED = "extensions.manifest-refused"
    NO_MANIFEST = "extensions.no-manifest"
    UNREADABLE = "extensions.unreadable"
    NO_TOML = "extensions.no-toml"
    OTHER_API = "extensions.other-api"
    UNKNOWN_KEY = "extensions.unknown-key"
    WRONG_VALUE = "extensions.wrong-value"
    TOO_LONG = "extensions.too-long"
    TOOL_NAME = "extensions.tool-name"
    PROMPT_TOO_LONG = "extensions.prompt-too-long"
    READS_NOTHING = "extensions.reads-nothing"
    DOES_NOTHING = "extensions.does-nothing"

    # What is wrong with a package.
    PACKAGE_REFUSED = "extensions.package-refused"
    NO_PACKAGE = "extensions.no-package"
    BAD_NAME = "extensions.bad-name"
    NO_PLAIN_FILE = "extensions.no-plain-file"
    TOO_MUCH = "extensions.too-much"
    TOO_COSTLY = "extensions.too-costly"
    TOO_MANY_FILES = "extensions.too-many-files"
    NO_ENTRY = "extensions.no-entry"
    FOLDER_TAKEN = "extensions.folder-taken"
    NO_ID = "extensions.no-id"

    # The registry.
    NOT_INSTALLED = "extensions.not-installed"
    NOT_ACCEPTED = "extensions.not-accepted"
    FILES_CHANGED = "extensions.files-changed"
    FAILED_OFTEN = "extensions.failed-often"
    SETTING_REFUSED = "extensions.setting-refused"
    SETTING_TOO_LONG = "extensions.setting-too-long"

    # How a call ended.
    TIMED_OUT = "extensions.timed-out"
    ENDED = "extensions.ended"
    NOT_STARTED = "extensions.not-started"
    RAISED = "extensions.raised"
    NONSENSE = "extensions.nonsense"
    NOT_TEXT = "extensions.not-text"
    RESULT_TOO_LONG = "extensions.result-too-long"
    ASKS_TOO_MUCH = "extensions.asks-too-much"
    TOOL_FAILED = "extensions.tool-failed"

    # What an extension's own request was refused for.
    HOST_NOT_DECLARED = "extensions.host-not-declared"
    STATE_NOT_DECLARED = "extensions.state-not-declared"
    STATE_TOO_LARGE = "extensions.state-too-large"
    NO_TEAM = "extensions.no-team"
    UNKNOWN_REQUEST = "extensions.unknown-request"
    NOT_FETCHED = "extensions.not-fetched"
    ASK_TOOL = "extensions.ask-tool"
    TOOL_WORKS = "extensions.tool-works"
    TOOL_WORKS_AND_SENDS = "extensions.tool-works-and-sends"
