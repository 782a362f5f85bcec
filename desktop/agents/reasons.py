"""Why an agent could not be guarded, launched or read: codes of the sentences in `resources/messages`."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class AgentReason(ReasonCode):
    """Errors that a person reads; each is worded in `agents.toml`."""

    BAD_PAYLOAD = "agents.bad-payload"
    OPTION_IN_USE = "agents.option-in-use"
    HOOKS_NOT_TAKEN = "agents.hooks-not-taken"
    NO_HOOK_CLIENT = "agents.no-hook-client"
    HOOK_CLIENT_NOT_COPIED = "agents.hook-client-not-copied"
    NO_PROGRAM = "agents.no-program"
    NO_AGENT = "agents.no-agent"
    NOT_LAUNCHABLE = "agents.not-launchable"
    INSTALL_BUSY = "agents.install-busy"
    CHANGED_MEANWHILE = "agents.changed-meanwhile"
    SETTINGS_UNREADABLE = "agents.settings-unreadable"
    SETTINGS_NOT_TEXT = "agents.settings-not-text"
    SETTINGS_UNUSABLE = "agents.settings-unusable"
    NO_RUN_FOLDER = "agents.no-run-folder"
    SEAL_BROKEN = "agents.seal-broken"
    IGNORED_LINE = "agents.ignored-line"
    LINE_UNSEEN = "agents.line-unseen"
