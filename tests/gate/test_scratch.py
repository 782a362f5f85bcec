"""Files in /tmp: a session's own, and everybody else's."""

from __future__ import annotations

from pathlib import Path

from desktop.gate.scratch import Scratch


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
