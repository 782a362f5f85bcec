"""Of what was corrected in passing the newer is told alone; what only looks like it takes nothing away."""

from __future__ import annotations

import pytest

from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory
from tests.memory.conftest import Clock
from tests.memory.passing_cases import Row, passing_sets
from tests.memory.test_statements import told

SETS = passing_sets().values()
CORRECTED = [row for each in SETS for row in each.told_alone]
BOTH_HOLD = [row for each in SETS for row in each.both_hold]


def say(memory: Memory, clock: Clock, *texts: str) -> None:
    """Each in a conversation of its own, on a day of its own."""
    for text in texts:
        memory.record(text, "user", text, MemorySource.USER)
        clock.days(3)


@pytest.mark.parametrize("case", CORRECTED, ids=lambda row: row[1][:40])
def test_the_newer_is_told_alone(memory: Memory, clock: Clock, case: Row) -> None:
    """Most of them have no word that says that something has changed."""
    first, later, question, newer, older = case
    say(memory, clock, first, later)
    context = told(memory, question)
    assert newer in context
    assert older not in context
    # Nothing is lost: the earlier one is found with its day.
    found = memory.search.hits(memory.search.question(first))
    assert first in [hit.item.text for hit in found]


@pytest.mark.parametrize("case", BOTH_HOLD, ids=lambda row: row[1][:40])
def test_what_both_holds_takes_nothing_away(memory: Memory, clock: Clock, case: Row) -> None:
    """What was told without the later sentence is told with it."""
    first, later, question, word = case
    say(memory, clock, first)
    alone = word in told(memory, question)
    say(memory, clock, later)
    assert (word in told(memory, question)) is alone


def test_each_sentence_of_a_correction_is_looked_at(memory: Memory, clock: Clock) -> None:
    """The first says what is over; the second, which shares nothing, does not undo that."""
    first = "My boyfriend Declan is coming along to the wedding."
    say(memory, clock, first, "Declan and I split up. I'm bringing my cousin Ruth to the wedding.")
    assert "boyfriend Declan is" not in told(memory, "Who is coming with me to the wedding?")


def test_what_happened_twice_is_told_twice(memory: Memory, clock: Clock) -> None:
    """Each time is as true as the other."""
    say(memory, clock, "I paid 40 euros for the taxi.", "I paid 55 euros for the taxi.")
    context = told(memory, "How much did I pay for the taxi?")
    assert "40 euros" in context
    assert "55 euros" in context


def test_what_is_so_as_well_replaces_nothing(memory: Memory, clock: Clock) -> None:
    """ "Too", "auch", "aussi", "también"."""
    say(memory, clock, "I pay 30 euros for the gym.", "I pay 12 euros for the gym of my son too.")
    assert "30 euros" in told(memory, "How much do I pay for the gym?")
