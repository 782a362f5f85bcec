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
from desktop.gate.projects import Project
from desktop.gate.request import Request
from desktop.gate.rules import Rule, RuleAction
from desktop.gate.rules import covering as allowing
from desktop.gate.verdict import Effect, Flag, Gate, gate_for


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
    reason: str
    grants: tuple[Grant, ...] = ()
    confined: Confined | None = None  # None: as it stands
    rule: Rule | None = None  # of the user's, that decided
    folder: Path | None = None  # of the project that it is held to


_BY_WEIGHT = {
    RuleAction.NEVER: (Gate.DENY, Basis.HARD_RULE, "a rule of yours says never"),
    RuleAction.DENY: (Gate.DENY, Basis.DENY_RULE, "a rule of yours forbids it"),
    RuleAction.ASK: (Gate.ASK, Basis.ASK_RULE, "a rule of yours says to ask"),
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
    return Decision(Gate.DENY, Basis.HARD_RULE, f"this is never done: {request.never}")


def _by_rules(request: Request, rules: Iterable[Rule]) -> Decision | None:
    met = [rule for rule in rules if rule.weight in _BY_WEIGHT and rule.meets(request)]
    if not met:
        return None
    first = min(met, key=lambda rule: (rule.weight, rule.reason))
    gate, ground, reason = _BY_WEIGHT[first.weight]
    return Decision(gate, ground, first.reason or reason, rule=first)


def _by_allow_rules(request: Request, rules: Iterable[Rule]) -> Decision | None:
    chosen = allowing(request, rules)
    if not chosen:
        return None
    reason = next((rule.reason for rule in chosen if rule.reason), "a rule of yours allows it")
    return Decision(Gate.ALLOW, Basis.ALLOW_RULE, reason, rule=chosen[0])


def _by_untrusted_text(request: Request) -> Decision | None:
    """Text from elsewhere may have asked for it: writing, running and sending ask, whatever was granted."""
    acts = request.runs or request.effect is not Effect.READ or Flag.SENDS in request.flags
    if not request.untrusted or not acts:
        return None
    sources = ", ".join(request.untrusted)
    return Decision(Gate.ASK, Basis.UNTRUSTED, f"the conversation holds text from {sources}")


def _by_grants(request: Request, grants: Sequence[Grant]) -> Decision | None:
    if Flag.GATE in request.flags:
        return None  # what guards this computer is asked about each time
    chosen = covering(request, grants)
    if not chosen:
        return None
    reason = "; ".join(grant.in_words() for grant in chosen)
    by_name = any(grant.covers.kind in BY_NAME for grant in chosen)
    ground = Basis.PROGRAM_GRANT if by_name else Basis.GRANT
    return Decision(Gate.ALLOW, ground, f"allowed before: {reason}", chosen)


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
    if request.beyond or (request.effect is Effect.DELETE and not request.is_kept):
        return None
    reason = f"project mode is on in {project.folder}"
    return Decision(Gate.ALLOW, Basis.PROJECT, reason, confined=Confined.PROJECT, folder=project.folder)


def _by_agent_rules(request: Request) -> Decision | None:
    """After project mode, which holds the command to something: what its rule allows runs as it stands."""
    chosen = allowed_by_agent(request)
    if not chosen:
        return None
    texts = ", ".join(rule.text for rule in chosen)
    return Decision(Gate.ALLOW, Basis.AGENT_RULE, f"the agent's own rule that you honour allows it: {texts}")


def _by_effect(request: Request, settings: PolicySettings, can_confine: bool) -> Decision | None:
    if settings.auto_allow_read and gate_for(request.effect, request.flags) is Gate.ALLOW:
        confined = Confined.READ_ONLY if can_confine and request.runs else None
        return Decision(Gate.ALLOW, Basis.READING, "it only reads", confined=confined)
    plain = request.effect in (Effect.CREATE, Effect.UPDATE, Effect.DELETE) and not request.flags
    if plain and not settings.require_confirmation_cud:
        return Decision(Gate.ALLOW, Basis.UNCONFIRMED, "changes are set to need no question")
    return None


def _by_skipping(request: Request, settings: PolicySettings) -> Decision | None:
    # Whoever skips questions has not agreed that an agent rewrites the settings which say so.
    if settings.dangerously_skip_permissions and Flag.GATE not in request.flags:
        return Decision(Gate.ALLOW, Basis.SKIPPED, "permissions are switched off")
    return None


def _what(request: Request) -> str:
    if request.beyond:
        return f"project mode does not cover it: {request.beyond}"
    touched = ", ".join(sorted(flag.value.lower() for flag in request.flags))
    words = {
        Effect.READ: "it reads",
        Effect.CREATE: "it makes something new",
        Effect.UPDATE: "it changes something",
        Effect.UNKNOWN: "what it does cannot be read off",
        Effect.DELETE: "it deletes",
    }
    return words[request.effect] + (f" ({touched})" if touched else "")
