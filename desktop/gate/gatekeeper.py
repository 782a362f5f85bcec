"""Where actions are judged: the policy, with this profile's grants, rules and settings.

Two lines call `decide`: one in `tools/executor.py` for our own tools, one in `agents/hook_handler.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.gate import policy
from desktop.gate.commands import Commands
from desktop.gate.grants import (
    Covers,
    GrantKind,
    Grants,
    GrantScope,
    ProgramOffer,
    covers_of,
    offer_of,
    offered_scopes,
    served,
)
from desktop.gate.judge import ModelVerdict
from desktop.gate.policy import Basis, Decision, PolicySettings
from desktop.gate.projects import Project, ProjectDuration, Projects, beyond, is_here, stays_in_scratch
from desktop.gate.reasons import GateReason, together
from desktop.gate.request import Request
from desktop.gate.rules import Rule
from desktop.gate.verdict import Effect, Flag, Gate, Verdict
from desktop.reasons import Reason


def _keeps_nothing(_request: Request) -> bool:
    return False


class Gatekeeper:
    """Methods may be called on any thread."""

    def __init__(
        self,
        grants: Grants,
        settings: Callable[[], PolicySettings],
        rules: Callable[[], Sequence[Rule]] = tuple,
        projects: Projects | None = None,
        keeps: Callable[[Request], bool] = _keeps_nothing,
        hosts: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """`projects` None: nobody has project mode. `keeps` says, looking at the disk, whether all that a
        command deletes will be kept first. `hosts` are those that projects reach beside package indexes.
        """
        self._grants = grants
        self._settings = settings
        self._rules = rules
        self._projects = projects
        self._keeps = keeps
        self._hosts = hosts
        self._is_attended = True

    def unattended(self) -> Gatekeeper:
        """The same where nobody sits before it: only what reads is allowed, and what would be asked is
        refused."""
        alone = copy.copy(self)
        alone._is_attended = False
        return alone

    def decide(
        self,
        request: Request,
        own_notes: bool = False,
        opinion: ModelVerdict | None = None,
        can_confine: bool = False,
    ) -> Decision:
        """May this happen? `own_notes`: it changes only what Steward keeps for the user and the user sees.

        `opinion` is what the model thinks of a command line; see `_by_opinion` for how little that counts.
        `can_confine`: the command can be held to what the decision's `confined` says, and will be.
        """
        if self._is_attended:
            return self._decided(request, own_notes, opinion, can_confine)
        # Before any grant is looked at: a lasting yes was given by somebody who sees what is done with it.
        if request.effect is Effect.READ:
            decision = self._decided(request)
            if decision.gate is not Gate.ASK:
                return decision
        return Decision(Gate.DENY, Basis.NOTHING, GateReason.NOBODY_IS_THERE.of())

    def _decided(
        self,
        request: Request,
        own_notes: bool = False,
        opinion: ModelVerdict | None = None,
        can_confine: bool = False,
    ) -> Decision:
        settings = self._settings()
        covering = () if _reads_plainly(request, settings) else self._grants.covering(request)
        project = self._project(request) if can_confine else None
        if project is not None:
            request = self._looked_at(replace(request, project=project.folder))
        decision = policy.decide(request, self._rules(), covering, settings, project, can_confine)
        if decision.grants and not self._grants.use(decision.grants):
            return Decision(Gate.ASK, Basis.NOTHING, GateReason.PERMISSION_HAS_ENDED.of())
        if decision.ground is Basis.PROJECT and not self._count(project):
            return Decision(Gate.ASK, Basis.NOTHING, GateReason.PROJECT_MODE_HAS_ENDED.of())
        if decision.ground is Basis.READING and Flag.OUTSIDE in request.flags:
            return Decision(Gate.ASK, Basis.NOTHING, GateReason.READS_OUTSIDE_ITS_FOLDERS.of())
        if own_notes and decision.ground is Basis.NOTHING:
            return replace(decision, gate=Gate.ALLOW, reason=GateReason.CHANGES_OWN_NOTES.of())
        return _by_opinion(request, decision, settings, opinion)

    def foresee(self, request: Request) -> Decision:
        """What `decide` would say by rules, grants and the reading; no use of a grant is counted."""
        return policy.decide(request, self._rules(), self._grants.covering(request), self._settings())

    def _looked_at(self, request: Request) -> Request:
        """With what project mode must know: what it needs beyond the project, and whether copies are kept."""
        is_kept = request.effect is Effect.DELETE and self._keeps(request)
        near = bool(request.hosts) and all(map(is_here, request.hosts))
        return replace(
            request,
            beyond=beyond(request, self._hosts()),
            is_kept=is_kept,
            stays_near=near,
            in_scratch=stays_in_scratch(request),
        )

    def _project(self, request: Request) -> Project | None:
        return self._projects.of(request.folder) if self._projects is not None and request.runs else None

    def _count(self, project: Project | None) -> bool:
        return self._projects is not None and project is not None and self._projects.use(project)

    def offers(self, request: Request) -> tuple[tuple[GrantScope, Reason], ...]:
        """The yeses beyond this once, and their words, which say what the grant will cover."""
        if request.pin:
            return _offer_of_server(request)
        if not request.parts:
            return _offer_of_tool(request)
        if request.effect is Effect.READ:
            return ()
        what = together([each.in_words() for each in _covers(request)])
        words = {
            GrantScope.CHAT: GateReason.OFFER_FOR_CHAT.of(what=what),
            GrantScope.ALWAYS: GateReason.OFFER_ALWAYS_IN.of(what=what, folder=request.folder),
        }
        return tuple((scope, words[scope]) for scope in offered_scopes(request) if scope in words)

    def program_offer(self, request: Request) -> ProgramOffer | None:
        """What a yes to the programs of this line by name would cover; None where there can be none."""
        return offer_of(covers_of(request)) if request.is_shown else None

    def remember_programs(self, request: Request, scope: GrantScope) -> bool:
        """The user has agreed to that; False, and nothing remembered, where it was not on offer."""
        # What the user could not see whole they cannot have agreed to.
        wanted = covers_of(request) if request.is_shown else ()
        for covers in wanted:
            self._grants.add(scope, covers, request.chat)
        return bool(wanted)

    def project_offer(self, request: Request) -> Path | None:
        """The folder for which project mode would answer this question, and is not on."""
        folder = request.project
        if self._projects is None or folder is None or self._projects.of(request.folder) is not None:
            return None
        # Decided as if it were on: the dialog offers the mode only where it would have spared this very
        # question.
        would_be = Project(0, folder, 0.0, None, 0.0, 0)
        looked_at = self._looked_at(request)
        decision = policy.decide(looked_at, self._rules(), (), self._settings(), would_be, can_confine=True)
        return folder if decision.ground is Basis.PROJECT and not self._projects.unfit(folder) else None

    def begin_project(self, request: Request, span: ProjectDuration) -> bool:
        """The user has agreed to project mode; False, and nothing begun, where it was not on offer."""
        folder = self.project_offer(request)
        if folder is None or self._projects is None:
            return False
        self._projects.begin(folder, self._projects.end_of(span))
        return True

    def remember(self, request: Request, scope: GrantScope) -> None:
        """The user has agreed to more than this once."""
        for covers in _covers(request):
            self._grants.add(scope, covers, request.chat)


def _by_opinion(
    request: Request, decision: Decision, settings: PolicySettings, opinion: ModelVerdict | None
) -> Decision:
    """The model's READ allows if the user switched that on, and nothing else is to be said against it."""
    allowed = settings.judge_may_allow and settings.auto_allow_read
    # Only in the place of a question that has no other cause: no rule or flag is overruled by a model.
    if not allowed or opinion is None or not opinion.is_sure_to_read or decision.ground is not Basis.NOTHING:
        return decision
    if request.effect is not Effect.UNKNOWN or request.flags or not request.unknown_program:
        return decision
    return Decision(Gate.ALLOW, Basis.JUDGE, opinion.in_words())


def _reads_plainly(request: Request, settings: PolicySettings) -> bool:
    """Whether no grant could change a thing: most hooks are such, and need not wait for the database."""
    return settings.auto_allow_read and request.effect is Effect.READ and not request.flags


def _offer_of_tool(request: Request) -> tuple[tuple[GrantScope, Reason], ...]:
    """A tool that names nothing and only looks, such as clipboard_read: for a chat, never for good."""
    if request.effect is not Effect.READ or request.flags != {Flag.SECRET} or request.untrusted:
        return ()
    (covers,) = _covers(request)
    return ((GrantScope.CHAT, GateReason.OFFER_FOR_CHAT.of(what=covers.in_words())),)


def _offer_of_server(request: Request) -> tuple[tuple[GrantScope, Reason], ...]:
    """A tool of somebody else's server: for this chat or always, where its server is held to something."""
    # The yes is to the tool and not to its arguments: what nothing holds could do anything with it.
    if request.untrusted or request.flags - {Flag.SENDS} or request.effect is Effect.READ:
        return ()
    what = served(request).in_words()
    return (
        (GrantScope.CHAT, GateReason.OFFER_FOR_CHAT.of(what=what)),
        (GrantScope.ALWAYS, GateReason.OFFER_ALWAYS.of(what=what)),
    )


def _covers(request: Request) -> tuple[Covers, ...]:
    if request.pin:
        return (served(request),)
    if not request.parts:
        return (Covers(request.tool, GrantKind.TOOL),)
    if request.runs:  # a line is allowed as it stands, not each of its commands by itself
        return (Covers(request.tool, GrantKind.EXACT, request.text, request.folder),)
    return tuple(Covers(request.tool, GrantKind.EXACT, part, request.folder) for part in request.parts)


# -- trying a line: for the page of rules and `steward rules test` ---------------------------------


@dataclass(frozen=True)
class Trial:
    """The reading of a line and the decision on it."""

    verdict: Verdict
    decision: Decision


def try_line(
    commands: Commands,
    gatekeeper: Gatekeeper,
    line: str,
    agent: str = "steward",
    folder: Path | None = None,
    shell: str | None = None,
) -> Trial:
    """Decide on `line` as if `agent` wanted to run it in `folder`. Runs nothing, counts no use of a grant."""
    # As an agent that is started nowhere in particular.
    where = folder or Path.home()
    verdict = commands.verdict(line, shell, str(where))
    request = commands.request(verdict, line, where, tool=f"Bash of {agent}")
    return Trial(verdict, gatekeeper.foresee(request))
