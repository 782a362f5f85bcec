"""Files in /tmp: a session's own, and everybody else's."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.gate.scratch import Scratch, leads_out


@pytest.fixture
def entry() -> Iterator[Path]:
    """A name in /tmp at which nothing stands."""
    place = Path("/tmp") / f"steward-test-{uuid.uuid4().hex}"
    yield place
    if place.is_dir():
        for each in sorted(place.rglob("*"), reverse=True):
            each.rmdir() if each.is_dir() else each.unlink()
        place.rmdir()
    place.unlink(missing_ok=True)


def test_what_was_there_before_is_taken(tmp_path: Path) -> None:
    """A session may go on with a file that was not there when it named it first; another may not."""
    scratch, place = Scratch(), tmp_path / "out.txt"
    assert scratch.taken("one", [str(place)]) == ()
    place.write_text("x")
    assert scratch.taken("one", [str(place)]) == ()
    assert scratch.taken("two", [str(place)]) == (str(place),)


def test_a_link_is_never_its_own(tmp_path: Path) -> None:
    """Whoever put it there meanwhile may have led it elsewhere."""
    scratch, place = Scratch(), tmp_path / "out.txt"
    scratch.taken("one", [str(place)])
    place.symlink_to(tmp_path)
    assert scratch.taken("one", [str(place)]) == (str(place),)


def test_what_a_project_made_in_tmp_is_its_own(entry: Path) -> None:
    """The whole entry, however deep the line goes into it; for another project it is somebody else's."""
    scratch, home = Scratch(), Path("/home/me")
    assert scratch.places("one", "", home, [f"{entry}/a/b", str(entry), "x", "/etc/x"]) == (str(entry),)
    entry.mkdir()
    assert scratch.places("one", "", Path("/tmp"), [f"{entry.name}/c"]) == (str(entry),)
    assert scratch.places("two", "", home, [f"{entry}/c"]) == ()


@pytest.mark.parametrize("path", ["/tmp", "/tmp/..", "/tmp/../etc/x", "~/x", "/var/tmp/x", "/tmp/a\0b"])
def test_only_entries_of_tmp_are_places(path: str) -> None:
    """Neither the folder itself nor what lies elsewhere."""
    assert Scratch().places("one", "", Path("/home/me"), [path]) == ()


def test_a_folder_named_as_the_session_is_its_own(entry: Path) -> None:
    """Agents give their model such a folder; a short name, another's, or one behind a link is none."""
    session = uuid.uuid4().hex
    own = entry / "work" / session
    own.mkdir(parents=True)
    scratch, home = Scratch(), Path("/home/me")
    wanted = [f"{own}/notes/a.txt"]
    assert scratch.places("one", session, home, wanted) == (str(own),)
    assert scratch.places("one", uuid.uuid4().hex, home, wanted) == ()
    assert scratch.places("one", "work", home, wanted) == ()
    (entry / "link").symlink_to(entry / "work")
    assert scratch.places("one", session, home, [f"{entry}/link/{session}/a"]) == ()


def test_links_lead_out(tmp_path: Path) -> None:
    """Of what is written at a path, and of a file that has a second name."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "file").write_text("x")
    (inside / "link").symlink_to(outside)
    (inside / "plain").write_text("x")
    os.link(outside / "file", inside / "same")
    told = {name: leads_out(str(inside / name), [str(inside)]) for name in ("link/x", "same", "plain", "new")}
    assert told == {"link/x": True, "same": True, "plain": False, "new": False}
