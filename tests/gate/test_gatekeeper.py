"""Our own tools at the gate: what passes, what asks, what is remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grant, Grants, GrantScope
from desktop.gate.judge import ModelVerdict
from desktop.gate.policy import Basis, PolicySettings
from desktop.gate.request import Request
from desktop.gate.rules import Rule, RuleAction
from desktop.gate.verdict import Effect, Flag, Gate

ROOT = Path("/workspace")
WRITE = Request("write_file", Effect.UPDATE, parts=("/workspace/a.txt",), folder=ROOT, chat="1")
READ = Request("read_file", Effect.READ, parts=("/workspace/a.txt",), folder=ROOT, chat="1")


def keeper(database: Database, settings: PolicySettings | None = None) -> Gatekeeper:
    return Gatekeeper(Grants(database), lambda: settings or PolicySettings())


def test_reading_passes_and_changing_asks(database: Database) -> None:
    """With the settings as they come."""
    assert keeper(database).decide(READ).gate is Gate.ALLOW
    assert keeper(database).decide(WRITE).gate is Gate.ASK


def test_plain_reading_does_not_wait_for_the_database(database: Database) -> None:
    """No grant could change it, and most hooks are such; where one could, grants are looked up."""

    class Counted(Grants):
        looked_up = 0

        def covering(self, request: Request) -> tuple[Grant, ...]:
            self.looked_up += 1
            return super().covering(request)

    grants, settings = Counted(database), PolicySettings()
    gate = Gatekeeper(grants, lambda: settings)
    assert gate.decide(READ).gate is Gate.ALLOW
    assert grants.looked_up == 0
    gate.decide(replace(READ, flags=frozenset({Flag.OUTSIDE})))
    gate.decide(WRITE)
    settings = PolicySettings(auto_allow_read=False)
    assert gate.decide(READ).gate is Gate.ASK
    assert grants.looked_up == 3


def test_reading_outside_asks_whatever_the_settings_let_pass(database: Database) -> None:
    """Only the user opens a file beyond the workspace."""
    outside = Request("read_file", Effect.READ, frozenset({Flag.OUTSIDE}), ("/etc/hostname",), folder=ROOT)
    assert keeper(database).decide(outside).gate is Gate.ASK


def test_notes_need_no_question_unless_foreign_text_is_about(database: Database) -> None:
    """They are the user's, shown and editable; but a web page does not get to write them."""
    note = Request("save_note", Effect.CREATE, parts=("milk",), folder=ROOT)
    tainted = Request("save_note", Effect.CREATE, parts=("milk",), folder=ROOT, untrusted=("a page",))
    assert keeper(database).decide(note, own_notes=True).gate is Gate.ALLOW
    assert keeper(database).decide(tainted, own_notes=True).gate is Gate.ASK


def test_what_is_remembered_is_what_its_words_say(database: Database) -> None:
    """A yes for the chat covers this file in this chat, and nothing else."""
    gate = keeper(database)
    offers = dict(gate.offers(WRITE))
    assert "/workspace/a.txt" in str(offers[GrantScope.CHAT])
    gate.remember(WRITE, GrantScope.CHAT)
    assert gate.decide(WRITE).gate is Gate.ALLOW
    other_file = Request("write_file", Effect.UPDATE, parts=("/workspace/b.txt",), folder=ROOT, chat="1")
    other_chat = Request("write_file", Effect.UPDATE, parts=("/workspace/a.txt",), folder=ROOT, chat="2")
    assert gate.decide(other_file).gate is Gate.ASK
    assert gate.decide(other_chat).gate is Gate.ASK


def test_nothing_lasting_is_offered_for_a_deletion(database: Database) -> None:
    """Once, and then asked again."""
    delete = Request("delete_file", Effect.DELETE, parts=("/workspace/a.txt",), folder=ROOT)
    assert keeper(database).offers(delete) == ()


FOLDER = Path("/project")
SURE = ModelVerdict(Effect.READ, 0.99, {"READ": 0.99}, "Tiny", 1.0)
MAY = PolicySettings(judge_may_allow=True)


def line(text: str = "frobnicate list", **more: object) -> Request:
    fields = {"effect": Effect.UNKNOWN, "unknown_program": "frobnicate", "is_static": False, **more}
    return Request("Bash", parts=(text,), text=text, folder=FOLDER, runs=True, **fields)  # type: ignore[arg-type]


def test_the_model_allows_only_where_that_is_switched_on(database: Database) -> None:
    """Off by default; and then only what it is sure about."""
    assert keeper(database).decide(line(), opinion=SURE).gate is Gate.ASK
    allowed = keeper(database, MAY).decide(line(), opinion=SURE)
    assert (allowed.gate, allowed.ground) == (Gate.ALLOW, Basis.JUDGE)
    assert keeper(database, MAY).decide(line()).gate is Gate.ASK


@pytest.mark.parametrize(
    ("request_", "opinion"),
    [
        (line(), ModelVerdict(Effect.READ, 0.5, {}, "Tiny", 1.0)),
        (line(), ModelVerdict(Effect.CREATE, 1.0, {}, "Tiny", 1.0)),
        (line(unknown_program=""), SURE),
        (line(flags=frozenset({Flag.SECRET})), SURE),
        (line(flags=frozenset({Flag.OUTSIDE})), SURE),
        (line(effect=Effect.CREATE), SURE),
        (line(effect=Effect.DELETE), SURE),
        (line(untrusted=("a web page",)), SURE),
    ],
)
def test_the_model_allows_nothing_else(database: Database, request_: Request, opinion: ModelVerdict) -> None:
    """Only a sure read of an unknown plain program without flags, and never under foreign text."""
    assert keeper(database, MAY).decide(request_, opinion=opinion).gate is Gate.ASK


def test_the_model_never_beats_a_rule(database: Database) -> None:
    """Ask rules ask and deny rules deny."""
    for weight, gate in ((RuleAction.ASK, Gate.ASK), (RuleAction.DENY, Gate.DENY)):
        rules = (Rule(weight, "frobnicate"),)
        found = Gatekeeper(Grants(database), lambda: MAY, lambda rules=rules: rules)
        assert found.decide(line(), opinion=SURE).gate is gate


def test_a_line_is_granted_as_it_stands(database: Database) -> None:
    """Always means this text in this folder; its commands alone, or elsewhere, are asked about."""
    gate = keeper(database)
    both = line("touch a && touch b", effect=Effect.CREATE, is_static=True, unknown_program="")
    both = replace(both, parts=("touch a", "touch b"))
    offers = dict(gate.offers(both))
    assert "touch a && touch b" in str(offers[GrantScope.ALWAYS])
    gate.remember(both, GrantScope.ALWAYS)
    assert gate.decide(both).gate is Gate.ALLOW
    alone = line("touch a", effect=Effect.CREATE, is_static=True)
    assert gate.decide(alone).gate is Gate.ASK
    assert gate.decide(replace(both, folder=Path("/other"))).gate is Gate.ASK


@pytest.mark.parametrize(
    ("changes", "lasting"),
    [
        ({"effect": Effect.CREATE}, True),
        ({"effect": Effect.UPDATE}, True),
        ({"effect": Effect.DELETE}, False),
        ({"effect": Effect.UNKNOWN}, False),
        ({"effect": Effect.CREATE, "is_static": False}, False),
        ({"effect": Effect.CREATE, "flags": frozenset({Flag.OUTSIDE})}, False),
    ],
)
def test_always_is_offered_for_static_creations_and_updates(
    database: Database, changes: dict[str, object], lasting: bool
) -> None:
    """Wholly static, without flags; everything else is asked about each time."""
    request = line("touch a", **{"is_static": True, "unknown_program": "", **changes})
    assert bool(keeper(database).offers(request)) is lasting


def test_what_guards_this_computer_is_never_granted_away(database: Database) -> None:
    """Neither by a grant, nor by skipping permissions, nor by the model."""
    hooks = line(
        "touch .claude/settings.json", effect=Effect.CREATE, flags=frozenset({Flag.GATE}), is_static=True
    )
    settings = PolicySettings(
        dangerously_skip_permissions=True, require_confirmation_cud=False, judge_may_allow=True
    )
    gate = keeper(database, settings)
    gate.remember(hooks, GrantScope.ALWAYS)
    assert gate.decide(hooks, opinion=SURE).gate is Gate.ASK


def test_a_rule_meets_a_command_in_any_coat(database: Database) -> None:
    """Quotes and wrappers do not get past it."""
    rules = (Rule(RuleAction.DENY, "rm"),)
    gate = Gatekeeper(Grants(database), PolicySettings, lambda: rules)
    coated = replace(line("sudo 'r'm x", effect=Effect.DELETE), commands=("sudo rm x", "rm x"))
    assert gate.decide(coated).gate is Gate.DENY


def test_a_look_that_names_nothing_may_be_allowed_for_a_chat(database: Database) -> None:
    """Reading the clipboard asks once in a chat that allows it, and again in another."""
    gatekeeper = keeper(database)
    request = Request("clipboard_read", Effect.READ, frozenset({Flag.SECRET}), chat="1")
    assert gatekeeper.decide(request).gate is Gate.ASK
    ((scope, words),) = gatekeeper.offers(request)
    assert (scope, str(words)) == (GrantScope.CHAT, "Allow the tool clipboard_read, for this chat")
    gatekeeper.remember(request, scope)
    assert gatekeeper.decide(request).gate is Gate.ALLOW
    assert gatekeeper.decide(replace(request, chat="2")).gate is Gate.ASK
    assert gatekeeper.offers(replace(request, untrusted=("a page",))) == ()
