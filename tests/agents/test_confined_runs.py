"""What stays outside a box, and what a command says that it was kept from."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from desktop.agents.confined_runs import kept_from, without_cd


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("web", "with space", "-odd"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "front", "folder"),
    [
        ("cd web && npm test", "cd web && ", "web"),
        ("  cd   web; ls", "  cd   web; ", "web"),
        ("cd web\nls\n", "cd web\n", "web"),
        ("cd 'with space' && ls", "cd 'with space' && ", "with space"),
        ('cd "with space" && ls', 'cd "with space" && ', "with space"),
        ("cd -- web && ls", "cd -- web && ", "web"),
        ("cd web/../web && ls", "cd web/../web && ", "web"),
        ("cd web", "cd web", "web"),
        ("cd web &&", "cd web &&", "web"),
    ],
)
def test_a_plain_folder_at_the_front_stays_outside(
    project: Path, command: str, front: str, folder: str
) -> None:
    """The rest works in it."""
    found = without_cd(command, project)
    assert found[:2] == (front, command[len(front) :])
    assert found[2].resolve() == project / folder


@pytest.mark.parametrize(
    "command",
    [
        "ls && cd web",
        "cd $X && ls",
        "cd `pwd` && ls",
        'cd "$(pwd)" && ls',
        "cd web || ls",
        "cd web | ls",
        "cd web & ls",
        "cd web > x && ls",
        "cd missing && ls",
        "cd file && ls",
        "cd - && ls",
        "cd ~ && ls",
        "cd web* && ls",
        "cd {web,x} && ls",
        "cd && ls",
        "cd web x && ls",
        "cdweb && ls",
        "X=1 cd web && ls",
        "ls",
    ],
)
def test_everything_else_goes_into_the_box_whole(project: Path, command: str) -> None:
    """What may fail, is expanded or is more than a folder."""
    assert without_cd(command, project) == ("", command, project)


@pytest.mark.parametrize("rest", ["pwd", "false; pwd", "false || pwd", "true && pwd; exit 3", "pwd | cat"])
def test_the_two_parts_do_what_the_whole_did(project: Path, rest: str) -> None:
    """The output, the exit code and the folder at the end are those of the whole line."""
    whole = f"cd web && {rest}"
    front, inner, _folder = without_cd(whole, project)
    parted = f"{front}/bin/bash -c {shlex.quote(inner)}"

    def shown(line: str) -> tuple[str, int]:
        script = f"trap 'pwd -P' EXIT; {line}"
        done = subprocess.run(["/bin/bash", "-c", script], cwd=project, capture_output=True, text=True)
        return done.stdout, done.returncode

    assert shown(parted) == shown(whole)


@pytest.mark.parametrize(
    ("output", "path"),
    [
        ("Exit code 1\nbash: /etc/x: Permission denied", "/etc/x"),
        ("touch: cannot touch '/etc/x': Read-only file system", "/etc/x"),
        ("rm: cannot remove 'a': Operation not permitted", "a"),
        ("PermissionError: [Errno 13] Permission denied: '/etc/x'", "/etc/x"),
        ("Error: EACCES: permission denied, open '/etc/x'", "/etc/x"),
        ("EACCES: permission denied", ""),
        ("error: build failed", ""),
        ("", ""),
    ],
)
def test_the_path_is_told_that_a_command_was_kept_from(output: str, path: str) -> None:
    """As the usual tools put it; else nothing."""
    assert kept_from(output) == path
