"""One hook on its way through the handler, in the words of the gate, the log and the window."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.agents.action import FILE_KINDS, Action, ActionKind, HookChoice, Moment
from desktop.agents.agent import Agent
from desktop.agents.events import DecidedBy, HookAsked, HookDecided
from desktop.agents.file_verdict import FilePlace
from desktop.asking import NetworkUse, Question
from desktop.gate.command_question import CopyOffer
from desktop.gate.policy import Basis, Confined, Decision
from desktop.gate.reasons import GateReason, reason_fields, together
from desktop.gate.request import Request
from desktop.gate.verdict import Effect, Flag, Gate, Network, Verdict
from desktop.reasons import Reason


@dataclass(frozen=True)
class HookRequest:
    """A hook that has been read. `at` in seconds since 1970, `begun` by the performance counter."""

    id: int
    at: float
    begun: float
    arrived: float  # by the monotonic clock, against which the agent's patience is counted
    agent: Agent
    action: Action

    @property
    def text(self) -> str:
        """What it is about, complete: the command, the path, the address, or all arguments."""
        action = self.action
        return action.command or action.path or action.url or written(action)

    @property
    def tool(self) -> str:
        """The agent's tool as grants and rules name it."""
        return f"{self.action.tool} of {self.agent.name}"

    @property
    def chat(self) -> str:
        """The session, as grants name it; "" where the agent names none."""
        return session_name(self.action)


@dataclass(frozen=True)
class Judgement:
    """What the gate found out about a hook, and what it would have asked."""

    verdict: Verdict
    request: Request
    places: tuple[FilePlace, ...] = ()


@dataclass(frozen=True)
class HookDecision:
    """How a case ends. `reason` completes a sentence of the log, `says` is told to the agent."""

    choice: HookChoice
    by: DecidedBy
    reason: Reason | None
    says: str = ""
    always: bool = False
    changes: tuple[int, ...] = ()
    ground: str = ""  # the policy's word for why
    confined: Confined | None = None
    line: str = ""  # what the agent is told to run in place of its own command


class PendingHook:
    """A hook that waits on a thread of its own. Ended once, by whoever begins it first."""

    def __init__(self, hook: HookRequest) -> None:
        self.hook = hook
        self.question: Question | None = None
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._begun = False
        self.dropped = False

    @property
    def id(self) -> int:
        return self.hook.id

    @property
    def agent(self) -> str:
        return self.hook.agent.name

    def begin(self) -> bool:
        """Whether this caller is the one to end it."""
        with self._lock:
            # The thread that holds it and a connection that drops may come at the same moment.
            first, self._begun = not self._begun, True
        return first

    def drop(self) -> None:
        """Nobody waits for the answer any more."""
        self.dropped = True


class PendingApproval(PendingHook):
    """It waits for the judge or the user; where `decision` allows, only for the copies of its files."""

    def __init__(self, hook: HookRequest, judgement: Judgement, decision: Decision) -> None:
        super().__init__(hook)
        self.judgement = judgement
        self.decision = decision
        self.copies = CopyOffer.NONE  # what its question says of them


def session_name(action: Action) -> str:
    return f"{action.agent}/{action.session}" if action.session else ""


def written(action: Action) -> str:
    """All arguments, complete."""
    if not action.arguments:
        return action.tool or "nothing"
    return json.dumps(dict(action.arguments), indent=2, ensure_ascii=False)


def fingerprint(action: Action, *more: str) -> str:
    """Identifies exactly these arguments, and `more`, of one agent, session and tool."""
    # Sorted: two hooks of one call may name the same arguments in another order.
    arguments = json.dumps(dict(action.arguments), sort_keys=True)
    whole = json.dumps([action.agent, action.session, action.tool, arguments, *more])
    return hashlib.sha256(whole.encode()).hexdigest()


def asked(hook: HookRequest) -> HookAsked:
    action = hook.action
    return HookAsked(
        hook.id, hook.at, action.agent, action.session, str(action.folder), action.tool, hook.text
    )


def network_use(
    action: Action, verdict: Verdict | None, confined: Confined | None = None
) -> NetworkUse | None:
    """Whether a call talks to other computers; None for files.

    In a project there is a way to package indexes, and a command that only reads is cut off only where it
    looks nothing up (see `ConfinedRuns.begin`).
    """
    if action.kind in FILE_KINDS:
        return None
    if verdict is None:
        return NetworkUse.MAY
    reads_only = confined is Confined.READ_ONLY
    return verdict.network_use(is_cut_off=reads_only and verdict.network is Network.NONE)


def decided(hook: HookRequest, judgement: Judgement | None, outcome: HookDecision, ms: float) -> HookDecided:
    action, verdict = hook.action, judgement.verdict if judgement else None
    return HookDecided(
        id=hook.id,
        at=hook.at,
        agent=action.agent,
        session=action.session,
        folder=str(action.folder),
        tool=action.tool,
        text=hook.text,
        classed=verdict.effect.name if verdict else "UNKNOWN",
        flags=tuple(sorted(flag.value for flag in verdict.flags)) if verdict else (),
        reason=_reason(verdict, outcome),
        span=verdict.span if verdict else (0, 0),
        tier=verdict.tier if verdict else 0,
        choice=outcome.choice,
        by=outcome.by,
        ms=ms,
        changes=outcome.changes,
        confined=outcome.confined.value if outcome.confined else "",
        network=network_use(action, verdict, outcome.confined) if action.moment is Moment.BEFORE else None,
    )


def record_of(hook: HookRequest, event: HookDecided, outcome: HookDecision) -> dict[str, Any]:
    """The entry of the audit log: commands and places, never the content of a file."""
    return {
        "id": event.id,
        "agent": event.agent,
        "session": event.session,
        "folder": event.folder,
        "moment": hook.action.moment,
        "tool": event.tool,
        "text": _without_content(hook),
        "class": event.classed,
        "flags": list(event.flags),
        **reason_fields(event.reason),
        "tier": event.tier,
        "gate": event.choice,
        "by": event.by,
        "ms": round(event.ms, 3),
        "changes": list(event.changes),
        **({"ground": outcome.ground} if outcome.ground else {}),
        **({"confined": event.confined} if event.confined else {}),
    }


def note_of(hook: HookRequest) -> dict[str, Any]:
    """The entry of the audit log about something that happened and needed no decision."""
    action = hook.action
    record = {
        "agent": action.agent,
        "session": action.session,
        "folder": str(action.folder),
        "moment": action.moment,
    }
    if action.tool:
        record |= {"tool": action.tool, "text": _without_content(hook)}
    if action.seconds is not None:
        record["seconds"] = str(round(action.seconds, 3))
    # Only the code: what a command printed may hold anything, and this log is kept.
    if action.result.startswith("Exit code "):
        record["result"] = action.result.splitlines()[0][:40]
    return record


def _reason(verdict: Verdict | None, outcome: HookDecision) -> Reason | None:
    """What it does, then why it ended so."""
    parts = [part for part in (verdict.reason if verdict else None, outcome.reason) if part is not None]
    return together(parts) if parts else None


def _without_content(hook: HookRequest) -> str:
    """The arguments of MCP tools and others go to the log; its redaction replaces what is secret in them."""
    action = hook.action
    return (
        hook.text
        if action.kind in (ActionKind.MCP, ActionKind.OTHER)
        else action.command or action.path or action.url
    )


_BY = {
    Basis.GRANT: DecidedBy.GRANT,
    Basis.PROGRAM_GRANT: DecidedBy.GRANT,
    Basis.READING: DecidedBy.READING,
    Basis.JUDGE: DecidedBy.JUDGE,
    Basis.UNCONFIRMED: DecidedBy.SETTING,
    Basis.SKIPPED: DecidedBy.SETTING,
}


def by_gate(verdict: Verdict, decision: Decision) -> HookDecision:
    """What the gate decided by itself."""
    by = _BY.get(decision.ground, DecidedBy.RULE)
    ground = decision.ground.value
    if decision.gate is Gate.DENY:
        says = f"Steward denies this: {decision.reason}."
        return HookDecision(HookChoice.DENY, by, decision.reason, says, ground=ground)
    # Of what only reads the verdict says so already.
    reason = None if by is DecidedBy.READING else decision.reason
    return HookDecision(HookChoice.ALLOW, by, reason, f"Steward: {reason or verdict.reason}.", ground=ground)


def denied(instead: str) -> HookDecision:
    """The user's no, and what they want in its place or why."""
    said = f', and says: "{instead}"' if instead else ""
    says = f"The user denied this in Steward{said}."
    reason = GateReason.DENIED_SAYING.of(text=instead) if instead else GateReason.DENIED_BY_THE_USER.of()
    return HookDecision(HookChoice.DENY, DecidedBy.USER, reason, says)


def request_for(hook: HookRequest, verdict: Verdict, places: tuple[FilePlace, ...]) -> Request:
    """Files by where they really are, an address as it is; the arguments of an MCP tool are no parts."""
    action = hook.action
    folder = action.folder
    # A grant for a folder must not miss it by a link.
    if places:
        folder = Path(folder).resolve()
    addresses = (action.url,) if action.url else ()
    request = Request(
        tool=hook.tool,
        effect=verdict.effect,
        flags=verdict.flags,
        parts=tuple(str(place.path) for place in places) or addresses,
        text=written(action) if action.kind in (ActionKind.MCP, ActionKind.OTHER) else hook.text,
        folder=folder,
        chat=hook.chat,
        never=verdict.never,
        below=tuple(str(place.path) for place in places if place.path.is_dir())
        if shows_below(action)
        else (),
    )
    return open_to_read(request)


def shows_below(action: Action) -> bool:
    """Whether a tool shows what is in the files below a folder that it gets, as a search does."""
    return action.kind is ActionKind.READ and not action.only_names


def open_to_read(request: Request) -> Request:
    """An agent has the rights of the user: it reads outside its folder with no more leave than inside."""
    if request.effect is not Effect.READ or Flag.OUTSIDE not in request.flags:
        return request
    return replace(request, flags=request.flags - {Flag.OUTSIDE})
