"""What a server may do, and with it the effect of each of its tools: by how it runs, not by what it says.

| a server runs                             | effect and flags  | the gate                               |
|-------------------------------------------|-------------------|----------------------------------------|
| confined, no folder, no network           | READ              | passes                                 |
| confined, folders that it may write to    | UPDATE            | asks; kept before                      |
| confined, with network; or far away       | UNKNOWN, SENDS    | asks; grants lapse with untrusted text |
| not confined                              | UNKNOWN, OUTSIDE  | asks each time                         |

A hint such as `readOnlyHint` is the server's own claim and is never looked at.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

from desktop.gate.verdict import Effect, Flag
from desktop.mcp.reasons import McpReason
from desktop.reasons import Reason
from desktop.settings import McpServer


class ServerReach(Enum):
    """How far what a server does can go."""

    READS = "reads"
    WRITES = "writes"
    SENDS = "sends"
    REMOTE = "remote"
    ALL = "all"


# By what the server can do and not by what a tool says of itself: its words are a stranger's.
_EFFECTS: dict[ServerReach, tuple[Effect, frozenset[Flag]]] = {
    ServerReach.READS: (Effect.READ, frozenset()),
    ServerReach.WRITES: (Effect.UPDATE, frozenset()),
    ServerReach.SENDS: (Effect.UNKNOWN, frozenset({Flag.SENDS})),
    ServerReach.REMOTE: (Effect.UNKNOWN, frozenset({Flag.SENDS})),
    ServerReach.ALL: (Effect.UNKNOWN, frozenset({Flag.OUTSIDE})),
}


@dataclass(frozen=True)
class Access:
    """`folders` may be written to, with links followed; `host` is where a remote server is; `why_free` is
    what keeps this computer from holding a server that was to be held.
    """

    reach: ServerReach
    folders: tuple[Path, ...] = ()
    host: str = ""
    why_free: Reason | None = None

    @property
    def effect(self) -> Effect:
        return _EFFECTS[self.reach][0]

    @property
    def flags(self) -> frozenset[Flag]:
        return _EFFECTS[self.reach][1]

    @property
    def lasts(self) -> bool:
        """Whether a yes may hold for more than one call: not of what nothing holds."""
        return self.reach in (ServerReach.WRITES, ServerReach.SENDS, ServerReach.REMOTE)

    @property
    def is_confined(self) -> bool:
        """Whether this computer holds it to something."""
        return self.reach in (ServerReach.READS, ServerReach.WRITES, ServerReach.SENDS)

    def in_words(self) -> Reason:
        """One sentence for the page, the terminal and the question."""
        folders = ", ".join(map(str, self.folders))
        if self.reach is ServerReach.SENDS and self.folders:
            return McpReason.MAY_SEND_AND_WRITE.of(folders=folders)
        match self.reach:
            case ServerReach.READS:
                return McpReason.MAY_READ.of()
            case ServerReach.WRITES:
                return McpReason.MAY_WRITE.of(folders=folders)
            case ServerReach.SENDS:
                return McpReason.MAY_SEND.of()
            case ServerReach.REMOTE:
                return McpReason.IS_REMOTE.of(host=self.host)
            case ServerReach.ALL if self.why_free is not None:
                return McpReason.MAY_ALL_BECAUSE.of(why=self.why_free)
            case ServerReach.ALL:
                return McpReason.MAY_ALL.of()


def access_of(server: McpServer, why_not: Reason | None) -> Access:
    """What `server` may do on this computer; `why_not`: what keeps the system from holding a program to
    something, None where nothing does."""
    if server.url:
        return Access(ServerReach.REMOTE, host=urlsplit(server.url).hostname or server.url)
    folders = tuple(Path(os.path.realpath(os.path.expanduser(each))) for each in server.folders)
    # Where this system cannot hold it, the wish to have it held changes nothing.
    if not server.confined or why_not is not None:
        return Access(ServerReach.ALL, folders, why_free=why_not if server.confined else None)
    if server.network:
        return Access(ServerReach.SENDS, folders)
    return Access(ServerReach.WRITES, folders) if folders else Access(ServerReach.READS)
