"""`steward undo` and `steward audit verify`, in a new process after the change."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.paths import Paths
from desktop.tools.files import FileOperations
from tests.cli.conftest import Steward


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A file that a tool has overwritten in this profile, by a process that has ended."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"old\r\nlines")
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("chat", "workspace", str(folder))
    files = FileOperations(core.workspace, core.journal, None)
    files.write_file("notes.txt", "new", call="c1")
    core.close()
    assert (folder / "notes.txt").read_bytes() == b"new"
    return folder


def test_the_latest_change_is_put_back_byte_for_byte(steward: Steward, workspace: Path) -> None:
    """Another process, later, restores the very bytes; a second undo has nothing left to do."""
    assert "notes.txt" in steward("undo", "--list").stdout
    done = steward("undo")
    assert done.returncode == 0, done.stderr
    assert (workspace / "notes.txt").read_bytes() == b"old\r\nlines"
    again = steward("undo")
    assert again.returncode == 1
    assert "nothing to undo" in again.stderr


def test_a_file_that_was_changed_since_is_not_overwritten_unasked(steward: Steward, workspace: Path) -> None:
    """The user's own later edit stays until they say what to do; saving beside keeps both."""
    (workspace / "notes.txt").write_bytes(b"mine")
    refused = steward("undo")
    assert refused.returncode == 1
    assert "was changed after" in refused.stderr
    assert (workspace / "notes.txt").read_bytes() == b"mine"
    assert steward("undo", "--if-changed", "beside").returncode == 0
    kept = sorted(path.read_bytes() for path in workspace.iterdir())
    assert kept == [b"mine", b"old\r\nlines"]


def test_the_audit_log_of_a_new_profile_is_whole(steward: Steward) -> None:
    """Verifying says how many records there are and that the chain holds."""
    done = steward("audit", "verify")
    assert done.returncode == 0
    assert "0 records, the chain is whole" in done.stdout
