"""What a person does with memory by hand."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.memory.housekeeping import FindingKind, Housekeeping, broader, examine, may_be_pinned
from desktop.memory.item import Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.memory import Memory
from desktop.memory.store import MemoryStore
from tests.memory.conftest import Clock, count


@pytest.fixture
def keeping(memory: Memory) -> Housekeeping:
    return Housekeeping(memory, count)


def found(memory: Memory, text: str) -> list[int]:
    return [hit.item.id for hit in memory.search.hits(memory.search.question(text))]


def test_forgetting_takes_the_turns_along_and_undo_brings_all_back(
    memory: Memory, keeping: Housekeeping
) -> None:
    """Note, replaced note and the turn that told it go; undone they are found again under their numbers."""
    memory.record("1", "Anna", "Remember: my dentist is Doctor Weiss", MemorySource.USER)
    first = memory.store.add(NewItem("my dentist is Doctor Weiss"))
    second = memory.store.add(NewItem("my dentist is Doctor Braun"))
    assert second.supersedes == first.id
    before = memory.store.latest()
    gone = keeping.forget(second.id)
    assert {item.id for item in gone} == {item.id for item in before}
    assert found(memory, "dentist") == []
    raw = b"".join(path.read_bytes() for path in memory.store.database._path.parent.glob("*.sqlite3*"))
    assert b"Weiss" not in raw
    keeping.restore(gone)
    assert memory.store.latest() == before
    assert set(found(memory, "dentist")) == {item.id for item in before}
    assert keeping.forget(9999) == ()


def test_a_middle_link_that_comes_back_stands_between_its_neighbours(
    memory: Memory, keeping: Housekeeping
) -> None:
    """The chain of corrections is as it was before."""
    notes = [memory.store.add(NewItem(f"my dentist is Doctor {name}")) for name in ("A", "B", "C")]
    before = memory.store.latest()
    memory.forget((notes[1].id,))
    memory.store.restore(tuple(item for item in before if item.id == notes[1].id))
    assert memory.store.latest() == before


def test_what_does_not_fit_into_the_profile_is_named(memory: Memory, keeping: Housekeeping) -> None:
    """The meter counts what is really put into a context; the oldest that are too many are left out."""
    assert keeping.profile().tokens == 0
    for number in range(12):
        text = f"Always remember rule number {number}: write short sentences and no foreign words."
        memory.store.add(NewItem(text, status=MemoryStatus.PINNED))
    profile = keeping.profile()
    assert 0 < profile.tokens <= profile.budget == 150
    assert profile.left_out == frozenset(range(1, 1 + len(profile.left_out)))
    assert 0 < len(profile.left_out) < 12


def test_promotion_stores_what_the_preview_showed(memory: Memory, keeping: Housekeeping) -> None:
    """An address that the user wanted kept in a project is not carried into the broader layer."""
    note = memory.store.add(NewItem("Ask anna@example.org about the shop", Layer.PROJECT, "/shop"))
    assert "anna@example.org" in note.text
    promotion = keeping.promotion(note.id, Layer.USER)
    assert promotion.is_redacted
    assert "anna@example.org" not in promotion.text
    moved = keeping.promote(promotion)
    assert (moved.layer, moved.scope, moved.text) == (Layer.USER, "", promotion.text)


def test_what_changed_meanwhile_is_not_promoted(memory: Memory, keeping: Housekeeping) -> None:
    """The yes was for another text."""
    note = memory.store.add(NewItem("The shop opens at nine", Layer.PROJECT, "/shop"))
    promotion = keeping.promotion(note.id, Layer.USER)
    memory.store.change(note.id, "The shop opens at ten")
    with pytest.raises(UserFacing, match="changed"):
        keeping.promote(promotion)
    assert memory.store.get(note.id).layer is Layer.PROJECT


@pytest.mark.parametrize(
    ("new", "shared", "layer"),
    [
        (NewItem("a", Layer.PROJECT, "/p"), False, Layer.USER),
        (NewItem("a", Layer.SESSION, "1"), False, Layer.USER),
        (NewItem("a"), False, None),
        (NewItem("a"), True, Layer.TEAM),
        (NewItem("a", Layer.TEAM), True, Layer.ORGANISATION),
        (NewItem("a", Layer.PROJECT, "/p", MemoryKind.EPISODE), False, None),
        (NewItem("a", Layer.PROJECT, "/p", status=MemoryStatus.SUGGESTED), False, None),
    ],
)
def test_one_layer_further_at_a_time(memory: Memory, new: NewItem, shared: bool, layer: Layer | None) -> None:
    """Beyond this computer only where something is shared; turns and suggestions never."""
    assert broader(memory.store.add(new), shared) is layer


@pytest.mark.parametrize("source", list(MemorySource))
def test_only_the_users_own_notes_are_offered_for_pinning(memory: Memory, source: MemorySource) -> None:
    """What a page, a tool or the model wrote is no standing instruction."""
    assert may_be_pinned(memory.store.add(NewItem("x", source=source))) is (source is MemorySource.USER)
    assert not may_be_pinned(memory.store.add(NewItem("x", kind=MemoryKind.EPISODE, source=source)))


def test_the_export_is_whole_and_private(memory: Memory, keeping: Housekeeping, tmp_path: Path) -> None:
    """Only its owner may read it; where it can't be written, nothing is left of it."""
    memory.store.add(NewItem("The shop opens at nine"))
    file = tmp_path / "memory.md"
    assert keeping.export(file) > 1
    assert "The shop opens at nine" in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(UserFacing, match="could not be written"):
        keeping.export(tmp_path / "missing" / "memory.md")


def troubles(store: MemoryStore, clock: Clock) -> list[FindingKind]:
    return [finding.trouble for finding in examine(store, clock.now)]


def test_what_nobody_needed_for_ninety_days_is_named(store: MemoryStore, clock: Clock) -> None:
    """Until it is used; what is pinned is used all the time."""
    item = store.add(NewItem("The kettle is red"))
    store.add(NewItem("always answer in German", status=MemoryStatus.PINNED))
    clock.days(89)
    assert troubles(store, clock) == []
    clock.days(2)
    assert troubles(store, clock) == [FindingKind.NEVER_USED]
    store.was_used((item.id,))
    assert troubles(store, clock) == []


def test_suggestions_wait_for_an_answer(store: MemoryStore, clock: Clock) -> None:
    """All of them in one finding."""
    for name in ("jazz", "tea"):
        store.add(NewItem(f"The user likes {name}", source=MemorySource.MODEL, status=MemoryStatus.SUGGESTED))
    (finding,) = examine(store, clock.now)
    assert finding.trouble is FindingKind.WAITING
    assert len(finding.items) == 2


def test_what_was_replaced_is_no_contradiction(store: MemoryStore, clock: Clock) -> None:
    """Nor are notes of different projects."""
    store.add(NewItem("my dentist is Dr. Weber"))
    store.add(NewItem("my dentist is Dr. Meier"))
    assert troubles(store, clock) == []
