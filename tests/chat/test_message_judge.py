"""Which messages the model is asked about, and what its logits make of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.fixed_answers import (
    EmergencyKind,
    OwnFact,
    _emergencies,
    emergency_in,
    emergency_of,
    in_doubt,
    said_in,
)
from desktop.chat.message_judge import (
    DANGER,
    DOUBT,
    FACTS,
    KINDS,
    NONE,
    SHOWN,
    Danger,
    MessageJudge,
    asked_of,
    beginnings,
    may_ask_of_steward,
    may_be_danger,
    opinion,
    shown,
)
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Priority, Stream
from desktop.errors import UserFacing
from desktop.engine.reasons import EngineReason
from desktop.paths import resources

BENCH = Path(__file__).parents[1] / "bench"

MAY_BE_DANGERS = [
    "she went all floppy in the bath and her eyes rolled up",
    "he's turning purple, there's a bit of apple in there",
    "i took all of them. it's quiet now",
    "my ex is outside and he keeps banging on the door",
    "Can you help me with a letter? I won't be here tomorrow.",
    "opa ist vom dach gefallen und bewegt sich nicht",
    "mein kleiner hat an der batterie geleckt und jetzt hustet er blut",
    "es hat doch alles keinen Sinn mehr, ich mach heute Schluss",
    "hier riecht es komisch und uns ist allen schwindelig",
    "elle saigne beaucoup depuis l'accouchement",
    "mon voisin ne répond plus, il est tout gris",
    "je vais sauter, dites-le à ma mère",
    "se ha caído de la escalera y no mueve las piernas",
    "mi niña tiene fiebre y manchas moradas",
    "me está pegando otra vez, estoy en el baño",
]
NO_DANGERS = [
    "What is the capital of Australia?",
    "Write a poem about a heart that stopped beating.",
    "Translate 'he could not breathe' into Spanish",
    "Explain what a stroke does to the brain",
    "plan a three day trip to Rome",
    "Wie lange muss ein Ei kochen?",
    "Schreib eine Geschichte, in der jemand stirbt",
    "Erkläre mir, was ein Herzinfarkt ist",
    "Quelle est la différence entre un lac et un étang ?",
    "Traduis « il est mort de peur » en anglais",
    "¿Cuántos habitantes tiene Perú?",
    "Escribe un cuento sobre un incendio",
    "git push says the remote is dead",
    "",
]
MAY_ASK = [
    "could a stranger find out what we two talked about",
    "were you made by some big company",
    "what becomes of my messages when I close the lid",
    "is this thing going to cost me anything",
    "lernst du eigentlich dazu",
    "Arbeiten Sie auch ohne Leitung nach draußen?",
    "sag mal, schläfst du auch irgendwann",
    "tu comprends le basque ?",
    "mes conversations, elles restent où ?",
    "¿me oyes cuando hablo?",
    "¿Usted se equivoca mucho?",
]
DO_NOT_ASK = [
    "What is the capital of Australia?",
    "Can you write a letter to my landlord?",
    "How do you boil an egg?",
    "what do you think of Rome",
    "Kannst du mir ein Rezept für Linsensuppe geben?",
    "Was hältst du von Katzen?",
    "did you move the file?",
    "Peux-tu résumer ce texte ?",
    "¿Puedes traducir esto al inglés?",
    "Read notes.txt for me, you know which part",
    "",
]


@pytest.mark.parametrize("text", MAY_BE_DANGERS)
def test_what_may_be_a_danger_is_asked_about(text: str) -> None:
    """In whatever words, as long as somebody is in them; a table of signs may have known it before."""
    assert may_be_danger(text) or emergency_in(text, "") is not None


@pytest.mark.parametrize("text", NO_DANGERS)
def test_plain_messages_and_wanted_texts_are_not_held_up_for_a_danger(text: str) -> None:
    """A story may have its death, and a translation its drowned; nobody in danger asks for either."""
    assert not may_be_danger(text)


@pytest.mark.parametrize("text", MAY_ASK)
def test_what_may_ask_of_steward_is_asked_about(text: str) -> None:
    """In the second person, or of this program; no table of words has these."""
    assert may_ask_of_steward(text)


@pytest.mark.parametrize("text", DO_NOT_ASK)
def test_acts_texts_and_anybodys_you_are_no_questions_about_steward(text: str) -> None:
    """The most frequent "you" is polite, or means everybody."""
    assert not may_ask_of_steward(text)


@pytest.mark.parametrize(("gate", "most"), [(may_be_danger, 0.08), (may_ask_of_steward, 0.02)])
def test_few_plain_prompts_reach_the_model_twice(gate: Callable[[str], bool], most: float) -> None:
    """Of the prompts that plain answers are measured on, which were written for something else."""
    prompts = [
        each["ask"]
        for each in tomllib.loads((BENCH / "answers.toml").read_text(encoding="utf-8"))["prompts"]
    ]
    passed = [each for each in prompts if gate(each)]
    assert len(prompts) > 190
    assert len(passed) <= most * len(prompts), passed


@given(st.text(max_size=700))
def test_no_text_breaks_the_gates(text: str) -> None:
    """Whatever is typed, there is a yes or a no, and one line for the model."""
    assert may_be_danger(text) in (True, False)
    assert may_ask_of_steward(text) in (True, False)
    assert "\n" not in shown(text)
    assert '"' not in shown(text)
    assert len(shown(text)) <= SHOWN + 3


def test_all_prompts_begin_with_the_same_words() -> None:
    """Only then the KV cache has them: system prompt and first question do not know the message."""
    for name, words in (("dangers", tuple(KINDS)), ("own_facts", tuple(FACTS))):
        one, other = asked_of(name, "help", words), asked_of(name, 'say "none" =\nnone', words)
        assert one.messages == other.messages
        assert one.conversation == other.conversation
        assert one.answer_start == '"help" ='
        assert other.answer_start == "\"say 'none' = none\" ="
        assert one.sampling.max_tokens == 1
    assert [each.priority for each in beginnings()] == [Priority.BACKGROUND] * 2
    assert [each.messages for each in beginnings()] == [
        asked_of("dangers", "help", tuple(KINDS)).messages,
        asked_of("own_facts", "help", tuple(FACTS)).messages,
    ]


@pytest.mark.parametrize(("name", "words"), [("dangers", tuple(KINDS)), ("own_facts", tuple(FACTS))])
def test_the_examples_say_each_word_and_none_as_often(name: str, words: tuple[str, ...]) -> None:
    """A word that no example says is said by no model; one that half of them say is not said too easily."""
    told = (resources() / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    said = re.findall(r'^".*" = (\w+)$', told, re.MULTILINE)
    assert set(said) == {*words, NONE}
    assert 0.4 <= said.count(NONE) / len(said) <= 0.6


def test_every_kind_has_an_answer_in_all_languages() -> None:
    """With the numbers put in, those of a country and those of none, and a line for the doubtful."""
    for kind in EmergencyKind:
        assert set(_emergencies()["answers"][kind]) == {"en", "de", "fr", "es"}
        for text in ("help him", "hilf ihm, er ist verletzt", "aidez-le, il est blessé", "ayude a mi padre, está mal"):
            for country in ("", "DE", "FR", "US", "AU", "ZZ"):
                answer = emergency_of(kind, text, country).answer
                assert not re.search(r"[{}]", answer + in_doubt(text, country))
    assert "116 016" in emergency_of(EmergencyKind.VIOLENCE, "er schlägt mich", "DE").answer
    assert "112" in in_doubt("mein Kopf ist so schwer", "DE")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "hes going blue"),
        ("de", "verstehst du auch plattdeutsch oder bloß hochdeutsch"),
        ("fr", "tu parles breton ?"),
        ("es", "hablas catalán o solo castellano"),
    ],
)
def test_the_language_of_a_short_message_is_known(language: str, text: str) -> None:
    """By its small words; the model says only what it is, not in which language."""
    assert said_in(text) == language


def scores(**said: float) -> Mapping[str, float]:
    """Logits as the engine gives them; what is not named is far less likely."""
    words = {each: -20.0 for each in (*KINDS, *FACTS, NONE)}
    return {f" {word}": score for word, score in (words | said).items()}


class Asked:
    """An engine's door that answers each question by the same logits."""

    def __init__(self, said: Mapping[str, float] | None) -> None:
        self.said, self.requests = said, list[GenerateRequest]()

    def __call__(self, request: GenerateRequest) -> Stream:
        self.requests.append(request)
        stream = Stream(lambda: None)
        if self.said is None:
            stream.fail(UserFacing(EngineReason.MODEL_FAILED.of()), Metrics())
            return stream
        if self.said:
            stream.put_scores({label: self.said[label] for label in request.labels})
        stream.end(FinishReason.STOP, Metrics())
        return stream


def test_an_opinion_is_all_words_against_none() -> None:
    """Two kinds of equal weight are one danger, and no certain kind."""
    found = opinion({"heart": 1.0, "stroke": 1.0, NONE: 0.0})
    assert found.over_none == pytest.approx(1.693, abs=0.01)
    assert found.over_next == 0.0


def test_a_clear_danger_has_its_kind_and_an_uncertain_kind_the_general_answer() -> None:
    text = "she went all floppy in the bath"
    assert MessageJudge(Asked(scores(seizure=9.0, none=2.0))).danger(text) == Danger(EmergencyKind.SEIZURE, True)
    both = Asked(scores(seizure=9.0, unconscious=9.0, none=2.0))
    assert MessageJudge(both).danger(text) == Danger(EmergencyKind.GENERAL, True)
    middle = (DANGER + DOUBT) / 2
    assert MessageJudge(Asked(scores(seizure=middle, none=0.0))).danger(text) == Danger(EmergencyKind.SEIZURE, False)
    assert MessageJudge(Asked(scores(seizure=DOUBT - 1.0, none=0.0))).danger(text) is None


def test_a_fact_is_the_likeliest_word_unless_none_is_likelier() -> None:
    text = "could a stranger find out what we talked about"
    assert MessageJudge(Asked(scores(sends=9.0, none=2.0))).fact(text) is OwnFact.SENDS
    assert MessageJudge(Asked(scores(price=9.0, none=2.0))).fact(text) is OwnFact.MAKER
    assert MessageJudge(Asked(scores(sends=2.0, none=9.0))).fact(text) is None


@pytest.mark.parametrize("said", [None, {}])
def test_where_nobody_could_be_asked_nothing_is_said(said: Mapping[str, float] | None) -> None:
    """Without a model, and after a stop: the answer that follows says what is wrong."""
    judge = MessageJudge(Asked(said))
    assert judge.danger("she went all floppy in the bath") is None
    assert judge.fact("could a stranger find out what we talked about") is None


def test_what_passes_no_gate_costs_nothing() -> None:
    asked = Asked(scores(heart=9.0, sends=9.0))
    judge = MessageJudge(asked)
    assert judge.danger("What is the capital of Australia?") is None
    assert judge.fact("What is the capital of Australia?") is None
    assert asked.requests == []
