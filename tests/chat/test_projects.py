"""Projects: kept, found, moved into and deleted; what a chat of one is told, remembers and works in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.projects import TOLD_TOKENS, ChatProject, ChatProjects, ChatProjectsChanged, ProjectFolders
from desktop.chat.store import ChatStore, Role
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace


@pytest.fixture
def projects(database: Database, bus: Bus) -> ChatProjects:
    return ChatProjects(database, bus)


@pytest.fixture
def told(bus: Bus) -> Iterator[list[ChatProjectsChanged]]:
    events: list[ChatProjectsChanged] = []
    end = bus.subscribe(ChatProjectsChanged, events.append)
    yield events
    end()


def _chat(store: ChatStore, text: str, project_id: int = 0) -> int:
    chat = store.create(project_id=project_id).id
    store.add(chat, Role.USER, text)
    return chat


def test_it_is_kept_and_found_by_its_name(
    projects: ChatProjects, told: list[ChatProjectsChanged], tmp_path: Path
) -> None:
    """Capitals do not matter; a change keeps its chats."""
    made = projects.save(ChatProject("  Letters ", str(tmp_path), "Answer formally.", "qwen"))
    assert projects.named("letters") == made
    assert (made.name, made.folder) == ("Letters", str(tmp_path.resolve()))
    changed = projects.save(replace(made, name="Mail", folder=""))
    assert projects.all() == (changed,)
    assert changed.id == made.id
    assert len(told) == 2


@pytest.mark.parametrize(
    ("project", "code"),
    [
        (ChatProject(""), "project-name"),
        (ChatProject("x" * 61), "project-name"),
        (ChatProject("LETTERS"), "project-name-taken"),
        (ChatProject("Mail", "/no/such/folder"), "project-folder"),
        (ChatProject("Mail", "letters"), "project-folder"),
        (ChatProject("Mail", instructions="word " * TOLD_TOKENS), "project-instructions"),
    ],
)
def test_what_cannot_be_is_refused(projects: ChatProjects, project: ChatProject, code: str) -> None:
    """With a sentence, and nothing is changed."""
    kept = projects.save(ChatProject("Letters"))
    with pytest.raises(UserFacing) as error:
        projects.save(project)
    assert error.value.code == code
    assert projects.all() == (kept,)


def test_a_chat_belongs_to_one_project_or_none(projects: ChatProjects, store: ChatStore) -> None:
    """It is made in one, moved to another, and out of any."""
    letters, garden = projects.save(ChatProject("Letters")), projects.save(ChatProject("Garden"))
    chat = _chat(store, "Dear Anna", letters.id)
    other = _chat(store, "Hello")
    assert [(each.project, each.project_id) for each in store.conversations()] == [
        ("", 0),
        ("Letters", letters.id),
    ]
    projects.move((chat, other), garden.id)
    assert set(projects.chats(garden.id)) == {chat, other}
    assert projects.of(chat) == garden
    projects.move((chat,), 0)
    assert projects.of(chat) is None
    assert projects.chats(letters.id) == ()


def test_deleted_it_leaves_chats_and_files(projects: ChatProjects, store: ChatStore, tmp_path: Path) -> None:
    """Only the name goes."""
    (tmp_path / "letter.txt").write_text("Dear Anna")
    project = projects.save(ChatProject("Letters", str(tmp_path)))
    chat = _chat(store, "Dear Anna", project.id)
    projects.delete(project.id)
    assert projects.all() == ()
    assert store.get(chat).project == ""
    assert (tmp_path / "letter.txt").read_text() == "Dear Anna"


def test_a_chat_that_is_gone_is_no_chat_of_it(
    database: Database, projects: ChatProjects, store: ChatStore
) -> None:
    """At once, and for good with the next start; a project that was deleted meanwhile takes no new chat."""
    project = projects.save(ChatProject("Letters"))
    chat = _chat(store, "Dear Anna", project.id)
    store.delete(chat)
    assert projects.chats(project.id) == ()
    ChatStore(database)  # as at the next start
    rows = database.read(lambda c: c.execute("SELECT count(*) FROM conversation_projects").fetchone())
    assert rows[0] == 0
    projects.delete(project.id)
    assert store.create(project_id=project.id).project_id == 0


def test_chats_from_before_belong_to_none(paths: Paths, bus: Bus) -> None:
    """The step of the database, on one with a conversation in it."""
    before = tuple(each for each in MIGRATIONS if each.room != "projects")
    old = Database(paths.database, before)
    old.write(
        lambda c: c.execute("INSERT INTO conversations (title, created_at, updated_at) VALUES ('Old', 1, 1)")
    )
    old.close()
    new = Database(paths.database, MIGRATIONS)
    try:
        rows = new.read(lambda c: c.execute("SELECT title FROM conversations").fetchall())
        assert [row["title"] for row in rows] == ["Old"]
        assert ChatProjects(new, bus).of(1) is None
    finally:
        new.close()


# -- their folders -----------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path: Path) -> ProjectFolders:
    return ProjectFolders((tmp_path / "profile",), lambda workspace: cast("Any", workspace))


def roots(folders: ProjectFolders, folder: Path) -> Path:
    tools = folders.tools(str(folder))
    assert cast("object", tools) is folders.workspace(str(folder))
    return cast("Workspace", tools).root


def test_a_folder_made_anew_is_opened_anew(folders: ProjectFolders, tmp_path: Path) -> None:
    """The old handle would write where nobody looks."""
    project = tmp_path / "project"
    project.mkdir()
    first = folders.workspace(str(project))
    assert folders.workspace(str(project)) is first
    project.rename(tmp_path / "moved")
    project.mkdir()
    assert folders.workspace(str(project)) is not first
    assert roots(folders, project) == project
    folders.close()


@pytest.mark.parametrize("opened_before", [False, True])
@pytest.mark.parametrize("place", ["above/project", "above"])
def test_a_link_in_its_place_is_not_followed(
    folders: ProjectFolders, tmp_path: Path, place: str, opened_before: bool
) -> None:
    """What an agent puts there, or above it, would lend the tools a folder that nobody agreed to."""
    project, private = tmp_path / "above" / "project", tmp_path / "private"
    project.mkdir(parents=True)
    (private / "project").mkdir(parents=True)
    if opened_before:
        folders.workspace(str(project))
    (tmp_path / place).rename(tmp_path / "moved")
    (tmp_path / place).symlink_to(private)
    with pytest.raises(UserFacing, match="is missing"):
        folders.workspace(str(project))
    folders.close()


def test_a_folder_that_is_gone_is_not_made(folders: ProjectFolders, tmp_path: Path) -> None:
    """An empty one in its place would look like lost files."""
    with pytest.raises(UserFacing, match="is missing"):
        folders.tools(str(tmp_path / "gone"))
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("name", ["x" * 300, "a/" * 3000, "gone\x00", "loop/x"])
def test_a_folder_that_cannot_be_looked_at_is_gone(
    folders: ProjectFolders, tmp_path: Path, name: str
) -> None:
    """Whatever the system says of it: too long, no name at all, a link that leads to itself."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UserFacing) as refused:
        folders.tools(str(tmp_path / name))
    assert refused.value.code == "project-folder-gone"
