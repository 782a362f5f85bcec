"""Failures that say the same in other words, where search by meaning is on; and what it must not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from desktop.database import Database
from desktop.gate.redaction import Redactor
from desktop.memory.hindsight.problems import TIME_S, MeaningCache
from desktop.memory.hindsight.signature import Failure
from desktop.memory.memory import Memory, RecallSources

JUGGLE = {"command": "juggle plates"}
KNOWN = "frobnicator exhausted while juggling seven plates"
SAME = "plate juggler has no strength left"
VECTORS = {KNOWN: (1.0, 0.0), SAME: (0.95, 0.312)}


def vector(text: str) -> Sequence[float]:
    return VECTORS.get(text, (0.0, 1.0))


@pytest.fixture
def memory(database: Database, redactor: Redactor) -> Iterator[Memory]:
    memory = Memory(database, redactor, RecallSources(meaning=vector))
    yield memory
    memory.close()


def learned(memory: Memory) -> None:
    memory.hindsight.failed(Failure("run_command", KNOWN, arguments=JUGGLE, session="1"))
    assert memory.hindsight.worked("run_command", {"command": "juggle plates slowly"}, "1") is not None


def test_other_words_for_the_same_failure_bring_its_fix(memory: Memory) -> None:
    """Though they share no word with it; what means something else, or another program says, brings none."""
    learned(memory)
    (offer,) = memory.hindsight.lookup(Failure("run_command", SAME, arguments=JUGGLE))
    assert offer.fix.message == KNOWN
    assert offer.likeness < 1.0
    assert memory.hindsight.lookup(Failure("run_command", "no disk", arguments=JUGGLE)) == ()
    assert memory.hindsight.lookup(Failure("run_command", SAME, arguments={"command": "spin plates"})) == ()


def test_switched_off_it_finds_by_words_alone(database: Database, redactor: Redactor) -> None:
    """As where the model has not been fetched."""
    memory = Memory(database, redactor, RecallSources(meaning=lambda _text: ()))
    learned(memory)
    assert memory.hindsight.lookup(Failure("run_command", SAME, arguments=JUGGLE)) == ()
    memory.close()


def test_a_lookup_makes_no_more_vectors_than_it_has_time_for() -> None:
    """Those that it made are kept, so that the next one goes on from there; forgotten, nothing is."""
    now, made = [0.0], list[str]()

    def slow(text: str) -> Sequence[float]:
        now[0] += TIME_S / 2
        made.append(text)
        return (1.0, 0.0)

    meaning = MeaningCache(slow, lambda: now[0])
    assert meaning.likeness("a", ["b", "c", "d"]) == {"b": 1.0}
    assert meaning.likeness("a", ["b", "c", "d"]) == {"b": 1.0, "c": 1.0, "d": 1.0}
    assert made == ["a", "b", "c", "d"]
    meaning.forget()
    meaning.likeness("a", [])
    assert made[-1] == "a"
