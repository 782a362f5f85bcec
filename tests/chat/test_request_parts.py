"""A question beside an act: both are found, and neither where one is about the other."""

from __future__ import annotations

import pytest

from desktop.chat.request_parts import Beside, question_beside, wordings

APART = [
    ("oops, undo that. and why is the sky blue?", "oops, undo that", "why is the sky blue?"),
    ("undo that, and how many days are in a leap year?", "undo that", "how many days are in a leap year?"),
    ("what is the capital of Peru? and delete a.txt", "delete a.txt", "what is the capital of Peru?"),
    ("explain gravity and then delete a.txt", "delete a.txt", "explain gravity"),
    ("put a.txt in Old, and by the way who wrote Faust?", "put a.txt in Old", "who wrote Faust?"),
    (
        "mach das rückgängig und sag mir, wie hoch der Eiffelturm ist",
        "mach das rückgängig",
        "sag mir, wie hoch der Eiffelturm ist",
    ),
    ("lösch a.txt. wie viele Tage hat der Mai?", "lösch a.txt", "wie viele Tage hat der Mai?"),
    ("annule ça, et pourquoi le ciel est bleu ?", "annule ça", "pourquoi le ciel est bleu ?"),
    ("deshazlo. ¿cuál es la capital de Perú?", "deshazlo", "¿cuál es la capital de Perú?"),
    ("who is Ada? delete a.txt. and when is Easter?", "delete a.txt", "who is Ada? and when is Easter?"),
]
WHOLE = [
    "how much is 3 times 4? write it into a.txt",
    "delete the files which I don't need",
    "remind me tomorrow at 9 to ask mum what she needs",
    "why is the sky blue?",
    "write 'why is it so?' into q.txt",
    "add 'what is love. why not?' to todo.txt",
    "make a list gifts.txt with scarf and mug",
]


@pytest.mark.parametrize(("request_", "act", "question"), APART)
def test_a_question_stands_beside_an_act(request_: str, act: str, question: str) -> None:
    """Each is what the user said, without the word that joins them."""
    assert question_beside(request_) == Beside(act, question)


@pytest.mark.parametrize("request_", WHOLE)
def test_what_is_one_thing_is_not_taken_apart(request_: str) -> None:
    """Only an act, only a question, an act about the answer, and what is quoted."""
    assert question_beside(request_) is None


def test_a_rule_is_asked_in_its_own_words() -> None:
    """ "Tell me" is no part of a sum, and a verb at the end is none either."""
    assert "15 mal 12" in wordings("sag mir, was 15 mal 12 ist")
    assert "what is 8% of 20?" in wordings("and tell me what is 8% of 20?")
