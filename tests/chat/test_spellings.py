"""Names that are spelled another way: which word of a text is meant, and where its letters go."""

from __future__ import annotations

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.spellings import respelled
from tests.chat.test_command_plan import BANK, TEAM, Around

SPELLED = (
    ("Stephen is spelled with a v", "Alicia\nStephen\nRuth\n", ("Stephen", "Steven")),
    ("Katherine is written with a C", "Katherine\nBill\n", ("Katherine", "Catherine")),
    ("I meant Meyer with y", "Tom Meier\nAnna\n", ("Meier", "Meyer")),
    ("sorry, I meant Jonson", "Johnson\nBill\n", ("Johnson", "Jonson")),
    ("Mark is with c not k", "Mark\nJo\n", ("Mark", "Marc")),
    ("Lisbet with h", "Lisbet\nTom\n", ("Lisbet", "Lisbeth")),
    ("Philipp schreibt sich mit einem p", "Philipp\nUwe\n", ("Philipp", "Philip")),
    ("Stefan mit ph", "Stefan\nOtto\n", ("Stefan", "Stephan")),
    ("Anna ohne h am Ende", "Annah\nJo\n", ("Annah", "Anna")),
    ("Ana s'écrit avec deux n", "Ana\nLuc\n", ("Ana", "Anna")),
    ("Sofía se escribe con ph", "Sofía\nAna\n", ("Sofía", "Sophía")),
)
OTHERWISE = (
    ("thanks, that is fine", "Tim\nfin\n"),
    ("come with a friend", "friend\nfiend\n"),
    ("it's the first one", "first\nfist\n"),
    ("sorry I meant the other list", "list\nmother\n"),
    ("Ruth is bringing Carl", "Ruth\nCarla\n"),
    ("Stephen is spelled with a v and Ruth is bringing Carl", "Stephen\nRuth\n"),  # two things
    ("Anna is written with one n", "Hannah\nBob\n"),  # no such name
    ("Otto with an a", "Otto\n"),  # two places
)


@pytest.mark.parametrize(("asked", "text", "expected"), SPELLED, ids=lambda each: str(each)[:30])
def test_a_name_is_spelled_as_it_is_said(asked: str, text: str, expected: tuple[str, str]) -> None:
    """By its letters, or as it ought to be."""
    assert respelled(asked, text) == expected


@pytest.mark.parametrize(("asked", "text"), OTHERWISE, ids=lambda each: str(each)[:30])
def test_what_spells_nothing_changes_nothing(asked: str, text: str) -> None:
    """Nor what could be two words or two places."""
    assert respelled(asked, text) is None


def test_the_name_is_mended_where_it_stands() -> None:
    """In the last file, or in the reminder that was set last."""
    plan = Intents(Around()).plan("Karim is spelled with a C", TEAM)
    assert plan is not None
    assert plan.calls == (ParsedCall("replace_text", {"path": "team.txt", "old": "Karim", "new": "Carim"}),)
    asked = Intents(Around()).plan("bank is written with a p", BANK)
    assert asked is None
    plan = Intents(Around()).plan("I meant book the bench, not bank", Past())
    assert plan is None
    plan = Intents(Around()).plan("I meant blank", BANK)
    assert plan is not None
    assert [call.name for call in plan.calls] == ["set_reminder", "cancel_reminder"]
    assert plan.calls[0].arguments["text"] == "call the blank"
