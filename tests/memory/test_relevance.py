"""What is worth telling a small model, of what a search has found."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from desktop.memory.item import Item, Kind, Layer, Source, Status
from desktop.memory.relevance import Relevance, states_something
from desktop.memory.words import read_vocabulary
from desktop.paths import resources
from tests.memory.conftest import MONDAY

WORDS = read_vocabulary(resources() / "memory" / "words.toml")


def item(text: str, kind: Kind = Kind.NOTE, source: Source = Source.USER) -> Item:
    return Item(1, Layer.USER, "", kind, source, Status.KEPT, text, MONDAY)


def is_told(question: str, remembered: Item) -> bool:
    now = datetime.fromtimestamp(MONDAY + 86_400, UTC)
    return bool(Relevance(WORDS, question, WORDS.terms(question, now)).of([remembered]))


DENTIST = "my dentist is Dr. Okafor on Elm Street"
SERVER = "the staging server is called heron and listens on port 8443"


@pytest.mark.parametrize(
    ("question", "remembered", "told"),
    [
        ("Who is my dentist?", DENTIST, True),
        ("When is my daughter's birthday?", "my daughter Mia turns seven on 3 December", True),
        ("Which port does the staging server use?", SERVER, True),
        ("Wer ist mein Zahnarzt?", "mein Zahnarzt ist Dr. Okafor", True),
        ("Write a Python function that adds two numbers.", SERVER, False),
        ("What is my sister called?", SERVER, False),
        ("What is called a heron?", DENTIST, False),
        ("What is the weather today?", DENTIST, False),
        ("What should I watch out for when I buy cookies?", "write a haiku about the sea", False),
        ("Hello", DENTIST, False),
    ],
)
def test_enough_of_the_question_must_stand_in_the_memory(question: str, remembered: str, told: bool) -> None:
    """Of the words that say something; more of them where it is about the world."""
    assert is_told(question, item(remembered)) is told


def test_a_day_alone_finds_what_was_told_on_it() -> None:
    """ "What did I tell you yesterday?" has no other word; "today's weather" is not about what was told."""
    assert is_told("What did I tell you yesterday?", item(DENTIST))
    assert not is_told("What did I tell you today?", item(DENTIST))


@pytest.mark.parametrize(
    ("question", "source", "told"),
    [
        ("Where does my brother live?", Source.USER, True),
        ("Where does my brother live?", Source.MODEL, False),
        ("What did you say about my brother?", Source.MODEL, True),
        ("Where does my brother live?", Source.WEB, False),
    ],
)
def test_what_steward_said_comes_back_only_when_asked_for(question: str, source: Source, told: bool) -> None:
    """Else it would repeat its own mistakes."""
    turn = item("My brother lives in Lisbon and works as a cook", Kind.EPISODE, source)
    assert is_told(question, turn) is told


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("My brother Paul lives in Lisbon.", True),
        ("I moved to Porto. Where is the next library?", True),
        ("Who is my dentist?", False),
        ("Write a haiku about the sea.", False),
        ("Then read plan.md, please", False),
        ("Thanks!", False),
        ("Schreib mir ein Gedicht über das Meer", False),
        ("Mein Bruder wohnt in Lissabon", True),
    ],
)
def test_what_asks_for_something_states_nothing(text: str, states: bool) -> None:
    """An earlier question that comes back is taken for the present one."""
    assert states_something(text, WORDS) is states
