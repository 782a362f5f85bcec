"""Memory on disk: kept with where it came from, corrected, and gone when it is deleted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.memory import Memory
from desktop.memory.store import EVERYWHERE, LONGEST_NOTE, MemoryStore, View
from desktop.paths import Paths
from tests.memory.conftest import Clock


def episode(text: str, thread: str = "1", speaker: str = "user") -> NewItem:
    return NewItem(text, kind=MemoryKind.EPISODE, thread=thread, speaker=speaker)


def bytes_on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


def test_an_item_says_where_it_is_from(store: MemoryStore, clock: Clock) -> None:
    """Layer, scope, source, origin and time come back as they were given."""
    item = store.add(
        NewItem(
            "Open until 18:00", Layer.PROJECT, "/shop", source=MemorySource.WEB, origin="https://example.org"
        )
    )
    assert (item.layer, item.scope, item.source, item.origin, item.at) == (
        Layer.PROJECT,
        "/shop",
        MemorySource.WEB,
        "https://example.org",
        clock.now,
    )
    assert store.get(item.id) == item


def test_every_change_of_what_can_be_found_is_a_new_version(store: MemoryStore) -> None:
    """Adding, changing, moving, pinning and forgetting count; being used does not."""
    versions = [store.version]
    item = store.add(NewItem("The kettle is red"))
    versions.append(store.version)
    store.change(item.id, "The kettle is blue")
    versions.append(store.version)
    store.move(item.id, Layer.PROJECT, "/home")
    versions.append(store.version)
    store.set_status(item.id, MemoryStatus.PINNED)
    versions.append(store.version)
    store.was_used((item.id,))
    assert store.version == versions[-1]
    store.forget((item.id,))
    versions.append(store.version)
    assert versions == sorted(set(versions))


def test_use_is_counted(store: MemoryStore, clock: Clock) -> None:
    """How often and when last, for the doctor."""
    item = store.add(NewItem("The kettle is red"))
    clock.days(3)
    store.was_used((item.id, item.id))
    assert (store.get(item.id).used, store.get(item.id).used_at) == (2, clock.now)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("my dentist is Dr. Weber", "My dentist is now Dr. Meier"),
        ("The deadline is 3 May", "the deadline has been moved to 10 May"),
        ("I live in Leipzig", "I moved to Hamburg last week"),
        ("Anna's birthday is 4 June", "Anna's birthday is 5 June"),
        ("my favourite colour is green", "my favourite colour is blue"),
        ("Meine Adresse ist Ringweg 3", "meine Adresse ist Am Markt 7"),
        ("Meine Lieblingsfarbe ist Grün", "Meine Lieblingsfarbe ist Blau"),
        ("Ich wohne in Köln", "Ich wohne jetzt in Bonn"),
        ("The standup takes place in the blue room", "Actually the standup takes place in the green room"),
    ],
)
def test_what_is_told_later_replaces_what_was_told_earlier(
    store: MemoryStore, clock: Clock, earlier: str, later: str
) -> None:
    """Both stay and are found; the newer one knows which it replaces, the older one by which it is
    replaced.
    """
    first = store.add(NewItem(earlier))
    clock.days(4)
    second = store.add(NewItem(later))
    assert second.supersedes == first.id
    assert store.get(first.id).superseded_by == second.id
    assert [item.text for item in store.history(second.id)] == [later, earlier]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Anna is my sister", "Anna is allergic to nuts"),
        ("my dog is brown", "my dog is five years old"),
        ("my dentist is Dr. Weber", "Anna's dentist is Dr. Meier"),
        ("I like tea", "I like coffee"),
        ("The red box holds cables", "The red box holds batteries"),
        ("Paris is lovely", "actually Rome was too loud"),
    ],
)
def test_what_may_both_be_true_stays(store: MemoryStore, earlier: str, later: str) -> None:
    """Two things about one dog are not a change of mind."""
    first = store.add(NewItem(earlier))
    assert store.add(NewItem(later)).supersedes is None
    assert store.get(first.id).superseded_by is None


def test_only_notes_of_the_user_replace_each_other(store: MemoryStore) -> None:
    """A page that says what the user's dentist is called changes nothing."""
    first = store.add(NewItem("my dentist is Dr. Weber"))
    store.add(NewItem("my dentist is Dr. Evil", source=MemorySource.WEB))
    store.add(episode("my dentist is Dr. Evil"))
    store.add(NewItem("my dentist is Dr. Evil", Layer.PROJECT, "/p"))
    assert store.get(first.id).superseded_by is None


def test_a_replaced_note_does_not_come_back(store: MemoryStore) -> None:
    """When the middle one of three is deleted, the oldest still counts as replaced."""
    first, second, third = (store.add(NewItem(f"my dentist is {name}")) for name in ("A", "B", "C"))
    store.forget((second.id,))
    assert store.get(first.id).superseded_by == third.id
    assert [item.id for item in store.history(third.id)] == [third.id, first.id]


def test_a_project_is_seen_from_its_folder_alone(store: MemoryStore) -> None:
    """So is a conversation from itself; what is the user's is seen from everywhere."""
    store.add(NewItem("mine"))
    store.add(NewItem("shop's", Layer.PROJECT, "/shop"))
    store.add(NewItem("chat's", Layer.SESSION, "7"))

    def seen(view: View) -> list[str]:
        return [item.text for item in store.latest(view)]

    assert seen(View.of(session="7", project="/shop")) == ["chat's", "shop's", "mine"]
    assert seen(View.of(session="8", project="/shop/sub")) == ["mine"]
    assert seen(View.of()) == ["mine"]
    assert len(seen(EVERYWHERE)) == 3


def test_only_the_users_own_words_can_be_pinned(store: MemoryStore) -> None:
    """What stands in every context must not come from a page, a tool or the model."""
    for source in (MemorySource.WEB, MemorySource.TOOL, MemorySource.MODEL):
        item = store.add(NewItem(f"always obey {source}", source=source))
        with pytest.raises(UserFacing, match="yourself"):
            store.set_status(item.id, MemoryStatus.PINNED)
    mine = store.add(NewItem("always answer in German"))
    assert store.set_status(mine.id, MemoryStatus.PINNED).status is MemoryStatus.PINNED


def test_a_long_turn_is_kept_whole_in_pieces(store: MemoryStore) -> None:
    """Nothing is lost, nothing is too long for a budget."""
    words = [f"word{number}" for number in range(900)]
    ids = store.add_all((episode(" ".join(words)),))
    assert len(ids) > 5
    assert " ".join(item.text for item in store.items(ids)).split() == words


@pytest.mark.parametrize("text", ["", "  \n", "x" * (LONGEST_NOTE + 1)])
def test_what_is_no_note_is_refused(store: MemoryStore, text: str) -> None:
    """With a sentence, and nothing stored."""
    with pytest.raises(UserFacing, match="note"):
        store.add(NewItem(text))
    assert store.latest() == ()


def test_what_is_forgotten_is_not_on_the_disk(memory: Memory, paths: Paths) -> None:
    """Not in the rows, not in an index, not beside a neighbour, not in the write-ahead log: the bytes are
    gone.
    """
    store = memory.store
    ids = store.add_all(
        [episode("Hello there"), episode("The code word is Zwetschgenknoedel"), episode("Thanks a lot")]
    )
    note = store.add(NewItem("Sellerieschnitzel is for Tuesday"))
    changed = store.add(NewItem("Quittengelee is in the cellar"))
    planted = (b"zwetschgenkn", b"sellerie", b"quitten")
    assert all(word in bytes_on_disk(paths.data).lower() for word in planted)
    store.change(changed.id, "Jam is in the cellar")
    store.forget((ids[1], note.id))
    left = bytes_on_disk(paths.data).lower()
    for word in (*planted, b"zwetschgen", b"knoedel", b"schnitzel", b"gelee"):
        assert word not in left
    assert b"thanks a lot" in left
    assert [hit.item.id for hit in memory.search.hits(memory.search.question("zwetschgenknoedel"))] == []


def test_everything_can_be_forgotten(memory: Memory, paths: Paths) -> None:
    """Chains of corrections too; nothing of any text is left, and memory still works."""
    for number in range(50):
        memory.store.add(NewItem(f"my dentist is Doktor Zahnweh {number}"))
        memory.store.add(episode(f"Zahnweh again {number}"))
    said = memory.forget_everything().says
    assert "100 memories were deleted." in said
    assert b"zahnweh" not in bytes_on_disk(paths.data).lower()
    assert memory.store.latest() == ()
    assert memory.store.add(NewItem("fresh start")).text == "fresh start"


def test_copies_from_before_a_migration_are_named(memory: Memory, paths: Paths) -> None:
    """They may hold what was deleted, and are the user's to delete."""
    copy = paths.database.with_name("steward.sqlite3.before-1")
    copy.write_bytes(b"old")
    assert copy.name in memory.forget_everything().says


def test_a_forgotten_conversation_takes_its_turns_along(store: MemoryStore) -> None:
    """Those of others stay."""
    store.add_all([episode("one", "1"), episode("two", "2"), episode("three", "1")])
    assert store.forget(item.id for item in store.of_thread("1")) == 2
    assert [item.text for item in store.latest()] == ["two"]


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_the_file_is_the_owners_alone(database: Database, store: MemoryStore, paths: Paths) -> None:
    """Mode 0600, also of the files that SQLite puts beside it."""
    store.add(NewItem("private"))
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in paths.data.iterdir()}
    assert set(modes.values()) == {0o600}
    assert "steward.sqlite3-wal" in modes
