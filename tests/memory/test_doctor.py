"""What a look through memory finds by and by."""

from __future__ import annotations

from desktop.memory.doctor import Trouble, examine
from desktop.memory.item import NewItem, Source, Status
from desktop.memory.store import MemoryStore
from tests.memory.conftest import Clock


def troubles(store: MemoryStore, clock: Clock) -> list[Trouble]:
    return [finding.trouble for finding in examine(store, clock.now)]


def test_what_nobody_needed_for_ninety_days_is_named(store: MemoryStore, clock: Clock) -> None:
    """Until it is used; what is pinned is used all the time."""
    item = store.add(NewItem("The kettle is red"))
    store.add(NewItem("always answer in German", status=Status.PINNED))
    clock.days(89)
    assert troubles(store, clock) == []
    clock.days(2)
    assert troubles(store, clock) == [Trouble.NEVER_USED]
    store.was_used((item.id,))
    assert troubles(store, clock) == []


def test_suggestions_wait_for_an_answer(store: MemoryStore, clock: Clock) -> None:
    """All of them in one finding."""
    for name in ("jazz", "tea"):
        store.add(NewItem(f"The user likes {name}", source=Source.MODEL, status=Status.SUGGESTED))
    (finding,) = examine(store, clock.now)
    assert finding.trouble is Trouble.WAITING
    assert len(finding.items) == 2


def test_what_was_replaced_is_no_contradiction(store: MemoryStore, clock: Clock) -> None:
    """Nor are notes of different projects."""
    store.add(NewItem("my dentist is Dr. Weber"))
    store.add(NewItem("my dentist is Dr. Meier"))
    assert troubles(store, clock) == []
