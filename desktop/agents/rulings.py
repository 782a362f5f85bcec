"""From an agent's case to the policy's request, and from the policy's decision to an outcome. Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desktop.agents.action import Choice, Kind
from desktop.agents.case import Case, Outcome, written
from desktop.agents.events import By
from desktop.agents.files import Place
from desktop.gate.policy import Basis, Decision
from desktop.gate.request import Request
from desktop.gate.verdict import Effect, Flag, Gate, Verdict

_BY = {
    Basis.GRANT: By.GRANT,
    Basis.PROGRAM_GRANT: By.GRANT,
    Basis.READING: By.READING,
    Basis.JUDGE: By.JUDGE,
    Basis.UNCONFIRMED: By.SETTING,
    Basis.SKIPPED: By.SETTING,
}


def by_gate(verdict: Verdict, decision: Decision) -> Outcome:
    """What the gate decided by itself."""
    by = _BY.get(decision.ground, By.RULE)
    ground = decision.ground.value
    if decision.gate is Gate.DENY:
        says = f"Steward denies this: {decision.reason}."
        return Outcome(Choice.DENY, by, decision.reason, says, ground=ground)
    reason = "" if by is By.READING else decision.reason
    return Outcome(Choice.ALLOW, by, reason, f"Steward: {reason or verdict.reason}.", ground=ground)


def denied(instead: str) -> Outcome:
    """The user's no, and what they want in its place or why."""
    said = f', and says: "{instead}"' if instead else ""
    says = f"The user denied this in Steward{said}."
    return Outcome(Choice.DENY, By.USER, f"denied by the user{said}", says)


def request_for(case: Case, verdict: Verdict, places: tuple[Place, ...]) -> Request:
    """Files by where they really are, an address as it is; the arguments of an MCP tool are no parts."""
    action = case.action
    folder = action.folder
    if places:
        folder = Path(folder).resolve()
    addresses = (action.url,) if action.url else ()
    request = Request(
        tool=case.tool,
        effect=verdict.effect,
        flags=verdict.flags,
        parts=tuple(str(place.path) for place in places) or addresses,
        text=written(action) if action.kind in (Kind.MCP, Kind.OTHER) else case.text,
        folder=folder,
        chat=case.chat,
        never=verdict.never,
    )
    return open_to_read(request)


def open_to_read(request: Request) -> Request:
    """An agent has the rights of the user: it reads outside its folder with no more leave than inside."""
    if request.effect is not Effect.READ:
        return request
    return replace(request, flags=request.flags - {Flag.OUTSIDE})
