"""The difference that a change of the journal made, told from its bytes or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.journal import Journal, Origin
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.past_changes import past_changes, taken_back
from desktop.gate.undo import undo
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace


class Desk:
    def __init__(self, database: Database, paths: Paths, root: Path) -> None:
        self.journal, self.workspace, self.root = Journal(database, paths.journal), Workspace(root), root

    def write(self, name: str, content: bytes) -> int:
        return self.journal.write(self.workspace.place(name), content, Origin("write_file", "c"))

    def diff(self, *numbers: int) -> list[str]:
        return [
            line
            for change in past_changes(self.journal, numbers)
            for line in change.diff.splitlines()
            if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]


@pytest.fixture
def desk(paths: Paths, tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "workspace"
    root.mkdir()
    database = Database(paths.database, MIGRATIONS)
    made = Desk(database, paths, root)
    yield made
    made.workspace.close()
    database.close()


def test_a_new_text_is_all_added(desk: Desk) -> None:
    """There was nothing before."""
    assert desk.diff(desk.write("a.txt", b"milk\nbread\n")) == ["+milk", "+bread"]


def test_a_changed_text_shows_what_changed(desk: Desk) -> None:
    """From the bytes that are kept to those that stand there."""
    (desk.root / "a.txt").write_bytes(b"milk\nbread\n")
    number = desk.write("a.txt", b"milk\nbutter\n")
    assert desk.diff(number) == ["-bread", "+butter"]


@pytest.mark.parametrize("after", [b"mine\n", None])
def test_what_was_changed_since_is_not_guessed(desk: Desk, after: bytes | None) -> None:
    """Another text stands there now, or none."""
    number = desk.write("a.txt", b"milk\n")
    (desk.root / "a.txt").unlink()
    if after is not None:
        (desk.root / "a.txt").write_bytes(after)
    assert desk.diff(number) == []


def test_what_was_taken_back_and_what_is_no_text_has_none(desk: Desk) -> None:
    """Nor has a folder that was made."""
    undone = desk.write("a.txt", b"milk\n")
    undo(desk.journal, undone)
    folder = desk.journal.make_folder(desk.workspace.place("d"), Origin("make_directory", "c"))
    assert desk.diff(undone, desk.write("b.bin", b"\xff\xfe\x00"), folder) == []


def test_what_undo_brings_back_is_shown_before_it_does(desk: Desk) -> None:
    """The other way round, with the text of a deleted file; of what was changed since nothing is said."""
    (desk.root / "a.txt").write_bytes(b"milk\nbread\n")
    changed = desk.write("a.txt", b"milk\nbutter\n")
    (desk.root / "b.txt").write_bytes(b"eggs\n")
    deleted = desk.journal.delete(desk.workspace.place("b.txt"), Origin("delete_file", "c"))

    def back(*numbers: int) -> list[str]:
        lines = taken_back(desk.journal, [desk.journal.entry(each) for each in numbers]).splitlines()
        return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]

    assert back(changed, deleted) == ["-butter", "+bread", "+eggs"]
    (desk.root / "b.txt").write_bytes(b"mine\n")
    assert back(deleted) == []
