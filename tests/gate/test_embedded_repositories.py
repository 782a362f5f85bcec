"""A repository that came as plain files names programs, and git starts them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands(Classifier(Tables(resources() / "commands")))


# Whatever the user's own settings say about such repositories.
PLAIN = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env=PLAIN)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a part of its own, a repository among its files, and a bare one beside it."""
    project = tmp_path / "project"
    (project / "part").mkdir(parents=True)
    (project / "data" / "evil").mkdir(parents=True)
    git(project, "init", "-q")
    git(project / "data" / "evil", "init", "-q", "--bare")
    git(project / "data" / "evil", "config", "core.bare", "false")
    git(project / "data" / "evil", "config", "core.worktree", ".")
    git(project / "data" / "evil", "config", "core.fsmonitor", f"touch '{tmp_path}/started';false")
    git(tmp_path, "init", "-q", "--bare", "own.git")
    return project


@pytest.mark.parametrize(
    "command",
    [
        "cd data/evil && git status",
        "git -C data/evil status",
        "git -C data -C evil diff --stat",
        "git -C data/evil/objects log",
        "(cd data/evil && git status)",
        "if true; then cd data/evil; fi; git status",
        "ls; cd data; cd evil; git log -1",
        "timeout 5 git -C data/evil status",
    ],
)
def test_git_in_such_a_repository_asks(commands: Commands, project: Path, command: str) -> None:
    """By whatever way it works there; the same line passes where the folder is none."""
    verdict = commands.verdict(command, "bash", str(project), str(project))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)
    (project / "data" / "evil" / "HEAD").unlink()
    assert commands.verdict(command, "bash", str(project), str(project)).gate is Gate.ALLOW


@pytest.mark.parametrize(
    ("shell", "command"),
    [
        ("powershell", "cd data/evil; git status"),
        ("powershell", "cd data\\evil; git status"),
        ("powershell", "Set-Location data\\evil\ngit log -1"),
        ("powershell", "sl -Path data; sl evil; git.exe diff --stat"),
        ("powershell", "Push-Location data/evil; git status; Pop-Location"),
        ("powershell", "git -C data\\evil status"),
        ("powershell", "& git -C data/evil log -1"),
        ("powershell", "if ($true) { cd data/evil }; git status"),
        ("powershell", "cd data/evil && git status"),
        ("powershell", "gci | % { git -C data/evil log -1 }"),
        ("cmd", "cd data\\evil && git status"),
        ("cmd", "cd /d data\\evil & git status"),
        ("cmd", "pushd data\\evil & git log -1 & popd"),
        ("cmd", "git -C data\\evil status"),
        ("cmd", "if exist data cd data\\evil\ngit status"),
        ("cmd", "for %i in (1) do git -C data/evil status"),
        ("bash", "pwsh -c 'cd data/evil; git status'"),
    ],
)
def test_in_other_shells_too(commands: Commands, project: Path, shell: str, command: str) -> None:
    """PowerShell and cmd go there by other words and write paths with another sign."""
    verdict = commands.verdict(command, shell, str(project), str(project))
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)
    assert "may name programs" in str(verdict.reason)
    (project / "data" / "evil" / "HEAD").unlink()
    assert commands.verdict(command, shell, str(project), str(project)).gate is Gate.ALLOW


@pytest.mark.parametrize(
    ("shell", "command"),
    [
        ("powershell", "git status"),
        ("powershell", "cd part; git diff"),
        ("powershell", "Push-Location part; git log -1; Pop-Location; git status"),
        ("powershell", "gci data/evil"),
        ("powershell", "cd data/evil; gci"),
        ("cmd", "cd part && git status"),
        ("cmd", "dir data\\evil"),
        ("cmd", "git log -1 & cd"),
    ],
)
def test_other_shells_elsewhere_pass(commands: Commands, project: Path, shell: str, command: str) -> None:
    """In the project's own repository, and where git is not run."""
    assert commands.verdict(command, shell, str(project), str(project)).gate is Gate.ALLOW


def test_it_is_started_there(project: Path, tmp_path: Path) -> None:
    """What the question is about: git itself does it."""
    evil = project / "data" / "evil"
    subprocess.run(["git", "status"], cwd=evil, capture_output=True, check=False, env=PLAIN)
    assert (tmp_path / "started").exists()


def test_an_agent_may_work_in_it_from_the_start(commands: Commands, project: Path) -> None:
    """The folder that the hook names is one, too; so is one whose objects lie elsewhere."""
    evil = project / "data" / "evil"
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ASK
    (evil / "objects").rename(project / "objects")
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ALLOW
    (evil / "commondir").write_text("../..")
    assert commands.verdict("git status", "bash", str(evil), str(project)).gate is Gate.ASK


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git -C part log -1",
        "cd part && git diff",
        "cd .git && git status",
        "git -C ../own.git log -1",
        "cd data && git status",
        "ls data/evil",
        "cat data/evil/config",
    ],
)
def test_other_repositories_are_read_as_ever(commands: Commands, project: Path, command: str) -> None:
    """The project's own, and a bare one of the user's own that lies in no project."""
    assert commands.verdict(command, "bash", str(project), str(project)).gate is Gate.ALLOW
