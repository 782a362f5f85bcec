"""Wishes to remember in French and Spanish, and behind what is to be kept."""

from __future__ import annotations

import pytest

from desktop.memory.memory import RequestKind, parse_request
from desktop.memory.text import without_secrets


@pytest.mark.parametrize(
    ("typed", "text", "language"),
    [
        ("retiens mon numéro de club 67-2019", "mon numéro de club 67-2019", "fr"),
        (
            "retiens que mes enfants s'appellent hugo et camille",
            "mes enfants s'appellent hugo et camille",
            "fr",
        ),
        ("souviens-toi que hier soir on a payé", "hier soir on a payé", "fr"),
        ("recuerda q mi examen es en el aula magna", "mi examen es en el aula magna", "es"),
        ("acuérdate de que mi tarifa es 50", "mi tarifa es 50", "es"),
        ("mi cumple es el 8 de mayo apuntatelo", "mi cumple es el 8 de mayo", "es"),
        ("my desk is number 42, remember that pls", "my desk is number 42", ""),
        ("ich fahre ab montag mit der bahn, merk dir das", "ich fahre ab montag mit der bahn", ""),
    ],
)
def test_what_is_to_be_kept_is_told_from_the_wish(typed: str, text: str, language: str) -> None:
    """In whatever place the wish stands; the receipt is in its language."""
    found = parse_request(typed)
    assert found is not None
    assert (found.want, found.text, found.language) == (RequestKind.REMEMBER, text, language)


@pytest.mark.parametrize(
    "typed",
    [
        "recuerda comprar pan",
        "acuérdate de llamar a chema mañana",
        "souviens-toi de payer le loyer",
        "put milk on the list and remember that",
        "i love rome, do you remember it?",
        "souviens-toi ?",
    ],
)
def test_what_is_to_be_done_is_no_fact(typed: str) -> None:
    """A reminder, an order or a question is read by somebody else."""
    assert parse_request(typed) is None


def test_a_secret_that_two_patterns_find_is_marked_once() -> None:
    """Nothing of the mark or the secret is left over."""
    shown = without_secrets("My locker code is 4182. Remember that.")
    assert shown.count("not kept") == 1
    assert "kept] kept" not in shown
    assert "4182" not in shown
