"""All that one call changed is undone as one act."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.undo import (
    ChangedSince,
    OnChange,
    UndoStatus,
    in_words,
    latest,
    standing,
    title,
    undo,
    undo_changes,
)
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.tools.files import FileOperations


@pytest.fixture
def journal(database: Database, paths: Paths) -> Journal:
    return Journal(database, paths.journal)


@pytest.fixture
def files(journal: Journal, workspace: Workspace) -> FileOperations:
    return FileOperations(workspace, journal, lambda place: place.remove())


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_file_and_its_folder_go_together(
    files: FileOperations, journal: Journal, workspace: Workspace
) -> None:
    """What the call made for its file goes with the file; twice is harmless."""
    changes = files.write_file("a/b/notes.txt", "x", call="c1").changes
    assert len(changes) == 2
    done = undo_changes(journal, changes)
    assert names(workspace.root) == []
    assert str(in_words(done)) == "notes.txt, which was new, is gone again. 1 more change was undone with it."
    assert undo_changes(journal, changes) == ()
    assert str(in_words(())) == "There was nothing left to undo."


def test_taking_back_is_told_by_file_and_act(
    files: FileOperations, journal: Journal, workspace: Workspace
) -> None:
    """A file before the folders that were made for it; all else of the call is counted."""
    told = []
    for call, change in enumerate(
        (
            lambda call: files.write_file("a/b/notes.txt", "x", call=call),
            lambda call: files.write_file("a/b/notes.txt", "y", call=call),
            lambda call: files.move_file("a/b/notes.txt", "plan.txt", call=call),
            lambda call: files.delete_file("plan.txt", call=call),
            lambda call: files.make_directory("c", call=call),
        )
    ):
        change(str(call))
        told.append(str(title(latest(journal))))
    assert told == [
        "Undo creating notes.txt and 1 more change",
        "Undo the change to notes.txt",
        "Undo moving notes.txt",
        "Undo deleting plan.txt",
        "Undo creating the folder c",
    ]
    with pytest.raises(ValueError, match="nothing"):
        title(())


def test_a_folder_in_which_the_user_keeps_things_stays(
    files: FileOperations, journal: Journal, workspace: Workspace
) -> None:
    """Only the file is taken back, and nobody is asked about the folder."""
    changes = files.write_file("a/notes.txt", "x", call="c1").changes
    (workspace.root / "a" / "mine.txt").write_text("mine")
    undo_changes(journal, changes)
    assert names(workspace.root) == ["a", "a/mine.txt"]
    assert standing(journal, changes) is UndoStatus.UNDONE


def test_one_file_changed_since_stops_there_and_goes_on_after_the_choice(
    files: FileOperations, journal: Journal, workspace: Workspace
) -> None:
    """The newest is undone already; the choice is for the file that it was made for."""
    first = files.write_file("one.txt", "1", call="c1").changes
    second = files.write_file("two.txt", "2", call="c1").changes
    both = (*first, *second)
    (workspace.root / "one.txt").write_text("mine")
    with pytest.raises(ChangedSince) as raised:
        undo_changes(journal, both)
    assert raised.value.entry.id == first[0]
    assert names(workspace.root) == ["one.txt"]
    assert standing(journal, both) is UndoStatus.UNDOABLE
    undo_changes(journal, both, {first[0]: OnChange.OVERWRITE})
    assert names(workspace.root) == []


def test_the_latest_is_a_call_not_an_undo(
    files: FileOperations, journal: Journal, workspace: Workspace
) -> None:
    """What an undo put aside is not offered as the last change, and undone ones are passed over."""
    assert latest(journal) == ()
    old = files.write_file("a/one.txt", "1", call="c1").changes
    new = files.write_file("two.txt", "2", call="c2").changes
    (workspace.root / "two.txt").write_text("mine")
    undo(journal, new[0], OnChange.OVERWRITE)
    assert {entry.origin.tool for entry in journal.entries()} == {"make_directory", "write_file", "undo"}
    assert sorted(entry.id for entry in latest(journal)) == sorted(old)


def test_changes_without_a_call_are_undone_alone(journal: Journal, files: FileOperations) -> None:
    """An empty name of a call joins nothing."""
    files.write_file("one.txt", "1")
    files.write_file("two.txt", "2")
    assert [entry.path for entry in latest(journal)] == ["two.txt"]


def test_freed_space_ends_what_needs_it_and_nothing_else(
    files: FileOperations, journal: Journal, workspace: Workspace, paths: Paths
) -> None:
    """Overwritten and deleted files lapse; a new file and a move can still be undone."""
    made = files.write_file("notes.txt", "one", call="c1").changes
    wrote = files.write_file("notes.txt", "two", call="c2").changes
    moved = files.move_file("notes.txt", "moved.txt", call="c3").changes
    assert journal.free() == 1
    assert journal.used_bytes() == 0
    assert [path for path in paths.journal.rglob("*") if path.is_file()] == []
    stands = [standing(journal, changes) for changes in (made, wrote, moved, ())]
    assert stands == [UndoStatus.UNDOABLE, UndoStatus.LAPSED, UndoStatus.UNDOABLE, UndoStatus.NOTHING]
    undo_changes(journal, moved)
    assert names(workspace.root) == ["notes.txt"]
    with pytest.raises(UserFacing, match="can no longer be undone"):
        undo(journal, wrote[0])


def test_a_forgotten_entry_is_passed_over(journal: Journal, files: FileOperations) -> None:
    """A card of long ago whose entries the journal no longer knows offers nothing."""
    assert standing(journal, (900, 901)) is UndoStatus.NOTHING
    assert undo_changes(journal, (900,)) == ()
