"""The names and texts of a workspace, for requests in words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.tools.reasons import ToolReason
from desktop.tools.reminders import MIGRATIONS, Reminders
from desktop.tools.times import local_now
from desktop.tools.workspace_names import DOCUMENT_BYTES, DocumentTexts, WorkspaceNames


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
    names = WorkspaceNames(
        workspace, reminders, lambda question: question, lambda _question: False, DocumentTexts(bytes.decode)
    )
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


def test_a_document_is_taken_apart_once_as_long_as_it_is_the_same(paths: Paths, tmp_path: Path) -> None:
    """Whatever it is called; one that cannot be read, is gone or is too large has no text."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "a.pdf").write_bytes(b"one")
    (root / "b.pdf").write_bytes(b"one")
    (root / "bad.pdf").write_bytes(b"bad")
    (root / "large.pdf").write_bytes(b"x" * (DOCUMENT_BYTES + 1))
    read: list[bytes] = []

    def text_of(data: bytes) -> str:
        read.append(data)
        if data == b"bad":
            raise UserFacing(ToolReason.PDF_DAMAGED.of())
        return f"text of {data.decode()}"

    database, workspace = Database(paths.database, MIGRATIONS), Workspace(root)
    names = WorkspaceNames(
        workspace, Reminders(database, Bus()), str, lambda _question: False, DocumentTexts(text_of)
    )
    named = ("a.pdf", "b.pdf", "a.pdf", "bad.pdf", "bad.pdf", "large.pdf", "gone.pdf")
    assert [names.document(each) for each in named] == ["text of one"] * 3 + [""] * 4
    assert read == [b"one", b"bad"]
    (root / "a.pdf").write_bytes(b"two")
    assert names.document("a.pdf") == "text of two"
    workspace.close()
    database.close()
