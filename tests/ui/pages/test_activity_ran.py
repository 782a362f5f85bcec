"""How a confined command ran, in the row and the details of the Activity page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.agents.action import HookChoice
from desktop.agents.events import ConfinedOutcome, ConfinementRefused, DecidedBy, HookDecided, HookRan
from desktop.gate.reasons import GateReason
from desktop.ui.pages.activity_model import (
    SEPARATOR,
    ActivityModel,
    answer_words,
    ran_words,
    refused_words,
    searched,
)
from desktop.ui.pages.activity_table import _facts, _most_telling
from desktop.ui.theme import Theme

READ = HookDecided(
    1,
    0.0,
    "codex",
    "s",
    "/shop",
    "shell",
    "ls",
    "READ",
    (),
    GateReason.ONLY_READS.of(name="ls"),
    (0, 0),
    2,
    HookChoice.ALLOW,
    DecidedBy.READING,
    1.0,
    confined="read only",
)


@pytest.mark.parametrize(
    ("confined", "ran", "said"),
    [
        ("", ConfinedOutcome.UNTOLD, ""),
        ("read only", ConfinedOutcome.UNTOLD, "to run read only"),
        ("read only", ConfinedOutcome.CONFINED, "ran read only"),
        ("read only", ConfinedOutcome.UNCONFINED, "did not report that it ran read only"),
        ("project", ConfinedOutcome.CONFINED, "ran inside the project"),
    ],
)
def test_the_row_says_how_it_ran(confined: str, ran: ConfinedOutcome, said: str) -> None:
    """Only what is known: before the report it is no more than told to."""
    row = replace(READ, confined=confined, ran=ran)
    assert ran_words(row) == said
    assert answer_words(row) == f"Allowed · {said or 'only reads'}"
    assert ran_words(replace(row, choice=HookChoice.DENY)) == ""


@pytest.mark.parametrize(
    ("row", "left"),
    [
        (READ, "to run read only"),
        (replace(READ, confined="", worker="tower"), "ran on tower"),
        (replace(READ, confined=""), "Allowed"),
    ],
)
def test_what_ran_where_is_left_in_a_narrow_row(row: HookDecided, left: str) -> None:
    """The sign beside it says already that it was allowed; who said so stands in the details."""
    assert _most_telling(answer_words(row).split(SEPARATOR)) == left


def test_what_was_refused_is_named() -> None:
    """Connections, files that were put back, and paths; the search finds them."""
    refused = (
        ConfinementRefused("connection", "evil.example:443"),
        ConfinementRefused("taken away", ".git/hooks/x"),
    )
    row = replace(
        READ, ran=ConfinedOutcome.CONFINED, refused=(*refused, ConfinementRefused("touching", "/etc/x"))
    )
    assert refused_words(row) == "a connection to evil.example:443; .git/hooks/x, put back; /etc/x"
    assert "evil.example" in searched(row)
    assert ("Refused", refused_words(row)) in _facts(row)
    assert ("Ran", "ran read only") in _facts(row)


def test_the_end_of_a_command_changes_its_row(theme: Theme) -> None:
    """In its place, with the copies that were made; for another number nothing happens."""
    model = ActivityModel()
    model.take_in([READ, replace(READ, id=2)])
    model.tell_end(HookRan(2, ConfinedOutcome.CONFINED, changes=(7,)))
    model.tell_end(HookRan(9, ConfinedOutcome.CONFINED))
    assert [ran_words(row) for row in model.rows] == ["ran read only", "to run read only"]
    changed = model.rows[0]
    assert isinstance(changed, HookDecided)
    assert changed.changes == (7,)
