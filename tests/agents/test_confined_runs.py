"""What stays outside a box, and what a command says that it was kept from."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.confined_runs import Box, NativeBoxes, kept_from, without_cd
from desktop.agents.events import ConfinementRefused
from desktop.app import Services, build_core
from desktop.gate.policy import Confined
from desktop.paths import Paths
from desktop.sandbox.confiner import Confinement, Confiner, Mode, NetworkAccess


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


pytestmark = [pytest.mark.children, pytest.mark.usefixtures("confining")]


class Ground:
    """A project, a file beside it, and the boxes."""

    def __init__(self, folder: Path, core: Services) -> None:
        self.project, self.outside = folder / "work" / "project", folder / "work" / "outside.txt"
        self.project.mkdir(parents=True)
        self.confiner = Confiner(core.paths)
        self.boxes = NativeBoxes(self.confiner, core.paths, lambda: core.index_proxy)

    def line(self, confined: Confined, command: str, call: str = "c1") -> str:
        box = Box(confined, self.project, uses_network=False, session="s", keeps_folder=False)
        return self.boxes.line(box, command, call)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        words = ["/bin/bash", "-c", line]
        return subprocess.run(words, cwd=self.project, capture_output=True, text=True, timeout=60)


@pytest.fixture
def ground(tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setenv("HOME", str(tmp_path))
    core = build_core(paths)
    yield Ground(tmp_path, core)
    core.close()


def test_a_wrong_reading_writes_nothing(ground: Ground) -> None:
    """The command fails as for want of a permission, and the report says that it ran confined."""
    done = ground.run(ground.line(Confined.READ_ONLY, "echo read; echo x > made.txt"))
    assert (done.stdout, done.returncode) == ("read\n", 1)
    assert "Permission denied" in done.stderr
    assert list(ground.project.iterdir()) == []
    assert ground.boxes.did_run("c1")
    ground.boxes.forget("c1")
    assert not ground.boxes.did_run("c1")


def test_a_command_of_the_project_stays_in_it(ground: Ground) -> None:
    """It writes there and not beside it."""
    if reason := ground.confiner.why_not_project():
        pytest.skip(str(reason))
    done = ground.run(ground.line(Confined.PROJECT, f"echo x > made.txt; echo x > {ground.outside}"))
    assert done.returncode != 0
    assert [path.name for path in ground.project.iterdir()] == ["made.txt"]
    assert not ground.outside.exists()
    assert ground.boxes.did_run("c1")


@pytest.mark.parametrize("keeps_folder", [True, False])
def test_only_an_agent_that_goes_on_there_follows_into_a_folder(ground: Ground, keeps_folder: bool) -> None:
    """For the others the line is the client's alone: Gemini CLI refuses one with a substitution in it."""
    (ground.project / "web").mkdir()
    box = Box(Confined.READ_ONLY, ground.project, False, "s", keeps_folder)
    line = ground.boxes.line(box, "ls && cd web", "c1")
    assert ("$(" in line) is keeps_folder
    folder = ground.project / "web" if keeps_folder else ground.project
    assert ground.run(f"{line}; pwd -P").stdout.split() == ["web", str(folder.resolve())]


def test_in_a_sandbox_of_the_agents_own_it_runs_without_a_report(ground: Ground) -> None:
    """Codex forbids writing outside the project: the command runs, and counts as not seen to be confined."""
    line = ground.line(Confined.READ_ONLY, "echo it ran; echo x > made.txt")
    around = ground.confiner.words(Confinement(Mode.READ_ONLY, NetworkAccess.NONE), ("/bin/bash", "-c", line))
    done = ground.run(shlex.join(around))
    assert done.stdout == "it ran\n"
    assert list(ground.project.iterdir()) == []
    assert not ground.boxes.did_run("c1")


def test_a_host_that_is_no_index_is_refused_and_told(ground: Ground) -> None:
    """Once, with the call that asked for it; what ignores the proxy is told by its address."""
    if reason := ground.confiner.why_not_project():
        pytest.skip(str(reason))
    command = "curl -sS -m 5 http://steward.example/; curl -sS -m 5 --noproxy '*' http://192.0.2.7/ 2>&1"
    done = ground.run(ground.line(Confined.PROJECT, command))
    assert "steward.example port 80 is not a package index" in done.stdout
    assert set(ground.boxes.refusals("c1")) == {
        ConfinementRefused("connection", "steward.example"),
        ConfinementRefused("connection", "192.0.2.7 port 80"),
    }
    assert ground.boxes.refusals("c1") == (ConfinementRefused("connection", "192.0.2.7 port 80"),)
