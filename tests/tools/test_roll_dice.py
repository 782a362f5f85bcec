"""Dice: what is rolled, how it is told, and what is refused before anything is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.gate.verdict import Effect
from desktop.tools.arguments import WrongArguments
from desktop.tools.roll_dice import HINT, MOST_DICE, MOST_SIDES, dice_tool

HIGHEST = dice_tool(lambda sides: sides - 1)


def rolled(dice: str) -> str:
    return str(HIGHEST.function(dice))


@pytest.mark.parametrize(
    ("dice", "told"),
    [
        ("2d6+1", "2d6+1: [6, 6] + 1 = 13"),
        ("d20", "d20: [20] = 20"),
        ("3W6 - 2", "3W6-2: [6, 6, 6] - 2 = 16"),
        ("d%", "d%: [100] = 100"),
        ("-1d4+10", "-1d4+10: - [4] + 10 = 6"),
        ("2d6+1d4", "2d6+1d4: [6, 6] + [4] = 16"),
        ("100d1000", "100d1000: [" + ", ".join(["1000"] * 100) + "] = 100000"),
    ],
)
def test_each_die_and_the_sum_are_told(dice: str, told: str) -> None:
    """As people write them, in English and in German."""
    assert rolled(dice) == told


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        ("1000000000d6", "names no dice"),
        ("999999999d6", "From 1 to 100"),
        ("60d6+60d6", "From 1 to 100"),
        ("0d6", "From 1 to 100"),
        ("2d0", "sides"),
        ("1d1", "sides"),
        ("1d1001", "sides"),
        ("2d-6", "names no dice"),
        ("d", "names no dice"),
        ("7", "names no dice"),
        ("", "names no dice"),
        ("2d6 3d6", "names no dice"),
        ("2d6+99999999", "can be added"),
        ("__import__('os')", "names no dice"),
        ("1d6" + "+1" * 100, "longer than"),
    ],
)
def test_what_is_no_roll_is_refused_in_a_sentence(dice: str, why: str) -> None:
    """Without rolling a single die where there are too many."""
    with pytest.raises(WrongArguments, match=re.escape(why)):
        rolled(dice)


@given(st.text(alphabet="0123456789dDwW+-% x", max_size=30))
def test_any_text_is_rolled_within_bounds_or_refused(dice: str) -> None:
    """Never another error, never a number that no die can show."""
    try:
        told = str(dice_tool().function(dice))
    except WrongArguments:
        return
    faces = [int(each) for heap in re.findall(r"\[([^]]*)\]", told) for each in heap.split(",")]
    assert 1 <= len(faces) <= MOST_DICE
    assert all(1 <= face <= MOST_SIDES for face in faces)


def test_every_side_comes() -> None:
    """A die of two sides shows both in a hundred rolls, but for one time in 10 to the 30."""
    assert set(str(dice_tool().function("100d2")).split(": ")[1]) >= {"1", "2"}


def test_it_only_reads_and_has_a_die_by_itself() -> None:
    """So nobody is asked, and "Roll a die" needs no argument."""
    assert HIGHEST.effect is Effect.READ
    assert HIGHEST.function() == "1d6: [6] = 6"


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("Roll two dice", True),
        ("roll a d20 for me", True),
        ("What is 2d6+1?", True),
        ("Würfle 2W6", True),
        ("Wirf einen Würfel", True),
        ("How do I cook diced potatoes?", False),
        ("Rollback the last commit", False),
        ("Open roll.txt", False),
        ("Schneide die Kartoffeln in Würfel", False),
        ("When did they die?", False),
        ("Delete 3d models", False),
    ],
)
def test_only_requests_for_dice_say_its_words(request_text: str, said: bool) -> None:
    """Cubes, potatoes and the dead are no dice."""
    assert HINT.is_said(request_text) is said
