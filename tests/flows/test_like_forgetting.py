"""A message that is only like a wish to forget is asked about where nothing else can be meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.requests import TEXTS
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

ASKED = "Which of these should be forgotten?"


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Days]:
    """Somebody has told a few things of himself, in a chat of its own."""
    backend = ScriptedBackend("Hm.", template=HERMES_TEMPLATE)
    model = installed(tmp_path / "profile" / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", model, backend) as used:
        (used.root / "budget.csv").write_text(TEXTS["budget.csv"], encoding="utf-8")
        for told in ("Mi casero se llama Quibblethorn.", "Mi médico se llama Ruiz.", "Trabajo en Bremen."):
            used.say(told)
        yield used


def test_out_of_the_blue_it_is_asked_which(lived: Days) -> None:
    """Nothing was done before it, and no paper of the user's is named."""
    assert ASKED in lived.say("bórralo ya no hace falta").text


def test_behind_an_act_it_is_about_the_act(lived: Days) -> None:
    """ "Bórralo" behind a timer shows no list of what was told."""
    chat = lived.chat()
    lived.say("pon un temporizador de 12 minutos", chat)
    assert ASKED not in lived.say("bórralo ya no hace falta", chat).text


def test_of_a_paper_it_is_about_the_paper(lived: Days) -> None:
    """ "Quita lo de books del presupuesto" is an order for the budget."""
    asked = "quita lo de books del presupuesto, este mes no compro nada"
    assert ASKED not in lived.say(asked).text
