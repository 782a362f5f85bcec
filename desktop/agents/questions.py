"""The question that the user is asked about an agent: complete, in words made by rule."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.agents.action import FILE_KINDS, Action, ActionKind, HookChoice, Moment
from desktop.agents.call_preview import diff_of, files_of
from desktop.agents.events import DecidedBy
from desktop.agents.file_verdict import FilePlace, target
from desktop.agents.hook_request import (
    HookDecision,
    HookRequest,
    Judgement,
    fingerprint,
    network_use,
    written,
)
from desktop.asking import CommandView, FileMatch, Origin, Question, Reach, Risk, Scope, ScopeOffer
from desktop.gate import grants
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Covers, Grants
from desktop.gate.projects import ProjectDuration
from desktop.gate.request import Request
from desktop.gate.verdict import Effect, Flag, Verdict
from desktop.reasons import Reason

_COMMAND_TITLES = {
    Effect.READ: "Run a command?",
    Effect.CREATE: "Run a command that makes something new?",
    Effect.UPDATE: "Run a command that changes something?",
    Effect.UNKNOWN: "Run a command whose effect is not known?",
    Effect.DELETE: "Run a command that deletes?",
}

_FILE_VERBS = {
    Effect.READ: "Read",
    Effect.CREATE: "Write",
    Effect.UPDATE: "Change",
    Effect.UNKNOWN: "Change",
    Effect.DELETE: "Delete",
}


@dataclass(frozen=True)
class More:
    """What the handler knows beside the verdict."""

    warning: str = ""
    opinion: str = ""
    scopes: tuple[ScopeOffer, ...] = ()
    can_snapshot: bool = False  # the user may choose
    is_copied: bool = False  # a setting has chosen


def question(hook: HookRequest, judgement: Judgement, more: More) -> Question:
    """All that the user needs. Looks at the disk; may take half a second."""
    verdict = judgement.verdict
    is_command = hook.action.kind is ActionKind.COMMAND
    diff = diff_of(hook.action)
    return Question(
        title=_title(hook, verdict, judgement.places),
        text=_text(hook, judgement),
        risk=_risk(hook.action.kind, verdict),
        arguments=_arguments(hook, diff),
        origin=Origin(
            agent=hook.agent.title,
            session=hook.action.session,
            folder=str(hook.action.folder),
            deadline=hook.arrived + hook.agent.abilities.holds,
        ),
        arguments_name=_arguments_name(hook.action.kind, diff),
        diff=diff,
        files=files_of(verdict, hook.action.folder) if is_command else _sizes(judgement.places),
        why=hook.action.why,
        warning=more.warning,
        reversible=_reversible(verdict, more),
        network=network_use(hook.action, verdict),
        hosts=_hosts(hook.action, verdict),
        outside=Flag.OUTSIDE in verdict.flags,
        scopes=more.scopes,
        command=_view(hook, verdict, more) if is_command else None,
    )


def _title(hook: HookRequest, verdict: Verdict, places: tuple[FilePlace, ...]) -> str:
    action = hook.action
    if action.changes_settings:
        return f"Let {hook.agent.title} use its changed settings?"
    if action.kind is ActionKind.COMMAND:
        return _command_title(verdict)
    if action.kind in FILE_KINDS and places:
        if len(places) > 1:
            return f"Apply a patch to {len(places)} files?"
        return f"{_FILE_VERBS[verdict.effect]} {places[0].path.name or places[0].path}?"
    if action.kind is ActionKind.FETCH:
        where = target(action)
        return "Search the web?" if where == "the web" else f"Fetch a page from {where}?"
    return f"Use the tool {action.tool}?"


def _command_title(verdict: Verdict) -> str:
    if verdict.effect is not Effect.READ:
        return _COMMAND_TITLES[verdict.effect]
    if Flag.SECRET in verdict.flags:
        return "Run a command that reads secrets?"
    if Flag.SENDS in verdict.flags:
        return "Run a command that sends data?"
    return _COMMAND_TITLES[verdict.effect]


def _text(hook: HookRequest, judgement: Judgement) -> str:
    action, verdict = hook.action, judgement.verdict
    if action.changes_settings:
        return f"{action.path or 'A settings file'} was changed; hooks and permissions may be other ones now."
    if action.kind is ActionKind.COMMAND:
        return f"Runs in {action.folder}: {verdict.reason}."
    if judgement.places:
        return f"{_sentence(verdict.reason)}: {', '.join(str(place.path) for place in judgement.places)}."
    return f"{_sentence(verdict.reason)}."


def _sentence(reason: Reason) -> str:
    said = str(reason)
    return said[:1].upper() + said[1:]


def _risk(kind: ActionKind, verdict: Verdict) -> Risk:
    if verdict.effect is Effect.DELETE:
        return Risk.DELETES
    if kind is ActionKind.FETCH:
        return Risk.SENDS
    if kind in FILE_KINDS:
        return Risk.READS if verdict.effect is Effect.READ else Risk.CHANGES
    return Risk.RUNS


def _arguments(hook: HookRequest, diff: str) -> str:
    """Where the difference shows the whole change, the path is enough."""
    action = hook.action
    if action.kind is ActionKind.COMMAND:
        return action.command
    if action.path and (diff or action.kind in (ActionKind.READ, ActionKind.DELETE)):
        return action.path
    return written(action)


def _arguments_name(kind: ActionKind, diff: str) -> str:
    if kind is ActionKind.COMMAND:
        return "Command"
    return "File" if diff or kind in (ActionKind.READ, ActionKind.DELETE) else "Arguments"


def _hosts(action: Action, verdict: Verdict) -> tuple[str, ...]:
    if action.kind is not ActionKind.FETCH:
        return verdict.hosts
    where = target(action)
    return () if where == "the web" else (where,)


def _sizes(places: tuple[FilePlace, ...]) -> tuple[FileMatch, ...]:
    return tuple(FileMatch(str(place.path), _size(place.path)) for place in places if place.path.exists())


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _reversible(verdict: Verdict, more: More) -> bool | None:
    """None also where it depends on the choice to keep copies."""
    if more.is_copied:
        return True
    return None if verdict.effect is Effect.READ or more.can_snapshot else False


def _view(hook: HookRequest, verdict: Verdict, more: More) -> CommandView:
    return CommandView(
        classed=verdict.effect.name,
        flags=tuple(sorted(flag.value for flag in verdict.flags)),
        reason=verdict.reason,
        span=verdict.span,
        shell=hook.action.shell or "bash",
        opinion=more.opinion,
        can_snapshot=more.can_snapshot,
    )


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

    def made(self, hook: HookRequest, request: Request, can_confine: bool = False) -> tuple[ScopeOffer, ...]:
        """What the dialog may offer; each entry's words say all that it will cover.

        `can_confine`: the agent runs the command that it is told in place of its own, so that project mode
        can be offered.
        """
        projects = self._for_project(request) if can_confine else ()
        return (*projects, *self._by_name(hook, request), *self._exact(hook, request))

    def _exact(self, hook: HookRequest, request: Request) -> tuple[ScopeOffer, ...]:
        possible = self._possible(hook, request)
        # Without a session's name a yes for it would hold for all of that agent's.
        if not hook.chat:
            possible = [scope for scope in possible if scope is not Scope.SESSION]
        return tuple(ScopeOffer(scope, _words(hook, request, scope)) for scope in possible)

    def _by_name(self, hook: HookRequest, request: Request) -> tuple[ScopeOffer, ...]:
        offer = self._gatekeeper.program_offer(request)
        if offer is None:
            return ()
        when = {Scope.SESSION: f"for this session of {hook.agent.title}", Scope.WEEK: "for 7 days"}
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
            if hook.chat or scope is not Scope.SESSION
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

    def keep(self, hook: HookRequest, request: Request, scope: Scope, reach: Reach = Reach.EXACT) -> bool:
        """Remember a yes; False, and nothing remembered, where that was not on offer."""
        if reach is Reach.PROJECT:
            return scope in _SPANS and self._gatekeeper.begin_project(request, _SPANS[scope])
        if reach is Reach.PROGRAM:
            kept = _PROGRAMS_KEPT.get(scope)
            is_offered = kept is not None and (hook.chat or scope is not Scope.SESSION)
            return bool(is_offered and kept and self._gatekeeper.remember_programs(request, kept))
        if scope not in [offer.scope for offer in self._exact(hook, request)]:
            return False
        covers = _covers(hook, request, scope)
        if covers is None:
            self._gatekeeper.remember(request, _KEPT[scope])
        else:
            self._grants.add(_KEPT[scope], covers, request.chat)
        return True

    def end_session(self, hook: HookRequest) -> None:
        """The agent's session is over, and what was allowed for it."""
        if hook.chat:
            self._grants.end_chat(hook.chat)

    def _possible(self, hook: HookRequest, request: Request) -> list[Scope]:
        if hook.action.kind is ActionKind.MCP:
            return [Scope.SESSION, Scope.ALWAYS] if Flag.GATE not in request.flags else []
        offered = dict(self._gatekeeper.offers(request))
        return [scope for scope, kept in _KEPT.items() if kept in offered]


def _covers(hook: HookRequest, request: Request, scope: Scope) -> Covers | None:
    """What a grant is about; None where it is exactly the request."""
    if hook.action.kind is ActionKind.MCP:
        return Covers(request.tool, grants.GrantKind.TOOL)
    if scope is Scope.SESSION and _changes_files(hook):
        return Covers(request.tool, grants.GrantKind.BELOW, folder=request.folder)
    return None


def _changes_files(hook: HookRequest) -> bool:
    return hook.action.kind in (ActionKind.WRITE, ActionKind.EDIT)


def _words(hook: HookRequest, request: Request, scope: Scope) -> str:
    title, tool = hook.agent.title, hook.action.tool
    session = scope is Scope.SESSION
    when = f"for this session of {title}" if session else "always"
    if hook.action.kind is ActionKind.MCP:
        return f"Allow the tool {tool} with any arguments, {when}"
    if hook.action.kind is ActionKind.COMMAND:
        return f"Allow exactly this command in {request.folder}, {when}"
    if session and _changes_files(hook):
        return f"Allow {tool} of {title} for any file in {request.folder}, {when}"
    return f"Allow {tool} of {title} for exactly this: {', '.join(request.parts)}, {when}"


LASTS_S = 10.0

MOST = 500


@dataclass(frozen=True)
class _Past:
    outcome: HookDecision
    moment: Moment
    at: float


class Answers:
    """Methods may be called on any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._past: OrderedDict[str, _Past] = OrderedDict()

    def remember(self, action: Action, outcome: HookDecision) -> None:
        """The user, or nobody, has answered."""
        with self._lock:
            self._past[fingerprint(action, str(action.folder))] = _Past(outcome, action.moment, self._now())
            if len(self._past) > MOST:
                self._past.popitem(last=False)

    def recall(self, action: Action) -> HookDecision | None:
        """What holds for `action` too. Its `by` is USER or NOBODY."""
        key = fingerprint(action, str(action.folder))
        with self._lock:
            past = self._past.get(key)
            if past is None or self._now() - past.at > LASTS_S:
                return None
            # An agent that tries again at once has not heard anything new.
            if past.outcome.by is DecidedBy.USER and past.outcome.choice is HookChoice.DENY:
                return past.outcome
            if past.moment is not Moment.BEFORE or action.moment is not Moment.PERMISSION:
                return None
            # Once: the same command run again is a new question.
            del self._past[key]
        return past.outcome
