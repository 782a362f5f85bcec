"""A call and what became of it: values that cross threads, and the events about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop.events import Event
from desktop.gate.reasons import GateReason
from desktop.reasons import Reason


@dataclass(frozen=True)
class Call:
    """What the model asked for. `raw` is how it wrote it; `arguments` are as it gave them."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    raw: str = ""


class CallStatus(StrEnum):
    """How a call ended."""

    DONE = "done"
    DENIED = "denied"  # by the user, or by a rule
    FAILED = "failed"
    TIMED_OUT = "timed out"  # and given up: nothing of it happens afterwards
    # Out of time in a step that can't be interrupted; nothing follows that step.
    STILL_RUNNING = "still running"
    STOPPED = "stopped"  # by the user, with the answer
    UNKNOWN_TOOL = "unknown tool"
    WRONG_ARGUMENTS = "wrong arguments"


@dataclass(frozen=True)
class CallResult:
    """`text` is for the model, `arguments` are as they were run. `decision` says why it was allowed or not.

    `failure` is what `text` says of a call that did not come to its end, for people and in their language.
    `tainted_by` names where the text comes from when it is not to be trusted, else "".
    """

    call: Call
    ending: CallStatus
    text: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    decision: Reason | None = None
    seconds: float = 0.0
    tainted_by: str = ""
    changes: tuple[int, ...] = ()  # entries of the undo journal
    exit_code: int | None = None  # of a command
    failure: Reason | None = None

    @property
    def ok(self) -> bool:
        return self.ending is CallStatus.DONE

    @property
    def asked_instead(self) -> bool:
        """The user refused, and said what to do instead."""
        # By the code: the user's own words stand in the reason, in any language.
        return self.decision is not None and self.decision.code == GateReason.USER_ASKS_INSTEAD

    @property
    def reached_its_goal(self) -> bool:
        """Whether it ran and, if it was a command, said itself that it succeeded."""
        # A command that ends with an error was carried out all the same.
        return self.ok and not self.exit_code


@dataclass(frozen=True)
class ToolAsked(Event):
    """The user is being asked about a call."""

    conversation_id: int
    call: Call
    title: Reason


@dataclass(frozen=True)
class ToolRunning(Event):
    """A call was allowed and runs now."""

    conversation_id: int
    call: Call


@dataclass(frozen=True)
class ToolEnded(Event):
    """A call is over, however it ended."""

    conversation_id: int
    ended: CallResult
