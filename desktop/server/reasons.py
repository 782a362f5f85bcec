"""Why the server does not answer: codes of the sentences in `resources/messages`."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class ServerReason(ReasonCode):
    """Errors that a person reads; each is worded in `server.toml`."""

    PORT_TAKEN = "server.port-taken"
    NO_FREE_PORT = "server.no-free-port"
    RUNTIME_REFUSED = "server.runtime-refused"
    PROGRAM_NAME = "server.program-name"
    PROGRAM_UNWRITTEN = "server.program-unwritten"
    PROGRAM_SILENT = "server.program-silent"
    PROGRAM_ENDED = "server.program-ended"
