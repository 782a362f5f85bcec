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
    TOPICS,
    WORTH_ASKING,
    DangerSigns,
    EmergencyKind,
    OwnFact,
    _emergencies,
    _message_words,
    emergency_in,
    emergency_of,
    in_doubt,
    may_ask_of_steward,
    said_in,
    signs_of_danger,
    topics_asked,
)
from desktop.chat.message_judge import (
    CLEAR,
    CLEAR_BY_WORDS,
    DOUBT,
    KINDS,
    MODEL_WEIGHT,
    NONE,
    NOTHING_SAID,
    SHOWN,
    Danger,
    MessageJudge,
    asked_of,
    beginnings,
    kind_of,
    over_none,
    ranked,
    shown,
)
from desktop.engine.reasons import EngineReason
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Priority, Stream
from desktop.errors import UserFacing
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
    assert signs_of_danger(text).are_worth_asking or emergency_in(text, "") is not None


@pytest.mark.parametrize("text", NO_DANGERS)
def test_plain_messages_and_wanted_texts_are_not_held_up_for_a_danger(text: str) -> None:
    """A story may have its death, and a translation its drowned; nobody in danger asks for either."""
    assert not signs_of_danger(text).are_worth_asking


@pytest.mark.parametrize("text", MAY_ASK)
def test_what_may_ask_of_steward_is_asked_about(text: str) -> None:
    """In the second person, or of this program; no table of words has these."""
    assert may_ask_of_steward(text)


@pytest.mark.parametrize("text", DO_NOT_ASK)
def test_acts_texts_and_anybodys_you_are_no_questions_about_steward(text: str) -> None:
    """The most frequent "you" is polite, or means everybody."""
    assert not may_ask_of_steward(text)


@pytest.mark.parametrize(
    ("gate", "most"),
    [(lambda text: signs_of_danger(text).are_worth_asking, 0.04), (may_ask_of_steward, 0.02)],
)
def test_few_plain_prompts_reach_the_model_twice(gate: Callable[[str], bool], most: float) -> None:
    """Of the prompts that plain answers are measured on, which were written for something else."""
    prompts = [
        each["ask"] for each in tomllib.loads((BENCH / "answers.toml").read_text(encoding="utf-8"))["prompts"]
    ]
    passed = [each for each in prompts if gate(each)]
    assert len(prompts) > 190
    assert len(passed) <= most * len(prompts), passed


@given(st.text(max_size=700))
def test_no_text_breaks_the_gates(text: str) -> None:
    """Whatever is typed, there is a yes or a no, and one line for the model."""
    assert signs_of_danger(text).weight > -20
    assert may_ask_of_steward(text) in (True, False)
    assert set(topics_asked(text)) <= set(TOPICS)
    assert "\n" not in shown(text)
    assert '"' not in shown(text)
    assert len(shown(text)) <= SHOWN + 3


def test_all_prompts_begin_with_the_same_words() -> None:
    """Only then the KV cache has them: system prompt and first question do not know the message."""
    for name, words in (("dangers", tuple(KINDS)), ("own_facts", tuple(TOPICS))):
        one, other = asked_of(name, "help", words), asked_of(name, 'say "none" =\nnone', words)
        assert one.messages == other.messages
        assert one.conversation == other.conversation
        assert one.answer_start == '"help" ='
        assert other.answer_start == "\"say 'none' = none\" ="
        assert one.sampling.max_tokens == 1
    assert [each.priority for each in beginnings()] == [Priority.BACKGROUND] * 2
    assert [each.messages for each in beginnings()] == [
        asked_of("dangers", "help", tuple(KINDS)).messages,
        asked_of("own_facts", "help", tuple(TOPICS)).messages,
    ]


@pytest.mark.parametrize(("name", "words"), [("dangers", tuple(KINDS)), ("own_facts", tuple(TOPICS))])
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
        for text in (
            "help him",
            "hilf ihm, er ist verletzt",
            "aidez-le, il est blessé",
            "ayude a mi padre, está mal",
        ):
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
    words = dict.fromkeys((*KINDS, *TOPICS, NONE), -20.0)
    return {f" {word}": score for word, score in (words | said).items()}


class Asked:
    """An engine's door that answers each question by the same logits, and the empty one by what is usual."""

    def __init__(self, said: Mapping[str, float] | None, usual: Mapping[str, float] | None = None) -> None:
        self.said, self.usual, self.requests = said, usual, list[GenerateRequest]()

    def __call__(self, request: GenerateRequest) -> Stream:
        self.requests.append(request)
        stream = Stream(lambda: None)
        if self.said is None:
            stream.fail(UserFacing(EngineReason.MODEL_FAILED.of()), Metrics())
            return stream
        if self.said:
            is_empty = request.answer_start.startswith(f'"{NOTHING_SAID}"')
            said = (self.usual or scores()) if is_empty else self.said
            stream.put_scores({label: said[label] for label in request.labels})
        stream.end(FinishReason.STOP, Metrics())
        return stream


def test_all_words_together_stand_against_none() -> None:
    """Two kinds of equal weight are one danger; more than four nats are never believed."""
    assert over_none({"heart": 1.0, "stroke": 1.0, NONE: 0.0}) == pytest.approx(1.693, abs=0.01)
    assert over_none({"heart": 30.0, "stroke": 1.0, NONE: 0.0}) == 4.0
    assert over_none({"heart": -30.0, "stroke": -31.0, NONE: 0.0}) == -4.0


def test_the_kind_is_that_of_far_more_words_or_the_general_one() -> None:
    """Half a word more is no certainty, and the general answer sends to the ambulance, too."""
    burn, heart = EmergencyKind.BURN, EmergencyKind.HEART
    assert kind_of(DangerSigns(2.0, {burn: 1.5, heart: 0.5})) is burn
    assert kind_of(DangerSigns(2.0, {burn: 1.0, heart: 0.5})) is EmergencyKind.GENERAL
    assert kind_of(DangerSigns(2.0, {burn: 1.0, heart: 1.0})) is EmergencyKind.GENERAL


def weight(text: str) -> float:
    return signs_of_danger(text).weight


def test_words_that_are_clear_ask_nobody() -> None:
    """Neither the model nor its absence holds up what many words say."""
    text = "he's unconscious in the bath, his lips are blue and he is bleeding from the head"
    asked = Asked(scores(none=9.0))
    assert weight(text) >= CLEAR_BY_WORDS
    found = MessageJudge(asked).danger(text)
    assert found is not None
    assert found.is_clear
    assert asked.requests == []


OPEN = "he keeps banging on the door"


@pytest.mark.parametrize("over", [-3.0, -1.0, 0.0, 1.0, 2.0, 4.0])
def test_what_words_leave_open_the_model_decides_with_them(over: float) -> None:
    """A card, a line before the answer, or nothing, by both together."""
    assert WORTH_ASKING <= weight(OPEN) < CLEAR_BY_WORDS
    both = weight(OPEN) + MODEL_WEIGHT * over
    found = MessageJudge(Asked(scores(violence=over, none=0.0))).danger(OPEN)
    if both < DOUBT:
        assert found is None
    else:
        assert found == Danger(EmergencyKind.VIOLENCE, both >= CLEAR)


COSTS = "is there a fee to be paid for having you here"
UNNAMED = "could you manage down there, that is where I work"
EITHER = "does your price go up when the network is down"


def test_the_topic_of_most_words_asks_nobody() -> None:
    """Nothing is evaluated where the words are of one topic, or of one more than of others."""
    asked = Asked(scores(sends=9.0))
    assert set(topics_asked(COSTS)) == {"price"}
    assert MessageJudge(asked).fact(COSTS) is OwnFact.MAKER
    assert asked.requests == []


def test_the_model_chooses_among_the_topics_of_as_many_words() -> None:
    """Of others it has no say: it knows none of the words that the tables know."""
    assert topics_asked(EITHER) == {"price": 1, "internet": 1}
    assert MessageJudge(Asked(scores(internet=9.0, price=2.0))).fact(EITHER) is OwnFact.INTERNET
    assert MessageJudge(Asked(scores(internet=2.0, price=9.0))).fact(EITHER) is OwnFact.MAKER
    assert MessageJudge(Asked(scores(internet=2.0, price=3.0, sends=9.0))).fact(EITHER) is OwnFact.MAKER


def test_what_the_model_says_of_everything_counts_little() -> None:
    """Each word is held against how likely it is where nothing is asked."""
    scored = {"internet": 5.0, "price": 4.0}
    assert ranked(("price", "internet"), scored, {"internet": 0.0, "price": 0.0})[0][0] == "internet"
    assert ranked(("price", "internet"), scored, {"internet": 5.0, "price": 0.0})[0][0] == "price"


def test_a_question_without_a_word_of_a_topic_is_answered_where_the_model_is_sure() -> None:
    """Else it may be about anything, and the model answers it itself."""
    assert not topics_asked(UNNAMED)
    assert may_ask_of_steward(UNNAMED)
    assert MessageJudge(Asked(scores(internet=9.0))).fact(UNNAMED) is OwnFact.INTERNET
    assert MessageJudge(Asked(scores())).fact(UNNAMED) is None


@pytest.mark.parametrize("said", [None, {}])
def test_where_nobody_could_be_asked_the_words_decide(said: Mapping[str, float] | None) -> None:
    """Without a model, and after a stop."""
    judge = MessageJudge(Asked(said))
    found = judge.danger(OPEN)
    assert (found is not None) == (weight(OPEN) >= DOUBT)
    assert judge.fact(COSTS) is OwnFact.MAKER
    assert judge.fact(EITHER) in (OwnFact.MAKER, OwnFact.INTERNET)
    assert judge.fact(UNNAMED) is None


def test_what_passes_no_gate_costs_nothing() -> None:
    """Not even the prompt is read from its file."""
    asked = Asked(scores(heart=9.0, sends=9.0))
    judge = MessageJudge(asked)
    assert judge.danger("What is the capital of Australia?") is None
    assert judge.fact("What is the capital of Australia?") is None
    assert asked.requests == []


def test_the_words_have_a_list_for_every_kind_and_topic() -> None:
    """Each kind with a card, and each topic with a fact, can be reached by words alone."""
    words = _message_words()
    assert set(words.signs) == set(EmergencyKind)
    assert set(words.topics) == set(TOPICS)
    assert set(TOPICS.values()) == set(OwnFact)
    assert set(KINDS.values()) == set(EmergencyKind)
