"""Wishes to forget in nobody's usual words are known by what they are like, and answered by number."""

from __future__ import annotations

import pytest

from desktop.chat.conversation_memory import picked_of
from desktop.chat.message_classes import WANTS_FORGETTING, message_scores


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
def test_a_wish_is_known_by_what_it_is_like(said: str) -> None:
    """Whatever its words are."""
    assert message_scores(said).forget >= WANTS_FORGETTING


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
    """However much of it has the words of one."""
    assert message_scores(said).forget < WANTS_FORGETTING


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
