"""The question that the user is asked about an agent: complete, in words made by rule."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop.agents.action import FILE_KINDS, Action, Kind
from desktop.agents.case import Case, Judgement, network_use, written
from desktop.agents.diff import diff_of
from desktop.agents.files import Place, target
from desktop.agents.matches import files_of
from desktop.asking import CommandView, FileMatch, Origin, Question, Risk, ScopeOffer
from desktop.gate.verdict import Effect, Flag, Verdict

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


def question(case: Case, judgement: Judgement, more: More) -> Question:
    """All that the user needs. Looks at the disk; may take half a second."""
    verdict = judgement.verdict
    is_command = case.action.kind is Kind.COMMAND
    diff = diff_of(case.action)
    return Question(
        title=_title(case, verdict, judgement.places),
        text=_text(case, judgement),
        risk=_risk(case.action.kind, verdict),
        arguments=_arguments(case, diff),
        origin=Origin(
            agent=case.adapter.title,
            session=case.action.session,
            folder=str(case.action.folder),
            deadline=case.arrived + case.adapter.abilities.holds,
        ),
        arguments_name=_arguments_name(case.action.kind, diff),
        diff=diff,
        files=files_of(verdict, case.action.folder) if is_command else _sizes(judgement.places),
        why=case.action.why,
        warning=more.warning,
        reversible=_reversible(verdict, more),
        network=network_use(case.action, verdict),
        hosts=_hosts(case.action, verdict),
        outside=Flag.OUTSIDE in verdict.flags,
        scopes=more.scopes,
        command=_view(case, verdict, more) if is_command else None,
    )


def _title(case: Case, verdict: Verdict, places: tuple[Place, ...]) -> str:
    action = case.action
    if action.changes_settings:
        return f"Let {case.adapter.title} use its changed settings?"
    if action.kind is Kind.COMMAND:
        return _command_title(verdict)
    if action.kind in FILE_KINDS and places:
        if len(places) > 1:
            return f"Apply a patch to {len(places)} files?"
        return f"{_FILE_VERBS[verdict.effect]} {places[0].path.name or places[0].path}?"
    if action.kind is Kind.FETCH:
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


def _text(case: Case, judgement: Judgement) -> str:
    action, verdict = case.action, judgement.verdict
    if action.changes_settings:
        return f"{action.path or 'A settings file'} was changed; hooks and permissions may be other ones now."
    if action.kind is Kind.COMMAND:
        return f"Runs in {action.folder}: {verdict.reason}."
    if judgement.places:
        return f"{_sentence(verdict.reason)}: {', '.join(str(place.path) for place in judgement.places)}."
    return f"{_sentence(verdict.reason)}."


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:]


def _risk(kind: Kind, verdict: Verdict) -> Risk:
    if verdict.effect is Effect.DELETE:
        return Risk.DELETES
    if kind is Kind.FETCH:
        return Risk.SENDS
    if kind in FILE_KINDS:
        return Risk.READS if verdict.effect is Effect.READ else Risk.CHANGES
    return Risk.RUNS


def _arguments(case: Case, diff: str) -> str:
    """Where the difference shows the whole change, the path is enough."""
    action = case.action
    if action.kind is Kind.COMMAND:
        return action.command
    if action.path and (diff or action.kind in (Kind.READ, Kind.DELETE)):
        return action.path
    return written(action)


def _arguments_name(kind: Kind, diff: str) -> str:
    if kind is Kind.COMMAND:
        return "Command"
    return "File" if diff or kind in (Kind.READ, Kind.DELETE) else "Arguments"


def _hosts(action: Action, verdict: Verdict) -> tuple[str, ...]:
    if action.kind is not Kind.FETCH:
        return verdict.hosts
    where = target(action)
    return () if where == "the web" else (where,)


def _sizes(places: tuple[Place, ...]) -> tuple[FileMatch, ...]:
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


def _view(case: Case, verdict: Verdict, more: More) -> CommandView:
    return CommandView(
        classed=verdict.effect.name,
        flags=tuple(sorted(flag.value for flag in verdict.flags)),
        reason=verdict.reason,
        span=verdict.span,
        shell=case.action.shell or "bash",
        opinion=more.opinion,
        can_snapshot=more.can_snapshot,
    )
