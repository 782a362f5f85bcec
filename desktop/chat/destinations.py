"""Which chats are answered by a model server, and what the user has agreed to send there.

A server belongs to one conversation and to no setting. What was agreed to holds for one origin (scheme, host
and port): where the settings lead the same name elsewhere, the user is asked again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from desktop.chat.messages import BETWEEN
from desktop.database import Connection, Database, Row
from desktop.events import Event

# Most conversations have none.
CHOSEN_SERVER = (
    "SELECT server, origin, with_memory, with_tools, since FROM conversation_servers"
    " WHERE conversation_id = ?"
)


@dataclass(frozen=True)
class Agreed:
    """What goes along, as the user said when asked before the first sentence; `since`: no message before
    the one with this id is sent."""

    memory: bool = False
    tools: bool = True
    since: int = 0


@dataclass(frozen=True)
class Destination:
    """The server that answers in a conversation; `origin` "" until the user has agreed."""

    server: str
    origin: str = ""
    agreed: Agreed = Agreed()

    @property
    def host(self) -> str:
        """As people are shown it, with the port where it is not the usual one; "" before the user agreed."""
        return self.origin.partition("://")[2]

    @classmethod
    def read(cls, row: Row) -> Destination:
        agreed = Agreed(bool(row["with_memory"]), bool(row["with_tools"]), row["since"])
        return cls(row["server"], row["origin"], agreed)


@dataclass(frozen=True)
class DestinationChanged(Event):
    """From now on a conversation is answered by this server; "": by the model of this computer."""

    conversation_id: int
    server: str


@dataclass(frozen=True)
class WordsLeaving(Event):
    """Words of a conversation are on their way to `host`, or the answer to them has ended. Published before
    anything is sent, by what sends it."""

    conversation_id: int
    host: str
    ended: bool = False


class Destinations:
    """Any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, conversation_id: int) -> Destination | None:
        """None: the model of this computer answers."""
        row = self._database.read(lambda c: c.execute(CHOSEN_SERVER, (conversation_id,)).fetchone())
        return Destination.read(row) if row is not None else None

    def choose(self, conversation_id: int, server: str) -> None:
        """From the next answer on; "" is the model of this computer. What was agreed to is forgotten with the
        choice: whoever comes back is asked again."""

        def write(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM conversation_servers WHERE conversation_id = ?", (conversation_id,)
            )
            if server:
                connection.execute(
                    "INSERT INTO conversation_servers (conversation_id, server) VALUES (?, ?)",
                    (conversation_id, server),
                )

        self._database.write(write)

    def agree(
        self, conversation_id: int, destination: Destination, origin: str, agreed: Agreed
    ) -> Destination:
        """Keep what the user has agreed to. Nothing is kept where another server was chosen meanwhile."""
        values = (origin, agreed.memory, agreed.tools, agreed.since, conversation_id, destination.server)
        self._database.write(
            lambda c: c.execute(
                "UPDATE conversation_servers SET origin = ?, with_memory = ?, with_tools = ?, since = ?"
                " WHERE conversation_id = ? AND server = ?",
                values,
            )
        )
        return replace(destination, origin=origin, agreed=agreed)


def written_by(model: str, host: str) -> str:
    """How the model of an answer from elsewhere is kept beside it."""
    return f"{model or '?'}{BETWEEN}{host}"
