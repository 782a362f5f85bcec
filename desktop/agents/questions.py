"""The question that the user is asked about an agent: complete, in words made by rule."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agents.action import FILE_KINDS, Action, ActionKind, HookChoice, Moment
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
from desktop.agents.reasons import AgentReason
from desktop.asking import (
    ARGUMENTS,
    AskingReason,
    FileMatch,
    Origin,
    Question,
    Reach,
    Risk,
    Scope,
    ScopeOffer,
)
from desktop.gate import grants
from desktop.gate.command_question import CommandQuestion, CopyOffer, command_question
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Covers, Grants
from desktop.gate.past_changes import LARGEST_BYTES, unified
from desktop.gate.projects import ProjectDuration
from desktop.gate.request import Request
from desktop.gate.verdict import Effect, Flag, Verdict
from desktop.paths import read_regular
from desktop.reasons import Reason

_FILE_QUESTIONS = {
    Effect.READ: AgentReason.ASK_READ,
    Effect.CREATE: AgentReason.ASK_WRITE,
    Effect.UPDATE: AgentReason.ASK_CHANGE,
    Effect.UNKNOWN: AgentReason.ASK_CHANGE,
    Effect.DELETE: AgentReason.ASK_DELETE,
}


@dataclass(frozen=True)
class QuestionFacts:
    """What the handler knows beside the verdict."""

    warning: Reason | None = None
    opinion: Reason | None = None
    scopes: tuple[ScopeOffer, ...] = ()
    copies: CopyOffer = CopyOffer.NONE
    worker: str = ""  # the machine that it would be sent to


def question(hook: HookRequest, judgement: Judgement, more: QuestionFacts) -> Question:
    """All that the user needs. Looks at the disk; may take half a second."""
    verdict, action = judgement.verdict, hook.action
    command = None
    if action.kind is ActionKind.COMMAND:
        shell = action.shell or "bash"
        command = command_question(verdict, action.folder, shell, more.copies, more.opinion)
    diff = diff_of(action)
    return Question(
        title=_title(hook, judgement, command),
        text=_text(hook, judgement),
        risk=command.risk if command is not None else _risk(action.kind, verdict),
        arguments=_arguments(hook, diff),
        origin=Origin(
            agent=hook.agent.title,
            session=action.session,
            folder=str(action.folder),
            deadline=hook.arrived + hook.agent.abilities.holds,
        ),
        arguments_name=_arguments_name(action.kind, diff),
        diff=diff,
        files=command.files if command is not None else _sizes(judgement.places),
        why=action.why,
        warning=more.warning,
        reversible=command.reversible if command is not None else _reversible(verdict, more),
        to_trash=command is not None and command.to_trash,
        network=network_use(action, verdict),
        hosts=_hosts(action, verdict),
        outside=Flag.OUTSIDE in verdict.flags,
        scopes=more.scopes,
        command=command.view if command is not None else None,
        worker=more.worker,
    )


def _title(hook: HookRequest, judgement: Judgement, command: CommandQuestion | None) -> Reason:
    action, places = hook.action, judgement.places
    if action.changes_settings:
        return AgentReason.ASK_SETTINGS.of(agent=hook.agent.title)
    if command is not None:
        return command.title
    if action.kind in FILE_KINDS and places:
        if len(places) > 1:
            return AgentReason.ASK_PATCH.of(count=len(places))
        return _FILE_QUESTIONS[judgement.verdict.effect].of(name=places[0].path.name or str(places[0].path))
    if action.kind is ActionKind.FETCH:
        where = target(action)
        if where == "the web":
            return AgentReason.ASK_WEB_SEARCH.of()
        return AgentReason.ASK_FETCH.of(host=where)
    return AgentReason.ASK_TOOL.of(tool=action.tool)


def _text(hook: HookRequest, judgement: Judgement) -> Reason:
    action, verdict = hook.action, judgement.verdict
    if action.changes_settings:
        return AgentReason.SETTINGS_CHANGED.of(file=action.path or AgentReason.A_SETTINGS_FILE.of())
    if action.kind is ActionKind.COMMAND:
        return AskingReason.RUNS_IN_BECAUSE.of(folder=action.folder, why=verdict.reason)
    if judgement.places:
        places = ", ".join(str(place.path) for place in judgement.places)
        return AgentReason.SENTENCE_ABOUT.of(why=verdict.reason, places=places)
    return AgentReason.SENTENCE.of(why=verdict.reason)


def _risk(kind: ActionKind, verdict: Verdict) -> Risk:
    """The risk of everything that is no command line."""
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


def _arguments_name(kind: ActionKind, diff: str) -> Reason:
    if kind is ActionKind.COMMAND:
        return AskingReason.COMMAND.of()
    is_file = diff or kind in (ActionKind.READ, ActionKind.DELETE)
    return AskingReason.FILE.of() if is_file else ARGUMENTS


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


def _reversible(verdict: Verdict, more: QuestionFacts) -> bool | None:
    if more.copies is CopyOffer.KEPT:
        return True
    return None if verdict.effect is Effect.READ else False


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

_SPAN_WORDS = {
    Scope.TODAY: AgentReason.FOR_TODAY.of(),
    Scope.WEEK: AgentReason.FOR_A_WEEK.of(),
    Scope.ALWAYS: AgentReason.UNTIL_REVOKED.of(),
}


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
        when = {
            Scope.SESSION: AgentReason.FOR_SESSION.of(agent=hook.agent.title),
            Scope.WEEK: AgentReason.FOR_A_WEEK.of(),
        }
        return tuple(
            ScopeOffer(
                scope,
                AgentReason.OFFER_PROGRAMS.of(
                    what=offer.words, when=when.get(scope, AgentReason.FOR_GOOD.of())
                ),
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
                AgentReason.OFFER_PROJECT.of(folder=folder, when=_SPAN_WORDS[scope]),
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
        # Looked up again: a dialog must not be able to give more than it was handed.
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
            # Nobody but its server knows what such a tool touches: a yes is for the tool or for nothing.
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


def _words(hook: HookRequest, request: Request, scope: Scope) -> Reason:
    title, tool = hook.agent.title, hook.action.tool
    session = scope is Scope.SESSION
    when = AgentReason.FOR_SESSION.of(agent=title) if session else AgentReason.FOR_GOOD.of()
    if hook.action.kind is ActionKind.MCP:
        return AgentReason.OFFER_TOOL.of(tool=tool, when=when)
    if hook.action.kind is ActionKind.COMMAND:
        return AgentReason.OFFER_COMMAND.of(folder=request.folder, when=when)
    if session and _changes_files(hook):
        return AgentReason.OFFER_BELOW.of(tool=tool, agent=title, folder=request.folder, when=when)
    parts = ", ".join(request.parts)
    return AgentReason.OFFER_EXACTLY.of(tool=tool, agent=title, parts=parts, when=when)


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
        key, now = fingerprint(action, str(action.folder)), self._now()
        with self._lock:
            self._past[key] = _Past(outcome, action.moment, now)
            self._past.move_to_end(key)
            while len(self._past) > MOST or now - next(iter(self._past.values())).at > LASTS_S:
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


# -- what an edit would make of a file -----------------------------------------------------------

_OLD = ("old_string", "oldString", "old_str")
_NEW = ("new_string", "newString", "new_str")
_ALL = ("replace_all", "replaceAll", "allow_multiple")
_CONTENT = ("content", "contents", "file_text")


def diff_of(action: Action) -> str:
    """The whole change as a unified diff; "" where it cannot be made out."""
    if action.diff:
        return action.diff
    if action.kind not in (ActionKind.WRITE, ActionKind.EDIT) or not action.path:
        return ""
    path = action.folder / action.path
    if "notebook_path" in action.arguments:
        return _of_notebook(path, action.arguments)
    before = _text_on_disk(path)
    if before is None:
        return ""
    after = _after(before, action.arguments)
    return "" if after is None else unified(before, after, path.name)


def _text_on_disk(path: Path) -> str | None:
    """The file's text; "" where there is none, None where it cannot be compared."""
    try:
        # The question waits for this; a large file is shown by its arguments, and a pipe has no end.
        return read_regular(path, LARGEST_BYTES).decode()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def _after(before: str, arguments: Mapping[str, Any]) -> str | None:
    content = _first(arguments, _CONTENT)
    if isinstance(content, str):
        return content
    edits = arguments.get("edits")
    return _edited(before, edits if isinstance(edits, list) else [arguments])


def _edited(text: str, edits: Iterable[Any]) -> str | None:
    for edit in edits:
        if not isinstance(edit, Mapping):
            return None
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        # What the agent makes of that is not known; its arguments are shown then, and no diff of a guess.
        if old and old not in text:
            return None
        every = _first(edit, _ALL) is True
        text = (text.replace(old, new) if every else text.replace(old, new, 1)) if old else new + text
    return text


def _first(arguments: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((arguments[name] for name in names if name in arguments), None)


def _of_notebook(path: Path, arguments: Mapping[str, Any]) -> str:
    """The change of one cell, compared with the cell on disk."""
    mode, cell = arguments.get("edit_mode", "replace"), arguments.get("cell_id")
    source = arguments.get("new_source", "")
    if not isinstance(source, str):
        return ""
    before = "" if mode == "insert" else _cell(path, cell)
    if before is None:
        return ""
    return unified(before, "" if mode == "delete" else source, f"{path.name}, cell {cell or 'at the top'}")


def _cell(path: Path, wanted: object) -> str | None:
    """The source of a cell by its id, or by its place as in `cell-3`."""
    try:
        cells = json.loads(_text_on_disk(path) or "{}")["cells"]
        found = [c for n, c in enumerate(cells) if wanted in (c.get("id"), f"cell-{n}")]
        source = found[0]["source"]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return None
    return "".join(source) if isinstance(source, list) else str(source)
