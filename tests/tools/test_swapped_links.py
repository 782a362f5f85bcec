"""The file tools, beside a process that swaps files and folders for links: nothing outside is touched."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.gate.undo import OnChange, latest, undo, undo_changes
from tests.sandbox.swapping import swapping
from tests.tools.conftest import Desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="two names are swapped in one step there")

INSIDE, OUTSIDE = "inside the workspace\n", "what is outside\n"
ROUNDS = 10  # of each of the tools, at least


@dataclass(frozen=True)
class Yard:
    """A workspace with a folder `a` and a file `b/note.txt`, each of which keeps becoming something else."""

    desk: Desk
    outside: Path

    def told(self, path: str) -> str:
        return self.desk.tools.read_file(path).text

    def lay(self, path: str) -> None:
        self.desk.tools.write_file(path, INSIDE)


def other_folder(yard: Yard) -> Path:
    link = yard.desk.root / "link"
    link.symlink_to(yard.outside)
    return link


def other_file(yard: Yard) -> Path:
    link = yard.desk.root / "link"
    link.symlink_to(yard.outside / "note.txt")
    return link


def other_name(yard: Yard) -> Path:
    link = yard.desk.root / "link"
    os.link(yard.outside / "note.txt", link)
    return link


def pipe(yard: Yard) -> Path:
    os.mkfifo(yard.desk.root / "link")
    return yard.desk.root / "link"


SWAPS: dict[str, tuple[str, Callable[[Yard], Path]]] = {
    "a folder for a link": ("a", other_folder),
    "a folder above for a link": ("a/deep", other_folder),
    "a file for a link": ("a/deep/note.txt", other_file),
    "a file for another name of one outside": ("a/deep/note.txt", other_name),
    "a file for a pipe": ("a/deep/note.txt", pipe),
}
NOTE = "a/deep/note.txt"


def undone(yard: Yard) -> str:
    yard.lay(NOTE)
    change = latest(yard.desk.journal)[0]
    undo(yard.desk.journal, change.id, OnChange.OVERWRITE)
    return ""


def moved_and_back(yard: Yard) -> str:
    yard.desk.tools.move_file(NOTE, "moved.txt")
    yard.desk.tools.move_file("moved.txt", NOTE)
    return ""


def deleted_and_undone(yard: Yard) -> str:
    changes = yard.desk.tools.delete_file(NOTE).changes
    undo_changes(yard.desk.journal, changes, dict.fromkeys(changes, OnChange.OVERWRITE))
    return ""


USES: dict[str, Callable[[Yard], str]] = {
    "read": lambda yard: yard.told(NOTE),
    "listed": lambda yard: yard.desk.tools.list_directory("a/deep").text,
    "found": lambda yard: yard.desk.tools.find_files("*.txt", "a").text,
    "searched": lambda yard: yard.desk.tools.search_text("outside", "a").text,
    "compared": lambda yard: yard.desk.tools.preview_write(NOTE, INSIDE),
    "written": lambda yard: yard.desk.tools.write_file(NOTE, INSIDE).text,
    "added to": lambda yard: yard.desk.tools.append_text(NOTE, "more").text,
    "changed": lambda yard: yard.desk.tools.replace_text(NOTE, "inside", "within").text,
    "made": lambda yard: yard.desk.tools.make_directory("a/deep/made").text,
    "undone": undone,
    "moved": moved_and_back,
    "deleted": deleted_and_undone,
}


@pytest.mark.parametrize("swap", SWAPS)
def test_nothing_outside_is_touched_or_told(desk: Desk, tmp_path: Path, swap: str) -> None:
    """Whatever the moment in which a link, another name or a pipe takes the place of a file or a folder."""
    yard = Yard(desk, tmp_path / "outside")
    for folder in (yard.outside, yard.outside / "deep"):
        folder.mkdir()
        (folder / "note.txt").write_text(OUTSIDE)
    yard.lay(NOTE)
    place, make = SWAPS[swap]
    link = make(yard)
    is_name = make is other_name
    done = refused = rounds = 0
    with swapping((desk.root / place, link)):
        # The other process may get no processor for a while: then one of the two stands there throughout.
        while rounds < ROUNDS or not (done and refused):
            rounds += 1
            for name, use in USES.items():
                try:
                    said = use(yard)
                    done += 1
                except UserFacing:
                    refused += 1
                    continue
                # The difference of a write over another name is shown to the user, who is asked about it.
                assert is_name or OUTSIDE.strip() not in said, name
    for folder in (yard.outside, yard.outside / "deep"):
        assert (folder / "note.txt").read_text() == OUTSIDE
    left = sorted(str(each.relative_to(yard.outside)) for each in yard.outside.rglob("*"))
    assert left == ["deep", "deep/note.txt", "note.txt"]
