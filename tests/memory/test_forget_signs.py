"""Wishes to forget in nobody's usual words: known by their signs, and answered by what may be meant."""

from __future__ import annotations

import pytest

from desktop.chat.conversation_memory import picked_of
from desktop.memory.forget_signs import may_be_meant, signs_in, that_tell
from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory


@pytest.mark.parametrize(
    "said",
    [
        "My shoe size is my own affair, wipe it from your memory",
        "that bit about my gran's will, get it out of your head",
        "Could we act like I never mentioned the loan?",
        "I never want to hear of the clinic here again",
        "Was ich verdiene, hat hier nichts verloren",
        "Tu so, als hätte ich nie von der Kur erzählt, für immer",
        "Das mit der Scheidung ist mir peinlich, nimm das raus",
    ],
)
def test_several_signs_make_a_wish(said: str) -> None:
    """Whatever its words are."""
    assert signs_in(said).wants_forgetting


@pytest.mark.parametrize(
    "said",
    [
        "I keep forgetting to water the plants, any tips?",
        "Can you take the second paragraph out of this letter? I never want to sound that stiff.",
        "Delete the last row of the table, it's a duplicate.",
        "How do I scrub burnt rice off a pan?",
        "Never again will I book that airline. Help me write a complaint.",
        "Remind me at 6 to take the bins out",
        "find . -name '*.pyc' -delete",
        "Tu so, als wärst du mein Mathelehrer, und frag mich ab",
        "Nimm im Brief bitte die Anrede raus.",
        "Das geht den Chef nichts an, wie sage ich das höflich?",
        "Ne parle pas du prix dans la lettre au voisin.",
        "¿Cómo borro el historial del navegador?",
    ],
)
def test_what_is_of_a_text_or_a_thing_is_none(said: str) -> None:
    """One sign is in much that people say, and what speaks of a letter takes others off."""
    assert not signs_in(said).wants_forgetting


def test_what_shares_a_word_or_a_number_is_shown_first() -> None:
    """And else what was told last."""
    told = ("my bike is blue", "the code is 4826", "I sing in a choir")
    assert may_be_meant("those four digits, wipe them", told, ("digits",))[0] == "the code is 4826"
    assert may_be_meant("the choir, drop it", told, ("choir",))[0] == "I sing in a choir"
    assert may_be_meant("drop that", told, ()) == told


def test_of_the_wish_goes_what_says_it_too() -> None:
    """A name in the wish would else stay in the chat."""
    wish = ("Darren and me are done.", "Never name him again.")
    assert tuple(that_tell(wish, ("Off to Skegness with Darren",), frozenset(("and", "me")))) == wish[:1]
    assert tuple(that_tell(("Drop all of Si",), ("I owe Si three hundred",), frozenset(("si",)))) != ()


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ("2", ("b",)),
        ("1 and 3, please", ("a", "c")),
        ("die 1", ("a",)),
        ("all", ("a", "b", "c")),
        ("4", ()),
        ("yes", ()),
        ("What is 2 + 1?", ()),
        ("Remind me at 2", ()),
    ],
)
def test_a_reply_picks_by_number(reply: str, picked: tuple[str, ...]) -> None:
    """Whatever else is said is a message like any other."""
    assert picked_of(reply, ("a", "b", "c")) == picked


def test_of_a_turn_only_the_sentence_that_was_picked_goes(memory: Memory) -> None:
    """The rest of it stays."""
    memory.record("1", "user", "My studio is in Hebden. I was in prison in 2012.", MemorySource.USER)
    wish = "My time inside is over, take that out of your memory."
    told = memory.forgetting.may_be_meant(wish, ())
    assert set(told) == {"My studio is in Hebden.", "I was in prison in 2012."}
    memory.carry_out(memory.forgetting.plan_of_sentences(("I was in prison in 2012.",), wish))
    assert [item.text for item in memory.store.latest()] == ["My studio is in Hebden."]
