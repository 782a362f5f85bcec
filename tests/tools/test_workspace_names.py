"""The names and texts of a workspace, for requests in words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from desktop.database import Database
from desktop.events import Bus
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.tools.reminders import MIGRATIONS, Reminders
from desktop.tools.times import local_now
from desktop.tools.workspace_names import WorkspaceNames


def test_what_is_there_is_named(paths: Paths, tmp_path: Path) -> None:
    """Files and folders by their paths, texts, and the reminders in the order in which they were set."""
    root = tmp_path / "workspace"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.txt").write_text("hello", encoding="utf-8")
    (root / "b.bin").write_bytes(b"\0\1")
    database, workspace = Database(paths.database, MIGRATIONS), Workspace(root)
    reminders = Reminders(database, Bus())
    later, sooner = (
        reminders.add(text, local_now() + timedelta(days=days))
        for text, days in (("x", 28_000), ("y", 27_000))
    )
    names = WorkspaceNames(workspace, reminders, lambda question: question, lambda _question: False)
    assert list(names.files()) == ["b.bin", "sub/a.txt"]
    assert list(names.folders()) == ["sub"]
    assert (names.text("sub/a.txt"), names.text("b.bin"), names.text("gone")) == ("hello", "", "")
    assert names.reminders() == [(later.id, "x"), (sooner.id, "y")]
    soon = reminders.add("z", local_now() + timedelta(days=3))
    due = names.due(soon.id)
    assert due is not None
    assert names.is_due_at(soon.id, f"{due:%Y-%m-%d %H:%M}")
    assert not names.is_due_at(later.id, f"{due:%Y-%m-%d %H:%M}")
    assert not names.is_due_at(soon.id, "someday")
    assert not names.is_due_at(999, "tomorrow at 9")
    workspace.close()
    database.close()
