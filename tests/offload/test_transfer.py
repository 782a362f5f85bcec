"""What comes back from a worker, which may be anybody's by then, and where it is put."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.offload.mirror import stamp_of
from desktop.offload.run import held_back
from desktop.offload.transfer import put_in_place, remove_here

pytestmark = pytest.mark.skipif(os.name != "posix", reason="workers are reached from POSIX")


class Place:
    """A project, what a worker sent for it, and a folder of the user's beside it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.staging, self.outside = folder / "project", folder / "staging", folder / "outside"
        for each in (self.root, self.staging, self.outside):
            each.mkdir()
        (self.outside / "file").write_text("mine")

    def sent(self, path: str, text: str = "theirs") -> Path:
        file = self.staging / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def bring(self) -> tuple[str, ...]:
        """What was left as it is here."""
        return put_in_place(self.staging, self.root, {}, held_back()).kept


def below_a_link(place: Place) -> None:
    (place.root / "d").symlink_to(place.outside)
    place.sent("d/file")


def below_a_link_in_a_folder(place: Place) -> None:
    (place.root / "a").mkdir()
    (place.root / "a" / "d").symlink_to(place.outside)
    place.sent("a/d/file")
    place.sent("a/d/more/file")


def over_a_link(place: Place) -> None:
    (place.root / "d").symlink_to(place.outside / "file")
    place.sent("d")


def over_a_folder(place: Place) -> None:
    (place.root / "d").symlink_to(place.outside)
    (place.staging / "d").mkdir()
    os.utime(place.staging / "d", (1, 1))


def a_hard_link(place: Place) -> None:
    os.link(place.outside / "file", place.root / "d")
    place.sent("d")


LEADING_OUT: list[Callable[[Place], None]] = [
    below_a_link,
    below_a_link_in_a_folder,
    over_a_link,
    over_a_folder,
    a_hard_link,
]


@pytest.mark.parametrize("lay_out", LEADING_OUT)
def test_nothing_outside_of_the_project_is_touched(lay_out: Callable[[Place], None], tmp_path: Path) -> None:
    """Whatever stands in the project where a file of the worker's belongs."""
    place = Place(tmp_path)
    before = os.stat(place.outside).st_mtime_ns
    lay_out(place)
    place.bring()
    assert {each.name: each.read_text() for each in place.outside.iterdir()} == {"file": "mine"}
    assert os.stat(place.outside).st_mtime_ns == before


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/x",
        ".GIT/hooks/x",
        "sub/.Git/config",
        ".ENVRC",
        ".Claude/settings.json",
        ".VSCode/tasks.json",
    ],
)
def test_what_others_act_on_stays_whatever_its_case(path: str, tmp_path: Path) -> None:
    """On some disks it is the same file."""
    place = Place(tmp_path)
    place.sent(path)
    assert place.bring() == (path,)
    assert not [each for each in place.root.rglob("*") if each.is_file()]


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6777])
def test_nobody_else_may_run_it_as_this_user(mode: int, tmp_path: Path) -> None:
    """Rights come along, but for the bits that lend the owner's."""
    place = Place(tmp_path)
    place.sent("program").chmod(mode)
    place.bring()
    assert (place.root / "program").stat().st_mode & 0o7777 == mode & 0o777


@pytest.mark.parametrize("path", ["../outside/file", "d/../../outside/file", "link/file", "{outside}/file"])
def test_what_was_removed_there_removes_nothing_elsewhere(path: str, tmp_path: Path) -> None:
    """Not even where a file of that name is remembered as the worker's."""
    place = Place(tmp_path)
    (place.root / "link").symlink_to(place.outside)
    (place.root / "d").mkdir()
    path = path.format(outside=place.outside)
    stamp = stamp_of(place.root / path)
    assert stamp is not None
    assert remove_here(place.root, [path], {path: stamp}) == ()
    assert (place.outside / "file").read_text() == "mine"
