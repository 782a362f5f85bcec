"""Messages whose words are given are passed on as they were said."""

from __future__ import annotations

import pytest

from desktop.chat.dictated_messages import dictated_message, with_more
from desktop.chat.intent_words import language_of

DICTATED = [
    (
        "Write a short notice to all staff: the office closes at 1 pm on Thursday 24 December.",
        "The office closes at 1 pm on Thursday 24 December.",
    ),
    (
        "Would you please write a short note to Ken: the gate is locked after six",
        "Dear Ken,\n\nThe gate is locked after six.\n\nBest wishes",
    ),
    ("draft a text to tom: van's ready for you", "Dear tom,\n\nVan's ready for you.\n\nBest wishes"),
    (
        "Schreib mir bitte eine kurze Nachricht an Familie Roth: Am Donnerstag wird das Wasser abgestellt.",
        "Liebe Familie Roth,\n\nam Donnerstag wird das Wasser abgestellt.\n\nViele Grüße",
    ),
    (
        "Schreib eine Nachricht an Herrn Weber: Wasser gibt es erst am Abend wieder.",
        "Lieber Herr Weber,\n\nWasser gibt es erst am Abend wieder.\n\nViele Grüße",
    ),
    ("Mach mir einen Aushang: Der Keller ist am Montag gesperrt!", "Der Keller ist am Montag gesperrt!"),
    (
        "Écris un petit mot à Claire : le cours de mardi est annulé.",
        "Bonjour Claire,\n\nLe cours de mardi est annulé.\n\nBien à vous",
    ),
    (
        "Escríbeme un mensaje corto para Lucía: la clase del martes empieza a las siete.",
        "Hola, Lucía:\n\nLa clase del martes empieza a las siete.\n\nUn saludo",
    ),
]


@pytest.mark.parametrize(("asked", "message"), DICTATED)
def test_what_stands_behind_the_colon_is_the_message(asked: str, message: str) -> None:
    """Between a greeting and a farewell; what is for everybody has none."""
    assert dictated_message(asked, language_of(asked)) == message


@pytest.mark.parametrize(
    "asked",
    [
        "Write a message to Tom: friendly, short, about the party on Saturday",
        "Schreib eine Nachricht an Herrn Weber: Das Geld ist noch nicht da, er soll es überweisen.",
        "Write a note to Ann: tell her that the key is under the mat",
        "Write a letter to the bank: the card is lost and I need a new one",
        "Write a poem: the moon is up",
        "Write a note: ok",
        "Write a note to note.txt: the gate is locked now",
        "write a short note to Ken that the gate is locked",
        f"Write a note: it is {'very ' * 80}late",
    ],
)
def test_anything_else_is_for_the_model(asked: str) -> None:
    """What a text is to be like, what is said of whom it is for, letters, poems, files, and long ones."""
    assert dictated_message(asked, language_of(asked)) == ""


def test_a_sentence_is_added_to_it() -> None:
    """Before the farewell; a text of the model's is for the model."""
    before, message = DICTATED[1]
    added = "Please add that the key is with Ann"
    assert with_more(before, message, added, "en") == message.replace("six.", "six. The key is with Ann.")
    notice = DICTATED[0]
    assert with_more(*notice, "Add that the heating will be off.", "en").endswith("The heating will be off.")
    assert with_more(before, "Dear Ken, whatever.", added, "en") == ""
    german = DICTATED[3]
    assert with_more(*german, "Schreib noch dazu, dass es am Abend wieder da ist", "de") == ""


def test_long_texts_are_read_at_once() -> None:
    """No pattern goes to and fro in them."""
    for each in ("write a short, ", "note to ", "a: is ", "que "):
        assert dictated_message(f"write a note to {each * 20_000}", "en") == ""
        assert with_more(each * 20_000, each, each * 20_000, "en") == ""
