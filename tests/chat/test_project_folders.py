"""The folders of projects: opened when they are needed, and never another one than was chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from desktop.chat.project_folders import ProjectFolders
from desktop.errors import UserFacing
from desktop.sandbox.workspace import Workspace


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
