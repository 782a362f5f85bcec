"""Everyday words that mean the same: what they find, what they leave alone, and German in English words."""

from __future__ import annotations

import pytest

from desktop.memory.item import MemorySource
from desktop.memory.meanings import everyday_meanings, read_meanings
from desktop.memory.memory import Memory
from desktop.memory.reasons import MemoryReason
from desktop.memory.store import View
from desktop.paths import resources
from tests.bench.memory_words import asked, sets
from tests.memory.conftest import count

MEANINGS = everyday_meanings()
MINE = View.of(session="9")


def meant(question: str) -> set[str]:
    return {word.text for word in MEANINGS.asked_in(question)}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does my spouse do?", "My wife is a violinist."),
        ("What is my sibling called?", "My sister is called Marlene."),
        ("What do I do for a living?", "I work as a paramedic."),
        ("Wie alt ist mein Junge?", "Mein Sohn ist neun geworden."),
        ("Wer kümmert sich um meine Zähne?", "Mein Zahnarzt ist Doktor Kuhn."),
        # Over the language, too.
        ("Wie heißt meine Tochter?", "My little girl is called Ada."),
        ("What car do I own?", "Ich besitze einen blauen Wagen."),
    ],
)
def test_another_word_for_the_same_finds_it(memory: Memory, question: str, told: str) -> None:
    """Without any model; and it is said why it was found."""
    memory.record("1", "user", told, MemorySource.USER)
    context = memory.assembler.assemble(question, 400, MINE, count, only_relevant=True)
    assert told in context.content


def test_most_of_sixty_facts_are_told_to_who_asks_in_other_words(memory: Memory) -> None:
    """By words alone; of sixty questions that none of them answers, three at most are told something."""
    words = sets()["sixty"]
    english = asked(memory, words.in_language(False), lambda: None)
    memory.forget_everything()
    german = asked(memory, words.in_language(True), lambda: None)
    told, wrong = "told", "unrelated_told_something"
    assert (english["facts"] + german["facts"], english["unrelated"] + german["unrelated"]) == (60, 60)
    assert english[told] + german[told] >= 50
    assert english[wrong] + german[wrong] <= 3


@pytest.mark.parametrize(("name", "facts"), [("oneself", 12), ("nearby", 15), ("beside", 18)])
def test_near_questions_about_oneself_are_told_nothing(memory: Memory, name: str, facts: int) -> None:
    """Of sixty that nothing answers three at most, and the facts are told as often as before."""
    words = sets()[name]
    english = asked(memory, words.in_language(False), lambda: None)
    memory.forget_everything()
    german = asked(memory, words.in_language(True), lambda: None)
    assert english["unrelated_told_something"] + german["unrelated_told_something"] <= 3
    assert english["told"] + german["told"] >= facts


def test_why_says_that_a_word_means_the_same(memory: Memory) -> None:
    """Not that it merely stands beside what was found."""
    memory.record("1", "user", "My wife is a violinist.", MemorySource.USER)
    (hit,) = memory.search.hits(memory.search.question("What does my spouse do?"))
    assert hit.why == MemoryReason.MEANS_THE_SAME.of(words="spouse")


@pytest.mark.parametrize(
    "question",
    [
        "How do dogs see colours?",
        "Give me a recipe for banana bread.",
        "What should I plant in a shady garden?",
        "How do I set up a cron job?",
        "Wie lange muss Brokkoli kochen?",
        "What is my blood type?",
    ],
)
def test_what_is_asked_about_something_else_is_told_nothing(memory: Memory, question: str) -> None:
    """Though everyday words are in it: what anybody may ask is not about one's own affairs."""
    for told in ("My dog is afraid of thunder.", "I'm allergic to nuts.", "My favourite colour is teal."):
        memory.record("1", "user", told, MemorySource.USER)
    memory.record("2", "user", "I work as a paramedic.", MemorySource.USER)
    memory.record("3", "user", "My neighbour waters the plants.", MemorySource.USER)
    assert memory.assembler.assemble(question, 400, MINE, count, only_relevant=True).content == ""


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("Mein Zahnarzt ist Doktor Kuhn.", "my dentist is doctor Kuhn."),
        ("Ich fahre einen blauen Golf.", "I drive a blue Golf."),
        ("Wo ist der Ersatzschlüssel?", "where is the spare key?"),
        ("Wer war Bertha Benz?", "who was Bertha Benz?"),
        ("My sister is called Marlene.", "My sister is called Marlene."),
        ("", ""),
    ],
)
def test_german_is_read_in_english_words(german: str, english: str) -> None:
    """Names stay, compounds are taken apart, and English is left as it is."""
    assert MEANINGS.in_english(german) == english


def test_forms_of_a_word_are_the_word() -> None:
    """Also of compounds, and of English words that double a letter; what only looks like one is not."""
    assert meant("stopped smoking") == {"smoking"}
    assert "key" in MEANINGS.of("Wo sind die Hausschlüssel?")
    assert "dentist" in MEANINGS.of("Unsere Zahnärzte")
    # "opas" is no part of Europas, and a kind of place is no child.
    assert "grandfather" not in MEANINGS.of("Der Berg ist der höchste Europas")
    assert "child" not in MEANINGS.of("What kind of place is it?")
    assert "child" in MEANINGS.of("Das ist mein Kind")


def test_every_meaning_of_the_table_is_there() -> None:
    """What falls under a meaning has a line of its own, and no line is written twice."""
    path = resources() / "memory" / "meanings.toml"
    meanings = read_meanings(path)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "|" in line]
    names = [line.split()[0] for line in lines]
    assert [name for name in names if names.count(name) > 1] == []
    under = {word for line in lines for word in line.partition(">")[2].split()}
    assert sorted(word for word in under if not meanings.written([word])) == []
