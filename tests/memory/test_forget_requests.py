"""What of a message is a wish to forget: other wordings than those of tests/bench/blind_forgetting_*.toml."""

from __future__ import annotations

import pytest

from desktop.memory.forget_requests import forget_request

WISHES = (
    ("Please stop remembering the garage code", "the garage code"),
    ("My shoe size, take that out of your memory again.", "My shoe size"),
    ("You needn't know about Theodora", "Theodora"),
    ("What I said about my knee was private. Delete it.", "my knee"),
    ("Pretend I never told you about the loan", "the loan"),
    ("Von meiner Narbe sollst du nichts mehr wissen.", "meiner Narbe"),
    ("Mein Kontostand geht dich nichts an, lösch das.", "Mein Kontostand"),
    ("Tu so, als hätte ich dir nie von dem Kredit erzählt", "dem Kredit"),
    ("Ich will nicht mehr, dass du weißt, wo ich schlafe", "wo ich schlafe"),
    ("Efface de ta mémoire le numéro de mon passeport", "numéro de mon passeport"),
    ("Mon poids, tu peux l'oublier.", "Mon poids"),
    ("Je ne veux plus que tu saches où je dors", "où je dors"),
    ("Borra de tu memoria mi talla", "mi talla"),
    ("Mi deuda, olvídala.", "Mi deuda"),
    ("Ya no hace falta que sepas mi peso", "mi peso"),
)
NO_WISHES = (
    "Forget it, what's for lunch?",
    "I lost my gloves. Forget it.",
    "Forget what I just asked and sing",
    "Delete all of the drafts",
    "Remove everything about Mars from essay.txt",
    "I will never forget this summer",
    "Vergiss nicht den Müll",
    "Das habe ich glatt vergessen.",
    "Vergiss es, was gibt es zu essen?",
    "N'oublie pas le sel",
    "Oublie, on parle d'autre chose",
    "No te olvides de la sal",
    "Olvídalo, háblame del mar",
    "Take my word for it",
    "Drop my sister a line",
    "Remove my name from the list",
)


@pytest.mark.parametrize(("said", "what"), WISHES)
def test_a_wish_is_read_with_what_it_means(said: str, what: str) -> None:
    found = forget_request(said)
    assert found is not None
    assert found.what.casefold() == what.casefold()


@pytest.mark.parametrize("said", NO_WISHES)
def test_talk_of_forgetting_is_none(said: str) -> None:
    assert forget_request(said) is None


def test_only_what_is_said_straight_needs_no_question() -> None:
    straight, around = forget_request("Forget my shoe size"), forget_request("You needn't know my shoe size")
    assert straight is not None
    assert straight.is_straight
    assert around is not None
    assert not around.is_straight


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Delete my shoe size.", "my shoe size"),
        ("Entferne mein Kennzeichen", "mein Kennzeichen"),
        ("Supprime mon adresse", "mon adresse"),
        ("Por favor, borra mi matrícula", "mi matrícula"),
    ],
)
def test_the_own_thing_alone_is_a_wish_where_it_is_remembered(said: str, what: str) -> None:
    """A file may be called so: only what is remembered tells."""
    found = forget_request(said)
    assert found is not None
    assert (found.what, found.if_remembered, found.is_straight) == (what, True, False)
