"""The yeses beyond this once, for an agent's question, and how they are kept.

A yes for the session to a change of a file covers the files of the folder in which the agent works: whoever
watches an agent write does not want to be asked about each file. Everything else covers exactly what was
asked.
"""

from __future__ import annotations

from desktop.agents.action import Kind
from desktop.agents.case import Case
from desktop.asking import Scope, ScopeOffer
from desktop.gate import grants
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Covers, Grants
from desktop.gate.request import Request
from desktop.gate.verdict import Flag

_KEPT = {Scope.SESSION: grants.Scope.CHAT, Scope.ALWAYS: grants.Scope.ALWAYS}


class Offers:
    """Methods may be called on any thread."""

    def __init__(self, gatekeeper: Gatekeeper, kept: Grants) -> None:
        self._gatekeeper = gatekeeper
        self._grants = kept

    def made(self, case: Case, request: Request) -> tuple[ScopeOffer, ...]:
        """What the dialog may offer; each entry's words say all that it will cover."""
        possible = self._possible(case, request)
        if not case.chat:
            possible = [scope for scope in possible if scope is not Scope.SESSION]
        return tuple(ScopeOffer(scope, _words(case, request, scope)) for scope in possible)

    def keep(self, case: Case, request: Request, scope: Scope) -> bool:
        """Remember a yes; False, and nothing remembered, where that scope was not on offer."""
        if scope not in [offer.scope for offer in self.made(case, request)]:
            return False
        covers = _covers(case, request, scope)
        if covers is None:
            self._gatekeeper.remember(request, _KEPT[scope])
        else:
            self._grants.add(_KEPT[scope], covers, request.chat)
        return True

    def end_session(self, case: Case) -> None:
        """The agent's session is over, and what was allowed for it."""
        if case.chat:
            self._grants.end_chat(case.chat)

    def _possible(self, case: Case, request: Request) -> list[Scope]:
        if case.action.kind is Kind.MCP:
            return [Scope.SESSION, Scope.ALWAYS] if Flag.GATE not in request.flags else []
        offered = dict(self._gatekeeper.offers(request))
        return [scope for scope, kept in _KEPT.items() if kept in offered]


def _covers(case: Case, request: Request, scope: Scope) -> Covers | None:
    """What a grant is about; None where it is exactly the request."""
    if case.action.kind is Kind.MCP:
        return Covers(request.tool, grants.Kind.TOOL)
    if scope is Scope.SESSION and _changes_files(case):
        return Covers(request.tool, grants.Kind.BELOW, folder=request.folder)
    return None


def _changes_files(case: Case) -> bool:
    return case.action.kind in (Kind.WRITE, Kind.EDIT)


def _words(case: Case, request: Request, scope: Scope) -> str:
    title, tool = case.adapter.title, case.action.tool
    session = scope is Scope.SESSION
    when = f"for this session of {title}" if session else "always"
    if case.action.kind is Kind.MCP:
        return f"Allow the tool {tool} with any arguments, {when}"
    if case.action.kind is Kind.COMMAND:
        return f"Allow exactly this command in {request.folder}, {when}"
    if session and _changes_files(case):
        return f"Allow {tool} of {title} for any file in {request.folder}, {when}"
    return f"Allow {tool} of {title} for exactly this: {', '.join(request.parts)}, {when}"
