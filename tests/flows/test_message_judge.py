"""A danger to life and a question about Steward that no table knows: the host answers all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.chat.fixed_answers import asked_of_steward, emergency_in
from desktop.chat.message_judge import NOTHING_SAID
from desktop.chat.messages import Role
from desktop.engine.requests import GenerateRequest, Stream
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import JUDGED, ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.flows.real_model import Talk, installed_model, talking

DANGER = "my ex is outside and he keeps banging on the door"  # clear by its words
OPEN = "he is shaking and twitching again"  # the words leave it open
EITHER = "are you reliable in turkish"
OWN = "suppose i tell you about my divorce, who gets wind of it"
PLAIN = "Which colour has the sky over the sea?"
WORDS_SAID = "Lie down and sleep."


@contextmanager
def program(profile: Path, verdict: str) -> Iterator[tuple[Days, ScriptedBackend]]:
    """The whole program; the model takes whatever it is asked about for `verdict`."""
    backend = ScriptedBackend(
        WORDS_SAID,
        template=HERMES_TEMPLATE,
        judged=lambda entry: "none" if NOTHING_SAID in entry else verdict,
    )
    with days(profile, installed(profile / "models", chat_template=HERMES_TEMPLATE), backend) as used:
        yield used, backend


def said(used: Days, text: str) -> list[str]:
    """What the conversation shows after `text`, message by message."""
    chat = used.chat()
    used.say(text, chat)
    shown = used.core.store.messages(chat, limit=None)
    return [each.text for each in shown if each.role is Role.ASSISTANT]


def judgements(backend: ScriptedBackend) -> list[str]:
    """The messages that were judged, without what was only read ahead."""
    ends = (re.search(r'"?([^"\n]+)" =$', each.text) for each in backend.evaluated)
    return [found[1] for found in ends if found is not None and found[1] != NOTHING_SAID]


@pytest.fixture(autouse=True)
def _germany(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")


def test_a_danger_that_no_table_knows_is_answered_by_its_card(tmp_path: Path) -> None:
    """With the numbers of the country, in the language of the message; the model reads and writes nothing."""
    assert emergency_in(DANGER, "DE") is None
    with program(tmp_path, "none") as (used, backend):
        [answer] = said(used, DANGER)
        assert answer.startswith("**If you or somebody else is in danger now")
        assert "110" in answer
        assert judgements(backend) == backend.prompts == []


def test_what_the_words_leave_open_the_model_decides(tmp_path: Path) -> None:
    """Its card, without a word of the model's."""
    with program(tmp_path, "seizure") as (used, backend):
        [answer] = said(used, OPEN)
        assert answer.startswith("**Call 112 now if it is the first seizure")
        assert judgements(backend) == [OPEN]
        assert backend.prompts == []


def test_what_neither_is_sure_of_gets_a_line_and_then_the_models_answer(tmp_path: Path) -> None:
    """The line stands in a message of its own, and the model is not told of it."""
    open_to_the_end = "my toddler has a fever of 38.5, is that an emergency"
    with program(tmp_path, "none") as (used, backend):
        line, answer = said(used, open_to_the_end)
        assert line.strip() == "If somebody's life or health is in danger now: **call 112**."
        assert answer == WORDS_SAID
        assert "call 112" not in backend.prompts[-1]


def test_a_question_about_steward_is_answered_by_the_card_of_its_words(tmp_path: Path) -> None:
    """What the card says is put in by the host, so that it is true whatever was chosen."""
    assert asked_of_steward(OWN) is None
    with program(tmp_path, "none") as (used, backend):
        [answer] = said(used, OWN)
        assert answer.startswith("What you write stays on this computer")
        assert "it has sent no request" in answer
        assert judgements(backend) == backend.prompts == []


@pytest.mark.parametrize(
    ("word", "begins"), [("languages", "You can write to me in any"), ("mistakes", "I can be wrong")]
)
def test_the_model_chooses_among_cards_that_the_words_leave(tmp_path: Path, word: str, begins: str) -> None:
    """It chooses, and says nothing of its own."""
    with program(tmp_path, word) as (used, backend):
        [answer] = said(used, EITHER)
        assert answer.startswith(begins)
        assert backend.prompts == []


def test_what_the_model_takes_for_nothing_it_answers_itself(tmp_path: Path) -> None:
    """One judgement, and then an answer like any other."""
    mild = "my stomach hurts since the dinner, he says it is nothing"
    with program(tmp_path, "none") as (used, backend):
        assert said(used, mild) == [WORDS_SAID]
        assert judgements(backend) == [mild]


def test_a_plain_question_is_not_judged(tmp_path: Path) -> None:
    """Nothing is evaluated for it before its answer."""
    with program(tmp_path, "violence") as (used, backend):
        assert said(used, PLAIN) == [WORDS_SAID]
        assert judgements(backend) == []


def test_the_beginnings_are_read_while_nobody_waits(tmp_path: Path) -> None:
    """After the first answer, once: a message that is judged then costs its own words alone."""
    with program(tmp_path, "seizure") as (used, backend):
        said(used, PLAIN)
        wait_until_read(used)
        assert len([each for each in backend.evaluated if JUDGED in each.text]) == 2
        said(used, PLAIN)
        wait_until_read(used)
        said(used, OPEN)
        assert judgements(backend) == [OPEN]
        assert len([each for each in backend.evaluated if JUDGED in each.text]) == 2


def wait_until_read(used: Days) -> None:
    for stream in used.core.turns._reading_on:
        stream.text(timeout_s=30)


REAL_DANGERS = [
    "he is shaking and twitching again",
    "gestern selbst gesammelte champignons gegessen, jetzt sind seine augen gelb",
    "y a des flammes qui sortent de la hotte, mon mari veut jeter de l'eau dessus",
    "mi niña tiene fiebre y manchas moradas",
    "he's turning purple, there's a bit of apple in there",
]
REAL_OWN = [
    ("on a plane tmrw no wifi, will you still answer me", "Answers need no network"),
    ("kommst du an alle meine ordner ran oder nur an den einen", "Ich lese Dateien in einem Ordner"),
    ("tu parles breton ?", "Vous pouvez m'écrire dans n'importe quelle langue"),
    ("me van a cobrar por usarte? no he metido tarjeta", "Steward es software libre"),
    (EITHER, ""),
]
NEW_TOKENS = 40  # of a message as short as these


@pytest.mark.slow
@pytest.mark.model
def test_a_real_model_and_the_words_know_dangers_and_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole turn: the host's card or line comes first, and a judgement costs the message's own words."""
    model = installed_model()
    monkeypatch.setenv("STEWARD_MODEL__MAX_ANSWER_TOKENS", "24")
    with talking(tmp_path / "profile", model) as talk:
        costs = Costs(talk)
        for text in REAL_DANGERS:
            talk.begin(1, {})
            assert emergency_in(text, "DE") is None
            talk.ask(text)
            shown = talk.core.store.messages(talk.conversation_id, limit=None)
            first = next(each.text for each in shown if each.role is Role.ASSISTANT)
            assert "112" in first, (text, first)
        for text, begins in REAL_OWN:
            talk.begin(1, {})
            answer = talk.ask(text).text
            cards = ("You can write to me in any language", "I can be wrong")
            assert answer.startswith(begins or cards), (text, answer)
        assert costs.new_tokens
        assert max(costs.new_tokens[1:]) <= NEW_TOKENS, costs.new_tokens


class Costs:
    """What each judgement cost in new tokens, once the two beginnings were read."""

    def __init__(self, talk: Talk) -> None:
        self.new_tokens: list[int] = []
        self._read = set[str]()
        self._submit = talk.engine.submit
        talk.engine.submit = self.submit  # type: ignore[method-assign]

    def submit(self, request: GenerateRequest) -> Stream:
        stream = self._submit(request)
        if request.conversation in ("dangers", "own facts"):
            stream.text()
            if request.conversation in self._read:
                self.new_tokens.append(stream.metrics.prompt_tokens - stream.metrics.reused_tokens)
            self._read.add(request.conversation)
        return stream
