"""What is an order, what is held back below one, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.chat.claims import claim_in
from desktop.chat.orders import is_order, only_tells
from desktop.chat.request_kinds import (
    ASKS_IF_DONE,
    ASKS_IF_STANDS,
    OUT_OF_REACH,
    OWN_ELSEWHERE,
    OWN_EVENTS,
    OWN_LIFE,
    OWN_PAPERS,
)
from desktop.chat.request_parts import in_reach
from desktop.chat.streaming import ClaimGuard

CASES = Path(__file__).parent / "cases"


def lines(name: str) -> list[str]:
    text = (CASES / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


ORDERS = [
    "encrypt contract.pdf with a password",
    "mach die Heizung im Bad wärmer",
    "zip the photos folder",
    "mets un post-it sur l'écran",
    "súbele el volumen a la tele",
    "ponlo todo en orden",
    "start a timer for the eggs",
    "wake me up when it stops raining",
    "I'm done with the plumber, tick it off",
    "sag mir bescheid wenn das Paket da ist",
]


@pytest.mark.parametrize("request_", ORDERS)
def test_a_verb_with_its_object_is_an_order(request_: str) -> None:
    assert is_order(request_)


@pytest.mark.parametrize("request_", lines("no_orders"))
def test_what_is_done_in_words_is_no_order(request_: str) -> None:
    assert not is_order(request_)


@pytest.mark.parametrize("sentence", lines("order_claims"))
def test_below_an_order_whatever_says_it_was_done_claims_it(sentence: str) -> None:
    assert claim_in(sentence, is_order=True) is not None


@pytest.mark.parametrize("sentence", lines("no_order_claims"))
def test_below_an_order_what_explains_refuses_or_asks_claims_nothing(sentence: str) -> None:
    assert claim_in(sentence, is_order=True) is None
    guard = ClaimGuard(is_order=True)
    assert guard.feed(sentence) + guard.finish() == sentence


@pytest.mark.parametrize(
    "said", ["Got it! Just a moment.", "Einen Moment, bitte.", "Un instant.", "Claro, un momento."]
)
def test_a_promise_of_a_moment_stands_for_nothing_done(said: str) -> None:
    guard = ClaimGuard(is_order=True)
    assert guard.feed(said) + guard.finish() == ""
    assert guard.claimed


@pytest.mark.parametrize("question", lines("world_questions"))
def test_a_question_about_the_world_goes_to_the_model(question: str) -> None:
    own = (OWN_EVENTS, OWN_LIFE, OWN_PAPERS, OWN_ELSEWHERE, OUT_OF_REACH, ASKS_IF_DONE)
    assert [each.pattern[:20] for each in own if each.search(question)] == []


def test_whether_something_stands_is_about_this_chat() -> None:
    assert ASKS_IF_STANDS.search("nice, so is it saved?")
    assert ASKS_IF_STANDS.search("c'est enregistré où ?")
    assert ASKS_IF_DONE.search("¿Has hecho ya la copia de seguridad?")
    assert ASKS_IF_DONE.search("Did you back everything up last night?")
    # What there is, whoever wrote it, is looked for.
    assert not ASKS_IF_DONE.search("have i got anything written down about a bosendorfer?")
    assert not ASKS_IF_DONE.search("did we note something on the gutter")
    assert ASKS_IF_DONE.search("have i written it down?")
    # As a first message it is asked about the world, and the model answers (chat/agent_loop.py).
    assert not ASKS_IF_DONE.search("Is the file stored in RAM or on disk?")


@pytest.mark.parametrize("request_", lines("whole_requests"))
def test_a_request_of_one_piece_is_not_taken_apart(request_: str) -> None:
    assert in_reach(request_) is None


def test_what_no_tool_reaches_is_taken_off() -> None:
    parted = in_reach("add salt to shopping.txt and order it on amazon")
    assert parted is not None
    assert parted.within == "add salt to shopping.txt"
    assert parted.beyond == ("order it on amazon",)


LIST = "show guests.txt\nguests.txt\nAnna\nStephan\nhoney"
TELLS = (
    "My landlord is Mr Quibble.",
    "My dentist is Dr. Okafor on Mill Road.",
    "Thanks, that was quick!",
    "I had lunch with my ex today, it was awkward.",
    "It's raining again.",
    "Übrigens verdiene ich 2940 Euro.",
    "Super, das ging ja schnell.",
    "Heute ist es draußen kalt.",
    "Mon appartement est au troisième étage.",
    "Merci beaucoup !",
    "Mi hermana vive en Vigo.",
    "Genial, qué rápido.",
)
GOES_ON = (
    "Anna can't make it",  # what stands in the file
    "honey isn't vegan",
    "we've got bread already, take it off",
    "Dee's having his seat",
    "she is away then, Saturday is better",
    "they just rang, it's 4:30 now",
    "it's goat cheese",
    "I need some milk",
    "Pedro is out",
    "der Termin ist erst am Donnerstag",
    "Brot fehlt noch",
    "da ist er im Zug",
    "et du pain aussi",
    "c'est plus moi qui y vais, laisse tomber",
    "ya no hace falta",
    "mejor a las 11",
    "butter",
    "undo that",
    "Is it raining?",
)


@pytest.mark.parametrize("said", TELLS)
def test_a_fact_a_thanks_and_a_remark_only_tell(said: str) -> None:
    assert only_tells(said, LIST)


@pytest.mark.parametrize("said", GOES_ON)
def test_what_points_at_what_was_done_may_be_an_order(said: str) -> None:
    assert not only_tells(said, LIST)


@pytest.mark.parametrize(
    "said",
    [
        "dann auch den preis, ist ja eine nacht weniger",
        "off to the pub, as a guest this time",
        "avec la nouvelle lampe on voit mieux",
        "para el domingo ya está todo",
    ],
)
def test_a_word_in_the_place_of_a_verb_makes_no_order(said: str) -> None:
    """A preposition or a particle before an article is no verb with its object."""
    assert not is_order(said)
