"""What was found out about an action: its class, what it touches, and what the gate says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from desktop.asking import NetworkUse
from desktop.reasons import Reason


class Effect(IntEnum):
    """What an action leaves behind; a larger number wins when parts are put together."""

    READ = 0  # no lasting change outside the process
    CREATE = 1  # something new, nothing existing destroyed
    UPDATE = 2  # something existing is altered and still there
    UNKNOWN = 3  # code whose effect the text does not show
    DELETE = 4  # something is removed, or its content lost


class Flag(Enum):
    """What an action touches; independent of its class."""

    SECRET = "SECRET"  # noqa: S105  # credentials, keys, tokens, other programs' private stores
    SENDS = "SENDS"  # data leaves this computer
    OUTSIDE = "OUTSIDE"  # beyond the working folder
    PRIVILEGED = "PRIVILEGED"  # sudo, doas, runas
    GATE = "GATE"  # our own settings, hooks, grants, or an agent's hook files


class Network(IntEnum):
    """Whether a command talks to other computers, as far as its text tells; the larger wins."""

    NONE = 0  # none of its programs does
    MAY = 1  # code that the text does not show, or programs that do so when they need something
    USES = 2


class Gate(Enum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


ASKS_EVEN_TO_READ = frozenset({Flag.SECRET, Flag.SENDS, Flag.GATE})


def gate_for(effect: Effect, flags: frozenset[Flag]) -> Gate:
    """What the gate says where neither rule nor grant speaks: reads without such a flag may pass."""
    # The one line by which anything passes without a rule or a yes.
    if effect is Effect.READ and not flags & ASKS_EVEN_TO_READ:
        return Gate.ALLOW
    return Gate.ASK


ANYWHERE = "\x03"  # stands among `Step.changes` for a path that the text does not tell


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a line, or one that another runs; a redirection or assignment has no words.

    Words are without quotes; where the text does not tell one, it holds a mark of `shell.words`.
    """

    words: tuple[str, ...]
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    changes: tuple[str, ...] = ()  # paths that it makes, changes or removes, as seen from the working folder
    base: str = ""  # where it works, beside the working folder
    run_by: int = -1  # the number of the step that runs it
    network: Network = Network.NONE
    below: tuple[
        str, ...
    ] = ()  # folders of which it reads all that is in them, as seen from the working folder


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer about one command line. `span` counts characters of the command, end exclusive."""

    effect: Effect
    flags: frozenset[Flag]
    gate: Gate
    reason: Reason
    span: tuple[int, int]
    tier: int
    ms: float
    is_static: bool = False  # all can be read off: no expansion, substitution, glob, alias or function
    touched: tuple[str, ...] = ()  # static paths that it makes, changes or removes
    unknown_program: str = ""  # the one program of a plain line that no table knows, and all that is unclear
    parts: tuple[str, ...] = ()  # its commands as written, with redirections and assignments
    commands: tuple[str, ...] = ()  # the same without quotes, also those that others run
    looked_at: tuple[str, ...] = ()  # words that may be paths which it reads
    assigned: tuple[tuple[str, str], ...] = ()  # variables that its commands may inherit, with their values
    steps: tuple[Step, ...] = ()  # its commands one by one; empty where it was not taken apart
    runs: tuple[Step, ...] = ()  # the same of any shell, as far as it was read: where to look on the disk
    network: Network = Network.MAY
    hosts: tuple[str, ...] = ()  # all that it talks to; empty where the text does not name them
    never: Reason | None = None  # why no rule, mode or click lets it through
    removed: tuple[str, ...] = ()  # places that it takes away with all that is in them, patterns too

    @property
    def uses_network(self) -> bool:
        """Whether the reading is sure that the command talks to other computers."""
        return self.network is Network.USES

    def network_use(self, is_cut_off: bool) -> NetworkUse:
        """What a person is told; `is_cut_off`: it will run where the system refuses it every connection.

        A text without a sign of the network is no proof: its programs may be others than their names say.
        """
        if is_cut_off:
            return NetworkUse.CANNOT
        # "No network" is never said of what only looks so.
        return NetworkUse.USES if self.uses_network or Flag.SENDS in self.flags else NetworkUse.MAY

    def as_dict(self) -> dict[str, object]:
        """The wire form: plain values, `class` instead of `effect`."""
        return {
            "class": self.effect.name,
            "flags": sorted(flag.value for flag in self.flags),
            "gate": self.gate.value,
            "reason": str(self.reason),
            "code": str(self.reason.code),
            "span": list(self.span),
            "tier": self.tier,
            "ms": round(self.ms, 3),
            "is_static": self.is_static,
            "touched": list(self.touched),
            "unknown_program": self.unknown_program,
            "network": self.network.name.lower(),
            "hosts": list(self.hosts),
        }
