"""What comes back from a worker, which may be anybody's by then, and where it is put."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.offload.mirror import Changes, stamp_of
from desktop.offload.run import held_back
from desktop.offload.transfer import TransferFailed, put_in_place, remove_here, send
from desktop.offload.workers import Worker
from tests.sandbox.swapping import swapping

SENDINGS = 10  # every second of which brought something along where rsync opened by name
BROUGHT = 400  # files, four at a time; one in four was written outside where names were trusted
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


@pytest.mark.skipif(sys.platform != "linux", reason="two names are swapped in one step there")
def test_nothing_outside_is_touched_while_links_are_swapped_in(tmp_path: Path) -> None:
    """A command of the same project may be at work here while the other's files come back."""
    place = Place(tmp_path)
    (place.root / "a" / "d").mkdir(parents=True)
    (place.root / "a-link").symlink_to(place.outside)
    (place.root / "d-link").symlink_to(place.outside)
    stamp = stamp_of(place.outside / "file")
    assert stamp is not None
    pairs = ((place.root / "a", place.root / "a-link"), (place.root / "a/d", place.root / "d-link"))
    came = kept = 0
    with swapping(*pairs):
        while came + kept < BROUGHT or min(came, kept) < 1:
            place.staging.mkdir(exist_ok=True)
            for name in ("a/file", "a/d/file", "a/d/new", "a/new/file"):
                place.sent(name)
            brought = place.bring()
            came, kept = came + 4 - len(brought), kept + len(brought)
            remove_here(place.root, ["a/file", "a/d/file"], {"a/file": stamp, "a/d/file": stamp})
            assert {each.name: each.read_text() for each in place.outside.iterdir()} == {"file": "mine"}


def test_a_copy_on_another_disk_goes_into_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands beside it under a name that could be foreseen is nobody's business."""
    place = Place(tmp_path)
    (place.root / ".new.steward").symlink_to(place.outside / "file")
    place.sent("new").chmod(0o750)
    (place.staging / "link").symlink_to("new")
    rename = os.replace

    def on_another_disk(source: str | Path, target: str, **folders: int) -> None:
        if isinstance(source, Path):
            raise OSError(errno.EXDEV, "")
        rename(source, target, **folders)

    monkeypatch.setattr(os, "replace", on_another_disk)
    assert place.bring() == ()
    assert (place.root / "new").read_text() == "theirs"
    assert (place.root / "new").stat().st_mode & 0o777 == 0o750
    assert (place.root / "link").readlink() == Path("new")
    assert (place.outside / "file").read_text() == "mine"
    assert sorted(os.listdir(place.root)) == [".new.steward", "link", "new"]


class LocalLine:
    """rsync's way to a worker that is a folder here."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "worker"
        self.mirror = self.home / ".cache/steward-offload/key/mirror"
        self.mirror.mkdir(parents=True)
        shell = folder / "shell"
        shell.write_text(f"#!/bin/sh\nshift\ncd '{self.home}' && exec sh -c \"$*\"\n")
        shell.chmod(0o755)
        self.for_rsync = str(shell)
        self.worker = Worker("w", "host", ())

    def send(self, place: Place, written: tuple[str, ...], removed: tuple[str, ...] = ()) -> None:
        staging = place.root.with_name("outgoing")
        send(self, place.root, "key", Changes(written, removed, 0), staging)  # type: ignore[arg-type] # of which it has what is used
        assert not staging.exists()

    def content(self) -> dict[str, str]:
        return {
            str(each.relative_to(self.mirror)): os.readlink(each) if each.is_symlink() else each.read_text()
            for each in self.mirror.rglob("*")
            if each.is_symlink() or each.is_file()
        }


needs_rsync = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is missing")


@needs_rsync
def test_what_is_sent_arrives_as_it_is_here(tmp_path: Path) -> None:
    """Content, rights and times of files, folders and links; two names of one file; and what is gone goes."""
    place, line = Place(tmp_path), LocalLine(tmp_path)
    deep = place.root / "a" / "b b"
    deep.mkdir(parents=True)
    (deep / "x").write_text("x")
    (deep / "x").chmod(0o751)
    (place.root / "top").write_text("top")
    os.link(place.root / "top", deep / "second")
    (place.root / "a" / "link").symlink_to("nowhere")
    (place.root / "a").chmod(0o750)
    for each in (deep / "x", deep, place.root / "a", place.root / "top"):
        os.utime(each, ns=(1_000_000_001, 1_700_000_000_123_456_789))
    written = ("a/b b/x", "top", "a/b b/second", "a/link", "a/never was")
    line.send(place, written)
    assert line.content() == {"a/b b/x": "x", "top": "top", "a/b b/second": "top", "a/link": "nowhere"}
    for path in ("a", "a/b b", "a/b b/x", "top"):
        here, there = (place.root / path).stat(), (line.mirror / path).stat()
        assert (there.st_mode, there.st_mtime_ns) == (here.st_mode, here.st_mtime_ns), path
    assert (line.mirror / "top").samefile(line.mirror / "a/b b/second")
    assert (place.root / "top").stat().st_nlink == 2
    (deep / "x").unlink()
    line.send(place, ("top",), ("a/b b/x",))
    assert "a/b b/x" not in line.content()


@needs_rsync
def test_what_cannot_be_read_is_not_sent_and_said(tmp_path: Path) -> None:
    """A pipe is no file; one that may not be read ends the sending, as it did with rsync."""
    place, line = Place(tmp_path), LocalLine(tmp_path)
    os.mkfifo(place.root / "pipe")
    (place.root / "top").write_text("top")
    line.send(place, ("pipe", "top"))
    assert line.content() == {"top": "top"}
    (place.root / "top").chmod(0)
    if not os.access(place.root / "top", os.R_OK):
        with pytest.raises(OSError, match="Permission"):
            line.send(place, ("top",))


@needs_rsync
@pytest.mark.skipif(sys.platform != "linux", reason="two names are swapped in one step there")
def test_nothing_outside_is_sent_while_links_are_swapped_in(tmp_path: Path) -> None:
    """A command of the project may put a link where a folder was, right after it was looked at."""
    place, line = Place(tmp_path), LocalLine(tmp_path)
    (place.root / "a" / "d").mkdir(parents=True)
    for path in ("a/file", "a/d/file"):
        (place.root / path).write_text("project")
    (place.root / "a-link").symlink_to(place.outside)
    (place.root / "d-link").symlink_to(place.outside)
    pairs = ((place.root / "a", place.root / "a-link"), (place.root / "a/d", place.root / "d-link"))
    sent = left_out = 0
    with swapping(*pairs):
        while sent + left_out < SENDINGS or min(sent, left_out) < 1:
            try:
                line.send(place, ("a/file", "a/d/file"))
                sent += 1
            except TransferFailed:  # a folder was none at that moment
                left_out += 1
            assert set(line.content().values()) <= {"project"}
