"""Of two things told about the same the newer counts, is told alone, and gives way when it is forgotten."""

from __future__ import annotations

import pytest

from desktop.database import Database
from desktop.gate.redaction import Redactor
from desktop.memory.item import Layer, MemorySource, NewItem
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.store import View
from desktop.paths import Paths
from tests.memory.conftest import Clock, count
from tests.memory.correction_cases import Correction, correction_cases

MINE = View.of()
OTHER_DAYS = (
    "The weather was awful on the way home.",
    "Can you shorten this sentence for me?",
    "We had pasta for lunch.",
    "Ich lese gerade ein Buch über Schiffe.",
    "I watched a film about whales.",
    "Meine Schwester spielt Geige.",
)
# What the rules do not see: both are told, with their days.
NOT_SEEN = frozenset(("Ich trainiere im Fitnessstudio Titan.",))


def say(memory: Memory, text: str, thread: str = "a") -> int:
    return memory.record(thread, "user", text, MemorySource.USER)[0]


def told(memory: Memory, question: str) -> str:
    return memory.assembler.assemble(question, 400, MINE, count, only_relevant=True).content


def told_after(memory: Memory, clock: Clock, case: Correction) -> str:
    """With other talk on the days around them; a "no, …" is said where the first was said."""
    for number, text in enumerate((case.earlier, case.later)):
        for each in range(3):
            say(memory, OTHER_DAYS[3 * number + each], f"day {number}{each}")
        same = text.startswith(("No", "Nein"))
        say(memory, text, "talk 0" if same else f"talk {number}")
        memory.record(f"talk {number}", "Steward", "Thanks for telling me.", MemorySource.MODEL)
        clock.days(3)
    return told(memory, case.question)


@pytest.mark.parametrize("case", correction_cases(), ids=lambda case: case.later[:40])
def test_the_newer_is_told_alone(memory: Memory, clock: Clock, case: Correction) -> None:
    """And of two things that are both so, the one that is asked for."""
    context = told_after(memory, clock, case)
    assert case.newer in context
    if case.earlier in NOT_SEEN:
        assert case.older in context
        return
    if case.part == "both":
        assert case.older in context
    elif case.older:
        assert case.older not in context


def test_what_was_replaced_is_found_with_its_day(memory: Memory, clock: Clock) -> None:
    """The search of the Memory page shows both."""
    say(memory, "I live in Hamburg.")
    clock.days(3)
    say(memory, "I moved to Bremen last week.", "b")
    found = memory.search.hits(memory.search.question("Hamburg"))
    assert [(hit.item.text, hit.item.date) for hit in found] == [("I live in Hamburg.", "2025-11-17")]


def test_the_earlier_counts_again_once_the_newer_is_forgotten(memory: Memory, clock: Clock) -> None:
    """Nothing was marked when the newer came."""
    say(memory, "I live in Hamburg.")
    clock.days(3)
    newer = say(memory, "I moved to Bremen last week.", "b")
    memory.forget([newer])
    assert "Hamburg" in told(memory, "Where do I live?")


def test_of_a_turn_only_the_sentence_that_is_past_goes(memory: Memory, clock: Clock) -> None:
    """What else was said in it still holds."""
    say(memory, "I live in Hamburg. My landlord Quibble keeps four parrots.")
    clock.days(3)
    say(memory, "I moved to Bremen last week.", "b")
    context = told(memory, "What does my landlord Quibble keep?")
    assert "four parrots" in context
    assert "Hamburg" not in context


def test_a_chain_of_corrections_ends_with_the_last(memory: Memory, clock: Clock) -> None:
    """Whichever of them the question has words of."""
    places = ("I live in Hamburg.", "I moved to Bremen.", "We moved to Kiel last week.")
    for thread, text in enumerate(places):
        say(memory, text, str(thread))
        clock.days(1)
    context = told(memory, "Where do I live?")
    assert "Kiel" in context
    assert "Bremen" not in context
    assert "Hamburg" not in context


def test_a_correction_without_a_subject_is_told_with_it(memory: Memory, clock: Clock) -> None:
    """ "No, it's on 5 May" alone says nothing on another day."""
    say(memory, "My sister's birthday is on 3 May.")
    say(memory, "No, it's on 5 May.")
    clock.days(9)
    assert "(sister's birthday) No, it's on 5 May." in told(memory, "When is my sister's birthday?")


@pytest.mark.parametrize("source", [MemorySource.MODEL, MemorySource.WEB, MemorySource.TOOL])
def test_what_others_say_replaces_nothing(memory: Memory, clock: Clock, source: MemorySource) -> None:
    """An answer or a page may be wrong about its reader."""
    say(memory, "I live in Hamburg.")
    clock.days(1)
    memory.record("b", "Steward", "I moved to Bremen.", source)
    assert "Hamburg" in told(memory, "Where do I live?")


def test_what_is_said_in_a_project_replaces_nothing_outside(memory: Memory, clock: Clock) -> None:
    """It is not seen there."""
    say(memory, "The deadline is Friday.")
    clock.days(1)
    memory.record("b", "user", "The deadline is Monday.", MemorySource.USER, project="/srv/shop")
    assert "Friday" in told(memory, "When is the deadline?")


def test_a_note_and_a_turn_know_of_each_other(memory: Memory, clock: Clock) -> None:
    """What was to be remembered can be corrected in passing."""
    memory.store.add(NewItem("my dentist is Dr. Weber"))
    clock.days(1)
    say(memory, "I have a new dentist, Dr. Klein.")
    context = told(memory, "Who is my dentist?")
    assert "Klein" in context
    assert "Weber" not in context


def test_a_changed_memory_states_its_new_words(memory: Memory, clock: Clock) -> None:
    """By hand on the Memory page."""
    item = memory.store.add(NewItem("the kettle is red"))
    memory.store.change(item.id, "I live in Kiel")
    assert "Kiel" in told(memory, "Where do I live?")


def test_what_is_restored_states_again(memory: Memory, clock: Clock) -> None:
    """The undo of forgetting brings its place back too."""
    say(memory, "I live in Hamburg.")
    clock.days(1)
    newer = memory.store.items([say(memory, "I moved to Bremen.", "b")])
    memory.forget([newer[0].id])
    memory.store.restore(newer)
    assert "Hamburg" not in told(memory, "Where do I live?")


def test_memories_of_earlier_versions_are_read_for_what_they_state(
    paths: Paths, redactor: Redactor, clock: Clock
) -> None:
    """A corrected address of last year is not told after the update."""
    database = Database(paths.database, [each for each in MIGRATIONS if each.number < 6])
    with_topic = (
        "INSERT INTO memory_items (layer, scope, kind, source, status, text, at, speaker, thread, topic)"
        " VALUES ('user', '', 'episode', 'user', 'kept', ?, ?, 'user', ?, '')"
    )
    rows = [("I live in Hamburg.", clock.now - 9e5, "a"), ("I moved to Bremen.", clock.now - 8e5, "b")]
    database.write(lambda c: c.executemany(with_topic, rows))
    database.close()
    database = Database(paths.database, MIGRATIONS)
    memory = Memory(database, redactor, clock=clock)
    try:
        assert memory.store.asked("Where do I live?")[0] == 2
        states = memory.store.superseded(memory.store.items([1, 2]))
        assert {key: dict(state.outdated) for key, state in states.items()} == {1: {"home": 2}, 2: {}}
    finally:
        memory.close()
        database.close()


def test_a_layer_has_its_own_facts(memory: Memory) -> None:
    """What a conversation alone is to know stands against nothing of the user's."""
    memory.store.add(NewItem("I live in Hamburg"))
    memory.store.add(NewItem("I live in Bremen", Layer.SESSION, "7"))
    assert "Hamburg" in told(memory, "Where do I live?")


TALK = (
    "Thanks! Your encouragement means a lot to me. I'm feeling motivated now!",
    "Hey Gina! Good to see you too.",
    "Hey Gina! Congrats on the new piece! It looks like your store is growing.",
    "Thanks, Maria! I'm off to spend some time with them now.",
    "The hike was on Saturday and it was great.",
    "The hike was on Sunday and it was even better.",
    "I found a new trail in my town.",
    "Sometimes it feels like a new chapter.",
)


def test_talk_replaces_nothing(memory: Memory, clock: Clock) -> None:
    """What has "now" and "new" in it corrects nobody; of two past events both happened."""
    ids = []
    for number, text in enumerate(TALK):
        ids.append(say(memory, text, str(number)))
        clock.days(1)
    states = memory.store.superseded(memory.store.items(ids))
    assert [state.outdated for state in states.values() if state.outdated] == []
