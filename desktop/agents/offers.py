"""The yeses beyond this once, for an agent's question, and how they are kept.

A yes for the session to a change of a file covers the files of the folder in which the agent works: whoever
watches an agent write does not want to be asked about each file. Everything else covers exactly what was
asked.
"""

from __future__ import annotations

from desktop.agents.action import Kind
from desktop.agents.case import Case
from desktop.asking import Reach, Scope, ScopeOffer
from desktop.gate import grants
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Covers, Grants
from desktop.gate.projects import ProjectDuration
from desktop.gate.request import Request
from desktop.gate.verdict import Flag

_KEPT = {Scope.SESSION: grants.GrantScope.CHAT, Scope.ALWAYS: grants.GrantScope.ALWAYS}
_PROGRAMS_KEPT = {
    Scope.SESSION: grants.GrantScope.CHAT,
    Scope.WEEK: grants.GrantScope.WEEK,
    Scope.ALWAYS: grants.GrantScope.ALWAYS,
}
_SPANS = {
    Scope.TODAY: ProjectDuration.TODAY,
    Scope.WEEK: ProjectDuration.WEEK,
    Scope.ALWAYS: ProjectDuration.UNTIL_REVOKED,
}
_SPAN_WORDS = {Scope.TODAY: "today", Scope.WEEK: "for 7 days", Scope.ALWAYS: "until you revoke it"}


class Offers:
    """Methods may be called on any thread."""

    def __init__(self, gatekeeper: Gatekeeper, kept: Grants) -> None:
        self._gatekeeper = gatekeeper
        self._grants = kept

    def made(self, case: Case, request: Request, can_confine: bool = False) -> tuple[ScopeOffer, ...]:
        """What the dialog may offer; each entry's words say all that it will cover.

        `can_confine`: the agent runs the command that it is told in place of its own, so that project mode
        can be offered.
        """
        projects = self._for_project(request) if can_confine else ()
        return (*projects, *self._by_name(case, request), *self._exact(case, request))

    def _exact(self, case: Case, request: Request) -> tuple[ScopeOffer, ...]:
        possible = self._possible(case, request)
        if not case.chat:
            possible = [scope for scope in possible if scope is not Scope.SESSION]
        return tuple(ScopeOffer(scope, _words(case, request, scope)) for scope in possible)

    def _by_name(self, case: Case, request: Request) -> tuple[ScopeOffer, ...]:
        offer = self._gatekeeper.program_offer(request)
        if offer is None:
            return ()
        when = {Scope.SESSION: f"for this session of {case.adapter.title}", Scope.WEEK: "for 7 days"}
        return tuple(
            ScopeOffer(
                scope,
                f"Allow {offer.words}, {when.get(scope, 'always')}",
                Reach.PROGRAM,
                offer.words,
                offer.covered,
                offer.not_covered,
            )
            for scope in _PROGRAMS_KEPT
            if case.chat or scope is not Scope.SESSION
        )

    def _for_project(self, request: Request) -> tuple[ScopeOffer, ...]:
        folder = self._gatekeeper.project_offer(request)
        if folder is None:
            return ()
        return tuple(
            ScopeOffer(
                scope,
                f"In {folder}, work without asking {_SPAN_WORDS[scope]}: everything stays inside the folder, "
                "can be undone, and has no network but package indexes",
                Reach.PROJECT,
                str(folder),
            )
            for scope in _SPANS
        )

    def keep(self, case: Case, request: Request, scope: Scope, reach: Reach = Reach.EXACT) -> bool:
        """Remember a yes; False, and nothing remembered, where that was not on offer."""
        if reach is Reach.PROJECT:
            return scope in _SPANS and self._gatekeeper.begin_project(request, _SPANS[scope])
        if reach is Reach.PROGRAM:
            kept = _PROGRAMS_KEPT.get(scope)
            is_offered = kept is not None and (case.chat or scope is not Scope.SESSION)
            return bool(is_offered and kept and self._gatekeeper.remember_programs(request, kept))
        if scope not in [offer.scope for offer in self._exact(case, request)]:
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
        return Covers(request.tool, grants.GrantKind.TOOL)
    if scope is Scope.SESSION and _changes_files(case):
        return Covers(request.tool, grants.GrantKind.BELOW, folder=request.folder)
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
