"""A calculation in anybody's words: the model puts the numbers together, the calculator works it out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.chat.message_sums import beginning, sum_asked
from desktop.chat.references import Past
from desktop.engine.requests import FinishReason
from tests.chat.test_command_plan import Written

GROUPED = "(8 × 11,50 + 3 × 13) – 10% = 117,9"


def told(said: str, written: str, before: str = "") -> str:
    plan = sum_asked(said, replace(Past(), text=before), Written(written))
    if plan is None:
        return ""
    assert not plan.calls
    return plan.steps[0].text


@pytest.mark.parametrize(
    ("said", "written", "text"),
    [
        ("quick one, 62 miles at 45p a mile", "62 * 0.45", "62 × 0.45 = 27.9"),
        ("6 Karten zu 12,50 und 19 Prozent", "6 * 12.50 + 19%", "6 × 12,50 + 19% = 89,25"),
        ("8 à 11,50 et 3 à 13, moins 10%", "( 8 * 11.50 + 3 * 13 ) - 10%", GROUPED),
        ("100 divided by 7", "100 / 7", "100 ÷ 7 = 14.2857"),
    ],
)
def test_a_sum_is_told_with_what_was_worked_out(said: str, written: str, text: str) -> None:
    """So that one that was meant otherwise can be seen to be; with the decimal sign of its language."""
    assert told(said, written) == text


def test_a_sum_goes_on_from_the_result_before() -> None:
    """That of the last sum that was told is one of its numbers."""
    assert told("and with 20 percent on top", "27.9 + 20%", "62 × 0.45 = 27.9") == "27.9 + 20% = 33.48"
    model = Written("none")
    sum_asked("and with 20 percent on top", replace(Past(), text="62 × 0.45 = 27.9"), model)
    assert "Before: 62 × 0.45 = 27.9" in model.asked[0].messages[-1].content
    assert model.asked[0].grammar is not None
    assert '"27.9"' in model.asked[0].grammar
    assert '"20%"' in model.asked[0].grammar


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("how far is 30 km for 2", "none"),
        ("12 hours, how much is that at 40", "12 * 12"),  # said once
        ("12 hours, how much is that at 40", "40"),
        ("5 off 3 leaves what", "3 - 5"),  # the wrong way round
        ("8 shared by 0", "8 / 0"),
        # No product of numbers knows that a litre has a thousand of them.
        ("20 litre urn, how many cups of 190 ml", "20 / 190"),
        ("2440 x 1220 mm, how many m²", "2440 * 1220"),
    ],
)
def test_what_is_no_sum_of_its_numbers_is_left_to_others(said: str, written: str) -> None:
    """Nothing is told for it."""
    assert told(said, written) == ""


def test_the_model_is_not_asked_where_there_is_nothing_to_put_together() -> None:
    """One number and no result before, or none at all."""
    model = Written("1 + 1")
    assert sum_asked("what about 12", Past(), model) is None
    assert sum_asked("how much is it", replace(Past(), text="2 + 2 = 4"), model) is None
    assert not model.asked


def test_a_model_that_was_stopped_gives_no_sum() -> None:
    """What it had written may be half of it."""
    assert sum_asked("3 and 4 and 5", Past(), Written("3 + 4", FinishReason.CANCELLED)) is None


def test_all_prompts_begin_with_the_same_examples() -> None:
    """They are kept on the disk, and read before anybody waits."""
    model = Written("none")
    sum_asked("3 times 4", Past(), model)
    shared = beginning().shared_messages
    assert model.asked[0].messages[:shared] == beginning().messages[:shared]


def test_an_answer_of_many_figures_is_no_sum() -> None:
    """Looked at line by line, and no long one: as one sum they took minutes."""
    model = Written("2 + 3")
    assert sum_asked("and 3", replace(Past(), text="1 2 3.4 " * 20_000 + " = "), model) is None
    assert not model.asked
