"""Held against a question, a later statement stands against an earlier one, or both are told."""

from __future__ import annotations

import pytest

from desktop.memory.contradictions import Contradictions
from desktop.memory.item import Item, Layer, MemoryKind, MemorySource, MemoryStatus
from desktop.memory.memory import Memory
from desktop.memory.reasons import MemoryReason
from desktop.memory.search import Hit
from tests.memory.conftest import MONDAY


def item_of(number: int, text: str, source: MemorySource = MemorySource.USER, scope: str = "") -> Item:
    return Item(
        id=number,
        text=text,
        kind=MemoryKind.EPISODE,
        layer=Layer.USER,
        source=source,
        status=MemoryStatus.KEPT,
        at=MONDAY + number,
        scope=scope,
    )


def current(memory: Memory, question: str, *items: Item) -> list[int]:
    hits = [Hit(each, 1.0, MemoryReason.IS_PINNED.of()) for each in items]
    found = Contradictions(memory.store.statement_reader, question).current(hits)
    return [hit.item.id for hit in found]


# earlier, later, question
CHANGED = (
    ("I weigh 91 kilos.", "I've lost weight, I'm at 86 kilos now.", "How much do I weigh?"),
    ("My locker is number 14.", "They gave me another locker, number 29.", "Which number is my locker?"),
    ("Ich lerne Klavier.", "Ich lerne kein Klavier mehr, sondern Cello.", "Welches Instrument lerne ich?"),
    ("Je bois du café.", "Je ne bois plus de café.", "Est-ce que je bois du café ?"),
    ("Mi jefe se llama Antonio.", "Mi nueva jefa se llama Beatriz.", "¿Cómo se llama mi jefe?"),
    ("The key is in the hall.", "The key is with my mother now.", "Where is the key?"),
)
BOTH = (
    ("My bike is blue.", "My bike is in the garage now.", "What colour is my bike?"),
    ("My daughter Mia is 6.", "My daughter Eva is 9 now.", "How old is my daughter Mia?"),
    ("I pay 35 euros for the phone.", "I pay 20 euros for the gym now.", "How much do I pay for the phone?"),
    ("My wife is called Petra.", "My wife is ill now.", "What is my wife called?"),
    ("I like tea.", "I like coffee now.", "Do I like tea or coffee?"),
    ("I ran 5 km on Monday.", "I ran 8 km on Tuesday.", "How many km did I run?"),
    ("My dentist is Dr. Weber.", "My wife has a new dentist, Dr. Klein.", "Who is my dentist?"),
    ("My cat is 4.", "Is my cat 5 now?", "How old is my cat?"),
)


@pytest.mark.parametrize(("earlier", "later", "question"), CHANGED)
def test_what_has_changed_is_told_alone(memory: Memory, earlier: str, later: str, question: str) -> None:
    """In whatever order the two were found."""
    old, new = item_of(1, earlier), item_of(2, later)
    assert current(memory, question, old, new) == [2]
    assert current(memory, question, new, old) == [2]


@pytest.mark.parametrize(("earlier", "later", "question"), BOTH)
def test_what_may_both_be_so_is_told(memory: Memory, earlier: str, later: str, question: str) -> None:
    """Another thing, another person, another kind of value, or no word of a change."""
    assert current(memory, question, item_of(1, earlier), item_of(2, later)) == [1, 2]


@pytest.mark.parametrize("source", [MemorySource.MODEL, MemorySource.WEB, MemorySource.TOOL])
def test_only_the_user_contradicts_the_user(memory: Memory, source: MemorySource) -> None:
    """A page says what it likes."""
    earlier, later, question = CHANGED[0]
    assert current(memory, question, item_of(1, earlier), item_of(2, later, source)) == [1, 2]


def test_another_place_contradicts_nothing(memory: Memory) -> None:
    """What holds in a project holds there."""
    earlier, later, question = CHANGED[0]
    assert current(memory, question, item_of(1, earlier), item_of(2, later, scope="/srv/shop")) == [1, 2]


def test_a_turn_that_tells_much_stays(memory: Memory) -> None:
    """It would be gone with one of its sentences."""
    earlier = "I weigh 91 kilos. We went to the lake. The water was cold."
    later, question = "I'm at 86 kilos now, I weigh less.", "How much do I weigh?"
    assert current(memory, question, item_of(1, earlier), item_of(2, later)) == [1, 2]
