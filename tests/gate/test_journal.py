"""Undo: what a tool changed comes back as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.journal import EntryState, Journal, JournalLimits, Origin
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.undo import ChangedSince, OnChange, UndoResult, undo
from desktop.paths import Paths
from desktop.sandbox.workspace import HeldPath, Workspace

TOOL = Origin("write_file", "call-1")
OLD = 1_600_000_000_123_456_789
CONTENTS = {
    "empty": b"",
    "text": b"one\ntwo\n",
    "no final newline": b"one\ntwo",
    "CRLF": b"one\r\ntwo\r\n",
    "Latin-1": "Stra\u00dfe \u00fc\n".encode("latin-1"),
    "binary": bytes(range(256)) * 20,
    "larger than a block": os.urandom(700_000),
}


@pytest.fixture
def journal(database: Database, paths: Paths) -> Journal:
    return Journal(database, paths.journal)


def _make(place: HeldPath, content: bytes) -> Path:
    """A file with a mode and times that are not the usual ones."""
    place.write(content, mode=0o640, times_ns=(OLD, OLD + 5))
    return place.path


def _seen(path: Path) -> tuple[bytes, int, int]:
    return path.read_bytes(), stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns


@pytest.mark.parametrize("name", CONTENTS)
def test_a_written_file_comes_back_with_bytes_mode_and_times(
    journal: Journal, workspace: Workspace, name: str
) -> None:
    """Whatever was in it, and also when it was empty."""
    place = workspace.place("notes.txt")
    before = _seen(_make(place, CONTENTS[name]))
    change = journal.write(place, b"new text", TOOL)
    assert place.read() == b"new text"
    assert undo(journal, change).result is UndoResult.RESTORED
    assert _seen(place.path) == before


@pytest.mark.parametrize("name", CONTENTS)
def test_a_deleted_file_comes_back_with_its_folder(journal: Journal, workspace: Workspace, name: str) -> None:
    """Also when the folder that held it has gone since."""
    place = workspace.place("deep/below/notes.txt")
    workspace.place("deep/below").make_folder()
    before = _seen(_make(place, CONTENTS[name]))
    change = journal.delete(place, TOOL)
    workspace.place("deep/below").remove()
    assert undo(journal, change).result is UndoResult.RESTORED
    assert _seen(place.path) == before


def test_a_new_file_goes_and_an_empty_one_is_not_taken_for_new(
    journal: Journal, workspace: Workspace
) -> None:
    """An existing empty file comes back empty; only what was not there is removed."""
    new, empty = workspace.place("new"), workspace.place("empty")
    empty.write(b"")
    changes = [journal.write(place, b"text", TOOL) for place in (new, empty)]
    assert [undo(journal, change).result for change in changes] == [UndoResult.REMOVED, UndoResult.RESTORED]
    assert not new.exists()
    assert empty.read() == b""


def test_moves_and_folders_are_undone(journal: Journal, workspace: Workspace) -> None:
    """A moved file and a moved folder go back; made folders go as long as they are empty."""
    one, folder = workspace.place("one"), workspace.place("folder")
    before = _seen(_make(one, b"1"))
    folder.make_folder()
    changes = [
        journal.move(one, workspace.place("two"), TOOL),
        journal.move(folder, workspace.place("moved"), TOOL),
        journal.make_folder(workspace.place("a/b/c"), TOOL),
    ]
    results = [undo(journal, change).result for change in reversed(changes)]
    assert results == [UndoResult.REMOVED, UndoResult.MOVED_BACK, UndoResult.MOVED_BACK]
    assert _seen(one.path) == before
    assert sorted(path.name for path in workspace.root.iterdir()) == ["folder", "one"]


def test_an_undo_after_a_restart(paths: Paths, workspace: Workspace) -> None:
    """Everything that undo needs is on disk."""
    place = workspace.place("notes.txt")
    before = _seen(_make(place, b"old"))
    first = Database(paths.database, MIGRATIONS)
    change = Journal(first, paths.journal).write(place, b"new", TOOL)
    first.close()
    second = Database(paths.database, MIGRATIONS)
    journal = Journal(second, paths.journal)
    journal.tidy()
    assert journal.entries()[0].id == change
    undo(journal, change)
    second.close()
    assert _seen(place.path) == before


@pytest.mark.parametrize("moment", ["before the change", "after the change"])
def test_kill_9_in_the_middle_of_a_change(paths: Paths, workspace: Workspace, moment: str) -> None:
    """The row that was written first is enough, whether or not the change had happened."""
    place = workspace.place("notes.txt")
    before = _seen(_make(place, b"old"))
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from desktop.database import Database
        from desktop.gate.journal import Journal, Origin
        from desktop.gate.migrations import MIGRATIONS
        from desktop.sandbox.held_folder import HeldFolder
        from desktop.sandbox.workspace import Workspace
        real = HeldFolder.write
        def dies(*arguments, **named):
            if {moment == "after the change"}:
                real(*arguments, **named)
            os.kill(os.getpid(), signal.SIGKILL)
        HeldFolder.write = dies
        place = Workspace(Path({str(workspace.root)!r})).place("notes.txt")
        database = Database(Path({str(paths.database)!r}), MIGRATIONS)
        Journal(database, Path({str(paths.journal)!r})).write(place, b"new", Origin("write_file"))
        """
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    assert killed.returncode == -9
    assert place.read() == (b"new" if moment == "after the change" else b"old")
    database = Database(paths.database, MIGRATIONS)
    journal = Journal(database, paths.journal)
    journal.tidy()
    (entry,) = journal.entries()
    assert entry.state is EntryState.PENDING
    undo(journal, entry.id)
    database.close()
    assert _seen(place.path) == before


@pytest.mark.parametrize(
    ("choice", "here", "beside"),
    [
        (OnChange.KEEP, b"mine", None),
        (OnChange.OVERWRITE, b"old", None),
        (OnChange.BESIDE, b"mine", b"old"),
    ],
)
def test_a_file_changed_since_is_not_touched_without_a_choice(
    journal: Journal, workspace: Workspace, choice: OnChange, here: bytes, beside: bytes | None
) -> None:
    """Undo refuses first; each of the three choices does what it says, and overwriting can be undone."""
    place = workspace.place("notes.txt")
    place.write(b"old")
    change = journal.write(place, b"new", TOOL)
    place.write(b"mine")
    with pytest.raises(ChangedSince) as refusal:
        undo(journal, change)
    assert refusal.value.choices == tuple(OnChange)
    assert place.read() == b"mine"
    undo(journal, change, choice)
    assert place.read() == here
    other = workspace.place("notes (before).txt")
    assert (other.read() if other.exists() else None) == beside
    if choice is OnChange.OVERWRITE:
        undo(journal, journal.entries()[0].id, OnChange.OVERWRITE)
        assert place.read() == b"mine"


def test_a_name_taken_again_after_a_delete_is_a_change(journal: Journal, workspace: Workspace) -> None:
    """The old file is saved beside the new one, under a name that is free."""
    place = workspace.place("notes.txt")
    place.write(b"old")
    change = journal.delete(place, TOOL)
    place.write(b"mine")
    workspace.place("notes (before).txt").write(b"taken")
    with pytest.raises(ChangedSince):
        undo(journal, change)
    assert undo(journal, change, OnChange.BESIDE).path == workspace.root / "notes (before 2).txt"
    assert workspace.place("notes (before 2).txt").read() == b"old"


def test_a_new_file_that_the_user_went_on_with(journal: Journal, workspace: Workspace) -> None:
    """There is nothing to save beside it, so two choices are left; removing it can be undone."""
    place = workspace.place("new.txt")
    change = journal.write(place, b"draft", TOOL)
    place.write(b"draft and hours of work")
    with pytest.raises(ChangedSince) as refusal:
        undo(journal, change)
    assert refusal.value.choices == (OnChange.KEEP, OnChange.OVERWRITE)
    undo(journal, change, OnChange.OVERWRITE)
    assert not place.exists()
    undo(journal, journal.entries()[0].id)
    assert place.read() == b"draft and hours of work"


def test_a_move_whose_places_have_changed(journal: Journal, workspace: Workspace) -> None:
    """The old name is taken, or the moved file is gone: nothing is lost without a choice."""
    one, two = workspace.place("one"), workspace.place("two")
    one.write(b"1")
    change = journal.move(one, two, TOOL)
    one.write(b"mine")
    with pytest.raises(ChangedSince):
        undo(journal, change)
    undo(journal, change, OnChange.BESIDE)
    assert (one.read(), two.read(), workspace.place("one (before)").read()) == (b"mine", b"1", b"1")
    gone = journal.move(two, workspace.place("three"), TOOL)
    workspace.place("three").remove()
    with pytest.raises(ChangedSince):
        undo(journal, gone)
    undo(journal, gone, OnChange.OVERWRITE)
    assert two.read() == b"1"


def test_a_folder_that_was_filled_stays(journal: Journal, workspace: Workspace) -> None:
    """Undo of a new folder never removes what was put into it."""
    change = journal.make_folder(workspace.place("a/b"), TOOL)
    workspace.place("a/b/mine").write(b"mine")
    with pytest.raises(ChangedSince) as refusal:
        undo(journal, change)
    assert refusal.value.choices == (OnChange.KEEP,)
    assert undo(journal, change, OnChange.KEEP).result is UndoResult.KEPT
    assert workspace.place("a/b/mine").read() == b"mine"


def test_an_undone_change_is_not_undone_twice(journal: Journal, workspace: Workspace) -> None:
    """The second time is refused with the reason, as is a number that does not exist."""
    change = journal.write(workspace.place("a"), b"1", TOOL)
    undo(journal, change)
    for number, code in ((change, "undo-undone"), (999, "undo-unknown")):
        with pytest.raises(UserFacing) as refusal:
            undo(journal, number)
        assert refusal.value.code == code


def test_what_is_already_as_before_is_left_alone(journal: Journal, workspace: Workspace) -> None:
    """When the user has put it right by hand, undo only says so."""
    place = workspace.place("a")
    place.write(b"old")
    change = journal.write(place, b"new", TOOL)
    place.write(b"old")
    assert undo(journal, change).result is UndoResult.ALREADY


def test_a_failed_change_leaves_no_entry(journal: Journal, workspace: Workspace, paths: Paths) -> None:
    """What did not happen cannot be undone, and takes no space."""
    (workspace.root / "link").symlink_to("/")
    workspace.place("a").write(b"a")
    workspace.place("b").write(b"b")
    for act in (
        lambda: journal.write(workspace.place("missing/a"), b"", TOOL),
        lambda: journal.write(workspace.place("link"), b"", TOOL),
        lambda: journal.delete(workspace.place("missing"), TOOL),
        lambda: journal.move(workspace.place("a"), workspace.place("b"), TOOL),
    ):
        with pytest.raises(UserFacing):
            act()
    assert journal.entries() == []
    assert list(paths.journal.iterdir()) == []


def test_a_huge_file_is_not_changed_without_leave(
    database: Database, paths: Paths, workspace: Workspace
) -> None:
    """What cannot be kept is said before; with leave the change happens and undo says what is missing."""
    journal = Journal(database, paths.journal, JournalLimits(file_bytes=1000))
    place = workspace.place("huge")
    place.write(b"x" * 1001)
    assert not journal.can_keep(place)
    with pytest.raises(UserFacing) as refusal:
        journal.write(place, b"new", TOOL)
    assert refusal.value.code == "undo-too-large"
    change = journal.write(place, b"new", TOOL, unkept=True)
    with pytest.raises(UserFacing) as refusal:
        undo(journal, change)
    assert refusal.value.code == "undo-not-kept"
    assert place.read() == b"new"
    moved = journal.move(place, workspace.place("moved"), TOOL)
    assert undo(journal, moved).result is UndoResult.MOVED_BACK


def test_space_is_bounded_and_the_oldest_lapses(
    database: Database, paths: Paths, workspace: Workspace
) -> None:
    """The kept bytes never exceed the limit; what lapsed says so, what is left works."""
    journal = Journal(database, paths.journal, JournalLimits(total_bytes=2500))
    place = workspace.place("a")
    place.write(b"0" * 1000)
    changes = [journal.write(place, str(number).encode() * 1000, TOOL) for number in range(1, 6)]
    assert journal.used_bytes() == sum(path.stat().st_size for path in paths.journal.iterdir()) == 2000
    with pytest.raises(UserFacing) as refusal:
        undo(journal, changes[0])
    assert refusal.value.code == "undo-lapsed"
    undo(journal, changes[4])
    assert place.read() == b"4" * 1000


def test_the_same_bytes_are_kept_once(journal: Journal, workspace: Workspace) -> None:
    """Two files with the same content take the space of one, and both come back."""
    places = [workspace.place(name) for name in "ab"]
    for place in places:
        place.write(b"x" * 1000)
    changes = [journal.delete(place, TOOL) for place in places]
    assert journal.used_bytes() == 1000
    for change, used in zip(changes, (1000, 0), strict=True):
        undo(journal, change)
        assert journal.used_bytes() == used
    assert [place.read() for place in places] == [b"x" * 1000] * 2


def test_a_root_that_became_a_link_is_refused(journal: Journal, workspace: Workspace, tmp_path: Path) -> None:
    """Undo does not follow a link put in the place of the folder."""
    change = journal.write(workspace.place("a"), b"1", TOOL)
    other = tmp_path / "other"
    workspace.root.rename(other)
    workspace.root.symlink_to(other)
    with pytest.raises(UserFacing) as refusal:
        undo(journal, change)
    assert refusal.value.code == "path-link"


def test_a_deletion_into_the_trash_is_undone_too(
    journal: Journal, workspace: Workspace, tmp_path: Path
) -> None:
    """How a file goes is the tool's business; the way back is the same."""
    place = workspace.place("a")
    place.write(b"1")
    change = journal.delete(place, TOOL, how=lambda it: it.path.rename(tmp_path / "trash"))
    undo(journal, change)
    assert place.read() == b"1"


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "move"]), st.sampled_from("abc"), st.binary(max_size=6)),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), st.binary(max_size=6)), STEPS)
def test_undoing_everything_backwards_restores_every_byte(
    journal: Journal, workspace: Workspace, start: dict[str, bytes], steps: list[tuple[str, str, bytes]]
) -> None:
    """Any mixture of changes, undone from the last to the first, leads back to the start."""
    for entry in workspace.place(".").entries():
        workspace.place(entry.name).remove()
    for name, content in start.items():
        workspace.place(name).write(content)
    changes = []
    for action, name, content in steps:
        place = workspace.place(name)
        try:
            if action == "write":
                changes.append(journal.write(place, content, TOOL))
            elif action == "delete":
                changes.append(journal.delete(place, TOOL))
            else:
                changes.append(journal.move(place, workspace.place(name + name), TOOL))
        except UserFacing:
            continue
    for change in reversed(changes):
        undo(journal, change)
    assert {path.name: path.read_bytes() for path in workspace.root.iterdir()} == start
