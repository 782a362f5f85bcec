"""A danger to life and a question about Steward that no table knows: the host answers, by the model's judgement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.chat.fixed_answers import asked_of_steward, emergency_in
from desktop.chat.messages import Message, Role
from desktop.engine.requests import GenerateRequest, Stream
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import JUDGED, ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.flows.real_model import Talk, installed_model, talking

DANGER = "my ex is outside and he keeps banging on the door"
OWN = "could my chats be read by a stranger if he asked you nicely"
PLAIN = "Which colour has the sky over the sea?"
WORDS_SAID = "Lie down and sleep."


@contextmanager
def program(profile: Path, verdict: str) -> Iterator[tuple[Days, ScriptedBackend]]:
    """The whole program; the model takes whatever it is asked about for `verdict`."""
    backend = ScriptedBackend(WORDS_SAID, template=HERMES_TEMPLATE, judged=lambda _entry: verdict)
    with days(profile, installed(profile / "models", chat_template=HERMES_TEMPLATE), backend) as used:
        yield used, backend


def said(used: Days, text: str) -> list[str]:
    """What the conversation shows after `text`, message by message."""
    chat = used.chat()
    used.say(text, chat)
    shown = used.core.store.messages(chat, limit=None)
    return [each.text for each in shown if each.role is Role.ASSISTANT]


def judgements(backend: ScriptedBackend) -> list[str]:
    """The lines of the messages that were judged, without what was only read ahead."""
    ends = [each.text.rpartition('"')[0].rpartition('"')[2] for each in backend.evaluated if '" =' in each.text]
    return [each for each in ends if each]


@pytest.fixture(autouse=True)
def _germany(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")


def test_a_danger_that_no_table_knows_is_answered_by_its_card(tmp_path: Path) -> None:
    """With the numbers of the country, in the language of the message; the model writes no word of it."""
    assert emergency_in(DANGER, "DE") is None
    with program(tmp_path, "violence") as (used, backend):
        [answer] = said(used, DANGER)
        assert answer.startswith("**If you or somebody else is in danger now")
        assert "110" in answer
        assert backend.prompts == []


def test_a_question_about_steward_is_answered_by_the_card_that_the_model_chose(tmp_path: Path) -> None:
    """What the card says is put in by the host, so that a wrong choice is no untruth."""
    assert asked_of_steward(OWN) is None
    with program(tmp_path, "sends") as (used, backend):
        [answer] = said(used, OWN)
        assert answer.startswith("What you write stays on this computer")
        assert "it has sent no request" in answer
        assert backend.prompts == []


def test_what_the_model_takes_for_nothing_it_answers_itself(tmp_path: Path) -> None:
    """One judgement for each gate that the message passes, and then an answer like any other."""
    with program(tmp_path, "none") as (used, backend):
        assert said(used, DANGER) == [WORDS_SAID]
        assert judgements(backend) == [DANGER]


def test_a_plain_question_is_not_judged(tmp_path: Path) -> None:
    """Nothing is evaluated for it before its answer."""
    with program(tmp_path, "violence") as (used, backend):
        assert said(used, PLAIN) == [WORDS_SAID]
        assert judgements(backend) == []


def test_the_beginnings_are_read_while_nobody_waits(tmp_path: Path) -> None:
    """After the first answer, once: the first message that is judged costs its own words."""
    with program(tmp_path, "none") as (used, backend):
        said(used, PLAIN)
        wait_until_read(used)
        told = [each for each in backend.evaluated if JUDGED in each.text]
        assert len(told) == 2
        said(used, PLAIN)
        wait_until_read(used)
        before = len(backend.evaluated)
        said(used, DANGER)
        judged = [each for each in backend.evaluated[before:] if DANGER in each.text]
        assert [JUDGED in each.text for each in judged[:1]] == [False]
        assert len([each for each in backend.evaluated if JUDGED in each.text]) == 2


def wait_until_read(used: Days) -> None:
    for stream in used.core.turns._reading_on:
        stream.text(timeout_s=30)


class Counting:
    """An engine's door that keeps what each judgement cost."""

    def __init__(self, talk: Talk) -> None:
        self.new_tokens: list[int] = []
        self._engine = talk.core.engine
        talk.engine.submit = self.submit  # type: ignore[method-assign]

    def submit(self, request: GenerateRequest) -> Stream:
        stream = self._engine.submit(request)
        if request.conversation in ("dangers", "own facts"):
            stream.text()
            self.new_tokens.append(stream.metrics.prompt_tokens - stream.metrics.reused_tokens)
        return stream
