"""Yes or no over a text: its own lines are the answer."""

from __future__ import annotations

import pytest

from desktop.chat.content_search import answered_by_lines, asks_yes_or_no
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intent_words import language_of
from tests.chat.test_table_changes import Around

YES_OR_NO = (
    "are we still insured on the 23rd of jan? and whats the excess",
    "is priya coming before new year?",
    "did the ventilation pass on the safety certificate?",
    "was the roof mended in march?",
    "sind wir am 23. januar noch versichert?",
    "gilt die garantie im juni noch?",
    "se ma roto la correa de la maquina, entra en garantia?",
    "est-ce que le vol est couvert ?",
    "il y a une franchise pour l'incendie ?",
)
MORE = (
    "what did i ask the landlord for",
    "when does our licence run out",
    "was hatte der golf bei der hu für mängel",
    "wo fährt herr lühr gern?",
    "c'est quoi la franchise en cas de vol ?",
    "jusqu'à quand court l'assurance du camion",
    "hasta cuándo tengo garantía de la máquina?",
    "cuánto hay que sacar al corpiño de pilar",
    "summarise the letter, and how long is it",
    "is it 62 or 64 pounds for the anodes?",
)


@pytest.mark.parametrize("asked", YES_OR_NO)
def test_a_question_wants_a_yes_or_a_no(asked: str) -> None:
    """Where one of its clauses has no word that asks for more."""
    assert asks_yes_or_no(asked, language_of(asked))


@pytest.mark.parametrize("asked", MORE)
def test_a_question_wants_more(asked: str) -> None:
    """Where it asks what, when or how much, the answer is told as before."""
    assert not asks_yes_or_no(asked, language_of(asked))


POLICY = (
    "PENNINE INSURANCE\nPeriod: 15 January 2026 to 14 January 2027\nPremium: 486.20\nExcess per claim: 250\n"
)
TEXTS = {"policy.txt": POLICY, "club.csv": "name,paid\nEva,yes\nIvo,no\n"}


def answered(asked: str, name: str = "policy.txt") -> IntentPlan:
    step = Step(ParsedCall("read_file", {"path": name}), changes=False)
    return answered_by_lines(asked, IntentPlan("en", (step,), is_asked=True), Around(TEXTS))


def test_the_lines_are_the_answer() -> None:
    """Also those that name days where the question names one; the file is read as before."""
    plan = answered("are we still insured on the 23rd of jan? and is there an excess")
    assert not plan.is_asked
    assert plan.steps[0].quoted == (
        "This is how it stands in policy.txt:\n\n"
        "> Period: 15 January 2026 to 14 January 2027  \n> Excess per claim: 250"
    )
    assert [call.name for call in plan.calls] == ["read_file"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("what is the excess?", "policy.txt"),
        ("is it worth its money?", "policy.txt"),
        ("has eva paid?", "club.csv"),
        ("when does it begin, and is there an excess?", "policy.txt"),
    ],
)
def test_what_is_answered_as_before(asked: str, name: str) -> None:
    """What wants more than a yes, what shares no word with the text, what rows tell, and a half."""
    plan = answered(asked, name)
    assert plan.is_asked
    assert not plan.steps[0].quoted
