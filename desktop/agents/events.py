"""What the gate tells about coding agents; for the activity page, the log and the figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from desktop.agents.action import HookChoice
from desktop.asking import NetworkUse
from desktop.events import Event
from desktop.reasons import Reason


class DecidedBy(StrEnum):
    """Who decided."""

    READING = "reading"  # it only reads
    GRANT = "grant"
    RULE = "rule"
    SETTING = "setting"
    JUDGE = "judge"
    USER = "user"
    NOBODY = "nobody"  # time-out, no window, dropped connection
    PAUSE = "pause"
    ERROR = "error"


class ConfinedOutcome(Enum):
    """How a command ran that was to run confined."""

    UNTOLD = auto()  # it still runs, was stopped, or was not to run confined
    CONFINED = auto()  # the confining client reported
    UNCONFINED = auto()  # no report came


@dataclass(frozen=True)
class ConfinementRefused:
    """What a confined command was kept from: "connection" to a computer, "taken away" a file that belongs to
    what is protected, or "touching" a path, as far as its own error tells.
    """

    kind: str
    what: str


@dataclass(frozen=True)
class HookAsked(Event):
    """A hook is held: the user is being asked. `id` is that of the HookDecided which follows."""

    id: int
    at: float  # seconds since 1970
    agent: str
    session: str
    folder: str
    tool: str
    text: str  # the command, path or address, complete


@dataclass(frozen=True)
class HookDecided(Event):
    """One verdict, as the activity page shows it. `ms` counts from arrival to answer."""

    id: int
    at: float
    agent: str
    session: str
    folder: str
    tool: str
    text: str
    classed: str  # READ, CREATE, UPDATE, UNKNOWN, DELETE
    flags: tuple[str, ...]
    reason: Reason | None  # what it does, and why it ended so
    span: tuple[int, int]
    tier: int
    choice: HookChoice
    by: DecidedBy
    ms: float
    changes: tuple[int, ...] = ()  # entries of the undo journal, where a snapshot was taken
    confined: str = ""  # "read only" or "project" where the agent was told to run it confined
    ran: ConfinedOutcome = ConfinedOutcome.UNTOLD
    refused: tuple[ConfinementRefused, ...] = ()
    network: NetworkUse | None = None  # of a call that is about to be made
    worker: str = ""  # the machine that ran it, once that is known; "" for this one
    saved_s: float = 0.0  # of the processor, which was not spent here

    @property
    def may_use_network(self) -> bool:
        """Whether it is a call that may run now, and that nothing keeps from the network."""
        return self.choice is not HookChoice.DENY and self.network in (NetworkUse.USES, NetworkUse.MAY)


@dataclass(frozen=True)
class HookRan(Event):
    """A call that was to run confined has ended. `id` is that of its HookDecided."""

    id: int
    ran: ConfinedOutcome
    refused: tuple[ConfinementRefused, ...] = ()
    changes: tuple[int, ...] = ()
    may_have_used_network: bool = False  # it was to be cut off, and was not
    worker: str = ""
    saved_s: float = 0.0


@dataclass(frozen=True)
class NotRewritten(Event):
    """An agent did not run what it was told; `words` is the sentence for people."""

    agent: str
    words: Reason


@dataclass(frozen=True)
class PauseChanged(Event):
    """The gate answers no opinion until `until` (seconds since 1970), or works again: None."""

    until: float | None


@dataclass(frozen=True)
class AgentSaid(Event):
    """An agent wants the user to know something, in its own words, which are shown as such, or has done
    something that the user has to know."""

    agent: str
    text: str | Reason
