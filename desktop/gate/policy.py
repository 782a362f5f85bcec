"""The order: never, rules, untrusted text, grants, allowing rules, project mode, the agent's rules, reading.

Pure: everything that it looks at is handed in, so that the whole table can be tested. `gate.decide` calls it
on one line; no other place decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.gate.agent_rules import covering as allowed_by_agent
from desktop.gate.grants import BY_NAME, Grant, covering
from desktop.gate.projects import Project, rules_others
from desktop.gate.reasons import GateReason, together
from desktop.gate.request import Request
from desktop.gate.rules import Rule, RuleAction
from desktop.gate.rules import covering as allowing
from desktop.gate.verdict import Effect, Flag, Gate, gate_for
from desktop.reasons import Reason


class Confined(StrEnum):
    """What an allowed command is held to while it runs."""

    READ_ONLY = "read only"
    PROJECT = "project"  # it changes nothing beyond the project and its declared caches


class Basis(StrEnum):
    """Why: goes into the audit log."""

    HARD_RULE = "hard rule"
    DENY_RULE = "deny rule"
    ASK_RULE = "ask rule"
    UNTRUSTED = "untrusted text"
    GRANT = "grant"
    ALLOW_RULE = "allow rule"
    PROGRAM_GRANT = "program grant"
    PROJECT = "project mode"
    AGENT_RULE = "agent's own rule"
    READING = "reading"
    JUDGE = "judge"
    UNCONFIRMED = "changes need no question"
    SKIPPED = "permissions skipped"
    NOTHING = "nothing allows it"


@dataclass(frozen=True)
class PolicySettings:
    """The four switches, with their defaults."""

    auto_allow_read: bool = True
    require_confirmation_cud: bool = True
    dangerously_skip_permissions: bool = False
    judge_may_allow: bool = False  # looked at by the gate, where the judge is asked


@dataclass(frozen=True)
class Decision:
    """What the policy says. `grants` are to be counted when it is carried out."""

    gate: Gate
    ground: Basis
    reason: Reason
    grants: tuple[Grant, ...] = ()
    confined: Confined | None = None  # None: as it stands
    rule: Rule | None = None  # of the user's, that decided
    folder: Path | None = None  # of the project that it is held to


_BY_WEIGHT = {
    RuleAction.NEVER: (Gate.DENY, Basis.HARD_RULE, GateReason.RULE_SAYS_NEVER),
    RuleAction.DENY: (Gate.DENY, Basis.DENY_RULE, GateReason.RULE_FORBIDS),
    RuleAction.ASK: (Gate.ASK, Basis.ASK_RULE, GateReason.RULE_SAYS_ASK),
}


def decide(
    request: Request,
    rules: Iterable[Rule],
    grants: Sequence[Grant],
    settings: PolicySettings,
    project: Project | None = None,
    can_confine: bool = False,
) -> Decision:
    """What happens to `request`. `grants` are those in force for its chat; their order does not matter.

    `project` is the one with project mode on that the request works in. `can_confine`: whoever asks can hold
    a command to what `Decision.confined` says; without it project mode allows nothing.
    """
    rules = tuple(rules)
    return (
        _by_nature(request)
        or _by_rules(request, rules)
        or _by_untrusted_text(request)
        or _by_grants(request, grants)
        or _by_allow_rules(request, rules)
        or _by_project(request, settings, project if can_confine else None)
        or _by_agent_rules(request)
        or _by_effect(request, settings, can_confine)
        or _by_skipping(request, settings)
        or Decision(Gate.ASK, Basis.NOTHING, _what(request))
    )


def _by_nature(request: Request) -> Decision | None:
    """What no rule, grant, mode or click lets through."""
    if not request.never:
        return None
    return Decision(Gate.DENY, Basis.HARD_RULE, GateReason.NEVER_DONE.of(what=request.never))


def _by_rules(request: Request, rules: Iterable[Rule]) -> Decision | None:
    met = [rule for rule in rules if rule.weight in _BY_WEIGHT and rule.meets(request)]
    if not met:
        return None
    first = min(met, key=lambda rule: (rule.weight, rule.reason))
    gate, ground, code = _BY_WEIGHT[first.weight]
    return Decision(gate, ground, _own_words(first) or code.of(), rule=first)


def _by_allow_rules(request: Request, rules: Iterable[Rule]) -> Decision | None:
    chosen = allowing(request, rules)
    if not chosen:
        return None
    reason = next(filter(None, map(_own_words, chosen)), GateReason.RULE_ALLOWS.of())
    return Decision(Gate.ALLOW, Basis.ALLOW_RULE, reason, rule=chosen[0])


def _by_untrusted_text(request: Request) -> Decision | None:
    """Text from elsewhere may have asked for it: writing, running and sending ask, whatever was granted."""
    # Reading a file of the workspace cannot pass anything on; that it is sent then asks by itself.
    acts = request.runs or request.effect is not Effect.READ or Flag.SENDS in request.flags
    if not request.untrusted or not acts:
        return None
    reason = GateReason.UNTRUSTED_TEXT.of(text=", ".join(request.untrusted))
    return Decision(Gate.ASK, Basis.UNTRUSTED, reason)


def _by_grants(request: Request, grants: Sequence[Grant]) -> Decision | None:
    if Flag.GATE in request.flags:
        return None  # what guards this computer is asked about each time
    chosen = covering(request, grants)
    if not chosen:
        return None
    reason = GateReason.ALLOWED_BEFORE.of(what=together([grant.in_words() for grant in chosen]))
    by_name = any(grant.covers.kind in BY_NAME for grant in chosen)
    ground = Basis.PROGRAM_GRANT if by_name else Basis.GRANT
    return Decision(Gate.ALLOW, ground, reason, chosen)


def _by_project(request: Request, settings: PolicySettings, project: Project | None) -> Decision | None:
    """What stays in the folder and can be undone; the rest goes on to be asked about."""
    # What goes to this computer alone does not leave it, and of /tmp only its own can be changed: the
    # confinement sees to both.
    flags = request.flags - ({Flag.SENDS} if request.stays_near else set())
    flags -= {Flag.OUTSIDE} if request.in_scratch else set()
    if project is None or not request.runs or flags:
        return None
    if request.effect is Effect.READ and settings.auto_allow_read and not request.flags:
        return None  # held to reading, which is less
    # Without a copy a deletion could not be taken back, and nobody was asked.
    if request.beyond or (request.effect is Effect.DELETE and not request.is_kept):
        return None
    reason = GateReason.PROJECT_MODE_IS_ON.of(folder=project.folder)
    return Decision(Gate.ALLOW, Basis.PROJECT, reason, confined=Confined.PROJECT, folder=project.folder)


def _by_agent_rules(request: Request) -> Decision | None:
    """After project mode, which holds the command to something: what its rule allows runs as it stands."""
    chosen = allowed_by_agent(request)
    if not chosen:
        return None
    reason = GateReason.AGENT_RULE_ALLOWS.of(text=", ".join(rule.text for rule in chosen))
    return Decision(Gate.ALLOW, Basis.AGENT_RULE, reason)


def _by_effect(request: Request, settings: PolicySettings, can_confine: bool) -> Decision | None:
    # Held to reading where that can be had: should the reading of the line be wrong, nothing is written.
    if settings.auto_allow_read and gate_for(request.effect, request.flags) is Gate.ALLOW:
        confined = Confined.READ_ONLY if can_confine and request.runs else None
        return Decision(Gate.ALLOW, Basis.READING, GateReason.IT_ONLY_READS.of(), confined=confined)
    # UNKNOWN is not among them: who wants no questions on changes has not agreed to code that nobody can
    # read.
    plain = request.effect in (Effect.CREATE, Effect.UPDATE, Effect.DELETE) and not request.flags
    # A hook or a setting of git is such code, which the next command would run.
    if plain and not settings.require_confirmation_cud and not rules_others(request):
        return Decision(Gate.ALLOW, Basis.UNCONFIRMED, GateReason.CHANGES_NEED_NO_QUESTION.of())
    return None


def _by_skipping(request: Request, settings: PolicySettings) -> Decision | None:
    # Whoever skips questions has not agreed that an agent rewrites the settings which say so.
    if settings.dangerously_skip_permissions and Flag.GATE not in request.flags:
        return Decision(Gate.ALLOW, Basis.SKIPPED, GateReason.PERMISSIONS_ARE_OFF.of())
    return None


def _what(request: Request) -> Reason:
    if request.beyond:
        return GateReason.PROJECT_MODE_DOES_NOT_COVER.of(what=request.beyond)
    # Sorted: the same line is asked about in the same words each time.
    touched = ", ".join(sorted(flag.value.lower() for flag in request.flags))
    reason = _EFFECTS[request.effect].of()
    return GateReason.TOUCHING.of(what=reason, flags=touched) if touched else reason


_EFFECTS = {
    Effect.READ: GateReason.IT_READS,
    Effect.CREATE: GateReason.IT_MAKES_SOMETHING_NEW,
    Effect.UPDATE: GateReason.IT_CHANGES_SOMETHING,
    Effect.UNKNOWN: GateReason.IT_CANNOT_BE_READ_OFF,
    Effect.DELETE: GateReason.IT_DELETES,
}


def _own_words(rule: Rule) -> Reason | None:
    """What the user wrote beside a rule of theirs, if anything."""
    return GateReason.AS_SAID.of(text=rule.reason) if rule.reason else None
