"""Our own tools at the gate: what passes, what asks, what is remembered."""

from __future__ import annotations

from pathlib import Path

from desktop.database import Database
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants, Scope
from desktop.gate.policy import PolicySettings
from desktop.gate.request import Request
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
    assert "/workspace/a.txt" in offers[Scope.CHAT]
    gate.remember(WRITE, Scope.CHAT)
    assert gate.decide(WRITE).gate is Gate.ALLOW
    other_file = Request("write_file", Effect.UPDATE, parts=("/workspace/b.txt",), folder=ROOT, chat="1")
    other_chat = Request("write_file", Effect.UPDATE, parts=("/workspace/a.txt",), folder=ROOT, chat="2")
    assert gate.decide(other_file).gate is Gate.ASK
    assert gate.decide(other_chat).gate is Gate.ASK


def test_nothing_lasting_is_offered_for_a_deletion(database: Database) -> None:
    """Once, and then asked again."""
    delete = Request("delete_file", Effect.DELETE, parts=("/workspace/a.txt",), folder=ROOT)
    assert keeper(database).offers(delete) == ()
