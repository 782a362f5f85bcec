"""The places that a confinement names are held to what they were: none of them may come to mean another."""

from __future__ import annotations

import os

import pytest

from desktop.sandbox.confiner import Confiner, in_folders, in_project
from tests.sandbox.confined import Box
from tests.sandbox.swapping import swapping
from tests.sandbox.test_protected import wait_until

pytestmark = pytest.mark.children

STARTS = 40  # of a client while somebody swaps
REFUSED = 126  # the client's exit code where nothing was started


@pytest.fixture
def project(box: Box) -> Box:
    if reason := Confiner(box.paths).why_not_project():
        pytest.skip(str(reason))
    return box


def test_a_project_that_has_become_a_link_starts_nothing(project: Box) -> None:
    """Its command would write wherever the link leads, as it was to write in the project."""
    confinement = in_project(project.paths, project.project)
    project.project.rename(project.home / "old")
    project.project.symlink_to(project.outside)
    done = project.run(f"echo x > '{project.outside}/new'", confinement, folder=project.home)
    assert (done.returncode, os.listdir(project.outside)) == (REFUSED, ["kept.txt"])


def test_a_folder_above_it_that_has_become_a_link_starts_nothing(project: Box) -> None:
    """Every part of the way counts."""
    deep = project.project / "deep" / "er"
    deep.mkdir(parents=True)
    confinement = in_project(project.paths, deep)
    deep.parent.rename(project.project / "old")
    (project.outside / "er").mkdir()
    deep.parent.symlink_to(project.outside)
    done = project.run(f"echo x > '{project.outside}/er/new'", confinement)
    assert (done.returncode, os.listdir(project.outside / "er")) == (REFUSED, [])


def test_a_folder_of_a_server_that_has_become_a_link_starts_nothing(box: Box) -> None:
    """The same for what only reads but in its folders."""
    confinement = in_folders(box.paths, [box.project])
    box.project.rename(box.home / "old")
    box.project.symlink_to(box.outside)
    done = box.run(f"echo x > '{box.outside}/new'", confinement, folder=box.home)
    assert (done.returncode, os.listdir(box.outside)) == (REFUSED, ["kept.txt"])


@pytest.mark.parametrize("name", ["objects", "refs", "logs"])
def test_a_repository_that_calls_itself_a_worktree_opens_nothing_else(project: Box, name: str) -> None:
    """A command can write git's small files, with a link in the place where commits would be kept."""
    inside = project.project
    made = inside / "made" / "worktrees" / "x"
    made.mkdir(parents=True)
    (inside / "made" / name).symlink_to(project.outside)
    (made / "gitdir").write_text(f"{inside}/.git\n")
    (made / "commondir").write_text("../..\n")
    (inside / ".git").write_text(f"gitdir: {made}\n")
    project.run(f"echo x > '{project.outside}/new'", in_project(project.paths, inside))
    assert Confiner(project.paths).did_run("call")
    assert os.listdir(project.outside) == ["kept.txt"]


def test_many_repositories_leave_nothing_unwatched(project: Box) -> None:
    """A command can make hundreds of folders in which something is protected."""
    for number in range(300):
        (project.project / f"d{number}" / ".git").mkdir(parents=True)
    project.run("echo '{}' > .mcp.json", in_project(project.paths, project.project))
    wait_until((project.project / ".mcp.json.refused-by-steward-1").exists)
    assert not (project.project / ".mcp.json").exists()


def test_a_project_swapped_while_its_command_starts_leads_nowhere(project: Box) -> None:
    """Whatever the moment: the client looks at each place once, and holds what it found."""
    confinement = in_project(project.paths, project.project)
    link = project.home / "link"
    link.symlink_to(project.outside)
    with swapping((project.project, link)):
        for _ in range(STARTS):
            project.run(f"echo x > '{project.outside}/new'; echo x > new", confinement, folder=project.home)
            assert os.listdir(project.outside) == ["kept.txt"]
