"""Temporary folders go with their process, and what a killed one left with the next."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import temporary
from desktop.temporary import temporary_folder

HOLDS = """
import sys, time
from desktop.temporary import temporary_folder
with temporary_folder("test") as folder:
    (folder / "document").write_text("private")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder, in which nothing was swept yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "_swept", set())
    return tmp_path


@pytest.fixture
def holder(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place)},
    ) as child:
        assert child.stdout is not None
        yield child, Path(child.stdout.readline().strip())
        child.kill()


def test_a_folder_is_its_users_alone_and_gone_at_the_end(place: Path) -> None:
    """Also where the work fails."""
    with temporary_folder("test") as folder:
        assert folder.parent == place
        assert os.name == "nt" or folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), temporary_folder("test") as folder:
        (folder / "file").write_bytes(bytes(1 // 0))
    assert not folder.exists()


@pytest.mark.children
def test_what_a_killed_process_left_goes_with_the_next(
    holder: tuple[subprocess.Popen[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it lives its folder stays."""
    child, left = holder
    with temporary_folder("test"):
        assert (left / "document").exists()
    child.kill()
    child.wait()
    monkeypatch.setattr(temporary, "_swept", set())
    with temporary_folder("other"):
        assert left.exists()
    with temporary_folder("test") as folder:
        assert [each for each in left.parent.iterdir() if each.name.startswith("steward-")] == [folder]


@pytest.mark.parametrize(
    "name", ["steward-test-", "steward-test-abc", "steward-test-9999999999-a", "other-1-a"]
)
def test_what_no_process_of_ours_can_have_made_stays(place: Path, name: str) -> None:
    """Somebody else's folder may begin alike."""
    (place / name).mkdir()
    with temporary_folder("test"):
        assert (place / name).exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_with_such_a_name_is_not_followed(place: Path) -> None:
    """Anybody may put one into the system's temporary folder."""
    (place / "kept").mkdir()
    (place / "kept" / "file").write_text("")
    (place / "steward-test-999999-a").symlink_to(place / "kept")
    with temporary_folder("test"):
        assert (place / "kept" / "file").exists()
