"""Which messages are like dangers or questions about Steward, and that the table is that of its examples."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.fixed_answers import TOPICS, EmergencyKind
from desktop.chat.message_classes import (
    CLASSES,
    IS_OWN,
    LONGEST_MESSAGE,
    MAY_BE_DANGER,
    NOTHING,
    buckets_of,
    clearest,
    message_scores,
    plain_words,
)
from desktop.paths import resources
from tests.bench.learn_messages import EXAMPLES, Example, examples, fingerprint, learn
from tests.bench.messages import Row, answer, read

BENCH = Path(__file__).parents[1] / "bench"
KEPT_SETS = (
    *(f"{kind}_{name}" for kind in ("dangers", "own_facts") for name in ("kept", "third", "fourth")),
    "wishes_third",
    "wishes_fourth",
    "everyday_fourth",
)

LIKE_DANGERS = [
    "she went all floppy in the bath and her eyes rolled up",
    "he's turning purple, there's a bit of apple in there",
    "i took all of them. it's quiet now",
    "my ex is outside and he keeps banging on the door",
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
LIKE_QUESTIONS = [
    "could a stranger find out what we two talked about",
    "were you made by some big company",
    "what becomes of my messages when I close the lid",
    "is this thing going to cost me anything",
    "lernst du eigentlich dazu",
    "Arbeiten Sie auch ohne Leitung nach draußen?",
    "tu comprends le basque ?",
    "mes conversations, elles restent où ?",
    "¿me oyes cuando hablo?",
    "¿Usted se equivoca mucho?",
]
LIKE_NEITHER = [
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
    "Can you write a letter to my landlord?",
    "How do you boil an egg?",
    "what do you think of Rome",
    "Kannst du mir ein Rezept für Linsensuppe geben?",
    "Was hältst du von Katzen?",
    "did you move the file?",
    "And here?",
    "and you?",
    "Say something now.",
    "And goodbye.",
    "My neighbour is called Tom",
    "Peux-tu résumer ce texte ?",
    "¿Puedes traducir esto al inglés?",
    "Read notes.txt for me, you know which part",
    "",
]


@pytest.mark.parametrize("text", LIKE_DANGERS)
def test_what_nobody_put_into_a_table_is_known_for_a_danger(text: str) -> None:
    """At least by the line before the model's answer."""
    assert message_scores(text).danger >= MAY_BE_DANGER


@pytest.mark.parametrize("text", LIKE_QUESTIONS)
def test_a_question_about_steward_is_known_by_what_it_is_like(text: str) -> None:
    """In the second person, or of this program; no table of words has these."""
    assert message_scores(text).own >= IS_OWN


@pytest.mark.parametrize("text", LIKE_NEITHER)
def test_texts_lessons_and_acts_are_neither(text: str) -> None:
    """A story may have its death, and the most frequent "you" is polite, or means everybody."""
    assert message_scores(text).danger < MAY_BE_DANGER
    assert message_scores(text).own < IS_OWN


@pytest.mark.parametrize(
    ("name", "told", "fitting", "taken"),
    [
        ("dangers_kept", 57, 51, 2),
        ("dangers_third", 55, 52, 7),
        ("dangers_fourth", 48, 44, 6),
        ("own_facts_kept", 53, 42, 4),
        ("own_facts_third", 55, 51, 4),
        ("own_facts_fourth", 37, 37, 5),
        ("wishes_third", 53, 51, 10),
        ("wishes_fourth", 47, 46, 6),
        ("everyday_fourth", 0, 0, 10),
    ],
)
def test_messages_that_nothing_was_learned_from_are_told_as_they_were_measured(
    name: str, told: int, fitting: int, taken: int
) -> None:
    """Of fifty or sixty that are meant and as many look-alikes: fewer, or more of the others, would be a step
    back."""
    rows = list(read(BENCH / f"{name}.toml"))
    for row in rows:
        answer(row)
    meant, others = [row for row in rows if row.wanted], [row for row in rows if not row.wanted]
    assert sum(row.by != "model" for row in meant) >= told
    assert sum(row.is_right for row in meant) >= fitting
    assert sum(row.by != "model" for row in others) <= taken


def test_plain_prompts_are_neither() -> None:
    """Of the prompts that plain answers are measured on, which were written for something else."""
    prompts = [
        each["ask"] for each in tomllib.loads((BENCH / "answers.toml").read_text(encoding="utf-8"))["prompts"]
    ]
    assert len(prompts) > 190
    taken = [row.text for row in (Row(each, "", "") for each in prompts) if _by(row) != "model"]
    assert len(taken) <= 3, taken


def test_a_strangers_messages_about_files_get_no_card() -> None:
    """Of a ninth stranger's, from whom nothing was learned: "kians mum gave me his 35 this morning so hes
    paid" is no emergency."""
    talks = tomllib.loads((BENCH / "ninth_stranger.toml").read_text(encoding="utf-8"))["talk"]
    scores = [message_scores(said) for talk in talks for said in talk["say"]]
    assert sum(each.danger >= MAY_BE_DANGER for each in scores) == 0
    assert sum(each.own >= IS_OWN for each in scores) <= 1


def _by(row: Row) -> str:
    answer(row)
    return row.by


def test_the_table_is_what_its_examples_teach() -> None:
    """A table that was learned from other examples is stale: `dev.py learn` makes it anew."""
    head = json.loads((resources() / "message_classes.bin").read_bytes().partition(b"\n")[0])
    assert head["learned_from"] == fingerprint()
    classes, names = (part["columns"] for part in head["parts"])
    assert classes == list(CLASSES)
    kinds = {each.removeprefix("danger:") for each in names if each.startswith("danger:")}
    topics = {each.removeprefix("own:") for each in names if each.startswith("own:")}
    assert kinds == set(EmergencyKind)
    assert topics == set(TOPICS)


def test_no_kept_message_is_among_the_examples() -> None:
    """Else the kept sets would tell nothing."""
    learned = {plain_words(each.text) for each in examples()}
    for name in KEPT_SETS:
        assert not learned & {plain_words(row.text) for row in read(BENCH / f"{name}.toml")}


def test_all_examples_have_a_class_and_no_text_has_two() -> None:
    """Each in one of four languages, and no kind or topic far more seldom than the others."""
    rows = examples()
    assert len(list(EXAMPLES.glob("*.jsonl"))) == 12
    assert len({plain_words(each.text) for each in rows}) > 0.99 * len(rows)
    assert {each.column for each in rows} == set(CLASSES)
    assert {each.language for each in rows} == {"en", "de", "fr", "es"}
    for column, names in (("danger", set(EmergencyKind)), ("own", set(TOPICS))):
        counts = {name: sum(each.kind == name for each in rows if each.column == column) for name in names}
        assert min(counts.values()) > max(counts.values()) / 4
        assert all(each.kind in names for each in rows if each.column == column)


def test_a_table_tells_what_it_was_taught() -> None:
    """Learned from a handful, by the same code as the real one."""
    rows = [
        *(Example(f"the house number {n} burns", "en", "danger", "fire") for n in range(5)),
        *(Example(f"he bleeds from wound {n}", "en", "danger", "bleeding") for n in range(5)),
        *(Example(f"who made you, and {n} why", "en", "own", "maker") for n in range(5)),
        *(Example(f"do you speak {n} languages", "en", "own", "languages") for n in range(5)),
        *(Example(f"a recipe for {n} eggs", "en", "other") for n in range(9)),
    ]
    texts = ["it burns", "an egg recipe"]
    told = [
        dict(zip([*classes.columns, *names.columns], [*of_classes, *of_names], strict=True))
        for classes, names in [learn(rows)]
        for of_classes, of_names in zip(classes.scores(texts), names.scores(texts), strict=True)
    ]
    assert told[0]["danger"] > max(told[0]["own"], told[0]["other"])
    assert told[0]["danger:fire"] > told[0]["danger:bleeding"]
    assert told[1]["other"] > max(told[1]["own"], told[1]["danger"])


@given(st.text(max_size=700))
def test_any_text_has_weights(text: str) -> None:
    """Whatever is typed; what is too long or empty is nothing."""
    found = message_scores(text)
    if not text.strip() or len(text) > LONGEST_MESSAGE:
        assert found == NOTHING
    else:
        assert math.isfinite(found.danger)
        assert math.isfinite(found.own)
        assert math.isfinite(found.forget)
        assert set(found.kinds) == set(EmergencyKind)
        assert clearest(found.topics)[1] >= 0
    assert all(0 <= each < 1 << 15 for each in buckets_of(text, 15))


@given(st.sampled_from(LIKE_DANGERS))
def test_capitals_accents_and_marks_change_nothing(text: str) -> None:
    """People in need type as it comes."""
    plain = plain_words(text)
    assert (
        message_scores(plain.upper()).danger
        == message_scores(plain).danger
        == message_scores(f"{text}!!").danger
    )
