"""A danger to life and a question about Steward that no table knows: the host answers all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.chat.messages import Role
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

DANGER = "my ex is outside and he keeps banging on the door"
DOUBTFUL = "I burnt my finger on the pan, butter or water?"
OWN = "if i paste my payslip here, who else gets to see it"
PLAIN = "Which colour has the sky over the sea?"
WORDS_SAID = "Lie down and sleep."


@contextmanager
def program(profile: Path) -> Iterator[tuple[Days, ScriptedBackend]]:
    """The whole program, with a model that says the same to everything."""
    backend = ScriptedBackend(WORDS_SAID, template=HERMES_TEMPLATE)
    with days(profile, installed(profile / "models", chat_template=HERMES_TEMPLATE), backend) as used:
        yield used, backend


def said(used: Days, text: str) -> list[str]:
    """What the conversation shows after `text`, message by message."""
    chat = used.chat()
    used.say(text, chat)
    shown = used.core.store.messages(chat, limit=None)
    return [each.text for each in shown if each.role is Role.ASSISTANT]


@pytest.fixture(autouse=True)
def _germany(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")


def test_a_danger_that_no_table_knows_is_answered_by_its_card(tmp_path: Path) -> None:
    """With the numbers of the country, in the language of the message; the model reads and writes nothing."""
    with program(tmp_path) as (used, backend):
        [answer] = said(used, DANGER)
        assert answer.startswith("**If you or somebody else is in danger now")
        assert "110" in answer
        assert backend.prompts == []


def test_what_may_be_one_gets_a_line_and_then_the_models_answer(tmp_path: Path) -> None:
    """The line stands in a message of its own, and the model is not told of it."""
    with program(tmp_path) as (used, backend):
        line, answer = said(used, DOUBTFUL)
        assert line.strip() == "If somebody's life or health is in danger now: **call 112**."
        assert answer == WORDS_SAID
        assert "call 112" not in backend.prompts[-1]


def test_a_question_about_steward_is_answered_by_its_card(tmp_path: Path) -> None:
    """What the card says is put in by the host, so that it is true whatever was chosen."""
    with program(tmp_path) as (used, backend):
        [answer] = said(used, OWN)
        assert answer.startswith("What you write stays on this computer")
        assert "it has sent no request" in answer
        assert backend.prompts == []


def test_a_plain_question_goes_to_the_model(tmp_path: Path) -> None:
    """With nothing before it."""
    with program(tmp_path) as (used, _backend):
        assert said(used, PLAIN) == [WORDS_SAID]
