"""The order of reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.gate.grants import Covers, Grant, GrantKind, GrantScope
from desktop.gate.policy import Basis, Confined, PolicySettings, decide
from desktop.gate.projects import Project
from desktop.gate.reasons import GateReason
from desktop.gate.request import Request
from desktop.gate.rules import Rule, RuleAction
from desktop.gate.verdict import Effect, Flag, Gate, Step

HERE = Path("/home/me/project")
DEFAULT = PolicySettings()
SKIP = PolicySettings(dangerously_skip_permissions=True)
UNASKED = PolicySettings(require_confirmation_cud=False)


def running(
    *commands: str,
    effect: Effect = Effect.UPDATE,
    flags: frozenset[Flag] = frozenset(),
    untrusted: tuple[str, ...] = (),
) -> Request:
    return Request(
        "run_command",
        effect,
        flags,
        commands,
        " && ".join(commands),
        HERE,
        runs=True,
        commands=commands,
        untrusted=untrusted,
        steps=tuple(Step(tuple(each.split()), effect, flags) for each in commands),
    )


def granting(text: str) -> Grant:
    return Grant(1, GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, text, HERE), "", 0, 0, 0)


SECRET = frozenset({Flag.SECRET})
GATE = frozenset({Flag.GATE})
READ = replace(running("ls"), effect=Effect.READ)
NEVER, DENY, ASK, ALLOW = (Rule(weight, "make") for weight in RuleAction)


@pytest.mark.parametrize(
    ("request_", "rules", "grants", "settings", "gate", "ground"),
    [
        (READ, [], [], DEFAULT, Gate.ALLOW, Basis.READING),
        (READ, [], [], PolicySettings(auto_allow_read=False), Gate.ASK, Basis.NOTHING),
        (replace(READ, flags=SECRET), [], [], DEFAULT, Gate.ASK, Basis.NOTHING),
        (replace(READ, flags=frozenset({Flag.OUTSIDE})), [], [], DEFAULT, Gate.ALLOW, Basis.READING),
        (running("make"), [], [], DEFAULT, Gate.ASK, Basis.NOTHING),
        (running("make"), [], [granting("make")], DEFAULT, Gate.ALLOW, Basis.GRANT),
        (running("make", "rm x"), [], [granting("make")], DEFAULT, Gate.ASK, Basis.NOTHING),
        (running("make"), [ASK], [granting("make")], DEFAULT, Gate.ASK, Basis.ASK_RULE),
        (running("make"), [ASK, DENY], [granting("make")], DEFAULT, Gate.DENY, Basis.DENY_RULE),
        (running("make"), [ASK, DENY, NEVER], [], DEFAULT, Gate.DENY, Basis.HARD_RULE),
        (running("make"), [ALLOW], [], DEFAULT, Gate.ALLOW, Basis.ALLOW_RULE),
        (running("make"), [ALLOW, ASK], [], DEFAULT, Gate.ASK, Basis.ASK_RULE),
        (running("make"), [ALLOW, DENY], [], DEFAULT, Gate.DENY, Basis.DENY_RULE),
        (running("make", "touch x"), [ALLOW], [], DEFAULT, Gate.ASK, Basis.NOTHING),
        (running("make", untrusted=("a page",)), [ALLOW], [], DEFAULT, Gate.ASK, Basis.UNTRUSTED),
        (
            replace(running("rm x"), never=GateReason.AS_SAID.of(text="it ruins")),
            [ALLOW],
            [granting("rm x")],
            SKIP,
            Gate.DENY,
            Basis.HARD_RULE,
        ),
        (running("ls", "make"), [DENY], [], SKIP, Gate.DENY, Basis.DENY_RULE),
        (running("make"), [ASK], [], SKIP, Gate.ASK, Basis.ASK_RULE),
        (running("rm"), [], [], SKIP, Gate.ALLOW, Basis.SKIPPED),
        (running("rm", flags=GATE), [], [], SKIP, Gate.ASK, Basis.NOTHING),
        (running("make"), [], [], UNASKED, Gate.ALLOW, Basis.UNCONFIRMED),
        (running("make", flags=SECRET), [], [], UNASKED, Gate.ASK, Basis.NOTHING),
        (running("./x", effect=Effect.UNKNOWN), [], [], UNASKED, Gate.ASK, Basis.NOTHING),
        (
            replace(running("cp x .git/hooks/pre-commit"), touched=(".git/hooks/pre-commit",)),
            [],
            [],
            UNASKED,
            Gate.ASK,
            Basis.NOTHING,
        ),
        (running("git config core.fsmonitor ./x"), [], [], UNASKED, Gate.ASK, Basis.NOTHING),
        (
            Request("Write of codex", Effect.CREATE, parts=(f"{HERE}/.git/hooks/pre-push",), folder=HERE),
            [],
            [],
            UNASKED,
            Gate.ASK,
            Basis.NOTHING,
        ),
        (
            Request("Write of claude-code", Effect.UPDATE, parts=(f"{HERE}/.envrc",), folder=HERE),
            [],
            [],
            UNASKED,
            Gate.ASK,
            Basis.NOTHING,
        ),
        (
            Request("Write of claude-code", Effect.UPDATE, parts=(f"{HERE}/src/git.py",), folder=HERE),
            [],
            [],
            UNASKED,
            Gate.ALLOW,
            Basis.UNCONFIRMED,
        ),
        (running("make", untrusted=("a page",)), [], [granting("make")], DEFAULT, Gate.ASK, Basis.UNTRUSTED),
        (running("make", untrusted=("a page",)), [], [], SKIP, Gate.ASK, Basis.UNTRUSTED),
        (running("make", untrusted=("a page",)), [DENY], [], DEFAULT, Gate.DENY, Basis.DENY_RULE),
        (
            Request("read_file", Effect.READ, parts=("/a",), untrusted=("x",)),
            [],
            [],
            DEFAULT,
            Gate.ALLOW,
            Basis.READING,
        ),
        (
            Request("write_file", Effect.CREATE, parts=("/a",), untrusted=("x",)),
            [],
            [],
            UNASKED,
            Gate.ASK,
            Basis.UNTRUSTED,
        ),
    ],
)
def test_the_first_reason_decides(
    request_: Request,
    rules: list[Rule],
    grants: list[Grant],
    settings: PolicySettings,
    gate: Gate,
    ground: Basis,
) -> None:
    """Hard rules, deny, ask, untrusted text, grants, reading, switches; else the user is asked."""
    decision = decide(request_, rules, grants, settings)
    assert (decision.gate, decision.ground) == (gate, ground)
    assert decision.reason


def test_untrusted_text_is_named() -> None:
    """The reason says where the text came from, so that the dialog can."""
    decision = decide(running("make", untrusted=("the clipboard", "example.org")), [], [], DEFAULT)
    assert str(decision.reason) == "the conversation holds text from the clipboard, example.org"


TEXTS = st.sampled_from(["make", "git push", "rm x"])
RULES = st.lists(
    st.builds(Rule, st.sampled_from(list(RuleAction)[:3]), st.sampled_from(["make", "git*", "rm*", "*"])),
    max_size=5,
)
SETTINGS = st.builds(PolicySettings, st.booleans(), st.booleans(), st.booleans())
FLAGS = st.frozensets(st.sampled_from(Flag))
REQUESTS = st.builds(
    lambda parts, effect, flags, untrusted: running(*parts, effect=effect, flags=flags, untrusted=untrusted),
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(Effect),
    FLAGS,
    st.sampled_from([(), ("a page",)]),
)


@given(REQUESTS, RULES, st.lists(TEXTS), SETTINGS, st.randoms())
def test_deny_beats_allow_in_every_order(
    request_: Request, rules: list[Rule], granted: list[str], settings: PolicySettings, random: object
) -> None:
    """In whatever order rules and grants stand, the answer is the same and a denial is never overruled."""
    grants = [granting(text) for text in granted]
    decision = decide(request_, rules, grants, settings)
    shuffled_rules, shuffled_grants = list(rules), list(grants)
    random.shuffle(shuffled_rules)  # type: ignore[attr-defined]
    random.shuffle(shuffled_grants)  # type: ignore[attr-defined]
    again = decide(request_, shuffled_rules, shuffled_grants, settings)
    assert (again.gate, again.ground) == (decision.gate, decision.ground)
    met = {rule.weight for rule in rules if rule.meets(request_)}
    if met & {RuleAction.NEVER, RuleAction.DENY}:
        assert decision.gate is Gate.DENY
    elif RuleAction.ASK in met:
        assert decision.gate is Gate.ASK


@given(REQUESTS, RULES, st.lists(TEXTS), SETTINGS, RULES, FLAGS)
def test_more_rules_flags_or_untrusted_text_never_make_it_milder(
    request_: Request,
    rules: list[Rule],
    granted: list[str],
    settings: PolicySettings,
    more: list[Rule],
    flags: frozenset[Flag],
) -> None:
    """Caution only adds up."""
    order = [Gate.ALLOW, Gate.ASK, Gate.DENY]
    grants = [granting(text) for text in granted]
    before = order.index(decide(request_, rules, grants, settings).gate)
    stricter = replace(request_, flags=request_.flags | flags, untrusted=("a page",))
    assert order.index(decide(stricter, [*rules, *more], grants, settings).gate) >= before


PROJECT = Project(1, HERE, 0, None, 0, 0)
OUTSIDE = frozenset({Flag.OUTSIDE})


@pytest.mark.parametrize(
    ("request_", "gate", "ground", "confined"),
    [
        (READ, Gate.ALLOW, Basis.READING, Confined.READ_ONLY),
        (replace(READ, flags=OUTSIDE), Gate.ALLOW, Basis.READING, Confined.READ_ONLY),
        (replace(READ, flags=SECRET), Gate.ASK, Basis.NOTHING, None),
        (running("touch a", effect=Effect.CREATE), Gate.ALLOW, Basis.PROJECT, Confined.PROJECT),
        (running("sed -i x a"), Gate.ALLOW, Basis.PROJECT, Confined.PROJECT),
        (running("make", effect=Effect.UNKNOWN), Gate.ALLOW, Basis.PROJECT, Confined.PROJECT),
        (running("rm a", effect=Effect.DELETE), Gate.ASK, Basis.NOTHING, None),
        (
            replace(running("rm a", effect=Effect.DELETE), is_kept=True),
            Gate.ALLOW,
            Basis.PROJECT,
            Confined.PROJECT,
        ),
        (replace(running("docker ps"), beyond="docker works elsewhere"), Gate.ASK, Basis.NOTHING, None),
        (running("make", flags=GATE), Gate.ASK, Basis.NOTHING, None),
        (running("make", untrusted=("a page",)), Gate.ASK, Basis.UNTRUSTED, None),
        (Request("write_file", Effect.CREATE, parts=("/home/me/project/a",)), Gate.ASK, Basis.NOTHING, None),
    ],
)
def test_project_mode_lets_through_what_stays_in_the_project(
    request_: Request, gate: Gate, ground: Basis, confined: Confined | None
) -> None:
    """And holds it there; what only reads is held to reading."""
    decision = decide(request_, [], [], DEFAULT, PROJECT, can_confine=True)
    assert (decision.gate, decision.ground, decision.confined) == (gate, ground, confined)


def test_project_mode_lets_data_go_to_this_computer() -> None:
    """A server that is being built is talked to; nothing else of what is flagged passes with it."""
    sends = replace(running("curl -d a localhost", flags=frozenset({Flag.SENDS})), stays_near=True)
    assert decide(sends, [], [], DEFAULT, PROJECT, can_confine=True).confined is Confined.PROJECT
    read = replace(sends, effect=Effect.READ)
    assert decide(read, [], [], DEFAULT, PROJECT, can_confine=True).confined is Confined.PROJECT
    secret = replace(sends, flags=sends.flags | SECRET)
    assert decide(secret, [], [], DEFAULT, PROJECT, can_confine=True).gate is Gate.ASK
    assert (
        decide(replace(sends, stays_near=False), [], [], DEFAULT, PROJECT, can_confine=True).gate is Gate.ASK
    )


def test_its_own_in_tmp_needs_no_question_in_project_mode() -> None:
    """Where the box holds the rest of /tmp; what else it touches asks as before."""
    line = replace(running("echo x > /tmp/a", flags=frozenset({Flag.OUTSIDE})), in_scratch=True)
    decision = decide(line, [], [], DEFAULT, PROJECT, can_confine=True)
    assert (decision.gate, decision.confined) == (Gate.ALLOW, Confined.PROJECT)
    secret = replace(line, flags=line.flags | {Flag.SECRET})
    for other in (replace(line, in_scratch=False), secret, replace(line, effect=Effect.DELETE)):
        assert decide(other, [], [], DEFAULT, PROJECT, can_confine=True).gate is Gate.ASK
    assert decide(line, [], [], DEFAULT, PROJECT, can_confine=False).gate is Gate.ASK


def test_project_mode_needs_who_confines() -> None:
    """Where a command cannot be held to the folder, it asks as before, and a read runs as it stands."""
    assert decide(running("make"), [], [], DEFAULT, PROJECT).gate is Gate.ASK
    assert decide(READ, [], [], DEFAULT, PROJECT).confined is None


def test_rules_and_grants_come_before_project_mode() -> None:
    """A rule that asks asks; what was granted by name runs as it stands."""
    assert decide(running("make"), [ASK], [], DEFAULT, PROJECT, can_confine=True).ground is Basis.ASK_RULE
    granted = decide(running("make"), [], [granting("make")], DEFAULT, PROJECT, can_confine=True)
    assert (granted.ground, granted.confined) == (Basis.GRANT, None)


@given(REQUESTS, FLAGS, st.booleans(), SETTINGS)
def test_project_mode_never_allows_what_is_flagged(
    request_: Request, flags: frozenset[Flag], is_kept: bool, settings: PolicySettings
) -> None:
    """Whatever it does, with whatever copies, under whatever settings."""
    flagged = replace(request_, flags=request_.flags | flags, is_kept=is_kept)
    decision = decide(flagged, [], [], settings, PROJECT, can_confine=True)
    if flagged.flags:
        assert decision.ground is not Basis.PROJECT
        assert decision.confined is not Confined.PROJECT
