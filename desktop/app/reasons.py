"""Why app refuses or fails: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class AppReason(ReasonCode):
    """See resources/messages/en/app.toml."""

    NO_FOLDER = "app.no-folder"
    WORKSPACE_REFUSED = "app.workspace-refused"
