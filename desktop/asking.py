"""Questions go through one door.

A question says what would happen, completely, and has exactly one answer. No answer means no: whoever asks
must treat a time-out and a cancelled question as "not allowed". Plain data, no Qt: the dialog, the terminal
and the fakes of the tests all draw the same question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from desktop.reasons import Reason, ReasonCode

# An agent gives up on its hook at its own deadline; our answer must be there before.
SPARE_S = 5.0
DEFAULT_TIMEOUT_S = 300.0


class AskingReason(ReasonCode):
    """See resources/messages/en/asking.toml."""

    CAN_BE_UNDONE = "asking.can-be-undone"
    CANNOT_BE_UNDONE = "asking.cannot-be-undone"
    USES_NETWORK = "asking.uses-network"
    USES_NETWORK_HOSTS = "asking.uses-network-hosts"
    MAY_USE_NETWORK = "asking.may-use-network"
    CANNOT_USE_NETWORK = "asking.cannot-use-network"
    TRASHED = "asking.trashed"
    ASK_COMMAND = "asking.ask-command"
    ASK_COMMAND_CREATES = "asking.ask-command-creates"
    ASK_COMMAND_CHANGES = "asking.ask-command-changes"
    ASK_COMMAND_UNKNOWN = "asking.ask-command-unknown"
    ASK_COMMAND_DELETES = "asking.ask-command-deletes"
    ASK_COMMAND_SECRETS = "asking.ask-command-secrets"
    ASK_COMMAND_SENDS = "asking.ask-command-sends"
    ARGUMENTS = "asking.arguments"
    DETAILS = "asking.details"
    COMMAND = "asking.command"
    FILE = "asking.file"
    RUNS_IN = "asking.runs-in"
    RUNS_IN_BECAUSE = "asking.runs-in-because"
    RUNS_ON_WORKER = "asking.runs-on-worker"


class Risk(Enum):
    """What the action does: an icon and a word in the dialog."""

    READS = "reads"
    CHANGES = "changes"
    RUNS = "runs"
    SENDS = "sends"
    DELETES = "deletes"


ARGUMENTS = AskingReason.ARGUMENTS.of()


class NetworkUse(Enum):
    """Whether it talks to other computers. `CANNOT` is only for what will be kept from it by the system."""

    USES = "uses"
    MAY = "may"
    CANNOT = "cannot"


_NETWORK_USES = {
    NetworkUse.USES: AskingReason.USES_NETWORK,
    NetworkUse.MAY: AskingReason.MAY_USE_NETWORK,
    NetworkUse.CANNOT: AskingReason.CANNOT_USE_NETWORK,
}


class Scope(Enum):
    """How long a yes holds."""

    ONCE = "once"
    SESSION = "session"  # this chat, or this session of the agent
    TODAY = "today"
    WEEK = "week"  # 7 days
    ALWAYS = "always"  # until revoked


class Reach(Enum):
    """What a lasting yes covers."""

    EXACT = "exact"  # what was asked, letter by letter, or what the offer's words say
    PROGRAM = "program"  # programs with their subcommands, and changes of files, in this project
    PROJECT = "project"  # everything that stays in this project: project mode


@dataclass(frozen=True)
class ScopeOffer:
    """One entry of the menu beside Allow. `words` say exactly what the grant will cover.

    `about` is what all offers of one reach have in common: the project's folder, or the programs in words.
    Of a grant for programs, `covered` are lines that will not be asked again, `not_covered` one that will.
    """

    scope: Scope
    words: Reason
    reach: Reach = Reach.EXACT
    about: Reason | str = ""
    covered: tuple[str, ...] = ()
    not_covered: str = ""


@dataclass(frozen=True)
class FileMatch:
    """A file that the action would touch; `size_bytes` is None for what has no size."""

    path: str
    size_bytes: int | None = None


@dataclass(frozen=True)
class Origin:
    """Who wants it: a chat of ours or, with a name, a coding agent.

    `folder` is where it works and short paths begin. `deadline` is the moment of `time.monotonic()` at which
    the agent stops waiting for its hook.
    """

    conversation_id: int | None = None
    agent: str = ""
    session: str = ""
    folder: str = ""
    deadline: float | None = None

    @property
    def is_agent(self) -> bool:
        return bool(self.agent)


@dataclass(frozen=True)
class CommandView:
    """How a command line is to be shown: what decided, and what is thought of it.

    `span` counts characters of the question's `arguments`, end exclusive; empty: nothing to underline.
    `classed` is the word for what it leaves behind (READ … DELETE), `flags` what it touches. `opinion` is
    what the model thinks, None where it was not asked.
    """

    classed: str
    flags: tuple[str, ...] = ()
    reason: Reason | None = None
    span: tuple[int, int] = (0, 0)
    shell: str = "bash"
    opinion: Reason | None = None
    can_snapshot: bool = False  # what it changes can be kept for Undo before it runs, and is unless refused


@dataclass(frozen=True)
class Question:
    """May this happen? Everything that the user needs to judge it; nothing here is shortened.

    `title` is a sentence with verb and object; `text` one plain line, written by rule, that says what is
    touched. `arguments` is the complete command, path or content, as it would be used: escaping is the work
    of who shows it. `why` are the model's own words. `scopes` are the yeses beyond this once; the asker
    leaves one out where it must not be offered. `reversible` is None where there is nothing to undo;
    `to_trash`: what it removes is in the trash afterwards.
    `network` is None for what runs no code that could talk to anyone, such as the change of a file; `hosts`
    are all that it talks to, empty where that is not known.
    """

    title: Reason
    text: Reason
    risk: Risk
    arguments: str
    origin: Origin = Origin()
    arguments_name: Reason = ARGUMENTS
    diff: str = ""
    files: tuple[FileMatch, ...] = ()
    why: str = ""
    warning: Reason | None = None  # such as the source of untrusted text in the context
    reversible: bool | None = None
    to_trash: bool = False
    network: NetworkUse | None = NetworkUse.MAY
    hosts: tuple[str, ...] = ()
    outside: bool = False  # beyond the granted folders
    scopes: tuple[ScopeOffer, ...] = ()
    icon: str = ""  # of resources/icons; by default that of the risk
    command: CommandView | None = None  # for a command line of a coding agent
    timeout_s: float | None = DEFAULT_TIMEOUT_S
    worker: str = ""  # the machine that it is sent to with its project; "" where it runs here

    def __post_init__(self) -> None:
        offered = [(offer.reach, offer.scope) for offer in self.scopes]
        is_once = any(offer.scope is Scope.ONCE for offer in self.scopes)
        if is_once or len(set(offered)) != len(offered):
            raise ValueError("scopes are the further ones, each once")

    @property
    def plain_sentences(self) -> tuple[Reason, ...]:
        """What it touches, whether it can be undone, whether it uses the network."""
        undo = {True: AskingReason.CAN_BE_UNDONE, False: AskingReason.CANNOT_BE_UNDONE}
        undoing = undo[self.reversible].of() if self.reversible is not None else None
        if self.to_trash and not self.reversible:
            undoing = AskingReason.TRASHED.of()
        sent = AskingReason.RUNS_ON_WORKER.of(worker=self.worker) if self.worker else None
        return tuple(each for each in (self.text, sent, undoing, self._network) if each is not None)

    @property
    def _network(self) -> Reason | None:
        if self.network is None:
            return None
        if self.network is NetworkUse.USES and self.hosts:
            return AskingReason.USES_NETWORK_HOSTS.of(hosts=", ".join(self.hosts))
        return _NETWORK_USES[self.network].of()

    @property
    def is_dangerous(self) -> bool:
        """As it is asked, with the copies that are kept unless the user takes the tick away."""
        return self.is_dangerous_if(copied=self.command is not None and self.command.can_snapshot)

    def is_dangerous_if(self, copied: bool) -> bool:
        """A deletion that nothing brings back, or a command that reaches beyond the granted folders.

        `copied`: what it names is kept first.
        """
        is_final = not (self.reversible or self.to_trash or copied)
        return self.outside if self.risk is Risk.RUNS else self.risk is Risk.DELETES and is_final

    @property
    def key(self) -> Question:
        """Equal for two requests that are the same to the user; reason and clocks do not count."""
        return replace(self, why="", timeout_s=None, origin=replace(self.origin, deadline=None))


class Choice(Enum):
    DENY = "deny"
    ALLOW = "allow"


@dataclass(frozen=True)
class Answer:
    """The one answer. `instead` is what should be done in place of what was denied, or why it was.

    `snapshot`: keep the files that the command names before it runs.
    """

    choice: Choice
    scope: Scope = Scope.ONCE
    reach: Reach = Reach.EXACT
    instead: str = ""
    snapshot: bool = False

    @property
    def allowed(self) -> bool:
        return self.choice is Choice.ALLOW


DENIED = Answer(Choice.DENY)
ALLOWED_ONCE = Answer(Choice.ALLOW)


class AskTimedOut(Exception):
    """Nobody answered in time. Not allowed: our own tools deny, an agent's hook says what gate.md says."""


class Asker(Protocol):
    """Asks the user and waits. Refused on the main thread and on a thread that runs an event loop."""

    def ask(self, question: Question) -> Answer:
        """Return the answer; raises AskTimedOut, or Cancelled when the question was withdrawn.

        A request that equals a waiting one is not asked again: both get the one answer.
        """
        ...
